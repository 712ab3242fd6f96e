import { failedOf, resultOf } from "./result.ts";
import { targetOf } from "./place.ts";
import { csrfTokenOf, type Wire } from "./session.ts";
import { inTurn } from "./turn.ts";
import type { SignOutOptions, SignOutResult } from "./types.ts";

/** Signs out without leaving the page, and tells the other tabs. */
export async function attemptSignOut(
  wire: Wire,
  { redirect = true, redirectTo, callbackUrl }: SignOutOptions,
): Promise<SignOutResult> {
  const target = targetOf(redirectTo ?? callbackUrl);
  try {
    return await inTurn(wire.base, async () => {
      const csrfToken = await csrfTokenOf(wire);
      const where = target === undefined ? {} : { callbackUrl: target };
      const body = new URLSearchParams({ ...where, csrfToken });
      const result = resultOf(await wire.send("/signout", body));
      // A page that is being left would only flicker.
      if (result.ok) wire.tell({ at: Date.now(), session: null }, !redirect);
      return result;
    });
  } catch (error) {
    return failedOf(error);
  }
}
