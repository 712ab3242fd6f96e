import type { RateLimitSubject, RouteLimit } from "../../../src/kernel.ts";

export type { Limit, RateLimitCount, RateLimitSubject, RouteLimit } from "../../../src/kernel.ts";

/** A rule: a limit for the requests of one route. */
export interface RateLimitRule extends RouteLimit {
  /** Only for providers of this type. */
  type?: string;
  /** Only for the provider of this id. */
  provider?: string;
}

/** Options of `rateLimit`. */
export interface RateLimitOptions {
  /**
   * Rules by name. Those of the name of a default change it, `false` drops it; others are added, and need
   * `route`, `by`, `max` and `window`.
   */
  rules?: Readonly<Record<string, Partial<RateLimitRule> | false>>;
  /**
   * Returns the account that the posted fields of a provider name, where its first text field alone does not,
   * such as a name within an organisation; `undefined` leaves it to the provider's type. Spell it as
   * `authorize` compares it. Upper and lower case are the same.
   */
  identify?(fields: Record<string, unknown>, provider: string): string | undefined;
}

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
