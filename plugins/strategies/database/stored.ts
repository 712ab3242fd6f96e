import { andThen, orElse } from "../../../src/_kit.ts";
import { SessionTokenError } from "../../../src/errors.ts";
import {
  type AuthContext,
  type Awaitable,
  callHook,
  type CurrentSession,
  type Session,
  type SessionParams,
  type SignOutMessage,
  type Strategy,
  type User,
} from "../../../src/kernel.ts";
import {
  createSession,
  type Ended,
  endSession,
  extend,
  type Found,
  getAdapter,
  getBegin,
  hashToken,
  isSealedToken,
  isToken,
  limit,
  lookUp,
  type Memory,
  createToken,
  toMessage,
  toTime,
} from "../_database/rows.ts";
import { isUnverified, markUnverified } from "../_database/unverified-session.ts";
import { forgetAuthTime, keepAuthTime, readAuthTime } from "./auth-time.ts";

// The form of the default tokens.
const RANDOM_UUID = /^[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}(?:\.[\da-z]{6,7})?$/;
const isLikely = (token: string) => RANDOM_UUID.test(token);

// A sibling host may have set cookies of the same name (SECURITY.md R8).
function listSessionTokens(ctx: AuthContext): readonly string[] {
  const { name } = ctx.cookies.spec("sessionToken");
  return ctx.cookies
    .getCandidates(name, { isLikely })
    .filter((token) => isToken(token) && !isSealedToken(token));
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

function lookUpAll(ctx: AuthContext, memory: Memory): Awaitable<Found[]> {
  const [token, ...others] = listSessionTokens(ctx);
  if (token === undefined) return [];
  if (others.length) return lookUpEach(ctx, [token, ...others], memory);
  return andThen(lookUp(ctx, token, memory), (found) => (found ? [found] : []));
}

async function lookUpEach(ctx: AuthContext, tokens: readonly string[], memory: Memory) {
  const found = await Promise.all(tokens.map(async (token) => lookUp(ctx, token, memory)));
  return found.filter((one) => one !== null);
}

// Estimates when a session began: a session that ends earlier was not extended since.
function getStart({ token, expires }: Found): number {
  const began = getBegin(token);
  return began === undefined ? expires : began * 1000;
}

// Returns the sessions that have not ended, oldest first. A sibling host has set the others.
function sortLive(found: readonly Found[]): Found[] {
  const live = found.filter(({ expires }) => expires > Date.now());
  return live.sort((one, other) => getStart(one) - getStart(other));
}

// Lists the tokens of this browser's sessions, with the session in use first. They are looked up only if there are
// several.
async function listOwnTokens(ctx: AuthContext, memory: Memory): Promise<readonly string[]> {
  const tokens = listSessionTokens(ctx);
  if (tokens.length < 2) return tokens;
  return sortLive(await lookUpAll(ctx, memory)).map(({ token }) => token);
}

async function endExpired(
  ctx: AuthContext,
  found: readonly Found[],
  memory: Memory,
): Promise<null> {
  for (const { token } of found) await endSession(ctx, token, memory);
  return null;
}

// Loads the browser's session and removes expired ones. Clears a cookie without a session unless there are several,
// because clearing a sibling host's cookie would remove the application's too (SECURITY.md R8).
function load(ctx: AuthContext, memory: Memory): Awaitable<Found | null> {
  return andThen(lookUpAll(ctx, memory), (found) => {
    const [chosen] = sortLive(found);
    if (chosen) return chosen;
    dropCookie(ctx);
    return endExpired(ctx, found, memory);
  });
}

// The token is in an HttpOnly cookie, and scripts must not get it any other way.
function withoutToken(shaped: Session & { sessionToken?: unknown }, { token }: Found): Session {
  if (shaped.sessionToken !== token) return shaped;
  const { sessionToken: _, ...rest } = shaped;
  return rest;
}

function buildSession(
  ctx: AuthContext,
  found: Found,
  expires: number,
  params: SessionParams,
): Awaitable<Session | null> {
  const { session: stored, user } = found;
  const { name, email, image } = user;
  const shown = { name, email, image } as User;
  const base: Session = { user: shown, expires: new Date(expires).toISOString() };
  const facts = { user, stored: { ...stored, expires: new Date(expires) }, ...params };
  const shaped = orElse(
    () => callHook(ctx.kernel.hooks.session, base, facts, ctx),
    (error) => {
      const text = "A tap of the `session` hook threw; the session was kept.";
      throw new SessionTokenError(text, { cause: { err: error as Error } });
    },
  );
  // If a tap returns null, no session is shown, and the fallback must not show it either.
  return andThen(shaped, (session) => (session ? withoutToken(session, found) : null));
}

function showSession(
  ctx: AuthContext,
  found: Found,
  expires: number,
  params: SessionParams,
): Awaitable<CurrentSession | null> {
  const { user } = found;
  return andThen(buildSession(ctx, found, expires, params), (session) => {
    if (!session) return null;
    const current = { id: String(user.id), session, user };
    return andThen(ctx.kernel.emit("session", { session }, ctx), () => current);
  });
}

// Each step continues synchronously if it need not wait. With a store in memory, the session is available without a
// promise.
function readSession(
  ctx: AuthContext,
  memory: Memory,
  params: SessionParams = {},
): Awaitable<CurrentSession | null> {
  return andThen(load(ctx, memory), (found) => {
    if (!found) return null;
    return andThen(extend(ctx, found, memory), (expires) => {
      if (expires === null) {
        dropCookie(ctx);
        return null;
      }
      if (expires !== found.expires) setCookie(ctx, found.token, expires);
      return showSession(ctx, found, expires, params);
    });
  });
}

/** Creates the strategy. This module is imported with the first request that needs it. */
export function createStored(kept: Pick<Memory, "extensions" | "ended">): Strategy {
  const memory: Memory = { ...kept, getStoredAge: ({ maxAge }) => maxAge };
  return {
    async create(ctx, login) {
      const { config } = ctx.kernel;
      const old = await listOwnTokens(ctx, memory);
      const { authTime = Date.now() / 1000 } = login;
      const generated = createToken(ctx.kernel, login.authTime);
      const isMarked = isUnverified(getAdapter(ctx), login.user, login.emailVerified);
      const token = isMarked ? markUnverified(generated) : generated;
      const { maxAge, absoluteMaxAge = Infinity } = config.session;
      const lasts = Math.min(Date.now() / 1000 + maxAge, authTime + absoluteMaxAge);
      const expires = new Date(lasts * 1000);
      // The application's `generateSessionToken` may return the same token again.
      memory.ended.delete(await hashToken(token));
      const row = { sessionToken: token, userId: String(login.user.id), expires };
      const created = await createSession(ctx, row, login, old);
      return async () => {
        const kept = created?.sessionToken ?? token;
        await keepAuthTime(ctx, kept, authTime);
        setCookie(ctx, kept, toTime(created?.expires) || expires.getTime());
        // A session that was planted in this browser, or stolen from it, ends here (SECURITY.md R13).
        for (const one of old) await endSession(ctx, one, memory);
        await limit(ctx, row.userId, kept, created);
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
      const [used] = tokens;
      if (used === undefined) return undefined;
      // Adapters of Auth.js need not return the removed session, but the event names its user. If the look-up fails,
      // the session is still removed.
      const found = await orElse(
        () => lookUp(ctx, used, memory),
        () => null,
      );
      const ended: Ended[] = [];
      for (const token of tokens) ended.push(await endSession(ctx, token, memory));
      return toMessage({ session: ended[0]?.session ?? found?.session }, ended);
    },
    key: async (ctx) => (await listOwnTokens(ctx, memory))[0],
    async isAmbiguous(ctx) {
      if (listSessionTokens(ctx).length < 2) return false;
      const owners = sortLive(await lookUpAll(ctx, memory)).map(({ user }) => String(user.id));
      return new Set(owners).size > 1;
    },
  };
}
