import type { Kernel, Store } from "../../../src/index.ts";
import { finish } from "./finish.ts";
import { createLimits } from "./limits.ts";
import { createRequests } from "./requests.ts";
import { createSend } from "./send.ts";
import { start } from "./start.ts";
import type { EmailContext } from "./types.ts";

/** What the flow keeps, if there is a store. */
interface Shelves {
  counters: Store<number>;
  requests: Store<boolean>;
}

/** Makes the steps of the flow, which are loaded with the first sign-in. */
export function createSteps(kernel: Kernel, { counters, requests }: Shelves) {
  const tools = {
    limits: createLimits(kernel, counters),
    requests: createRequests(kernel, requests),
    send: createSend(),
  };
  return {
    start: (ctx: EmailContext) => start(ctx, tools),
    finish: (ctx: EmailContext) => finish(ctx, tools),
  };
}
