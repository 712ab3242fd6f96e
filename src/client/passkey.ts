import type { PasskeyCeremony, SignInResult } from "./types.ts";

// A stand-in until the ceremonies are there: it holds the place and the types.

const missing: SignInResult = { ok: false, error: "InvalidProvider", status: 0, url: null };

/** Makes a passkey: the ceremony and the post of its outcome. Leaves no page and never rejects. */
export async function registerPasskey(_: PasskeyCeremony): Promise<SignInResult> {
  return missing;
}

/** Signs in with a passkey: the ceremony and the post of its outcome. Leaves no page and never rejects. */
export async function signInWithPasskey(_: PasskeyCeremony): Promise<SignInResult> {
  return missing;
}
