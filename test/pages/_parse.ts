/** A tag as a parser sees it. */
export interface Tag {
  name: string;
  attributes: Record<string, string>;
}

/** A document taken apart. */
export interface Markup {
  tags: Tag[];
  /** Text between the tags, entities resolved. */
  texts: string[];
  style: string;
}

const ENTITIES: Record<string, string> = { amp: "&", lt: "<", gt: ">", quot: '"' };

function decoded(text: string): string {
  return text.replace(/&(?:#(\d+)|(\w+));/g, (whole, code: string, name: string) =>
    code ? String.fromCodePoint(Number(code)) : (ENTITIES[name] ?? whole),
  );
}

const TAG = /<(\/?[a-z][a-z0-9]*)((?: [a-z][a-zA-Z0-9-]*(?:="[^"<>`']*")?)*)\/?>/y;
const ATTRIBUTE = / ([a-z][a-zA-Z0-9-]*)(?:="([^"]*)")?/g;

/** Takes a document apart; throws at anything that is neither a strict tag nor escaped text. */
export function parse(document: string): Markup {
  const markup: Markup = { tags: [], texts: [], style: "" };
  if (!document.startsWith("<!DOCTYPE html>")) throw new Error("no doctype");
  let at = "<!DOCTYPE html>".length;
  while (at < document.length) {
    if (document[at] !== "<") {
      const end = document.indexOf("<", at);
      const text = document.slice(at, end === -1 ? undefined : end);
      if (/[>"'`]/.test(text)) throw new Error(`unescaped text: ${text}`);
      if (text.trim() !== "") markup.texts.push(decoded(text));
      at += text.length;
      continue;
    }
    TAG.lastIndex = at;
    const [whole, name = "", list = ""] = TAG.exec(document) ?? [];
    if (!whole) throw new Error(`not a tag: ${document.slice(at, at + 80)}`);
    const attributes: Record<string, string> = Object.create(null);
    for (const [, key = "", value = ""] of list.matchAll(ATTRIBUTE)) {
      if (key in attributes) throw new Error(`${name} has ${key} twice`);
      attributes[key] = decoded(value);
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

/** The tags of a name, in order. */
export function all(markup: Markup, name: string): Record<string, string>[] {
  return markup.tags.filter((tag) => tag.name === name).map((tag) => tag.attributes);
}

/** Attributes of the only tag of a name. */
export function only(markup: Markup, name: string): Record<string, string> {
  const found = all(markup, name);
  if (found.length !== 1) throw new Error(`${found.length} <${name}>`);
  return found[0]!;
}
