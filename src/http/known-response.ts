/** What a server of Node writes at once. */
export interface KnownParts {
  /** `undefined` after a look at the Response, which has them then. */
  readonly headers: KnownInit["headers"] | undefined;
  readonly text: string;
}

/**
 * What srvx, the server under h3, asks a response for: the headers are names and values in turn. A body with `pipe` writes
 * itself, and ends the response.
 */
interface NodeResponse {
  readonly status: number;
  readonly statusText: string;
  readonly headers: readonly string[];
  readonly body:
    | { pipe(res: { end(text: string): unknown }): unknown }
    | ReadableStream<Uint8Array>
    | null;
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
    Object.defineProperty(own, "bodyUsed", { enumerable: true });
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

  // For speed: a look to learn that there was none.
  get bodyUsed(): boolean {
    return this.#response?.bodyUsed ?? false;
  }

  #look(): Response {
    this.#response ??= new Response(this.#text, this.#init);
    return this.#response;
  }

  /** Returns what is to be written; `undefined` once the body was read: it cannot be sent, as that of any Response. */
  static getParts(given: KnownResponse): KnownParts | undefined {
    const response = given.#response;
    if (response?.bodyUsed || response?.body?.locked) return undefined;
    return { headers: response ? undefined : given.#init.headers, text: given.#text };
  }

  // Without it, srvx reads the members above. It writes a text and the end of the response apart, which are two writes for
  // the system: a body with `pipe` makes one of them.
  _toNodeResponse(): NodeResponse {
    const { headers: known, text } = KnownResponse.getParts(this) ?? {};
    const headers: string[] = [];
    const pairs = known ? Object.entries(known) : this.#look().headers;
    for (const [name, value] of pairs) headers.push(name, value);
    if (text !== undefined && !headers.includes("content-length")) {
      headers.push("content-length", String(Buffer.byteLength(text)));
    }
    const body: NodeResponse["body"] =
      text === undefined ? this.#look().body : { pipe: (res) => res.end(text) };
    return { status: this.status, statusText: "", headers, body };
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

/** Returns what a server of Node writes at once for a response whose text is known, unless it was read. */
export function getKnownParts(response: Response): KnownParts | undefined {
  return response instanceof KnownResponse ? KnownResponse.getParts(response) : undefined;
}
