import type { IncomingMessage, ServerResponse } from "node:http";
import { dropCaching, getKnownParts, getMediaType, isObject } from "../../src/_kit.ts";
import { BadRequest } from "../../src/errors.ts";
import type {
  Auth,
  Binding,
  Connection,
  LazyRequest,
  RequestSource,
  Session,
} from "../../src/kernel.ts";
import { ResponseHeaders } from "./_response-headers.ts";

/** A request of `node:http`, or of a framework on top of it. Express adds the optional members. */
export interface NodeRequest extends IncomingMessage {
  /** The path before a mounted router removed its prefix. */
  originalUrl?: string | undefined;
  /** The scheme, with `trust proxy` applied. */
  protocol?: string | undefined;
  /** The body as parsed by a body parser. */
  body?: unknown;
}

/** A handler `(req, res, next)` for express 4 and 5, connect and `node:http`. */
export type NodeHandler = (
  req: NodeRequest,
  res: ServerResponse,
  next?: (error?: unknown) => void,
) => void;

/** The members that `createAuth` of `keyhook/node` adds to an Auth. */
export interface NodeMembers {
  /** Handles the routes below the base path. Other paths are passed to `next`, or get 404 without `next`. */
  readonly handler: NodeHandler;
  /**
   * Handles a request. Resolves to whether it responded: `false` for other paths, whose requests are not read. For
   * frameworks that await their handlers, such as Koa. Also resolves when the client disconnects.
   * @throws BadRequest when the Host header or the path is malformed, or a parsed body cannot be serialized.
   */
  handle(req: NodeRequest, res: ServerResponse): Promise<boolean>;
  /** Resolves to the session of a request. With `res`, that response carries renewed cookies. */
  getSession(req: NodeRequest, res?: ServerResponse): Promise<Session | null>;
  /**
   * Converts a request and its response into the argument that the server functions of an Auth accept. A
   * `RequestSource` is returned unchanged.
   * @throws BadRequest when the Host header or the path is malformed, or a parsed body cannot be serialized.
   */
  toRequestSource(req: NodeRequest | RequestSource, res?: ServerResponse): RequestSource;
}

// Reads nothing until the stream is consumed, so the bodies of the application's own paths stay unread.
function toStream(req: IncomingMessage): ReadableStream<Uint8Array> {
  let chunks: AsyncIterator<Uint8Array> | undefined;
  return new ReadableStream(
    {
      async pull(controller) {
        // If the iterator destroyed the request, it would close the socket before the response is sent.
        chunks ??= req.iterator({ destroyOnReturn: false });
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        // Not awaited, because the rest of the body may take long to arrive.
        await chunks?.return?.().catch(() => {});
        req.resume();
      },
    },
    { highWaterMark: 0 },
  );
}

// The inverse of how parsers read `a[b]=c`. Their objects may lack a `toString`.
function appendField(form: URLSearchParams, name: string, value: unknown): void {
  if (typeof value !== "object" || value === null) {
    return form.append(name, String((value ?? "") as string | number | boolean));
  }
  for (const [key, inner] of Object.entries(value)) {
    appendField(form, Array.isArray(value) ? name : `${name}[${key}]`, inner);
  }
}

// Serializes a body that a parser has already read from the stream, according to its content type.
function serializeBody(body: unknown, headers: Headers): string | Uint8Array<ArrayBuffer> {
  if (typeof body === "string") return body;
  if (body instanceof Uint8Array) return new Uint8Array(body);
  const type = getMediaType(headers.get("content-type"));
  if (type !== "application/x-www-form-urlencoded") {
    // The parts have become members of an object.
    if (type === "multipart/form-data") headers.set("content-type", "application/json");
    return JSON.stringify(body);
  }
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(body ?? {})) appendField(form, name, value);
  return form.toString();
}

/**
 * Returns the value of a header, named in lower case, like the Request's Headers. It does not create them, because most
 * requests need only a few headers.
 */
export function getHeader(req: Pick<IncomingMessage, "rawHeaders">, name: string): string | null {
  let found: string | null = null;
  for (let at = 0; at < req.rawHeaders.length; at += 2) {
    const other = req.rawHeaders[at] as string;
    if (other.length !== name.length || other.toLowerCase() !== name) continue;
    if (found !== null) return toHeaders(req).get(name);
    found = req.rawHeaders[at + 1] as string;
  }
  return found;
}

function toHeaders(req: Pick<IncomingMessage, "rawHeaders">): Headers {
  const headers = new Headers();
  for (let at = 0; at < req.rawHeaders.length; at += 2) {
    const name = req.rawHeaders[at] as string;
    // HTTP/2 lists method and path among the headers.
    if (!name.startsWith(":")) headers.append(name, req.rawHeaders[at + 1] as string);
  }
  return headers;
}

// The URL parser leaves these hosts unchanged. IP addresses and Punycode are excluded, because it checks them.
const PLAIN_HOST = /^(?!.*xn--)(?:[\w-]+\.)*[a-z][\w-]*(?::(?:\d{1,4}|[1-5]\d{4}))?$/i;
// Any other character would become another part of the URL.
const HOST = /^[\w.:[\]-]+$/;
// A path. It is empty below a mount that consumed all of it.
const PATH = /^(?:[/?]|$)/;
/** Methods that a Request cannot have. They get the response to a method that no route has. */
const NO_METHOD = /^(?:CONNECT|TRACE|TRACK)$/i;

/** Values that a framework knows better than its Node request. Each takes precedence over the request's value. */
export interface RequestParts {
  /** Aborted when the client disconnects. */
  readonly signal?: AbortSignal | undefined;
  /** The body as parsed by a parser. */
  readonly body?: unknown;
  /** The scheme, such as `https`. */
  readonly protocol?: string | undefined;
  /** The path with its query. */
  readonly url?: string | undefined;
}

function toUrl(req: NodeRequest, parts: RequestParts = {}): string {
  const encrypted = (req.socket as { encrypted?: boolean } | undefined)?.encrypted;
  // A proxy sets the scheme. Without a proxy, a client may choose it.
  const protocol = parts.protocol ?? req.protocol ?? (encrypted ? "https" : "http");
  const scheme = protocol.toLowerCase() === "https" ? "https" : "http";
  const target = parts.url ?? req.originalUrl ?? req.url ?? "/";
  // RFC 9112 section 3.2.2: the host of an absolute-form target takes precedence over the Host header.
  const isPath = target.startsWith("/");
  const [, targetHost, rest] = (!isPath && /^https?:\/\/([^/?#]*)(.*)/is.exec(target)) || [];
  // No other form of request target is accepted (RFC 9112 section 3.2). Routers read `foo://host/admin` as `/admin`.
  const isNone = !isPath && targetHost === undefined && !PATH.test(target);
  const isMalformed = isNone && (target !== "*" || req.method !== "OPTIONS");
  // RFC 9113 section 8.3.1: in HTTP/2, the authority takes precedence.
  const given = targetHost ?? req.headers[":authority"] ?? req.headers.host ?? "localhost";
  const host = String(given);
  const path = rest ?? target;
  // A path that starts with two slashes must not be parsed as a host.
  const url = `${scheme}://${host}${path.startsWith("/") ? path : `/${path}`}`;
  const isHost = PLAIN_HOST.test(host) || (HOST.test(host) && URL.canParse(url));
  if (isMalformed || !isHost) {
    throw new BadRequest("The request's host or path is malformed.");
  }
  return url;
}

function toBody(req: NodeRequest, body: unknown, headers: Headers): BodyInit | null {
  // Express 4's parsers set an empty `body` even for a body that they do not read.
  if (req.readable && !req.readableDidRead) return toStream(req);
  headers.delete("content-length");
  if (body === undefined) return null;
  try {
    return serializeBody(body, headers);
  } catch (cause) {
    throw new BadRequest("The parsed body could not be serialized.", { cause });
  }
}

/**
 * Converts a Node request into a web Request.
 * @throws BadRequest when its Host header or path is malformed, or its parsed body could not be serialized.
 */
export function toRequest(req: NodeRequest, parts: RequestParts = {}): Request {
  return makeRequest(req, toUrl(req, parts), parts);
}

function makeRequest(req: NodeRequest, url: string, { signal, ...parts }: RequestParts): Request {
  const headers = toHeaders(req);
  const method = req.method ?? "GET";
  const init = { headers, ...(signal && { signal }) };
  if (NO_METHOD.test(method)) return new Request(url, { ...init, method: "OPTIONS" });
  if (method === "GET" || method === "HEAD") return new Request(url, { ...init, method });
  const body = toBody(req, parts.body ?? req.body, headers);
  const posted: RequestInit & { duplex: "half" } = { ...init, method, body, duplex: "half" };
  return new Request(url, posted);
}

/** Creates the signal that is aborted when the client disconnects before the response was sent. */
export function createSignal(res: ServerResponse): AbortSignal {
  const disconnected = new AbortController();
  const onClose = () => {
    if (!res.writableFinished) disconnected.abort();
  };
  if (res.closed) onClose();
  else res.once("close", onClose);
  return disconnected.signal;
}

// Most requests only read the session and use no more members than these.
class LazyNodeRequest implements LazyRequest {
  readonly method: string;
  readonly url: string;
  readonly #req: NodeRequest;
  readonly #res: ServerResponse;
  #request: Request | undefined;

  constructor(req: NodeRequest, res: ServerResponse) {
    this.method = req.method ?? "GET";
    this.url = toUrl(req);
    this.#req = req;
    this.#res = res;
  }

  get headers(): LazyRequest["headers"] {
    return this;
  }

  get(name: string): string | null {
    return getHeader(this.#req, name);
  }

  keys(): ReturnType<Headers["keys"]> {
    return this.toRequest().headers.keys();
  }

  toRequest(): Request {
    this.#request ??= makeRequest(this.#req, this.url, { signal: createSignal(this.#res) });
    return this.#request;
  }
}

function readRequest(req: NodeRequest, res: ServerResponse): Request | LazyRequest {
  const { method = "GET" } = req;
  if (method === "GET" || method === "HEAD") return new LazyNodeRequest(req, res);
  return toRequest(req, { signal: createSignal(res) });
}

const NODE = { name: "node" };

/** Returns what a Node request says besides its content: the address of the connection, and the raw target. */
export function getConnection({ socket, originalUrl, url }: NodeRequest): Connection {
  const { remoteAddress: ip } = (socket as { remoteAddress?: string } | undefined) ?? {};
  return { ip, target: originalUrl ?? url, runtime: NODE };
}

// Returns whether a response is of Node's own class, and nothing has set a header or replaced the methods that send it.
// Middleware sets headers there, and frameworks read them.
function isUntouched(res: ServerResponse): boolean {
  const parent = Object.getPrototypeOf(res) as ServerResponse;
  return (
    Object.hasOwn(parent, "constructor") &&
    parent.constructor.name === "ServerResponse" &&
    !Object.hasOwn(res, "writeHead") &&
    !Object.hasOwn(res, "end") &&
    !res.getHeaderNames().length
  );
}

/**
 * Sends a Response as the response to a Node request. Headers and cookies that the application has set remain, except
 * headers by which a cache would store a response for one visitor.
 */
export async function sendResponse(response: Response, res: ServerResponse): Promise<void> {
  const known = getKnownParts(response);
  // Read first: if it fails, no header of this response is sent with the error.
  const content =
    known || !response.body ? known?.text : new Uint8Array(await response.arrayBuffer());
  res.statusCode = response.status;
  // In Node, setting each header takes twice as long as writing all of them at once.
  if (known?.headers && isUntouched(res)) {
    const length = Buffer.byteLength(known.text);
    res.writeHead(response.status, { ...known.headers, "content-length": length });
  } else {
    const headers = known?.headers ? Object.entries(known.headers) : [...response.headers];
    const [, caching] = headers.find(([name]) => name === "cache-control") ?? [];
    const own = new ResponseHeaders(res);
    dropCaching(own, caching ?? null);
    for (const [name, value] of headers) {
      // Appends, so that the application's earlier cookies remain.
      if (name === "set-cookie") own.append(name, value);
      else own.set(name, value);
    }
  }
  res.end(content);
}

/** Returns whether a value is a request of `node:http`, or of a framework on top of it. */
export function isNodeRequest(given: unknown): given is NodeRequest {
  return isObject(given) && "rawHeaders" in given;
}

/**
 * The binding for Node servers. A binding for a framework on top of `node:http` extends it.
 * @example extend: (auth) => ({ ...nodeBinding.extend(auth), middleware })
 */
export const nodeBinding: Binding<NodeMembers> = {
  name: "bindings/node",
  extend(auth: Auth) {
    const { getSession, handle } = auth;
    // Each Node request has one Request, so that its session is read once, and again after a sign-in.
    const requests = new WeakMap<NodeRequest, Request & Connection>();
    const getRequest = (req: NodeRequest) => {
      const known = requests.get(req) ?? Object.assign(toRequest(req), getConnection(req));
      requests.set(req, known);
      return known;
    };
    const toRequestSource = (
      given: NodeRequest | RequestSource,
      res?: ServerResponse,
    ): RequestSource => {
      if (!isNodeRequest(given)) return given;
      const req = getRequest(given);
      return res ? { req, res: { headers: new ResponseHeaders(res) } } : { req };
    };
    const respond = async (req: NodeRequest, res: ServerResponse): Promise<boolean> => {
      const response = await handle(readRequest(req, res), getConnection(req));
      if (response) await sendResponse(response, res);
      return response !== undefined;
    };
    return {
      handler(req, res, next) {
        // Thrown synchronously: a rejected promise would end the process.
        if (!req) throw new TypeError("Pass `auth.handler` itself, not what it returns.");
        const notFound = () => {
          res.statusCode = 404;
          res.end();
        };
        respond(req, res).then(
          (isHandled) => {
            if (!isHandled) (next ?? notFound)();
          },
          (error: unknown) => {
            // A malformed request, or a response whose body could not be read. Frameworks read the status from the error.
            if (next) return next(error);
            res.statusCode = error instanceof BadRequest ? error.status : 500;
            res.end();
          },
        );
      },
      handle: ((req: NodeRequest | Request | LazyRequest, other?: ServerResponse | Connection) =>
        "rawHeaders" in req
          ? respond(req, other as ServerResponse)
          : handle(req, other as Connection | undefined)) as NodeMembers["handle"],
      getSession: async (req: NodeRequest | RequestSource, res?: ServerResponse) =>
        getSession(toRequestSource(req, res)),
      toRequestSource,
    };
  },
};
