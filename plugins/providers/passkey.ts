import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { webauthnFlow } from "../flows/webauthn.ts";
import type { WebAuthnProvider } from "../flows/webauthn.ts";

/**
 * Adds sign-in with a passkey. The browser asks for a fingerprint, a face or a PIN instead of a password. Requires
 * `experimental.enableWebAuthn`, an adapter, and the package `@simplewebauthn/server`.
 */
export const passkeyPlugin: ProviderFactory<WebAuthnProvider> = defineProvider(
  webauthnFlow,
  () => ({
    id: "passkey",
    name: "Passkey",
    type: "webauthn",
    simpleWebAuthn: () => import("@simplewebauthn/server"),
  }),
);

export default passkeyPlugin;
