import type { Kernel, Store } from "../../../src/index.ts";
import { finish } from "./finish.ts";
import { createLimits } from "./limits.ts";
import { createSend } from "./send.ts";
import { start } from "./start.ts";
import type { EmailContext } from "./types.ts";

/** Makes the steps of the flow, which are loaded with the first sign-in. */
export function createSteps(kernel: Kernel, counters: Store<number>) {
  const tools = { limits: createLimits(kernel, counters), send: createSend() };
  return {
    start: (ctx: EmailContext) => start(ctx, tools),
    finish: (ctx: EmailContext) => finish(ctx, tools.limits),
  };
}
