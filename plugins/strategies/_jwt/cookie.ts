import {
  andThen,
  compareStart,
  isSealed,
  NAMESPACE_CLAIM as NAMESPACE,
  orElse,
  ORIGIN_CLAIM as ORIGIN,
} from "../../../src/_kit.ts";
import { defineError, JWTSessionError, SessionTooLarge } from "../../../src/errors.ts";
import type { AuthContext, Awaitable, JWT } from "../../../src/kernel.ts";
import { STORED } from "./claims.ts";
import { getAbsoluteEnd, getEnd, isLive, now, type Times } from "./times.ts";

/** A token as a cookie contains it. */
export interface Stored {
  token: JWT;
  /** The payload as JSON, to detect whether a tap changed it. */
  json: string;
  /** The token as the browser sent it. */
  cookie: string;
}

/** Length from which a token causes a warning. Common proxies refuse headers of 8 kB. */
const LARGE_TOKEN_LENGTH = 7500;

/**
 * Opens a token. On Node it is opened synchronously, so that a session can be read without a promise.
 * @throws JWTSessionError for a token of another origin (`jwt.bindOrigin`) or `storeNamespace`, or the error of the
 * decoder.
 */
export function openToken(ctx: AuthContext, cookie: string): Awaitable<Stored | null> {
  const { jwt, storeNamespace } = ctx.kernel.config;
  return andThen(decode(ctx, cookie), (stored) => {
    if (stored && jwt.bindOrigin && stored.token[ORIGIN] !== ctx.origin) {
      throw new JWTSessionError("The token was issued for another origin (`jwt.bindOrigin`).");
    }
    if (stored && stored.token[NAMESPACE] !== storeNamespace) {
      throw new JWTSessionError("The token was issued under another `storeNamespace`.");
    }
    return stored;
  });
}

function decode(ctx: AuthContext, cookie: string): Awaitable<Stored | null> {
  const { config, tokens } = ctx.kernel;
  const { name: salt } = ctx.cookies.spec("sessionToken");
  const params = { token: cookie, secret: config.jwt.secret, salt };
  if (config.jwt.decode) {
    const decoded = config.jwt.decode(params);
    return andThen(decoded, (token) => token && { token, json: JSON.stringify(token), cookie });
  }
  const read = tokens.read(params);
  return andThen(read, (found) => found && { token: found.payload, json: found.json, cookie });
}

// A session that refers to a stored one ends with it. A strategy that does not read the stored session would not
// notice.
const isOwn = ({ kernel }: AuthContext, token: JWT): boolean =>
  (token[STORED] !== undefined) === (kernel.strategy.endsWithin !== undefined);

function readToken(ctx: AuthContext, cookie: string): Awaitable<Stored | null> {
  const check = (stored: Stored | null): Stored | null =>
    stored && isLive(stored.token, ctx.kernel) && isOwn(ctx, stored.token) ? stored : null;
  return orElse(
    () => andThen(openToken(ctx, cookie), check),
    (error) => {
      ctx.log.debug("a session cookie was dropped", { reason: (error as Error).message });
      return null;
    },
  );
}

const isAny = () => true;

function listCookies({ cookies, kernel }: AuthContext): readonly string[] {
  const { name } = cookies.spec("sessionToken");
  return cookies.getCandidates(name, { isLikely: kernel.config.jwt.decode ? isAny : isSealed });
}

/**
 * Lists the tokens in every cookie of the name, whole or in parts, oldest session first. A sibling host may have set
 * some of them (SECURITY.md R8).
 */
export async function listTokens(
  ctx: AuthContext,
  cookies: readonly string[] = listCookies(ctx),
): Promise<Stored[]> {
  const opened: Stored[] = [];
  for (const cookie of cookies) {
    const stored = await readToken(ctx, cookie);
    if (stored) opened.push(stored);
  }
  return opened.sort((one, other) => compareStart(one.token, other.token));
}

/**
 * Finds the token of the browser's session. If there are several, the oldest session counts, since a sibling host has
 * set the others. Returns `undefined` without a cookie.
 */
export function findToken(ctx: AuthContext): Awaitable<Stored | null | undefined> {
  const cookies = listCookies(ctx);
  const [cookie] = cookies;
  if (cookie === undefined) return undefined;
  return andThen(readToken(ctx, cookie), (stored) => {
    // The case of nearly all requests. If every part came once, the other candidates are only prefixes of this one.
    const { name } = ctx.cookies.spec("sessionToken");
    if (cookies.length === 1 || (stored && !ctx.cookies.isRepeated(name))) return stored;
    return listTokens(ctx, cookies).then(([first]) => first);
  });
}

/** Data that a client sent by `POST /session` makes its token too large. */
const UpdateTooLarge = defineError("SessionTooLarge", SessionTooLarge, 413, "public", "debug");

/**
 * Blames the client for a token that its update made too large. This is not a failure of the server, so it is not
 * logged as an error.
 */
export function blameClient(error: unknown): unknown {
  return error instanceof SessionTooLarge ? new UpdateTooLarge(error.message) : error;
}

function checkSize(ctx: AuthContext, { length }: string): void {
  const { maxSize } = ctx.kernel.config.jwt;
  const { name } = ctx.cookies.spec("sessionToken");
  if (length > maxSize && length > (ctx.cookies.getChunked(name)?.length ?? 0)) {
    throw new SessionTooLarge(
      `The session token has ${length} characters, more than \`jwt.maxSize\`: servers refuse such requests. Return fewer ` +
        "claims from the `jwt` callback, or use database sessions.",
    );
  }
  if (length > LARGE_TOKEN_LENGTH) {
    const text =
      "The session token needs several cookies, and many servers refuse headers of that size. Return fewer claims from the `jwt` callback.";
    ctx.log.warn("session-large", text);
  }
}

/**
 * Sets the cookie of a token, and resolves to its value. `times` is given when the session is not extended. Then the
 * token keeps its own end too.
 * @throws SessionTooLarge
 */
export async function writeToken(ctx: AuthContext, token: JWT, times?: Times): Promise<string> {
  const { config, tokens } = ctx.kernel;
  const { name: salt, attributes } = ctx.cookies.spec("sessionToken");
  // Both sides are whole seconds, because a token that is stored often must keep its end to the second.
  const seconds = Math.floor(now());
  const exp = times ? Math.floor(times.exp) : seconds + config.jwt.maxAge;
  // Code that reads tokens elsewhere, such as `getToken`, does not know `absoluteMaxAge`.
  const last = getAbsoluteEnd(token, ctx.kernel) ?? Infinity;
  const maxAge = Math.max(1, Math.min(exp, last) - seconds);
  const params = { token, secret: config.jwt.secret, salt, maxAge };
  const value = await (config.jwt.encode ?? tokens.encode)(params);
  checkSize(ctx, value);
  const ends = times?.ends ?? getEnd(token, ctx.kernel);
  ctx.cookies.setChunked(salt, value, { ...attributes, expires: new Date(ends * 1000) });
  return value;
}

/** Clears the cookie and its parts. */
export function clearToken(ctx: AuthContext): void {
  const { name, attributes } = ctx.cookies.spec("sessionToken");
  ctx.cookies.clearChunked(name, attributes);
}
