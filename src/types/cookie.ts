/** Attributes of a cookie (RFC 6265bis section 5.6). */
export interface CookieAttributes {
  /** Lifetime in seconds. */
  maxAge?: number;
  /** Absolute expiry; `maxAge` goes before it. */
  expires?: Date;
  /** The host whose sub-domains get the cookie too. Default: this host alone. */
  domain?: string;
  /** Default `/`. */
  path?: string;
  /** Whether scripts of pages cannot read it. Default `true`. */
  httpOnly?: boolean;
  /** Whether it is sent over https alone. Default: whether the public origin is https. */
  secure?: boolean;
  /** Whether a frame has a cookie of its own for each embedding site (CHIPS). */
  partitioned?: boolean;
  /** Which cookies Chromium drops first when a site has too many. */
  priority?: "low" | "medium" | "high";
  /** `true` means `strict`. Default `lax`. */
  sameSite?: boolean | "lax" | "strict" | "none";
}

/** Name and attributes of one cookie; each field that is left out keeps its default. */
export interface CookieOption {
  /** The whole name, with its prefix. */
  name?: string;
  /** The attributes that differ from the defaults. */
  options?: CookieAttributes;
}

/**
 * The purposes of cookies. A plugin with a cookie of its own adds its key by augmentation and registers the
 * cookie with `kernel.addCookie`:
 * `declare module "keyhook/types" { interface CookieKeys { smsCode: true } }`.
 */
export interface CookieKeys {
  /** The session: an encrypted token, or the key of a stored one. */
  sessionToken: true;
  /** Where the visitor is led after the sign-in. */
  callbackUrl: true;
  /** The CSRF token of the browser, with its signature. */
  csrfToken: true;
  /** Binds attempts to sign in to the browser in which they began. */
  browser: true;
  /** A sign-in that a plugin has paused, such as one that waits for a second factor. */
  pendingLogin: true;
}

/** The purpose of a cookie. */
export type CookieKey = Extract<keyof CookieKeys, string>;

/** A registered cookie: its name, and where it differs from the defaults (HttpOnly, SameSite=Lax, Path=/). */
export interface CookieDefaults {
  /** The name without prefix, such as `keyhook.sms-code`. */
  name: string;
  /**
   * Prefix on secure origins (RFC 6265bis section 4.1.3). Default `__Host-`: browsers accept such a cookie from this
   * host alone, so that no sibling host can plant one.
   */
  prefix?: "__Secure-" | "__Host-";
  /** Lifetime in seconds. Default: until the browser is closed. */
  maxAge?: number;
  /**
   * Salts under which the plugin seals other values; boot refuses a cookie of such a name (SECURITY.md R3).
   */
  reservedSalts?: readonly string[];
}

/** The application's overrides of cookies, by purpose. */
export type CookiesOptions = Partial<Record<CookieKey, CookieOption>>;

/** A cookie to be set by the response. */
export interface CookieToSet {
  name: string;
  value: string;
  attributes: CookieAttributes;
}

/** Options of `getCandidates`. */
export interface NamesakesOptions {
  /** Returns whether a value looks like one of the application's; those are tried first. */
  isLikely?(value: string): boolean;
}

/**
 * The cookies of a request and those to be set. A read returns the value that was set earlier in the same
 * request.
 */
export interface Cookies {
  /** Returns the name and the attributes of a registered cookie, with the application's overrides. */
  spec(key: CookieKey): { readonly name: string; readonly attributes: CookieAttributes };
  /** Returns the decoded value; the first one where the browser sent several of the name. */
  get(name: string): string | undefined;
  /** Returns all values that the browser sent under a name and that are not empty, in its order. */
  getAll(name: string): readonly string[];
  /**
   * Returns the values that a cookie may have, whole or joined from `name.0`, `name.1`, ...: a sibling host may
   * have set namesakes of it, or of its parts, that precede the application's (SECURITY.md R8). At most 32.
   */
  getCandidates(name: string, options?: NamesakesOptions): readonly string[];
  /**
   * Returns whether the browser sent several cookies of a name: whole ones, ones of the same part, or both a
   * whole one and parts.
   */
  isRepeated(name: string): boolean;
  /** Returns the names of the cookies that the browser sent, in its order. */
  names(): readonly string[];
  set(name: string, value: string, attributes: CookieAttributes): void;
  /** Sets an empty cookie with `Max-Age=0`. */
  clear(name: string, attributes: CookieAttributes): void;
  /** Returns a value, joined from `name.0`, `name.1`, ... where it was split. */
  getChunked(name: string): string | undefined;
  /**
   * Sets a value, split over several cookies if it is large; clears leftover parts of an earlier value.
   * @throws SessionTooLarge for more than 10 parts.
   */
  setChunked(name: string, value: string, attributes: CookieAttributes): void;
  /** Clears the cookie and the parts of it that the browser sent or that were set, at most 20. */
  clearChunked(name: string, attributes: CookieAttributes): void;
  /** The cookies to be set; the last call per name counts. */
  readonly pending: readonly CookieToSet[];
}
