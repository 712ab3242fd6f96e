import { andThen, askAdapter, limitSessions, sha256Base64url } from "../../../src/_kit.ts";
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

/** What the tokens of stored sessions begin with that a sealed cookie refers to. A cookie with one itself is no session. */
const SEALED = "hybrid.";

/** Returns the token of a stored session that a sealed cookie will refer to (strategy `hybrid`). */
export const toSealedToken = (token: string): string => SEALED + token;

/**
 * Returns whether only a sealed cookie may refer to the session of a token. Callbacks see that token as a claim, and may
 * show it to clients: it must not be the credential of a session.
 */
export const isSealedToken = (token: string): boolean => token.startsWith(SEALED);

/** A stored session with its user. */
export interface Found {
  token: string;
  session: AdapterSession;
  user: AdapterUser;
  /** Milliseconds since the epoch at which the session ends. */
  expires: number;
}

/** How a strategy stores sessions, and what one process keeps of them in addition to the adapter. */
export interface Memory {
  /** Returns for how many seconds a session is stored. */
  getStoredAge(session: Kernel["config"]["session"]): number;
  /** Extensions under way, by token, for adapters without `extendSession`: one at a time. */
  extensions: Map<string, Promise<number | null>>;
  /**
   * Hashes of the tokens of sessions that ended in this process, which a lagging replica may still
   * return.
   */
  ended: BoundedCache<true>;
}

/** What `generateSessionToken` returns: 16 characters of base64 are 96 bits. */
const GENERATED = /^[ -~]{16,2000}$/;
/** A token with its marks, also of a foreign adapter's: printable ASCII, in the bytes that every database has for a key. */
const TOKEN = /^[ -~]{1,2048}$/;

/** Returns whether a text may be the token of a stored session. Others are not looked up. */
export const isToken = (text: string): boolean => TOKEN.test(text);

/** Returns the adapter, which stored sessions require. */
export const getAdapter = ({ kernel }: AuthContext): Adapter => kernel.adapter as Adapter;

/** Hashes a token: one from outside, and the header that it is a slice of, take no memory here. */
export const hashToken = (token: string): Awaitable<string> => sha256Base64url(token);

/** Returns the milliseconds of a date, which some adapters return as text. */
export const toTime = (date: unknown): number => new Date(date as Date | string).getTime();

/**
 * Creates a token. With an absolute lifetime, where no cookie can, and where the user has signed in earlier (`authTime`), it
 * contains when the session began: it is looked up as a whole, so a client cannot change that.
 * @throws InvalidConfig if `generateSessionToken` returns anything else than such a text.
 */
export function createToken(
  { config: { session }, sessionTransport }: Kernel,
  authTime: number | undefined,
): string {
  const token: unknown = session.generateSessionToken();
  if (typeof token !== "string" || !GENERATED.test(token)) {
    throw new InvalidConfig(
      "`session.generateSessionToken` must return text of at least 16 random characters, and at most 2000, of ASCII: a " +
        "shorter token can be guessed, and any other is not looked up. Return a random UUID, or drop the option.",
    );
  }
  const isDated = (authTime ?? session.absoluteMaxAge) !== undefined || sessionTransport;
  return isDated ? `${token}.${Math.floor(authTime ?? Date.now() / 1000).toString(36)}` : token;
}

// The end that no extension exceeds; `undefined` for a token without a start, which is not
// extended.
function getAbsoluteEnd(token: string, { session }: Kernel["config"]): number | undefined {
  if (session.absoluteMaxAge === undefined) return Infinity;
  const began = getBegin(token);
  return began === undefined ? began : (began + session.absoluteMaxAge) * 1000;
}

/** Returns when a session began, in seconds since the epoch, if its token contains that. */
export function getBegin(token: string): number | undefined {
  const began = /\.([0-9a-z]{6,7})$/.exec(token)?.[1];
  return began === undefined ? began : parseInt(began, 36);
}

// Imported at sign-ins alone, which are few.
async function describeBrowser({ request }: AuthContext): Promise<string | undefined> {
  const { describeUserAgent } = await import("./user-agent.ts");
  return describeUserAgent(request.headers.get("user-agent"));
}

/**
 * Stores the session of a login. An adapter that can limit those of a user may end the oldest with it; not where the browser
 * sends `old` ones, which are going to end. One that can list them gets what the user recognizes the session by.
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
  // Adapters of Auth.js get what they know.
  return Object.keys(options).length
    ? callAdapter(adapter, "createSession", session, options)
    : callAdapter(adapter, "createSession", session);
}

/**
 * Ends the oldest sessions of a user beyond `maxPerUser`, and reports those that have ended with the new session, as the
 * adapter returned it. A sign-in is not refused for an error of it: the next one tries again.
 */
export async function limit(
  ctx: AuthContext,
  userId: string,
  token: string,
  made: CreatedSession | null | undefined,
): Promise<void> {
  const { config, logger } = ctx.kernel;
  const { maxPerUser } = config.session;
  const adapter = getAdapter(ctx);
  // A later sign-in counts that one too.
  const { sessionCount: most = Infinity, endedCount: ended } = made ?? {};
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
  return andThen(askAdapter(getAdapter(ctx), "getSessionAndUser", token), (found) => {
    if (!found?.session || !found.user) return null;
    const end = getAbsoluteEnd(token, ctx.kernel.config) ?? Infinity;
    // One that has ended is removed like one that has expired.
    const expires = isSuperseded(token, found.user)
      ? 0
      : Math.min(toTime(found.session.expires), end);
    // A row without a valid date is not a session.
    return Number.isNaN(expires) ? null : { token, ...found, expires };
  });
}

/** Looks a session up; one that has expired has an end in the past. */
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
  /** Why the adapter could not remove it. */
  error?: Error;
}

/** Removes a session. It counts as ended in this process even if that fails. */
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
      "restart, its token is accepted until it expires, which every use defers. End the sessions of the user with " +
      "`deleteSessionsByUserId` of the adapter.";
    const failed = new SignOutError(text, { cause: { err: error as Error } });
    ctx.log.error(failed);
    return { session: undefined, error: failed };
  }
}

/** Returns the message of a sign-out that has ended sessions, the one in use in front. */
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

// For an adapter without `extendSession`: looks the session up again before it writes, since
// another process may have extended it.
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
 * Returns the session's end, extended if that is due; `null` if the session has ended in the meantime. A store that
 * rejects writes ends no session (SECURITY.md F7).
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
