import type { AuthContext } from "../../../src/kernel.ts";
import { hash } from "./hash.ts";
import type { Lock } from "./limiter.ts";
import type { NamedRule, RateLimitSubject } from "./rules.ts";

/** Message of the event `rateLimited`: a rule has locked an account, a client or a route. */
export interface RateLimitedMessage {
  /** Name of the rule. */
  rule: string;
  /** Method and path of the route. */
  route: string;
  /** Id of the provider that the path names. */
  provider?: string;
  by: RateLimitSubject;
  /**
   * What is locked, as a hash with the secret: the same account or client has the same key in every message of
   * the rule, and no name or address can be read or tried out from it.
   */
  key: string;
  /** When attempts are admitted again. */
  until: Date;
}

declare module "../../../src/types.ts" {
  interface EventMessages {
    /** A rate limit was exceeded. Emitted once per lock, not for every request that it refuses. */
    rateLimited: RateLimitedMessage;
  }
}

/** Reports a new lock: the event `rateLimited`, and a line in the log. */
export async function announce(
  ctx: AuthContext,
  { name: rule, route, by, max, window }: NamedRule,
  { subject, lock }: { subject: readonly string[]; lock: Lock },
): Promise<void> {
  const { kernel, provider } = ctx;
  const [secret] = kernel.config.secret;
  const key = (await hash(JSON.stringify(["keyhook rate limit", secret, subject]))).slice(0, 32);
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
