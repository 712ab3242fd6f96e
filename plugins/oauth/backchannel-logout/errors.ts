import { AuthError, defineError } from "../../../src/errors.ts";

/** A logout request of an identity provider is not valid, was received before, or could not be carried out. */
export const InvalidLogoutRequest: typeof AuthError = defineError(
  "InvalidLogoutRequest",
  AuthError,
  400,
  "public",
);
export type InvalidLogoutRequest = AuthError;
