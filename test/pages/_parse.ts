/** A tag with its attributes. */
export interface Tag {
  name: string;
  attributes: Record<string, string>;
}

/** A parsed document. */
export interface Markup {
  tags: Tag[];
  /** Texts between the tags, with entities decoded. */
  texts: string[];
  style: string;
}

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"' };

function decode(text: string): string {
  return text.replace(/&(?:#(\d+)|(\w+));/g, (whole, code: string, name: string) =>
    code ? String.fromCodePoint(Number(code)) : (ENTITIES[name] ?? whole),
  );
}

const TAG = /<(\/?[a-z][a-z0-9]*)((?: [a-z][a-zA-Z0-9-]*(?:="[^"<>`']*")?)*)\/?>/y;
const ATTRIBUTE = / ([a-z][a-zA-Z0-9-]*)(?:="([^"]*)")?/g;

/** Parses a document. Throws at anything except strict tags and escaped text. */
export function parse(document: string): Markup {
  const markup: Markup = { tags: [], texts: [], style: "" };
  if (!document.startsWith("<!DOCTYPE html>")) throw new Error("no doctype");
  let at = "<!DOCTYPE html>".length;
  while (at < document.length) {
    if (document[at] !== "<") {
      const end = document.indexOf("<", at);
      const text = document.slice(at, end === -1 ? undefined : end);
      if (/[>"'`]/.test(text)) throw new Error(`unescaped text: ${text}`);
      if (text.trim() !== "") markup.texts.push(decode(text));
      at += text.length;
      continue;
    }
    TAG.lastIndex = at;
    const [whole, name = "", list = ""] = TAG.exec(document) ?? [];
    if (!whole) throw new Error(`not a tag: ${document.slice(at, at + 80)}`);
    const attributes: Record<string, string> = Object.create(null);
    for (const [, key = "", value = ""] of list.matchAll(ATTRIBUTE)) {
      if (key in attributes) throw new Error(`${name} has ${key} twice`);
      attributes[key] = decode(value);
    }
    markup.tags.push({ name, attributes });
    at += whole.length;
    if (name === "style") {
      const end = document.indexOf("</style>", at);
      markup.style += document.slice(at, end);
      at = end;
    }
  }
  return markup;
}

/** Returns the attributes of all tags of a name, in order. */
export function all(markup: Markup, name: string): Record<string, string>[] {
  return markup.tags.filter((tag) => tag.name === name).map((tag) => tag.attributes);
}

/** Returns the attributes of the only tag of a name. */
export function only(markup: Markup, name: string): Record<string, string> {
  const found = all(markup, name);
  if (found.length !== 1) throw new Error(`${found.length} <${name}>`);
  return found[0]!;
}
