import { andThen, callAdapterDirect, limitSessions, sha256Base64url } from "../../../src/_kit.ts";
import { InvalidConfig, SessionTokenError, SignOutError } from "../../../src/errors.ts";
import {
  type Adapter,
  type AdapterSession,
  type AdapterUser,
  type AuthContext,
  type Awaitable,
  type BoundedCache,
  callAdapter,
  type CreatedSession,
  type CreateSessionOptions,
  type Kernel,
  type Login,
  type SignOutMessage,
} from "../../../src/kernel.ts";
import { isSuperseded } from "./unverified-session.ts";

/**
 * Prefix of tokens of stored sessions to which a sealed cookie refers. A cookie that itself contains such a token is
 * not a session.
 */
const SEALED = "hybrid.";

/** Returns the token of a stored session to which a sealed cookie will refer (strategy `hybrid`). */
export const toSealedToken = (token: string): string => SEALED + token;

/**
 * Returns whether only a sealed cookie may refer to a token's session. Callbacks see that token as a claim and may pass
 * it to clients, so it must not be a session credential by itself.
 */
export const isSealedToken = (token: string): boolean => token.startsWith(SEALED);

/** A stored session with its user. */
export interface Found {
  token: string;
  session: AdapterSession;
  user: AdapterUser;
  /** When the session ends, in milliseconds since the epoch. */
  expires: number;
}

/** How a strategy stores sessions, and what a process keeps in addition to the adapter. */
export interface Memory {
  /** Returns the number of seconds for which a session is stored. */
  getStoredAge(session: Kernel["config"]["session"]): number;
  /** Extensions in progress, by token, for adapters without `extendSession`: one at a time. */
  extensions: Map<string, Promise<number | null>>;
  /** Hashes of the tokens of sessions that ended in this process. A lagging replica may still return these sessions. */
  ended: BoundedCache<true>;
}

/** A valid result of `generateSessionToken`. 16 characters of base64 are 96 bits. */
const GENERATED = /^[ -~]{16,2000}$/;
/** A token with its marks, or one that an adapter assigned: printable ASCII, within the key length of every database. */
const TOKEN = /^[ -~]{1,2048}$/;

/** Returns whether a text may be the token of a stored session. Other texts are not looked up. */
export const isToken = (text: string): boolean => TOKEN.test(text);

/** Returns the adapter, which stored sessions require. */
export const getAdapter = ({ kernel }: AuthContext): Adapter => kernel.adapter as Adapter;

/** Hashes a token. Otherwise a token from outside, and the header of which it is a slice, would stay in memory. */
export const hashToken = (token: string): Awaitable<string> => sha256Base64url(token);

/** Returns the milliseconds of a date. Some adapters return dates as text. */
export const toTime = (date: unknown): number => new Date(date as Date | string).getTime();

/**
 * Creates a token. The token contains when the session began if there is an absolute lifetime, no cookie can store the
 * time, or the user signed in earlier (`authTime`). The whole token is looked up, so a client cannot change the time.
 * @throws InvalidConfig if `generateSessionToken` returns anything except 16 to 2000 printable ASCII characters.
 */
export function createToken(
  { config: { session }, sessionTransport }: Kernel,
  authTime: number | undefined,
): string {
  const token: unknown = session.generateSessionToken();
  if (typeof token !== "string" || !GENERATED.test(token)) {
    throw new InvalidConfig(
      "`session.generateSessionToken` must return 16 to 2000 random ASCII characters: a " +
        "shorter token can be guessed, and any other is never looked up. Return a random UUID, or drop the option.",
    );
  }
  const isDated = (authTime ?? session.absoluteMaxAge) !== undefined || sessionTransport;
  return isDated ? `${token}.${Math.floor(authTime ?? Date.now() / 1000).toString(36)}` : token;
}

// The end that no extension exceeds, or `undefined` for a token without a start, which is not extended.
function getAbsoluteEnd(token: string, { session }: Kernel["config"]): number | undefined {
  if (session.absoluteMaxAge === undefined) return Infinity;
  const began = getBegin(token);
  return began === undefined ? began : (began + session.absoluteMaxAge) * 1000;
}

/** Returns when a session began, in seconds since the epoch, if its token contains the time. */
export function getBegin(token: string): number | undefined {
  const began = /\.([0-9a-z]{6,7})$/.exec(token)?.[1];
  return began === undefined ? began : parseInt(began, 36);
}

// Imported only at sign-ins, which are rare.
async function describeBrowser({ request }: AuthContext): Promise<string | undefined> {
  const { describeUserAgent } = await import("./user-agent.ts");
  return describeUserAgent(request.headers.get("user-agent"));
}

/**
 * Stores the session of a login. An adapter that can limit a user's sessions may end the oldest with it, except if the
 * browser sends `old` ones, which are about to end. An adapter that can list sessions also receives the description by
 * which the user recognizes the session.
 */
export async function createSession(
  ctx: AuthContext,
  session: AdapterSession,
  { description }: Login,
  old: readonly string[],
): Promise<CreatedSession> {
  const { maxPerUser } = ctx.kernel.config.session;
  const adapter = getAdapter(ctx);
  const options: CreateSessionOptions = {};
  if (adapter.limitSessions && !old.length) options.maxPerUser = maxPerUser;
  if (adapter.listSessionsByUserId) {
    const known = description ?? (await describeBrowser(ctx));
    if (known !== undefined) options.description = known;
  }
  // Adapters of Auth.js receive only the arguments that they know.
  return Object.keys(options).length
    ? callAdapter(adapter, "createSession", session, options)
    : callAdapter(adapter, "createSession", session);
}

/**
 * Ends the oldest sessions of a user beyond `maxPerUser`, and reports the sessions that ended with the new one, as the
 * adapter returned them. An error does not fail the sign-in, because the next sign-in tries again.
 */
export async function limit(
  ctx: AuthContext,
  userId: string,
  token: string,
  created: CreatedSession | null | undefined,
): Promise<void> {
  const { config, logger } = ctx.kernel;
  const { maxPerUser } = config.session;
  const adapter = getAdapter(ctx);
  // A later sign-in counts the new session too.
  const { sessionCount: most = Infinity, endedCount: ended } = created ?? {};
  const isLimited = adapter.limitSessions && most <= maxPerUser;
  try {
    const count = isLimited ? ended : await limitSessions(adapter, { userId, token }, maxPerUser);
    if (!count) return;
    await ctx.kernel.emit("endSession", { userId, count, reason: "limit" }, ctx);
  } catch (error) {
    const text = "The oldest sessions of a user could not be ended.";
    logger.error(new SessionTokenError(text, { cause: { err: error as Error } }));
  }
}

function find(ctx: AuthContext, token: string): Awaitable<Found | null> {
  return andThen(callAdapterDirect(getAdapter(ctx), "getSessionAndUser", token), (found) => {
    if (!found?.session || !found.user) return null;
    const end = getAbsoluteEnd(token, ctx.kernel.config) ?? Infinity;
    // A session that has ended is removed like an expired one.
    const expires = isSuperseded(token, found.user)
      ? 0
      : Math.min(toTime(found.session.expires), end);
    // A row without a valid date is not a session.
    return Number.isNaN(expires) ? null : { token, ...found, expires };
  });
}

/** Looks a session up. An expired session has an end in the past. */
export function lookUp(
  ctx: AuthContext,
  token: string,
  { ended }: Memory,
): Awaitable<Found | null> {
  if (!ended.size) return find(ctx, token);
  return andThen(hashToken(token), (hash) => (ended.get(hash) ? null : find(ctx, token)));
}

/** A session that has ended. */
export interface Ended {
  /** What the adapter returned. */
  session: AdapterSession | undefined;
  /** Why the adapter could not remove the session. */
  error?: Error;
}

/** Removes a session. The session counts as ended in this process even if the removal fails. */
export async function endSession(
  ctx: AuthContext,
  token: string,
  { ended }: Memory,
): Promise<Ended> {
  ended.set(await hashToken(token), true);
  try {
    const session = await callAdapter(getAdapter(ctx), "deleteSession", token);
    return { session: session ?? undefined };
  } catch (error) {
    const text =
      "A session has ended in this browser and this process, but the adapter could not remove it: elsewhere, and after a " +
      "restart, its token is accepted until it expires, and every use extends it. End the user's sessions with " +
      "`deleteSessionsByUserId` of the adapter.";
    const failed = new SignOutError(text, { cause: { err: error as Error } });
    ctx.log.error(failed);
    return { session: undefined, error: failed };
  }
}

/** Returns the message of a sign-out, with the first error that occurred when its sessions ended. */
export function toMessage<M extends SignOutMessage>(message: M, ended: readonly Ended[]): M {
  const error = ended.find((one) => one.error)?.error;
  return { ...message, ...(error && { error }) };
}

function getNextEnd(
  { token, expires }: Found,
  { config }: Kernel,
  { getStoredAge }: Memory,
): number {
  const { updateAge } = config.session;
  const maxAge = getStoredAge(config.session);
  if (expires - (maxAge - updateAge) * 1000 > Date.now()) return expires;
  return Math.max(
    expires,
    Math.min(Date.now() + maxAge * 1000, getAbsoluteEnd(token, config) ?? expires),
  );
}

// For adapters without `extendSession`: looks the session up again before writing, since another process may have
// extended it.
async function slide(ctx: AuthContext, { token }: Found, memory: Memory): Promise<number | null> {
  const found = await lookUp(ctx, token, memory);
  if (!found) return null;
  const next = getNextEnd(found, ctx.kernel, memory);
  if (next === found.expires) return next;
  const changes = { sessionToken: token, expires: new Date(next) };
  const moved = await callAdapter(getAdapter(ctx), "updateSession", changes);
  return toTime(moved?.expires) || next;
}

async function move(
  ctx: AuthContext,
  found: Found,
  next: number,
  memory: Memory,
): Promise<number | null> {
  const { token, session } = found;
  const adapter = getAdapter(ctx);
  if (adapter.extendSession) {
    const from = new Date(toTime(session.expires));
    const moved = await callAdapter(adapter, "extendSession", token, from, new Date(next));
    return moved && toTime(moved.expires);
  }
  const { extensions } = memory;
  const running = extensions.get(token);
  if (running) return running;
  const extension = slide(ctx, found, memory).finally(() => extensions.delete(token));
  extensions.set(token, extension);
  return extension;
}

/**
 * Returns the session's end, extended if that is due, or `null` if the session has ended since. A store that rejects
 * writes does not end sessions: otherwise an outage would sign users out (SECURITY.md F7).
 */
export function extend(ctx: AuthContext, found: Found, memory: Memory): Awaitable<number | null> {
  const { expires } = found;
  const next = getNextEnd(found, ctx.kernel, memory);
  if (next === expires) return expires;
  return move(ctx, found, next, memory).catch((error: unknown) => {
    const text = "A session could not be extended.";
    ctx.log.error(new SessionTokenError(text, { cause: { err: error as Error } }));
    return expires;
  });
}
