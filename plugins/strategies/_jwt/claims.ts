import {
  getVerifiedAt,
  NAMESPACE_CLAIM as NAMESPACE,
  ORIGIN_CLAIM as ORIGIN,
  VERIFIED_CLAIM as VERIFIED,
} from "../../../src/_kit.ts";
import type { AuthContext, JWT, Login, User } from "../../../src/kernel.ts";
import { isDated, now } from "./times.ts";

/** Characters of a field of the profile that is kept in a token. */
export const MAX_FIELD_LENGTH = 2048;

/** The claim with the token of the stored session that a token refers to (strategy `hybrid`). */
export const STORED = "keyhook.stored_session";
/** The claim with when that session was last looked up, in seconds since the epoch. */
export const CHECKED = "keyhook.checked";

/** Returns the claims of a new session. Of a picture as `data:` URL alone there would be no room for the rest. */
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

/** Returns what is known at a sign-in, and stays as long as its session. */
export function describeSignIn(
  { kernel, origin }: AuthContext,
  { user, emailVerified, authTime }: Pick<Login, "user" | "emailVerified" | "authTime">,
): JWT {
  const { storeNamespace } = kernel.config;
  return {
    // A session that starts with the verification of the address must not begin before it; one of an earlier session may.
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
 * Keeps what was known at the sign-in, which a tap that returns a new token must neither remove nor state: data of the
 * client may be in it.
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
 * Keeps whose session it is: a callback that merges the data of `POST /session` into the token lets the client write
 * every claim. The application's own `auth.update` may change it.
 */
export function withOwner(token: JWT, { sub }: JWT): JWT {
  const { sub: _, ...rest } = token;
  return sub === undefined ? rest : { ...rest, sub };
}

/** Returns whose session it is, as far as the token states that. */
export function getOwner({ sub, email }: JWT): unknown {
  return sub ?? email ?? undefined;
}
