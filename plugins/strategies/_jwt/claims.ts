import {
  getVerifiedAt,
  NAMESPACE_CLAIM as NAMESPACE,
  ORIGIN_CLAIM as ORIGIN,
  VERIFIED_CLAIM as VERIFIED,
} from "../../../src/_kit.ts";
import type { AuthContext, JWT, Login, User } from "../../../src/kernel.ts";
import { isDated, now } from "./times.ts";

/** Maximum length of a profile field in a token. */
export const MAX_FIELD_LENGTH = 2048;

/** The claim with the token of the stored session to which a token refers (strategy `hybrid`). */
export const STORED = "keyhook.stored_session";
/** The claim with the time of that session's last look-up, in seconds since the epoch. */
export const CHECKED = "keyhook.checked";

/**
 * Returns the claims of a new session. Long fields are left out: a picture as a `data:` URL would leave no room for the
 * rest.
 */
export function toClaims(
  { name, email, image, id }: User,
  reportLongField: (name: string) => void,
): JWT {
  const claims: JWT = {};
  for (const [claim, value] of Object.entries({ name, email, picture: image })) {
    if (value === undefined) continue;
    if (typeof value === "string" && value.length > MAX_FIELD_LENGTH) reportLongField(claim);
    else claims[claim] = value;
  }
  if (id !== undefined) claims.sub = String(id);
  return claims;
}

/** Returns the claims that are known at a sign-in and stay as long as its session. */
export function describeSignIn(
  { kernel, origin }: AuthContext,
  { user, emailVerified, authTime }: Pick<Login, "user" | "emailVerified" | "authTime">,
): JWT {
  const { storeNamespace } = kernel.config;
  return {
    // A session that starts with the verification of the address must not begin before it. A session that continues an
    // earlier one may.
    ...(isDated(kernel) && {
      auth_time: Math.floor(authTime ?? Math.max(now(), getVerifiedAt(user))),
    }),
    ...(kernel.adapter &&
      emailVerified !== undefined && { [VERIFIED]: emailVerified && (user.email ?? true) }),
    ...(kernel.config.jwt.bindOrigin && { [ORIGIN]: origin }),
    ...(storeNamespace !== undefined && { [NAMESPACE]: storeNamespace }),
  };
}

const SIGN_IN_CLAIMS = ["auth_time", VERIFIED, ORIGIN, NAMESPACE, STORED, CHECKED];

/**
 * Keeps the claims of the sign-in. A tap that returns a new token must neither remove nor set them, since that token
 * may contain client data.
 */
export function withSignIn(claims: JWT, known: JWT): JWT {
  const { auth_time: began, [VERIFIED]: verified, [STORED]: stored } = known;
  const { [ORIGIN]: origin, [NAMESPACE]: namespace } = known;
  const rest = { ...claims };
  for (const name of SIGN_IN_CLAIMS) delete rest[name];
  return {
    ...rest,
    // The stored session has the same user.
    ...(typeof stored === "string" && {
      sub: known.sub,
      [STORED]: stored,
      [CHECKED]: known[CHECKED],
    }),
    ...(typeof began === "number" && { auth_time: began }),
    ...(verified !== undefined && { [VERIFIED]: verified }),
    ...(typeof origin === "string" && { [ORIGIN]: origin }),
    ...(typeof namespace === "string" && { [NAMESPACE]: namespace }),
  };
}

/**
 * Keeps the session's owner. A callback that merges the data of `POST /session` into the token lets the client write
 * every claim. The application's own `auth.update` may change the owner.
 */
export function withOwner(token: JWT, { sub }: JWT): JWT {
  const { sub: _, ...rest } = token;
  return sub === undefined ? rest : { ...rest, sub };
}

/** Returns the owner of a session, if the token names one. */
export function getOwner({ sub, email }: JWT): unknown {
  return sub ?? email ?? undefined;
}
