/** Text that is already HTML. */
export class Markup {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

type Printable = string | number | Markup | readonly Printable[] | undefined | false;

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

function print(value: Printable): string {
  if (value === undefined || value === false) return "";
  if (value instanceof Markup) return value.text;
  if (typeof value === "object") return value.map(print).join("");
  return String(value).replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);
}

/** A template tag that escapes every value except the Markup that it created itself. */
export function markup(strings: TemplateStringsArray, ...values: Printable[]): Markup {
  return new Markup(strings.reduce((text, part, at) => text + print(values[at - 1]) + part));
}
