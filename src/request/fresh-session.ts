import { FreshSessionRequired, PluginError } from "../errors/errors.ts";
import { hasCredentials } from "../kernel/strategy.ts";
import type { AuthContext } from "../types/kernel.ts";

/**
 * Returns whether the user of the request's session signed in within `session.freshAge`.
 * @throws PluginError when the strategy does not state the time of the sign-in.
 */
export async function isFresh(ctx: AuthContext): Promise<boolean> {
  const { strategy, config } = ctx.kernel;
  const { freshAge, strategy: name } = config.session;
  // With credentials in the request, no user has signed in.
  if (freshAge === 0) return !(await hasCredentials(ctx));
  if (!strategy.authTime) {
    throw new PluginError(
      `The strategy "${name}" does not report when a user signed in. Return the time from \`authTime\`, or set ` +
        "`session.freshAge: 0`.",
    );
  }
  const time = await strategy.authTime(ctx);
  return time !== undefined && Date.now() / 1000 - time < freshAge;
}

/**
 * Checks that the request has a session whose user signed in within `session.freshAge`.
 * @throws SessionRequired without a session, also if the `session` hook rejects it, such as for a blocked user;
 * FreshSessionRequired for an older sign-in.
 */
export async function checkFreshness(ctx: AuthContext): Promise<void> {
  if (ctx.kernel.hooks.session.isUsed()) await ctx.requireSession();
  if (await isFresh(ctx)) return;
  throw new FreshSessionRequired(
    `The user did not sign in within the last ${ctx.kernel.config.session.freshAge} s (\`session.freshAge\`). Sign in again.`,
  );
}
