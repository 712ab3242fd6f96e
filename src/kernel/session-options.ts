import { randomUUID } from "../crypto/crypto.ts";
import type { Reporter } from "../errors/report.ts";
import type { AuthConfig } from "../types/config.ts";
import type { ResolvedConfig } from "../types/options.ts";
import { type CountBounds, readCount, readSeconds } from "./read-number.ts";
import type { ResolveOptions } from "./resolve-options.ts";

const DAY_S = 24 * 60 * 60;
// In seconds: long enough to set up an account after a sign-in, and shorter than a device is usually left alone.
const FRESH_AGE = { fallback: 60 * 60, least: 0 };
const MAX_AGE = { fallback: 30 * DAY_S };
const CHECK_AGE: CountBounds = { fallback: 60, least: 0, most: 3600 };
// The list of a user's sessions is one record of a store. In every store, a record can hold 500.
const SESSIONS: CountBounds = { fallback: 100, most: 500 };
// In characters: ten cookies hold no more.
const TOKEN_SIZE: CountBounds = { fallback: 12_000, most: 39_000 };

/** The configuration of sessions, and the limits of their tokens. */
export interface SessionOptions extends Pick<ResolvedConfig["jwt"], "maxAge" | "maxSize"> {
  readonly session: ResolvedConfig["session"];
}

/** Returns how long sessions and their tokens last, how many there may be, and how large. */
export function resolveSession(
  config: Pick<AuthConfig, "jwt" | "session">,
  { hasAdapter, logger, report }: Reporter & Pick<ResolveOptions, "hasAdapter">,
): SessionOptions {
  const given = config.session ?? {};
  const strategy = given.strategy ?? (hasAdapter ? "database" : "jwt");
  const maxAge = readSeconds(given.maxAge, MAX_AGE, "session.maxAge", report);
  const jwtMaxAge = readSeconds(config.jwt?.maxAge, { fallback: maxAge }, "jwt.maxAge", report);
  const lifetime = strategy === "database" ? maxAge : Math.min(maxAge, jwtMaxAge);
  // A session that lasts no longer than the default interval would end while in use.
  const ownUpdateAge = lifetime < 2 * DAY_S ? Math.floor(lifetime / 30) : DAY_S;
  const bounds = { fallback: ownUpdateAge, least: 0 };
  const updateAge = readSeconds(given.updateAge, bounds, "session.updateAge", report);
  if (updateAge >= lifetime) {
    logger.warn("update-age", "`session.updateAge` is too long to extend sessions. Leave it out.");
  }
  const { absoluteMaxAge } = given;
  const absolute = readSeconds(absoluteMaxAge, { fallback: 0 }, "session.absoluteMaxAge", report);
  return {
    maxAge: jwtMaxAge,
    maxSize: readCount(config.jwt?.maxSize, TOKEN_SIZE, "jwt.maxSize", report),
    session: {
      strategy,
      maxAge,
      updateAge,
      ...(absolute && { absoluteMaxAge: absolute }),
      freshAge: readSeconds(given.freshAge, FRESH_AGE, "session.freshAge", report),
      checkAge: readCount(given.checkAge, CHECK_AGE, "session.checkAge", report),
      maxPerUser: readCount(given.maxPerUser, SESSIONS, "session.maxPerUser", report),
      generateSessionToken: given.generateSessionToken ?? randomUUID,
    },
  };
}
