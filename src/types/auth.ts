import type { Adapter } from "./adapter.ts";
import type { AuthConfig, ConfigSource } from "./config.ts";
import type { Inspection } from "./inspection.ts";
import type { RouteMethod } from "./kernel.ts";
import type { Awaitable, Session } from "./models.ts";
import type { Env } from "./options.ts";
import type { Plugin } from "./plugin.ts";
import type { AnyProviderId } from "./provider.ts";
import type { Connection, LazyRequest, RequestSource } from "./request-source.ts";
import type { SweepOptions } from "./store.ts";

/** The integration with a framework: `extend` returns the members that the preset adds to an Auth. */
export interface Binding<Extension extends object = object> {
  readonly name: string;
  /**
   * The framework's development flag, such as `import.meta.dev`. `true` means development if `NODE_ENV` is not set.
   */
  readonly development?: boolean;
  /**
   * The secret to use in development if none is set; the framework's dev server keeps it across reloads. Never used in
   * production.
   */
  readonly developmentSecret?: string | undefined;
  /**
   * Name of a memory shared by all Auths of the process, for frameworks whose bundler copies the module of one Auth
   * into several bundles. With it, attempts are counted once and only one token refresh runs at a time. Default: each
   * Auth has its own memory.
   */
  readonly sharedMemory?: string | undefined;
  /**
   * Whether `jwt.encode` and `jwt.decode` receive the secret as a string if the environment has exactly one. Default:
   * as a list.
   */
  readonly textSecret?: boolean;
  /**
   * Returns the environment variables if the framework's server has others than the process. Read when the first
   * request boots the application. Default: those of the process or of the Worker. `env` of the configuration takes
   * precedence.
   */
  readonly env?: () => Env;
  /**
   * Returns what server functions throw in place of an error, such as one that the framework turns into a response
   * with its status. Default: the error itself.
   */
  readonly toError?: (error: unknown) => unknown;
  /**
   * Returns the members to add to an Auth. The kernel keeps using the members of `auth`, even if one is replaced by a
   * member of the same name. If the result contains `toRequestSource(given)`, it converts what the framework passes to
   * handlers and returns a `RequestSource` unchanged; all server functions, also those that plugins add, then accept
   * both.
   */
  extend(auth: Auth): Extension;
}

/** A named set of plugins and default configuration. */
export interface Preset<Extension extends object = object> {
  readonly name: string;
  /** Presets whose plugins and defaults apply first; later ones override earlier ones. */
  readonly extends?: readonly Preset[];
  /** The plugins; `[]` for a preset that only extends others. */
  readonly plugins: readonly Plugin[];
  /** Default configuration; the application's is merged over it. */
  readonly defaults?: Omit<AuthConfig, "env">;
  readonly binding?: Binding<Extension>;
}

// --- the application's handle ------------------------------------------------------------------

/** A session that was read while it is still open whether the response depends on it. */
export interface HeldSession {
  readonly session: Session | null;
  /** Makes the response depend on the session: no cache stores the response, and it carries renewed cookies. */
  use(): void;
}

/**
 * Additional parameters of the authorization request, in any form that `URLSearchParams` accepts. The server drops
 * those that are not on its allow-list (SECURITY.md R12).
 */
export type AuthorizationParams = string | string[][] | Record<string, string> | URLSearchParams;

/**
 * Options of a server-side sign-in. `redirect: false` resolves to the target URL instead of a redirect Response (default
 * `true`; always with a FormData). `redirectTo` is the URL to redirect to afterwards (default: the request's `Referer`,
 * else `/`). All other keys are passed on as posted fields.
 */
export type SignInOptions<Redirect extends boolean = boolean> =
  | FormData
  | ({ redirect?: Redirect; redirectTo?: string } & Record<string, unknown>);

/** Options of a server-side sign-out. */
export interface SignOutOptions<Redirect extends boolean = boolean> {
  /** `false` resolves to the target URL instead of a redirect Response. Default `true`. */
  redirect?: Redirect;
  /** The URL to redirect to afterwards. Default: the request's `Referer`, else `/`. */
  redirectTo?: string;
}

/** A Request with its session as `auth`. */
export type AuthedRequest<R extends Request = Request> = R & { auth: Session | null };

/**
 * Resolves to the session of a call, as `getSession` does, or wraps a handler: the handler receives the request with
 * its session, unless the `authorized` hook stops the request.
 */
export interface AuthFunction {
  (call: RequestSource): Promise<Session | null>;
  <R extends Request, Rest extends unknown[]>(
    handler: (request: AuthedRequest<R>, ...rest: Rest) => Awaitable<Response>,
  ): (request: R, ...rest: Rest) => Promise<Response>;
}

/** The object that `createAuth` returns to the application. */
export interface Auth {
  /**
   * Adds a plugin or a preset, with its server functions.
   * @throws PluginError for a value that is neither, for a plugin with a server function whose name the Auth already has,
   * and after the first request, server-side call or `inspect()`.
   * @example createAuth().use(githubPlugin())
   */
  use<Extension extends object = {}>(
    addition: Plugin<Extension> | Preset<Extension>,
  ): this & Extension;
  /** Resolves to the response to a request; 404 outside the base path. Never rejects. */
  fetch(request: Request): Promise<Response>;
  /**
   * Like `fetch`, but resolves to `undefined` for a path outside the base path. `connection` is what the server knows
   * besides the request; later calls with the same Request reuse its `ip`, `target` and `waitUntil`.
   */
  handle(request: Request | LazyRequest, connection?: Connection): Promise<Response | undefined>;
  /** `fetch` under the name of each method, for frameworks whose route files export a function per method. */
  readonly handlers: Readonly<Record<RouteMethod, (request: Request) => Promise<Response>>>;
  readonly auth: AuthFunction;
  /** Resolves to the session, or `null` without one. Rejects if it could not be read (SECURITY.md R7). */
  getSession(call: RequestSource): Promise<Session | null>;
  /**
   * Resolves to the session of an event when it is still open whether the response will show it: until `use` is
   * called, the response may be cached for all visitors. Rejects if the session could not be read.
   */
  holdSession(call: RequestSource): Promise<HeldSession>;
  /**
   * Resolves to the session.
   * @throws SessionRequired without one; AmbiguousSession (status 409) for a request other than GET and HEAD whose browser
   * sent sessions of different users. Rejects also when it could not be read.
   */
  requireSession(call: RequestSource): Promise<Session>;
  /**
   * Resolves to the session of a user who signed in within `session.freshAge`. For actions that must not be possible
   * from an unattended browser, such as changing a password or opening an administration page.
   * @throws FreshSessionRequired (status 401) for an older one; otherwise as `requireSession`.
   */
  requireFreshSession(call: RequestSource): Promise<Session>;
  /** Resolves to the CSRF token for a form of the application; `undefined` if CSRF protection is off. */
  csrfToken(call: RequestSource): Promise<string | undefined>;
  /**
   * Checks a POST to the application's own code, such as code that calls `signIn`, `signOut` or `update`: it must
   * carry the token of `csrfToken`, as the argument or in the header `x-csrf-token`, and come from the public origin.
   * Every request passes if CSRF protection is off.
   * @throws MissingCSRF (status 403) otherwise.
   * @example await auth.verifyCsrfToken(request, (await request.formData()).get("csrfToken"));
   */
  verifyCsrfToken(call: RequestSource, token?: unknown): Promise<void>;
  /**
   * Runs the `authorized` hook. Resolves to the Response to send instead of the requested resource, or to `undefined` if
   * the request may pass. The Response is that of `protect`, or that of a tap; before the hook runs, it may also be a
   * redirect to the plain spelling of the path, or 409 for a change by a browser that sent sessions of different users.
   * Without a tap and without `callbacks.authorized` every other request passes, with one warning
   * (`authorized-unused`).
   */
  authorize(call: RequestSource): Promise<Response | undefined>;
  /**
   * Resolves to the Response to send to a visitor without a session: a redirect to the sign-in page and back if the
   * browser navigates to a page, 401 as JSON otherwise. Resolves to `undefined` if there is a session, and for the
   * sign-in page and the Auth's own routes.
   * @example const refused = await auth.protect(request);
   */
  protect(call: RequestSource): Promise<Response | undefined>;
  /**
   * Signs in on behalf of the visitor. Resolves to a Response, or with `redirect: false` to the target URL.
   * @throws AuthError that the sign-in failed with; with `redirect: false` also `Refused` when a tap of the
   * `request` hook sent a Response, or the response reports an error.
   */
  signIn<Redirect extends boolean = true>(
    call: RequestSource,
    provider?: AnyProviderId,
    options?: SignInOptions<Redirect>,
    authorizationParams?: AuthorizationParams,
  ): Promise<Redirect extends false ? string : Response>;
  /**
   * Signs out. Resolves to a Response, or with `redirect: false` to the target URL.
   * @throws AuthError, as `signIn`.
   */
  signOut<Redirect extends boolean = true>(
    call: RequestSource,
    options?: SignOutOptions<Redirect> | FormData,
  ): Promise<Redirect extends false ? string : Response>;
  /**
   * Changes the session: the `jwt` hook (or `session`, under the `database` strategy) receives `data` with the trigger
   * `update`. Resolves to the changed session; `null` without one.
   * @throws Refused when a tap of the `request` hook sent a Response; AmbiguousSession when the browser sent sessions of
   * different users; SessionRequired when the request has credentials of its own (`authenticate` hook).
   */
  update(call: RequestSource, data: unknown): Promise<Session | null>;
  /** Alias of `update`: its name in Auth.js. */
  unstable_update(call: RequestSource, data: unknown): Promise<Session | null>;
  /**
   * Removes expired records from the store, for a periodic task. Resolves to their number; 0 without a store, or with
   * one that expires records itself.
   * @throws the fault of the boot (`BootError` for several), or MissingRequest when the configuration is a function.
   * @example setInterval(() => auth.sweep(), 3_600_000);
   */
  sweep(options?: SweepOptions): Promise<number>;
  /**
   * Resolves to the adapter for use by the application itself, such as to create a user at registration, to find one,
   * or to end all sessions of one. Its optional methods may be absent.
   * @throws MissingAdapter if there is none; otherwise as `sweep`.
   * @example await (await auth.getAdapter()).deleteSessionsByUserId?.(user.id);
   */
  getAdapter(): Promise<Adapter>;
  /**
   * Returns everything that is registered, as JSON without secrets. Boots first if necessary; if nothing states the
   * environment, it is decided as for a request from this machine.
   * @throws the fault of the boot (`BootError` for several), or MissingRequest when the configuration is a function.
   */
  inspect(): Inspection;
}

/**
 * The type of a preset's `createAuth`.
 * @typeParam Source What the configuration may be: an object, or a function that returns one for each request.
 * @typeParam Config The configuration as an object.
 */
export interface CreateAuth<A = Auth, Source = ConfigSource, Config = AuthConfig> {
  // Without a doc comment, so that editors show that of the preset's `createAuth`, with its example.
  (config?: Source): A;
  // Calls match the overload above. This overload is for error messages: the compiler suggests names only for an object
  // type.
  (config: Config): A;
}

/** The names of the server functions: the members of an Auth whose first argument is the request. */
export type ServerFunctionName =
  | "authorize"
  | "csrfToken"
  | "getSession"
  | "holdSession"
  | "protect"
  | "requireFreshSession"
  | "requireSession"
  | "signIn"
  | "signOut"
  | "unstable_update"
  | "update"
  | "verifyCsrfToken";

/** What an option, a variable or a plugin decided. Contains no secret. */
export interface Decision {
  /** An option or a part, such as `trustHost`, `origin` or `cookies.sessionToken`. */
  name: string;
  value: string;
  /** What decided it: an option in backticks, a variable, a plugin, or a default. */
  reason: string;
}

/** The result of `diagnose` of `keyhook/testing`. */
export interface Diagnosis {
  decisions: Decision[];
  warnings: { code: string; detail: string }[];
  /** What prevents the boot, each message with its fix; empty if nothing does. */
  faults: { type: string; message: string }[];
  /** What is registered; `null` if there are faults. */
  inspection: Inspection | null;
  /**
   * Names of set variables that begin with `AUTH_` or `NEXTAUTH_` and that nothing has read; if there are faults, only
   * the misspelled ones.
   */
  unread: string[];
  /** For a name in `unread` that is probably misspelled: the variable that is read, not set, and probably meant. */
  misspelled: Record<string, string>;
  /** The optional packages that the plugins and providers in use import, whether installed or not. */
  packages: readonly string[];
}
