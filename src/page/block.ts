import { colorClasses, type Drawing, initialOf, markOf, pictureOf } from "./drawing.ts";
import { buttonsOf, type FormBlock, formOf, isButton, smallFormOf } from "./form.ts";
import { type Html, markup } from "./html.ts";
import { safeUrl } from "./safe.ts";
import type { Block, Form, Item } from "../types/page.ts";

type Kind<K extends Block["kind"]> = Extract<Block, { kind: K }>;

function linkOf(block: Kind<"link">, drawing: Drawing): Html {
  const href = safeUrl(block.href);
  if (href === undefined) return markup`<p class="text">${block.text}</p>`;
  if (!block.button) return markup`<p class="link"><a href="${href}">${block.text}</a></p>`;
  const { brandColor: ground, buttonText: text } = drawing.theme;
  const look = colorClasses(drawing, "primary", { ground, text });
  return markup`<a class="button ${look}" href="${href}">${block.text}</a>`;
}

// Those that post the same become one form; what else there is stands below.
function gridOf({ blocks }: Kind<"grid">, drawing: Drawing): (Html | undefined)[] {
  let hidden: Form["hidden"];
  const buttons: FormBlock[] = [];
  const others: Block[] = [];
  for (const block of blocks) {
    const isOne = block.kind === "form" && isButton(block);
    if (isOne && buttons.length === 0) hidden = block.form.hidden;
    if (isOne && block.form.hidden === hidden) buttons.push(block);
    else others.push(block);
  }
  return [buttonsOf(buttons, drawing), ...blocksOf(others, drawing)];
}

function moreOf({ text, blocks }: Kind<"more">, drawing: Drawing): Html {
  const parts = blocksOf(blocks, drawing);
  return markup`<details class="more"><summary class="button plain">${text}</summary>${parts}</details>`;
}

function personOf({ name, email, image }: Kind<"person">, drawing: Drawing): Html {
  const shown = name || email || "";
  const face =
    pictureOf(image, "face") ?? markup`<span class="face">${initialOf(drawing, shown)}</span>`;
  const address = name && email && markup`<span class="muted"><bdi>${email}</bdi></span>`;
  return markup`<div class="person">${face}<p><strong><bdi>${shown}</bdi></strong>${address}</p></div>`;
}

function itemOf({ title, text, badge, mark, form }: Item, drawing: Drawing): Html {
  const sign = markup`<span class="tile">${mark ? markOf(mark) : initialOf(drawing, title)}</span>`;
  const note = badge && markup` <span class="badge">${badge}</span>`;
  const detail = text && markup`<span class="muted">${text}</span>`;
  const end = form && smallFormOf(form);
  return markup`<li>${sign}<div><span><bdi>${title}</bdi>${note}</span>${detail}</div>${end}</li>`;
}

function sectionOf(block: Kind<"section">, drawing: Drawing): Html {
  const text = block.text && markup`<p class="muted">${block.text}</p>`;
  const parts = blocksOf(block.blocks, drawing);
  return markup`<section data-section="${block.name}"><h2>${block.heading}</h2>${text}${parts}</section>`;
}

function blockOf(block: Block, isFirst: boolean, drawing: Drawing): Html | undefined {
  switch (block.kind) {
    case "form":
      return formOf(block, isFirst, drawing);
    case "text":
      return markup`<p class="text">${block.text}</p>`;
    case "link":
      return linkOf(block, drawing);
    case "divider":
      return block.text ? markup`<p class="divider">${block.text}</p>` : markup`<hr>`;
    case "grid":
      return markup`${gridOf(block, drawing)}`;
    case "more":
      return moreOf(block, drawing);
    case "person":
      return personOf(block, drawing);
    case "section":
      return sectionOf(block, drawing);
    case "list":
      return markup`<ul class="list">${block.items.map((item) => itemOf(item, drawing))}</ul>`;
    default:
      return undefined;
  }
}

/** Blocks, one after the other. */
export function blocksOf(blocks: readonly Block[], drawing: Drawing): (Html | undefined)[] {
  return blocks.map((block, at) => blockOf(block, at === 0, drawing));
}
