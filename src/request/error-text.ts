import type { AuthContext } from "../types/kernel.ts";
import type { Translator } from "../types/message.ts";

/** Returns the sign-in page's text for an error type (`?error=`); `undefined` if there is none. */
export function findErrorText(
  { kernel }: AuthContext,
  error: string | null,
  { t, has }: Translator,
): string | undefined {
  const id = `signin.error.${kernel.errors.get(error ?? "")?.text}`;
  return has(id) ? t(id) : undefined;
}
