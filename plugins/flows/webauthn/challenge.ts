import {
  deriveHandle,
  encodeText,
  makeRoom,
  openChecks,
  timingSafeEqual,
} from "../../../src/_kit.ts";
import { InvalidCheck } from "../../../src/errors.ts";
import { clearCheck, sealCheck, type User, type CheckLocation } from "../../../src/kernel.ts";
import type { Action, WebAuthnContext } from "./types.ts";

/** A ceremony that a browser was asked for, sealed into its cookie until the response arrives. */
export interface Ceremony {
  challenge: string;
  action: Action;
  /** At a sign-in: the id of the user who was signed in already; only that user may respond. */
  userId?: string;
  /**
   * At a registration: the fingerprint of the user whose passkey it becomes (`getUserFingerprint`).
   */
  linkTo?: string;
  /** At a registration: a new user. */
  newUser?: User & { id: string };
  /** At a registration: the user is stored already and has not signed in. */
  isKnown?: true;
}

const COOKIE_KEY = "webauthnChallenge";
const ROOM = { attempts: 4, length: 6000 };
/** Bytes of the sealed data; a cookie has 4096, and sealing adds to them. */
const MAX_COOKIE_LENGTH = 1500;

function hasCookie(ctx: WebAuthnContext, handle?: string): boolean {
  const { name } = ctx.cookies.spec(COOKIE_KEY);
  return ctx.cookies.get(handle === undefined ? name : `${name}.${handle}`) !== undefined;
}

// Auth.js sealed the bare challenge: an application may be migrated while a ceremony is under way.
function parseCeremony(value: string): Ceremony | undefined {
  return value.startsWith("{") ? (JSON.parse(value) as Ceremony) : undefined;
}

/**
 * Returns whether a ceremony fits into a cookie: the user that an application returns may be of any
 * size.
 */
export function fitsCookie(ceremony: Ceremony): boolean {
  return encodeText(JSON.stringify(ceremony)).length <= MAX_COOKIE_LENGTH;
}

/** Seals a ceremony into a cookie of this browser; clears the oldest of too many. */
export async function beginCeremony(ctx: WebAuthnContext, ceremony: Ceremony): Promise<void> {
  const isFirst = !(await makeRoom(ctx, [COOKIE_KEY], ROOM)) && !hasCookie(ctx);
  // Those of concurrent challenges, in several tabs, have names of their own.
  const location: CheckLocation = isFirst ? {} : { handle: await deriveHandle(ceremony.challenge) };
  await sealCheck(ctx, COOKIE_KEY, { value: JSON.stringify(ceremony) }, location);
}

/**
 * Takes the ceremony that a response belongs to, once, whatever the outcome.
 * @throws InvalidCheck when the challenge is not of this browser, was used before or is
 * expired.
 */
export async function takeCeremony(ctx: WebAuthnContext, challenge: string): Promise<Ceremony> {
  const handle = await deriveHandle(challenge);
  const location: CheckLocation = hasCookie(ctx, handle) ? { handle } : {};
  const checks = await openChecks(ctx, COOKIE_KEY, location);
  const ceremonies = checks.map((check) => ({ check, ceremony: parseCeremony(check.value) }));
  // Nothing that a tab waits for.
  if (ceremonies.every(({ ceremony }) => !ceremony)) clearCheck(ctx, COOKIE_KEY, location);
  // Another challenge is another tab's, which may still respond.
  const ceremony = ceremonies.find(
    ({ check, ceremony: one }) =>
      one && check.provider === ctx.provider.id && timingSafeEqual(one.challenge, challenge),
  )?.ceremony;
  if (!ceremony) {
    throw new InvalidCheck("The response belongs to no challenge of this browser.");
  }
  clearCheck(ctx, COOKIE_KEY, location);
  if (!(await ctx.kernel.useOnce("webauthn", challenge)))
    throw new InvalidCheck("The challenge was used before.");
  return ceremony;
}
