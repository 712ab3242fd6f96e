import { AuthError } from "../../../src/index.ts";

/** What verifies passkeys. */
export type Library = Pick<
  typeof import("@simplewebauthn/server"),
  | "generateRegistrationOptions"
  | "generateAuthenticationOptions"
  | "verifyRegistrationResponse"
  | "verifyAuthenticationResponse"
>;

/**
 * Loads it when it is first needed: an application without passkeys need not have it.
 * @throws AuthError when it is not installed.
 */
export async function loadLibrary(): Promise<Library> {
  try {
    return await import("@simplewebauthn/server");
  } catch (error) {
    throw new AuthError('Passkeys need the package "@simplewebauthn/server" 14. Install it.', {
      cause: error,
    });
  }
}
