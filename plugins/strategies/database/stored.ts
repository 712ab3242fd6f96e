import { limitSessions, sha256Base64url } from "../../../src/_kit.ts";
import { InvalidConfig, SessionTokenError, SignOutError } from "../../../src/errors.ts";
import {
  type Adapter,
  type AdapterSession,
  type AdapterUser,
  type AuthContext,
  type BoundedCache,
  callHook,
  callAdapter,
  type CurrentSession,
  type Kernel,
  type Session,
  type SessionParams,
  type SignOutMessage,
  type Strategy,
  type User,
} from "../../../src/kernel.ts";
import { forgetAuthTime, keepAuthTime, readAuthTime } from "./auth-time.ts";
import { isSuperseded, isUnverified, markUnverified } from "./unverified-session.ts";

/** A stored session with its user. */
interface Found {
  token: string;
  session: AdapterSession;
  user: AdapterUser;
  /** Milliseconds since the epoch at which the session ends. */
  expires: number;
}

/** The state of sessions that one process keeps in addition to the adapter. */
interface Memory {
  /** Extensions under way, by token, for adapters without `extendSession`: one at a time. */
  extensions: Map<string, Promise<number | null>>;
  /**
   * Hashes of the tokens of sessions that ended in this process, which a lagging replica may still
   * return.
   */
  ended: BoundedCache<true>;
}

/** Characters of a session token: 16 of base64 are 96 bits. */
const MIN_TOKEN_LENGTH = 16;

const getAdapter = ({ kernel }: AuthContext): Adapter => kernel.adapter as Adapter;

// Hashed, so that a token from outside, and the header that it is a slice of, take no memory here.
const hashToken = (token: string) => sha256Base64url(token);

// Some adapters return dates as text.
const toTime = (date: unknown): number => new Date(date as Date | string).getTime();

// Without an absolute lifetime the token is the generated one. With one, it contains when the
// session began: it is looked up as a whole, so a client cannot change that.
function newToken({ session }: Kernel["config"]): string {
  const token: unknown = session.generateSessionToken();
  if (typeof token !== "string" || token.length < MIN_TOKEN_LENGTH) {
    throw new InvalidConfig(
      "`session.generateSessionToken` must return text of at least 16 random characters: a shorter token can be " +
        "guessed. Return a random UUID, or drop the option.",
    );
  }
  if (session.absoluteMaxAge === undefined) return token;
  return `${token}.${Math.floor(Date.now() / 1000).toString(36)}`;
}

// The end that no extension exceeds; `undefined` for a token without a start, which is not
// extended.
function getAbsoluteEnd(token: string, { session }: Kernel["config"]): number | undefined {
  if (session.absoluteMaxAge === undefined) return Infinity;
  const began = getBegin(token);
  return began === undefined ? began : (began + session.absoluteMaxAge) * 1000;
}

// When a session began, in seconds since the epoch, if its token contains that.
function getBegin(token: string): number | undefined {
  const began = /\.([0-9a-z]{6,7})$/.exec(token)?.[1];
  return began === undefined ? began : parseInt(began, 36);
}

// What `generateSessionToken` returns by default.
const RANDOM_UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?:\.[\da-z]{6,7})?$/;
const isLikely = (token: string) => RANDOM_UUID.test(token);

// A sibling host may have set namesakes of the cookie (SECURITY.md R8).
function listSessionTokens(ctx: AuthContext): readonly string[] {
  return ctx.cookies.getCandidates(ctx.cookies.spec("sessionToken").name, { isLikely });
}

// Sets one cookie, and clears the chunks of a larger one.
function setCookie(ctx: AuthContext, token: string, expires: number): void {
  const { name, attributes } = ctx.cookies.spec("sessionToken");
  ctx.cookies.setChunked(name, token, { ...attributes, expires: new Date(expires) });
}

function clearCookie(ctx: AuthContext): void {
  const { name, attributes } = ctx.cookies.spec("sessionToken");
  ctx.cookies.clearChunked(name, attributes);
}

function dropCookie(ctx: AuthContext): void {
  if (!ctx.cookies.isRepeated(ctx.cookies.spec("sessionToken").name)) clearCookie(ctx);
}

// The bound that a user's sessions have. A sign-in is not refused for it: the next one tries again.
async function limit(ctx: AuthContext, userId: string, token: string): Promise<void> {
  const { config, logger } = ctx.kernel;
  try {
    const { maxPerUser } = config.session;
    const count = await limitSessions(getAdapter(ctx), { userId, token }, maxPerUser);
    if (!count) return;
    await ctx.kernel.emit("endSession", { userId, count, reason: "limit" }, ctx);
  } catch (error) {
    const text = "The oldest sessions of a user could not be ended.";
    logger.error(new SessionTokenError(text, { cause: { err: error as Error } }));
  }
}

async function lookUp(ctx: AuthContext, token: string, { ended }: Memory): Promise<Found | null> {
  if (ended.size && ended.get(await hashToken(token))) return null;
  const found = await callAdapter(getAdapter(ctx), "getSessionAndUser", token);
  if (!found?.session || !found.user) return null;
  const end = getAbsoluteEnd(token, ctx.kernel.config) ?? Infinity;
  // One that has ended is removed like one that has expired.
  const expires = isSuperseded(token, found.user)
    ? 0
    : Math.min(toTime(found.session.expires), end);
  // A row without a valid date is not a session.
  return Number.isNaN(expires) ? null : { token, ...found, expires };
}

async function lookUpAll(ctx: AuthContext, memory: Memory): Promise<Found[]> {
  const tokens = listSessionTokens(ctx);
  const found = await Promise.all(tokens.map((token) => lookUp(ctx, token, memory)));
  return found.filter((one) => one !== null);
}

// When a session began, as far as that is known: one that ends earlier was not extended since.
function getStart({ token, expires }: Found): number {
  const began = getBegin(token);
  return began === undefined ? expires : began * 1000;
}

// The sessions that have not ended, the one that began first in front: a sibling host has set the others.
function sortLive(found: readonly Found[]): Found[] {
  const live = found.filter(({ expires }) => expires > Date.now());
  return live.sort((one, other) => getStart(one) - getStart(other));
}

// The tokens of this browser's sessions, that in use in front. They are looked up only where several came.
async function listOwnTokens(ctx: AuthContext, memory: Memory): Promise<readonly string[]> {
  const tokens = listSessionTokens(ctx);
  if (tokens.length < 2) return tokens;
  return sortLive(await lookUpAll(ctx, memory)).map(({ token }) => token);
}

// Loads the browser's session; removes expired ones, and clears a cookie without a session unless several came:
// a sibling host's would take the application's with it (SECURITY.md R8).
async function load(ctx: AuthContext, memory: Memory): Promise<Found | null> {
  const found = await lookUpAll(ctx, memory);
  const [chosen] = sortLive(found);
  if (chosen) return chosen;
  dropCookie(ctx);
  for (const { token } of found) await endSession(ctx, token, memory);
  return null;
}

// Removes a session. It counts as ended in this process even if that fails.
async function endSession(
  ctx: AuthContext,
  token: string,
  { ended }: Memory,
): Promise<AdapterSession | null | undefined> {
  ended.set(await hashToken(token), true);
  try {
    return (await callAdapter(getAdapter(ctx), "deleteSession", token)) ?? undefined;
  } catch (error) {
    const text = "A session has ended, but could not be removed by the adapter.";
    ctx.log.error(new SignOutError(text, { cause: { err: error as Error } }));
    return undefined;
  }
}

function getNextEnd({ token, expires }: Found, { config }: Kernel): number {
  const { maxAge, updateAge } = config.session;
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
  const next = getNextEnd(found, ctx.kernel);
  if (next === found.expires) return next;
  const changes = { sessionToken: token, expires: new Date(next) };
  const moved = await callAdapter(getAdapter(ctx), "updateSession", changes);
  return toTime(moved?.expires) || next;
}

// Returns the session's end, extended if that is due; `null` if the session has ended in the
// meantime.
async function extend(ctx: AuthContext, found: Found, memory: Memory): Promise<number | null> {
  const { token, session, expires } = found;
  const next = getNextEnd(found, ctx.kernel);
  if (next === expires) return expires;
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

async function buildSession(
  ctx: AuthContext,
  { session: stored, user, token }: Found,
  expires: number,
  params: SessionParams,
): Promise<Session | null> {
  const { name, email, image } = user;
  const shown = { name, email, image } as User;
  const base: Session = { user: shown, expires: new Date(expires).toISOString() };
  let shaped: (Session & { sessionToken?: unknown }) | null | undefined;
  try {
    shaped = await callHook(
      ctx.kernel.hooks.session,
      base,
      { user, stored: { ...stored, expires: new Date(expires) }, ...params },
      ctx,
    );
  } catch (error) {
    const text = "A tap of the `session` hook threw; the session was kept.";
    throw new SessionTokenError(text, { cause: { err: error as Error } });
  }
  // A tap that returns null shows no session: the fallback must not show it after all.
  if (!shaped || shaped.sessionToken !== token) return shaped ?? null;
  // The token is in an HttpOnly cookie, and scripts must not get it another way.
  const { sessionToken: _, ...rest } = shaped;
  return rest;
}

async function readSession(
  ctx: AuthContext,
  memory: Memory,
  params: SessionParams = {},
): Promise<CurrentSession | null> {
  const found = await load(ctx, memory);
  if (!found) return null;
  let expires: number | null = found.expires;
  try {
    expires = await extend(ctx, found, memory);
  } catch (error) {
    // A store that rejects writes must not end sessions.
    const text = "A session could not be extended.";
    ctx.log.error(new SessionTokenError(text, { cause: { err: error as Error } }));
  }
  if (expires === null) {
    dropCookie(ctx);
    return null;
  }
  if (expires !== found.expires) setCookie(ctx, found.token, expires);
  const session = await buildSession(ctx, found, expires, params);
  if (!session) return null;
  await ctx.kernel.emit("session", { session }, ctx);
  const { user } = found;
  return { id: String(user.id), session, user };
}

/** Creates the strategy. This module is imported with the first request that needs it. */
export function createStored(ended: BoundedCache<true>): Strategy {
  const memory: Memory = { extensions: new Map(), ended };
  return {
    async create(ctx, login) {
      const { config } = ctx.kernel;
      const old = await listOwnTokens(ctx, memory);
      const generated = newToken(config);
      const isMarked = isUnverified(getAdapter(ctx), login.user, login.emailVerified);
      const token = isMarked ? markUnverified(generated) : generated;
      const { maxAge, absoluteMaxAge = Infinity } = config.session;
      const expires = new Date(Date.now() + Math.min(maxAge, absoluteMaxAge) * 1000);
      // The application's `generateSessionToken` may return a token again.
      memory.ended.delete(await hashToken(token));
      const row = { sessionToken: token, userId: String(login.user.id), expires };
      const made = await callAdapter(getAdapter(ctx), "createSession", row);
      return async () => {
        const kept = made?.sessionToken ?? token;
        await keepAuthTime(ctx, kept);
        setCookie(ctx, kept, toTime(made?.expires) || expires.getTime());
        // A session that was planted in this browser, or stolen from it, ends here (SECURITY.md
        // R13).
        for (const one of old) await endSession(ctx, one, memory);
        await limit(ctx, row.userId, kept);
      };
    },
    read: (ctx) => readSession(ctx, memory),
    async update(ctx, data) {
      const changed = await readSession(ctx, memory, { newSession: data, trigger: "update" });
      return changed?.session ?? null;
    },
    async current(ctx) {
      const [chosen] = sortLive(await lookUpAll(ctx, memory));
      return chosen?.user ?? null;
    },
    async authTime(ctx) {
      const [token] = await listOwnTokens(ctx, memory);
      return token === undefined ? undefined : readAuthTime(ctx, token);
    },
    async destroy(ctx): Promise<SignOutMessage | undefined> {
      const tokens = await listOwnTokens(ctx, memory);
      clearCookie(ctx);
      forgetAuthTime(ctx);
      const ended: SignOutMessage[] = [];
      for (const token of tokens) ended.push({ session: await endSession(ctx, token, memory) });
      return ended[0];
    },
    key: async (ctx) => (await listOwnTokens(ctx, memory))[0],
    async isAmbiguous(ctx) {
      if (listSessionTokens(ctx).length < 2) return false;
      const owners = sortLive(await lookUpAll(ctx, memory)).map(({ user }) => String(user.id));
      return new Set(owners).size > 1;
    },
  };
}
