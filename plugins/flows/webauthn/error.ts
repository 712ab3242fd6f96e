import { AuthError, WebAuthnVerificationError } from "../../../src/errors.ts";

/**
 * Returns the error for every response that fails verification. It tells a visitor neither which check failed nor
 * whether the passkey is known.
 */
export function refusal(reason: string, err?: unknown): WebAuthnVerificationError {
  return new WebAuthnVerificationError(reason, err === undefined ? {} : { cause: { err } });
}

/**
 * Awaits a verification of the package and converts its errors.
 * @throws WebAuthnVerificationError
 */
export async function convertErrors<T>(what: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof AuthError ? error : refusal(`The ${what} is not valid.`, error);
  }
}
