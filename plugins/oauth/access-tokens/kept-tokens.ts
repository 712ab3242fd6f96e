import { timingSafeEqual } from "../../../src/_kit.ts";
import type { TokenSet } from "../../../src/kernel.ts";
import type { KeptTokens } from "./types.ts";

const TEXTS = ["access_token", "refresh_token", "scope", "token_type"] as const;

/** Returns the part of a token set, or of an account's row, that is kept. */
export function pickTokens(from: object): KeptTokens {
  const given = from as Record<string, unknown>;
  const texts = TEXTS.filter((name) => typeof given[name] === "string" && given[name] !== "");
  const end = Number(given.expires_at ?? Number.NaN);
  return {
    ...Object.fromEntries(texts.map((name) => [name, given[name]])),
    ...(Number.isFinite(end) && { expires_at: end }),
  };
}

/** Returns the tokens after a refresh. If the response has no refresh token, the one that was sent remains in use. */
export function mergeTokens(known: KeptTokens, fresh: TokenSet): KeptTokens {
  const { expires_at: _, ...rest } = known;
  // The expiry of the old access token does not apply to the new one.
  return { ...rest, ...pickTokens(fresh) };
}

/** Returns whether an access token is valid for that many seconds. A token without an expiry always is. */
export function isValidFor(tokens: KeptTokens, seconds: number): boolean {
  const { access_token: token, expires_at: end = Infinity } = tokens;
  return token !== undefined && end > Date.now() / 1000 + seconds;
}

/** Returns whether two sets have the same refresh token, or neither has one. */
export function hasSameRefreshToken(one: KeptTokens, other: KeptTokens): boolean {
  return timingSafeEqual(one.refresh_token ?? "", other.refresh_token ?? "");
}

/** Returns whether two sets have the same access token, or neither has one. */
export function hasSameAccessToken(one: KeptTokens, other: KeptTokens): boolean {
  return timingSafeEqual(one.access_token ?? "", other.access_token ?? "");
}
