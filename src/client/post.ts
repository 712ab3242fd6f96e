import { withLock } from "./lock.ts";
import { getTargetUrl } from "./navigation.ts";
import { toResult } from "./result.ts";
import { type Connection, fetchCsrfToken } from "./session.ts";
import type { SignInResult, SignOutOptions } from "./types.ts";

/** A POST that signs in or out, or starts a sign-in. */
export interface Attempt {
  path: string;
  fields?: Readonly<Record<string, string>>;
  /**
   * Called after a success, while no other tab sends requests, with the URL to go to. `here` is `false` if the page is
   * being left.
   */
  done?(here: boolean, url: string): unknown;
}

/** Posts an attempt with the CSRF token and the URL to go to afterwards. */
export function post(
  wire: Connection,
  { redirect = true, redirectTo, callbackUrl }: SignOutOptions,
  { path, fields, done }: Attempt,
): Promise<SignInResult> {
  const target = getTargetUrl(redirectTo ?? callbackUrl);
  return withLock(wire.base, async () => {
    const csrfToken = await fetchCsrfToken(wire);
    const body = { ...fields, ...(target !== undefined && { callbackUrl: target }), csrfToken };
    const result = toResult(await wire.send(path, new URLSearchParams(body)));
    if (result.ok) await done?.(!redirect, result.url);
    return result;
  });
}
