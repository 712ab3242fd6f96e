import { randomHex } from "../crypto/crypto.ts";
import { AuthError } from "../errors/errors.ts";
import { isForeign, redactError } from "../errors/redact-error.ts";
import { listCookies } from "../http/cookies.ts";
import { silent } from "../kernel/logger.ts";
import { parseUrl } from "../platform/parse-url.ts";
import type { AuthContext, Body, RequestLog } from "../types/kernel.ts";

// Shorter values occur as words in most texts.
const MIN_SENT_LENGTH = 4;
const MAX_SENT = 200;

function listTexts(body: Body | undefined): string[] {
  return Object.values(body ?? {}).filter((value) => typeof value === "string");
}

// Lists every value that the request sent, also in its URL-encoded form: an error may quote any of them.
function listSent({ request, url }: AuthContext, body: Body | undefined): string[] {
  const { headers } = request;
  // Each list is bounded, because a sibling host may have set any number of cookies.
  const sent = [
    // Some cookies contain a value and its signature.
    listCookies(headers.get("cookie")).flatMap(([, raw]) => [raw, ...raw.split(/%7C|\|/i)]),
    [...url.searchParams.values()],
    listTexts(body),
    // The scheme and its credentials, since an error may quote either alone.
    headers.get("authorization")?.split(/[\s,]+/) ?? [],
  ].flatMap((texts) => [...new Set(texts)].slice(0, MAX_SENT));
  // JSON may contain half of a surrogate pair, which a URL cannot encode. Nothing may prevent an error from being
  // logged.
  const spell = (text: string) => encodeURIComponent(text.replace(/\p{Surrogate}/gu, ""));
  const spelt = sent.flatMap((text) => [text, spell(text)]);
  return [...new Set(spelt)].filter((text) => text.length >= MIN_SENT_LENGTH);
}

/**
 * Creates the log of a request.
 * @param getBody Returns the posted fields, if they have been read.
 */
export function createRequestLog(ctx: AuthContext, getBody: () => Body | undefined): RequestLog {
  const { logger } = ctx.kernel;
  return {
    error(error) {
      logger.error(error instanceof Error ? redactError(error, listSent(ctx, getBody())) : error);
    },
    warn: logger.warn,
    debug: logger.debug,
  };
}

/**
 * Returns the facts of an error for a debug line. The text of an error from other code is only in the error's own line.
 */
export function describeError(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { error: typeof error };
  if (!(error instanceof AuthError)) return { error: error.name };
  return isForeign(error) ? { error: error.type } : { error: error.type, why: error.message };
}

/** Returns a response's status, and the target of a redirect without its query. */
export function describeResponse({ status, headers }: Response): Readonly<Record<string, unknown>> {
  const location = parseUrl(headers.get("location") ?? "");
  return location ? { status, to: location.origin + location.pathname } : { status };
}

/** Returns the function that writes the debug lines of a request, or `undefined` if debug messages are not logged. */
export function createDebug(ctx: AuthContext): AuthContext["debug"] {
  const { logger } = ctx.kernel;
  if (logger.debug === silent) return undefined;
  // Identifies the request, since lines of concurrent requests mix.
  const request = randomHex(3);
  const start = performance.now();
  return (step, facts) => {
    const ms = Math.round(performance.now() - start);
    const where = ctx.provider ? `${ctx.action} ${ctx.provider.id}` : ctx.action || "request";
    logger.debug(`${where}: ${step}`, { ...facts, request, ms });
  };
}
