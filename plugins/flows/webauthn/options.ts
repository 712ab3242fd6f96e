import {
  checkFreshness,
  encodeText,
  isPromise,
  NO_STORE,
  getUserFingerprint,
  withCanonicalEmail,
} from "../../../src/_kit.ts";
import { InvalidProvider } from "../../../src/errors.ts";
import { type AdapterAuthenticator, callAdapter, type User } from "../../../src/kernel.ts";
import { beginCeremony, type Ceremony, fitsCookie } from "./challenge.ts";
import { toBase64url } from "./encoding.ts";
import { loadLibrary } from "./library.ts";
import { getRelyingParty } from "./relying-party.ts";
import { isOpen } from "./resolve.ts";
import { registrationSettings, signInSettings } from "./settings.ts";
import { getAdapter, type WebAuthnContext } from "./types.ts";
import {
  getRequestedUser,
  deriveUserHandle,
  buildPasskeyContext,
  getUserNames,
  createNewUser,
} from "./user.ts";

function badRequest(ctx: WebAuthnContext, error: string): Response {
  return ctx.json({ error }, { status: 400, headers: NO_STORE });
}

async function listAuthenticators(
  ctx: WebAuthnContext,
  user: User,
): Promise<AdapterAuthenticator[]> {
  return callAdapter(getAdapter(ctx), "listAuthenticatorsByUserId", String(user.id));
}

function toDescriptor({ credentialID, transports }: AdapterAuthenticator) {
  const names = transports?.split(",").filter(Boolean);
  return { id: toBase64url(credentialID), ...(names?.length && { transports: names }) };
}

async function signInOptions(ctx: WebAuthnContext, current: User | null) {
  const { generateAuthenticationOptions } = await loadLibrary(ctx.provider);
  const own = current ? (await listAuthenticators(ctx, current)).map(toDescriptor) : [];
  const options = await generateAuthenticationOptions({
    ...signInSettings(ctx.provider).options,
    rpID: getRelyingParty(ctx).id,
    ...(own.length && { allowCredentials: own }),
  });
  const { challenge } = options;
  const userId = current ? { userId: String(current.id) } : {};
  return { options, ceremony: { challenge, action: "authenticate" as const, ...userId } };
}

/** The user whose passkey a registration creates. */
interface Registrant {
  user: User;
  handle: string;
  known: AdapterAuthenticator[];
  sealed: Pick<Ceremony, "linkTo" | "newUser" | "isKnown">;
}

async function getSignedInRegistrant(ctx: WebAuthnContext, user: User): Promise<Registrant> {
  return {
    user,
    handle: await deriveUserHandle(String(user.id)),
    known: await listAuthenticators(ctx, user),
    sealed: { linkTo: await getUserFingerprint(user) },
  };
}

async function getNewRegistrant(ctx: WebAuthnContext): Promise<Registrant | undefined> {
  const { provider } = ctx;
  if (!isOpen(ctx.kernel, provider)) return undefined;
  const [inquiry, request] = buildPasskeyContext(ctx);
  const given = provider.getUserInfo?.(inquiry, request) ?? getRequestedUser(request);
  const found = isPromise(given) ? await given : given;
  if (!found) return undefined;
  const { id, handle } = await createNewUser(ctx);
  const user = { ...withCanonicalEmail(found.user), id };
  return {
    user,
    handle,
    known: [],
    sealed: { newUser: user, ...(found.exists && { isKnown: true as const }) },
  };
}

async function registrationOptions(ctx: WebAuthnContext, current: User | null) {
  if (current) await checkFreshness(ctx);
  const registrant = current
    ? await getSignedInRegistrant(ctx, current)
    : await getNewRegistrant(ctx);
  if (!registrant) return undefined;
  const { generateRegistrationOptions } = await loadLibrary(ctx.provider);
  const { id: rpID, name: rpName } = getRelyingParty(ctx);
  const options = await generateRegistrationOptions({
    ...registrationSettings(ctx.provider).options,
    ...getUserNames(registrant.user),
    rpID,
    rpName,
    userID: encodeText(registrant.handle),
    excludeCredentials: registrant.known.map(toDescriptor),
  });
  const { challenge } = options;
  return { options, ceremony: { challenge, action: "register" as const, ...registrant.sealed } };
}

/**
 * `GET /webauthn-options/:provider`: returns the options of a ceremony, with a challenge to which the browser must
 * respond.
 * @throws FreshSessionRequired when a user whose sign-in is too long ago registers a passkey.
 */
export async function sendOptions(ctx: WebAuthnContext): Promise<Response> {
  if (ctx.provider.type !== "webauthn") {
    throw new InvalidProvider(`"${ctx.provider.id}" is not a WebAuthn provider.`);
  }
  // Another site cannot read the response, but its request must not replace this browser's challenges either.
  const site = ctx.request.headers.get("sec-fetch-site");
  if (site === "cross-site" || site === "same-site") return badRequest(ctx, "Invalid request");
  const names = [...ctx.url.searchParams.keys()];
  // With two values, the limit of registrations would count one, and the other would be registered.
  if (new Set(names).size < names.length) return badRequest(ctx, "Invalid request");
  const given = ctx.url.searchParams.get("action");
  if (given !== null && given !== "register" && given !== "authenticate") {
    return badRequest(ctx, "Invalid action");
  }
  const current = await ctx.kernel.strategy.current(ctx);
  // Without a session, the response is the same whether or not the address has an account, so that it reveals none
  // (SECURITY.md R15). A name alone never turns a sign-in into a registration, and never lists passkeys.
  const action = given ?? (current ? undefined : "authenticate");
  const issued =
    action === "authenticate"
      ? await signInOptions(ctx, current)
      : action && (await registrationOptions(ctx, current));
  if (!issued) ctx.debug?.("no challenge is issued", { ceremony: action ?? "none" });
  if (!issued || !fitsCookie(issued.ceremony)) return badRequest(ctx, "Invalid request");
  await beginCeremony(ctx, issued.ceremony);
  ctx.debug?.("a challenge is issued", { ceremony: action, signedIn: current !== null });
  return ctx.json({ action, options: issued.options }, { headers: NO_STORE });
}
