import type { Theme } from "../types/options.ts";

/** The ground of a button whose theme says only what its text looks like. */
const ACCENT = "#2353d9";
const HEX = /^#(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})$/i;
const COLOR = /^(?:(?:rgb|hsl)a?\([\d\s.,%/+-]{1,60}\)|[a-z]{3,30})$/i;

/** A colour that can be printed into the style: nothing in it closes the rule or the element. */
export function cssColor(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const color = value.trim();
  return HEX.test(color) || COLOR.test(color) ? color : undefined;
}

/** Relative luminance (WCAG 2.2); `undefined` for what only the browser can compute. */
function luminance(color: string): number | undefined {
  if (!HEX.test(color)) return undefined;
  const digits = color.length < 6 ? color.slice(1).replace(/./g, "$&$&") : color.slice(1);
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
    const part = Number.parseInt(digits.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** The luminance up to which white text has a contrast of 4.5:1. */
export const TEXT_LIMIT = 0.183;
/** The luminance up to which a white sign has a contrast of 3:1. */
export const SIGN_LIMIT = 0.3;

/** The ink, white or black, that can be read on a hex colour; `undefined` for other colours. */
export function inkOn(color: string): "#fff" | "#000" | undefined {
  const light = luminance(color);
  return light === undefined ? undefined : light <= TEXT_LIMIT ? "#fff" : "#000";
}

function contrast(one: number, other: number): number {
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}

// A text colour that nobody can read on its ground is passed over.
function readable(text: string | undefined, ground: string): string | undefined {
  if (text === undefined) return undefined;
  const [over, under] = [luminance(text), luminance(ground)];
  const isKnown = over !== undefined && under !== undefined;
  return isKnown && contrast(over, under) < 4.5 ? undefined : text;
}

/**
 * Rules for links and rings in the theme's own colour, darkened or lightened until it can be read on
 * the card. Browsers that cannot compute it keep the colours of the style sheet.
 */
export function themeRules({ brandColor }: Theme, scheme: string): string {
  const color = cssColor(brandColor);
  if (color === undefined) return "";
  const rules = (lightness: string) => {
    const derived = `oklch(from ${color} ${lightness} min(c,.19) h)`;
    return `@supports(color:${derived}){:root{--link:${derived};--ring:${derived}}}`;
  };
  const [light, dark] = [rules("min(l,.5)"), rules("max(l,.78)")];
  if (scheme !== "auto") return scheme === "dark" ? dark : light;
  return `${light}@media(prefers-color-scheme:dark){${dark}}`;
}

/** Rules that paint `selector`; the text is readable on the colour unless one is asked for. */
export function paint(
  selector: string,
  ground: string | undefined,
  given: string | undefined,
  limit: number,
): string {
  const color = ground ?? ACCENT;
  const text = readable(given, color);
  const light = luminance(color);
  const ink = text ?? (light === undefined || light <= limit ? "#fff" : "#000");
  const rules = `${selector}{background:${color};color:${ink}}`;
  if (light !== undefined) return rules;
  // Without `@supports`, a word that is no colour would leave the text on another ground.
  const known = `@supports(color:${color}){${rules}}`;
  if (text !== undefined) return known;
  const part = (white: number) => `clamp(0,(${limit} - y)*9999,${white})`;
  const computed = `color(from ${color} xyz-d65 ${part(0.9505)} ${part(1)} ${part(1.0891)})`;
  return `${known}@supports(color:${computed}){${selector}{color:${computed}}}`;
}
