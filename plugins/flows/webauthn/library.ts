import { AuthError } from "../../../src/index.ts";
import type { WebAuthnProvider } from "../../../src/index.ts";

/** What verifies passkeys. */
export type Library = Pick<
  typeof import("@simplewebauthn/server"),
  | "generateRegistrationOptions"
  | "generateAuthenticationOptions"
  | "verifyRegistrationResponse"
  | "verifyAuthenticationResponse"
>;

// No bundler must look for it in an application without passkeys, where it is not installed.
const NAME: string = "@simplewebauthn/server";

/**
 * Loads it when it is first needed.
 * @throws AuthError when it is not installed.
 */
export async function loadLibrary({ simpleWebAuthn }: WebAuthnProvider): Promise<Library> {
  try {
    if (typeof simpleWebAuthn === "function") return (await simpleWebAuthn()) as Library;
    return (await import(/* @vite-ignore */ /* webpackIgnore: true */ NAME)) as Library;
  } catch (error) {
    throw new AuthError(`Passkeys need the package "${NAME}" 14. Install it.`, { cause: error });
  }
}
