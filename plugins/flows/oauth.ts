export type * from "./oauth/provider.ts";
import { CHECK_MAX_AGE_S, memoizeAsync } from "../../src/_kit.ts";
import { definePlugin, requireLinking } from "../../src/kernel.ts";
import type { Flow, Kernel, Plugin } from "../../src/kernel.ts";
import { checkAddresses } from "./oauth/check-addresses.ts";
import { addErrors } from "./oauth/errors.ts";
import { resolveProvider } from "./oauth/resolve.ts";
import { STATE_SALT } from "./oauth/state-salt.ts";
import type { AnyOAuthProvider, LoadSignedTokens } from "./oauth/types.ts";

declare module "../../src/types.ts" {
  interface Services {
    /** Verifies what identity providers have signed; for the flows of OAuth. */
    signedTokens: LoadSignedTokens;
  }
}

function createFlow(kernel: Kernel): Flow<AnyOAuthProvider> {
  const steps = memoizeAsync(async () => (await import("./oauth/lazy.ts")).createSteps(kernel));
  return {
    resolve: resolveProvider,
    start: async (ctx) => (await steps()).start(ctx),
    finish: async (ctx) => (await steps()).finish(ctx),
    links: "account",
    // A form_post comes from the identity provider's site, without a CSRF token; the checks of the
    // attempt protect it.
    csrf: false,
  };
}

/**
 * Returns the plugin for sign-in by OAuth 2 (provider type `oauth`); `oidcFlow` brings it. Tokens that a provider signs are
 * verified by `oidcFlow` alone: without it they are refused.
 */
export function oauthFlow(): Plugin {
  return definePlugin(
    {
      name: "flows/oauth",
      provides: ["flow:oauth"],
      setup(kernel) {
        addErrors(kernel);
        kernel.addCookie("pkceCodeVerifier", {
          name: "authjs.pkce.code_verifier",
          prefix: "__Secure-",
          maxAge: CHECK_MAX_AGE_S,
        });
        kernel.addCookie("state", {
          name: "authjs.state",
          prefix: "__Secure-",
          maxAge: CHECK_MAX_AGE_S,
          reservedSalts: [STATE_SALT],
        });
        kernel.addCookie("nonce", {
          name: "authjs.nonce",
          prefix: "__Secure-",
          maxAge: CHECK_MAX_AGE_S,
        });
        // Auth.js has no such cookies.
        kernel.addCookie("oauthAttempt", {
          name: "keyhook.oauth-attempt",
          maxAge: CHECK_MAX_AGE_S,
        });
        kernel.addCookie("postedResponse", { name: "keyhook.posted-response", maxAge: 60 });
        kernel.addFlow("oauth", createFlow(kernel) as Flow<AnyOAuthProvider & { type: "oauth" }>);
        kernel.hooks.ready.tap("flows/oauth", () => {
          requireLinking(kernel, ["oauth", "oidc"]);
          checkAddresses(kernel);
        });
      },
    },
    [oauthFlow],
  );
}

/**
 * Returns the plugin for sign-in by OpenID Connect (provider type `oidc`), with what verifies ID tokens. An application
 * whose providers are all of type `oauth` needs `oauthFlow` alone.
 */
export function oidcFlow(): Plugin {
  return definePlugin(
    {
      name: "flows/oidc",
      provides: ["flow:oidc", "service:signedTokens"],
      plugins: [oauthFlow()],
      setup(kernel) {
        const load = async () =>
          (await import("./oauth/signed-tokens.ts")).createSignedTokens(kernel);
        kernel.provide("signedTokens", memoizeAsync(load));
        kernel.addFlow("oidc", createFlow(kernel) as Flow<AnyOAuthProvider & { type: "oidc" }>);
      },
    },
    [oidcFlow],
  );
}
