import { defineProvider } from "../../src/index.ts";
import type { WebAuthnProvider } from "../../src/index.ts";

/** `passkey` under the older id of Auth.js, for accounts that carry it. */
export const webauthnPlugin = defineProvider<WebAuthnProvider>(() => ({
  id: "webauthn",
  name: "WebAuthn",
  type: "webauthn",
  simpleWebAuthn: () => import("@simplewebauthn/server"),
}));

export default webauthnPlugin;
