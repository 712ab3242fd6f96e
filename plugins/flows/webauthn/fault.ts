import { AuthError, WebAuthnVerificationError } from "../../../src/index.ts";

/**
 * What every answer gets that does not hold: a visitor is not told which of the checks it failed, nor
 * whether the passkey is known.
 */
export function refusal(reason: string, err?: unknown): WebAuthnVerificationError {
  return new WebAuthnVerificationError(reason, err === undefined ? {} : { cause: { err } });
}

/** Whatever the package throws is a refusal. */
export async function verified<T>(what: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    throw error instanceof AuthError ? error : refusal(`The ${what} does not hold.`, error);
  }
}
