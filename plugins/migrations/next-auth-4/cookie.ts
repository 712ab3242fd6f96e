import type { AuthContext, BoundedCache, JWT } from "../../../src/kernel.ts";

/** The names that next-auth 4 gives its session cookie, on http and on https. */
export const OLD_NAMES: readonly string[] = [
  "next-auth.session-token",
  "__Secure-next-auth.session-token",
];

/** The claim with the hash of the token of next-auth 4 that a session began with: a sign-out is noted under it. */
export const OLD_TOKEN = "keyhook.next_auth_4";

/** Returns the hash of the token that a session began with; the empty text if it was none of next-auth 4. */
export function getOldToken(token: JWT | null | undefined): string {
  const hash = token?.[OLD_TOKEN];
  return typeof hash === "string" ? hash : "";
}

/** What is known of sessions of next-auth 4. */
export interface OldSessions {
  /** The purpose of their cookie: `sessionToken` where it has the name of Keyhook's own. */
  readonly key: "nextAuth4" | "sessionToken";
  /** Hashes of tokens whose session was signed out of a moment ago. */
  readonly ended: BoundedCache<true>;
  /** Requests that have sent the cookie. */
  readonly senders: WeakSet<AuthContext>;
}

// All have the same header, `{"alg":"dir","enc":"A256GCM"}`, and no encrypted key.
const TOKEN_START = "eyJhbGciOiJkaXIiLCJlbmMiOiJBMjU2R0NNIn0..";

/** Returns whether a text is a session token of next-auth 4, as far as can be seen without its key. */
export const isOldToken = (text: string): boolean => text.startsWith(TOKEN_START);

/** Returns whether a request has a session cookie of next-auth 4. */
export function hasOldCookie({ cookies }: AuthContext, key: OldSessions["key"]): boolean {
  const { name } = cookies.spec(key);
  if (key === "nextAuth4") return cookies.getChunked(name) !== undefined;
  return cookies.getCandidates(name).some(isOldToken);
}
