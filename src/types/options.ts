import type { Adapter, AdapterSession, AdapterUser } from "./adapter.ts";
import type { CookiesOptions } from "./cookie.ts";
import type { EventMessages } from "./events.ts";
import type { Account, Awaitable, JWT, Parsed, Profile, Session, User } from "./models.ts";
import type { JWTOptions } from "./token.ts";

/** Environment variables by name. */
export type Env = Readonly<Record<string, string | undefined>>;

/** The destination of Keyhook's log. A level without a method goes to the console. */
export interface Logger {
  /** Receives an error; its `type` and `cause` say more. It contains no secret. */
  error?(error: Error): void;
  /** Receives a warning: `code` is stable; `detail` is a sentence for the developer. */
  warn?(code: string, detail?: string): void;
  /** Receives debug messages. Without it, they are written only if the configuration sets `debug`. */
  debug?(message: string, metadata?: unknown): void;
}

/** The look of the built-in pages. */
export interface Theme {
  /** Default `auto`: the scheme that the browser prefers. */
  colorScheme?: "auto" | "dark" | "light";
  /** URL of an image: http(s), relative, or `data:image/...`. Default: the host's name as text. */
  logo?: string;
  /** CSS color of primary buttons, and, in a readable shade, of links. */
  brandColor?: string;
  /** CSS color of the text on primary buttons; ignored if its contrast is below 4.5:1. */
  buttonText?: string;
}

/** Pages of the application that replace the built-in ones: paths that start with `/`, or http(s) URLs. */
export interface PagesOptions {
  /** The sign-in page; receives `callbackUrl`, and `error` and `code` after a failed sign-in. */
  signIn?: string;
  /** The page that asks whether to sign out; receives `callbackUrl`. */
  signOut?: string;
  /** The page for errors that no other page shows; receives the type as `error`. */
  error?: string;
  /** The page that says that a link was mailed; receives `provider` and `type`. */
  verifyRequest?: string;
  /** The page that a new user is redirected to after the first sign-in. */
  newUser?: string;
}

/** Options of sessions. */
export interface SessionOptions {
  /** Default `database` when an adapter is set, else `jwt`. Plugins may add more. */
  strategy?: "jwt" | "database" | "hybrid" | (string & {});
  /** Idle lifetime in seconds. Default 2592000 (30 days). */
  maxAge?: number;
  /**
   * Minimum number of seconds between two extensions. Default 86400 (1 day), or a thirtieth of the lifetime if that is
   * shorter than two days; 0 extends at every access.
   */
  updateAge?: number;
  /** Maximum lifetime in seconds since the sign-in, however often the session is used. Default: no maximum. */
  absoluteMaxAge?: number;
  /**
   * Seconds after a sign-in in which the user can add and remove sign-in methods and end other sessions; later, the
   * user must sign in again first (SECURITY.md R22). Default 3600 (1 hour); 0 requires no further sign-in.
   */
  freshAge?: number;
  /**
   * Seconds after which a session that the server ended is rejected everywhere (`hybrid` strategy): how often the
   * store is asked. 0 to 3600, default 60; 0 asks at every read.
   */
  checkAge?: number;
  /**
   * Maximum number of stored sessions per user (`database` and `hybrid` strategies), 1 to 500; a sign-in beyond it
   * ends the oldest. Default 100. Does not apply if the adapter cannot list sessions.
   */
  maxPerUser?: number;
  /** Creates the token of a stored session (`database` strategy): at least 16 random characters. Default: a random UUID. */
  generateSessionToken?(): string;
}

/** Parameters of the `signIn` callback and hook. */
export interface SignInParams {
  /** The user as the provider states it, or as `authorize` returned it. */
  user: User | AdapterUser;
  /**
   * The stored user who would be signed in: found by the account or by the address, or already signed in and linking
   * the account. `null` if a new user would be stored. Absent where no user is looked up: without an adapter, and for
   * credentials unless sessions are stored. A tap that admits known users only refuses `!storedUser`, not `=== null`.
   */
  storedUser?: User | AdapterUser | null;
  /** The account that signs in, with its tokens. */
  account: Account | null;
  /** The claims that the provider returned (OAuth and OpenID Connect). */
  profile?: Profile;
  /**
   * Whether the provider states the address of the identity as verified; `undefined` if it does not say. Check it
   * before comparing the address with a list of allowed ones.
   */
  emailVerified?: boolean | undefined;
  /** For an e-mail sign-in: `verificationRequest` is `true` in the call before the link is sent. */
  email?: { verificationRequest?: boolean };
  /** The posted fields of a credentials sign-in: unverified input. */
  credentials?: Record<string, unknown>;
}

/** The reason why the `jwt` hook runs; absent when a session is only read. */
export type JWTTrigger = "signIn" | "signUp" | "update";

/**
 * What the `jwt` callback and hook receive at a sign-in, in addition to the token. `account` and `trigger` are always
 * present, but optional in the type, as in Auth.js, so that a callback may annotate only some of its parameters.
 */
export interface SignInJWTParams {
  /** The user who signs in. */
  user: User | AdapterUser;
  /** The account that signs in, with its tokens. */
  account?: Account | null;
  /** The claims that the provider returned (OAuth and OpenID Connect). */
  profile?: Profile;
  /** Why the hook runs: `signIn` or `signUp`. */
  trigger?: JWTTrigger;
  /**
   * Whether the address of `user` is verified: by a link, or by the provider of this account or of the user's first
   * one. `undefined` if unknown. Check it before granting anything by the address, such as a role.
   */
  emailVerified?: boolean | undefined;
  /** @deprecated use `trigger === "signUp"` */
  isNewUser?: boolean;
  /** Never present at a sign-in; declared so that a callback may read it without checking `trigger`. */
  session?: Parsed;
}

/** What the `jwt` callback and hook receive when a session is read or updated, in addition to the token. */
export interface SessionJWTParams {
  user?: never;
  account?: never;
  profile?: never;
  /** `update` if the session is being changed by `update()` of the client or the server. */
  trigger?: "update";
  emailVerified?: never;
  isNewUser?: never;
  /** The data that the client sent with an update: unverified input, hence untyped. */
  session?: Parsed;
}

/**
 * Parameters of the `jwt` callback and hook in addition to the token. If `account` or `trigger: "signIn"` is present,
 * so is `user`.
 */
export type JWTParams = SignInJWTParams | SessionJWTParams;

/**
 * Parameters of the `session` callback and hook in addition to the session. The user's id is `user.id`, else `token.sub`,
 * else `session.user.id`, by the strategy.
 */
export interface SessionParams {
  /** The token's claims, under the strategies `jwt` and `hybrid`. */
  token?: JWT;
  /** The stored user, under the `database` strategy. */
  user?: AdapterUser;
  /** The stored session, under the `database` strategy; its token must not reach the client. */
  stored?: AdapterSession;
  /** The data that the client sent with an update: unverified input. */
  newSession?: unknown;
  /** `update` if the session was changed by `update()` of the client or the server. */
  trigger?: "update";
}

/** The application's own taps of the hooks. */
export interface CallbacksOptions {
  /**
   * Decides whether an identity may sign in: `true` allows it; a string redirects to that URL without a session; any
   * other value, or an error, refuses it with `AccessDenied`.
   */
  signIn?(params: Omit<SignInParams, "storedUser">): Awaitable<boolean | string>;
  /**
   * Returns the URL to redirect the visitor to. Default: `url` if it has the public origin, else `baseUrl`.
   */
  redirect?(params: { url: string; baseUrl: string }): Awaitable<string>;
  /**
   * Returns the claims of the session token; `null` ends the session. It must not read the session, which would call
   * it again.
   */
  jwt?(params: { token: JWT } & JWTParams): Awaitable<JWT | null>;
  /**
   * Returns the session that the client receives; `null` reports no session. `token` is present under `jwt` and
   * `hybrid`, `user` under `database`; the type claims both, as in Auth.js, because it does not know the strategy. It
   * must not read the session (`auth.getSession`), which would call it again.
   */
  session?(
    params: {
      session: Session & { user: NonNullable<Session["user"]> };
      token: JWT;
      user: AdapterUser;
    } & Pick<SessionParams, "newSession" | "trigger">,
  ): Awaitable<Session | object | null>;
  /**
   * Guards a request (`auth.authorize` and `auth.auth(handler)`): a truthy value lets it pass, a falsy one redirects
   * to the sign-in page, a Response is sent instead.
   */
  authorized?(params: { request: Request; auth: Session | null }): Awaitable<unknown>;
}

/** The application's listeners, by event. They cannot stop or change the operation. */
export type EventsOptions = {
  [N in keyof EventMessages]?: (message: EventMessages[N]) => Awaitable<void>;
};

/** The configuration with every default applied; created once per kernel. */
export interface ResolvedConfig {
  readonly adapter?: Adapter;
  /** Path with a leading and without a trailing slash; empty at the root. */
  readonly basePath: string;
  readonly callbacks: CallbacksOptions;
  readonly cookies: CookiesOptions;
  readonly debug: boolean;
  readonly events: EventsOptions;
  readonly experimental: { readonly enableWebAuthn: boolean };
  readonly jwt: Required<Pick<JWTOptions, "maxAge" | "maxSize">> &
    Pick<JWTOptions, "bindOrigin" | "encode" | "decode"> & { readonly secret: string | string[] };
  readonly pages: PagesOptions;
  readonly production: boolean;
  readonly redirectProxyUrl?: string;
  /** The first one signs and seals; all are accepted. Never empty. */
  readonly secret: readonly [string, ...string[]];
  /**
   * Whether `secret` is random, because none was set in development: what is sealed under it is lost when the process
   * ends.
   */
  readonly randomSecret: boolean;
  readonly session: Required<Omit<SessionOptions, "strategy" | "absoluteMaxAge">> &
    Pick<SessionOptions, "absoluteMaxAge"> & { readonly strategy: string };
  readonly skipCSRFCheck: boolean;
  /** Seconds. */
  readonly storageTimeout: number;
  readonly storeNamespace?: string;
  readonly theme: Theme;
  readonly trustHost: boolean | readonly string[];
  readonly trustProxy: number | string;
  /** Origin of `AUTH_URL`, if set. */
  readonly origin?: string;
  readonly useSecureCookies?: boolean;
}
