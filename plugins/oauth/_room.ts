import type { AuthContext } from "../../src/kernel.ts";

/**
 * Maximum length of all cookies of a browser. Node servers refuse requests with more than 16 kB of headers, including
 * other headers.
 */
const MAX_COOKIES_LENGTH = 14_000;
/** Characters between a name, its value and the next name. */
const SEPARATORS_LENGTH = 3;

/** Length of a session whose cookie is set after other cookies of a sign-in. */
export const SESSION_ROOM = 4000;

/**
 * Returns whether the browser's cookies after this response leave room in its requests. Otherwise a server refuses all
 * requests, including the sign-out. `reserved` characters are yet to be set.
 */
export function hasRoom({ cookies }: AuthContext, reserved = 0): boolean {
  const set = new Map(cookies.pending.map(({ name, value }) => [name, value]));
  const kept = cookies.names().filter((name) => !set.has(name));
  const values = kept.flatMap((name) =>
    cookies.getAll(name).map((value) => [name, value] as const),
  );
  const all = [...values, ...[...set].filter(([, value]) => value)];
  const count = (sum: number, pair: readonly string[]) =>
    sum + pair.join("").length + SEPARATORS_LENGTH;
  return all.reduce(count, reserved) <= MAX_COOKIES_LENGTH;
}
