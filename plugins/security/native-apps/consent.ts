import { findAddressRow, getVerifiedAt, opensUsers } from "../../../src/_kit.ts";
import { PluginError, SessionRequired } from "../../../src/errors.ts";
import {
  type AdapterUser,
  type AuthContext,
  callAdapter,
  type Login,
  type User,
} from "../../../src/kernel.ts";
import type { ProviderLogins } from "../../oauth/backchannel-logout.ts";
import type { Limiter } from "../rate-limit.ts";
import { admitOne, QUARTER_S } from "./admit.ts";
import type { App } from "./apps.ts";

/** What a user has allowed in the browser: the user whose session an app gets, and the browser session behind it. */
export interface Consent {
  readonly user: User & { id: string };
  /** Whether the user is stored, and is read again. */
  readonly stored: boolean;
  /** The mark of the last time that all logins of the user were ended before the consent; 0 if there was none. */
  readonly ended?: number;
  /** When the address of the stored user was verified, in seconds since the epoch; 0 if it is not verified. */
  readonly verifiedAt: number;
  /** When the user signed in in the browser, in seconds since the epoch. */
  readonly authTime: number;
  /** The token of the browser's session, if sessions are stored. */
  readonly session?: string;
  /** The providers' users with whom the browser's session began, if their logouts end sessions. */
  readonly logins?: Awaited<ReturnType<ProviderLogins["list"]>>;
}

/** Limit of the sign-ins that one user allows. */
const ALLOWED = { max: 50, window: QUARTER_S };

async function findAuthTime(ctx: AuthContext): Promise<number | undefined> {
  try {
    return await ctx.kernel.strategy.authTime?.(ctx);
  } catch (error) {
    if (error instanceof PluginError) return undefined;
    throw error;
  }
}

// If the session has no sign-in time, the session of the app counts as not fresh. With `absoluteMaxAge`, the time is
// required, because the session of the app would otherwise have no end.
async function getAuthTime(ctx: AuthContext): Promise<number> {
  const { freshAge, absoluteMaxAge } = ctx.kernel.config.session;
  const time = await findAuthTime(ctx);
  if (time === undefined && absoluteMaxAge !== undefined) {
    throw new SessionRequired("The session has no start time, but `absoluteMaxAge` is set.");
  }
  return time ?? Math.floor(Date.now() / 1000) - freshAge;
}

/**
 * Records that the user of the browser's session allows a sign-in. The app's session is not fresher than the browser's.
 * @throws SessionRequired without a session, when it began before its address was verified, or when it would have no
 * end; TooManyAttempts when the user has allowed too many.
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
  const logins = (await kernel.find("providerLogins")?.list(ctx)) ?? [];
  return {
    user: adapter && stored ? { id, email: stored.email ?? null } : { ...session.user, id },
    stored: Boolean(adapter && stored),
    ...(adapter && stored && { ended: await kernel.use("storedUsers").endedLogins.findLast(id) }),
    verifiedAt: adapter && stored ? getVerifiedAt(stored) : 0,
    authTime: await getAuthTime(ctx),
    ...(key !== undefined && { session: key }),
    ...(logins.length && { logins }),
  };
}

// Returns the currently stored user, or `undefined` if the user was removed, has another address, or has ended the
// session since.
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
  // If the owner of the address has proved it since, another person gave the consent (SECURITY.md R5). The times are
  // compared only for equality, because the recorded time of a proof is earlier than its write.
  return getVerifiedAt(user) === verifiedAt ? user : undefined;
}

/** Returns the login of an app that its user has allowed, or `undefined` if it may no longer become a session. */
export async function toLogin(
  ctx: AuthContext,
  { id: provider, name: description }: App,
  consent: Consent,
): Promise<Login | undefined> {
  const { stored, authTime } = consent;
  const user = stored ? await reloadUser(ctx, consent) : consent.user;
  if (!user) return undefined;
  // Set whenever the owner could still prove the address. Every Auth that reads the session then checks it.
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
