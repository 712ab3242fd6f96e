import type { Adapter, AdapterSession, AdapterUser } from "./adapter.ts";
import type { EventMessages } from "./events.ts";
import type { Account, Awaitable, JWT, Profile, Session, User } from "./models.ts";

/** Environment variables, or what stands in for them. */
export type Env = Readonly<Record<string, string | undefined>>;

/** Where Keyhook writes what it has to say. Missing levels go to the console. */
export interface Logger {
  error?(error: Error): void;
  /** `code` is stable; `detail` is for people. */
  warn?(code: string, detail?: string): void;
  debug?(message: string, metadata?: unknown): void;
}

/** Look of the built-in pages. */
export interface Theme {
  /** Default `auto`: as the browser prefers. */
  colorScheme?: "auto" | "dark" | "light";
  logo?: string;
  /** A CSS colour. */
  brandColor?: string;
  /** A CSS colour. */
  buttonText?: string;
}

/** Pages of the application that replace the built-in ones: URLs, relative or absolute. */
export interface PagesOptions {
  signIn?: string;
  signOut?: string;
  error?: string;
  verifyRequest?: string;
  /** Where a person goes after the first sign-in. */
  newUser?: string;
}

/** Attributes of a cookie. */
export interface CookieAttributes {
  /** Lifetime in seconds. */
  maxAge?: number;
  expires?: Date;
  domain?: string;
  path?: string;
  httpOnly?: boolean;
  secure?: boolean;
  partitioned?: boolean;
  priority?: "low" | "medium" | "high";
  sameSite?: boolean | "lax" | "strict" | "none";
}

/** Name and attributes of one cookie; what is left out keeps its default. */
export interface CookieOption {
  name?: string;
  options?: CookieAttributes;
}

/** The cookies by purpose. */
export type CookieKey =
  | "sessionToken"
  | "callbackUrl"
  | "csrfToken"
  | "pkceCodeVerifier"
  | "state"
  | "nonce"
  | "webauthnChallenge"
  | "emailCheck";

/** Overrides for any cookie. */
export type CookiesOptions = Partial<Record<CookieKey, CookieOption>>;

/** How sessions are kept. */
export interface SessionOptions {
  /** Default `jwt`; `database` when an adapter is set. Plugins may bring more. */
  strategy?: "jwt" | "database" | (string & {});
  /** Idle lifetime in seconds. Default 2592000 (30 days). */
  maxAge?: number;
  /** Least number of seconds between two extensions. Default 86400; 0 extends at every access. */
  updateAge?: number;
  /** Lifetime in seconds from the sign-in on, however often the session is used. Default: none. */
  absoluteMaxAge?: number;
  /** Makes a stored session's token. Default: a random UUID. */
  generateSessionToken?(): string;
}

/** Parameters of a token's encoder. */
export interface JWTEncodeParams<T extends JWT = JWT> {
  /** The payload. */
  token?: T;
  /** The first of several is used. */
  secret: string | readonly string[];
  /** Binds the key to a purpose: the name of the cookie that carries the token. */
  salt: string;
  /** Lifetime in seconds. Default 2592000. */
  maxAge?: number;
}

/** Parameters of a token's decoder. */
export interface JWTDecodeParams {
  token?: string | undefined;
  /** Tried in order. */
  secret: string | readonly string[];
  salt: string;
}

/** How session tokens are made under the `jwt` strategy. */
export interface JWTOptions {
  /** Default: the configuration's `secret`. */
  secret?: string | readonly string[];
  /** Lifetime in seconds. Default: the session's. */
  maxAge?: number;
  encode?(params: JWTEncodeParams): Awaitable<string>;
  decode?(params: JWTDecodeParams): Awaitable<JWT | null>;
}

/** What the `signIn` callback and hook are told. */
export interface SignInParams {
  user: User | AdapterUser;
  account: Account | null;
  profile?: Profile;
  email?: { verificationRequest?: boolean };
  /** What was posted, for a credentials sign-in. */
  credentials?: Record<string, unknown>;
}

/** Why a token is made or looked at; absent on a read. */
export type JWTTrigger = "signIn" | "signUp" | "update";

/** What the `jwt` callback and hook are told beside the token. */
export interface JWTParams {
  user?: User | AdapterUser;
  account?: Account | null;
  profile?: Profile;
  trigger?: JWTTrigger;
  /** @deprecated `trigger === "signUp"` says it. */
  isNewUser?: boolean;
  /** What the client sent with an update: unverified input. */
  session?: unknown;
}

/** What the `session` callback and hook are told beside the session. */
export interface SessionParams {
  /** Under the `jwt` strategy. */
  token?: JWT;
  /** Under the `database` strategy. */
  user?: AdapterUser;
  /** Under the `database` strategy; its token is for the server alone. */
  stored?: AdapterSession;
  /** What the client sent with an update: unverified input. */
  newSession?: unknown;
  trigger?: "update";
}

/** The application's voice in the hooks. */
export interface CallbacksOptions {
  /** `true` lets in; `false` or a throw refuses; a string redirects there without a session. */
  signIn?(params: SignInParams): Awaitable<boolean | string>;
  /** Answers where to send the visitor. Default: only the own origin. */
  redirect?(params: { url: string; baseUrl: string }): Awaitable<string>;
  /** Shapes the token; `null` ends the session. */
  jwt?(params: { token: JWT } & JWTParams): Awaitable<JWT | null>;
  /** Shapes what the client sees; `null` shows nobody. */
  session?(
    params: { session: Session } & Omit<SessionParams, "stored">,
  ): Awaitable<Session | object | null>;
  /** Guards routes: a truthy answer lets in, a falsy one leads to the sign-in page, a Response is used. */
  authorized?(params: { request: Request; auth: Session | null }): Awaitable<unknown>;
}

/** The application's listeners; they cannot stop anything. */
export type EventsOptions = {
  [N in keyof EventMessages]?: (message: EventMessages[N]) => Awaitable<void>;
};

/** The configuration with every default applied; made once per kernel. */
export interface ResolvedConfig {
  readonly adapter?: Adapter;
  /** With a leading and no trailing slash; empty at the root. */
  readonly basePath: string;
  readonly callbacks: CallbacksOptions;
  readonly cookies: CookiesOptions;
  readonly debug: boolean;
  readonly events: EventsOptions;
  readonly experimental: { readonly enableWebAuthn: boolean };
  readonly jwt: Required<Pick<JWTOptions, "secret" | "maxAge">> &
    Pick<JWTOptions, "encode" | "decode">;
  readonly pages: PagesOptions;
  readonly production: boolean;
  readonly redirectProxyUrl?: string;
  /** Never empty. */
  readonly secret: readonly [string, ...string[]];
  readonly session: Required<Omit<SessionOptions, "strategy" | "absoluteMaxAge">> &
    Pick<SessionOptions, "absoluteMaxAge"> & { readonly strategy: string };
  readonly skipCSRFCheck: boolean;
  readonly theme: Theme;
  readonly trustHost: boolean | readonly string[];
  /** Origin of `AUTH_URL`, when it is set. */
  readonly origin?: string;
  readonly useSecureCookies?: boolean;
}
