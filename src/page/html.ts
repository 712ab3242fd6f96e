/** The key of the text of an `Html`: a symbol, since untrusted JSON cannot contain one. */
export const RENDERED: unique symbol = Symbol("keyhook.html");

/** Text that is HTML already, created only by `html` and `unsafeHtml`. */
export interface Html {
  readonly [RENDERED]: string;
}

/** The values that `html` accepts; `undefined`, `null` and `false` print nothing. */
export type Printable = string | number | Html | readonly Printable[] | undefined | null | boolean;

const SPECIAL = /[&<>"'`]/;
const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
  "`": "&#96;",
};

/** Escapes text for HTML, in an element or a quoted attribute. */
export function escapeHtml(text: string): string {
  if (!SPECIAL.test(text)) return text;
  return text.replace(/[&<>"'`]/g, (char) => ENTITIES[char] ?? "");
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
 * Template tag that escapes every value once, unless it is an `Html`. Attributes must be quoted in the
 * template. Formatters must not reformat these templates, since that changes the text that is sent.
 * @example html`<a href="${url}">${text}</a>`
 */
export function html(strings: TemplateStringsArray, ...values: readonly Printable[]): Html {
  let text = strings[0] ?? "";
  for (let at = 0; at < values.length; at++) text += print(values[at]) + (strings[at + 1] ?? "");
  return { [RENDERED]: text };
}
