import { openSealed, sealForOrigin, withMaxAge } from "../../../src/_kit.ts";
import type { Account, AuthContext, CookieKey, JWT } from "../../../src/kernel.ts";
import { hasRoom, SESSION_ROOM } from "../_room.ts";

declare module "../../../src/types/cookie.ts" {
  interface CookieKeys {
    providerSession: true;
    logoutState: true;
  }
}

/** The purpose of the cookie with the session at the provider. */
export const SESSION_COOKIE: CookieKey & "providerSession" = "providerSession";

/** The session at a provider with which a session of the application began. */
export interface ProviderSession {
  /** Id of the user, by which a cookie that has outlived its session is recognized. */
  readonly userId: string;
  readonly provider: string;
  /** The ID token of the sign-in. Absent if there is none, or if it is too large for a cookie. */
  readonly idToken?: string;
}

/** Maximum length of a sealed cookie, which fills two parts of a split cookie. */
const MAX_LENGTH = 7000;

function set(ctx: AuthContext, value: string): void {
  const { name, attributes } = ctx.cookies.spec(SESSION_COOKIE);
  const { maxAge } = ctx.kernel.config.session;
  ctx.cookies.setChunked(name, value, withMaxAge(attributes, maxAge));
}

// Resolves to the value without the ID token. Providers also end the session without a hint, but ask the visitor.
async function write(
  ctx: AuthContext,
  { idToken, ...session }: ProviderSession,
  reserved = 0,
): Promise<string> {
  const { name } = ctx.cookies.spec(SESSION_COOKIE);
  const { maxAge } = ctx.kernel.config.session;
  const seal = (token: ProviderSession) => sealForOrigin(ctx, { token, salt: name, maxAge });
  const bare = await seal(session);
  set(ctx, bare);
  if (idToken === undefined) return bare;
  const whole = await seal({ ...session, idToken });
  if (whole.length > MAX_LENGTH) return bare;
  set(ctx, whole);
  if (!hasRoom(ctx, reserved)) set(ctx, bare);
  return bare;
}

/**
 * Keeps the provider session of a user's account, replacing an earlier one. Resolves to the value of its cookie without
 * the ID token, for `makeRoom`.
 */
export async function keepProviderSession(
  ctx: AuthContext,
  { provider, id_token: idToken }: Account,
  userId: string,
): Promise<string> {
  const session = { userId, provider, ...(typeof idToken === "string" && { idToken }) };
  return write(ctx, session, SESSION_ROOM);
}

/** Drops the ID token if the sign-in's cookies, including the session cookie, leave no room. */
export function makeRoom(ctx: AuthContext, bare: string): void {
  if (!hasRoom(ctx)) set(ctx, bare);
}

async function open(ctx: AuthContext): Promise<(ProviderSession & JWT)[]> {
  const { name } = ctx.cookies.spec(SESSION_COOKIE);
  return (await openSealed(ctx, name)) as unknown as (ProviderSession & JWT)[];
}

/** Resolves to this browser's session at the provider, or to `undefined` without one or if it is another user's. */
export async function findProviderSession(
  ctx: AuthContext,
  userId: string | undefined,
): Promise<ProviderSession | undefined> {
  // If there is no session here, it has expired. The session at the provider may last longer.
  return (await open(ctx)).find((one) => userId === undefined || one.userId === userId);
}

/**
 * Keeps the provider session as long as the application's session. It is written again with the response that extends
 * the session.
 */
export function extendProviderSession(ctx: AuthContext): Promise<void> | undefined {
  const own = ctx.cookies.spec(SESSION_COOKIE);
  const { name: token } = ctx.cookies.spec("sessionToken");
  const isExtended = ctx.cookies.pending.some(
    ({ name, value }) => value !== "" && [token, `${token}.0`].includes(name),
  );
  if (!isExtended || ctx.cookies.getChunked(own.name) === undefined) return undefined;
  return extend(ctx);
}

async function extend(ctx: AuthContext): Promise<void> {
  const [session, ...others] = await open(ctx);
  // A sibling host may have set one of several cookies (SECURITY.md R8). The sign-out finds the one of the user.
  if (!session || others.length) return;
  const { userId, provider, idToken, iat = 0 } = session;
  // A callback may change the session's token at each read.
  if (iat + ctx.kernel.config.session.updateAge > Date.now() / 1000) return;
  await write(ctx, { userId, provider, ...(idToken !== undefined && { idToken }) });
}

/** Forgets the session at the provider. */
export function forgetProviderSession(ctx: AuthContext): void {
  const { name, attributes } = ctx.cookies.spec(SESSION_COOKIE);
  ctx.cookies.clearChunked(name, attributes);
}
