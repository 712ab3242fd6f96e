import { decodeBase64url, decodeText, timingSafeEqual } from "../../../src/_kit.ts";
import { AccountNotLinked } from "../../../src/errors.ts";
import {
  type AdapterAuthenticator,
  type AdapterUser,
  callAdapter,
  findUserByAccount,
  type Identity,
} from "../../../src/kernel.ts";
import { readAuthenticatorData } from "./authenticator-data.ts";
import { type Bytes, decodeCborMap } from "./cbor.ts";
import type { Ceremony } from "./challenge.ts";
import { parseBase64, toBase64 } from "./encoding.ts";
import { refusal, convertErrors } from "./error.ts";
import { loadLibrary } from "./library.ts";
import { checkPublicKey, checkSignature } from "./public-key.ts";
import { getRelyingParty } from "./relying-party.ts";
import { checkClientData, type ClientData, type Posted, readBytes } from "./response.ts";
import { signInSettings } from "./settings.ts";
import { getAdapter, type WebAuthnContext } from "./types.ts";
import { deriveUserHandle, isRandomHandle } from "./user.ts";

interface Known {
  passkey: AdapterAuthenticator;
  owner: AdapterUser;
}

async function lookUp(ctx: WebAuthnContext, { id }: Posted): Promise<Known> {
  const adapter = getAdapter(ctx);
  const passkey = await callAdapter(adapter, "getAuthenticator", toBase64(id));
  if (!passkey) throw refusal("The passkey is unknown.");
  const { providerAccountId, userId } = passkey;
  const key = { provider: ctx.provider.id, providerAccountId };
  const owner = await findUserByAccount(adapter, key);
  if (!owner || String(owner.id) !== String(userId)) {
    throw refusal(`The passkey belongs to no user of "${ctx.provider.id}".`);
  }
  return { passkey, owner };
}

// A handle is text. Scripts for WebAuthn level 3 read and post it as base64url. `next-auth/webauthn`, with version 9 of
// `@simplewebauthn/browser`, posts it unchanged. A passkey that one of them created may sign in with the other.
function isHandle(posted: string, own: string, encodings = 2): boolean {
  if (isRandomHandle(posted) || timingSafeEqual(own, posted)) return true;
  const bytes = encodings ? decodeBase64url(posted) : undefined;
  const handle = bytes && decodeText(bytes);
  return handle !== undefined && isHandle(handle, own, encodings - 1);
}

// WebAuthn level 3, section 7.2, step 6.
async function checkHandle(
  { response }: Posted,
  { owner }: Known,
  isNamed: boolean,
): Promise<void> {
  const { userHandle } = response;
  if (userHandle === undefined || userHandle === null) {
    if (isNamed) return;
    throw refusal("The response has no user handle.");
  }
  const own = await deriveUserHandle(String(owner.id));
  if (typeof userHandle !== "string" || !isHandle(userHandle, own)) {
    throw refusal("The user handle belongs to another user.");
  }
}

// Checks everything that the package would parse.
function checkResponse(posted: Posted, publicKey: Bytes) {
  const { text: authenticatorData, bytes } = readBytes(posted, "authenticatorData");
  const { text: signature, bytes: signed } = readBytes(posted, "signature");
  const key = decodeCborMap(publicKey);
  checkPublicKey(key);
  checkSignature(key, signed);
  readAuthenticatorData(bytes);
  return { clientDataJSON: posted.response.clientDataJSON, authenticatorData, signature };
}

async function verify(
  ctx: WebAuthnContext,
  posted: Posted,
  clientData: ClientData,
  { challenge }: Ceremony,
  passkey: AdapterAuthenticator,
) {
  const { verifyAuthenticationResponse } = await loadLibrary(ctx.provider);
  const { id: expectedRPID, origin } = getRelyingParty(ctx);
  const origins = [origin].flat();
  checkClientData(clientData, { type: "webauthn.get", origins });
  const publicKey = parseBase64(passkey.credentialPublicKey);
  if (!publicKey) throw refusal("The stored public key is not base64.");
  const response = checkResponse(posted, publicKey);
  const { id, rawId, type } = posted;
  const { verified: isValid, authenticationInfo } = await convertErrors(
    "response",
    verifyAuthenticationResponse({
      response: { id, rawId, type, clientExtensionResults: {}, response },
      expectedChallenge: challenge,
      expectedOrigin: origins,
      expectedRPID,
      credential: { id: posted.id, publicKey, counter: Number(passkey.counter) },
      requireUserVerification: signInSettings(ctx.provider).requireUserVerification,
    }),
  );
  if (!isValid) throw refusal("The signature is not valid.");
  // Step 19: the backup eligibility of a credential never changes. If it differs, this is not the registered
  // credential.
  if (authenticationInfo.credentialDeviceType !== passkey.credentialDeviceType) {
    throw refusal("The passkey's backup eligibility has changed.");
  }
  return authenticationInfo;
}

// Requires that the counter has grown, or is not used at all. If two clones of a key sign with the same counter, only
// one may succeed.
async function recordUse(
  ctx: WebAuthnContext,
  passkey: AdapterAuthenticator,
  use: { newCounter: number; credentialBackedUp: boolean },
): Promise<void> {
  const adapter = getAdapter(ctx);
  const { credentialID, counter } = passkey;
  const { newCounter, credentialBackedUp } = use;
  if (!adapter.recordAuthenticatorUse) {
    await callAdapter(adapter, "updateAuthenticatorCounter", credentialID, newCounter);
    return;
  }
  const isRecorded = await callAdapter(
    adapter,
    "recordAuthenticatorUse",
    credentialID,
    Number(counter),
    {
      counter: newCounter,
      credentialBackedUp,
    },
  );
  if (!isRecorded) throw refusal("The passkey was used or removed concurrently.");
}

/**
 * Returns the identity of the owner of a stored passkey.
 * @throws WebAuthnVerificationError; AccountNotLinked when another user is signed in.
 */
export async function authenticate(
  ctx: WebAuthnContext,
  posted: Posted,
  clientData: ClientData,
  ceremony: Ceremony,
): Promise<Identity> {
  const known = await lookUp(ctx, posted);
  const { passkey, owner } = known;
  const isNamed = ceremony.userId !== undefined;
  await checkHandle(posted, known, isNamed);
  const use = await verify(ctx, posted, clientData, ceremony, passkey);
  if (isNamed && String(owner.id) !== ceremony.userId) {
    throw new AccountNotLinked("The passkey belongs to a user other than the one signed in.");
  }
  await recordUse(ctx, passkey, use);
  const { providerAccountId } = passkey;
  return {
    user: owner,
    account: { providerAccountId, userId: String(owner.id) },
    expects: "known",
  };
}
