import { redact } from "../../../src/_kit.ts";
import { AuthError, EmailSignInError } from "../../../src/errors.ts";

/**
 * Converts an error of sending into an `EmailSignInError` without addresses and secrets. Errors that are already
 * specific are returned unchanged.
 */
export function toSendError(
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
  // A mail library's error carries the e-mail and the server's responses. Only name, code and redacted message are
  // kept.
  const err = new Error(reason);
  err.name = typeof code === "string" ? `${name} ${code}` : name;
  return new EmailSignInError(`"${provider}": the e-mail could not be sent: ${reason}`, {
    cause: { provider, err },
  });
}
