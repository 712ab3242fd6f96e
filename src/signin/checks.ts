import { sha256Base64url } from "../crypto/crypto.ts";
import { InvalidCheck } from "../errors/errors.ts";
import { CHECK_MAX_AGE_S } from "../http/cookies.ts";
import { openSealed, sealForOrigin, withMaxAge } from "../request/sealed-cookie.ts";
import type { CookieAttributes, CookieKey } from "../types/cookie.ts";
import type { AuthContext, FlowContext } from "../types/kernel.ts";
import { listBrowserValues, markBrowser } from "./browser.ts";

/** Maximum length in characters: browsers drop cookies over 4096 bytes. */
const MAX_CALLBACK_URL_LENGTH = 1024;

/** Name and attributes of a check cookie. */
export interface CheckLocation {
  /** Suffix of the cookie's name, for an attempt that runs concurrently with others. */
  handle?: string | undefined;
  /** Whether the browser must send the cookie with a POST from another site (`SameSite=None`). */
  crossSite?: boolean | undefined;
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
  callbackUrl?: string | undefined;
  /** Fingerprint of the user that the account is to be linked to (`getLinkFingerprint`). */
  linkTo?: string | undefined;
  /** When the attempt began, and in which session (`markSession`). */
  session?: string | undefined;
  /** Maximum number of seconds since the visitor authenticated: the `max_age` that the application's own code sent. */
  maxAge?: string | undefined;
  /** Hash of the token of an e-mail with a code. */
  token?: string | undefined;
  /** The browser in which the attempt began (`markBrowser`). */
  browser?: string;
}

function getCheckCookie(
  ctx: AuthContext,
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
 * Seals a check with the id of the request's provider into its cookie. It is valid for this browser and for 15 minutes,
 * unless the cookie has another `maxAge`. A `callbackUrl` of more than 1,024 characters is left out, since the cookie
 * would be too large.
 */
export async function sealCheck(
  ctx: FlowContext,
  key: CookieKey,
  check: Omit<SealedCheck, "provider" | "browser">,
  place: CheckLocation = {},
): Promise<void> {
  const { name, salt, attributes } = getCheckCookie(ctx, key, place);
  const maxAge = attributes.maxAge ?? CHECK_MAX_AGE_S;
  const { callbackUrl = "", ...rest } = check;
  const isKept = callbackUrl !== "" && callbackUrl.length <= MAX_CALLBACK_URL_LENGTH;
  const browser = await markBrowser(ctx, place.crossSite);
  const token = { ...rest, ...(isKept && { callbackUrl }), provider: ctx.provider.id, browser };
  const value = await sealForOrigin(ctx, { token, salt, maxAge });
  ctx.cookies.set(name, value, withMaxAge(attributes, maxAge));
}

function isCheck({ value, provider }: Partial<SealedCheck>): boolean {
  return typeof value === "string" && value !== "" && typeof provider === "string";
}

/**
 * Opens the cookies of a check, for any provider. Returns those that this application sealed for this browser. Cookies
 * of Auth.js name no browser.
 */
export async function openChecks(
  ctx: AuthContext,
  key: CookieKey,
  place: CheckLocation = {},
): Promise<SealedCheck[]> {
  const { name, salt } = getCheckCookie(ctx, key, place);
  const opened = (await openSealed(ctx, name, salt)) as Partial<SealedCheck>[];
  const known = listBrowserValues(ctx);
  const own = opened.filter(({ browser }) => browser === undefined || known.includes(browser));
  return own.filter(isCheck) as SealedCheck[];
}

const HANDLE_LENGTH = 12;
const HANDLE = /^[\w-]{12}$/;
/** Maximum number of handles that are checked: a sibling host may have set any number. */
const MAX_HANDLES = 32;

/** Returns the handle of the attempt with this value. The handle does not reveal the value. */
export async function deriveHandle(value: string): Promise<string> {
  return (await sha256Base64url(value)).slice(0, HANDLE_LENGTH);
}

/**
 * Returns the handles in the names of these keys' cookies: at most 32, and the oldest first, since browsers send the
 * oldest cookies first.
 */
export function findHandles(ctx: FlowContext, keys: readonly CookieKey[]): string[] {
  const starts = keys.map((key) => `${ctx.cookies.spec(key).name}.`);
  const found = ctx.cookies.names().flatMap((name) => {
    const start = starts.find((one) => name.startsWith(one));
    const handle = start && name.slice(start.length);
    return handle && HANDLE.test(handle) ? [handle] : [];
  });
  return [...new Set(found)].slice(0, MAX_HANDLES);
}

/**
 * Lists the handles of pending attempts with cookies of these keys, the oldest first. Cookies that this application did
 * not seal are left out.
 */
export async function listHandles(ctx: FlowContext, keys: readonly CookieKey[]): Promise<string[]> {
  const handles = findHandles(ctx, keys);
  const opened = await Promise.all(
    handles.map((handle) => Promise.all(keys.map((key) => openChecks(ctx, key, { handle })))),
  );
  return handles.filter((_, at) => opened[at]?.some((checks) => checks.length > 0));
}

/**
 * Opens the check cookie of the request's provider. A copy of the cookie opens again, so the caller marks its value as
 * used with `kernel.useOnce`.
 * @throws InvalidCheck when the cookie is missing, expired, or was not sealed by this application for this provider.
 */
export async function openCheck(
  ctx: FlowContext,
  key: CookieKey,
  place: CheckLocation = {},
): Promise<SealedCheck> {
  const { name } = getCheckCookie(ctx, key, place);
  if (!ctx.cookies.get(name)) throw new InvalidCheck(`The request has no cookie "${name}".`);
  const opened = await openChecks(ctx, key, place);
  if (!opened.length) {
    throw new InvalidCheck(
      `The cookie "${name}" cannot be decrypted, has expired, is from another browser, or contains no check.`,
    );
  }
  const check = opened.find(({ provider }) => provider === ctx.provider.id);
  if (!check) throw new InvalidCheck(`The cookie "${name}" was set for another provider.`);
  return check;
}

/** Clears the cookie of a check, if the browser sent it. */
export function clearCheck(ctx: FlowContext, key: CookieKey, place: CheckLocation = {}): void {
  const { name, attributes } = getCheckCookie(ctx, key, place);
  if (ctx.cookies.get(name) !== undefined) ctx.cookies.clear(name, attributes);
}

/** Returns the length of a check cookie's value; 0 if the browser sent none. */
export function getCheckSize(ctx: FlowContext, key: CookieKey, place: CheckLocation = {}): number {
  return ctx.cookies.get(getCheckCookie(ctx, key, place).name)?.length ?? 0;
}

/**
 * Maximum number of attempts that one browser may have at once, and of characters in their cookies: servers refuse more
 * than 16 kB of headers.
 */
export interface Room {
  attempts: number;
  length: number;
}

/**
 * Clears the oldest attempts with cookies of these keys until one more fits. Resolves to the number of attempts that
 * were pending.
 */
export async function makeRoom(
  ctx: FlowContext,
  keys: readonly CookieKey[],
  { attempts, length }: Room,
): Promise<number> {
  const handles = await listHandles(ctx, keys);
  const sizes = handles.map((handle) =>
    keys.reduce((sum, key) => sum + getCheckSize(ctx, key, { handle }), 0),
  );
  let size = sizes.reduce((sum, one) => sum + one, 0);
  for (const [at, handle] of handles.entries()) {
    if (handles.length - at < attempts && size <= length) break;
    for (const key of keys) clearCheck(ctx, key, { handle });
    size -= sizes[at] ?? 0;
  }
  return handles.length;
}
