import type { Kernel } from "../../../src/index.ts";
import { finish } from "./finish.ts";
import { createKeys } from "./keys.ts";
import { createServers } from "./server.ts";
import { start } from "./start.ts";
import type { OAuthContext } from "./types.ts";

/** Makes the steps of the flow, which are loaded with the first sign-in. */
export function createSteps(kernel: Kernel) {
  const servers = createServers(kernel);
  const keys = createKeys(kernel);
  return {
    start: (ctx: OAuthContext) => start(ctx, servers),
    finish: (ctx: OAuthContext) => finish(ctx, servers, keys),
  };
}
