import { callbackRoute } from "../plugins/routes/callback.ts";
import { csrfRoute } from "../plugins/routes/csrf.ts";
import { providersRoute } from "../plugins/routes/providers.ts";
import { sessionRoutes } from "../plugins/routes/session.ts";
import { signinRoute } from "../plugins/routes/signin.ts";
import { signoutRoute } from "../plugins/routes/signout.ts";
import { jwtStrategy } from "../plugins/strategies/jwt.ts";
import { buildAuth } from "../src/_kit.ts";
import { type Auth, type AuthConfig, definePreset, type Preset } from "../src/kernel.ts";

/**
 * The preset with the routes and with sessions in a cookie (`jwt` strategy). Provider plugins register their flows, and
 * the application renders its own pages.
 */
export const minimalPreset: Preset = definePreset({
  name: "minimal",
  plugins: [
    jwtStrategy(),
    sessionRoutes(),
    csrfRoute(),
    providersRoute(),
    signinRoute(),
    callbackRoute(),
    signoutRoute(),
  ],
});

/**
 * Creates an Auth of the minimal preset, for any server that uses `Request` and `Response`. For a configuration that is
 * a function of the request, use `createAuthWith(minimalPreset, config)` of `keyhook/kernel`.
 * @example const auth = createAuth({ pages: { signIn: "/login" } }).use(githubPlugin());
 */
export function createAuth(config?: AuthConfig): Auth {
  return buildAuth(minimalPreset, config);
}

export default createAuth;
