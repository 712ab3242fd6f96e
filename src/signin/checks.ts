import { InvalidCheck } from "../errors/errors.ts";
import { CHECK_MAX_AGE_S } from "../http/cookies.ts";
import type { CookieAttributes, CookieKey } from "../types/cookie.ts";
import type { FlowContext } from "../types/kernel.ts";

/** Characters; browsers drop cookies beyond 4096 bytes. */
const MAX_CALLBACK_URL_LENGTH = 1024;

/** Name and attributes of a check cookie. */
export interface CheckLocation {
  /** Suffix of the cookie's name, for an attempt that runs concurrently with others. */
  handle?: string | undefined;
  /** Whether the browser must send the cookie with a POST of another site (`SameSite=None`). */
  crossSite?: boolean | undefined;
  /** Opens the check of another provider too; the caller compares `provider` itself. Default `false`. */
  anyProvider?: boolean | undefined;
}

/** The sealed content of a check cookie. Auth.js has `value` and `provider` too. */
export interface SealedCheck {
  value: string;
  /** Id of the provider that the attempt was started with. */
  provider: string;
  /** Id of the attempt: the same in all its cookies. */
  attempt?: string;
  /** Keys of all check cookies of the attempt, such as `state`. */
  checks?: readonly string[];
  /** Target of the redirect after the sign-in. */
  callbackUrl?: string;
  /** Fingerprint of the user that the account is to be linked to (`getLinkingUser`). */
  linkTo?: string;
}

function getCheckCookie(
  ctx: FlowContext,
  key: CookieKey,
  { handle, crossSite }: CheckLocation,
): { name: string; salt: string; attributes: CookieAttributes } {
  const { name, attributes } = ctx.cookies.spec(key);
  return {
    name: handle === undefined ? name : `${name}.${handle}`,
    // One key per purpose, for all attempts: the sealed content names the attempt.
    salt: name,
    attributes: crossSite ? { ...attributes, sameSite: "none", secure: true } : attributes,
  };
}

/**
 * Seals a check with the id of the request's provider into its cookie, for 15 minutes unless the cookie has
 * another `maxAge`. A `callbackUrl` of more than 1,024 characters is left out: the cookie would be too large.
 */
export async function sealCheck(
  ctx: FlowContext,
  key: CookieKey,
  check: Omit<SealedCheck, "provider">,
  place: CheckLocation = {},
): Promise<void> {
  const { name, salt, attributes } = getCheckCookie(ctx, key, place);
  const maxAge = attributes.maxAge ?? CHECK_MAX_AGE_S;
  const { callbackUrl = "", ...rest } = check;
  const isKept = callbackUrl !== "" && callbackUrl.length <= MAX_CALLBACK_URL_LENGTH;
  const value = await ctx.kernel.tokens.encode({
    token: { ...rest, ...(isKept && { callbackUrl }), provider: ctx.provider.id },
    secret: ctx.kernel.config.secret,
    salt,
    maxAge,
  });
  const expires = new Date(Date.now() + maxAge * 1000);
  ctx.cookies.set(name, value, { ...attributes, maxAge, expires });
}

/**
 * Opens the cookie of a check of the request's provider. A copy of the cookie opens again: `kernel.useOnce`
 * marks its value as used.
 * @throws InvalidCheck when the cookie is missing, expired, or was not sealed by this application for this
 * provider.
 */
export async function openCheck(
  ctx: FlowContext,
  key: CookieKey,
  place: CheckLocation = {},
): Promise<SealedCheck> {
  const { name, salt } = getCheckCookie(ctx, key, place);
  const token = ctx.cookies.get(name);
  if (!token) throw new InvalidCheck(`The request has no cookie "${name}".`);
  const secret = ctx.kernel.config.secret;
  let check: unknown;
  try {
    check = await ctx.kernel.tokens.decode({ token, secret, salt });
  } catch {
    throw new InvalidCheck(`The cookie "${name}" cannot be decrypted, or is expired.`);
  }
  const { value, provider } = (check ?? {}) as Partial<SealedCheck>;
  if (typeof value !== "string" || !value || typeof provider !== "string") {
    throw new InvalidCheck(`The cookie "${name}" does not contain a check.`);
  }
  if (provider !== ctx.provider.id && !place.anyProvider) {
    throw new InvalidCheck(`The cookie "${name}" was set for another provider.`);
  }
  return check as SealedCheck;
}

/** Clears the cookie of a check, if the browser sent it. */
export function clearCheck(ctx: FlowContext, key: CookieKey, place: CheckLocation = {}): void {
  const { name, attributes } = getCheckCookie(ctx, key, place);
  if (ctx.cookies.get(name) !== undefined) ctx.cookies.clear(name, attributes);
}

/** Returns the length of the value of a check's cookie; 0 when the browser sent none. */
export function getCheckSize(ctx: FlowContext, key: CookieKey, place: CheckLocation = {}): number {
  return ctx.cookies.get(getCheckCookie(ctx, key, place).name)?.length ?? 0;
}
