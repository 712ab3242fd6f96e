import {
  type AdapterAuthenticator,
  callAdapter,
  InvalidProvider,
  isPromise,
  NO_STORE,
  targetOf,
  type User,
} from "../../../src/index.ts";
import { beginCeremony, type Ceremony, fitsCookie } from "./challenge.ts";
import { spokenForm } from "./encoding.ts";
import { loadLibrary } from "./library.ts";
import { askerOf, handleOf, inquiryOf, namesOf, newcomer } from "./person.ts";
import { isOpen } from "./resolve.ts";
import { relyingPartyOf } from "./relying-party.ts";
import { registrationSettings, signInSettings } from "./settings.ts";
import { type Action, adapterOf, type WebAuthnContext } from "./types.ts";

function refuse(ctx: WebAuthnContext, error: string): Response {
  return ctx.json({ error }, { status: 400, headers: NO_STORE });
}

// Whoever is not signed in is told the same whether or not anybody has the address: a name alone never
// makes a registration of a sign-in, nor lists a passkey.
function actionOf(given: string | null, current: User | null): Action | undefined {
  if (given === "register" || given === "authenticate") return given;
  return given === null && !current ? "authenticate" : undefined;
}

async function heldBy(ctx: WebAuthnContext, user: User): Promise<AdapterAuthenticator[]> {
  return callAdapter(adapterOf(ctx), "listAuthenticatorsByUserId", String(user.id));
}

function described({ credentialID, transports }: AdapterAuthenticator) {
  const names = transports?.split(",").filter(Boolean);
  return { id: spokenForm(credentialID), ...(names?.length && { transports: names }) };
}

async function signInOptions(ctx: WebAuthnContext, current: User | null) {
  const { generateAuthenticationOptions } = await loadLibrary(ctx.provider);
  const own = current ? (await heldBy(ctx, current)).map(described) : [];
  const options = await generateAuthenticationOptions({
    ...signInSettings(ctx.provider).ask,
    rpID: relyingPartyOf(ctx).id,
    ...(own.length && { allowCredentials: own }),
  });
  const { challenge } = options;
  const userId = current ? { userId: String(current.id) } : {};
  return { options, ceremony: { challenge, action: "authenticate" as const, ...userId } };
}

/** Whose passkey a registration makes. */
interface Registrant {
  user: User;
  handle: Uint8Array<ArrayBuffer>;
  known: AdapterAuthenticator[];
  sealed: Pick<Ceremony, "linkTo" | "newcomer" | "isKnown">;
}

async function ownerOf(ctx: WebAuthnContext, user: User): Promise<Registrant> {
  return {
    user,
    handle: await handleOf(String(user.id)),
    known: await heldBy(ctx, user),
    sealed: { linkTo: await targetOf(user) },
  };
}

async function strangerOf(ctx: WebAuthnContext): Promise<Registrant | undefined> {
  const { provider } = ctx;
  if (!isOpen(ctx.kernel, provider)) return undefined;
  const [inquiry, request] = inquiryOf(ctx);
  const given = provider.getUserInfo?.(inquiry, request) ?? askerOf(request);
  const asker = isPromise(given) ? await given : given;
  if (!asker) return undefined;
  const { id, handle } = await newcomer(ctx);
  const user = { ...asker.user, id };
  return {
    user,
    handle,
    known: [],
    sealed: { newcomer: user, ...(asker.exists && { isKnown: true as const }) },
  };
}

async function registrationOptions(ctx: WebAuthnContext, current: User | null) {
  const registrant = current ? await ownerOf(ctx, current) : await strangerOf(ctx);
  if (!registrant) return undefined;
  const { generateRegistrationOptions } = await loadLibrary(ctx.provider);
  const { id: rpID, name: rpName } = relyingPartyOf(ctx);
  const options = await generateRegistrationOptions({
    ...registrationSettings(ctx.provider).ask,
    ...namesOf(registrant.user),
    rpID,
    rpName,
    userID: registrant.handle,
    excludeCredentials: registrant.known.map(described),
  });
  const { challenge } = options;
  return { options, ceremony: { challenge, action: "register" as const, ...registrant.sealed } };
}

/** `GET /webauthn-options/:provider`: what the browser shall do, and a challenge that it must answer. */
export async function giveOptions(ctx: WebAuthnContext): Promise<Response> {
  if (ctx.provider.type !== "webauthn") {
    throw new InvalidProvider(`"${ctx.provider.id}" knows no passkeys.`);
  }
  // Another site cannot read the answer; it must not make this browser forget what it was asked, either.
  const site = ctx.request.headers.get("sec-fetch-site");
  if (site === "cross-site" || site === "same-site") return refuse(ctx, "Invalid request");
  const given = ctx.url.searchParams.get("action");
  if (given !== null && given !== "register" && given !== "authenticate") {
    return refuse(ctx, "Invalid action");
  }
  const current = await ctx.kernel.strategy.current(ctx);
  const action = actionOf(given, current);
  const made =
    action === "authenticate"
      ? await signInOptions(ctx, current)
      : action && (await registrationOptions(ctx, current));
  if (!made || !fitsCookie(made.ceremony)) return refuse(ctx, "Invalid request");
  await beginCeremony(ctx, made.ceremony);
  return ctx.json({ action, options: made.options }, { headers: NO_STORE });
}
