import { sha256Hex } from "../../../src/_kit.ts";
import type { AuthContext } from "../../../src/kernel.ts";
import type { Lock } from "./limiter.ts";
import type { NamedRule } from "./rules.ts";
import type { RateLimitedMessage } from "./types.ts";

/** Reports a new lock by the event `rateLimited` and a line in the log. */
export async function announce(
  ctx: AuthContext,
  { name: rule, route, by, max, window }: NamedRule,
  { subject, lock }: { subject: readonly string[]; lock: Lock },
): Promise<void> {
  const { kernel, provider } = ctx;
  const [secret] = kernel.config.secret;
  const key = (await sha256Hex(JSON.stringify(["keyhook rate limit", secret, subject]))).slice(
    0,
    32,
  );
  const until = new Date(lock.until);
  kernel.logger.warn(
    "rate-limited",
    `The rule "${rule}" has locked ${route} by ${by} (${key}) until ${until.toISOString()}: more than ${max} in ` +
      `${window} seconds.`,
  );
  const message: RateLimitedMessage = {
    rule,
    route,
    ...(provider && { provider: provider.id }),
    by,
    key,
    until,
  };
  await kernel.emit("rateLimited", message, ctx);
}
