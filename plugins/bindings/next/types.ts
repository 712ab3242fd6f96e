import type { NextRequest } from "next/server";
import type {
  AnyProviderId,
  Auth,
  AuthConfig,
  AuthorizationParams,
  Awaitable,
  Plugin,
  Preset,
  RequestSource,
  Session,
  User,
} from "../../../src/kernel.ts";

/** The parts of a Pages router request that Keyhook uses: an `IncomingMessage` of Node. */
export interface PageRequest {
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly url?: string | undefined;
}

/** The parts of a Pages router response that Keyhook uses: a `ServerResponse` of Node. */
export interface PageResponse {
  readonly headersSent: boolean;
  getHeader(name: string): string | number | readonly string[] | undefined;
  setHeader(name: string, value: string): unknown;
  appendHeader(name: string, value: string): unknown;
  removeHeader(name: string): unknown;
}

/** The request of a route handler or a proxy, with its session. */
export type NextAuthRequest = NextRequest & {
  /** The session, or `null`. */
  auth: Session | null;
};

/** The second argument of a route handler. A handler may declare its own type instead. */
export interface NextRouteContext {
  readonly params: Promise<Record<string, string | string[] | undefined>>;
}

/** The part of a proxy's second argument that Keyhook uses. */
export interface NextProxyEvent {
  waitUntil(work: Promise<unknown>): void;
}

/** The parts of the `getServerSideProps` context that Keyhook uses. */
export interface NextPageContext {
  readonly req: PageRequest;
  readonly res: PageResponse;
}

/** Reads the session anywhere in Next.js code, and guards what it wraps. */
export interface NextAuthFunction {
  /**
   * Resolves to the session in server components, server actions and route handlers, or to `null`. A page that awaits
   * it is rendered for each request. Rejects inside `"use cache"`, because other visitors receive the result.
   */
  (): Promise<Session | null>;
  /**
   * Wraps a route handler or a proxy: `request.auth` is the session. When the `authorized` callback refuses the
   * request, the handler is not called. Its response carries renewed cookies.
   */
  <Context = NextRouteContext>(
    handler: (
      request: NextAuthRequest,
      context: Context,
    ) => Awaitable<Response | void | null | undefined>,
  ): (request: NextRequest, context: Context) => Promise<Response>;
  /** Resolves to the session of an API route of the Pages router. Its response carries renewed cookies. */
  (req: PageRequest, res: PageResponse): Promise<Session | null>;
  /** Resolves to the session in `getServerSideProps`. The page carries renewed cookies. */
  (context: NextPageContext): Promise<Session | null>;
  /**
   * The proxy of an application (middleware in version 15). It calls the `authorized` callback and renews the session.
   * `export { auth as proxy } from "./auth"`.
   */
  (request: NextRequest, event: NextProxyEvent): Promise<Response>;
}

/** Options of `signIn`: a form, or fields. All other keys are posted to the provider's route. */
export type NextSignInOptions<Redirect extends boolean = boolean> =
  | FormData
  | ({ redirect?: Redirect; redirectTo?: string } & Record<string, unknown>);

/** Options of `signOut`. */
export interface NextSignOutOptions<Redirect extends boolean = boolean> {
  /** `false` resolves to the target URL instead of redirecting. Default `true`. */
  readonly redirect?: Redirect;
  /** The URL to redirect to. Default: the page that called the action. */
  readonly redirectTo?: string;
}

/** The members that `createAuth` of `keyhook/next` adds to an Auth, or replaces. */
export interface NextMembers {
  /** The route handlers of `app/api/auth/[...nextauth]/route.ts`: `export const { GET, POST } = handlers`. */
  readonly handlers: Readonly<
    Record<
      "GET" | "POST" | "PUT" | "PATCH" | "DELETE",
      (request: NextRequest, context?: unknown) => Promise<Response>
    >
  >;
  /** Reads the session anywhere in Next.js code, and guards what it wraps. */
  readonly auth: NextAuthFunction;
  /**
   * Signs in, in a server action or a route handler, and redirects by throwing Next.js's redirect. Without a provider
   * it redirects to the sign-in page.
   * @throws AuthError when the sign-in fails. Rethrow any other error, including redirects.
   * @example await signIn("credentials", formData);
   */
  signIn<Redirect extends boolean = true>(
    provider?: AnyProviderId,
    options?: NextSignInOptions<Redirect>,
    authorizationParams?: AuthorizationParams,
  ): Promise<Redirect extends false ? string : never>;
  /**
   * Signs out, in a server action or a route handler.
   * @throws AuthError, as `signIn`.
   */
  signOut<Redirect extends boolean = true>(
    options?: NextSignOutOptions<Redirect> | FormData,
  ): Promise<Redirect extends false ? string : never>;
  /**
   * Changes the session, in a server action or a route handler, and resolves to it, or to `null` without one. The `jwt`
   * callback (or `session`, under the `database` strategy) receives `data` with the trigger `update`.
   */
  update(data: unknown): Promise<Session | null>;
  /**
   * Resolves to the argument that server functions accept, such as `auth.getAccessToken` of a plugin, for the current
   * component, action or route handler. The response carries the cookies that they set. While a component renders,
   * Next.js accepts no cookies.
   * @example await auth.getAccessToken(await toRequestSource(), { provider: "google" });
   */
  toRequestSource(): Promise<RequestSource>;
  /** Resolves to the argument for a route handler's or a proxy's request. A `RequestSource` is returned unchanged. */
  toRequestSource(given: NextRequest | RequestSource): Promise<RequestSource>;
  /** Resolves to the argument for an API route of the Pages router. */
  toRequestSource(req: PageRequest, res: PageResponse): Promise<RequestSource>;
  /** Resolves to the argument for `getServerSideProps`. */
  toRequestSource(context: NextPageContext): Promise<RequestSource>;
  /** The name of `update` in Auth.js. */
  unstable_update(data: unknown): Promise<Session | null>;
}

/** The Auth of a Next.js application. */
export interface NextAuthResult extends Omit<Auth, keyof NextMembers | "use">, NextMembers {
  /**
   * Adds a plugin or a preset.
   * @throws PluginError for a value that is neither, and after the first request or `inspect()`.
   * @example createAuth().use(githubPlugin())
   */
  use<Extension extends object = {}>(
    addition: Plugin<Extension> | Preset<Extension>,
  ): this & Extension;
}

type Callbacks = NonNullable<AuthConfig["callbacks"]>;

type SessionParams = Parameters<NonNullable<Callbacks["session"]>>[0];

/** The configuration. Its `authorized` callback receives the request as Next.js passes it. */
export interface NextAuthConfig extends Omit<AuthConfig, "callbacks"> {
  callbacks?: Omit<Callbacks, "authorized" | "session"> & {
    /** Returns the session that the client receives. `null` reports no session. */
    session?(
      params: SessionParams & { session: { user: User } },
    ): Awaitable<Session | object | null>;
    /** Decides on a request. `false` refuses it, and a Response is sent instead. */
    authorized?: (params: { request: NextRequest; auth: Session | null }) => Awaitable<unknown>;
  };
}

/** A configuration, or a function that returns one for each request. */
export type NextConfigSource =
  | NextAuthConfig
  | ((request: NextRequest | undefined) => Awaitable<NextAuthConfig>);
