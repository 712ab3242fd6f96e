import { decodeBase64url, encodeBase64url } from "../../../src/index.ts";

/** Bytes that the package takes: of no shared memory. */
type Bytes = Uint8Array<ArrayBuffer>;

/** The standard base64 that stored passkeys carry, as in Auth.js, of a browser's base64url. */
export function storedForm(base64url: string): string {
  const text = base64url.replaceAll("-", "+").replaceAll("_", "/");
  return text.padEnd(Math.ceil(text.length / 4) * 4, "=");
}

/** The base64url that browsers speak, of a stored base64. */
export function spokenForm(base64: string): string {
  return base64.replaceAll("+", "-").replaceAll("/", "_").replace(/=+$/, "");
}

/** Bytes in the form in which they are stored. */
export function storedBytes(bytes: Bytes): string {
  return storedForm(encodeBase64url(bytes));
}

/** The bytes of a stored base64, or `undefined` where it is none. */
export function bytesOf(base64: string): Bytes | undefined {
  return decodeBase64url(spokenForm(base64));
}
