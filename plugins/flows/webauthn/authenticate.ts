import { encodeBase64url, decodeBase64url, timingSafeEqual } from "../../../src/_kit.ts";
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
import { RANDOM_HANDLE_BYTES, USER_HANDLE_BYTES, deriveUserHandle } from "./user.ts";

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

// WebAuthn level 3, section 7.2, step 6. A handle of 64 bytes is not derived from a user's id: Auth.js
// generated one for each passkey, and so does this flow for an adapter that assigns user ids itself.
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
  const bytes = typeof userHandle === "string" ? decodeBase64url(userHandle) : undefined;
  if (bytes?.length === RANDOM_HANDLE_BYTES) return;
  if (bytes?.length !== USER_HANDLE_BYTES) throw refusal("The user handle is malformed.");
  const own = encodeBase64url(await deriveUserHandle(String(owner.id)));
  if (!timingSafeEqual(own, userHandle as string))
    throw refusal("The user handle is of another user.");
}

// Whatever the package would parse is checked first.
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
  // Step 19: the backup eligibility of a credential never changes; if it has, this is not the
  // credential that was registered.
  if (authenticationInfo.credentialDeviceType !== passkey.credentialDeviceType) {
    throw refusal("The passkey's backup eligibility has changed.");
  }
  return authenticationInfo;
}

// The counter has grown, or is not counted at all. Of two clones of one key that sign with the same
// counter, only one may succeed.
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
    throw new AccountNotLinked(
      "The passkey belongs to another user than the one who is signed in.",
    );
  }
  await recordUse(ctx, passkey, use);
  const { providerAccountId } = passkey;
  return {
    user: owner,
    account: { providerAccountId, userId: String(owner.id) },
    expects: "known",
  };
}
