export type { Cause, ProviderClient } from "./oauth/client.ts";
export type * from "./oauth/provider.ts";
export type { LogoutRequest, RevocableTokens } from "./oauth/logout.ts";
export type { AnyOAuthProvider, LogoutClaims } from "./oauth/types.ts";
export { readDataUrl } from "./oauth/data-url.ts";
import { CHECK_MAX_AGE_S, memoizeAsync } from "../../src/_kit.ts";
import { definePlugin } from "../../src/kernel.ts";
import type { Flow, Kernel, Plugin } from "../../src/kernel.ts";
import type { ProviderClient } from "./oauth/client.ts";
import { addErrors } from "./oauth/errors.ts";
import { resolveProvider } from "./oauth/resolve.ts";
import { STATE_SALT } from "./oauth/state-salt.ts";
import type { AnyOAuthProvider, LoadOpenId } from "./oauth/types.ts";

declare module "../../src/types.ts" {
  interface Services {
    /** What OpenID Connect adds to the flow of OAuth. */
    openid: LoadOpenId;
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

// The providers that say nothing of the addresses they state. What one of OpenID Connect says is in its ID token.
function listSilent({ providers }: Kernel): AnyOAuthProvider[] {
  const all = [...providers.values()] as AnyOAuthProvider[];
  return all.filter(({ type, emailVerified }) => type === "oauth" && !emailVerified);
}

/**
 * Returns the plugin for sign-in by OAuth 2 (provider type `oauth`); `oidcFlow` brings it. Endpoints are discovered, tokens
 * that a provider signs verified, and clients authenticated by assertions, where `oidcFlow` is used.
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
          const storedUsers = kernel.find("storedUsers");
          storedUsers?.requireLinking(kernel, ["oauth", "oidc"]);
          storedUsers?.checkAddresses(kernel, listSilent(kernel));
        });
      },
    },
    [oauthFlow],
  );
}

/**
 * Returns the plugin for sign-in by OpenID Connect (provider type `oidc`), with ID tokens and discovery. An application
 * whose providers are all of type `oauth` needs `oauthFlow` alone.
 */
export function oidcFlow(): Plugin {
  return definePlugin(
    {
      name: "flows/oidc",
      provides: ["flow:oidc", "service:openid"],
      plugins: [oauthFlow()],
      setup(kernel) {
        const load = async () => (await import("./oauth/openid.ts")).createOpenId(kernel);
        kernel.provide("openid", memoizeAsync(load));
        kernel.addFlow("oidc", createFlow(kernel) as Flow<AnyOAuthProvider & { type: "oidc" }>);
      },
    },
    [oidcFlow],
  );
}

/** Loads the requests to identity providers after the sign-in, such as those for new tokens. */
export async function loadProviderClient(kernel: Kernel): Promise<ProviderClient> {
  return (await import("./oauth/client.ts")).createProviderClient(kernel);
}
