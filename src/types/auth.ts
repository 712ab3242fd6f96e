import type { AuthConfig } from "./config.ts";
import type { Plugin, TapInfo } from "./kernel.ts";
import type { Awaitable, Session } from "./models.ts";
import type { CookieAttributes, PagesOptions } from "./options.ts";
import type { StoreBackend, StoreNeeds } from "./store.ts";

/** A framework's face for an Auth: what `createAuth` of the preset adds to it. */
export interface Binding<Face extends object = object> {
  readonly name: string;
  face(auth: Auth): Face;
}

/** A named choice of plugins and defaults. */
export interface Preset<Face extends object = object> {
  readonly name: string;
  /** Presets it stands on. */
  readonly extends?: readonly Preset[];
  readonly plugins?: readonly Plugin[];
  readonly defaults?: Partial<AuthConfig>;
  readonly binding?: Binding<Face>;
}

// --- the application's handle ------------------------------------------------------------------

/**
 * Where a server verb finds its request: a Request, or an event with `req` and `res.headers` (h3),
 * to which session cookies are added.
 */
export type Call =
  | Request
  | { readonly req: Request; readonly res?: { readonly headers: Headers } };

/** Extra authorization parameters in any form. */
export type AuthorizationParams =
  | string
  | Record<string, string>
  | URLSearchParams
  | [string, string][];

/** Options of a server-side sign-in; further keys are posted as fields. */
export type SignInOptions =
  | FormData
  | ({ redirect?: boolean; redirectTo?: string } & Record<string, unknown>);

/** Options of a server-side sign-out. */
export interface SignOutOptions {
  /** `false` answers the target URL instead of a redirecting Response. Default `true`. */
  redirect?: boolean;
  /** Default: the present page. */
  redirectTo?: string;
}

/** A Request that carries its session. */
export type AuthedRequest<R extends Request = Request> = R & { auth: Session | null };

/** The session of a call, or a wrapper around a handler. */
export interface AuthFunction {
  (call: Call): Promise<Session | null>;
  <R extends Request, Rest extends unknown[]>(
    handler: (request: AuthedRequest<R>, ...rest: Rest) => Awaitable<Response>,
  ): (request: R, ...rest: Rest) => Promise<Response>;
}

/** What an application holds. */
export interface Auth {
  /**
   * Adds a plugin or a preset.
   * @throws PluginError once the first request was answered.
   * @example createAuth().use(githubPlugin())
   */
  use(plugin: Plugin | Preset): this;
  /** Answers a request; never rejects. */
  fetch(request: Request): Promise<Response>;
  /** Like `fetch`, but `undefined` for a path that does not lie below the base path. */
  handle(request: Request): Promise<Response | undefined>;
  readonly handlers: {
    GET(request: Request): Promise<Response>;
    POST(request: Request): Promise<Response>;
  };
  readonly auth: AuthFunction;
  /** The session, or `null`. Rejects when that cannot be known. */
  getSession(call: Call): Promise<Session | null>;
  /** The CSRF token for a form of the application's own, `undefined` when CSRF protection is off. */
  csrfToken(call: Call): Promise<string | undefined>;
  /**
   * Asks the `authorized` hook. Answers what to send in the place of what was asked for (the way to
   * the sign-in page, 401 where no page was asked for, or what a tap says), `undefined` to go on.
   */
  authorize(call: Call): Promise<Response | undefined>;
  /** Signs in on behalf of the visitor. A Response, or with `redirect: false` the target URL. */
  signIn(
    call: Call,
    provider?: string,
    options?: SignInOptions,
    authorizationParams?: AuthorizationParams,
  ): Promise<Response | string>;
  /** Signs out. A Response, or with `redirect: false` the target URL. */
  signOut(call: Call, options?: SignOutOptions | FormData): Promise<Response | string>;
  /** Changes the session: the data reaches the `jwt` hook (or `session`) with trigger `update`. */
  update(call: Call, data: unknown): Promise<Session | null>;
  /** Name of `update` in Auth.js. */
  unstable_update(call: Call, data: unknown): Promise<Session | null>;
  /** What is plugged in, as JSON. Boots when that has not happened yet. */
  inspect(): Inspection;
}

/** What `inspect()` answers. */
export interface Inspection {
  basePath: string;
  strategy: string;
  plugins: { name: string; provides: readonly string[] }[];
  hooks: Record<string, { kind: string; taps: TapInfo[] }>;
  /** The plugins that listen, by event. */
  events: Record<string, readonly string[]>;
  providers: { id: string; name: string; type: string }[];
  routes: { method: string; path: string; csrf: string; plugin: string }[];
  cookies: Record<string, { name: string; attributes: CookieAttributes }>;
  pages: PagesOptions;
  /** The store in force, and who keeps records in it; `null` where nobody needs one. */
  store: {
    backend: Pick<StoreBackend, "name" | "guarantees" | "atomic"> | null;
    namespaces: { namespace: string; plugin: string; needs: Omit<StoreNeeds, "isSound"> }[];
  };
  /** The methods that the adapter has; `null` without one. */
  adapter: { methods: string[] } | null;
}
