import { findAddressRow, getVerifiedAt, opensUsers } from "../../../src/_kit.ts";
import { PluginError, SessionRequired } from "../../../src/errors.ts";
import {
  type AdapterUser,
  type AuthContext,
  callAdapter,
  type Login,
  type User,
} from "../../../src/kernel.ts";
import type { Limiter } from "../rate-limit.ts";
import { admitOne, QUARTER_S } from "./admit.ts";
import type { App } from "./apps.ts";

/** What a user has allowed in the browser: whose session an app gets, and of which one it comes. */
export interface Consent {
  readonly user: User & { id: string };
  /** Whether the user is stored, and is read again. */
  readonly stored: boolean;
  /** Which end of the user's logins was the last when the user has allowed it; 0 if there was none. */
  readonly ended?: number;
  /** Since when the address of the stored user is verified, in seconds since the epoch; 0 if it is not. */
  readonly verifiedAt: number;
  /** When the user has signed in in the browser, in seconds since the epoch. */
  readonly authTime: number;
  /** The token of the browser's session, where sessions are stored. */
  readonly session?: string;
}

/** Sign-ins that one user allows. */
const ALLOWED = { max: 50, window: QUARTER_S };

async function findAuthTime(ctx: AuthContext): Promise<number | undefined> {
  try {
    return await ctx.kernel.strategy.authTime?.(ctx);
  } catch (error) {
    if (error instanceof PluginError) return undefined;
    throw error;
  }
}

// Of a session that does not state it, the user has signed in longer ago than `freshAge`. Whether that is less than
// `absoluteMaxAge` is not known.
async function getAuthTime(ctx: AuthContext): Promise<number> {
  const { freshAge, absoluteMaxAge } = ctx.kernel.config.session;
  const time = await findAuthTime(ctx);
  if (time === undefined && absoluteMaxAge !== undefined) {
    throw new SessionRequired(
      "The session does not state when it began, and `absoluteMaxAge` is set.",
    );
  }
  return time ?? Math.floor(Date.now() / 1000) - freshAge;
}

/**
 * Notes that the user of the browser's session allows a sign-in. The session of the app is not fresher than this one.
 * @throws SessionRequired without a session, when it began before its address was verified, or when it would have no end;
 * TooManyAttempts when the user has allowed very many.
 */
export async function takeConsent(limiter: Limiter, ctx: AuthContext): Promise<Consent> {
  const { id, session } = await ctx.requireSession();
  await admitOne(limiter(ALLOWED, "consent", id), "A user has allowed too many apps.");
  const { kernel } = ctx;
  const { adapter, strategy } = kernel;
  const stored = await strategy.current(ctx);
  // An attacker who registered another user's address may still have a `jwt` cookie of that user (SECURITY.md R5).
  if (adapter && !stored && (await callAdapter(adapter, "getUser", id))) {
    throw new SessionRequired("The session began before the user's address was verified.");
  }
  const key = strategy.endsWithin && (await strategy.key?.(ctx));
  return {
    user: adapter && stored ? { id, email: stored.email ?? null } : { ...session.user, id },
    stored: Boolean(adapter && stored),
    ...(adapter && stored && { ended: await kernel.use("storedUsers").endedLogins.findLast(id) }),
    verifiedAt: adapter && stored ? getVerifiedAt(stored) : 0,
    authTime: await getAuthTime(ctx),
    ...(key !== undefined && { session: key }),
  };
}

// The user as stored now; `undefined` if the user was removed, has another address, or has ended the session since.
async function reloadUser(
  ctx: AuthContext,
  { user: { id, email }, ended, verifiedAt, session }: Consent,
): Promise<AdapterUser | undefined> {
  const { kernel } = ctx;
  const { adapter } = kernel;
  if (!adapter || (await kernel.use("storedUsers").endedLogins.hasEnded(id, ended)))
    return undefined;
  if (session !== undefined) {
    const found = await callAdapter(adapter, "getSessionAndUser", session);
    const lasts = found && new Date(found.session.expires).getTime() > Date.now();
    if (!lasts || String(found.user.id) !== id) return undefined;
  }
  const user = await callAdapter(adapter, "getUser", id);
  if (!user || (user.email ?? null) !== email) return undefined;
  // The owner of the address may have proved it since: who has allowed this was another one (SECURITY.md R5). By no clock: the
  // time of a proof is one of before its write.
  return getVerifiedAt(user) === verifiedAt ? user : undefined;
}

/** Returns the login of an app whose user has allowed it; `undefined` if it may not become a session any more. */
export async function toLogin(
  ctx: AuthContext,
  { id: provider, name: description }: App,
  consent: Consent,
): Promise<Login | undefined> {
  const { stored, authTime } = consent;
  const user = stored ? await reloadUser(ctx, consent) : consent.user;
  if (!user) return undefined;
  // Stated wherever the owner could still prove the address: then the session is looked at in every Auth that reads it.
  const { emailVerified = opensUsers(ctx.kernel) ? false : undefined } = findAddressRow(user);
  return {
    user,
    account: { provider, providerAccountId: consent.user.id, type: "native-app" },
    ...(stored && { emailVerified }),
    authTime,
    description,
    outcome: stored ? "signIn" : "none",
  };
}
