import { credentialsFlow } from "../plugins/flows/credentials.ts";
import { emailFlow } from "../plugins/flows/email.ts";
import { oidcFlow } from "../plugins/flows/oauth.ts";
import { webauthnFlow } from "../plugins/flows/webauthn.ts";
import { accountPage } from "../plugins/pages/account.ts";
import { errorPage } from "../plugins/pages/error.ts";
import { signinPage } from "../plugins/pages/signin.ts";
import { signoutPage } from "../plugins/pages/signout.ts";
import { verifyRequestPage } from "../plugins/pages/verify-request.ts";
import { rateLimit } from "../plugins/security/rate-limit.ts";
import { developmentStore } from "../plugins/stores/_development.ts";
import { databaseStrategy } from "../plugins/strategies/database.ts";
import { hybridStrategy } from "../plugins/strategies/hybrid.ts";
import {
  type ConfigSource,
  type CreateAuth,
  createAuthWith,
  definePreset,
  type Preset,
} from "../src/kernel.ts";
import { minimalPreset } from "./minimal.ts";

/**
 * The preset with everything that an application needs to sign users in: the minimal preset, the pages, all flows (for
 * providers that are plain objects), the strategies `database` and `hybrid`, rate limits, and a store for development.
 */
export const standardPreset: Preset = definePreset({
  name: "standard",
  extends: [minimalPreset],
  plugins: [
    credentialsFlow(),
    oidcFlow(),
    emailFlow(),
    webauthnFlow(),
    databaseStrategy(),
    hybridStrategy(),
    developmentStore(),
    signinPage(),
    signoutPage(),
    errorPage(),
    verifyRequestPage(),
    accountPage(),
    rateLimit(),
  ],
});

/**
 * Creates an Auth of the standard preset, for any server that uses `Request` and `Response`.
 * @example
 * const auth = createAuth().use(githubPlugin());
 * export default { fetch: auth.fetch };
 */
export const createAuth: CreateAuth = (config?: ConfigSource) =>
  createAuthWith(standardPreset, config);

// The types of providers that are plain objects. Each flow adds its own type.
export type {} from "../plugins/flows/credentials/provider.ts";
export type {} from "../plugins/flows/email/provider.ts";
export type {} from "../plugins/flows/oauth/provider.ts";
export type {} from "../plugins/flows/webauthn/provider.ts";
export default createAuth;
