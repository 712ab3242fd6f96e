import { memoizeAsync } from "../../../src/_kit.ts";
import { AuthError } from "../../../src/errors.ts";
import type { Identity, Kernel } from "../../../src/kernel.ts";
import { createServers } from "./discovery.ts";
import { start } from "./start.ts";
import type { OAuthContext } from "./types.ts";

/** The steps of the flow. */
export interface OAuthSteps {
  start(ctx: OAuthContext): Promise<Response>;
  finish(ctx: OAuthContext): Promise<Response | Identity>;
}

/** Creates the steps of the flow. This module is imported with the first sign-in. */
export function createSteps(kernel: Kernel): OAuthSteps {
  const servers = createServers(kernel);
  const signedTokens = async () => {
    if (kernel.flows.has("oidc")) return kernel.use("signedTokens")();
    throw new AuthError(
      "The provider has sent a signed token, which the flow of OpenID Connect verifies. Use oidcFlow() of " +
        "keyhook/flows/oauth.",
    );
  };
  // With oauth4webapi, which starting a sign-in does not need.
  const loadFinish = memoizeAsync(() => import("./finish.ts"));
  return {
    start: (ctx) => start(ctx, servers),
    finish: async (ctx) => (await loadFinish()).finish(ctx, servers, signedTokens),
  };
}
