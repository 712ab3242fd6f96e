import type { CookieAttributes } from "./cookie.ts";

/** What a server knows about a request besides the Request itself. */
export interface Connection {
  /** IP address of the other end of the connection: the client's, or a proxy's. */
  readonly ip?: string | undefined;
  /** The request target as the client sent it: the URL of a Request has lost dot segments and backslashes. */
  readonly target?: string | undefined;
  /**
   * The runtime of the server that sends the response, in the form of srvx. With `node`, the server may be given an
   * object with the members of a Response that it can write directly; any other runtime gets a real Response.
   */
  readonly runtime?: { readonly name: string } | undefined;
  /** The application has its own pages below the base path: a request without a route passes through to them. */
  readonly sharesPath?: boolean | undefined;
  /**
   * The request calls a server function through a page. That visitors may see the sign-in page does not let such a
   * request pass.
   */
  readonly callsFunction?: boolean | undefined;
  /**
   * The framework's own router fetches a page, and follows a redirect to another one. Default: what `Accept` and
   * `Sec-Fetch-Mode` say.
   */
  readonly isNavigation?: boolean | undefined;
  /** Keeps the runtime alive until the promise settles, for work that continues after the response. */
  readonly waitUntil?: ((work: Promise<unknown>) => void) | undefined;
}

/**
 * A request of a server that has no Request at hand: what the kernel reads of every request, and `toRequest` for code
 * that needs a Request.
 */
export interface LazyRequest {
  readonly method: string;
  /** The absolute URL; always parsable. */
  readonly url: string;
  /** The same values that the Request has; names in lower case. */
  readonly headers: Pick<Headers, "get" | "keys">;
  /** Returns the Request, the same one at each call. */
  toRequest(): Request;
}

/** Receives the cookies of a response, for a framework that serializes them itself. */
export interface CookieSink {
  /** Sets a cookie. `value` is unencoded: the framework encodes it as `encodeURIComponent` does. */
  set(name: string, value: string, attributes: CookieAttributes): void;
  /** Keeps the response out of every cache, because it depends on the session. */
  forbidCaching?(): void;
}

/** The response that a server-side method adds cookies to: by its headers, or by a sink for cookies. */
export type ResponseSink = { readonly headers: Headers } | { readonly cookies: CookieSink };

/** A request together with its future response: an event of h3, or what the binding of a framework creates. */
export interface RequestEvent {
  /**
   * The Request, which may state its connection, as in `auth.handle`. Must be the same object in all calls for one
   * request.
   */
  readonly req: Request & Connection;
  readonly res?: ResponseSink | undefined;
}

/**
 * The request that a server-side method works on. With an event, cookies go out with its response, and its session is
 * read once, and again after a sign-in, sign-out or update of the same request. With a plain Request, the session is
 * read at each call.
 */
export type RequestSource = Request | RequestEvent;

/**
 * What the frameworks of additional bindings pass to handlers. A binding adds it by augmentation, under its own name:
 * `declare module "keyhook/types" { interface FrameworkRequests { hono: Context } }`.
 */
export interface FrameworkRequests {}

/** What frameworks pass to handlers, reduced to the part that has the request; their binding converts it. */
export type FrameworkRequest =
  | FrameworkRequests[keyof FrameworkRequests]
  | { readonly request: Request }
  | { readonly rawHeaders: readonly string[] }
  | { readonly raw: { readonly rawHeaders: readonly string[] } }
  | { readonly node: { readonly req: { readonly rawHeaders: readonly string[] } } };

/** What server functions of plugins take: a `RequestSource`, or what the binding's framework passes to handlers. */
export type AnyRequestSource = RequestSource | FrameworkRequest;
