import type { Adapter } from "./adapter.ts";
import type { CreateCache } from "./cache.ts";
import type { CookieDefaults, CookieKey, Cookies, CookieToSet } from "./cookie.ts";
import type { EventMessages, EventName, ListenerOptions, SignOutMessage } from "./events.ts";
import type { AroundHook, Hook, HookResult, HookInterceptor, HookKind, HookMap } from "./hook.ts";
import type { Inspection } from "./inspection.ts";
import type { AddedTexts, Language, Messages, Translator } from "./message.ts";
import type { Awaitable, JWT, Session, User } from "./models.ts";
import type {
  Env,
  JWTParams,
  Logger,
  ResolvedConfig,
  SessionParams,
  SignInParams,
} from "./options.ts";
import type { Block, Page } from "./page.ts";
import type { ProviderBase, ProviderTypes, ResolvedProvider } from "./provider.ts";
import type { ErrorFacts, ErrorPageOptions, PublicError } from "./public-error.ts";
import type { RouteLimit } from "./rate-limit.ts";
import type { CurrentSession } from "./session.ts";
import type { Identity, LinkRule, Login } from "./sign-in.ts";
import type {
  SetStoreOptions,
  Store,
  StoreBackend,
  StoreGuarantees,
  StoreRequirements,
} from "./store.ts";
import type { Tokens } from "./token.ts";

// One file, since these types refer to one another: modules have no circular imports.

// --- hooks -------------------------------------------------------------------------------------

/**
 * The hooks of a kernel: plugins tap them, the kernel calls them. A plugin offers one of its own by
 * augmentation and `kernel.addHook`.
 */
export interface AuthHooks {
  /** Runs the last checks at boot; a tap that throws reports a fault. Taps must be synchronous. */
  readonly ready: Hook<[kernel: Kernel], void>;
  /** Runs around every request and every server-side call; taps cannot change the outcome. */
  readonly around: AroundHook<[ctx: AuthContext]>;
  /** Runs before the route, after the CSRF check; a Response is sent instead of the route's. */
  readonly request: Hook<[ctx: AuthContext], Response>;
  /** Returns who sent credentials of the request itself, such as an API key, in place of the session; `null`: no one. */
  readonly authenticate: Hook<[ctx: AuthContext], CurrentSession | null>;
  /** Decides whether a user may sign in: `false` refuses, a string redirects; a refusal wins. */
  readonly signIn: Hook<[params: SignInParams, ctx: AuthContext], boolean | string>;
  /** Runs when the user is known, before the session; a URL or a Response pauses until `resumeLogin`. */
  readonly login: Hook<[login: Login, ctx: AuthContext], string | Response>;
  /** Returns the URL to redirect the visitor to; without a value, only the public origin is allowed. */
  readonly redirect: Hook<[params: { url: string; baseUrl: string }, ctx: AuthContext], string>;
  /** Changes the claims of the session token; `null` ends the session. */
  readonly jwt: Hook<[token: JWT, params: JWTParams, ctx: AuthContext], JWT | null>;
  /** Changes the session that the client receives; `null` reports no session. */
  readonly session: Hook<
    [session: Session, params: SessionParams, ctx: AuthContext],
    Session | null
  >;
  /** Guards requests of the application: `false` leads to the sign-in page, a Response is sent instead. */
  readonly authorized: Hook<
    [params: { request: Request; auth: Session | null }, ctx: AuthContext],
    false | Response
  >;
  /** Returns the tag of the visitor's language (BCP 47); without a value, `Accept-Language` decides. */
  readonly locale: Hook<[ctx: AuthContext], string>;
  /** Changes the built-in page of that name; `*` is called for every page, after the page's own hook. */
  readonly page: HookMap<[page: Page, ctx: AuthContext], Page>;
  /** Changes every response, also after an error. */
  readonly response: Hook<[response: Response, ctx: AuthContext], Response>;
  /** Returns the Response to an error instead of the default page, redirect or JSON. */
  readonly error: Hook<[error: Error, ctx: AuthContext], Response>;
}

// --- events ------------------------------------------------------------------------------------

/** What a listener receives besides the message. */
export interface EventInfo<N extends EventName = EventName> {
  readonly name: N;
  /** The request or server-side call that the event belongs to, if there is one. */
  readonly ctx: AuthContext | undefined;
}

/** The events (hookable). */
export interface AuthEvents {
  /**
   * Registers a listener of an event, or with `*` of every event; returns the function that removes it.
   * Listeners are called synchronously, with a frozen copy of the message. A request waits for those that return a
   * promise at most 1 s, for all its events together; then they go on in the background, for at most 5 s in all.
   */
  hook<N extends EventName>(
    name: N,
    listener: (message: EventMessages[N], info: EventInfo<N>) => Awaitable<void>,
    options?: ListenerOptions,
  ): () => void;
  hook(
    name: "*",
    listener: (message: EventMessages[EventName], info: EventInfo) => Awaitable<void>,
    options?: ListenerOptions,
  ): () => void;
}

// --- a request ---------------------------------------------------------------------------------

/**
 * What a context was created for: a request below the base path, or a server-side call of an Auth; `call` is one of a
 * function that a plugin has added.
 */
export type Operation =
  | "request"
  | "getSession"
  | "authorize"
  | "signIn"
  | "signOut"
  | "update"
  | "csrfToken"
  | "verifyCsrfToken"
  | "call";

/** The body of a request: posted fields, or a JSON object. */
export type Body = Record<string, unknown>;

/** The log of a request. What the request sent (cookies, codes, posted fields) is left out of its errors. */
export type RequestLog = Pick<Required<Logger>, "error" | "warn" | "debug">;

/** The context of one request: created once and passed on; it holds all state of the request. */
export interface AuthContext {
  readonly kernel: Kernel;
  readonly operation: Operation;
  readonly request: Request;
  /** The request's URL on the public origin. */
  readonly url: URL;
  /** Public origin. */
  readonly origin: string;
  /** Public origin and base path: the prefix of the routes' URLs. */
  readonly base: string;
  /** First path segment below the base path. */
  readonly action: string;
  /** The log for what concerns this request. */
  readonly log: RequestLog;
  /**
   * Writes a step as a debug line, with the request's number, the action, the provider and the milliseconds since the
   * request began. `facts` say what was decided and why; nothing secret belongs there, and neither does an address.
   * `undefined` where no debug lines are written: the arguments of `ctx.debug?.()` are not computed then.
   * @example ctx.debug?.("the code was wrong", { attempts });
   */
  readonly debug: ((step: string, facts?: Readonly<Record<string, unknown>>) => void) | undefined;
  /** The route of the request's method and path; `undefined` where there is none. */
  readonly route: RegisteredRoute | undefined;
  /** The provider that the path names. */
  readonly provider?: ResolvedProvider<ProviderBase>;
  /**
   * The parameters of the route's path by name, percent-decoded once: `id` for `/org/:id`. They are input of
   * the client, and may contain any character.
   */
  readonly params: Readonly<Record<string, string>>;
  /**
   * IP address of the client in its normal form, an IPv4 address never as IPv6; `undefined` when it is not
   * known. It is the address of the connection, or what the proxies state with `trustProxy`.
   */
  readonly ip: string | undefined;
  readonly cookies: Cookies;
  /**
   * Aborted when the client disconnects, and after the request's time limit of 10 s; no more once there is a
   * response. Work that outlives it needs a limit of its own.
   */
  readonly signal: AbortSignal;
  /** Nonce of this response's content security policy: 16 random bytes in base64url. */
  readonly nonce: string;
  /**
   * Returns the session of this request's browser, extended when due; `null` without one. It is read once per
   * request, and again after a sign-in, an update or a sign-out.
   * @throws AuthError when it could not be read (SECURITY.md R7).
   */
  session(): Awaitable<CurrentSession | null>;
  /**
   * Resolves to the session, which has the user's id.
   * @throws SessionRequired without a session; MissingUserId when the session does not state whose it is.
   */
  requireSession(): Promise<CurrentSession>;
  /**
   * Resolves to the session of a user who has signed in within `session.freshAge`. Routes that add or remove a sign-in
   * method, or end other sessions, call it, or set `auth: "fresh"`.
   * @throws FreshSessionRequired for an older one; SessionRequired and MissingUserId as `requireSession`.
   */
  requireFreshSession(): Promise<CurrentSession>;
  /**
   * Returns the posted fields (at most 64 kB), read once; none for GET and HEAD.
   * @throws BadRequest when the body is too large, malformed or late.
   */
  body(): Awaitable<Body>;
  /**
   * Returns the CSRF token of this browser, and sets a new one if it has none; `undefined` with
   * `skipCSRFCheck`.
   */
  csrfToken(): Awaitable<string | undefined>;
  /**
   * Returns the URL to redirect to after the sign-in: from the request, else from the cookie, else the
   * origin; checked by `safeRedirect` and remembered in the cookie.
   */
  callbackUrl(): Awaitable<string>;
  /**
   * Returns the URL that the `redirect` hook allows; without a tap, the URL itself if it has the public
   * origin, else the origin.
   */
  safeRedirect(url: string): Awaitable<string>;
  /** Returns a JSON response. Default status 200. */
  json(value: unknown, init?: { status?: number; headers?: Record<string, string> }): Response;
  /**
   * Returns a redirect (302, or 303 after PUT, PATCH and DELETE), or JSON with `url` for a request with the
   * header `X-Auth-Return-Redirect`. The URL is not checked: one that a visitor may choose needs `safeRedirect`.
   */
  redirect(url: string): Response;
  /**
   * Returns the tags of the visitor's languages, best first: the `locale` hook's, then `Accept-Language`.
   * @throws PluginError when no plugin renders pages.
   */
  languages(): Awaitable<readonly string[]>;
  /**
   * Returns the translator for the visitor's language.
   * @throws PluginError when no plugin renders pages.
   */
  translator(): Awaitable<Translator>;
  /**
   * Renders a page after its hooks. Forms that post to the own routes get the CSRF token of this browser.
   * @throws PluginError when no plugin renders pages, or the page has no name, title or blocks.
   */
  page(page: Page): Awaitable<Response>;
  /**
   * Lets work continue after the response: the platform is asked to wait for it, where it offers that. An
   * error in it is logged.
   */
  waitUntil(work: Promise<unknown>): void;
}

/** The context of a request whose path names a provider, as flows receive it. */
export interface FlowContext<P extends ProviderBase = ProviderBase> extends AuthContext {
  readonly provider: ResolvedProvider<P>;
}

// --- contracts ---------------------------------------------------------------------------------

/** The implementation of a provider type. */
export interface Flow<P extends ProviderBase = ProviderBase> {
  /**
   * Completes a provider at boot with defaults and environment variables.
   * @throws ConfigError to report a fault.
   */
  resolve?(provider: P, kernel: Kernel): P;
  /** Handles `POST /signin/:provider`. Without it, the visitor is redirected to the sign-in page. */
  start?(ctx: FlowContext<P>): Awaitable<Response | Identity>;
  /** Handles `GET` or `POST /callback/:provider`. */
  finish?(ctx: FlowContext<P>): Awaitable<Response | Identity>;
  /**
   * Returns the account that the posted fields name, such as a user name or an address, which rate limits count
   * by: `""` where the visitor named none, `undefined` if the provider has no field for it.
   */
  identify?(ctx: FlowContext<P>): Awaitable<string | undefined>;
  /**
   * What `rateLimit` limits for providers of the type, unless the application states otherwise, by the name of the rule, such as
   * `sms-account`. Of one route the narrowest comes first: an attempt that it refuses does not count for the others.
   */
  limits?: Readonly<Record<string, RouteLimit>>;
  /** Called instead of `start` when a rate limit is exceeded. Default: the error `TooManyAttempts`. */
  limited?(ctx: FlowContext<P>): Awaitable<Response>;
  /** Called when the user is stored and the session not yet created. */
  linked?(ctx: FlowContext<P>, login: Login): Awaitable<void>;
  /**
   * Called when the sign-in of an identity ended without an error: with a session, or with the redirect
   * that a tap of `signIn` returned.
   * An error in it is logged, and the sign-in stands.
   */
  completed?(ctx: FlowContext<P>, identity: Identity): Awaitable<void>;
  /**
   * Called when the identity was refused or its sign-in failed, to restore what the flow used up. Resolves
   * to the error to throw instead, or to `undefined` to keep it.
   */
  failed?(ctx: FlowContext<P>, error: unknown, identity: Identity): Awaitable<unknown>;
  /** Methods of `/callback/:provider`. Default: both. */
  methods?: readonly ("GET" | "POST")[];
  /** Default `account`. */
  links?: LinkRule;
  /** `false`: the POST to the callback comes from another site and is protected by other checks. */
  csrf?: boolean;
  /** Whether `signIn` posts the fields to the callback instead of the sign-in route. */
  direct?: true;
  /**
   * Name of the ceremony that a browser performs first (`webauthn`); clients that do not implement it lead to
   * the sign-in page.
   */
  ceremony?: string;
  /** The credential that an account represents: `authenticator` is a passkey, stored with the account. */
  credential?: "authenticator";
  /**
   * Returns the provider's block on the sign-in page, in the visitor's language. Default: a button that posts to
   * `start`, if there is one.
   */
  form?(provider: ResolvedProvider<P>, ctx: AuthContext, translator: Translator): Block | undefined;
}

/** The implementation of sessions. */
export interface Strategy {
  /**
   * Sessions refer to a stored user: for an identity that is not looked up (credentials), the kernel finds or
   * stores its user before `create`.
   */
  readonly needsStoredUser?: true;
  /**
   * Returns the seconds within which a session that the server has ended has ended everywhere; 0: at once. A strategy has
   * this method if its sessions are stored. Without it the server cannot end them: they last until they expire.
   */
  endsWithin?(config: ResolvedConfig): number;
  /**
   * Creates a session that no browser has yet. Returns the function that sets its cookie in place of the old
   * one, and ends a stored session that the browser had before (SECURITY.md R13).
   */
  create(ctx: AuthContext, login: Login): Awaitable<() => Awaitable<void>>;
  /**
   * Returns the session, extended when due, or `null` when there is none. Throws when it could not be read
   * (SECURITY.md R7). The kernel calls it once per request, for `ctx.session()`.
   */
  read(ctx: AuthContext): Awaitable<CurrentSession | null>;
  /**
   * Changes the session by data of the client (unverified input) and returns it; `null` when there is none.
   */
  update(ctx: AuthContext, data: unknown): Awaitable<Session | null>;
  /**
   * Returns the signed-in user for linking, as stored if there is an adapter; `null` without a session or when it is
   * expired. Unlike `read` it does not call the hook `session`, and it asks the adapter at every call: linking asks a second
   * time whether the user is still signed in.
   */
  current(ctx: AuthContext): Awaitable<User | null>;
  /**
   * Returns when the user of the session last signed in, in seconds since the epoch; `undefined` if that is not
   * known. Extending or updating a session does not change it. Without this method no session is fresh:
   * `session.freshAge` must be 0.
   */
  authTime?(ctx: AuthContext): Awaitable<number | undefined>;
  /**
   * Ends the session. Returns the message of the `signOut` event, or `undefined` when there was no session.
   */
  destroy(ctx: AuthContext): Awaitable<SignOutMessage | undefined>;
  /**
   * Returns a text that stays the same while the session of this browser lasts, and that no session of another user has:
   * CSRF tokens are bound to it. For one cookie it need not be known whether its session still lasts. `undefined` without a
   * session. Where sessions are stored it is the token: another one for every session, by which the adapter lists which of
   * them is the current one. Under `jwt` it is the user and the second of the sign-in, where tokens state that: two browsers
   * of a user may have the same. A strategy without this method binds nothing.
   */
  key?(ctx: AuthContext): Awaitable<string | undefined>;
  /**
   * Returns whether the browser sent valid sessions of different users. A sibling host may have set one of them: the
   * kernel then refuses all that changes anything (SECURITY.md R8). Default: never.
   */
  isAmbiguous?(ctx: AuthContext): Awaitable<boolean>;
}

/**
 * How the session token travels between client and server instead of in a cookie. A client adds it to each request
 * itself, so that no other site can send a request with it.
 */
export interface SessionTransport {
  /**
   * Returns the session token of a request in the encoding of cookies (`encodeURIComponent`); `undefined` without one.
   * It contains no blank, comma or semicolon. Never throws.
   */
  receive(headers: Pick<Headers, "get">): string | undefined;
  /** Returns the response headers that take the place of `Set-Cookie`; none if the session's cookie is not among these. */
  send(cookies: readonly CookieToSet[]): readonly (readonly [name: string, value: string])[];
  /** Changes the headers of a request to those that the client sends once it has received these cookies. */
  forward(headers: Headers, cookies: readonly CookieToSet[]): void;
  /** Returns the response to a request that needs a session and has none, instead of a redirect to the sign-in page. */
  refuse(ctx: AuthContext): Response;
}

/** The methods that routes may have. */
export type RouteMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/**
 * The parameters of a route's path by name: `{ id: string }` for `/org/:id`; of a path that the compiler does not know, any
 * name. `:provider` is none of them: it is `ctx.provider`.
 */
export type PathParams<Path extends string> = string extends Path
  ? Readonly<Record<string, string>>
  : { readonly [Name in Exclude<PathParam<Path>, "provider">]: string };

type PathParam<Path extends string> = Path extends `${infer Segment}/${infer Rest}`
  ? PathParam<Segment> | PathParam<Rest>
  : Path extends `:${infer Name}`
    ? Name
    : never;

/** The context of a request for a route: `params` has the names of its path. */
export interface RouteContext<Path extends string = string> extends AuthContext {
  readonly params: PathParams<Path>;
}

/** A route: method, path and handler. */
export interface Route<Path extends string = string> {
  /** A `GET` route also handles `HEAD`. */
  method: RouteMethod;
  /**
   * Path below the base path: static segments, and parameters such as `:id` that match one segment each
   * (`ctx.params`). `:provider` names a configured provider (`ctx.provider`). Of two routes that match, the
   * one whose static segments come first handles the request.
   */
  path: Path;
  /**
   * Demands a session before the handler runs: without one, the response is `SessionRequired`. `fresh` demands in
   * addition that the user has signed in within `session.freshAge`: else it is `FreshSessionRequired`.
   */
  auth?: true | "fresh";
  /**
   * States that a `GET` route changes something, as one that completes a sign-in does: it is refused while the
   * browser sends sessions of different users. Every other method does so anyway.
   */
  writes?: true;
  /**
   * `false`: the route needs no CSRF token; `flow`: `csrf` of the provider's flow decides. Default: needed,
   * except for `GET`.
   */
  csrf?: false | "flow";
  /**
   * `false`: clients that are no browsers call the route. It sees no cookies, and so no session, and its response sets none:
   * what is set stays in `ctx.cookies`.
   */
  cookies?: false;
  /** Errors of this route are sent as JSON, never as a redirect. */
  json?: true;
  /** Replaces a route of another plugin with the same method and path. */
  replaces?: true;
  handler(ctx: RouteContext<Path>): Awaitable<Response>;
}

/** A route with the name of the plugin that registered it. */
export interface RegisteredRoute extends Route {
  readonly plugin: string;
}

/**
 * The services that plugins provide to others, by name. A plugin adds its own by augmentation:
 * `declare module "keyhook/types" { interface Services { clock: Clock } }`.
 */
export interface Services {}

/** Name of a service. */
export type ServiceName = Extract<keyof Services, string>;

/** What `kernel.wrap` can wrap. */
export interface Wrappable {
  adapter: Adapter;
  store: StoreBackend;
  /** Sends the requests to identity providers and mail services, within the bounds of `boundedFetch`. */
  fetch: typeof globalThis.fetch;
}

/**
 * The kernel, as plugins receive it: one per configuration. Its `add...` and `set...` methods and `store`
 * throw `PluginError` after boot.
 */
export interface Kernel {
  readonly config: ResolvedConfig;
  readonly env: Env;
  readonly logger: Required<Logger>;
  readonly hooks: AuthHooks;
  readonly events: AuthEvents;
  /** The registered providers by id, in order. */
  readonly providers: ReadonlyMap<string, ProviderBase>;
  readonly adapter: Adapter | undefined;
  /**
   * Registers a provider.
   * @throws InvalidConfig when the id is not valid or belongs to another provider.
   */
  addProvider<P extends ProviderBase>(provider: P): void;
  /**
   * Registers the flow of a provider type.
   * @throws PluginError when the type has a flow, or the flow has neither `start` nor `finish`.
   */
  addFlow<T extends Extract<keyof ProviderTypes, string>>(
    type: T,
    flow: Flow<ProviderTypes[T]>,
  ): void;
  /**
   * Registers a session strategy.
   * @throws PluginError when the name is in use, or a method is missing.
   */
  addStrategy(name: string, strategy: Strategy): void;
  /**
   * Registers a route.
   * @throws PluginError when a field, the method or the path is not valid; when another route has the same
   * method and path and `replaces` is not set; with `replaces`, when there is no such route, or another plugin
   * replaces it too. Paths that differ only in the names of their parameters are the same.
   * A registered route that is registered again, with another handler around its own, keeps its plugin's name.
   */
  addRoute<Path extends string>(route: Route<Path>): void;
  /**
   * Sets the adapter. What signs its users in comes with `defineAdapter`, which calls this.
   * @throws PluginError when there is one, such as the configuration's.
   */
  setAdapter(adapter: Adapter): void;
  /**
   * Lets session tokens travel otherwise than in cookies: no cookie is read or set then, and no CSRF token is needed.
   * @throws PluginError when a plugin has done so.
   */
  setSessionTransport(transport: SessionTransport): void;
  /** How session tokens travel; `undefined` for cookies. */
  readonly sessionTransport: SessionTransport | undefined;
  /**
   * Registers a cookie of a plugin, whose name and attributes `config.cookies` can override.
   * @throws PluginError when the key is in use.
   */
  addCookie(key: CookieKey, defaults: CookieDefaults): void;
  /**
   * Registers a public error by its class or `type`, which pages receive as `?error=<type>`. Pages explain it by
   * the texts `signin.error.<text>` and `error.<text>.heading`, `.text` and `.again`.
   * @throws PluginError when another plugin, or the kernel, has registered the type.
   */
  addError(error: string | ErrorFacts, options?: ErrorPageOptions): void;
  /** The registered public errors by `type`. */
  readonly errors: ReadonlyMap<string, PublicError>;
  /**
   * Marks a value of a purpose as used. Of all calls with it, exactly one resolves to `true` within 40 minutes:
   * in all processes that share the store, without one in this process.
   */
  useOnce(purpose: string, value: string): Promise<boolean>;
  /**
   * Returns what this process remembers under a key, which the first call creates. It belongs to the Auth: the
   * kernels that a configuration function makes for different configurations share it, as those of development
   * and production do. The key is constant and starts with the plugin's name; what is kept must be bounded, and
   * keyed by all that it depends on in a configuration. With `perApplication`, it belongs to the application, by its
   * secrets, `storeNamespace` and `basePath`, and the Auths that a framework makes of one module in several bundles, as
   * Next.js does, share it: for what holds no instances of this package's classes.
   * @example const seen = kernel.remember("shop/seen", (createCache) =>
   *   createCache<true>("shop/seen", { max: 10_000, ttl: 60_000 }));
   */
  remember<T>(
    key: string,
    create: (createCache: CreateCache) => T,
    options?: { perApplication?: boolean },
  ): T;
  /**
   * Creates a cache that belongs to this kernel alone: what it keeps may depend on the configuration and on what is
   * registered. One that the kernels of an Auth share is created by the function passed to `create` of `remember`.
   */
  createCache: CreateCache;
  /** The registered cookies by purpose. */
  readonly cookies: ReadonlyMap<string, CookieDefaults>;
  /**
   * Adds a plugin's texts in a language, merged over the existing ones; English is the fallback. It does not
   * offer the language to visitors. What renders pages reports a tag that is not a language tag, at boot.
   */
  addMessages(tag: string, messages: Messages): void;
  /**
   * Offers a language to visitors, with its texts. What renders pages reports a tag that is not a language tag, at boot.
   */
  addLanguage(language: Language): void;
  /** The texts that plugins have added, in order. */
  readonly texts: readonly AddedTexts[];
  /**
   * Sets the backend in which plugins keep their records. What keeps them comes with `defineStore`, which calls this.
   * @throws PluginError when there is one; a fallback may be set in addition.
   */
  setStore(backend: StoreBackend, setting?: SetStoreOptions): void;
  /**
   * Returns a plugin's own store. The namespace consists of lower-case words joined by hyphens, at most 24
   * characters. At boot, requirements that the backend does not meet are reported with the names of plugin
   * and driver. A later plugin may set the backend: it is looked up at each call.
   * @throws PluginError when the namespace is not valid or belongs to another plugin.
   */
  store<T>(namespace: string, requirements?: StoreRequirements): Store<T>;
  /** Which processes share the records of the store in use; `undefined` without a store. Final at `ready`. */
  readonly storeScope: StoreGuarantees["scope"] | undefined;
  /**
   * Provides an API to other plugins, which get it by `use`. The plugin's `provides` must contain
   * `service:<name>`, by which others require it.
   * @throws PluginError when it does not, or when another plugin provides the service.
   */
  provide<N extends ServiceName>(name: N, api: Services[N]): void;
  /**
   * Returns the service that another plugin provides. To use it in `setup`, the plugin must require
   * `service:<name>`, so that it is set up later.
   * @throws PluginError when no plugin provides the service, or not yet.
   */
  use<N extends ServiceName>(name: N): Services[N];
  /** Returns the service that a plugin provides; `undefined` without one, or before it is set up. */
  find<N extends ServiceName>(name: N): Services[N] | undefined;
  /** The flows by provider type. */
  readonly flows: ReadonlyMap<string, Flow>;
  /**
   * Returns the flow of a provider type.
   * @throws InvalidProvider when there is none.
   */
  flow(type: string): Flow;
  /** The strategy in use. */
  readonly strategy: Strategy;
  /** Returns the route of a method and a path, as they were registered. */
  route(method: string, path: string): RegisteredRoute | undefined;
  /** The registered routes. */
  readonly routes: ReadonlyMap<string, RegisteredRoute>;
  /** The token codec, whose caches the kernels of the Auth share. */
  readonly tokens: Tokens;
  /**
   * Emits an event. Returns a promise if a listener returned one; it never rejects, and resolves after at most 5 s,
   * in a request after at most 1 s for all its events. `ctx` is the request that the event belongs to.
   */
  emit<N extends EventName>(name: N, message: EventMessages[N], ctx?: AuthContext): Awaitable<void>;
  /**
   * Adds a hook that other plugins tap as `kernel.hooks[name]`, and that this one calls with `callHook`. A
   * plugin that taps it `requires` this one. `result` is what the taps may return; default: anything.
   * @throws PluginError when the name is not valid or in use.
   */
  addHook<N extends Extract<keyof AuthHooks, string>>(
    name: N,
    kind: HookKind,
    result?: HookResult,
  ): void;
  /**
   * Intercepts every hook but `around`, also those that are made later: the function is called once for each
   * with its name (`page:<name>` for pages) and returns the interceptor, or `undefined`.
   */
  interceptHooks(intercept: (hook: string) => HookInterceptor | undefined): void;
  /**
   * Wraps the adapter, the store's backend, or `fetch`, whichever plugin sets it. Applied at the end of
   * setup, in the order of the plugins: later wraps are outside. What the wrapper returns must have every
   * method and guarantee of what it received. Not called without an adapter or a store.
   */
  wrap<K extends keyof Wrappable>(what: K, wrapper: (inner: Wrappable[K]) => Wrappable[K]): void;
  /**
   * Returns everything that is registered, as JSON without secrets; `auth.inspect()` returns the same.
   * @throws PluginError before boot has ended.
   */
  inspect(): Inspection;
}
