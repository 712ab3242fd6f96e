import { CHECK_AGE } from "./cookies.ts";
import { InvalidCheck } from "./errors.ts";
import type { FlowContext } from "./types/kernel.ts";
import type { CookieAttributes, CookieKey } from "./types/options.ts";

/** Where a check's cookie is. */
export interface CheckPlace {
  /** Of an attempt that runs beside another one: the end of its cookies' names. */
  handle?: string | undefined;
  /** Whether the cookie must come along when another site posts. */
  crossSite?: boolean | undefined;
}

/** What a check's cookie holds, sealed. `value` and `provider` are Auth.js's. */
export interface SealedCheck {
  value: string;
  provider: string;
  /** The same in all cookies of one attempt. */
  attempt?: string;
  /** The cookies that belong together. */
  checks?: readonly string[];
  /** Where the visitor goes in the end. */
  callbackUrl?: string;
  /** Whom the account is to be linked to (`linkTarget`). */
  linkTo?: string;
}

function cookieOf(
  ctx: FlowContext,
  key: CookieKey,
  { handle, crossSite }: CheckPlace,
): { name: string; salt: string; attributes: CookieAttributes } {
  const { name, attributes } = ctx.cookies.spec(key);
  return {
    name: handle === undefined ? name : `${name}.${handle}`,
    // One key for the purpose, whichever the attempt: what is inside names that.
    salt: name,
    attributes: crossSite ? { ...attributes, sameSite: "none", secure: true } : attributes,
  };
}

/** Seals a check into its cookie: readable by this provider's callback alone, for 15 minutes. */
export async function sealCheck(
  ctx: FlowContext,
  key: CookieKey,
  check: Omit<SealedCheck, "provider">,
  place: CheckPlace = {},
): Promise<void> {
  const { name, salt, attributes } = cookieOf(ctx, key, place);
  const maxAge = attributes.maxAge ?? CHECK_AGE;
  const value = await ctx.kernel.tokens.encode({
    token: { ...check, provider: ctx.provider.id },
    secret: ctx.kernel.config.secret,
    salt,
    maxAge,
  });
  const expires = new Date(Date.now() + maxAge * 1000);
  ctx.cookies.set(name, value, { ...attributes, maxAge, expires });
}

/**
 * Opens a check's cookie; whose it is, is for the caller to look at.
 * @throws InvalidCheck when it is missing, expired or not ours.
 */
export async function openCheck(
  ctx: FlowContext,
  key: CookieKey,
  place: CheckPlace = {},
): Promise<SealedCheck> {
  const { name, salt } = cookieOf(ctx, key, place);
  const token = ctx.cookies.get(name);
  if (!token) throw new InvalidCheck(`The cookie "${name}" is missing.`);
  const secret = ctx.kernel.config.secret;
  let check: unknown;
  try {
    check = await ctx.kernel.tokens.decode({ token, secret, salt });
  } catch {
    throw new InvalidCheck(`The cookie "${name}" cannot be read, or is too old.`);
  }
  const { value, provider } = (check ?? {}) as Partial<SealedCheck>;
  if (typeof value !== "string" || !value || typeof provider !== "string") {
    throw new InvalidCheck(`The cookie "${name}" holds no check.`);
  }
  return check as SealedCheck;
}

/** Clears a check's cookie, if the browser has it. */
export function clearCheck(ctx: FlowContext, key: CookieKey, place: CheckPlace = {}): void {
  const { name, attributes } = cookieOf(ctx, key, place);
  if (ctx.cookies.get(name) !== undefined) ctx.cookies.clear(name, attributes);
}

/** Length of a check's cookie in the browser; 0 when there is none. */
export function sizeOfCheck(ctx: FlowContext, key: CookieKey, place: CheckPlace = {}): number {
  return ctx.cookies.get(cookieOf(ctx, key, place).name)?.length ?? 0;
}
