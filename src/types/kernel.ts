import type { Adapter, AdapterAuthenticator, AdapterUser } from "./adapter.ts";
import type { AuthEvents, EventMessages, EventName, SignOutMessage } from "./events.ts";
import type { Account, Awaitable, JWT, Profile, Session, User } from "./models.ts";
import type {
  CookieAttributes,
  CookieKey,
  Env,
  JWTDecodeParams,
  JWTEncodeParams,
  JWTParams,
  Logger,
  ResolvedConfig,
  SessionParams,
  SignInParams,
} from "./options.ts";
import type { Language, Messages, Reading } from "./message.ts";
import type { Block, Page } from "./page.ts";
import type { ProviderBase, ProviderTypes, ResolvedProvider } from "./provider.ts";
import type { Store, StoreBackend, StoreGuarantees, StoreNeeds, StoreSetting } from "./store.ts";

// --- hooks -------------------------------------------------------------------------------------

/** Places in a hook's line; lower speaks earlier. */
export type Stage = "first" | "early" | "normal" | "late" | "last" | number;

/** How a tap is registered. */
export interface TapOptions {
  name: string;
  /** Default `normal` (0). */
  stage?: Stage;
  /** Names of taps that must come after this one. */
  before?: string | readonly string[];
}

/** A registered tap, as interceptors and `inspect()` see it. */
export interface TapInfo {
  readonly name: string;
  readonly stage: number;
  /** Plugin that registered it. */
  readonly plugin: string;
}

/** A watcher of a hook; it cannot change the outcome. */
export interface HookInterceptor<Args extends unknown[]> {
  /** Before the taps run. */
  call?(...args: Args): void;
  /** Before each tap. */
  tap?(tap: TapInfo): void;
  /** A tap threw. */
  error?(error: Error): void;
}

/** A decision point (tapable). Taps may be synchronous or not; `undefined` means no opinion. */
export interface Hook<Args extends unknown[], Answer> {
  tap(
    options: string | TapOptions,
    fn: (...args: Args) => Awaitable<Answer | undefined | void>,
  ): void;
  intercept(interceptor: HookInterceptor<Args>): void;
  isUsed(): boolean;
}

/** Hooks by key, made when first asked for. */
export interface HookMap<Args extends unknown[], Answer> {
  for(key: string): Hook<Args, Answer>;
}

/** The hook table. A plugin taps these; the kernel asks them. */
export interface AuthHooks {
  /** Last checks at boot; throw to report a fault. Synchronous. */
  readonly ready: Hook<[kernel: Kernel], void>;
  /** Before the route: a Response stops here. */
  readonly request: Hook<[ctx: AuthContext], Response>;
  /** May this person come in? `false` refuses, a string redirects; deny wins over redirect. */
  readonly signIn: Hook<[params: SignInParams, ctx: AuthContext], boolean | string>;
  /** Where to? */
  readonly redirect: Hook<[params: { url: string; baseUrl: string }, ctx: AuthContext], string>;
  /** Shapes the token; `null` ends the session. */
  readonly jwt: Hook<[token: JWT, params: JWTParams, ctx: AuthContext], JWT | null>;
  /** Shapes what the client sees; `null` shows nobody. */
  readonly session: Hook<
    [session: Session, params: SessionParams, ctx: AuthContext],
    Session | null
  >;
  /** May this request pass? `false` or a Response stops it. */
  readonly authorized: Hook<
    [params: { request: Request; auth: Session | null }, ctx: AuthContext],
    false | Response
  >;
  /** The tag of the visitor's language; when nobody answers, the browser's `Accept-Language` does. */
  readonly locale: Hook<[ctx: AuthContext], string>;
  /** Shapes a built-in page by its name; every page under the name `*`. */
  readonly page: HookMap<[page: Page, ctx: AuthContext], Page>;
  /** Shapes every response, also after an error. */
  readonly response: Hook<[response: Response, ctx: AuthContext], Response>;
  /** Answers an error with something else than the default page, redirect or JSON. */
  readonly error: Hook<[error: Error, ctx: AuthContext], Response>;
}

// --- a request ---------------------------------------------------------------------------------

/** A cookie to set. */
export interface CookieToSet {
  name: string;
  value: string;
  attributes: CookieAttributes;
}

/** The request's cookies and those to be set. What is set is seen by later reads of the same request. */
export interface Cookies {
  /** Name and attributes in force for a purpose. */
  spec(key: CookieKey): { readonly name: string; readonly attributes: CookieAttributes };
  get(name: string): string | undefined;
  /** All values the browser sent under a name, 5 at most: another host of the site may have put one
   * in front of ours. */
  getAll(name: string): readonly string[];
  /** Names the browser sent, in its order. */
  names(): readonly string[];
  set(name: string, value: string, attributes: CookieAttributes): void;
  /** Sets a cookie's life to zero. */
  clear(name: string, attributes: CookieAttributes): void;
  /** Puts together a value split over `name.0`, `name.1`, ... */
  getChunked(name: string): string | undefined;
  /** Splits a large value; clears the parts left from before. Throws `SessionTooLarge` beyond 10. */
  setChunked(name: string, value: string, attributes: CookieAttributes): void;
  /** Clears the value and all its parts that the browser sent. */
  clearChunked(name: string, attributes: CookieAttributes): void;
  /** The cookies to be set, last word per name. */
  readonly pending: readonly CookieToSet[];
}

/** A request's body: posted fields, or JSON. */
export type Body = Record<string, unknown>;

/** One request: made once, handed on; the only state a request has. */
export interface AuthContext {
  readonly kernel: Kernel;
  readonly request: Request;
  /** The request's URL on the public origin. */
  readonly url: URL;
  /** Public origin. */
  readonly origin: string;
  /** Origin and base path: what the routes' URLs start with. */
  readonly base: string;
  /** First path segment below the base path. */
  readonly action: string;
  /** The provider named by the path. */
  readonly provider?: ResolvedProvider<ProviderBase>;
  readonly cookies: Cookies;
  /** Aborted when the request's time is up. */
  readonly signal: AbortSignal;
  /** Unguessable value of this response's content security policy. */
  readonly nonce: string;
  /** The posted fields (at most 64 kB), read once. Throws `BadRequest`. */
  body(): Awaitable<Body>;
  /** The CSRF token of this browser, made and set when there is none. */
  csrfToken(): Awaitable<string | undefined>;
  /** Where the visitor goes in the end: given, remembered, or the origin; passed through `redirect`. */
  callbackUrl(): Awaitable<string>;
  /** A URL that the `redirect` hook or the same-origin rule lets through. */
  safeRedirect(url: string): Awaitable<string>;
  json(value: unknown, init?: { status?: number; headers?: Record<string, string> }): Response;
  /** 302, or JSON for clients that ask for it. */
  redirect(url: string): Response;
  /** Tags of the languages the visitor reads, best first. */
  languages(): Awaitable<readonly string[]>;
  /** The texts in the visitor's language. */
  reading(): Awaitable<Reading>;
  /** A built-in page, through its hook. */
  page(page: Page): Awaitable<Response>;
}

/** A request at a flow's door: its provider is known. */
export interface FlowContext<P extends ProviderBase = ProviderBase> extends AuthContext {
  readonly provider: ResolvedProvider<P>;
}

// --- sign-in -----------------------------------------------------------------------------------

/** Who somebody proved to be; not let in yet. */
export interface Identity {
  user: User;
  account: Account;
  profile?: Profile;
  /** What was posted, for a credentials sign-in. */
  credentials?: Record<string, unknown>;
  /** Whether the identity provider vouches for the address. */
  emailVerified?: boolean;
  /** The part of the token set that is stored with the account. */
  storedTokens?: Partial<Account>;
  /** Overrides the browser's remembered target. */
  callbackUrl?: string;
  /** Whom this browser asked to link the account to, when the attempt began (`linkTarget`). */
  linkTo?: string;
  /**
   * What the account has to be: `known`, so that nobody is made or linked, or `new`, so that nobody
   * gets in by one that is there. Default: either.
   */
  expects?: "known" | "new";
  /** Id of the user, if one is made. Default: a random UUID. */
  newUserId?: string;
  /** The passkey that the account stands for: stored with it, both or neither. */
  authenticator?: Omit<AdapterAuthenticator, "userId">;
}

/** Somebody let in: linked and stored, where there is a store. */
export interface Login {
  user: User | AdapterUser;
  account: Account;
  profile?: Profile;
  isNewUser?: boolean;
}

// --- contracts ---------------------------------------------------------------------------------

/** How a stored user is found for an identity. */
export type LinkRule = "account" | "email" | "none";

/** What a provider type can do. */
export interface Flow<P extends ProviderBase = ProviderBase> {
  /** At boot: applies defaults and environment; throws `ConfigError` to report a fault. */
  resolve?(provider: P, kernel: Kernel): P;
  /** `POST /signin/:provider`. Without it, the visitor is led to the sign-in page. */
  start?(ctx: FlowContext<P>): Awaitable<Response | Identity>;
  /** `GET` or `POST /callback/:provider`. */
  finish?(ctx: FlowContext<P>): Awaitable<Response | Identity>;
  /** The user is stored, the session not yet made. */
  linked?(ctx: FlowContext<P>, login: Login): Awaitable<void>;
  /** Methods of `/callback/:provider`. Default both. */
  methods?: readonly ("GET" | "POST")[];
  /** Default `account`. */
  links?: LinkRule;
  /** `false`: the POST to the callback comes from another site, other checks protect it. */
  csrf?: boolean;
  /** Whether a server-side `signIn` posts the fields to the callback instead of the sign-in route. */
  direct?: boolean;
  /** Its block on the sign-in page, in the visitor's language. */
  form?(provider: ResolvedProvider<P>, ctx: AuthContext, reading: Reading): Block | undefined;
}

/** How sessions are kept. */
export interface Strategy {
  /** Makes a session that nobody has yet. Answers what gives it to the browser, in place of the old. */
  create(ctx: AuthContext, login: Login): Awaitable<() => Awaitable<void>>;
  /** The session, extended when due; `null` when there is none. Throws when that cannot be known. */
  read(ctx: AuthContext): Awaitable<Session | null>;
  update(ctx: AuthContext, data: unknown): Awaitable<Session | null>;
  /** Who is signed in, for linking: never an expired session's user. */
  current(ctx: AuthContext): Awaitable<User | null>;
  /** Ends the session; `undefined` when there was none. */
  destroy(ctx: AuthContext): Awaitable<SignOutMessage | undefined>;
}

/** Method, path and handler. `path` has static segments and at most one trailing `:provider`. */
export interface Route {
  method: "GET" | "POST";
  path: string;
  /** `false`: this POST needs no CSRF token; `flow`: the provider's flow says. */
  csrf?: false | "flow";
  /** Its errors are answered as JSON, never by a redirect. */
  json?: true;
  /** Lets this route stand in for another plugin's. */
  replaces?: true;
  handler(ctx: AuthContext): Awaitable<Response>;
}

/** A voice in the house: pure, synchronous registration. */
export interface Plugin {
  readonly name: string;
  /** Names, or provided capabilities, that must be there; they are set up earlier. */
  readonly requires?: readonly string[];
  /** Capabilities it brings. Two plugins may not bring the same. */
  readonly provides?: readonly string[];
  /** Names or capabilities that must not be there. */
  readonly conflicts?: readonly string[];
  setup(kernel: Kernel): void;
}

/** What plugins see at boot. One per configuration, frozen at the first request. */
export interface Kernel {
  readonly config: ResolvedConfig;
  readonly env: Env;
  readonly logger: Required<Logger>;
  readonly hooks: AuthHooks;
  readonly events: AuthEvents;
  /** The registered providers by id, in order. */
  readonly providers: ReadonlyMap<string, ProviderBase>;
  readonly adapter: Adapter | undefined;
  /** Two of one id are a fault. */
  addProvider<P extends ProviderBase>(provider: P): void;
  addFlow<T extends Extract<keyof ProviderTypes, string>>(
    type: T,
    flow: Flow<ProviderTypes[T]>,
  ): void;
  addStrategy(name: string, strategy: Strategy): void;
  /** The same method and path twice is a fault, unless `replaces` says so. */
  addRoute(route: Route): void;
  setAdapter(adapter: Adapter): void;
  /** A plugin's texts in a language, over those there are; English ones are the fallback. */
  addMessages(tag: string, messages: Messages): void;
  /** Offers a language to visitors, with its texts. */
  addLanguage(language: Language): void;
  /** Tags of the languages that can be read, English first. */
  readonly languages: readonly string[];
  /** The texts in the first of the languages that is offered, or in English. */
  reading(wanted: readonly string[]): Reading;
  /** Where the plugins' records lie. Two are a fault, a fallback beside one is not. */
  setStore(backend: StoreBackend, setting?: StoreSetting): void;
  /**
   * A plugin's own shelf; the namespace is lower-case words with hyphens. At boot, needs that the
   * backend cannot meet are reported by the names of plugin and driver. The backend may be set by a
   * later plugin: it is looked up at each call.
   */
  store<T>(namespace: string, needs?: StoreNeeds): Store<T>;
  /** Who sees the records of the store in force; `undefined` where there is none. Final at `ready`. */
  readonly storeScope: StoreGuarantees["scope"] | undefined;
  /** The flow of a provider type. Throws `InvalidProvider`. */
  flow(type: string): Flow;
  /** The strategy in force. */
  readonly strategy: Strategy;
  /** The route of a method and path. */
  route(method: string, path: string): Route | undefined;
  /** Token codec with the kernel's caches. */
  readonly tokens: Tokens;
  /** Announces; never rejects. */
  emit<N extends EventName>(name: N, message: EventMessages[N]): Awaitable<void>;
}

/** A token that was read: its claims, and the very JSON text they were read from. */
export interface ReadToken {
  payload: JWT;
  json: string;
}

/**
 * Makes and reads the encrypted tokens of session and check cookies, byte-compatible with Auth.js
 * v5. Answers are values, and faults are thrown, at once where the platform's crypto is synchronous.
 */
export interface Tokens {
  /** Seals a payload under the first secret; `iat`, `exp` and `jti` are always its own. */
  encode(params: JWTEncodeParams): Awaitable<string>;
  /** The claims of a token, `null` without one; throws for one that is foreign, broken or expired. */
  decode(params: JWTDecodeParams): Awaitable<JWT | null>;
  /** As `decode`, with the JSON text beside the claims, to tell later whether they were changed. */
  read(params: JWTDecodeParams): Awaitable<ReadToken | null>;
}
