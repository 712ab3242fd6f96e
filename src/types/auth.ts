import type { Adapter } from "./adapter.ts";
import type { AuthConfig } from "./config.ts";
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
   * The framework's development flag, such as `import.meta.dev`: `true` states development where `NODE_ENV` is not
   * set.
   */
  readonly development?: boolean;
  /**
   * The secret to use in development when none is set, kept by the framework's server between its reloads. Never
   * used in production.
   */
  readonly developmentSecret?: string | undefined;
  /**
   * Name of a memory that all Auths of the process have in common, where the framework's bundler copies the module of one
   * into several bundles: attempts are counted once, and one refresh is under way. Default: each has its own.
   */
  readonly sharedMemory?: string | undefined;
  /**
   * Whether `jwt.encode` and `jwt.decode` get a secret of the environment as text, where it is the only one. Default: as a
   * list.
   */
  readonly textSecret?: boolean;
  /**
   * Returns the environment variables, where the framework's server has others than the process. Read when the first
   * request boots the application. Default: those of the process or of the Worker. A configuration's own `env` goes before both.
   */
  readonly env?: () => Env;
  /**
   * Returns what the server functions throw in place of an error, such as one that the framework responds to with its
   * status. Default: the error.
   */
  readonly toError?: (error: unknown) => unknown;
  /**
   * Returns the members that an Auth gets; those of the argument stay the kernel's, also where a member of the same name takes
   * their place. `toRequestSource(given)`, if it is one of them, converts what the framework hands
   * to handlers, and returns a `RequestSource` as it is: server functions that plugins add take both then.
   */
  extend(auth: Auth): Extension;
}

/** A named set of plugins and default configuration. */
export interface Preset<Extension extends object = object> {
  readonly name: string;
  /** Presets whose plugins and defaults come first; later ones override them. */
  readonly extends?: readonly Preset[];
  /** The plugins; `[]` for a preset that only extends others. */
  readonly plugins: readonly Plugin[];
  /** Default configuration, over which the application's is merged. */
  readonly defaults?: Omit<AuthConfig, "env">;
  readonly binding?: Binding<Extension>;
}

// --- the application's handle ------------------------------------------------------------------

/** A session that was read, on which the response does not depend yet. */
export interface HeldSession {
  readonly session: Session | null;
  /** Makes the response depend on it: no cache stores it, and it carries renewed cookies. */
  use(): void;
}

/**
 * Additional parameters of the authorization request, as far as the server allows them (SECURITY.md R12), in any form that
 * `URLSearchParams` accepts.
 */
export type AuthorizationParams = string | string[][] | Record<string, string> | URLSearchParams;

/** Options of a server-side sign-in; all other keys are passed on as posted fields. */
export type SignInOptions<Redirect extends boolean = boolean> =
  | FormData
  | ({ redirect?: Redirect; redirectTo?: string } & Record<string, unknown>);

/** Options of a server-side sign-out. */
export interface SignOutOptions<Redirect extends boolean = boolean> {
  /** `false` resolves to the target URL instead of a redirecting Response. Default `true`. */
  redirect?: Redirect;
  /** The URL to redirect to afterwards. Default: the request's `Referer`, else `/`. */
  redirectTo?: string;
}

/** A Request with its session in `auth`. */
export type AuthedRequest<R extends Request = Request> = R & { auth: Session | null };

/**
 * Resolves to the session of a call (like `getSession`), or wraps a handler: the handler receives the
 * request with its session, unless the `authorized` hook stops the request.
 */
export interface AuthFunction {
  (call: RequestSource): Promise<Session | null>;
  <R extends Request, Rest extends unknown[]>(
    handler: (request: AuthedRequest<R>, ...rest: Rest) => Awaitable<Response>,
  ): (request: R, ...rest: Rest) => Promise<Response>;
}

/** The handle that `createAuth` returns to the application. */
export interface Auth {
  /**
   * Adds a plugin or a preset, with its server functions.
   * @throws PluginError for a value that is neither, and after the first request or `inspect()`.
   * @example createAuth().use(githubPlugin())
   */
  use<Extension extends object = {}>(
    addition: Plugin<Extension> | Preset<Extension>,
  ): this & Extension;
  /** Resolves to the response to a request: 404 outside the base path. Never rejects. */
  fetch(request: Request): Promise<Response>;
  /**
   * Like `fetch`, but resolves to `undefined` for a path that is not below the base path. `connection` states
   * what the server knows besides the request; later calls with the same Request know its `ip`, `target` and `waitUntil`.
   */
  handle(request: Request | LazyRequest, connection?: Connection): Promise<Response | undefined>;
  /** `fetch` by method, for servers that route by the names of exports. */
  readonly handlers: Readonly<Record<RouteMethod, (request: Request) => Promise<Response>>>;
  readonly auth: AuthFunction;
  /** Resolves to the session, or `null` without one. Rejects when it could not be read (SECURITY.md R7). */
  getSession(call: RequestSource): Promise<Session | null>;
  /**
   * Resolves to the session of an event, for a response of which it is not known yet whether it shows the session:
   * until `use` is called, it may be cached for all visitors. Rejects when the session could not be read.
   */
  holdSession(call: RequestSource): Promise<HeldSession>;
  /**
   * Resolves to the session.
   * @throws SessionRequired without one. Rejects also when it could not be read.
   */
  requireSession(call: RequestSource): Promise<Session>;
  /**
   * Resolves to the session of a user who has signed in within `session.freshAge`, for what a browser that was left open must not
   * do: a change of the password, an administrator's page.
   * @throws FreshSessionRequired (status 401) for an older one; SessionRequired without one. Rejects also when it could not be read.
   */
  requireFreshSession(call: RequestSource): Promise<Session>;
  /** Resolves to the CSRF token for a form of the application; `undefined` when CSRF protection is off. */
  csrfToken(call: RequestSource): Promise<string | undefined>;
  /**
   * Checks a post to the application's own code, such as one that calls `signIn`, `signOut` or `update`: that it contains the
   * token of `csrfToken`, in the field that is passed or the header `x-csrf-token`, and comes from the public origin. Lets all
   * pass when CSRF protection is off.
   * @throws MissingCSRF (status 403) otherwise.
   * @example await auth.verifyCsrfToken(request, (await request.formData()).get("csrfToken"));
   */
  verifyCsrfToken(call: RequestSource, token?: unknown): Promise<void>;
  /**
   * Runs the `authorized` hook. Resolves to the Response to send instead of the requested resource (a
   * redirect to the sign-in page, 401 for a method other than GET and HEAD, or the Response of a tap), or
   * to `undefined` when the request may pass. Without a tap and without `callbacks.authorized` every request
   * may pass, which is warned about once (`authorized-unused`).
   */
  authorize(call: RequestSource): Promise<Response | undefined>;
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
   * Changes the session: the `jwt` hook (or `session`, under the `database` strategy) receives `data` with
   * the trigger `update`. Resolves to the changed session; `null` without one.
   * @throws Refused when a tap of the `request` hook sent a Response.
   */
  update(call: RequestSource, data: unknown): Promise<Session | null>;
  /** The name of `update` in Auth.js. */
  unstable_update(call: RequestSource, data: unknown): Promise<Session | null>;
  /**
   * Removes expired records of the store, for a periodic task, and resolves to their number: 0 without a store, and for
   * one that removes them itself.
   * @throws the boot finding, or `MissingRequest` when the configuration is a function.
   * @example setInterval(() => auth.sweep(), 3_600_000);
   */
  sweep(options?: SweepOptions): Promise<number>;
  /**
   * Resolves to the adapter, for the application's own code: to create a user at a registration, to find one, or to end all
   * sessions of one. Its optional methods may be absent.
   * @throws MissingAdapter where there is none; the boot finding; `MissingRequest` when the configuration is a function.
   * @example await (await auth.getAdapter()).deleteSessionsByUserId?.(user.id);
   */
  getAdapter(): Promise<Adapter>;
  /**
   * Returns everything that is registered, as JSON without secrets. Boots if that has not happened yet; where
   * nothing states the environment, as for a request of this machine.
   * @throws the boot finding, or `MissingRequest` when the configuration is a function.
   */
  inspect(): Inspection;
}

/** What an option, a variable or a plugin has decided. Contains no secret. */
export interface Decision {
  /** An option or a part, such as `trustHost`, `origin` or `cookies.sessionToken`. */
  name: string;
  value: string;
  /** What decided it: an option in backquotes, a variable, a plugin, or a default. */
  reason: string;
}

/** The result of `diagnose` of `keyhook/testing`. */
export interface Diagnosis {
  decisions: Decision[];
  warnings: { code: string; detail: string }[];
  /** What prevents the boot, with the fix in each message; empty when nothing does. */
  faults: { type: string; message: string }[];
  /** What is registered; `null` with faults. */
  inspection: Inspection | null;
  /** Names of variables that begin with `AUTH_` or `NEXTAUTH_`, and that nothing has read; with faults those alone that are misspelt. */
  unread: string[];
  /** The name of a variable that is read and not set, by the one in `unread` that is probably meant to be it. */
  misspelt: Record<string, string>;
  /** The optional packages that the plugins and providers in use import, installed or not. */
  packages: readonly string[];
}
