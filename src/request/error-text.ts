import type { AuthContext } from "../types/kernel.ts";
import type { Translator } from "../types/message.ts";
import type { Message } from "../types/page.ts";

/** Returns the sign-in page's text for an error type (`?error=`); `undefined` if there is none. */
export function findErrorText(
  { kernel }: AuthContext,
  error: string | null,
  { t, has }: Translator,
): string | undefined {
  const id = `signin.error.${kernel.errors.get(error ?? "")?.text}`;
  return has(id) ? t(id) : undefined;
}

/**
 * Returns the message for a page that `?error=` in its URL, or the given error type, leads to; `undefined` if the error
 * has no text.
 */
export function getErrorMessage(
  ctx: AuthContext,
  translator: Translator,
  error: string | null = ctx.url.searchParams.get("error"),
): { message: Message } | undefined {
  const text = findErrorText(ctx, error, translator);
  return text === undefined ? undefined : { message: { tone: "error", text } };
}
