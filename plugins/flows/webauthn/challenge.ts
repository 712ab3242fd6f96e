import {
  clearCheck,
  encodeText,
  equal,
  InvalidCheck,
  openCheck,
  sealCheck,
  sha256Base64url,
  type User,
} from "../../../src/index.ts";
import type { CheckPlace } from "../../../src/index.ts";
import type { Burn } from "./burn.ts";
import type { Action, WebAuthnContext } from "./types.ts";

/** What a browser was asked to do, sealed into its cookie until it answers. */
export interface Ceremony {
  challenge: string;
  action: Action;
  /** At a sign-in: who was signed in already, and alone may answer. */
  userId?: string;
  /** At a registration: whose passkey it becomes (`targetOf`). */
  linkTo?: string;
  /** At a registration: somebody new. */
  newcomer?: User & { id: string };
  /** At a registration: they are stored already, and did not sign in. */
  isKnown?: true;
}

const KEY = "webauthnChallenge";
const MAX_BESIDE = 4;
/** Bytes; a cookie has 4096, and sealing takes its part. */
const MAX_SIZE = 1500;

/** Another tab's challenge keeps its cookie: each has a name that its own challenge finds again. */
async function handleFor(challenge: string): Promise<string> {
  return (await sha256Base64url(challenge)).slice(0, 12);
}

function besides(ctx: WebAuthnContext): string[] {
  const start = `${ctx.cookies.spec(KEY).name}.`;
  const names = ctx.cookies.names().filter((name) => name.startsWith(start));
  return names.map((name) => name.slice(start.length)).filter((end) => /^[\w-]{12}$/.test(end));
}

function has(ctx: WebAuthnContext, handle?: string): boolean {
  const { name } = ctx.cookies.spec(KEY);
  return ctx.cookies.get(handle === undefined ? name : `${name}.${handle}`) !== undefined;
}

// Auth.js sealed the bare challenge: an application that moves here while somebody answers one.
function ceremonyIn(value: string): Ceremony | undefined {
  return value.startsWith("{") ? (JSON.parse(value) as Ceremony) : undefined;
}

/** Whether it can be sealed: an application's own user may be of any size. */
export function fitsCookie(ceremony: Ceremony): boolean {
  return encodeText(JSON.stringify(ceremony)).length <= MAX_SIZE;
}

/** Seals what this browser is asked to do; the oldest of too many is forgotten. */
export async function beginCeremony(ctx: WebAuthnContext, ceremony: Ceremony): Promise<void> {
  const handles = besides(ctx);
  const isFirst = !handles.length && !has(ctx);
  for (const handle of handles.slice(0, Math.max(0, handles.length - MAX_BESIDE + 1))) {
    clearCheck(ctx, KEY, { handle });
  }
  const place: CheckPlace = isFirst ? {} : { handle: await handleFor(ceremony.challenge) };
  await sealCheck(ctx, KEY, { value: JSON.stringify(ceremony) }, place);
}

/**
 * Takes back what the answer to a challenge belongs to, once, whatever follows.
 * @throws InvalidCheck when this browser was not asked, or has answered, or too late.
 */
export async function takeCeremony(
  ctx: WebAuthnContext,
  challenge: string,
  burn: Burn,
): Promise<Ceremony> {
  const handle = await handleFor(challenge);
  const place: CheckPlace = has(ctx, handle) ? { handle } : {};
  const check = await openCheck(ctx, KEY, place).catch((error: unknown) => {
    clearCheck(ctx, KEY, place);
    throw error;
  });
  const ceremony = ceremonyIn(check.value);
  if (!ceremony) clearCheck(ctx, KEY, place);
  // Else it is another tab's, which may still be answered.
  const isAnswer =
    equal(ceremony?.challenge ?? "", challenge) && check.provider === ctx.provider.id;
  if (!ceremony || !isAnswer) {
    throw new InvalidCheck("The answer is to no challenge of this browser here.");
  }
  clearCheck(ctx, KEY, place);
  if (!(await burn(challenge))) throw new InvalidCheck("The challenge has been answered before.");
  return ceremony;
}
