import { AuthError, WebAuthnVerificationError } from "../../../src/errors.ts";

/**
 * Returns the error of every response that fails verification: a visitor does not learn which check
 * failed, nor whether the passkey is known.
 */
export function refusal(reason: string, err?: unknown): WebAuthnVerificationError {
  return new WebAuthnVerificationError(reason, err === undefined ? {} : { cause: { err } });
}

/**
 * Awaits a verification of the package; converts the errors that it throws.
 * @throws WebAuthnVerificationError
 */
export async function convertErrors<T>(what: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof AuthError ? error : refusal(`The ${what} is not valid.`, error);
  }
}
