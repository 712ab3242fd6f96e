import { ClientError } from "./error.ts";
import { isPage } from "./navigation.ts";
import type { AuthClientOptions } from "./types.ts";

/** Time limit of a request in milliseconds: longer than the server's own. */
const TIMEOUT_MS = 15_000;

/** A response of the server. */
export interface ParsedResponse {
  ok: boolean;
  status: number;
  /** The parsed JSON; `undefined` if the body is not JSON. */
  body: unknown;
}

/** Sends requests below the base path, in a form that Auth.js servers also accept. */
export interface Transport {
  /** URL of the server's routes; a path if there is no `baseUrl`. */
  readonly base: string;
  /**
   * Sends a GET, or a POST with a form or JSON. A given CSRF token is sent as a header.
   * @throws ClientError without a response.
   */
  send(path: string, body?: URLSearchParams | object, csrfToken?: string): Promise<ParsedResponse>;
  /**
   * Sends a request and resolves to the JSON of the response; to `undefined` for a 204.
   * @throws ClientError without a response, or when the response is not 2xx or not JSON.
   */
  read(path: string, body?: object, csrfToken?: string): Promise<unknown>;
}

function toRequestInit(body?: URLSearchParams | object, csrfToken?: string): RequestInit {
  const isForm = body instanceof URLSearchParams;
  return {
    cache: "no-store",
    signal: AbortSignal.timeout(TIMEOUT_MS),
    headers: {
      accept: "application/json",
      ...(csrfToken && { "x-csrf-token": csrfToken }),
      // Makes the server return the URL as JSON instead of a redirect, whose target scripts cannot read.
      ...(isForm && { "x-auth-return-redirect": "1" }),
      ...(body && !isForm && { "content-type": "application/json" }),
    },
    ...(body && { method: "POST", body: isForm ? body : JSON.stringify(body) }),
  };
}

/** Creates the transport of a client. */
export function createTransport(options: AuthClientOptions): Transport {
  const { basePath = "/auth", baseUrl = "" } = options;
  const base = baseUrl.replace(/\/+$/, "") + basePath.replace(/\/+$/, "");

  const send: Transport["send"] = async (path, body, csrfToken) => {
    if (!baseUrl && !options.fetch && !isPage()) {
      throw new ClientError(
        `${path} has no origin outside a page. Pass \`baseUrl\` to \`createAuthClient\`.`,
      );
    }
    try {
      // The global `fetch` is looked up for each call, because tests and frameworks replace it.
      const response = await (options.fetch ?? fetch)(base + path, toRequestInit(body, csrfToken));
      const text = await response.text();
      return { ok: response.ok, status: response.status, body: parseJson(text) };
    } catch (cause) {
      throw new ClientError(`There was no response from ${path}.`, 0, { cause });
    }
  };

  return {
    base,
    send,
    async read(path, body, csrfToken) {
      const response = await send(path, body, csrfToken);
      const { ok, status } = response;
      if (ok && (response.body !== undefined || status === 204)) return response.body;
      const { error, message } = (response.body ?? {}) as Record<string, unknown>;
      const isJson = response.body !== undefined;
      const text =
        `${base}${path} responded with the status ${status}${isJson ? "" : ", and not with JSON"}.` +
        (status === 404 || (ok && !isJson) ? " Are the routes below another `basePath`?" : "");
      const isStated = !ok && typeof error === "string" && typeof message === "string";
      throw isStated
        ? new ClientError(message, status, { type: error })
        : new ClientError(text, status);
    },
  };
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
