import { admitAll, type Counter, TooManyAttempts } from "../rate-limit.ts";

/** Seconds over which most limits count. */
export const QUARTER_S: number = 15 * 60;

/**
 * Counts an attempt.
 * @throws TooManyAttempts with the text, if the attempt must be refused.
 */
export async function admitOne(counter: Counter, text: string): Promise<void> {
  const lock = await admitAll([counter]);
  if (lock) throw new TooManyAttempts(text, Math.ceil((lock.until - Date.now()) / 1000));
}
