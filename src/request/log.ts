import { randomHex } from "../crypto/crypto.ts";
import { AuthError } from "../errors/errors.ts";
import { isForeign, redactError } from "../errors/redact-error.ts";
import { listCookies } from "../http/cookies.ts";
import { silent } from "../kernel/logger.ts";
import { parseUrl } from "../platform/parse-url.ts";
import type { AuthContext, Body, RequestLog } from "../types/kernel.ts";

// Shorter values are words of most texts.
const MIN_SENT_LENGTH = 4;
const MAX_SENT = 200;

function listTexts(body: Body | undefined): string[] {
  return Object.values(body ?? {}).filter((value) => typeof value === "string");
}

// Every value that the request sent, also as it is written in a URL: an error may quote any of them.
function listSent({ request, url }: AuthContext, body: Body | undefined): string[] {
  const { headers } = request;
  // Each is bounded: a sibling host may have set any number of cookies.
  const sent = [
    // Some contain a value and its signature.
    listCookies(headers.get("cookie")).flatMap(([, raw]) => [raw, ...raw.split(/%7C|\|/i)]),
    [...url.searchParams.values()],
    listTexts(body),
    // The scheme and its credentials: an error may quote these alone.
    headers.get("authorization")?.split(/[\s,]+/) ?? [],
  ].flatMap((texts) => [...new Set(texts)].slice(0, MAX_SENT));
  // In JSON there may be half of a character, which cannot be in a URL: nothing may prevent that an error is logged.
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

/** Returns the facts of an error for a debug line; what foreign code threw is in the error's own line. */
export function describeError(error: unknown): Readonly<Record<string, unknown>> {
  if (!(error instanceof Error)) return { error: typeof error };
  if (!(error instanceof AuthError)) return { error: error.name };
  return isForeign(error) ? { error: error.type } : { error: error.type, why: error.message };
}

/** Returns where a response leads to, without its query, or its status. */
export function describeResponse({ status, headers }: Response): Readonly<Record<string, unknown>> {
  const location = parseUrl(headers.get("location") ?? "");
  return location ? { status, to: location.origin + location.pathname } : { status };
}

/** Returns what writes the debug lines of a request, or `undefined` where no one reads them. */
export function createDebug(ctx: AuthContext): AuthContext["debug"] {
  const { logger } = ctx.kernel;
  if (logger.debug === silent) return undefined;
  // Lines of concurrent requests mix.
  const request = randomHex(3);
  const start = performance.now();
  return (step, facts) => {
    const ms = Math.round(performance.now() - start);
    const where = ctx.provider ? `${ctx.action} ${ctx.provider.id}` : ctx.action || "request";
    logger.debug(`${where}: ${step}`, { ...facts, request, ms });
  };
}
