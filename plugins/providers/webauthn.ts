import { defineProvider, type ProviderFactory } from "../../src/kernel.ts";
import { webauthnFlow } from "../flows/webauthn.ts";
import type { WebAuthnProvider } from "../flows/webauthn.ts";

/** Adds `passkeyPlugin` under the older id `webauthn` of Auth.js, for accounts with this id. */
export const webauthnPlugin: ProviderFactory<WebAuthnProvider> = defineProvider(
  webauthnFlow,
  () => ({
    id: "webauthn",
    name: "WebAuthn",
    type: "webauthn",
    simpleWebAuthn: () => import("@simplewebauthn/server"),
  }),
);

export default webauthnPlugin;
