import { getWrittenPath, isSafeMethod, keepPrivate } from "../../src/_kit.ts";
import type { Connection } from "../../src/kernel.ts";
import { ResponseHeaders } from "./_response-headers.ts";
import { getConnection, type NodeHandler, toRequest } from "./node.ts";

/** The parts of an h3 2 event that Keyhook reads. */
export interface WebEvent {
  readonly req: Request & Connection & WebRequestParts;
  readonly res: WebEventResponse;
  readonly context: object;
}

interface WebEventResponse {
  readonly headers: Headers;
  /** Headers of errors and of responses with an error status. */
  readonly errHeaders?: Headers;
}

interface WebRequestParts {
  readonly runtime?: { readonly node?: { readonly req: { readonly url?: string | undefined } } };
}

type NodeParts = Parameters<NodeHandler>;

/** The parts of an h3 1 event that Keyhook reads. */
export interface NodeEvent {
  readonly node: { readonly req: NodeParts[0]; readonly res: NodeParts[1] };
  /** On some edge runtimes: the request from which the Node request was created. */
  readonly web?: { readonly request?: Request | undefined } | undefined;
  readonly context: object;
  waitUntil?(work: Promise<unknown>): void;
}

/** An event of h3 version 1 or 2, and of what is built on it: Nitro 2 and 3, Nuxt 4 and 5. */
export type H3Event = WebEvent | NodeEvent;

const CREDENTIALS = ["cookie", "authorization"];

/** Returns whether a value is an event of h3 2. An event of version 1 may have a `req` too: the Node request. */
export function isWebEvent(event: object): event is WebEvent {
  const { req } = event as { req?: { headers?: { get?: unknown } } };
  return typeof req?.headers?.get === "function";
}

/**
 * Returns the path of an event, even if its Host header is invalid. The invalid header is refused when the request is
 * read.
 */
export function getPathname(event: H3Event): string {
  const url = (isWebEvent(event) ? event.req.url : event.node.req.url) ?? "";
  return getWrittenPath(url) || "/";
}

/**
 * Removes what identifies the visitor from a GET or HEAD before it is read, because others receive its response too.
 * Requests that its code sends to the application do not identify the visitor either.
 */
export function dropCredentials(event: H3Event): void {
  if (!isSafeMethod((isWebEvent(event) ? event : event.node).req.method ?? "")) return;
  if (isWebEvent(event)) {
    const { req } = event;
    const headers = new Headers(req.headers);
    for (const name of CREDENTIALS) headers.delete(name);
    const { ip, runtime } = req;
    const waitUntil = (work: Promise<unknown>) => req.waitUntil?.(work);
    const own = new Request(req.url, { method: req.method, headers });
    Object.assign(event, { req: Object.assign(own, { ip, runtime, waitUntil }) });
    return;
  }
  const { req } = event.node;
  for (const name of CREDENTIALS) delete req.headers[name];
  const isKept = (_: string, at: number, all: readonly string[]) =>
    !CREDENTIALS.includes((all[at - (at % 2)] as string).toLowerCase());
  Object.assign(req, { rawHeaders: req.rawHeaders.filter(isKept) });
  if (event.web) Object.assign(event, { web: undefined });
}

function readConnection(event: H3Event): Connection {
  if (!isWebEvent(event)) {
    // Leaves `runtime` out: the Node request may be created from another runtime's, and h3 1 reads every response as a
    // stream.
    const { ip, target } = getConnection(event.node.req);
    return { ip, target, waitUntil: (work) => event.waitUntil?.(work) };
  }
  const { req } = event;
  const { ip, runtime } = req;
  const target = runtime?.node?.req.url;
  return { ip, waitUntil: (work) => req.waitUntil?.(work), target, runtime };
}

/**
 * The headers of an h3 2 event. h3 sends separate headers with errors, and a response that depends on the session may
 * be either. If `cache-control` is set here, no shared cache stores the response, whatever the application sets later.
 */
class EventHeaders extends Headers {
  readonly #headers: Headers;
  readonly #all: readonly Headers[];
  constructor({ headers, errHeaders }: WebEventResponse) {
    super();
    this.#headers = headers;
    this.#all = errHeaders ? [headers, errHeaders] : [headers];
  }
  override append(name: string, value: string): void {
    for (const one of this.#all) one.append(name, value);
  }
  override delete(name: string): void {
    for (const one of this.#all) one.delete(name);
  }
  override get(name: string): string | null {
    // Until it is set here, the value is the application's, which may still change.
    if (name === "cache-control" && !Object.hasOwn(this.#headers, "set")) return null;
    return this.#headers.get(name);
  }
  override getSetCookie(): string[] {
    return this.#headers.getSetCookie();
  }
  override set(name: string, value: string): void {
    for (const one of this.#all) {
      one.set(name, value);
      if (name === "cache-control") keepPrivate(one);
    }
  }
}

// Most requests set no headers.
class LazyEventResponse {
  readonly #event: WebEvent;
  #headers: Headers | undefined;
  constructor(event: WebEvent) {
    this.#event = event;
  }
  get headers(): Headers {
    this.#headers ??= new EventHeaders(this.#event.res);
    return this.#headers;
  }
}

/** The request of an event in the form that the server functions accept, and what the server knows in addition. */
export interface EventSource {
  readonly source: {
    readonly req: Request & Connection;
    readonly res: { readonly headers: Headers };
  };
  readonly connection: Connection;
}

/** Converts events of both h3 versions. */
export type EventReader = (event: H3Event) => EventSource;

/** Creates the function that converts events. The Node request of an event is read once. */
export function createEventReader(): EventReader {
  const known = new WeakMap<H3Event, EventSource>();
  // The keys are the contexts of the events.
  const clients = new WeakMap<object, string>();
  return (event) => {
    if (isWebEvent(event)) {
      const source = { req: event.req, res: new LazyEventResponse(event) };
      return { source, connection: readConnection(event) };
    }
    const found = known.get(event);
    if (found) return found;
    const { node, web, context } = event;
    const connected = readConnection(event);
    // A request that Nitro 2 sends in process has no connection, but it has the context of the event that sent it. Its
    // client is that event's client.
    const { __unenv__: sender } = node.req as { readonly __unenv__?: unknown };
    const ip = connected.ip || clients.get(sender as object);
    if (ip) clients.set(context, ip);
    const connection = { ...connected, ip };
    const source = {
      req: Object.assign(web?.request ?? toRequest(node.req), connection),
      res: { headers: new ResponseHeaders(node.res) },
    };
    known.set(event, { source, connection });
    return { source, connection };
  };
}
