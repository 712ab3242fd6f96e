import { decodeBase64url, decodeText, parseJson } from "../../src/_kit.ts";

/**
 * Returns the claims of an ID token from the token endpoint, without verifying its signature, or `{}` if they cannot be
 * read.
 */
export function readClaims(idToken: unknown): Record<string, unknown> {
  const part = typeof idToken === "string" ? idToken.split(".")[1] : undefined;
  const payload = part === undefined ? undefined : decodeBase64url(part);
  try {
    const claims: unknown = payload ? parseJson(decodeText(payload) ?? "") : {};
    return { ...(claims as object) };
  } catch {
    return {};
  }
}

/** Returns the user whom an ID token identifies, by issuer and subject, or `undefined` if its claims cannot be read. */
export function readSubject(idToken: unknown): string | undefined {
  const { iss, sub } = readClaims(idToken);
  return sub === undefined ? undefined : JSON.stringify([iss, sub]);
}
