import type { AuthContext, Translator } from "../../src/kernel.ts";

/** Returns the id of the text that an error has for a visitor who is signed in; `undefined` if it has none. */
export function findSignedInText(
  { kernel }: AuthContext,
  error: string,
  { has }: Translator,
): string | undefined {
  const id = `account.error.${kernel.errors.get(error)?.text}`;
  return has(id) ? id : undefined;
}

/**
 * Returns the text of an error for a visitor who is signed in, for whom the same error means something else;
 * `undefined` without a session, and where it means the same.
 */
export async function getSignedInText(
  ctx: AuthContext,
  error: string,
  translator: Translator,
): Promise<string | undefined> {
  const id = findSignedInText(ctx, error, translator);
  return id !== undefined && (await ctx.session()) ? translator.t(id) : undefined;
}
