import { AuthError } from "../../../src/errors.ts";
import type { WebAuthnProvider } from "./provider.ts";

/** The functions of the package that verifies passkeys. */
export type Library = Pick<
  typeof import("@simplewebauthn/server"),
  | "generateRegistrationOptions"
  | "generateAuthenticationOptions"
  | "verifyRegistrationResponse"
  | "verifyAuthenticationResponse"
>;

// In a variable, so that bundlers do not resolve the package in applications without passkeys, where it is not
// installed.
const NAME: string = "@simplewebauthn/server";

/**
 * Imports the package on first use.
 * @throws AuthError when it is not installed.
 */
export async function loadLibrary({ simpleWebAuthn }: WebAuthnProvider): Promise<Library> {
  try {
    if (typeof simpleWebAuthn === "function") return (await simpleWebAuthn()) as Library;
    return (await import(/* @vite-ignore */ /* webpackIgnore: true */ NAME)) as Library;
  } catch (error) {
    throw new AuthError(`Passkeys need version 14 of the package "${NAME}". Install it.`, {
      cause: error,
    });
  }
}
