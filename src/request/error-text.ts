import type { AuthContext } from "../types/kernel.ts";
import type { Translator } from "../types/message.ts";

/** Returns the text of a type of error (`?error=`) on the sign-in page; `undefined` if it has none. */
export function findErrorText(
  { kernel }: AuthContext,
  error: string | null,
  { t, has }: Translator,
): string | undefined {
  const id = `signin.error.${kernel.errors.get(error ?? "")?.text}`;
  return has(id) ? t(id) : undefined;
}
