import { AuthError, EmailSignInError } from "../../../src/errors.ts";

const MAX_LINE_LENGTH = 300;
const ADDRESS = /[^\s<>"',;:()[\]]+@[^\s<>"',;:()[\]]+/g;

/**
 * Returns a foreign error's text without addresses and without `secrets`, on at most 300 characters
 * (SECURITY.md R16).
 */
export function redact(text: string, secrets: readonly (string | undefined)[]): string {
  let redacted = text.slice(0, 10 * MAX_LINE_LENGTH);
  for (const secret of secrets) if (secret) redacted = redacted.replaceAll(secret, "...");
  return redacted.replace(ADDRESS, "...").slice(0, MAX_LINE_LENGTH);
}

/**
 * Converts an error of sending into an `EmailSignInError` without addresses and secrets; errors
 * that are already specific are returned unchanged.
 */
export function toAuthError(
  error: unknown,
  provider: string,
  secrets: readonly (string | undefined)[],
): AuthError {
  if (error instanceof AuthError && error.type !== "AuthError") return error;
  const { message, name, code } =
    error instanceof Error
      ? (error as Error & { code?: unknown })
      : { message: "the thrown value is not an Error", name: "Error", code: undefined };
  const reason = redact(message, secrets);
  // The error of a mail library carries the e-mail and the server's responses: only name, code and
  // redacted message are kept.
  const err = new Error(reason);
  err.name = typeof code === "string" ? `${name} ${code}` : name;
  return new EmailSignInError(`"${provider}": the e-mail could not be sent: ${reason}`, {
    cause: { provider, err },
  });
}
