import { AuthError } from "../../src/errors.ts";

// Errors of oauth4webapi and jose carry whole responses with tokens, claims and addresses. Only their messages are
// kept.
function stripError(error: unknown): Error | undefined {
  if (error instanceof AuthError) return error.cause?.err;
  if (!(error instanceof Error)) return undefined;
  const { code } = error as { code?: unknown };
  // The message of a platform TypeError quotes the invalid value, such as a header with a token.
  const copy = new Error(error instanceof TypeError ? "a value is invalid" : error.message);
  copy.name = typeof code === "string" ? `${error.name} ${code}` : error.name;
  if (error.stack) copy.stack = error.stack;
  return copy;
}

/** Converts an error into an error of the flow for the log. Errors that are already specific are returned unchanged. */
export function toAuthError(error: unknown, provider: string, As: typeof AuthError): AuthError {
  if (error instanceof AuthError && error.type !== "AuthError") return error;
  const err = stripError(error);
  const reason =
    error instanceof AuthError
      ? error.message
      : (err?.message ?? "the thrown value is not an Error");
  // The wording that jose uses for `exp`, `nbf` and `iat`.
  const fix = reason.includes("claim timestamp") ? ". Check the clock of this server." : "";
  return new As(`"${provider}": ${reason}${fix}`, { cause: { provider, ...(err && { err }) } });
}
