import type { Block, Form, Item } from "../types/page.ts";
import { colorClasses, type Drawing, renderInitial, renderIcon, renderPicture } from "./drawing.ts";
import { renderButtons, type FormBlock, renderForm, isButton, renderSmallForm } from "./form.ts";
import { type Html, html } from "./html.ts";
import { linkUrl, nameScheme, pictureUrl } from "./safe.ts";

type Kind<K extends Block["kind"]> = Extract<Block, { kind: K }>;

function renderLink(block: Kind<"link">, drawing: Drawing): Html {
  const href = linkUrl(block.href);
  if (href === undefined) {
    const wanted = "use http(s), otpauth or a relative URL";
    drawing.dropped(`the target of a link with ${nameScheme(block.href)}: ${wanted}`);
    return html`<p class="text">${block.text}</p>`;
  }
  const target = block.newTab && html` target="_blank" rel="noopener"`;
  if (!block.button) return html`<p class="link"><a href="${href}"${target}>${block.text}</a></p>`;
  const { brandColor: ground, buttonText: text } = drawing.theme;
  const look = colorClasses(drawing, "primary", { ground, text });
  return html`<a class="button ${look}" href="${href}"${target}>${block.text}</a>`;
}

function toPixels(value: number | undefined): number | undefined {
  return value !== undefined && Number.isInteger(value) && value > 0 ? value : undefined;
}

function renderImage(
  { src: given, alt, width, height }: Kind<"image">,
  drawing: Drawing,
): Html | undefined {
  const src = pictureUrl(given);
  if (src === undefined) {
    drawing.dropped(`an image with ${nameScheme(given)}: use a data: URL or a path of this origin`);
    return undefined;
  }
  const sizes = Object.entries({ width: toPixels(width), height: toPixels(height) });
  const size = sizes.map(([name, value]) => value && html` ${name}="${value}"`);
  return html`<img class="image" src="${src}" alt="${alt}"${size}>`;
}

// Buttons that post the same hidden fields become one form. The other blocks are rendered below it.
function renderGrid({ blocks }: Kind<"grid">, drawing: Drawing): (Html | undefined)[] {
  let hidden: Form["hidden"];
  const buttons: FormBlock[] = [];
  const others: Block[] = [];
  for (const block of blocks) {
    const isOne = block.kind === "form" && isButton(block);
    if (isOne && buttons.length === 0) hidden = block.form.hidden;
    if (isOne && block.form.hidden === hidden) buttons.push(block);
    else others.push(block);
  }
  return [renderButtons(buttons, drawing), ...renderInner(others, drawing)];
}

// Only a form that comes first on the page gets the focus, not one further down or hidden.
function renderInner(blocks: readonly Block[], drawing: Drawing): (Html | undefined)[] {
  return blocks.map((block) => renderBlock(block, false, drawing));
}

function renderMore({ text, blocks }: Kind<"more">, drawing: Drawing): Html {
  const parts = renderInner(blocks, drawing);
  return html`<details class="more"><summary class="button plain">${text}</summary>${parts}</details>`;
}

function renderPerson({ name, email, image }: Kind<"person">, drawing: Drawing): Html {
  const shown = name || email || "";
  const avatar =
    renderPicture(image, "face") ??
    html`<span class="face">${renderInitial(drawing, shown)}</span>`;
  const address = name && email && html`<span class="muted"><bdi>${email}</bdi></span>`;
  return html`<div class="person">${avatar}<p><strong><bdi>${shown}</bdi></strong>${address}</p></div>`;
}

function renderItem({ title, text, badge, icon, form }: Item, drawing: Drawing): Html {
  const tile = html`<span class="tile">${icon ? renderIcon(icon) : renderInitial(drawing, title)}</span>`;
  const note = badge && html` <span class="badge">${badge}</span>`;
  const detail = text && html`<span class="muted">${text}</span>`;
  const end = form && renderSmallForm(form, drawing);
  return html`<li>${tile}<div><span><bdi>${title}</bdi>${note}</span>${detail}</div>${end}</li>`;
}

function renderSection(block: Kind<"section">, drawing: Drawing): Html {
  const text = block.text && html`<p class="muted">${block.text}</p>`;
  const parts = renderInner(block.blocks, drawing);
  return html`<section data-section="${block.name}"><h2>${block.heading}</h2>${text}${parts}</section>`;
}

// In a right-to-left page, the text's punctuation would otherwise be on the wrong side.
function languageAttributes({ language }: Kind<"text">): Html | undefined {
  return language === undefined ? undefined : html` lang="${language}" dir="auto"`;
}

function renderBlock(block: Block, isFirst: boolean, drawing: Drawing): Html | undefined {
  switch (block.kind) {
    case "form":
      return renderForm(block, isFirst, drawing);
    case "text":
      return html`<p class="text"${languageAttributes(block)}>${block.text}</p>`;
    case "code":
      return html`<pre class="code" dir="ltr">${block.text}</pre>`;
    case "link":
      return renderLink(block, drawing);
    case "image":
      return renderImage(block, drawing);
    case "divider":
      return block.text ? html`<p class="divider">${block.text}</p>` : html`<hr>`;
    case "grid":
      return html`${renderGrid(block, drawing)}`;
    case "more":
      return renderMore(block, drawing);
    case "person":
      return renderPerson(block, drawing);
    case "section":
      return renderSection(block, drawing);
    case "list":
      // Safari does not treat a list without markers as a list.
      return html`<ul class="list" role="list">${block.items.map((item) => renderItem(item, drawing))}</ul>`;
    default:
      drawing.dropped(
        `a block of the kind "${String((block as Block).kind)}", which does not exist`,
      );
      return undefined;
  }
}

/** Renders blocks in order. A block of an unknown kind, or a form without a valid action, is left out. */
export function renderBlocks(blocks: readonly Block[], drawing: Drawing): (Html | undefined)[] {
  return blocks.map((block, at) => renderBlock(block, at === 0, drawing));
}
