/** The key of the text in an `Html`: a symbol, since untrusted JSON cannot contain one. */
export const RENDERED: unique symbol = Symbol("keyhook.html");

/** Text that already is HTML, created only by `html` and `unsafeHtml`. */
export interface Html {
  readonly [RENDERED]: string;
}

/** The values that `html` accepts; `undefined`, `null` and `false` print nothing. */
export type Printable = string | number | Html | readonly Printable[] | undefined | null | boolean;

const SPECIAL = /[&<>"'`]/;

function getEntity(char: number): string | undefined {
  if (char === 38) return "&amp;";
  if (char === 60) return "&lt;";
  if (char === 62) return "&gt;";
  if (char === 34) return "&quot;";
  if (char === 39) return "&#39;";
  return char === 96 ? "&#96;" : undefined;
}

/** Escapes text for HTML, in an element or a quoted attribute. */
export function escapeHtml(text: string): string {
  let at = text.search(SPECIAL);
  if (at < 0) return text;
  // A loop is faster than `replace`, which calls a function for each special character.
  let escaped = "";
  let from = 0;
  for (; at < text.length; at++) {
    const entity = getEntity(text.charCodeAt(at));
    if (entity === undefined) continue;
    escaped += from === at ? entity : text.slice(from, at) + entity;
    from = at + 1;
  }
  return escaped + text.slice(from);
}

/** Marks text as HTML without escaping it. For constants and already checked text only. */
export function unsafeHtml(text: string): Html {
  return { [RENDERED]: text };
}

/** Returns the text of a piece of HTML. */
export function toHtml(piece: Html): string {
  return piece[RENDERED];
}

function print(value: Printable): string {
  if (value === undefined || value === null || value === false) return "";
  if (typeof value !== "object") return escapeHtml(String(value));
  if (isList(value)) return value.map(print).join("");
  // An untyped configuration may contain any object; only `Html` is printed.
  return value[RENDERED] ?? "";
}

function isList(value: object): value is readonly Printable[] {
  return Array.isArray(value);
}

/**
 * Template tag that escapes every value once, unless it is an `Html`. Attributes must be quoted in the template.
 * Formatters must not reformat these templates, since that would change the text that is sent.
 * @example html`<a href="${url}">${text}</a>`
 */
export function html(strings: TemplateStringsArray, ...values: readonly Printable[]): Html {
  let text = strings[0] ?? "";
  for (let at = 0; at < values.length; at++) text += print(values[at]) + (strings[at + 1] ?? "");
  return { [RENDERED]: text };
}
