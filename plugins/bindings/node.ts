import type { IncomingMessage, ServerResponse } from "node:http";
import type { Auth, Binding, Call, Session } from "../../src/index.ts";

/** A request of `node:http`, or of what stands on it: express adds the members that may be missing. */
export interface NodeRequest extends IncomingMessage {
  /** Path before a mount took its part off. */
  originalUrl?: string;
  /** Scheme, after `trust proxy`. */
  protocol?: string;
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
        chunks ??= req[Symbol.asyncIterator]();
        const { done, value } = await chunks.next();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      // Ending the iterator would close the socket before the answer is out.
      cancel: () => void req.resume(),
    },
    { highWaterMark: 0 },
  );
}

// A body that a parser already took off the stream, written again as its type says.
function rewrite(body: unknown, type: string): string | Uint8Array<ArrayBuffer> {
  if (typeof body === "string") return body;
  if (body instanceof Uint8Array) return new Uint8Array(body);
  if (!type.includes("application/x-www-form-urlencoded")) return JSON.stringify(body);
  const form = new URLSearchParams();
  for (const [name, value] of Object.entries(body as Record<string, unknown>)) {
    for (const one of [value].flat()) form.append(name, String(one));
  }
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

/**
 * The web's Request of a Node request.
 * @throws TypeError when its Host header or path cannot be a URL.
 */
export function toRequest(req: NodeRequest, signal?: AbortSignal): Request {
  const headers = headersOf(req);
  const encrypted = (req.socket as { encrypted?: boolean } | undefined)?.encrypted;
  const scheme = req.protocol ?? (encrypted ? "https" : "http");
  const host = headers.get("host") ?? headers.get(":authority") ?? "localhost";
  const path = req.originalUrl ?? req.url ?? "/";
  // A path that starts with two slashes must not be read as a host.
  const url = new URL(`${scheme}://${host}${path.startsWith("/") ? path : `/${path}`}`);
  const method = req.method ?? "GET";
  const init = { method, headers, ...(signal && { signal }) };
  if (method === "GET" || method === "HEAD") return new Request(url, init);
  const parsed = req.readableEnded || req.body !== undefined;
  if (!parsed) {
    const streaming: RequestInit & { duplex: "half" } = {
      ...init,
      body: streamOf(req),
      duplex: "half",
    };
    return new Request(url, streaming);
  }
  headers.delete("content-length");
  const body = req.body === undefined ? null : rewrite(req.body, headers.get("content-type") ?? "");
  return new Request(url, { ...init, body });
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
            // Only a malformed Host or path gets here.
            if (next) return next(error);
            res.statusCode = 400;
            res.end();
          },
        );
      },
      getSession: (req: NodeRequest | Call, res?: ServerResponse) =>
        "rawHeaders" in req ? getSession(call(req, res)) : getSession(req),
      call,
    };
  },
};

export default nodeBinding;
