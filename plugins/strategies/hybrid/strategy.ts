import { createRecentLoader, getVerifiedAt, type RecentLoad } from "../../../src/_kit.ts";
import type { AuthContext, JWT, Kernel, Strategy } from "../../../src/kernel.ts";
import {
  createSession,
  type Ended,
  endSession,
  extend,
  type Found,
  hashToken,
  isSealedToken,
  limit,
  lookUp,
  type Memory,
  createToken,
  toMessage,
  toSealedToken,
} from "../_database/rows.ts";
import { CHECKED, STORED } from "../_jwt/claims.ts";
import { listTokens, type Stored } from "../_jwt/cookie.ts";
import { createTokenStrategy } from "../_jwt/strategy.ts";
import type { EndedSessions } from "./ended.ts";

/** Number of sessions whose last look-up a process remembers. */
const MAX_LOOK_UPS = 50_000;

// The stored session lasts longer than its cookie, which is extended without a look-up.
const getStoredAge: Memory["getStoredAge"] = ({ maxAge, updateAge, checkAge }) =>
  maxAge + updateAge + checkAge;

// Returns `undefined` for a claim that this strategy has not written.
function getStoredToken(token: JWT | undefined): string | undefined {
  const stored = token?.[STORED];
  return typeof stored === "string" && isSealedToken(stored) ? stored : undefined;
}

/** Creates the strategy. This module is imported with the first request that needs it. */
export function createHybrid(kernel: Kernel, ended: EndedSessions): Strategy {
  const memory: Memory = { getStoredAge, extensions: new Map(), ended: ended.tokens };
  // The end of each session, or `null` if it has ended.
  const loads = kernel.createCache<RecentLoad<number | null>>("strategies/hybrid look-ups", {
    max: MAX_LOOK_UPS,
  });
  const lookUps = createRecentLoader(loads);

  const load = async (ctx: AuthContext, stored: string): Promise<number | null> => {
    const found = await lookUp(ctx, stored, memory);
    if (!found) return null;
    if (found.expires > Date.now()) return extend(ctx, found, memory);
    await endSession(ctx, stored, memory);
    return null;
  };

  // Returns the number of milliseconds for which a look-up is trusted.
  const getMaxAge = ({ cookies, kernel }: AuthContext, { sub = "" }: JWT): number => {
    const { name } = cookies.spec("sessionToken");
    // With several cookies, only a session that still lasts counts, so each is looked up now. Requests that change
    // something do the same.
    if (cookies.isRepeated(name)) return 0;
    const sinceEnd = Date.now() - (ended.users.get(sub) ?? -Infinity);
    return Math.min(kernel.config.session.checkAge * 1000, sinceEnd);
  };

  // An error of the store does not end the session: the error is thrown, and the cookie stays (SECURITY.md R7).
  const check = async (ctx: AuthContext, token: JWT): Promise<JWT | null> => {
    const stored = getStoredToken(token);
    if (stored === undefined) return null;
    const hash = await hashToken(stored);
    if (ended.tokens.get(hash)) return null;
    const maxAge = getMaxAge(ctx, token);
    const age = Date.now() - Number(token[CHECKED]) * 1000;
    // A time in the future is from a clock that was ahead.
    if (age >= 0 && age < maxAge) return token;
    const { value: expires, at } = await lookUps.get(hash, maxAge, () => load(ctx, stored));
    if (expires === null || expires <= Date.now()) return null;
    // Rounded down, so that the next look-up is not late.
    const checked = Math.floor(at / 1000);
    return checked === token[CHECKED] ? token : { ...token, [CHECKED]: checked };
  };

  // Finds the browser's session if it lasts now, whenever it was last looked up.
  const findLive = async (ctx: AuthContext): Promise<(Found & { claims: JWT }) | null> => {
    const { token: claims } = (await ctx.session()) ?? {};
    const stored = getStoredToken(claims);
    const found = stored === undefined ? null : await lookUp(ctx, stored, memory);
    if (!claims || !found || found.expires <= Date.now()) return null;
    return String(found.user.id) === claims.sub ? { ...found, claims } : null;
  };

  const listStored = async (ctx: AuthContext): Promise<Stored[]> =>
    (await listTokens(ctx)).filter(({ token }) => getStoredToken(token) !== undefined);

  // Lists the live sessions of this browser. They are looked up only if there are several cookies. The others are
  // leftovers.
  const listOwn = async (ctx: AuthContext): Promise<Stored[]> => {
    const all = await listStored(ctx);
    if (all.length < 2) return all;
    const live: Stored[] = [];
    for (const one of all) {
      const found = await lookUp(ctx, getStoredToken(one.token) ?? "", memory);
      if (found && found.expires > Date.now()) live.push(one);
    }
    return live;
  };

  const endAll = async (ctx: AuthContext, sessions: readonly Stored[]) => {
    const ended: Ended[] = [];
    for (const { token } of sessions) {
      ended.push(await endSession(ctx, getStoredToken(token) ?? "", memory));
    }
    return ended;
  };

  const tokens = createTokenStrategy(kernel, {
    check,
    async create(ctx, login, token) {
      // A session that was planted in this browser, or stolen from it, ends (SECURITY.md R13).
      const old = await listStored(ctx);
      const done = async () => void (await endAll(ctx, old));
      if (!token) return { claims: {}, done };
      const { config } = ctx.kernel;
      const at = Date.now();
      const stored = toSealedToken(createToken(ctx.kernel, login.authTime));
      const userId = String(login.user.id);
      const lasts = Math.min(
        getStoredAge(config.session),
        config.session.absoluteMaxAge ?? Infinity,
      );
      // The application's `generateSessionToken` may return the same token again.
      ended.tokens.delete(await hashToken(stored));
      const row = { sessionToken: stored, userId, expires: new Date(at + lasts * 1000) };
      const replaced = old.flatMap((one) => getStoredToken(one.token) ?? []);
      const created = await createSession(ctx, row, login, replaced);
      return {
        claims: { sub: userId, [STORED]: stored, [CHECKED]: Math.floor(at / 1000) },
        async done() {
          await done();
          await limit(ctx, userId, stored, created);
        },
      };
    },
  });

  return {
    ...tokens,
    async current(ctx) {
      const found = await findLive(ctx);
      if (!found) return null;
      // As with `jwt`, the session may belong to a user who signed in before the owner verified the address
      // (SECURITY.md R5).
      const { auth_time: began } = found.claims;
      return Number(began) >= getVerifiedAt(found.user) ? found.user : null;
    },
    // Code that requires a fresh sign-in notices at once that a session has ended.
    async authTime(ctx) {
      const found = await findLive(ctx);
      const { auth_time: began } = found?.claims ?? {};
      return typeof began === "number" ? began : undefined;
    },
    async destroy(ctx) {
      const own = await listOwn(ctx);
      const message = await tokens.destroy(ctx);
      const ended = await endAll(ctx, own);
      const session = ended[0]?.session;
      return (
        message && toMessage({ ...message, ...(own[0] && { token: own[0].token }), session }, ended)
      );
    },
    key: async (ctx) => getStoredToken((await listOwn(ctx))[0]?.token),
    async isAmbiguous(ctx) {
      if (!(await tokens.isAmbiguous?.(ctx))) return false;
      return new Set((await listOwn(ctx)).map(({ token }) => token.sub)).size > 1;
    },
  };
}
