import { parseUrl } from "./parse-url.ts";

/** The start of an image as `data:` URL. */
export const IMAGE_URL: RegExp = /^data:image\/(?:png|jpeg|gif|webp|avif|svg\+xml)[;,]/i;

/** Returns the URL of a picture from an identity provider: http(s), or an image as `data:`. */
export function imageUrl(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  if (IMAGE_URL.test(value)) return value;
  return /^https?:$/.test(parseUrl(value)?.protocol ?? "") ? value : undefined;
}
