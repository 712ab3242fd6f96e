import { diagnoseRequest } from "../auth/diagnose.ts";
import type { Auth, Diagnosis } from "../types/auth.ts";
import type { AuthConfig } from "../types/config.ts";

/** Boots an Auth apart, with changes of its configuration. */
export type Diagnose = (changes?: AuthConfig) => Promise<Diagnosis>;

/**
 * Returns what diagnoses an Auth, with the configuration for a request of a URL where that is a function.
 * @throws Error for what is no URL, and when the function throws.
 */
export function diagnoseAt(auth: Auth, url = "http://localhost:3000"): Diagnose {
  if (!URL.canParse(url))
    throw new Error(`--url "${url}" is not a URL. Write it whole, with https://.`);
  return async (changes) => {
    try {
      return await diagnoseRequest(auth, new Request(url), changes);
    } catch (error) {
      throw new Error(
        `The configuration function failed for a request of ${url}. Name another URL by --url. ${(error as Error)?.stack ?? String(error)}`,
        { cause: error },
      );
    }
  };
}
