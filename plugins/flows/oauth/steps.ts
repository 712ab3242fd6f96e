import type { Identity, Kernel } from "../../../src/kernel.ts";
import { finish } from "./finish.ts";
import { createOpenIdLoader } from "./openid-loader.ts";
import { createServers } from "./servers.ts";
import { start } from "./start.ts";
import type { OAuthContext } from "./types.ts";

/** The steps of the flow. */
export interface OAuthSteps {
  start(ctx: OAuthContext): Promise<Response>;
  finish(ctx: OAuthContext): Promise<Response | Identity>;
}

/** Creates the steps of the flow. */
export function createSteps(kernel: Kernel): OAuthSteps {
  const openid = createOpenIdLoader(kernel);
  const servers = createServers(openid);
  return {
    start: (ctx) => start(ctx, servers),
    finish: (ctx) => finish(ctx, servers, openid),
  };
}
