/** What a server of Node writes at once: the headers are names and values in turn. */
export interface NodeResponse {
  readonly status: number;
  readonly statusText: string;
  readonly headers: string[];
  readonly body: string | ReadableStream<Uint8Array> | null;
}

/** The inputs of `createKnownResponse`. */
export interface KnownInit {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
}

// The body of a Response is a stream, which takes Node longer to make, to read and to write in chunks than all the rest
// of a short request. Where the text is known, the Response itself is made at the first look at it.
class KnownResponse {
  readonly #text: string;
  readonly #init: KnownInit;
  #response: Response | undefined;

  // Every other member is that of the Response, also one that a later runtime adds.
  static {
    const { prototype: own } = this;
    const { prototype: standard } = Response;
    for (const name of Reflect.ownKeys(standard)) {
      const member = Object.getOwnPropertyDescriptor(standard, name);
      const { get, value = get } = member ?? {};
      if (typeof value !== "function" || Object.hasOwn(own, name)) continue;
      Object.defineProperty(own, name, {
        ...member,
        [get ? "get" : "value"](this: KnownResponse, ...args: unknown[]): unknown {
          return Reflect.apply(value as () => unknown, this.#look(), args);
        },
      });
    }
    Object.defineProperty(own, "status", { enumerable: true });
    Reflect.deleteProperty(own, "constructor");
    Object.setPrototypeOf(own, standard);
  }

  constructor(text: string, init: KnownInit, response?: Response) {
    this.#text = text;
    this.#init = init;
    this.#response = response;
  }

  get status(): number {
    return this.#init.status;
  }

  #look(): Response {
    this.#response ??= new Response(this.#text, this.#init);
    return this.#response;
  }

  // What srvx, the server under h3, asks a response for. Without it, it reads the members above.
  _toNodeResponse(): NodeResponse {
    const { status, headers: known } = this.#init;
    const response = this.#response;
    const headers: string[] = [];
    if (response) for (const [name, value] of response.headers) headers.push(name, value);
    else for (const name of Object.keys(known)) headers.push(name, known[name] as string);
    const head = { status, statusText: "", headers };
    // A body that was read cannot be sent, as that of any Response.
    const isRead = response && (response.bodyUsed || response.body?.locked);
    if (isRead) return { ...head, body: response.body };
    if (!headers.includes("content-length")) {
      headers.push("content-length", String(Buffer.byteLength(this.#text)));
    }
    return { ...head, body: this.#text };
  }
}

/**
 * Returns a Response with a known text, for servers of Node: they write it at once. `isValid` states that status and
 * headers are those of Keyhook; any others are checked here, as by the constructor of Response.
 */
export function createKnownResponse(text: string, init: KnownInit, isValid: boolean): Response {
  const response = isValid ? undefined : new Response(text, init);
  return new KnownResponse(text, init, response) as unknown as Response;
}

/** Returns what a server of Node writes at once for a response whose text is known. */
export function toNodeResponse(response: Response): NodeResponse | undefined {
  return response instanceof KnownResponse ? response._toNodeResponse() : undefined;
}
