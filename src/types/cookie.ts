/** Attributes of a cookie (RFC 6265bis section 5.6). */
export interface CookieAttributes {
  /** Lifetime in seconds. */
  maxAge?: number;
  /** Absolute expiry; `maxAge` takes precedence. */
  expires?: Date;
  /** The domain whose subdomains receive the cookie too. Default: this host only. */
  domain?: string;
  /** Default `/`. */
  path?: string;
  /** Whether the cookie is hidden from scripts of pages. Default `true`. */
  httpOnly?: boolean;
  /** Whether the cookie is sent over https only. Default: whether the public origin is https. */
  secure?: boolean;
  /** Whether the cookie is partitioned by the top-level site when embedded (CHIPS). */
  partitioned?: boolean;
  /** Which cookies Chromium evicts first when a site has too many. */
  priority?: "low" | "medium" | "high";
  /** `true` means `strict`. Default `lax`. */
  sameSite?: boolean | "lax" | "strict" | "none";
}

/** Name and attributes of one cookie; omitted fields keep their defaults. */
export interface CookieOption {
  /** The full name, including any prefix. */
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
  /** The session: an encrypted token, or the token of a stored session. */
  sessionToken: true;
  /** Where to redirect the visitor after the sign-in. */
  callbackUrl: true;
  /** The CSRF token of the browser, with its signature. */
  csrfToken: true;
  /** Binds sign-in attempts to the browser in which they began. */
  browser: true;
  /** A sign-in that a plugin has paused, such as one that waits for a second factor. */
  pendingLogin: true;
}

/** The purpose of a cookie. */
export type CookieKey = Extract<keyof CookieKeys, string>;

/** A registered cookie: its name, and what differs from the defaults (HttpOnly, SameSite=Lax, Path=/). */
export interface CookieDefaults {
  /** The name without a prefix, such as `keyhook.sms-code`. */
  name: string;
  /**
   * Prefix on secure origins (RFC 6265bis section 4.1.3). Default `__Host-`: browsers accept such a cookie from this
   * host only, so no sibling host can plant one.
   */
  prefix?: "__Secure-" | "__Host-";
  /** Lifetime in seconds. Default: until the browser is closed. */
  maxAge?: number;
  /**
   * Salts under which the plugin seals other values; boot refuses cookies with these names, because the name is the
   * salt of a cookie's key (SECURITY.md R3).
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
export interface CandidateOptions {
  /** Returns whether a value looks like one of the application's; such values are tried first. */
  isLikely?(value: string): boolean;
}

/** The cookies of a request and those to be set. A read returns a value that was set earlier in the same request. */
export interface Cookies {
  /** Returns the name and the attributes of a registered cookie, with the application's overrides. */
  spec(key: CookieKey): { readonly name: string; readonly attributes: CookieAttributes };
  /** Returns the decoded value; the first one if the browser sent several of that name. */
  get(name: string): string | undefined;
  /** Returns all non-empty values that the browser sent under a name, in its order. */
  getAll(name: string): readonly string[];
  /**
   * Returns every value that a cookie may have, whole or joined from `name.0`, `name.1`, ...; at most 32. A sibling
   * host may have set cookies of the same name, or of its parts, that come before the application's (SECURITY.md R8).
   */
  getCandidates(name: string, options?: CandidateOptions): readonly string[];
  /**
   * Returns whether the browser sent several cookies of a name: more than one whole cookie, the same part twice, or
   * both a whole cookie and parts.
   */
  isRepeated(name: string): boolean;
  /** Returns the names of the cookies that the browser sent, in its order. */
  names(): readonly string[];
  set(name: string, value: string, attributes: CookieAttributes): void;
  /** Sets an empty cookie with `Max-Age=0`. */
  clear(name: string, attributes: CookieAttributes): void;
  /** Returns a value, joined from `name.0`, `name.1`, ... if it was split. */
  getChunked(name: string): string | undefined;
  /**
   * Sets a value, split over several cookies if it is large, and clears leftover parts of an earlier value.
   * @throws SessionTooLarge for more than 10 parts.
   */
  setChunked(name: string, value: string, attributes: CookieAttributes): void;
  /** Clears the cookie and its parts, `name.0` to `name.9`, as far as the browser sent them or they were set. */
  clearChunked(name: string, attributes: CookieAttributes): void;
  /** The cookies to be set; the last call for a name wins. */
  readonly pending: readonly CookieToSet[];
}
