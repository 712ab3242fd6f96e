import type { CookieAttributes } from "./cookie.ts";

/** What a server knows about a request besides the Request itself. */
export interface Connection {
  /** IP address of the other end of the connection: the client's, or a proxy's. */
  readonly ip?: string | undefined;
  /** The request target as the client wrote it: the URL of a Request has lost dot segments and backslashes. */
  readonly target?: string | undefined;
  /**
   * The runtime of the server that sends the response, as srvx states it in its requests. A server of `node` may be given
   * an object with the members of a Response that it can write at once; every other one gets a Response of the runtime.
   */
  readonly runtime?: { readonly name: string } | undefined;
  /** The application has pages of its own below the base path: where no route is, the request passes to them. */
  readonly sharesPath?: boolean | undefined;
  /** The request calls a function of the server by way of a page: what lets visitors see the sign-in page says nothing of it. */
  readonly callsFunction?: boolean | undefined;
  /** Keeps the runtime alive until the promise is settled, for work that continues after the response. */
  readonly waitUntil?: ((work: Promise<unknown>) => void) | undefined;
}

/**
 * A request of a server that has no Request at hand: what the kernel reads of every request, and the Request for what
 * needs one.
 */
export interface LazyRequest {
  readonly method: string;
  /** The absolute URL, which can be parsed. */
  readonly url: string;
  /** The values are those that the Request has; the names are in lower case. */
  readonly headers: Pick<Headers, "get" | "keys">;
  /** Returns the Request, the same one at each call. */
  toRequest(): Request;
}

/** Takes the cookies of a response, in a framework that serializes them itself. */
export interface CookieSink {
  /** Sets a cookie. `value` is not encoded yet: the framework encodes it as `encodeURIComponent` does. */
  set(name: string, value: string, attributes: CookieAttributes): void;
  /** Keeps the response out of every cache: it depends on the session. */
  forbidCaching?(): void;
}

/** The response that a server-side method adds cookies to, by its headers or by the cookies that it will have. */
export type ResponseSink = { readonly headers: Headers } | { readonly cookies: CookieSink };

/** A request, and the response that it will get: an event of h3, or what the binding of a framework makes. */
export interface RequestEvent {
  /** The Request, which may state its connection, as that of `auth.handle`. The same object at each call of one request. */
  readonly req: Request & Connection;
  readonly res?: ResponseSink | undefined;
}

/**
 * The request that a server-side method works on. With the response of an event, cookies go out with it; its session is
 * read once, and read again after a sign-in, sign-out or update of the same request. A plain Request is read at each
 * call.
 */
export type RequestSource = Request | RequestEvent;

/**
 * What the frameworks of further bindings hand to handlers. A binding adds it by augmentation, under its own name:
 * `declare module "keyhook/types" { interface FrameworkRequests { hono: Context } }`.
 */
export interface FrameworkRequests {}

/** What frameworks hand to handlers, by the part that has the request; their binding converts it. */
export type FrameworkRequest =
  | FrameworkRequests[keyof FrameworkRequests]
  | { readonly request: Request }
  | { readonly rawHeaders: readonly string[] }
  | { readonly raw: { readonly rawHeaders: readonly string[] } }
  | { readonly node: { readonly req: { readonly rawHeaders: readonly string[] } } };

/** What server functions of plugins take: a `RequestSource`, or what the framework of the binding hands to handlers. */
export type AnyRequestSource = RequestSource | FrameworkRequest;
