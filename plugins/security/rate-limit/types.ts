import type { RateLimitSubject, RouteLimit } from "../../../src/kernel.ts";

export type { Limit, RateLimitCount, RateLimitSubject, RouteLimit } from "../../../src/kernel.ts";

/** A rule: a limit for the requests of one route. */
export interface RateLimitRule extends RouteLimit {
  /** Applies only to providers of this type. */
  type?: string;
  /** Applies only to the provider with this id. */
  provider?: string;
}

/** Options of `rateLimit`. */
export interface RateLimitOptions {
  /**
   * Rules by name. A rule with the name of a default changes that default; `false` removes it. Other rules are added,
   * and need `route`, `by`, `max` and `window`.
   */
  rules?: Readonly<Record<string, Partial<RateLimitRule> | false>>;
  /**
   * Returns the account that a provider's posted fields name, if the first text field alone does not identify it, such
   * as a name within an organization. `undefined` leaves it to the provider's type. Use the spelling that `authorize`
   * compares. Upper and lower case count as the same.
   */
  identify?(fields: Record<string, unknown>, provider: string): string | undefined;
}

/** Message of the event `rateLimited`: a rule has locked an account, a client or a route. */
export interface RateLimitedMessage {
  /** Name of the rule. */
  rule: string;
  /** Method and path of the route. */
  route: string;
  /** Id of the provider in the path. */
  provider?: string;
  /** What the rule groups attempts by. */
  by: RateLimitSubject;
  /**
   * A hash with the secret of what is locked. An account or client has the same key in every message of the rule. No
   * name or address can be derived or tested from it.
   */
  key: string;
  /** When attempts are admitted again. */
  until: Date;
}

declare module "../../../src/types.ts" {
  interface EventMessages {
    /** A rate limit was exceeded. Emitted once for each lock, not for every refused request. */
    rateLimited: RateLimitedMessage;
  }
}
