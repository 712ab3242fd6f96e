import { ClientError } from "./error.ts";
import { isPage } from "./place.ts";
import type { AuthClientOptions } from "./types.ts";

/** Milliseconds after which a request counts as unanswered: more than the server gives itself. */
const TIMEOUT = 15_000;

/** What the server said. */
export interface Answer {
  ok: boolean;
  status: number;
  /** `undefined` when it is no JSON. */
  body: unknown;
}

/** Sends requests below the base path, in the form that Auth.js's servers know too. */
export interface Transport {
  /** The server's routes, as an URL; a relative one in a page. */
  readonly base: string;
  /** @throws ClientError when no answer came. */
  send(path: string, body?: URLSearchParams | object): Promise<Answer>;
  /** @throws ClientError also when the answer is no good one. */
  read(path: string, body?: object): Promise<unknown>;
}

function requestOf(body: URLSearchParams | object | undefined): RequestInit {
  const init: RequestInit = { cache: "no-store", signal: AbortSignal.timeout(TIMEOUT) };
  const headers: Record<string, string> = { accept: "application/json" };
  if (body instanceof URLSearchParams) {
    // Instead of a redirect, which a script could not see.
    headers["x-auth-return-redirect"] = "1";
    return { ...init, method: "POST", headers, body };
  }
  if (!body) return { ...init, headers };
  headers["content-type"] = "application/json";
  return { ...init, method: "POST", headers, body: JSON.stringify(body) };
}

export function createTransport(options: AuthClientOptions): Transport {
  const { basePath = "/auth", baseUrl = "" } = options;
  const base = baseUrl.replace(/\/+$/, "") + basePath.replace(/\/+$/, "");

  const send = async (path: string, body?: URLSearchParams | object): Promise<Answer> => {
    if (!baseUrl && !options.fetch && !isPage()) {
      throw new ClientError(
        `Outside a page nobody knows where ${path} is: give \`createAuthClient\` a \`baseUrl\`.`,
      );
    }
    try {
      // The global one is looked up late: tests and frameworks replace it.
      const response = await (options.fetch ?? fetch)(base + path, requestOf(body));
      const text = await response.text();
      return { ok: response.ok, status: response.status, body: parsed(text) };
    } catch (cause) {
      throw new ClientError(`${path} gave no answer.`, 0, { cause });
    }
  };

  return {
    base,
    send,
    async read(path, body) {
      const answer = await send(path, body);
      if (answer.ok && answer.body !== undefined) return answer.body;
      throw new ClientError(`${path} gave no good answer.`, answer.status);
    },
  };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
