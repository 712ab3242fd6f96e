import { memoizeAsync } from "../../../src/_kit.ts";
import { definePlugin, type Flow, type Plugin } from "../../../src/kernel.ts";
import { createFlow, oauthFlow } from "./oauth-flow.ts";
import type { AnyOAuthProvider, OpenId } from "./types.ts";

declare module "../../../src/types.ts" {
  interface Services {
    /** Loads what OpenID Connect adds to the OAuth flow. */
    openid: () => Promise<OpenId>;
  }
}

/**
 * Returns the plugin for sign-in by OpenID Connect (provider type `oidc`), with ID tokens and discovery. An application
 * whose providers are all of type `oauth` needs only `oauthFlow`.
 */
export const oidcFlow: () => Plugin = definePlugin(function oidcFlow(): Plugin {
  return {
    name: "flows/oidc",
    provides: ["flow:oidc", "service:openid"],
    plugins: [oauthFlow()],
    setup(kernel) {
      const load = async () => (await import("./openid.ts")).createOpenId(kernel);
      kernel.provide("openid", memoizeAsync(load));
      kernel.addFlow("oidc", createFlow() as Flow<AnyOAuthProvider & { type: "oidc" }>);
    },
  };
});
