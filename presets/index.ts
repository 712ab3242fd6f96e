export { createAuth, createAuth as default, standardPreset } from "./standard.ts";
export {
  AuthError,
  CredentialsSignin,
  customFetch,
  definePlugin,
  definePreset,
  defineProvider,
  skipCSRFCheck,
} from "../src/index.ts";
export type * from "../src/types.ts";
