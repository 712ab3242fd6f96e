import { wantsJson } from "../../../src/_kit.ts";
import { type AuthContext, pageUrl } from "../../../src/kernel.ts";
import { InvalidSecondFactor } from "./errors.ts";
import type { KnownUser } from "./user.ts";

/**
 * Reports a refused code, and returns the redirect to its page.
 * @throws InvalidSecondFactor for a script that asks for JSON.
 */
export async function refuse(ctx: AuthContext, user: KnownUser, url: string): Promise<Response> {
  const error = new InvalidSecondFactor("The code is wrong or used, or too many were wrong.");
  await ctx.kernel.emit("secondFactorFailed", { user, error }, ctx);
  if (wantsJson(ctx.request)) throw error;
  return ctx.redirect(pageUrl(url, ctx.origin, { error: error.type }));
}
