export { createAuth, createAuth as default, standardPreset } from "./standard.ts";
export {
  customFetch,
  defineFlow,
  definePlugin,
  definePreset,
  defineProvider,
  skipCSRFCheck,
} from "../src/kernel.ts";
export type { Attempt, FlowDefinition, FlowOptions } from "../src/kernel.ts";
export { AuthError, CredentialsSignin } from "../src/errors.ts";
export type * from "../plugins/flows/credentials/provider.ts";
export type * from "../plugins/flows/email/provider.ts";
export type * from "../plugins/flows/oauth/provider.ts";
export type * from "../plugins/flows/webauthn/provider.ts";
export type * from "../plugins/security/rate-limit/types.ts";
export type * from "../src/types.ts";
