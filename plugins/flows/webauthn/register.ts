import { AccountNotLinked, SessionRequired } from "../../../src/errors.ts";
import { type AdapterAuthenticator, callAdapter, type Identity } from "../../../src/kernel.ts";
import { checkAttestation } from "./attestation.ts";
import type { Ceremony } from "./challenge.ts";
import { encodeBase64, toBase64 } from "./encoding.ts";
import { refusal, convertErrors } from "./error.ts";
import { loadLibrary } from "./library.ts";
import { checkUsableKey } from "./public-key.ts";
import { getRelyingParty } from "./relying-party.ts";
import { checkClientData, type ClientData, type Posted, readBytes } from "./response.ts";
import { registrationSettings } from "./settings.ts";
import { getAdapter, type WebAuthnContext } from "./types.ts";

const MAX_TRANSPORTS = 8;

// The signature does not cover transports. They are stored only as hints for the browser.
function getTransports({ response: { transports } }: Posted): string | undefined {
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
  const { id: expectedRPID, origin } = getRelyingParty(ctx);
  const origins = [origin].flat();
  checkClientData(clientData, { type: "webauthn.create", origins });
  const { requireUserVerification, supportedAlgorithmIDs, acceptsCertificates } =
    registrationSettings(ctx.provider);
  const { text: attestationObject, bytes } = readBytes(posted, "attestationObject");
  const publicKey = checkAttestation(bytes, acceptsCertificates);
  const { id, rawId, type, response } = posted;
  const { clientDataJSON } = response;
  const { registrationInfo } = await convertErrors(
    "registration",
    verifyRegistrationResponse({
      response: {
        id,
        rawId,
        type,
        clientExtensionResults: {},
        response: { clientDataJSON, attestationObject },
      },
      expectedChallenge: challenge,
      expectedOrigin: origins,
      expectedRPID,
      requireUserVerification,
      supportedAlgorithmIDs,
    }),
  );
  if (!registrationInfo) throw refusal("The attestation is not valid.");
  const { credential, credentialDeviceType, credentialBackedUp } = registrationInfo;
  if (credential.id !== posted.id) throw refusal("The response contains another credential's id.");
  await checkUsableKey(publicKey);
  const credentialID = toBase64(credential.id);
  const transports = getTransports(posted);
  return {
    credentialID,
    providerAccountId: credentialID,
    credentialPublicKey: encodeBase64(new Uint8Array(credential.publicKey)),
    counter: credential.counter,
    credentialDeviceType,
    credentialBackedUp,
    ...(transports !== undefined && { transports }),
  };
}

/**
 * Returns the identity for a new passkey, of a new user or of the signed-in user.
 * @throws WebAuthnVerificationError; AccountNotLinked when the passkey or the user is already stored; SessionRequired
 * when the user is no longer signed in.
 */
export async function register(
  ctx: WebAuthnContext,
  posted: Posted,
  clientData: ClientData,
  ceremony: Ceremony,
): Promise<Identity> {
  const { kernel } = ctx;
  const authenticator = await verify(ctx, posted, clientData, ceremony);
  const { credentialID } = authenticator;
  // Defense in depth: the uniqueness of credential ids in the store is the actual protection (SECURITY.md R14).
  const known = await callAdapter(getAdapter(ctx), "getAuthenticator", credentialID);
  if (known || ceremony.isKnown) {
    throw new AccountNotLinked("The passkey, or the user who registers it, is already stored.");
  }
  const { linkTo, newUser } = ceremony;
  const user = newUser ?? (await kernel.strategy.current(ctx));
  if (!user)
    throw new SessionRequired("The user who asked for the passkey is no longer signed in.");
  return {
    user,
    account: { providerAccountId: credentialID },
    authenticator,
    // The visitor typed the address, so it is not verified.
    ...(newUser && { emailVerified: false }),
    expects: "new",
    ...(newUser && { newUserId: newUser.id }),
    linkTo,
  };
}
