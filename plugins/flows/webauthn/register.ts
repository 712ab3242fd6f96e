import {
  AccountNotLinked,
  type AdapterAuthenticator,
  callAdapter,
  type Identity,
} from "../../../src/index.ts";
import type { Ceremony } from "./challenge.ts";
import { storedBytes, storedForm } from "./encoding.ts";
import { refusal, verified } from "./fault.ts";
import { loadLibrary } from "./library.ts";
import { relyingPartyOf } from "./relying-party.ts";
import { checkClientData, type ClientData, type Posted } from "./response.ts";
import { registrationSettings } from "./settings.ts";
import { adapterOf, type WebAuthnContext } from "./types.ts";

type Response = Parameters<
  (typeof import("@simplewebauthn/server"))["verifyRegistrationResponse"]
>[0]["response"];

const MAX_TRANSPORTS = 8;

// No proof covers them: they are hints for the browser, and kept as such.
function transportsOf({ response: { transports } }: Posted): string | undefined {
  if (!Array.isArray(transports)) return undefined;
  const named = transports.filter(
    (name): name is string => typeof name === "string" && /^[a-z-]{1,20}$/.test(name),
  );
  return named.slice(0, MAX_TRANSPORTS).join(",") || undefined;
}

async function verify(
  ctx: WebAuthnContext,
  posted: Posted,
  clientData: ClientData,
  { challenge }: Ceremony,
): Promise<Omit<AdapterAuthenticator, "userId">> {
  const { verifyRegistrationResponse } = await loadLibrary(ctx.provider);
  const { id: expectedRPID, origin } = relyingPartyOf(ctx);
  const origins = [origin].flat();
  checkClientData(clientData, { type: "webauthn.create", origins });
  const { requireUserVerification, supportedAlgorithmIDs } = registrationSettings(ctx.provider);
  const { registrationInfo } = await verified(
    "registration",
    verifyRegistrationResponse({
      response: posted as unknown as Response,
      expectedChallenge: challenge,
      expectedOrigin: origins,
      expectedRPID,
      requireUserVerification,
      supportedAlgorithmIDs,
    }),
  );
  if (!registrationInfo) throw refusal("The attestation does not hold.");
  const { credential, credentialDeviceType, credentialBackedUp } = registrationInfo;
  if (credential.id !== posted.id) throw refusal("The answer names another credential's id.");
  const credentialID = storedForm(credential.id);
  const transports = transportsOf(posted);
  return {
    credentialID,
    providerAccountId: credentialID,
    credentialPublicKey: storedBytes(new Uint8Array(credential.publicKey)),
    counter: credential.counter,
    credentialDeviceType,
    credentialBackedUp,
    ...(transports !== undefined && { transports }),
  };
}

/**
 * Makes an identity of a new passkey: somebody new, or whoever asked for it signed in.
 * @throws WebAuthnVerificationError; AccountNotLinked when the passkey or the person is stored already.
 */
export async function register(
  ctx: WebAuthnContext,
  posted: Posted,
  clientData: ClientData,
  ceremony: Ceremony,
): Promise<Identity> {
  const { provider, kernel } = ctx;
  const authenticator = await verify(ctx, posted, clientData, ceremony);
  const { credentialID } = authenticator;
  // A second line: the store's own uniqueness is the first (SECURITY.md R14).
  const known = await callAdapter(adapterOf(ctx), "getAuthenticator", credentialID);
  if (known || ceremony.isKnown) {
    throw new AccountNotLinked("The passkey, or who registers it, is stored already.");
  }
  const { linkTo, newcomer } = ceremony;
  const user = newcomer ?? (await kernel.strategy.current(ctx));
  if (!user) throw new AccountNotLinked("Whoever asked for the passkey is not signed in any more.");
  return {
    user,
    account: { provider: provider.id, type: "webauthn", providerAccountId: credentialID },
    authenticator,
    expects: "new",
    ...(newcomer && { newUserId: newcomer.id }),
    ...(linkTo !== undefined && { linkTo }),
  };
}
