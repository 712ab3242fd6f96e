import accountPage from "../plugins/pages/account.ts";
import errorPage from "../plugins/pages/error.ts";
import signinPage from "../plugins/pages/signin.ts";
import signoutPage from "../plugins/pages/signout.ts";
import verifyRequestPage from "../plugins/pages/verify-request.ts";
import { type Auth, type ConfigSource, createAuthWith, definePreset } from "../src/index.ts";
import { minimalPreset } from "./minimal.ts";

/** Everything an application needs to sign people in: the minimal preset and its pages. */
export const standardPreset = definePreset({
  name: "standard",
  extends: [minimalPreset],
  plugins: [signinPage(), signoutPage(), errorPage(), verifyRequestPage(), accountPage()],
});

/**
 * Makes an Auth of the standard preset, for any server that speaks Request and Response.
 * @example
 * const auth = createAuth().use(githubPlugin());
 * export default { fetch: auth.fetch };
 */
export function createAuth(config?: ConfigSource): Auth {
  return createAuthWith(standardPreset, config);
}

export default createAuth;
