import { CHECK_MAX_AGE_S } from "../../../src/_kit.ts";
import { definePlugin, type Flow, type Kernel, type Plugin } from "../../../src/kernel.ts";
import { addErrors } from "./errors.ts";
import { finish } from "./finish.ts";
import { resolveProvider } from "./resolve.ts";
import { start } from "./start.ts";
import { STATE_SALT } from "./state-salt.ts";
import type { AnyOAuthProvider } from "./types.ts";

/** Creates the flow, which serves both OAuth and OpenID Connect. */
export function createFlow(): Flow<AnyOAuthProvider> {
  return {
    resolve: resolveProvider,
    start,
    finish,
    links: "account",
    // A form_post comes from the identity provider's site without a CSRF token. The checks of the attempt protect it.
    csrf: false,
  };
}

// Lists the providers that do not say whether addresses are verified. OpenID Connect providers say it in the ID token.
function listSilent({ providers }: Kernel): AnyOAuthProvider[] {
  const all = [...providers.values()] as AnyOAuthProvider[];
  return all.filter(({ type, emailVerified }) => type === "oauth" && !emailVerified);
}

// Browsers do not send strict cookies with a navigation that another site begins, such as the provider's redirect.
function warnOfStrictCookies({ config, providers, logger }: Kernel): void {
  if (![...providers.values()].some(({ type }) => type === "oauth" || type === "oidc")) return;
  const keys = ["browser", "state", "pkceCodeVerifier", "nonce", "oauthAttempt"] as const;
  for (const key of keys) {
    const { sameSite } = config.cookies[key]?.options ?? {};
    if (sameSite !== "strict" && sameSite !== true) continue;
    logger.warn(
      "cookie-strict",
      `\`cookies.${key}\`: with \`sameSite: "strict"\`, browsers do not send it when the provider redirects back, and the ` +
        "sign-in is refused. Drop the option.",
    );
  }
}

/**
 * Returns the plugin for sign-in by OAuth 2 (provider type `oauth`). `oidcFlow` includes it and adds discovery of
 * endpoints, verification of tokens that a provider signs, and client authentication by assertions.
 */
export const oauthFlow: () => Plugin = definePlugin(function oauthFlow(): Plugin {
  return {
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
      // Auth.js does not have these cookies.
      kernel.addCookie("oauthAttempt", {
        name: "keyhook.oauth-attempt",
        maxAge: CHECK_MAX_AGE_S,
      });
      kernel.addCookie("postedResponse", { name: "keyhook.posted-response", maxAge: 60 });
      kernel.addFlow("oauth", createFlow() as Flow<AnyOAuthProvider & { type: "oauth" }>);
      kernel.hooks.ready.tap("flows/oauth", () => {
        const storedUsers = kernel.find("storedUsers");
        storedUsers?.requireLinking(kernel, ["oauth", "oidc"]);
        storedUsers?.checkAddresses(kernel, listSilent(kernel));
        warnOfStrictCookies(kernel);
      });
    },
  };
});
