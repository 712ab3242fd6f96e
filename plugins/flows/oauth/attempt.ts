import {
  deriveHandle,
  findHandles,
  getCheckSize,
  markSession,
  makeRoom,
  openChecks,
  timingSafeEqual,
  randomBase64url,
  sha256Base64url,
} from "../../../src/_kit.ts";
import { InvalidCheck } from "../../../src/errors.ts";
import {
  clearCheck,
  sealCheck,
  type CheckLocation,
  type SealedCheck,
  type CookieKey,
  type FlowContext,
} from "../../../src/kernel.ts";

/** The keys of the cookies that an OAuth attempt may set. */
export type AttemptKey = Extract<
  CookieKey,
  "pkceCodeVerifier" | "state" | "nonce" | "oauthAttempt"
>;

/** The secrets of an attempt. */
export type AttemptValues = Partial<Record<AttemptKey, string>>;

/** An attempt taken from the browser's cookies: complete, and of this provider. */
export interface OAuthAttempt {
  values: AttemptValues;
  callbackUrl?: string | undefined;
  /** Fingerprint of the user that this browser asked to link the account to (`getLinkFingerprint`). */
  linkTo?: string | undefined;
  /** When the attempt began, and in which session (`markSession`). */
  session?: string | undefined;
  /** The `max_age` that the application's own call set. */
  maxAge?: string | undefined;
}

const KEYS: readonly AttemptKey[] = ["state", "pkceCodeVerifier", "nonce", "oauthAttempt"];
const ROOM = { attempts: 5, length: 6000 };

/** Returns whether this browser has an attempt in progress, perhaps in another tab. */
export function hasAttempt(ctx: FlowContext): boolean {
  return KEYS.some((key) => getCheckSize(ctx, key) > 0) || findHandles(ctx, KEYS).length > 0;
}

/**
 * Seals an attempt's secrets into cookies. While another attempt is in progress, the cookies get separate names with a
 * handle derived from the `state`, which must then be among the values.
 */
export async function beginAttempt(
  ctx: FlowContext,
  values: AttemptValues,
  options: { crossSite?: boolean } & Omit<OAuthAttempt, "values" | "session"> = {},
): Promise<void> {
  const { crossSite, callbackUrl, linkTo, maxAge } = options;
  const isConcurrent = hasAttempt(ctx) && values.state !== undefined;
  const handle = isConcurrent ? await deriveHandle(values.state ?? "") : undefined;
  if (isConcurrent) await makeRoom(ctx, KEYS, ROOM);
  const checks = KEYS.filter((key) => values[key] !== undefined);
  const attempt = handle ?? randomBase64url(9);
  const session = await markSession(ctx);
  for (const [at, key] of checks.entries()) {
    const value = values[key] ?? "";
    const check = {
      value,
      attempt,
      checks,
      ...(at === 0 && { session, callbackUrl }),
      linkTo,
      maxAge,
    };
    await sealCheck(ctx, key, check, { handle, crossSite });
  }
}

type OpenedChecks = Map<AttemptKey, SealedCheck>;

// There may be several cookies of a name: two concurrent starts overwrite each other's cookies, and a sibling host may
// have set some.
type FoundChecks = ReadonlyMap<AttemptKey, readonly SealedCheck[]>;

/** Opens the cookies at a location, and clears the unreadable ones. */
async function openAll(ctx: FlowContext, location: CheckLocation): Promise<FoundChecks> {
  const found = new Map<AttemptKey, SealedCheck[]>();
  for (const key of KEYS) {
    const opened = await openChecks(ctx, key, location);
    if (opened.length) found.set(key, opened);
    else clearCheck(ctx, key, location);
  }
  return found;
}

/** Returns the cookies of one attempt: the one with this `state`, or one without a `state`. */
function keepOne(found: FoundChecks, state: string | undefined, provider: string): OpenedChecks {
  const withoutState = [...found.values()]
    .flat()
    .filter(({ checks }) => !checks?.includes("state"));
  const own = withoutState.find((check) => check.provider === provider) ?? withoutState[0];
  const lead =
    state === undefined
      ? own
      : found.get("state")?.find(({ value }) => timingSafeEqual(value, state));
  const kept: OpenedChecks = new Map();
  for (const [key, checks] of found) {
    const check = lead ? checks.find(({ attempt }) => attempt === lead.attempt) : checks[0];
    if (check) kept.set(key, check);
  }
  return kept;
}

interface Place {
  location: CheckLocation;
  /** Whether the cookies have separate names, because another attempt was in progress. */
  isConcurrent: boolean;
}

/** Finds the cookies of the attempt that a `state` belongs to. */
async function locate(
  ctx: FlowContext,
  state: string | undefined,
  crossSite: boolean | undefined,
): Promise<Place> {
  if (state === undefined) return { location: { crossSite }, isConcurrent: false };
  const own = { crossSite, handle: await deriveHandle(state) };
  const isConcurrent = KEYS.some((key) => getCheckSize(ctx, key, own) > 0);
  return { location: isConcurrent ? own : { crossSite }, isConcurrent };
}

/** Returns whether a user in this browser asked to link the account of a callback's attempt. */
export async function isLinking(ctx: FlowContext, state: string | undefined): Promise<boolean> {
  const { location } = await locate(ctx, state, undefined);
  // `takeAttempt` reports cookies that cannot be opened.
  const checks = await Promise.all(KEYS.map((key) => openChecks(ctx, key, location)));
  return checks
    .flat()
    .some(({ linkTo, provider }) => linkTo !== undefined && provider === ctx.provider.id);
}

// The cookies of an attempt of Auth.js contain no id, so one of the secrets identifies it. Only the hash of the secret
// is kept.
async function isFirstUse(ctx: FlowContext, opened: OpenedChecks): Promise<boolean> {
  const secrets = KEYS.map((key) => opened.get(key)?.value ?? "").join(" ");
  return ctx.kernel.useOnce("oauth", await sha256Base64url(`${ctx.provider.id} ${secrets}`));
}

/**
 * Takes the attempt that a callback belongs to, once: a copy of its cookies is not accepted again. Clears the cookies of
 * this attempt, even if it is then refused, but not those of another attempt. `required` are the checks of an attempt
 * whose cookies do not list them.
 * @returns the failure instead of throwing it, since the provider may have a better error to report.
 */
export async function takeAttempt(
  ctx: FlowContext,
  state: string | undefined,
  options: { crossSite?: boolean; required: readonly AttemptKey[] },
): Promise<OAuthAttempt | InvalidCheck> {
  const { crossSite, required } = options;
  const { location, isConcurrent } = await locate(ctx, state, crossSite);
  const opened = keepOne(await openAll(ctx, location), state, ctx.provider.id);
  const all = [...opened.values()];
  const isOfProvider = all.every(({ provider }) => provider === ctx.provider.id);
  const sent = opened.get("state")?.value;
  const matches = state === undefined ? sent === undefined : timingSafeEqual(sent ?? "", state);
  // An attacker's callback must not end an attempt that is still in progress.
  if (isConcurrent || (matches && (state !== undefined || isOfProvider))) {
    for (const key of opened.keys()) clearCheck(ctx, key, location);
  }

  if (!isOfProvider) return new InvalidCheck("The check cookies are for another provider.");
  const expected = all[0]?.checks ?? required;
  const missing = expected.find((key) => !opened.has(key as AttemptKey));
  if (all.length === 0 || missing !== undefined) {
    return new InvalidCheck(
      "The check cookies are missing, expired, or cannot be decrypted" +
        (missing === undefined ? ". " : `: no "${missing}". `) +
        "A sign-in begins and ends in one browser, at one host (AUTH_URL), within 15 minutes.",
    );
  }
  if (!matches)
    return new InvalidCheck("The `state` is missing, or belongs to no attempt in this browser.");
  if (!(await isFirstUse(ctx, opened)))
    return new InvalidCheck("The sign-in has already completed or failed.");
  return {
    values: Object.fromEntries([...opened].map(([key, { value }]) => [key, value])),
    callbackUrl: all.find((check) => check.callbackUrl !== undefined)?.callbackUrl,
    linkTo: all[0]?.linkTo,
    maxAge: all[0]?.maxAge,
    session: all.find((check) => check.session !== undefined)?.session,
  };
}
