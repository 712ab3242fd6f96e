import { BadRequest, LastSignInMethod } from "../errors/errors.ts";
import { wantsJson } from "../http/accept.ts";
import { leadTo } from "../request/lead-to.ts";
import type { AuthContext } from "../types/kernel.ts";

/** Query of the account page that shows the result of a change. */
export type ChangeOutcome = "" | "?done" | "?failed" | "?failed=last";

/**
 * The outcome of a removal. A method that is not found may have been removed by the first of two clicks, so it is not
 * an error.
 */
export const REMOVAL_OUTCOMES = {
  removed: "?done",
  "not-found": "",
  last: "?failed=last",
} as const;

/**
 * Responds to a change that was made on the account page by leading back to that page.
 * @throws LastSignInMethod or BadRequest if nothing was changed and the request asks for JSON.
 */
export function respondToChange(ctx: AuthContext, outcome: ChangeOutcome): Response {
  if (wantsJson(ctx.request)) {
    if (outcome === "?failed=last") throw new LastSignInMethod("It is the only sign-in method.");
    if (outcome === "?failed") {
      throw new BadRequest("The fields request no change, or one that the adapter cannot make.");
    }
  }
  return leadTo(ctx, `${ctx.base}/account${outcome}`);
}
