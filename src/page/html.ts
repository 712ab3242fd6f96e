/** Key of a piece of HTML's text: a symbol, because no JSON from outside can carry one. */
export const RENDERED: unique symbol = Symbol("keyhook.html");

/** Text that is HTML already, made only by `markup` and `unescaped`. */
export interface Html {
  readonly [RENDERED]: string;
}

/** What `markup` prints; `undefined`, `null` and `false` print nothing. */
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

/** Text that stands for itself in HTML, in an element or a quoted attribute. */
export function escapeHtml(text: string): string {
  if (!SPECIAL.test(text)) return text;
  return text.replace(/[&<>"'`]/g, (char) => ENTITIES[char] ?? "");
}

/** Takes text as HTML. For constants only. */
export function unescaped(text: string): Html {
  return { [RENDERED]: text };
}

/** The finished text. */
export function textOf(piece: Html): string {
  return piece[RENDERED];
}

function print(value: Printable): string {
  if (value === undefined || value === null || value === false) return "";
  if (typeof value !== "object") return escapeHtml(String(value));
  if (isList(value)) return value.map(print).join("");
  // An untyped configuration may hold any object; only our own is printed.
  return value[RENDERED] ?? "";
}

function isList(value: object): value is readonly Printable[] {
  return Array.isArray(value);
}

/**
 * Template tag that escapes every value once, unless it is HTML already. (Formatters take a tag
 * named `html` as theirs, and change what is sent.) Attributes are quoted in
 * the template: markup`<a href="${url}">${text}</a>`.
 */
export function markup(strings: TemplateStringsArray, ...values: readonly Printable[]): Html {
  let text = strings[0] ?? "";
  for (let at = 0; at < values.length; at++) text += print(values[at]) + (strings[at + 1] ?? "");
  return { [RENDERED]: text };
}
