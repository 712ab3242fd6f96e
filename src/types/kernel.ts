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

// One file, because these types refer to one another and modules must not import in circles.

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
  /** Guards requests of the application by `false` (sign-in page) or a Response; `ctx.session()` has the user's id. */
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
   * promise at most 1 s, for all its events together; then they go on in the background, for at most 5 s in all. A
   * message is delivered at most once: it is lost when the listener fails, or the process ends. What must not be lost is
   * recorded by a tap of `login`, whose error refuses the sign-in.
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
 * What a context was created for: a request below the base path, or a server-side call of an Auth; `call` is a server
 * function that a plugin added.
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

/** The log of a request. Whatever the request sent (cookies, codes, posted fields) is redacted from the errors. */
export type RequestLog = Pick<Required<Logger>, "error" | "warn" | "debug">;

/**
 * The context of one request: created once, passed to everything that handles the request, and the only holder of its
 * state.
 */
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
   * request began. `facts` say what was decided and why; they must contain no secret and no e-mail address.
   * `undefined` if debug lines are not written, so that the arguments of `ctx.debug?.()` are not evaluated.
   * @example ctx.debug?.("the code was wrong", { attempts });
   */
  readonly debug: ((step: string, facts?: Readonly<Record<string, unknown>>) => void) | undefined;
  /** The route for the request's method and path; `undefined` if there is none. */
  readonly route: RegisteredRoute | undefined;
  /** The provider named in the path. */
  readonly provider?: ResolvedProvider<ProviderBase>;
  /**
   * The parameters of the route's path by name, percent-decoded once: `id` for `/org/:id`. They are client input and
   * may contain any character.
   */
  readonly params: Readonly<Record<string, string>>;
  /**
   * IP address of the client in normalized form (an IPv4-mapped IPv6 address as IPv4); `undefined` if unknown. It is
   * the address of the connection, or the one that the proxies state according to `trustProxy`.
   */
  readonly ip: string | undefined;
  readonly cookies: Cookies;
  /**
   * Aborted when the client disconnects, and after the request's time limit of 10 s, but not once there is a response.
   * Work that outlives the response needs a limit of its own.
   */
  readonly signal: AbortSignal;
  /** Nonce of this response's content security policy: 16 random bytes in base64url. */
  readonly nonce: string;
  /**
   * Returns the session of this request's browser, extended if due; `null` without one. It is read once per request,
   * and again after a sign-in, an update or a sign-out.
   * @throws AuthError when it could not be read (SECURITY.md R7).
   */
  session(): Awaitable<CurrentSession | null>;
  /**
   * Resolves to the session, whose `id` is that of the user.
   * @throws SessionRequired without a session; MissingUserId when the session does not state whose it is.
   */
  requireSession(): Promise<CurrentSession>;
  /**
   * Resolves to the session of a user who signed in within `session.freshAge`. Routes that add or remove a sign-in
   * method, or end other sessions, call it or set `auth: "fresh"`.
   * @throws FreshSessionRequired for an older one; SessionRequired and MissingUserId as `requireSession`.
   */
  requireFreshSession(): Promise<CurrentSession>;
  /**
   * Returns the posted fields (at most 64 kB), read once; none for GET and HEAD.
   * @throws BadRequest when the body is too large, malformed or late.
   */
  body(): Awaitable<Body>;
  /** Returns the CSRF token of this browser, and sets a new one if it has none; `undefined` with `skipCSRFCheck`. */
  csrfToken(): Awaitable<string | undefined>;
  /**
   * Returns the URL to redirect to after the sign-in: from the request, else from the cookie, else the origin. It is
   * checked by `safeRedirect` and stored in the cookie.
   */
  callbackUrl(): Awaitable<string>;
  /**
   * Returns the URL that the `redirect` hook allows. Without a tap: the URL itself if it has the public origin, else
   * the origin.
   */
  safeRedirect(url: string): Awaitable<string>;
  /** Returns a JSON response. Default status 200. */
  json(value: unknown, init?: { status?: number; headers?: Record<string, string> }): Response;
  /**
   * Returns a redirect (302, or 303 after PUT, PATCH and DELETE), or JSON with `url` for a request with the header
   * `X-Auth-Return-Redirect`. The URL is not checked: pass one that a visitor can choose through `safeRedirect` first.
   */
  redirect(url: string): Response;
  /**
   * Returns the tags of the visitor's languages, best first: that of the `locale` hook, then those of
   * `Accept-Language`.
   * @throws PluginError when no plugin renders pages.
   */
  languages(): Awaitable<readonly string[]>;
  /**
   * Returns the translator for the visitor's language.
   * @throws PluginError when no plugin renders pages.
   */
  translator(): Awaitable<Translator>;
  /**
   * Renders a page after its hooks. Forms that post to Keyhook's routes get the CSRF token of this browser.
   * @throws PluginError when no plugin renders pages, or the page has no name, title or blocks.
   */
  page(page: Page): Awaitable<Response>;
  /**
   * Lets work continue after the response: the platform is asked to wait for it, if it supports that. An error in it
   * is logged.
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
   * Returns the account that the posted fields name, such as a user name or an address; rate limits count by it. `""`
   * if the visitor left it empty, `undefined` if the provider has no such field.
   */
  identify?(ctx: FlowContext<P>): Awaitable<string | undefined>;
  /**
   * The default rate limits for providers of this type, by rule name, such as `sms-account`; the application can
   * override them. Only the plugin `rateLimit()` of `keyhook/security/rate-limit` enforces them: production warns if it
   * is missing. List the narrowest limit of a route first: an attempt that it refuses does not count against the others.
   */
  limits?: Readonly<Record<string, RouteLimit>>;
  /** Called instead of `start` when a rate limit is exceeded. Default: the error `TooManyAttempts`. */
  limited?(ctx: FlowContext<P>): Awaitable<Response>;
  /** Called when the user is stored and the session not yet created. */
  linked?(ctx: FlowContext<P>, login: Login): Awaitable<void>;
  /**
   * Called when the sign-in of an identity ended without an error: with a session, or with the redirect that a tap of
   * `signIn` returned. An error in it is logged and does not undo the sign-in.
   */
  completed?(ctx: FlowContext<P>, identity: Identity): Awaitable<void>;
  /**
   * Called when the identity was refused or its sign-in failed, to restore what the flow used up. Resolves to the
   * error to throw instead, or to `undefined` to keep it.
   */
  failed?(ctx: FlowContext<P>, error: unknown, identity: Identity): Awaitable<unknown>;
  /** Methods of `/callback/:provider`. Default: both. */
  methods?: readonly ("GET" | "POST")[];
  /** How identities are matched with stored users. Default `account`. */
  links?: LinkRule;
  /** `false`: the POST to the callback comes from another site, and the flow protects it by other checks. */
  csrf?: boolean;
  /** Whether `signIn` posts the fields to the callback instead of the sign-in route. */
  direct?: true;
  /**
   * Name of the ceremony that a browser must perform first (`webauthn`); clients that do not implement it redirect to
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
   * Set if sessions refer to a stored user: for an identity that is not looked up (credentials), the kernel then finds
   * or stores its user before `create`.
   */
  readonly needsStoredUser?: true;
  /**
   * Returns the seconds after which a session that the server ended is rejected everywhere; 0: at once. Strategies
   * with stored sessions have this method. Without it the server cannot end sessions: they last until they expire.
   */
  endsWithin?(config: ResolvedConfig): number;
  /**
   * Creates a session that no browser has yet. Returns a function that replaces the browser's session cookie, and ends
   * the stored session that the browser had before (SECURITY.md R13).
   */
  create(ctx: AuthContext, login: Login): Awaitable<() => Awaitable<void>>;
  /**
   * Returns the session, extended if due; `null` if there is none. Throws if it could not be read (SECURITY.md R7).
   * The kernel calls it once per request, for `ctx.session()`.
   */
  read(ctx: AuthContext): Awaitable<CurrentSession | null>;
  /** Changes the session with data from the client (unverified input) and returns it; `null` if there is none. */
  update(ctx: AuthContext, data: unknown): Awaitable<Session | null>;
  /**
   * Returns the signed-in user for linking, as stored if there is an adapter; `null` if there is no session or it has
   * expired. Unlike `read`, it does not call the `session` hook, and it asks the adapter at every call, because
   * linking checks twice that the user is still signed in.
   */
  current(ctx: AuthContext): Awaitable<User | null>;
  /**
   * Returns when the user of the session last signed in, in seconds since the epoch; `undefined` if unknown. Extending
   * or updating a session does not change it. Without this method no session counts as fresh, so `session.freshAge`
   * must be 0.
   */
  authTime?(ctx: AuthContext): Awaitable<number | undefined>;
  /**
   * Ends the session. Returns the message of the `signOut` event, or `undefined` when there was no session.
   */
  destroy(ctx: AuthContext): Awaitable<SignOutMessage | undefined>;
  /**
   * Returns a text that stays the same while the session of this browser lasts, and that no session of another user
   * has; CSRF tokens are bound to it. `undefined` without a session. If there is only one session cookie, the key may
   * be derived without checking that its session still lasts. For stored sessions it is the session token, by which
   * the adapter also recognizes the current session in a list. Under `jwt` it consists of the user and the second of
   * the sign-in, if the token states that, so two browsers of a user may share it. A strategy without this method
   * binds nothing.
   */
  key?(ctx: AuthContext): Awaitable<string | undefined>;
  /**
   * Returns whether the browser sent valid sessions of different users. A sibling host may have set one of them, so
   * the kernel then refuses every request that changes something (SECURITY.md R8). Find the candidates with
   * `ctx.cookies.getCandidates`, and look nothing up for a single one: a sign-out must also work while the storage
   * fails. Without this method, such a browser acts for the user whose session `read` finds.
   */
  isAmbiguous?(ctx: AuthContext): Awaitable<boolean>;
}

/**
 * How the session token travels between client and server if not in a cookie. A client adds it to each request
 * explicitly, so no other site can send a request with it.
 */
export interface SessionTransport {
  /**
   * Returns the session token of a request, encoded as in cookies (`encodeURIComponent`): without blanks, commas and
   * semicolons. `undefined` without one. Never throws.
   */
  receive(headers: Pick<Headers, "get">): string | undefined;
  /** Returns the response headers that replace `Set-Cookie`; none if the session's cookie is not in `cookies`. */
  send(cookies: readonly CookieToSet[]): readonly (readonly [name: string, value: string])[];
  /** Changes the headers of a request to those that the client would send after receiving these cookies. */
  forward(headers: Headers, cookies: readonly CookieToSet[]): void;
  /**
   * Returns the response, instead of a redirect to the sign-in page, to a request that needs a session and has none.
   */
  refuse(ctx: AuthContext): Response;
}

/** The methods that routes may have. */
export type RouteMethod = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

/**
 * The parameters of a route's path by name: `{ id: string }` for `/org/:id`. Any name if the path is not a literal
 * type. `:provider` is not included: it is `ctx.provider`.
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
   * (`ctx.params`). `:provider` names a configured provider (`ctx.provider`). If two routes match, the one whose
   * static segments come first is used.
   */
  path: Path;
  /**
   * Requires a session before the handler runs: without one, the error is `SessionRequired`. `fresh` also requires
   * that the user signed in within `session.freshAge`: else the error is `FreshSessionRequired`.
   */
  auth?: true | "fresh";
  /**
   * States that a `GET` route changes something, as one that completes a sign-in does: it is refused while the browser
   * sends sessions of different users. All other methods are anyway.
   */
  writes?: true;
  /**
   * `false`: the route needs no CSRF token. `flow`: `csrf` of the provider's flow decides. Default: every method
   * except `GET` needs one.
   */
  csrf?: false | "flow";
  /**
   * `false`: the clients of the route are not browsers. It sees no cookies, and so no session, and its response sets
   * none; cookies that are set stay in `ctx.cookies`.
   */
  cookies?: false;
  /** Sends errors of this route as JSON, never as a redirect. */
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
  /** Sends requests to identity providers and e-mail services, within the bounds of `boundedFetch`. */
  fetch: typeof globalThis.fetch;
}

/**
 * The kernel, as plugins receive it: one per configuration. Its `add...` and `set...` methods and `store` throw
 * `PluginError` after boot.
 */
export interface Kernel {
  readonly config: ResolvedConfig;
  readonly env: Env;
  readonly logger: Required<Logger>;
  readonly hooks: AuthHooks;
  readonly events: AuthEvents;
  /** The registered providers by id, in order. */
  readonly providers: ReadonlyMap<string, ProviderBase>;
  /** The adapter with its time limits and wraps, and with methods of its own, such as for the tables of a plugin. */
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
   * Sets the adapter. `defineAdapter` calls this, and adds what signs in stored users. The plugin must have `adapter` in
   * `provides`, because the default of `session.strategy` depends on it.
   * @throws PluginError when there is one, such as the configuration's; when the plugin does not provide `adapter`.
   */
  setAdapter(adapter: Adapter): void;
  /**
   * Makes session tokens travel by another transport than cookies: no cookie is read or set then, and no CSRF token is
   * needed.
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
   * Registers a public error by its class or `type`, which pages receive as `?error=<type>`. Pages explain it with the
   * texts `signin.error.<text>` and `error.<text>.heading`, `.text` and `.again`.
   * @throws PluginError when another plugin, or the kernel, has registered the type.
   */
  addError(error: string | ErrorFacts, options?: ErrorPageOptions): void;
  /** The registered public errors by `type`. */
  readonly errors: ReadonlyMap<string, PublicError>;
  /**
   * Marks a value of a purpose as used. Of all calls with the same value, exactly one resolves to `true` within 40
   * minutes: among all processes that share the store, or in this process if there is no store.
   */
  useOnce(purpose: string, value: string): Promise<boolean>;
  /**
   * Returns what this process remembers under a key, which the first call creates. It belongs to the Auth: kernels of
   * different configurations (from a configuration function, or of development and production) share it. The key must
   * be constant and start with the plugin's name; the value must be bounded, and keyed by everything in a
   * configuration that it depends on. With `perApplication` it belongs to the application, identified by its secrets,
   * `storeNamespace` and `basePath`: Auths that a framework such as Next.js makes of one module in several bundles
   * share it too, so it must hold no instances of this package's classes.
   * @example const seen = kernel.remember("shop/seen", (createCache) =>
   *   createCache<true>("shop/seen", { max: 10_000, ttl: 60_000 }));
   */
  remember<T>(
    key: string,
    create: (createCache: CreateCache) => T,
    options?: { perApplication?: boolean },
  ): T;
  /**
   * Creates a cache that belongs to this kernel alone, so its content may depend on the configuration and on what is
   * registered. For a cache that the kernels of an Auth share, use the function that `remember` passes to `create`.
   */
  createCache: CreateCache;
  /** The registered cookies by purpose. */
  readonly cookies: ReadonlyMap<string, CookieDefaults>;
  /**
   * Adds a plugin's texts in a language, merged over the existing ones; English is the fallback. The language is not
   * offered to visitors by this. An invalid language tag is reported at boot by the plugin that renders pages.
   */
  addMessages(tag: string, messages: Messages): void;
  /**
   * Offers a language to visitors, with its texts. An invalid language tag is reported at boot by the plugin that
   * renders pages.
   */
  addLanguage(language: Language): void;
  /** The texts that plugins have added, in order. */
  readonly texts: readonly AddedTexts[];
  /**
   * Sets the backend in which plugins keep their records. `defineStore` calls this, and adds what a store needs.
   * @throws PluginError when there is one; a fallback may be set in addition.
   */
  setStore(backend: StoreBackend, setting?: SetStoreOptions): void;
  /**
   * Returns a plugin's own store. The namespace consists of lower-case words joined by hyphens, at most 24 characters.
   * Boot reports requirements that the backend does not meet, with the names of plugin and driver. The backend is
   * looked up at each call, so a later plugin may still set it.
   * @throws PluginError when the namespace is not valid or belongs to another plugin.
   */
  store<T>(namespace: string, requirements?: StoreRequirements): Store<T>;
  /**
   * Which processes share the records of the store in use; `undefined` without a store. Final when the `ready` hook
   * runs.
   */
  readonly storeScope: StoreGuarantees["scope"] | undefined;
  /**
   * Provides an API to other plugins, which get it by `use`. The plugin's `provides` must contain `service:<name>`,
   * which others then list in `requires`.
   * @throws PluginError when it does not, or when another plugin provides the service.
   */
  provide<N extends ServiceName>(name: N, api: Services[N]): void;
  /**
   * Returns the service that another plugin provides. To call it in `setup`, the plugin must require `service:<name>`,
   * so that it is set up later.
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
  /**
   * The strategy in use.
   * @throws PluginError during setup, before its plugin has registered it.
   */
  readonly strategy: Strategy;
  /** Returns the route for a method and a path, both as registered. */
  route(method: string, path: string): RegisteredRoute | undefined;
  /** The registered routes. */
  readonly routes: ReadonlyMap<string, RegisteredRoute>;
  /** The token codec, whose caches are shared by the kernels of the Auth. */
  readonly tokens: Tokens;
  /**
   * Emits an event. Returns a promise if a listener returned one; it never rejects, and resolves after at most 5 s, or
   * in a request after at most 1 s for all its events together. `ctx` is the request that the event belongs to.
   */
  emit<N extends EventName>(name: N, message: EventMessages[N], ctx?: AuthContext): Awaitable<void>;
  /**
   * Adds a hook that other plugins tap as `kernel.hooks[name]`, and that this plugin calls with `callHook`. A plugin
   * that taps it must require this one. `result` is what the taps may return; default: anything.
   * @throws PluginError when the name is not valid or in use.
   */
  addHook<N extends Extract<keyof AuthHooks, string>>(
    name: N,
    kind: HookKind,
    result?: HookResult,
  ): void;
  /**
   * Intercepts every hook except `around`, including those created later: the function is called once for each, with
   * its name (`page:<name>` for pages), and returns the interceptor or `undefined`.
   */
  interceptHooks(intercept: (hook: string) => HookInterceptor | undefined): void;
  /**
   * Wraps the adapter, the store's backend or `fetch`, whichever plugin sets it. Applied at the end of setup in the
   * order of the plugins, so later wraps are outermost. The result must have every method and guarantee of the wrapped
   * object. Not called without an adapter or a store.
   */
  wrap<K extends keyof Wrappable>(what: K, wrapper: (inner: Wrappable[K]) => Wrappable[K]): void;
  /**
   * Returns everything that is registered, as JSON without secrets; `auth.inspect()` returns the same.
   * @throws PluginError before boot has ended.
   */
  inspect(): Inspection;
}
