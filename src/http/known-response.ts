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
    Object.setPrototypeOf(own, standard);
    Reflect.deleteProperty(own, "constructor");
    Object.defineProperty(own, "status", { enumerable: true });
    for (const name of Reflect.ownKeys(standard)) {
      if (name === "constructor" || Object.hasOwn(own, name)) continue;
      const member = Object.getOwnPropertyDescriptor(standard, name) as PropertyDescriptor;
      const { get, value } = member;
      if (get) {
        member.get = function (this: KnownResponse): unknown {
          return get.call(this.#look());
        };
      } else if (typeof value === "function") {
        member.value = function (this: KnownResponse, ...args: unknown[]): unknown {
          return (value as (...args: unknown[]) => unknown).apply(this.#look(), args);
        };
      }
      Object.defineProperty(own, name, member);
    }
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
    const response = this.#response;
    const { status } = this.#init;
    const headers: string[] = [];
    if (!response) {
      for (const name in this.#init.headers) headers.push(name, this.#init.headers[name] as string);
    } else {
      for (const [name, value] of response.headers) headers.push(name, value);
      // A body that was read cannot be sent, as that of any Response.
      const { body, bodyUsed } = response;
      if (bodyUsed || body?.locked) return { status, statusText: "", headers, body };
    }
    if (!response?.headers.has("content-length")) {
      headers.push("content-length", String(Buffer.byteLength(this.#text)));
    }
    return { status, statusText: "", headers, body: this.#text };
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
