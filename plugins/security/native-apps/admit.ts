import { admitAll, type Counter, TooManyAttempts } from "../rate-limit.ts";

/** Seconds for which most of what is limited is counted. */
export const QUARTER_S: number = 15 * 60;

/**
 * Counts an attempt.
 * @throws TooManyAttempts with the text, if it must be refused.
 */
export async function admitOne(counter: Counter, text: string): Promise<void> {
  const lock = await admitAll([counter]);
  if (lock) throw new TooManyAttempts(text, Math.ceil((lock.until - Date.now()) / 1000));
}
