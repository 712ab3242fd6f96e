import type { AuthContext, Translator } from "../../src/kernel.ts";

/** Returns the id of an error's text for a signed-in visitor, or `undefined` if there is none. */
export function findSignedInText(
  { kernel }: AuthContext,
  error: string,
  { has }: Translator,
): string | undefined {
  const id = `account.error.${kernel.errors.get(error)?.text}`;
  return has(id) ? id : undefined;
}

/**
 * Returns an error's text for a signed-in visitor, for whom the same error may mean something else. Returns `undefined`
 * without a session, and if the meaning is the same.
 */
export async function getSignedInText(
  ctx: AuthContext,
  error: string,
  translator: Translator,
): Promise<string | undefined> {
  const id = findSignedInText(ctx, error, translator);
  return id !== undefined && (await ctx.session()) ? translator.t(id) : undefined;
}
