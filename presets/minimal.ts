import credentialsFlow from "../plugins/flows/credentials.ts";
import emailFlow from "../plugins/flows/email/email.ts";
import oauthFlows from "../plugins/flows/oauth/oauth.ts";
import webauthnFlow from "../plugins/flows/webauthn/webauthn.ts";
import callbackRoute from "../plugins/routes/callback.ts";
import csrfRoute from "../plugins/routes/csrf.ts";
import providersRoute from "../plugins/routes/providers.ts";
import sessionRoutes from "../plugins/routes/session.ts";
import signinRoute from "../plugins/routes/signin.ts";
import signoutRoute from "../plugins/routes/signout.ts";
import databaseStrategy from "../plugins/strategies/database/database.ts";
import defaultStore from "../plugins/stores/default.ts";
import jwtStrategy from "../plugins/strategies/jwt.ts";
import { type Auth, type ConfigSource, createAuthWith, definePreset } from "../src/index.ts";

/** Flows, routes and both strategies, without pages: for applications that draw their own. */
export const minimalPreset = definePreset({
  name: "minimal",
  plugins: [
    credentialsFlow(),
    oauthFlows(),
    emailFlow(),
    webauthnFlow(),
    jwtStrategy(),
    defaultStore(),
    databaseStrategy(),
    sessionRoutes(),
    csrfRoute(),
    providersRoute(),
    signinRoute(),
    callbackRoute(),
    signoutRoute(),
  ],
});

/**
 * Makes an Auth of the minimal preset.
 * @example const auth = createAuth({ pages: { signIn: "/login" } }).use(githubPlugin());
 */
export function createAuth(config?: ConfigSource): Auth {
  return createAuthWith(minimalPreset, config);
}

export default createAuth;
