import { nameType } from "../platform/type-name.ts";
import type { Theme } from "../types/options.ts";
import type { Form, Icon } from "../types/page.ts";
import { cssColor, paint, setBrand, ICON_LIMIT, TEXT_LIMIT } from "./color.ts";
import { html, type Html } from "./html.ts";
import { nameScheme, PATH_DATA, pictureUrl, safeUrl } from "./safe.ts";

/** The state that the parts of one document share while it is rendered. */
export interface Drawing {
  theme: Theme;
  /** The ids in use, each with the last number that was appended to it. */
  ids: Map<string, number>;
  /** Classes for the colors of this document, with their rules. */
  colors: Map<string, { name: string; rules: string }>;
  /** Whether an element has `autofocus`. */
  focused: boolean;
  hasMessage: boolean;
  /** Receives a description of what is left out. */
  dropped(what: string): void;
}

interface Colors {
  ground: string | undefined;
  text?: string | undefined;
}

/** Returns an id that is unique in the document: the wanted one, if necessary with a number appended. */
export function uniqueId(drawing: Drawing, wanted: string): string {
  const stem = wanted.replace(/\s+/g, "-");
  let last = drawing.ids.get(stem) ?? 1;
  let id = stem;
  while (drawing.ids.has(id)) id = `${stem}-${++last}`;
  drawing.ids.set(id, 1).set(stem, last);
  return id;
}

/** Returns a color that is safe in a page, else `undefined`. */
export function checkedColor(drawing: Drawing, value: unknown): string | undefined {
  const color = cssColor(value);
  if (color === undefined && value != null) {
    const wanted = "use a hex color with its #, rgb(), hsl() or a name";
    const isText = typeof value === "string";
    const which = isText
      ? `the color "${value.slice(0, 40)}"`
      : `a color that is ${nameType(value)}`;
    drawing.dropped(`${which}: ${wanted}`);
  }
  return color;
}

/** Returns the classes of an element in the given colors. Unsafe colors are left out. */
export function colorClasses(
  drawing: Drawing,
  kind: "primary" | "mark" | "tint",
  given: Colors,
): string {
  const ground = checkedColor(drawing, given.ground);
  const text = checkedColor(drawing, given.text);
  if (ground === undefined && text === undefined) return kind;
  const key = `${kind} ${ground} ${text}`;
  let drawn = drawing.colors.get(key);
  if (!drawn) {
    const name = `c${drawing.colors.size}`;
    // A mark is a graphic rather than text: it is white if its contrast is at least 3:1 (WCAG 1.4.11).
    const limit = kind === "mark" ? ICON_LIMIT : TEXT_LIMIT;
    const selector = `.${name}`;
    const rules =
      kind === "tint" ? setBrand(selector, ground) : paint(selector, ground, text, limit);
    drawn = { name, rules };
    drawing.colors.set(key, drawn);
  }
  return `${kind} ${drawn.name}`;
}

const NONZERO = html` fill-rule="nonzero"`;

/** Renders an icon, hidden from assistive technology. */
export function renderIcon(icon: Icon): Html {
  const shapes = icon.map(({ d, fill = "currentColor", rule }) =>
    PATH_DATA.test(d)
      ? html`<path fill="${cssColor(fill) ?? "currentColor"}"${rule === "nonzero" ? NONZERO : undefined} d="${d}"/>`
      : undefined,
  );
  return html`<svg class="icon" viewBox="0 0 24 24" fill-rule="evenodd" aria-hidden="true">${shapes}</svg>`;
}

/** Returns the URL that a form posts to if it is safe. Otherwise returns `undefined`, and the form is left out. */
export function actionUrl({ action }: Form, drawing: Drawing): string | undefined {
  const url = safeUrl(action);
  if (url === undefined) {
    drawing.dropped(`a form whose action has ${nameScheme(action)}: use http(s) or a relative URL`);
  }
  return url;
}

/** Renders the first letter of a name on a color, hidden from assistive technology. */
export function renderInitial(drawing: Drawing, name: string, color?: string): Html {
  const look = colorClasses(drawing, "mark", { ground: color });
  const initial = String.fromCodePoint(name.codePointAt(0) ?? 0x2022).toUpperCase();
  // Not rendered as text, because the accessible name of the button must not become "G Google" (WCAG 2.5.3).
  return html`<span class="${look}" data-initial="${initial}"></span>`;
}

/** Renders a small decorative image; returns `undefined` for a URL of another origin. */
export function renderPicture(url: string | undefined, kind: string): Html | undefined {
  const src = pictureUrl(url);
  return src === undefined ? undefined : html`<img class="${kind}" src="${src}" alt="">`;
}
