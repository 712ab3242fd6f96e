/** A rate limit: at most `max` attempts in `window` seconds; the next attempt locks for `window` seconds. */
export interface Limit {
  /** A whole number, at least 1. */
  max: number;
  /** A whole number of seconds, at least 1, at most 2592000 (30 days). */
  window: number;
}

/**
 * What a rule groups attempts by. `account`: the account that the posted fields name, at the provider; if the path
 * names no provider, the signed-in user. `client`: the client's address (`ctx.ip`), for IPv6 its /64 network.
 * `account+client`: both. `route`: all requests together. A rule does not apply to a request for which this is
 * unknown.
 */
export type RateLimitSubject = "account" | "client" | "account+client" | "route";

/**
 * Which attempts a rule counts. `all`: every attempt. `failures`: those that end with an error.
 * `consecutive-failures`: those since the last success. `successes`: those that end without an error. Every attempt is
 * counted when it begins, and uncounted if it turns out otherwise, so concurrent attempts cannot exceed the limit.
 */
export type RateLimitCount = "all" | "failures" | "consecutive-failures" | "successes";

/** A limit for the requests of one route. */
export interface RouteLimit extends Limit {
  /** Method and path of the route, as its plugin registered it: `POST /callback/:provider`. */
  route: string;
  /** Applies only to requests whose query has these parameters: `{ action: "register" }`. */
  query?: Readonly<Record<string, string>>;
  by: RateLimitSubject;
  /** Default `all`. */
  counts?: RateLimitCount;
}
