import { AuthError, EmailSignInError } from "../../../src/index.ts";

const LINE = 300;
const ADDRESS = /[^\s<>"',;:()[\]]+@[^\s<>"',;:()[\]]+/g;

/** What somebody else said, without addresses and without `secrets` (SECURITY.md R16). */
export function scrubbed(text: string, secrets: readonly (string | undefined)[]): string {
  let plain = text.slice(0, 10 * LINE);
  for (const secret of secrets) if (secret) plain = plain.replaceAll(secret, "...");
  return plain.replace(ADDRESS, "...").slice(0, LINE);
}

/** Why a mail could not be sent, as an error of the flow; errors that say it already stay. */
export function faultOf(
  error: unknown,
  provider: string,
  secrets: readonly (string | undefined)[],
): AuthError {
  if (error instanceof AuthError && error.type !== "AuthError") return error;
  const { message, name, code } =
    error instanceof Error
      ? (error as Error & { code?: unknown })
      : { message: "something else than an error was thrown", name: "Error", code: undefined };
  const reason = scrubbed(message, secrets);
  // The error of a mail library has the mail and the server's words on it: only this much goes on.
  const err = new Error(reason);
  err.name = typeof code === "string" ? `${name} ${code}` : name;
  return new EmailSignInError(`"${provider}": the mail could not be sent: ${reason}`, {
    cause: { provider, err },
  });
}
