/** Maximum size of an image in a profile, in bytes. */
const MAX_IMAGE_BYTES = 65_536;

/**
 * Reads an image as a `data:` URL, for `read` of `enrich`. Returns `undefined` for anything else, and for more than 64
 * kB.
 */
export async function readDataUrl(response: Response): Promise<string | undefined> {
  const type = /^image\/[\w.+-]+/.exec(response.headers.get("content-type") ?? "")?.[0];
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (type === undefined || bytes.length === 0 || bytes.length > MAX_IMAGE_BYTES) return undefined;
  const binary = Array.from(bytes, (byte) => String.fromCharCode(byte)).join("");
  return `data:${type};base64,${btoa(binary)}`;
}
