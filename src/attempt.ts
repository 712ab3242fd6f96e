import { clearCheck, openCheck, sealCheck, sizeOfCheck } from "./checks.ts";
import type { CheckPlace, SealedCheck } from "./checks.ts";
import { equal, randomBase64url, sha256Base64url } from "./crypto.ts";
import { InvalidCheck } from "./errors.ts";
import type { CookieKey } from "./types/options.ts";
import type { FlowContext } from "./types/kernel.ts";

/** The cookies that an attempt to sign in with OAuth may leave in the browser. */
export type AttemptKey = Extract<CookieKey, "pkceCodeVerifier" | "state" | "nonce">;

/** The secrets of an attempt. */
export type AttemptValues = Partial<Record<AttemptKey, string>>;

/** What an attempt left behind, proved whole and this provider's. */
export interface Attempt {
  values: AttemptValues;
  callbackUrl?: string;
  /** Whom this browser asked to link the account to. */
  linkTo?: string;
}

const KEYS: readonly AttemptKey[] = ["state", "pkceCodeVerifier", "nonce"];
const MAX_ATTEMPTS = 5;
/** Most characters of their cookies: servers refuse requests with more than 16 kB of headers. */
const MAX_SIZE = 6000;
const HANDLE = /^[\w-]{12}$/;
/** A longer target is left to the callback-url cookie: browsers drop cookies beyond 4096 bytes. */
const MAX_TARGET = 1024;

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
  return KEYS.some((key) => sizeOfCheck(ctx, key) > 0) || handlesOf(ctx).length > 0;
}

/** Ends the oldest attempts until there is room for one more. */
function makeRoom(ctx: FlowContext): void {
  const attempts = handlesOf(ctx).map((handle) => {
    const sizes = KEYS.map((key) => sizeOfCheck(ctx, key, { handle }));
    return { handle, size: sizes.reduce((sum, one) => sum + one, 0) };
  });
  let size = attempts.reduce((sum, one) => sum + one.size, 0);
  for (const [at, oldest] of attempts.entries()) {
    if (attempts.length - at < MAX_ATTEMPTS && size <= MAX_SIZE) return;
    for (const key of KEYS) clearCheck(ctx, key, { handle: oldest.handle });
    size -= oldest.size;
  }
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
  if (beside) makeRoom(ctx);
  const checks = KEYS.filter((key) => values[key] !== undefined);
  const attempt = handle ?? randomBase64url(9);
  for (const [at, key] of checks.entries()) {
    const remembers = at === 0 && callbackUrl !== "" && callbackUrl.length <= MAX_TARGET;
    const value = values[key] ?? "";
    const check = {
      value,
      attempt,
      checks,
      ...(remembers && { callbackUrl }),
      ...(linkTo !== undefined && { linkTo }),
    };
    await sealCheck(ctx, key, check, { handle, crossSite });
  }
}

type Opened = Map<AttemptKey, SealedCheck>;

/** Opens the cookies at a place; what cannot be read is cleared. */
async function openAll(
  ctx: FlowContext,
  place: CheckPlace,
): Promise<{ opened: Opened; fault?: InvalidCheck }> {
  const opened: Opened = new Map();
  let fault: InvalidCheck | undefined;
  for (const key of KEYS) {
    if (sizeOfCheck(ctx, key, place) === 0) continue;
    try {
      opened.set(key, await openCheck(ctx, key, place));
    } catch (error) {
      clearCheck(ctx, key, place);
      fault = error as InvalidCheck;
    }
  }
  return { opened, ...(fault && { fault }) };
}

/** Leaves the cookies of one attempt: two starts at the same moment write over one another. */
function keepOne(opened: Opened, state: string | undefined): void {
  const withoutState = [...opened.values()].find(({ checks }) => !checks?.includes("state"));
  const lead = state === undefined ? withoutState : opened.get("state");
  if (!lead) return;
  for (const [key, { attempt }] of opened) if (attempt !== lead.attempt) opened.delete(key);
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
  const { crossSite, required } = options;
  const own = { crossSite, handle: state === undefined ? undefined : await handleOf(state) };
  const isBeside = state !== undefined && KEYS.some((key) => sizeOfCheck(ctx, key, own) > 0);
  const place = isBeside ? own : { crossSite };

  const { opened, fault } = await openAll(ctx, place);
  keepOne(opened, state);
  const all = [...opened.values()];
  const isOurs = all.every(({ provider }) => provider === ctx.provider.id);
  const sent = opened.get("state")?.value;
  const matches = state === undefined ? sent === undefined : equal(sent ?? "", state);
  // Somebody else's callback must not end an attempt that still runs.
  if (isBeside || (matches && (state !== undefined || isOurs))) {
    for (const key of opened.keys()) clearCheck(ctx, key, place);
  }

  if (!isOurs) return new InvalidCheck("The check cookies were made for another provider.");
  const expected = all[0]?.checks ?? required;
  const missing = expected.find((key) => !opened.has(key as AttemptKey));
  if (all.length === 0 || missing !== undefined) {
    return fault ?? new InvalidCheck(`The check cookie "${missing ?? "of any kind"}" is missing.`);
  }
  if (!matches) return new InvalidCheck("The `state` is missing, or not that of an attempt here.");
  const callbackUrl = all.find((check) => check.callbackUrl !== undefined)?.callbackUrl;
  const linkTo = all[0]?.linkTo;
  return {
    values: Object.fromEntries([...opened].map(([key, { value }]) => [key, value])),
    ...(callbackUrl !== undefined && { callbackUrl }),
    ...(linkTo !== undefined && { linkTo }),
  };
}
