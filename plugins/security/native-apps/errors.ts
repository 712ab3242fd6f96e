import { defineError, SignInError } from "../../../src/errors.ts";

/**
 * The code of a device is wrong, used or expired, or too many codes were wrong. Pages receive `?error=InvalidUserCode`.
 */
export const InvalidUserCode: typeof SignInError = defineError(
  "InvalidUserCode",
  SignInError,
  400,
  "public",
  "debug",
);
export type InvalidUserCode = SignInError;
