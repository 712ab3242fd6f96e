import {
  AccountNotLinked,
  type AdapterAuthenticator,
  type AdapterUser,
  callAdapter,
  encodeBase64url,
  decodeBase64url,
  equal,
  type Identity,
} from "../../../src/index.ts";
import type { Ceremony } from "./challenge.ts";
import { bytesOf, storedForm } from "./encoding.ts";
import { refusal, verified } from "./fault.ts";
import { loadLibrary } from "./library.ts";
import { HANDLE_LENGTH, handleOf } from "./person.ts";
import { relyingPartyOf } from "./relying-party.ts";
import { checkClientData, type ClientData, type Posted } from "./response.ts";
import { signInSettings } from "./settings.ts";
import { adapterOf, type WebAuthnContext } from "./types.ts";

type Response = Parameters<
  (typeof import("@simplewebauthn/server"))["verifyAuthenticationResponse"]
>[0]["response"];

interface Known {
  passkey: AdapterAuthenticator;
  owner: AdapterUser;
}

// A database may compare text without regard to case: what it found must be what was asked for.
async function lookUp(ctx: WebAuthnContext, { id }: Posted): Promise<Known> {
  const adapter = adapterOf(ctx);
  const passkey = await callAdapter(adapter, "getAuthenticator", storedForm(id));
  if (!passkey || passkey.credentialID !== storedForm(id)) throw refusal("The passkey is unknown.");
  const { providerAccountId, userId } = passkey;
  const key = { provider: ctx.provider.id, providerAccountId };
  const owner = await callAdapter(adapter, "getUserByAccount", key);
  if (!owner || String(owner.id) !== String(userId)) {
    throw refusal(`The passkey is nobody's at "${ctx.provider.id}".`);
  }
  return { passkey, owner };
}

// WebAuthn level 3, section 7.2, step 6. A handle of another length is no user's id: Auth.js made one
// for each passkey, and so must an adapter that gives people ids of its own.
async function checkHandle(
  { response }: Posted,
  { owner }: Known,
  isNamed: boolean,
): Promise<void> {
  const { userHandle } = response;
  if (userHandle === undefined || userHandle === null) {
    if (isNamed) return;
    throw refusal("The answer has no user handle.");
  }
  const bytes = typeof userHandle === "string" ? decodeBase64url(userHandle) : undefined;
  if (!bytes?.length || bytes.length > 64) throw refusal("The user handle is none.");
  if (bytes.length !== HANDLE_LENGTH) return;
  const own = encodeBase64url(await handleOf(String(owner.id)));
  if (!equal(own, userHandle as string)) throw refusal("The user handle is somebody else's.");
}

async function verify(
  ctx: WebAuthnContext,
  posted: Posted,
  clientData: ClientData,
  { challenge }: Ceremony,
  passkey: AdapterAuthenticator,
) {
  const { verifyAuthenticationResponse } = await loadLibrary(ctx.provider);
  const { id: expectedRPID, origin } = relyingPartyOf(ctx);
  const origins = [origin].flat();
  checkClientData(clientData, { type: "webauthn.get", origins });
  const publicKey = bytesOf(passkey.credentialPublicKey);
  if (!publicKey) throw refusal("The stored public key is no base64.");
  const { verified: holds, authenticationInfo } = await verified(
    "answer",
    verifyAuthenticationResponse({
      response: posted as unknown as Response,
      expectedChallenge: challenge,
      expectedOrigin: origins,
      expectedRPID,
      credential: { id: posted.id, publicKey, counter: Number(passkey.counter) },
      requireUserVerification: signInSettings(ctx.provider).requireUserVerification,
    }),
  );
  if (!holds) throw refusal("The signature does not hold.");
  // Step 19: what a key can do does not change; what has changed is not the key that was registered.
  if (authenticationInfo.credentialDeviceType !== passkey.credentialDeviceType) {
    throw refusal("The passkey's backup eligibility has changed.");
  }
  return authenticationInfo;
}

// The counter has grown, or is not counted at all; two who use copies of one key cannot both be right.
async function noteUse(
  ctx: WebAuthnContext,
  passkey: AdapterAuthenticator,
  use: { newCounter: number; credentialBackedUp: boolean },
): Promise<void> {
  const adapter = adapterOf(ctx);
  const { credentialID, counter } = passkey;
  const { newCounter, credentialBackedUp } = use;
  if (!adapter.useAuthenticator) {
    await callAdapter(adapter, "updateAuthenticatorCounter", credentialID, newCounter);
    return;
  }
  const noted = await callAdapter(adapter, "useAuthenticator", credentialID, Number(counter), {
    counter: newCounter,
    credentialBackedUp,
  });
  if (!noted) throw refusal("The passkey was used elsewhere, or removed, at this moment.");
}

/**
 * Makes an identity of a passkey that is known.
 * @throws WebAuthnVerificationError; AccountNotLinked when somebody else is signed in.
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
    throw new AccountNotLinked("The passkey belongs to somebody else than who is signed in.");
  }
  await noteUse(ctx, passkey, use);
  const { providerAccountId } = passkey;
  return {
    user: owner,
    account: {
      provider: ctx.provider.id,
      type: "webauthn",
      providerAccountId,
      userId: String(owner.id),
    },
    expects: "known",
  };
}
