import type { Identity, Kernel, Store } from "../../../src/kernel.ts";
import { finish, forget, restore } from "./finish.ts";
import { createLimits } from "./limits.ts";
import { createRequests } from "./requests.ts";
import { createSend } from "./send.ts";
import { start } from "./start.ts";
import type { EmailContext } from "./types.ts";

/** The flow's stores, which are optional. */
interface EmailStores {
  counters: Store<number>;
  requests: Store<boolean>;
}

/** The steps of the flow. */
export interface EmailSteps {
  start(ctx: EmailContext): Promise<Response>;
  finish(ctx: EmailContext): Promise<Response | Identity>;
  completed(ctx: EmailContext, identity: Identity): Promise<void>;
  failed(ctx: EmailContext, error: unknown, identity: Identity): Promise<unknown>;
}

/** Creates the steps of the flow. This module is imported with the first sign-in. */
export function createSteps(kernel: Kernel, { counters, requests }: EmailStores): EmailSteps {
  const tools = {
    limits: createLimits(kernel, counters),
    requests: createRequests(kernel, requests),
    send: createSend(),
    redeemed: new WeakMap(),
  };
  return {
    start: (ctx) => start(ctx, tools),
    finish: (ctx) => finish(ctx, tools),
    completed: (ctx, identity) => forget(ctx, identity, tools),
    failed: (ctx, error, identity) => restore(ctx, error, identity, tools),
  };
}
