import type { Awaitable } from "../types/models.ts";
import type { Block, Form, Page } from "../types/page.ts";

/** The page's own URL, and the prefix of the routes' URLs. */
interface Place {
  url: URL;
  base: string;
}

const FIELD = "csrfToken";

function listForms(block: Block): Form[] {
  if (block.kind === "form") return [block.form];
  if (block.kind === "list") return block.items.flatMap(({ form }) => form ?? []);
  return "blocks" in block ? block.blocks.flatMap(listForms) : [];
}

function mapForms(block: Block, change: (form: Form) => Form): Block {
  if (block.kind === "form") return { ...block, form: change(block.form) };
  if (block.kind === "list") {
    const items = block.items.map((item) =>
      item.form ? { ...item, form: change(item.form) } : item,
    );
    return { ...block, items };
  }
  if (!("blocks" in block)) return block;
  return { ...block, blocks: block.blocks.map((inner) => mapForms(inner, change)) };
}

// A form that posts elsewhere must never get the token.
function lacksToken({ action, hidden, fields }: Form, { url, base }: Place): boolean {
  const has = hidden?.[FIELD] !== undefined || fields?.some(({ name }) => name === FIELD);
  if (has || !URL.canParse(action, url)) return false;
  return new URL(action, url).href.startsWith(`${base}/`);
}

/**
 * Returns a page in which forms that post to Keyhook's own routes contain the CSRF token. The token is requested only
 * if a form lacks it, since a new one sets a cookie.
 */
export async function withCsrfField<P extends Pick<Page, "blocks">>(
  page: P,
  place: Place,
  getToken: () => Awaitable<string | undefined>,
): Promise<P> {
  const isNeeded = page.blocks.some((block) =>
    listForms(block).some((form) => lacksToken(form, place)),
  );
  const csrfToken = isNeeded ? await getToken() : undefined;
  if (csrfToken === undefined) return page;
  // Forms that share their hidden fields must still share them, because that makes the buttons of a grid one form.
  const filled = new Map<Form["hidden"], Form["hidden"]>();
  const fill = (form: Form): Form => {
    if (!lacksToken(form, place)) return form;
    const hidden = filled.get(form.hidden) ?? { ...form.hidden, [FIELD]: csrfToken };
    filled.set(form.hidden, hidden);
    return { ...form, hidden };
  };
  return { ...page, blocks: page.blocks.map((block) => mapForms(block, fill)) };
}
