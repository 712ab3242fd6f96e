import { AmbiguousSession, PluginError, SessionRequired } from "../errors/errors.ts";
import { callHook } from "../hooks/hooks.ts";
import { andThen, orElse } from "../platform/awaitable.ts";
import type { AuthContext, Strategy } from "../types/kernel.ts";
import type { Awaitable } from "../types/models.ts";
import type { CurrentSession } from "../types/session.ts";

/** The key under which a request's context keeps its session. */
export const SESSION: unique symbol = Symbol("session");
/** The key under which a request's context keeps its CSRF token. */
export const CSRF_TOKEN: unique symbol = Symbol("csrf token");

// Stands for a session that is being read: the read has returned neither the session nor a promise.
const READING = {} as CurrentSession;

const AUTHENTICATED: unique symbol = Symbol("authenticated");

// The return value of the hook `authenticate`: `undefined` if the cookies decide.
type Authenticated = Awaitable<CurrentSession | null | undefined>;

/** The part of a context that keeps what depends on the session. */
export interface SessionKeeper {
  [AUTHENTICATED]?: { readonly session: Authenticated };
  [SESSION]?: Awaitable<CurrentSession | null> | undefined;
  [CSRF_TOKEN]?: Awaitable<string | undefined> | undefined;
}

// Called once per request, because a tap may look up a key and count wrong ones.
function authenticate(ctx: AuthContext & SessionKeeper): Authenticated {
  const hook = ctx.kernel.hooks.authenticate;
  if (!hook.isUsed()) return undefined;
  ctx[AUTHENTICATED] ??= {
    session: orElse(
      () => callHook(hook, ctx),
      (error) => Promise.reject<null>(error),
    ),
  };
  return ctx[AUTHENTICATED].session;
}

/** Returns whether the request has its own credentials, valid or not, so that its cookies are ignored. */
export function hasCredentials(ctx: AuthContext): Awaitable<boolean> {
  return andThen(authenticate(ctx), (found) => found !== undefined);
}

// With a key in the request, the cookie may be another user's. It is ignored: no session counts as recent or may be
// changed.
function ifCookies<T>(ctx: AuthContext, ask: () => Awaitable<T>): Awaitable<T | undefined> {
  return andThen(hasCredentials(ctx), (has) => (has ? undefined : ask()));
}

// The session is forgotten even after an error, because the change may have taken effect in part.
async function forgetting<T>(
  ctx: AuthContext & SessionKeeper,
  change: () => Awaitable<T>,
): Promise<T> {
  try {
    return await change();
  } finally {
    ctx[SESSION] = undefined;
  }
}

// A token that an attacker read before a sign-in or sign-out is useless afterwards (SECURITY.md R13).
async function renewCsrfToken(ctx: AuthContext & SessionKeeper): Promise<void> {
  const { name, attributes } = ctx.cookies.spec("csrfToken");
  if (ctx.cookies.get(name) === undefined) return;
  ctx.cookies.clear(name, attributes);
  ctx[CSRF_TOKEN] = undefined;
  await ctx.csrfToken();
}

/**
 * Refuses any change while the browser sends sessions of different users. A sibling host may have set one of them, so
 * that the visitor acts for the attacker's user, or the attacker for the visitor's (SECURITY.md R8).
 * @throws AmbiguousSession
 */
export async function expectOneUser(ctx: AuthContext, strategy: Strategy): Promise<void> {
  if (!(await strategy.isAmbiguous?.(ctx))) return;
  throw new AmbiguousSession(
    "The browser sent sessions of different users, so nothing was changed. Another host of the domain may have " +
      "set one of them; the visitor must delete the cookies of this site.",
  );
}

/**
 * Refuses to begin, change or end a session if the request has its own credentials, before anything is done.
 * @throws SessionRequired
 */
export async function expectNoCredentials(ctx: AuthContext): Promise<void> {
  if (!(await hasCredentials(ctx))) return;
  throw new SessionRequired(
    "The request has its own credentials (the hook `authenticate`), which cannot create, change or end sessions. Send it " +
      "without them.",
  );
}

async function expectSession(ctx: AuthContext, strategy: Strategy): Promise<void> {
  await expectOneUser(ctx, strategy);
  await expectNoCredentials(ctx);
}

/**
 * Returns a strategy that reads the session once per request, and again after it was created, updated or destroyed. It
 * changes nothing if the browser sends sessions of several users, and it renews the CSRF token with the session. The
 * return value of the hook `authenticate` replaces the session and is read-only.
 */
export function guardStrategy(strategy: Strategy): Strategy {
  const { authTime, needsStoredUser, key, isAmbiguous, endsWithin } = strategy;
  return {
    ...(needsStoredUser && { needsStoredUser }),
    ...(endsWithin && { endsWithin: (config) => endsWithin.call(strategy, config) }),
    ...(key && { key: (ctx) => ifCookies(ctx, () => key.call(strategy, ctx)) }),
    ...(isAmbiguous && { isAmbiguous: (ctx) => isAmbiguous.call(strategy, ctx) }),
    read(ctx: AuthContext & SessionKeeper) {
      // A rejection is kept too, so that a failed read is not repeated.
      if (ctx[SESSION] === undefined) {
        ctx[SESSION] = READING;
        ctx[SESSION] = orElse(
          () =>
            andThen(authenticate(ctx), (found) =>
              found === undefined ? strategy.read(ctx) : found,
            ),
          (error) => Promise.reject<null>(error),
        );
      }
      if (ctx[SESSION] === READING) {
        throw new PluginError(
          "`ctx.session()` in a tap of `authenticate`, `jwt` or `session` waits for itself. Use its arguments.",
        );
      }
      return ctx[SESSION];
    },
    async create(ctx, login) {
      await expectSession(ctx, strategy);
      const setSession = await strategy.create(ctx, login);
      return async () => {
        await forgetting(ctx, setSession);
        await renewCsrfToken(ctx);
      };
    },
    async update(ctx, data) {
      await expectSession(ctx, strategy);
      return forgetting(ctx, () => strategy.update(ctx, data));
    },
    current: async (ctx) => (await ifCookies(ctx, () => strategy.current(ctx))) ?? null,
    ...(authTime && {
      authTime: (ctx: AuthContext) => ifCookies(ctx, () => authTime.call(strategy, ctx)),
    }),
    async destroy(ctx) {
      await expectSession(ctx, strategy);
      const ended = await forgetting(ctx, () => strategy.destroy(ctx));
      if (ended) await renewCsrfToken(ctx);
      return ended;
    },
  };
}
