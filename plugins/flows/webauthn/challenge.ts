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

/** A ceremony in progress, sealed into the browser's cookie until the response arrives. */
export interface Ceremony {
  challenge: string;
  action: Action;
  /** At a sign-in: the id of the user who was already signed in. Only that user may respond. */
  userId?: string;
  /** At a registration: the fingerprint of the user who receives the passkey (`getUserFingerprint`). */
  linkTo?: string;
  /** At a registration: a new user. */
  newUser?: User & { id: string };
  /** At a registration: the user is already stored and has not signed in. */
  isKnown?: true;
}

const COOKIE_KEY = "webauthnChallenge";
const ROOM = { attempts: 4, length: 6000 };
/** Maximum size of the sealed data in bytes. A cookie holds 4096, and sealing adds to the size. */
const MAX_COOKIE_LENGTH = 1500;

function hasCookie(ctx: WebAuthnContext, handle?: string): boolean {
  const { name } = ctx.cookies.spec(COOKIE_KEY);
  return ctx.cookies.get(handle === undefined ? name : `${name}.${handle}`) !== undefined;
}

// Auth.js sealed the bare challenge. An application may be migrated while a ceremony is in progress.
function parseCeremony(value: string): Ceremony | undefined {
  return value.startsWith("{") ? (JSON.parse(value) as Ceremony) : undefined;
}

/** Returns whether a ceremony fits into a cookie. The user that an application returns may have any size. */
export function fitsCookie(ceremony: Ceremony): boolean {
  return encodeText(JSON.stringify(ceremony)).length <= MAX_COOKIE_LENGTH;
}

/** Seals a ceremony into a cookie of this browser. Clears the oldest cookie if there are too many. */
export async function beginCeremony(ctx: WebAuthnContext, ceremony: Ceremony): Promise<void> {
  const isFirst = !(await makeRoom(ctx, [COOKIE_KEY], ROOM)) && !hasCookie(ctx);
  // Concurrent challenges in several tabs have separate cookie names.
  const location: CheckLocation = isFirst ? {} : { handle: await deriveHandle(ceremony.challenge) };
  await sealCheck(ctx, COOKIE_KEY, { value: JSON.stringify(ceremony) }, location);
}

/**
 * Takes the ceremony that a response belongs to, once, whatever the outcome.
 * @throws InvalidCheck when the challenge is not from this browser, was used before or has expired.
 */
export async function takeCeremony(ctx: WebAuthnContext, challenge: string): Promise<Ceremony> {
  const handle = await deriveHandle(challenge);
  const location: CheckLocation = hasCookie(ctx, handle) ? { handle } : {};
  const checks = await openChecks(ctx, COOKIE_KEY, location);
  const ceremonies = checks.map((check) => ({ check, ceremony: parseCeremony(check.value) }));
  // No tab waits for these cookies.
  if (ceremonies.every(({ ceremony }) => !ceremony)) clearCheck(ctx, COOKIE_KEY, location);
  // Another challenge belongs to another tab, which may still respond.
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
