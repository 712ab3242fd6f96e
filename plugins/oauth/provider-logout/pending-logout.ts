import { openSealed, randomBase64url, sealForOrigin, timingSafeEqual } from "../../../src/_kit.ts";
import type { AuthContext, CookieKey } from "../../../src/kernel.ts";

/** The purpose of the cookie for a logout at the provider in progress. */
export const STATE_COOKIE: CookieKey & "logoutState" = "logoutState";

/** Seconds within which the visitor must return from the provider, whose page may ask for a confirmation. */
export const LOGOUT_MAX_AGE_S = 900;

interface PendingLogout {
  readonly state: string;
  /** The target after the logout, which was validated when the logout began. */
  readonly target: string;
  /** Whether the provider returns the state. */
  readonly isEchoed: boolean;
}

/** Returns the state of a new logout. */
export function createState(): string {
  return randomBase64url(24);
}

/** Seals the target of a logout for this browser. */
export async function keepLogout(ctx: AuthContext, token: PendingLogout): Promise<void> {
  const { name, attributes } = ctx.cookies.spec(STATE_COOKIE);
  const value = await sealForOrigin(ctx, { token, salt: name, maxAge: LOGOUT_MAX_AGE_S });
  ctx.cookies.set(name, value, attributes);
}

/**
 * Resolves to the target of this browser's logout, and forgets the logout. If the state is not this browser's, resolves
 * to `undefined` and changes nothing.
 */
export async function endLogout(ctx: AuthContext): Promise<string | undefined> {
  const { name, attributes } = ctx.cookies.spec(STATE_COOKIE);
  const given = ctx.url.searchParams.get("state");
  const opened = (await openSealed(ctx, name)) as unknown as PendingLogout[];
  const found = opened.find(({ state, isEchoed }) =>
    given === null ? !isEchoed : timingSafeEqual(state, given),
  );
  if (!found) return undefined;
  ctx.cookies.clear(name, attributes);
  return found.target;
}
