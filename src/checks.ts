import { equal, randomBase64url, sha256Base64url } from "./crypto.ts";
import { InvalidCheck } from "./errors.ts";
import type { FlowContext } from "./types/kernel.ts";
import type { CookieAttributes, CookieKey } from "./types/options.ts";

/** The cookies that an attempt to sign in with OAuth may leave in the browser. */
export type AttemptKey = Extract<CookieKey, "pkceCodeVerifier" | "state" | "nonce">;

/** The secrets of an attempt. */
export type AttemptValues = Partial<Record<AttemptKey, string>>;

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

/** What an attempt left behind, proved whole and this provider's. */
export interface Attempt {
  values: AttemptValues;
  callbackUrl?: string;
  linkTo?: string;
}

const KEYS: readonly AttemptKey[] = ["state", "pkceCodeVerifier", "nonce"];
const MAX_ATTEMPTS = 5;
const HANDLE = /^[\w-]{12}$/;
const CHECK_AGE = 900;
/** A longer target is left to the callback-url cookie: browsers drop cookies beyond 4096 bytes. */
const MAX_TARGET = 1024;

function cookieOf(
  ctx: FlowContext,
  key: CookieKey,
  { handle, crossSite }: CheckPlace,
): { name: string; attributes: CookieAttributes } {
  const { name, attributes } = ctx.cookies.spec(key);
  return {
    name: handle === undefined ? name : `${name}.${handle}`,
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
  const { name, attributes } = cookieOf(ctx, key, place);
  const maxAge = attributes.maxAge ?? CHECK_AGE;
  const value = await ctx.kernel.tokens.encode({
    token: { ...check, provider: ctx.provider.id },
    secret: ctx.kernel.config.secret,
    salt: name,
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
  const { name } = cookieOf(ctx, key, place);
  const token = ctx.cookies.get(name);
  if (!token) throw new InvalidCheck(`The cookie "${name}" is missing.`);
  const secret = ctx.kernel.config.secret;
  let check: unknown;
  try {
    check = await ctx.kernel.tokens.decode({ token, secret, salt: name });
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

function isThere(ctx: FlowContext, key: CookieKey, place: CheckPlace): boolean {
  return ctx.cookies.get(cookieOf(ctx, key, place).name) !== undefined;
}

/** Handles of the attempts that run beside others; browsers send the oldest first. */
function handlesOf(ctx: FlowContext): string[] {
  const starts = KEYS.map((key) => `${ctx.cookies.spec(key).name}.`);
  const found = ctx.cookies.names().flatMap((name) => {
    const start = starts.find((one) => name.startsWith(one));
    const handle = start && name.slice(start.length);
    return handle && HANDLE.test(handle) ? [handle] : [];
  });
  return [...new Set(found)];
}

async function handleOf(state: string): Promise<string> {
  return (await sha256Base64url(state)).slice(0, 12);
}

/** Whether this browser is on its way to a provider already, perhaps in another tab. */
export function hasAttempt(ctx: FlowContext): boolean {
  return KEYS.some((key) => isThere(ctx, key, {})) || handlesOf(ctx).length > 0;
}

/**
 * Seals an attempt's secrets into cookies. While another attempt is under way its cookies get names
 * of their own, found again by the `state`, which must be among the values then.
 */
export async function beginAttempt(
  ctx: FlowContext,
  values: AttemptValues,
  options: { crossSite?: boolean; callbackUrl?: string; linkTo?: string | undefined } = {},
): Promise<void> {
  const { crossSite, callbackUrl = "", linkTo } = options;
  const beside = hasAttempt(ctx) && values.state !== undefined;
  const handle = beside ? await handleOf(values.state ?? "") : undefined;
  for (const old of beside ? handlesOf(ctx).slice(0, 1 - MAX_ATTEMPTS) : []) {
    for (const key of KEYS) clearCheck(ctx, key, { handle: old });
  }
  const checks = KEYS.filter((key) => values[key] !== undefined);
  const attempt = handle ?? randomBase64url(9);
  for (const [at, key] of checks.entries()) {
    const remembers = at === 0 && callbackUrl !== "" && callbackUrl.length <= MAX_TARGET;
    const value = values[key] ?? "";
    const intent = at === 0 && linkTo !== undefined && { linkTo };
    const check = { value, attempt, checks, ...(remembers && { callbackUrl }), ...intent };
    await sealCheck(ctx, key, check, { handle, crossSite });
  }
}

/**
 * Takes back the attempt that a callback belongs to: its cookies are cleared, whatever follows, and
 * no other attempt's. `required` are the checks of an attempt that does not say them itself.
 * Answers the fault instead of throwing it: the provider may have something better to report.
 */
export async function takeAttempt(
  ctx: FlowContext,
  state: string | undefined,
  options: { crossSite?: boolean; required: readonly AttemptKey[] },
): Promise<Attempt | InvalidCheck> {
  const { crossSite } = options;
  const own = { handle: await handleOf(state ?? ""), crossSite };
  const beside = state !== undefined && KEYS.some((key) => isThere(ctx, key, own));
  const place = beside ? own : { crossSite };
  const present = KEYS.filter((key) => isThere(ctx, key, place));

  const opened = new Map<AttemptKey, SealedCheck>();
  let fault: InvalidCheck | undefined;
  for (const key of present) {
    try {
      opened.set(key, await openCheck(ctx, key, place));
    } catch (error) {
      clearCheck(ctx, key, place);
      fault = error as InvalidCheck;
    }
  }

  const all = [...opened.values()];
  const isOurs = all.every(({ provider }) => provider === ctx.provider.id);
  const sent = opened.get("state")?.value;
  const matches = state === undefined ? sent === undefined : equal(sent ?? "", state);
  // Somebody else's callback must not end an attempt that still runs.
  if (matches || beside || (state === undefined && isOurs)) {
    for (const key of present) clearCheck(ctx, key, place);
  }

  if (fault) return fault;
  if (!isOurs) return new InvalidCheck("The check cookies were made for another provider.");
  if (!matches) return new InvalidCheck("The `state` is missing, or not that of an attempt here.");
  if (new Set(all.map(({ attempt }) => attempt)).size > 1) {
    return new InvalidCheck("The check cookies were made for different attempts.");
  }
  const expected = all[0]?.checks ?? options.required;
  const missing = expected.find((key) => !opened.has(key as AttemptKey));
  if (missing !== undefined || expected.length === 0 || all.length === 0) {
    return new InvalidCheck(`The check cookie for "${missing ?? "the attempt"}" is missing.`);
  }
  const callbackUrl = all.find((check) => check.callbackUrl !== undefined)?.callbackUrl;
  const linkTo = all.find((check) => check.linkTo !== undefined)?.linkTo;
  return {
    values: Object.fromEntries([...opened].map(([key, { value }]) => [key, value])),
    ...(callbackUrl !== undefined && { callbackUrl }),
    ...(linkTo !== undefined && { linkTo }),
  };
}
