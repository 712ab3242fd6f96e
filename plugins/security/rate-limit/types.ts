/** A rate limit: at most `max` attempts in `window` seconds; the next one locks for `window` seconds. */
export interface Limit {
  /** A whole number, at least 1. */
  max: number;
  /** A whole number of seconds, at least 1, at most 2592000 (30 days). */
  window: number;
}

/**
 * What a rule counts together. `account`: the account that the posted fields name, at the provider; without a
 * provider in the path, the user who is signed in. `client`: the client's address (`ctx.ip`), of IPv6 the
 * network (/64). `account+client`: both. `route`: all requests. A rule does not apply to a request in which
 * what it counts by is not known.
 */
export type RateLimitSubject = "account" | "client" | "account+client" | "route";

/**
 * What a rule counts. `all`: every attempt. `failures`: those that end with an error. `consecutive-failures`:
 * those since the last success. `successes`: those that end without an error. Every attempt is counted when it
 * begins, and taken back when it ends otherwise: concurrent ones cannot exceed the limit.
 */
export type RateLimitCount = "all" | "failures" | "consecutive-failures" | "successes";

/** A rule: a limit for the requests of one route. */
export interface RateLimitRule extends Limit {
  /** Method and path of the route, as its plugin registered it: `POST /callback/:provider`. */
  route: string;
  /** Only for providers of this type. */
  type?: string;
  /** Only for the provider of this id. */
  provider?: string;
  /** Only for requests whose query has these parameters: `{ action: "register" }`. */
  query?: Readonly<Record<string, string>>;
  by: RateLimitSubject;
  /** Default `all`. */
  counts?: RateLimitCount;
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
