import { defineProvider } from "../../src/index.ts";
import type { WebAuthnProvider } from "../../src/index.ts";

/**
 * Sign-in with a passkey: nothing is typed, and a fingerprint, a face or a PIN is asked for. Needs
 * `experimental.enableWebAuthn`, an adapter, and the package `@simplewebauthn/server`.
 */
export const passkeyPlugin = defineProvider<WebAuthnProvider>(() => ({
  id: "passkey",
  name: "Passkey",
  type: "webauthn",
  simpleWebAuthn: () => import("@simplewebauthn/server"),
}));

export default passkeyPlugin;
