import { AuthError } from "../errors/errors.ts";
import { parseUrl } from "../platform/parse-url.ts";
import { boundSignal, raceSignal } from "../platform/timeout.ts";
import { readBytes } from "./bytes.ts";
import { isSecureUrl } from "./origin.ts";

/** Bounds of `boundedFetch`. */
export interface FetchBounds {
  /** Time limit of the complete response in milliseconds. Default 5000. */
  timeout?: number;
  /** Maximum number of bytes of the response's body, after decompression. Default 1048576. */
  maxBytes?: number;
  /** Aborts the call, for example when the request that it belongs to ends. */
  signal?: AbortSignal;
}

// Queries contain secrets, and so do the paths of some APIs, so long segments are not logged.
function getSafeName(url: URL): string {
  return url.host + url.pathname.replace(/[^/]{33,}/g, "...");
}

/**
 * A response that cannot be used. Its message may be logged, unlike the message of another error, which may contain
 * secrets.
 */
class Unusable extends Error {}

function getReason(error: unknown): string {
  if (error instanceof Unusable) return error.message;
  if (error instanceof DOMException) return "the request that started it has ended";
  // undici throws "fetch failed" and puts the reason into `cause`.
  const { code } = ((error as Error).cause ?? {}) as { code?: unknown };
  return typeof code === "string" ? `it cannot be reached (${code})` : "it cannot be reached";
}

// Some platforms give these responses an empty body, which the constructor refuses.
function isWithoutBody(status: number): boolean {
  return status === 204 || status === 205 || status === 304;
}

async function bufferResponse(
  response: Response,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Response> {
  const { status, statusText } = response;
  if (response.type === "opaqueredirect" || (status >= 300 && status < 400)) {
    response.body?.cancel().catch(() => {});
    throw new Unusable("the response is a redirect, which is never followed");
  }
  const headers = new Headers(response.headers);
  for (const name of ["content-encoding", "content-length", "transfer-encoding"])
    headers.delete(name);
  const bytes = response.body ? await readBytes(response.body, maxBytes, signal) : null;
  if (bytes === undefined) throw new Unusable(`the response has more than ${maxBytes} bytes`);
  return new Response(isWithoutBody(status) ? null : bytes, { status, statusText, headers });
}

/**
 * Returns a `fetch` for identity providers and other APIs: https only (http on localhost), no redirects, bounded in
 * time and size. The whole body is read before the response is returned.
 * @throws AuthError that names the method, host and path, but never the query. Long path segments are shortened.
 */
export function boundedFetch(base?: typeof fetch, bounds: FetchBounds = {}): typeof fetch {
  const { timeout = 5000, maxBytes = 1_048_576 } = bounds;
  return async (input, init) => {
    const request = input instanceof Request ? input : undefined;
    const url = parseUrl(request?.url ?? (input as string | URL));
    if (!url) throw new AuthError("The URL to fetch is malformed.");
    const method = (init?.method ?? request?.method ?? "GET").toUpperCase();
    const fail = (reason: string, err?: unknown) =>
      new AuthError(
        `${method} ${getSafeName(url)}: ${reason}.`,
        err instanceof Error && !(err instanceof Unusable) ? { cause: { err } } : {},
      );
    if (!isSecureUrl(url)) throw fail("only https is allowed, or http on localhost");

    const { signal, release } = boundSignal(
      [bounds.signal, init?.signal, request?.signal],
      timeout,
      () => new Unusable(`no complete response within ${timeout} ms`),
    );
    try {
      const send = base ?? globalThis.fetch;
      const response = send(input, { ...init, redirect: "manual", signal });
      return await bufferResponse(await raceSignal(response, signal), maxBytes, signal);
    } catch (error) {
      throw fail(getReason(error), error);
    } finally {
      release();
    }
  };
}
