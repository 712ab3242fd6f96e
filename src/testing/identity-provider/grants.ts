import type { Profile } from "../../types/models.ts";

/** In seconds: the maximum that RFC 6749 section 4.1.2 recommends. */
const CODE_LIFETIME_S = 600;
/** Number of seconds that access tokens and ID tokens are valid. */
export const TOKEN_LIFETIME_S = 3600;

/** What a user has consented to. */
export interface Grant {
  /** The user's claims, with `sub`. */
  readonly user: Profile;
  /** The parameters of the authorization request. */
  readonly asked: URLSearchParams;
  /** When the user consented, in seconds since the epoch. */
  readonly authTime: number;
}

/** The codes and tokens that an identity provider has issued. */
export interface Grants {
  issueCode(grant: Grant): string;
  /** Returns a code's grant and invalidates the code. */
  takeCode(code: string): Grant | undefined;
  /** Returns the values of a new access token and a new refresh token. */
  newTokens(): { access_token: string; refresh_token: string };
  /** Accepts the tokens that were sent, whatever their values, as those of a grant. */
  accept(sent: { access_token?: unknown; refresh_token?: unknown }, grant: Grant): void;
  getByAccessToken(token: string): Grant | undefined;
  /** Returns a refresh token's grant and invalidates the token. */
  takeRefreshToken(token: string): Grant | undefined;
}

/** Returns the time in seconds since the epoch. */
export function nowInSeconds(): number {
  return Math.floor(Date.now() / 1000);
}

/** Adds the subject, which every user of an identity provider has. */
export function withSubject(user: Profile): Profile {
  const { sub, id, email, name } = user;
  return { ...user, sub: String(sub ?? id ?? email ?? name ?? "1") };
}

function take<V>(map: Map<string, V>, key: string): V | undefined {
  const value = map.get(key);
  map.delete(key);
  return value;
}

/** Creates the codes and tokens of one identity provider. Their values are numbered, for readable tests. */
export function createGrants(): Grants {
  const codes = new Map<string, Grant>();
  const accessTokens = new Map<string, { grant: Grant; expires: number }>();
  const refreshTokens = new Map<string, Grant>();
  let issuedCodes = 0;
  let issuedTokens = 0;
  return {
    issueCode(grant) {
      const code = `code-${++issuedCodes}`;
      codes.set(code, grant);
      return code;
    },
    takeCode(code) {
      const grant = take(codes, code);
      return grant && nowInSeconds() < grant.authTime + CODE_LIFETIME_S ? grant : undefined;
    },
    newTokens() {
      const number = ++issuedTokens;
      return { access_token: `access-token-${number}`, refresh_token: `refresh-token-${number}` };
    },
    accept({ access_token: access, refresh_token: refresh }, grant) {
      const expires = nowInSeconds() + TOKEN_LIFETIME_S;
      if (typeof access === "string") accessTokens.set(access, { grant, expires });
      if (typeof refresh === "string") refreshTokens.set(refresh, grant);
    },
    getByAccessToken(token) {
      const found = accessTokens.get(token);
      return found && nowInSeconds() < found.expires ? found.grant : undefined;
    },
    takeRefreshToken: (token) => take(refreshTokens, token),
  };
}
