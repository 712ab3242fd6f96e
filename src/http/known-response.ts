/** The parts that a Node server writes in one call. */
export interface KnownParts {
  /** `undefined` once the Response was created, which then has the headers. */
  readonly headers: KnownInit["headers"] | undefined;
  readonly text: string;
}

/**
 * The response that srvx, the server under h3, asks for. Its headers alternate names and values. A body with `pipe`
 * writes itself and ends the response.
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

// The body of a Response is a stream. For Node, creating, reading and writing it in chunks takes longer than the rest
// of a short request. If the text is known, the actual Response is created only when needed.
class KnownResponse {
  readonly #text: string;
  readonly #init: KnownInit;
  #response: Response | undefined;

  // All other members are forwarded to the Response, including those that later runtimes add.
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

  // For speed: asking whether the body was read must not create the Response.
  get bodyUsed(): boolean {
    return this.#response?.bodyUsed ?? false;
  }

  #look(): Response {
    this.#response ??= new Response(this.#text, this.#init);
    return this.#response;
  }

  /**
   * Returns the parts to write; `undefined` once the body was read: like that of any Response, it cannot be sent again.
   */
  static getParts(given: KnownResponse): KnownParts | undefined {
    const response = given.#response;
    if (response?.bodyUsed || response?.body?.locked) return undefined;
    return { headers: response ? undefined : given.#init.headers, text: given.#text };
  }

  // Without this method, srvx reads the members above, and writes the text and the end of the response separately, as
  // two system writes. A body with `pipe` makes them one.
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
 * Returns a Response with a known text, which Node servers write in one call. `isValid` means that status and headers
 * are Keyhook's own. Any others are checked here, as by the Response constructor.
 */
export function createKnownResponse(text: string, init: KnownInit, isValid: boolean): Response {
  const response = isValid ? undefined : new Response(text, init);
  return new KnownResponse(text, init, response) as unknown as Response;
}

/** Returns the parts that a Node server writes in one call, if the response's text is known and was not read. */
export function getKnownParts(response: Response): KnownParts | undefined {
  return response instanceof KnownResponse ? KnownResponse.getParts(response) : undefined;
}
