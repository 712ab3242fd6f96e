import { readBytes } from "./bytes.ts";
import { AuthError } from "./errors.ts";
import { isSecureUrl } from "./origin.ts";
import { until } from "./time.ts";

/** Bounds of a fetch. */
export interface FetchBounds {
  /** Milliseconds until the whole answer must be there. Default 5000. */
  timeout?: number;
  /** Most bytes of an answer's body, after decompression. Default 1048576. */
  maxBytes?: number;
  /** Ends the call early, with the request it serves. */
  signal?: AbortSignal;
}

// Queries carry secrets, and so do the paths of some APIs: long segments are no names.
function nameOf(url: URL): string {
  return url.host + url.pathname.replace(/[^/]{33,}/g, "...");
}

/** What is wrong with an answer; its message may be shown, that of a foreign error may not. */
class Unusable extends Error {}

function reasonOf(error: unknown): string {
  if (error instanceof Unusable) return error.message;
  if (error instanceof DOMException) return "the request that it served has ended";
  // undici says "fetch failed" and keeps the reason underneath.
  const { code } = ((error as Error).cause ?? {}) as { code?: unknown };
  return typeof code === "string" ? `it cannot be reached (${code})` : "it cannot be reached";
}

function withoutBody(status: number): boolean {
  return status === 204 || status === 205 || status === 304;
}

async function buffered(
  response: Response,
  maxBytes: number,
  signal: AbortSignal,
): Promise<Response> {
  const { status, statusText } = response;
  if (response.type === "opaqueredirect" || (status >= 300 && status < 400)) {
    response.body?.cancel().catch(() => {});
    throw new Unusable("it answered with a redirect, which is never followed");
  }
  const headers = new Headers(response.headers);
  for (const name of ["content-encoding", "content-length", "transfer-encoding"])
    headers.delete(name);
  const bytes = response.body ? await readBytes(response.body, maxBytes, signal) : null;
  if (bytes === undefined) throw new Unusable(`the answer has more than ${maxBytes} bytes`);
  return new Response(withoutBody(status) ? null : bytes, { status, statusText, headers });
}

/**
 * A `fetch` for identity providers and the like: https only (http on this machine), no redirects,
 * bounded in time and size. The answer is read before it is given.
 * @throws AuthError that names method, host and path, never the query.
 */
export function boundedFetch(base?: typeof fetch, bounds: FetchBounds = {}): typeof fetch {
  const { timeout = 5000, maxBytes = 1_048_576 } = bounds;
  return async (input, init) => {
    const request = input instanceof Request ? input : undefined;
    const target = request?.url ?? (input as string | URL);
    if (!URL.canParse(target)) throw new AuthError("A URL to be fetched is malformed.");
    const url = new URL(target);
    const method = (init?.method ?? request?.method ?? "GET").toUpperCase();
    const fail = (reason: string, err?: unknown) =>
      new AuthError(
        `${method} ${nameOf(url)}: ${reason}.`,
        err instanceof Error && !(err instanceof Unusable) ? { cause: { err } } : {},
      );
    if (!isSecureUrl(url)) throw fail("only https is allowed, or http on localhost");

    const time = new AbortController();
    const timer = setTimeout(() => {
      time.abort(new Unusable(`no complete answer within ${timeout} ms`));
    }, timeout);
    const signals = [time.signal, bounds.signal, init?.signal, request?.signal];
    const signal = AbortSignal.any(signals.filter((one) => one != null));
    try {
      const ask = base ?? globalThis.fetch;
      const asked = ask(input, { ...init, redirect: "manual", signal });
      return await buffered(await until(asked, signal), maxBytes, signal);
    } catch (error) {
      throw fail(reasonOf(error), error);
    } finally {
      clearTimeout(timer);
    }
  };
}
