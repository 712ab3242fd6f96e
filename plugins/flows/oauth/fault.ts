import { AuthError, CallbackRouteError, OAuthSignInError } from "../../../src/index.ts";

type Fault = typeof CallbackRouteError | typeof OAuthSignInError;

// Errors of oauth4webapi and jose carry whole answers: tokens, claims, addresses. Only their message
// goes on.
function bare(error: unknown): Error | undefined {
  if (error instanceof AuthError) return error.cause?.err;
  if (!(error instanceof Error)) return undefined;
  const { code } = error as { code?: unknown };
  // A TypeError of the platform quotes the value it cannot use, such as a header with a token.
  const copy = new Error(error instanceof TypeError ? "a value could not be used" : error.message);
  copy.name = typeof code === "string" ? `${error.name} ${code}` : error.name;
  if (error.stack) copy.stack = error.stack;
  return copy;
}

/** What went wrong with a provider, as an error of the flow; errors that say it already stay. */
export function faultOf(error: unknown, provider: string, As: Fault): AuthError {
  if (error instanceof AuthError && error.type !== "AuthError") return error;
  const err = bare(error);
  const reason =
    error instanceof AuthError ? error.message : (err?.message ?? "thrown value is no Error");
  return new As(`"${provider}": ${reason}`, { cause: { provider, ...(err && { err }) } });
}
