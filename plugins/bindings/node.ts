import type { IncomingMessage, ServerResponse } from "node:http";
import { BadRequest } from "../../src/index.ts";
import type { Auth, Binding, Call, Session } from "../../src/index.ts";

/** A request of `node:http`, or of what stands on it: express adds the members that may be missing. */
export interface NodeRequest extends IncomingMessage {
  /** Path before a mount took its part off. */
  originalUrl?: string | undefined;
  /** Scheme, after `trust proxy`. */
  protocol?: string | undefined;
  /** What a body parser made of the body. */
  body?: unknown;
}

/** `(req, res, next)`, usable in express 4 and 5, connect and `node:http`. */
export type NodeHandler = (
  req: NodeRequest,
  res: ServerResponse,
  next?: (error?: unknown) => void,
) => void;

/** What `createAuth` of `keyhook/node` adds to an Auth. */
export interface NodeFace {
  /** Answers the routes below the base path; other paths go to `next`, or get 404. */
  readonly handler: NodeHandler;
  /** The session of a request; with a response, renewed cookies go out with it. */
  getSession(req: NodeRequest, res?: ServerResponse): Promise<Session | null>;
  /** A request and its response as the server verbs take them. */
  call(req: NodeRequest, res?: ServerResponse): Call;
}

// Nothing is read before somebody asks: a path that is not ours keeps its body.
function streamOf(req: IncomingMessage): ReadableStream<Uint8Array> {
  let chunks: AsyncIterator<Uint8Array> | undefined;
  return new ReadableStream(
    {
      async pull(controller) {
        // Destroyed with its iterator, it would close the socket before the answer is out.
        chunks ??= req.iterator({ destroyOnReturn: false });
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      async cancel() {
        // Not awaited by anybody: the rest may be long in coming.
        await chunks?.return?.().catch(() => {});
        req.resume();
      },
    },
    { highWaterMark: 0 },
  );
}

// As parsers read `a[b]=c`; what they make of it need not have a `toString`.
function appendField(form: URLSearchParams, name: string, value: unknown): void {
  if (typeof value !== "object" || value === null) {
    return form.append(name, String((value ?? "") as string | number | boolean));
  }
  for (const [key, inner] of Object.entries(value)) {
    appendField(form, Array.isArray(value) ? name : `${name}[${key}]`, inner);
  }
}

// A body that a parser already took off the stream, written again as its type says.
function rewrite(body: unknown, headers: Headers): string | Uint8Array<ArrayBuffer> {
  if (typeof body === "string") return body;
  if (body instanceof Uint8Array) return new Uint8Array(body);
  const type = headers.get("content-type") ?? "";
  if (!type.includes("application/x-www-form-urlencoded")) {
    // Its parts are members of an object by now.
    if (type.includes("multipart/form-data")) headers.set("content-type", "application/json");
    return JSON.stringify(body);
  }
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(body ?? {})) appendField(form, name, value);
  return form.toString();
}

function headersOf(req: IncomingMessage): Headers {
  const headers = new Headers();
  for (let at = 0; at < req.rawHeaders.length; at += 2) {
    const name = req.rawHeaders[at] as string;
    // HTTP/2 puts method and path among the headers.
    if (!name.startsWith(":")) headers.append(name, req.rawHeaders[at + 1] as string);
  }
  return headers;
}

// Anything else in it would become another part of the URL.
const HOST = /^[\w.:[\]-]+$/;
/** No Request can have these; they are answered as any other method that no route has. */
const NO_METHOD = /^(?:CONNECT|TRACE|TRACK)$/i;

function urlOf(req: NodeRequest): URL {
  const encrypted = (req.socket as { encrypted?: boolean } | undefined)?.encrypted;
  const scheme = req.protocol ?? (encrypted ? "https" : "http");
  const target = req.originalUrl ?? req.url ?? "/";
  // RFC 9112 section 3.2.2: a target with a host of its own is right about it.
  const [, targetHost, rest] = /^https?:\/\/([^/?#]*)(.*)/is.exec(target) ?? [];
  const host = targetHost ?? req.headers.host ?? req.headers[":authority"] ?? "localhost";
  const path = rest ?? target;
  // A path that starts with two slashes must not be read as a host.
  const url = `${scheme}://${String(host)}${path.startsWith("/") ? path : `/${path}`}`;
  if (!HOST.test(String(host)) || !URL.canParse(url)) {
    throw new BadRequest("The request's host or path is malformed.");
  }
  return new URL(url);
}

function bodyOf(req: NodeRequest, headers: Headers): BodyInit | null {
  // Express 4's parsers leave an empty `body` also on what they do not read.
  if (req.readable && !req.readableDidRead) return streamOf(req);
  headers.delete("content-length");
  if (req.body === undefined) return null;
  try {
    return rewrite(req.body, headers);
  } catch (cause) {
    throw new BadRequest("The parsed body cannot be written again.", { cause });
  }
}

/**
 * The web's Request of a Node request.
 * @throws BadRequest when its Host header or path cannot be a URL, or its parsed body no text.
 */
export function toRequest(req: NodeRequest, signal?: AbortSignal): Request {
  const url = urlOf(req);
  const headers = headersOf(req);
  const method = req.method ?? "GET";
  const init = { headers, ...(signal && { signal }) };
  if (NO_METHOD.test(method)) return new Request(url, { ...init, method: "OPTIONS" });
  if (method === "GET" || method === "HEAD") return new Request(url, { ...init, method });
  const body = bodyOf(req, headers);
  const posted: RequestInit & { duplex: "half" } = { ...init, method, body, duplex: "half" };
  return new Request(url, posted);
}

async function send(response: Response, res: ServerResponse): Promise<void> {
  res.statusCode = response.status;
  for (const [name, value] of response.headers) {
    if (name === "set-cookie") res.appendHeader(name, value);
    else res.setHeader(name, value);
  }
  res.end(response.body ? new Uint8Array(await response.arrayBuffer()) : undefined);
}

// Cookies of a server verb go straight onto the Node response.
class ResponseHeaders extends Headers {
  readonly #res: ServerResponse;
  constructor(res: ServerResponse) {
    super();
    this.#res = res;
  }
  override append(name: string, value: string): void {
    if (!this.#res.headersSent) this.#res.appendHeader(name, value);
  }
  override set(name: string, value: string): void {
    if (!this.#res.headersSent) this.#res.setHeader(name, value);
  }
  override get(name: string): string | null {
    const value = this.#res.getHeader(name);
    return value === undefined ? null : [value].flat().join(", ");
  }
}

/** The face for Node servers. */
export const nodeBinding: Binding<NodeFace> = {
  name: "bindings/node",
  face(auth: Auth) {
    const { getSession } = auth;
    const call = (req: NodeRequest, res?: ServerResponse): Call => {
      const request = toRequest(req);
      return res ? { req: request, res: { headers: new ResponseHeaders(res) } } : request;
    };
    const answer = async (req: NodeRequest, res: ServerResponse): Promise<boolean> => {
      const gone = new AbortController();
      res.once("close", () => {
        if (!res.writableFinished) gone.abort();
      });
      const response = await auth.handle(toRequest(req, gone.signal));
      if (response) await send(response, res);
      return response !== undefined;
    };
    return {
      handler(req, res, next) {
        const notFound = () => {
          res.statusCode = 404;
          res.end();
        };
        answer(req, res).then(
          (answered) => {
            if (!answered) (next ?? notFound)();
          },
          (error: unknown) => {
            // Only what `toRequest` refuses gets here; its status is 400, as frameworks read it.
            if (next) return next(error);
            res.statusCode = 400;
            res.end();
          },
        );
      },
      getSession: async (req: NodeRequest | Call, res?: ServerResponse) =>
        "rawHeaders" in req ? getSession(call(req, res)) : getSession(req),
      call,
    };
  },
};

export default nodeBinding;
