import type { JWT, Kernel } from "../../../src/kernel.ts";

/** The ends of a token and its session, according to the token. */
export interface Times {
  /** When the token ends, in seconds since the epoch. */
  exp: number;
  /** When the session ends, in seconds since the epoch. */
  ends: number;
  /** Whether `updateAge` has passed since the last extension. */
  due: boolean;
}

// The maximum of a Date, in seconds.
const MAX_DATE_S = 8.64e12;

/** Returns the time in seconds since the epoch. */
export const now = (): number => Date.now() / 1000;

/**
 * Returns when a token and its session end. The last extension is derived from `exp`, because `iat` changes whenever a
 * tap changes the token. If `exp` is the end that no extension exceeds, only `iat` is left.
 */
export function getTimes(token: JWT, kernel: Kernel): Times {
  const { session, jwt } = kernel.config;
  const iat = typeof token.iat === "number" ? token.iat : now();
  const exp = typeof token.exp === "number" ? token.exp : iat + jwt.maxAge;
  const last = getAbsoluteEnd(token, kernel);
  const extended = exp === last ? iat : Math.min(exp - jwt.maxAge, iat);
  const ends = Math.min(exp, extended + session.maxAge, last ?? Infinity);
  return {
    exp,
    ends,
    // A token is not extended without a start, or if it already ends as late as it may.
    due: extended + session.updateAge <= now() && last !== undefined && (ends < last || exp > last),
  };
}

/** Returns whether the session of a token has not ended. */
export function isLive(token: JWT, kernel: Kernel): boolean {
  const { ends } = getTimes(token, kernel);
  return ends > now() && ends < MAX_DATE_S;
}

/** Returns the end that no extension exceeds (`session.absoluteMaxAge`), or `undefined` if it is unknown. */
export function getAbsoluteEnd({ auth_time: began }: JWT, kernel: Kernel): number | undefined {
  const { absoluteMaxAge } = kernel.config.session;
  if (absoluteMaxAge === undefined) return Infinity;
  return typeof began === "number" ? Math.floor(began) + absoluteMaxAge : undefined;
}

/** Returns the end of a session that is extended now. */
export function getEnd(token: JWT, kernel: Kernel): number {
  const { session, jwt } = kernel.config;
  const idle = Math.floor(now()) + Math.min(session.maxAge, jwt.maxAge);
  return Math.min(idle, getAbsoluteEnd(token, kernel) ?? Infinity);
}

/** Returns whether session tokens contain when their session began. Tokens of Auth.js do not. */
export function isDated({ config, adapter, routes }: Kernel): boolean {
  if (adapter || config.session.absoluteMaxAge !== undefined) return true;
  return [...routes.values()].some(({ auth }) => auth === "fresh");
}
