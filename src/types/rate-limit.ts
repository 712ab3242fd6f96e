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

/** A limit for the requests of one route. */
export interface RouteLimit extends Limit {
  /** Method and path of the route, as its plugin registered it: `POST /callback/:provider`. */
  route: string;
  /** Only for requests whose query has these parameters: `{ action: "register" }`. */
  query?: Readonly<Record<string, string>>;
  by: RateLimitSubject;
  /** Default `all`. */
  counts?: RateLimitCount;
}
