import { IMAGE_URL } from "../platform/image-url.ts";
import type { Theme } from "../types/options.ts";
import type { Field } from "../types/page.ts";

const PLAIN_URL = /^(?:https?:\/\/|\/|#)[^\s\\\p{Cc}]*$/iu;
/**
 * Returns a URL that is safe in a page, http(s) or relative, else `undefined`. It is parsed, because browsers ignore
 * tabs and line breaks inside a scheme.
 */
export function safeUrl(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  if (PLAIN_URL.test(value)) return value;
  try {
    return /^https?:$/.test(new URL(value, "https://relative.invalid").protocol)
      ? value
      : undefined;
  } catch {
    return undefined;
  }
}

const AUTHENTICATOR_URL = /^otpauth:\/\/(?:totp|hotp)\/[^\s\\\p{Cc}]*$/iu;

/** Returns a URL that a link may have: as in `safeUrl`, or `otpauth:`, which opens an authenticator app. */
export function linkUrl(value: unknown): string | undefined {
  return typeof value === "string" && AUTHENTICATOR_URL.test(value) ? value : safeUrl(value);
}

/** Names the scheme of a URL for a message. The rest may be private. */
export function nameScheme(value: unknown): string {
  const [, scheme] = /^\s*([a-z][a-z0-9+.-]{0,30}):/i.exec(String(value)) ?? [];
  const isWrong = scheme === undefined || /^https?$/i.test(scheme);
  return isWrong ? "an invalid URL" : `the scheme "${scheme.toLowerCase()}:"`;
}

/** Returns the URL of the theme's logo if it is safe in a page: http(s), relative, or an image as `data:`. */
export function logoUrl({ logo }: Theme): string | undefined {
  return typeof logo === "string" && IMAGE_URL.test(logo) ? logo : safeUrl(logo);
}

/** Returns the URL of an image that is not loaded from another origin: `data:`, or a path of the page's own origin. */
export function pictureUrl(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const isOwn = /^(?:\/(?!\/)|\.{1,2}\/)[^\s\\\p{Cc}]*$/u.test(value);
  return isOwn || IMAGE_URL.test(value) ? value : undefined;
}

/** The syntax of SVG path data: numbers and commands. */
export const PATH_DATA: RegExp = /^[\sMmLlHhVvCcSsQqTtAaZz\d.,eE+-]*$/;

/** The types that an input may have. */
export const INPUT_TYPES: ReadonlySet<string> = new Set(
  (
    "text email password tel url search number date time month week datetime-local " +
    "color range checkbox radio hidden"
  ).split(" "),
);

const ATTRIBUTES = new Set(
  (
    "autocapitalize autocomplete autocorrect autofocus checked dir disabled enterkeyhint id " +
    "inputmode lang max maxlength min minlength multiple pattern placeholder readonly required " +
    "size spellcheck step title"
  ).split(" "),
);

const ATTRIBUTE_FAMILY = /^(?:aria-[a-z]+|data-[a-z0-9-]+)$/;

function isAttribute(name: string): boolean {
  return ATTRIBUTES.has(name) || ATTRIBUTE_FAMILY.test(name);
}

// Attributes whose values `false` and `true` are printed as text.
const ENUMERATED = /^(?:aria-|data-|spellcheck$)/;

/** Attributes that are safe in a page, by name. */
export type Attributes = Map<string, string | number | boolean>;

/**
 * Returns the given attributes that are safe: no event handlers, styles or form overrides. The names of the others are
 * passed to `dropped`.
 */
export function checkedAttributes(
  given: Field["attributes"],
  dropped: (name: string) => void,
): Attributes {
  const checked: Attributes = new Map();
  if (!given) return checked;
  for (const key of Object.keys(given)) {
    const name = key.toLowerCase();
    const value = given[key];
    if (value == null) continue;
    if (!isAttribute(name)) {
      dropped(name);
      continue;
    }
    if (typeof value !== "boolean") checked.set(name, value);
    else if (ENUMERATED.test(name)) checked.set(name, String(value));
    else if (value) checked.set(name, true);
  }
  return checked;
}
