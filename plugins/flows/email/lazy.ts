import type { AuthContext, Identity, Kernel, Page, Store } from "../../../src/kernel.ts";
import type { Limiter } from "../../security/rate-limit.ts";
import { withCodeForm } from "./code-form.ts";
import { identifyCode } from "./code.ts";
import { finish, forget, restore } from "./finish.ts";
import { createNewestTokens } from "./newest.ts";
import { createRequests } from "./requests.ts";
import { createSend } from "./send.ts";
import { limited, start } from "./start.ts";
import type { EmailContext } from "./types.ts";

/** The flow's records. A store is optional for them. */
interface EmailStores {
  limiter: Limiter;
  requests: Store<string | false>;
  newest: Store<string>;
}

export interface EmailSteps {
  identifyCode(ctx: EmailContext): Promise<string | undefined>;
  start(ctx: EmailContext): Promise<Response | Identity>;
  limited(ctx: EmailContext): Promise<Response>;
  finish(ctx: EmailContext): Promise<Response | Identity>;
  completed(ctx: EmailContext, identity: Identity): Promise<void>;
  failed(ctx: EmailContext, error: unknown, identity: Identity): Promise<unknown>;
  withCodeForm(page: Page, ctx: AuthContext): Promise<Page>;
}

/** Creates the steps of the flow. This module is imported at the first sign-in. */
export function createSteps(
  kernel: Kernel,
  { limiter, requests, newest }: EmailStores,
): EmailSteps {
  const tools = {
    limiter,
    requests: createRequests(kernel, requests),
    newest: createNewestTokens(kernel, newest),
    send: createSend(),
    redeemed: new WeakMap(),
  };
  return {
    identifyCode,
    withCodeForm,
    start: (ctx) => start(ctx, tools),
    limited,
    finish: (ctx) => finish(ctx, tools),
    completed: (ctx, identity) => forget(ctx, identity, tools),
    failed: (ctx, error, identity) => restore(ctx, error, identity, tools),
  };
}
