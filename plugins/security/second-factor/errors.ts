import { defineError, SignInError } from "../../../src/errors.ts";

/** A code is wrong or was used before, or too many codes were wrong. Pages receive `?error=InvalidSecondFactor`. */
export const InvalidSecondFactor: typeof SignInError = defineError(
  "InvalidSecondFactor",
  SignInError,
  401,
  "public",
  "debug",
);
export type InvalidSecondFactor = SignInError;
