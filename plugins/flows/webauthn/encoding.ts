import { decodeBase64url, encodeBase64url, trimEnd } from "../../../src/_kit.ts";
import type { Bytes } from "./cbor.ts";

/** Converts a browser's base64url into standard base64, the form in which passkeys are stored, as in Auth.js. */
export function toBase64(base64url: string): string {
  const text = base64url.replaceAll("-", "+").replaceAll("_", "/");
  return text.padEnd(Math.ceil(text.length / 4) * 4, "=");
}

/** Converts stored base64 into the base64url that browsers use. */
export function toBase64url(base64: string): string {
  return trimEnd(base64.replaceAll("+", "-").replaceAll("/", "_"), "=");
}

/** Encodes bytes as they are stored. */
export function encodeBase64(bytes: Bytes): string {
  return toBase64(encodeBase64url(bytes));
}

/** Decodes stored base64. Returns `undefined` when it is malformed. */
export function parseBase64(base64: string): Bytes | undefined {
  return decodeBase64url(toBase64url(base64));
}
