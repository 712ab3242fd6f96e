import { cssColor, paint, SIGN_LIMIT, TEXT_LIMIT } from "./color.ts";
import { markup, type Html } from "./html.ts";
import { PATH_DATA, pictureUrl } from "./safe.ts";
import type { Theme } from "../types/options.ts";
import type { Mark } from "../types/page.ts";

/** What the parts of one document share. */
export interface Drawing {
  theme: Theme;
  /** The ids given, each with the last number that was put after it. */
  ids: Map<string, number>;
  /** Classes for this document's colours. */
  colors: Map<string, { name: string; rules: string }>;
  focused: boolean;
  hasMessage: boolean;
}

interface Colors {
  ground: string | undefined;
  text?: string | undefined;
}

/** An id as wanted, or with the next number after it. */
export function uniqueId(drawing: Drawing, wanted: string): string {
  const stem = wanted.replace(/\s+/g, "-");
  let last = drawing.ids.get(stem) ?? 1;
  let id = stem;
  while (drawing.ids.has(id)) id = `${stem}-${++last}`;
  drawing.ids.set(id, 1).set(stem, last);
  return id;
}

/** The classes that paint something in given colours. */
export function colorClasses(drawing: Drawing, kind: "primary" | "mark", given: Colors): string {
  const ground = cssColor(given.ground);
  const text = cssColor(given.text);
  if (ground === undefined && text === undefined) return kind;
  const key = `${kind} ${ground} ${text}`;
  let drawn = drawing.colors.get(key);
  if (!drawn) {
    const name = `c${drawing.colors.size}`;
    // A mark is a sign, not text to read: white as far as it can be made out.
    const limit = kind === "mark" ? SIGN_LIMIT : TEXT_LIMIT;
    drawn = { name, rules: paint(`.${name}`, ground, text, limit) };
    drawing.colors.set(key, drawn);
  }
  return `${kind} ${drawn.name}`;
}

/** A sign, for eyes only. */
export function markOf(mark: Mark): Html {
  const shapes = mark.map(({ d, fill = "currentColor" }) =>
    PATH_DATA.test(d)
      ? markup`<path fill="${cssColor(fill) ?? "currentColor"}" d="${d}"/>`
      : undefined,
  );
  return markup`<svg class="sign" viewBox="0 0 24 24" fill-rule="evenodd" aria-hidden="true">${shapes}</svg>`;
}

/** The first letter of a name on its colour, for eyes only. */
export function initialOf(drawing: Drawing, name: string, color?: string): Html {
  const look = colorClasses(drawing, "mark", { ground: color });
  const initial = String.fromCodePoint(name.codePointAt(0) ?? 0x2022).toUpperCase();
  // Not as text: the button's name is not "G Google" (WCAG 2.5.3).
  return markup`<span class="${look}" data-initial="${initial}"></span>`;
}

/** A small picture, for eyes only; nothing for one that would come from elsewhere. */
export function pictureOf(url: string | undefined, kind: string): Html | undefined {
  const src = pictureUrl(url);
  return src === undefined ? undefined : markup`<img class="${kind}" src="${src}" alt="">`;
}
