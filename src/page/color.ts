/** The background of a button if the theme sets only the text color. */
const ACCENT = "#2353d9";
const HEX = /^#(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})$/i;
const COLOR = /^(?:(?:rgb|hsl)a?\([\d\s.,%/+-]{1,60}\)|[a-z]{3,30})$/i;

/**
 * Returns a color that is safe in a style element, because it cannot close the rule or the element; else `undefined`.
 */
export function cssColor(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const color = value.trim();
  return HEX.test(color) || COLOR.test(color) ? color : undefined;
}

/** Returns the relative luminance of a hex color (WCAG 2.2); `undefined` for colors that only a browser can compute. */
function luminance(color: string): number | undefined {
  if (!HEX.test(color)) return undefined;
  const digits = color.length < 6 ? color.slice(1).replace(/./g, "$&$&") : color.slice(1);
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
    const part = Number.parseInt(digits.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

/** Maximum luminance of a background on which white text has a contrast of 4.5:1. */
export const TEXT_LIMIT = 0.183;
/** Maximum luminance of a background on which a white icon has a contrast of 3:1. */
export const ICON_LIMIT = 0.3;

/** Returns the text color, white or black, that is readable on a hex color; `undefined` for other colors. */
export function contrastColor(color: string): "#fff" | "#000" | undefined {
  const light = luminance(color);
  return light === undefined ? undefined : light <= TEXT_LIMIT ? "#fff" : "#000";
}

function contrast(one: number, other: number): number {
  return (Math.max(one, other) + 0.05) / (Math.min(one, other) + 0.05);
}

// Drops a text color whose contrast with the background is known to be less than 4.5:1.
function readable(text: string | undefined, ground: string): string | undefined {
  if (text === undefined) return undefined;
  const [over, under] = [luminance(text), luminance(ground)];
  const isKnown = over !== undefined && under !== undefined;
  return isKnown && contrast(over, under) < 4.5 ? undefined : text;
}

/**
 * Returns the rules for links and focus rings in the theme's color, darkened or lightened until it is readable on the
 * card. Browsers that cannot compute it keep the colors of the style sheet.
 */
export function themeRules(color: string | undefined, scheme: string): string {
  if (color === undefined) return "";
  const rules = (lightness: string) => {
    const derived = `oklch(from ${color} ${lightness} min(c,.19) h)`;
    return `@supports(color:${derived}){:root{--link:${derived};--ring:${derived}}}`;
  };
  const [light, dark] = [rules("min(l,.5)"), rules("max(l,.78)")];
  if (scheme === "light") return light;
  const when = scheme === "dark" ? "screen" : "screen and (prefers-color-scheme:dark)";
  return `${light}@media ${when}{${dark}}`;
}

/**
 * Returns the rules for background and text of `selector`. The text has the given color if that is readable. Otherwise
 * it is white up to the luminance `limit`, and black above it.
 */
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
  // Without `@supports`, a word that is not a color would leave the text on another background.
  const known = `@supports(color:${color}){${rules}}`;
  if (text !== undefined) return known;
  const part = (white: number) => `clamp(0,(${limit} - y)*9999,${white})`;
  const computed = `color(from ${color} xyz-d65 ${part(0.9505)} ${part(1)} ${part(1.0891)})`;
  return `${known}@supports(color:${computed}){${selector}{color:${computed}}}`;
}

/** Returns the rule that sets the brand's color as `--brand` on `selector`. The style sheet uses it as a tint. */
export function setBrand(selector: string, color: string | undefined): string {
  if (color === undefined) return "";
  const rule = `${selector}{--brand:${color}}`;
  // A word that is not a color would remove the border.
  return HEX.test(color) ? rule : `@supports(color:${color}){${rule}}`;
}
