import { withLock } from "./lock.ts";
import { getTargetUrl } from "./navigation.ts";
import { toFailure, toResult } from "./result.ts";
import { fetchCsrfToken, type Connection } from "./session.ts";
import type { SignOutOptions, SignOutResult } from "./types.ts";

/** Signs out without navigating, and notifies the other tabs. */
export async function attemptSignOut(
  wire: Connection,
  { redirect = true, redirectTo, callbackUrl }: SignOutOptions,
): Promise<SignOutResult> {
  const target = getTargetUrl(redirectTo ?? callbackUrl);
  try {
    return await withLock(wire.base, async () => {
      const csrfToken = await fetchCsrfToken(wire);
      const where = target === undefined ? {} : { callbackUrl: target };
      const body = new URLSearchParams({ ...where, csrfToken });
      const result = toResult(await wire.send("/signout", body));
      // Without this page's own listeners if it is being left: it would only flicker.
      if (result.ok) wire.publish({ at: Date.now(), session: null }, !redirect);
      return result;
    });
  } catch (error) {
    return toFailure(error);
  }
}
