import { diagnoseRequest } from "../auth/diagnose.ts";
import type { Auth, Diagnosis } from "../types/auth.ts";
import type { AuthConfig } from "../types/config.ts";

/** Boots an Auth separately, with changes to its configuration. */
export type Diagnose = (changes?: AuthConfig) => Promise<Diagnosis>;

/**
 * Returns the function that diagnoses an Auth. If the configuration is a function, it is called with a request for the
 * URL.
 * @throws Error when the URL is invalid, or the function throws.
 */
export function diagnoseAt(auth: Auth, url = "http://localhost:3000"): Diagnose {
  if (!URL.canParse(url))
    throw new Error(`--url "${url}" is not a URL. Write the full URL, with https://.`);
  return async (changes) => {
    try {
      return await diagnoseRequest(auth, new Request(url), changes);
    } catch (error) {
      throw new Error(
        `The configuration function failed for a request to ${url}. Set another URL with --url. ${(error as Error)?.stack ?? String(error)}`,
        { cause: error },
      );
    }
  };
}
