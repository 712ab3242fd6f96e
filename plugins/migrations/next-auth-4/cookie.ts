import type { AuthContext, BoundedCache, JWT } from "../../../src/kernel.ts";

/** The names that next-auth 4 gives its session cookie, on http and on https. */
export const OLD_NAMES: readonly string[] = [
  "next-auth.session-token",
  "__Secure-next-auth.session-token",
];

/**
 * The claim with the hash of the next-auth 4 token with which a session began. A sign-out is recorded under this hash.
 */
export const OLD_TOKEN = "keyhook.next_auth_4";

/**
 * Returns the hash of the token with which a session began, or an empty string if it was not a token of next-auth 4.
 */
export function getOldToken(token: JWT | null | undefined): string {
  const hash = token?.[OLD_TOKEN];
  return typeof hash === "string" ? hash : "";
}

/** What is known of sessions of next-auth 4. */
export interface OldSessions {
  /** The purpose of their cookie: `sessionToken` if it has the name of Keyhook's own cookie. */
  readonly key: "nextAuth4" | "sessionToken";
  /** Hashes of tokens whose session was recently signed out. */
  readonly ended: BoundedCache<true>;
  /** Requests that have sent the cookie. */
  readonly senders: WeakSet<AuthContext>;
}

// All tokens have the same header, `{"alg":"dir","enc":"A256GCM"}`, and no encrypted key.
const TOKEN_START = "eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..";

/** Returns whether a text looks like a session token of next-auth 4. This is checked without its key. */
export const isOldToken = (text: string): boolean => text.startsWith(TOKEN_START);

/** Returns whether a request has a session cookie of next-auth 4. */
export function hasOldCookie({ cookies }: AuthContext, key: OldSessions["key"]): boolean {
  const { name } = cookies.spec(key);
  if (key === "nextAuth4") return cookies.getChunked(name) !== undefined;
  return cookies.getCandidates(name).some(isOldToken);
}
