import type { Counter, Limit, Limiter } from "../../security/rate-limit.ts";
import type { EmailContext } from "./types.ts";

const DEFAULT: Limit = { max: 10, window: 900 };

// A stored token does not name its provider, so a token of one provider can be tried at every other one.
function isGuessable({ kernel }: EmailContext): boolean {
  return [...kernel.providers.values()].some(
    (provider) => provider.type === "email" && "generateVerificationToken" in provider,
  );
}

/**
 * Returns the counter of attempts to redeem a token of an address, or `undefined` if they are not limited. This limit
 * protects short tokens from guessing, so it does not depend on the rules of `rateLimit`.
 */
export function countAttempts(
  ctx: EmailContext,
  address: string,
  limiter: Limiter,
): Counter | undefined {
  const { attempts = isGuessable(ctx) && DEFAULT } = ctx.provider;
  return attempts ? limiter(attempts, address) : undefined;
}

/** Counts an attempt that begins, and resolves to whether it is allowed. */
export async function admitAttempt(
  { kernel, provider }: EmailContext,
  counter: Counter | undefined,
): Promise<boolean> {
  const lock = (await counter?.lock()) ?? (await counter?.add());
  if (lock?.isNew) {
    kernel.logger.warn(
      "email-attempts",
      `"${provider.id}": too many tokens were tried for one address. Until ${new Date(lock.until).toISOString()} none is ` +
        "accepted; `attempts` sets the limit.",
    );
  }
  return !lock;
}
