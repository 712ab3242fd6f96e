import type { Adapter, AdapterSession, AdapterUser } from "./adapter.ts";
import type { CookiesOptions } from "./cookie.ts";
import type { EventMessages } from "./events.ts";
import type { Account, Awaitable, JWT, Parsed, Profile, Session, User } from "./models.ts";
import type { JWTOptions } from "./token.ts";

/** Environment variables by name. */
export type Env = Readonly<Record<string, string | undefined>>;

/** The destination of Keyhook's log. A level without a method goes to the console. */
export interface Logger {
  /** What failed; its `type` and `cause` say more. Nothing secret is in it. */
  error?(error: Error): void;
  /** `code` is stable; `detail` is a sentence for the developer. */
  warn?(code: string, detail?: string): void;
  /** Without it, debug messages are written only if the configuration sets `debug`. */
  debug?(message: string, metadata?: unknown): void;
}

/** The look of the built-in pages. */
export interface Theme {
  /** Default `auto`: the scheme that the browser prefers. */
  colorScheme?: "auto" | "dark" | "light";
  /** URL of an image: http(s), relative, or `data:image/...`. Default: the host's name as text. */
  logo?: string;
  /** CSS colour of primary buttons, and of links in a readable shade. */
  brandColor?: string;
  /** CSS colour of the text on primary buttons; ignored where its contrast is less than 4.5:1. */
  buttonText?: string;
}

/** Pages of the application that replace the built-in ones: paths that start with `/`, or http(s) URLs. */
export interface PagesOptions {
  /** Gets `callbackUrl`, and `error` and `code` after a failed sign-in. */
  signIn?: string;
  /** Asks whether to sign out; gets `callbackUrl`. */
  signOut?: string;
  /** Gets `error`: the type of an error that no other page shows. */
  error?: string;
  /** Says that a link was mailed; gets `provider` and `type`. */
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
  /** Minimum number of seconds between two extensions. Default 86400; 0 extends at every access. */
  updateAge?: number;
  /** Maximum lifetime in seconds from the sign-in, however often the session is used. Default: no maximum. */
  absoluteMaxAge?: number;
  /**
   * Seconds after a sign-in in which sign-in methods can be added and removed, and other sessions ended; later the
   * user signs in again first (SECURITY.md R22). Default 3600 (1 hour); 0 asks for no further sign-in.
   */
  freshAge?: number;
  /**
   * Seconds after which a session that the server has ended has ended everywhere (`hybrid` strategy): the store is asked
   * that often. 0 to 3600; default 60; 0 asks at every read.
   */
  checkAge?: number;
  /**
   * Stored sessions that a user has at most (`database` and `hybrid` strategies), 1 to 500; a sign-in beyond it ends the oldest.
   * Default 100. Adapters that cannot list sessions have no limit.
   */
  maxPerUser?: number;
  /** Creates the token of a stored session (`database` strategy): at least 16 random characters. Default: a random UUID. */
  generateSessionToken?(): string;
}

/** Parameters of the `signIn` callback and hook. */
export interface SignInParams {
  /** What the provider states about the user, or `authorize` returned. */
  user: User | AdapterUser;
  /**
   * The stored user who would be signed in: found by the account, by the address, or signed in already and
   * linking the account. `null`: a new user would be stored. Absent without an adapter.
   */
  storedUser?: User | AdapterUser | null;
  /** The account that signs in, with its tokens. */
  account: Account | null;
  /** The claims that the provider returned (OAuth and OpenID Connect). */
  profile?: Profile;
  /**
   * Whether the provider states the address of the identity as verified; `undefined` where it says nothing. A
   * list of allowed addresses means little without it.
   */
  emailVerified?: boolean | undefined;
  /** For an e-mail sign-in: `verificationRequest` is `true` before the link is sent. */
  email?: { verificationRequest?: boolean };
  /** The posted fields of a credentials sign-in: unverified input. */
  credentials?: Record<string, unknown>;
}

/** The reason why the `jwt` hook runs; absent when a session is only read. */
export type JWTTrigger = "signIn" | "signUp" | "update";

/**
 * What the `jwt` callback and hook receive at a sign-in, in addition to the token. `account` and `trigger` are there too: they
 * are optional, as in Auth.js, so that a callback that states the types of its parameters, or of some of them, fits.
 */
export interface SignInJWTParams {
  /** The user who signs in. */
  user: User | AdapterUser;
  /** The account that signs in, with its tokens. */
  account?: Account | null;
  /** The claims that the provider returned (OAuth and OpenID Connect). */
  profile?: Profile;
  /** Why the claims are asked for: `signIn` or `signUp`. */
  trigger?: JWTTrigger;
  /** @deprecated use `trigger === "signUp"` */
  isNewUser?: boolean;
  session?: Parsed;
}

/** What the `jwt` callback and hook receive when a session is read or updated, in addition to the token. */
export interface SessionJWTParams {
  user?: never;
  account?: never;
  profile?: never;
  /** `update` when the session is changed by `update()` of the client or the server. */
  trigger?: "update";
  isNewUser?: never;
  /** The data that the client sent with an update: unverified input, which has no type. */
  session?: Parsed;
}

/**
 * Parameters of the `jwt` callback and hook in addition to the token. Where `account` or `trigger: "signIn"` is there, so
 * is `user`.
 */
export type JWTParams = SignInJWTParams | SessionJWTParams;

/** Parameters of the `session` callback and hook in addition to the session. */
export interface SessionParams {
  /** The token's claims, under the strategies `jwt` and `hybrid`. */
  token?: JWT;
  /** The stored user, under the `database` strategy. */
  user?: AdapterUser;
  /** The stored session, under the `database` strategy; its token must not reach the client. */
  stored?: AdapterSession;
  /** The data that the client sent with an update: unverified input. */
  newSession?: unknown;
  /** `update` when the session was changed by `update()` of the client or the server. */
  trigger?: "update";
}

/** The application's own taps of the hooks. */
export interface CallbacksOptions {
  /**
   * Decides whether an identity may sign in: `true` allows it; a string redirects to that URL without a
   * session; anything else, and a throw, refuses it with `AccessDenied`.
   */
  signIn?(params: Omit<SignInParams, "storedUser">): Awaitable<boolean | string>;
  /**
   * Returns the URL to redirect the visitor to. Default: `url` if it has the public origin, else `baseUrl`.
   */
  redirect?(params: { url: string; baseUrl: string }): Awaitable<string>;
  /** Returns the claims of the session token; `null` ends the session. It must not read the session: that calls it again. */
  jwt?(params: { token: JWT } & JWTParams): Awaitable<JWT | null>;
  /**
   * Returns the session that the client receives; `null` reports no session. `token` is there under `jwt` and `hybrid`,
   * and `user` under `database`: types do not know the strategy, and claim both, as those of Auth.js do. It must not read
   * the session (`auth.getSession`): that calls it again.
   */
  session?(
    params: {
      session: Session & { user: NonNullable<Session["user"]> };
      token: JWT;
      user: AdapterUser;
    } & Pick<SessionParams, "newSession" | "trigger">,
  ): Awaitable<Session | object | null>;
  /**
   * Guards a request (`auth.authorize` and `auth.auth(handler)`): a truthy value lets it pass, a falsy one
   * leads to the sign-in page, a Response is sent instead.
   */
  authorized?(params: { request: Request; auth: Session | null }): Awaitable<unknown>;
}

/** The application's listeners by event. They cannot stop or change the operation. */
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
  /** The first one signs and seals, all are accepted. Never empty. */
  readonly secret: readonly [string, ...string[]];
  /** No secret was set, in development: `secret` is random, and what is sealed under it is lost with the process. */
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
  /** Origin of `AUTH_URL`, if that is set. */
  readonly origin?: string;
  readonly useSecureCookies?: boolean;
}
