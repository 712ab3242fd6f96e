import { endContext, hasReadSession } from "../request/context.ts";
import type { RequestSource } from "../types/auth.ts";
import type { AuthContext } from "../types/kernel.ts";
import type { EnterCall } from "../types/plugin.ts";
import { type ActionHandler, deliver, keepResponsePrivate, openRead, perform } from "./call.ts";

/** Runs work with a context for a call of the application's server code; resolves as the work does. */
export type RunCall = <T>(
  call: RequestSource,
  work: (ctx: AuthContext) => Promise<T>,
) => Promise<T>;

function run<T>(
  handler: ActionHandler,
  call: RequestSource,
  work: (ctx: AuthContext) => Promise<T>,
): Promise<T> {
  const ctx = openRead(handler, call, "call", "/session");
  return perform(ctx, async () => {
    try {
      return await work(ctx);
    } finally {
      if (hasReadSession(ctx)) keepResponsePrivate(call);
      deliver(handler, ctx, call);
      endContext(ctx);
    }
  });
}

/**
 * Returns what runs the server functions of a plugin (`Plugin.extend`): with a context of the operation `call`, inside
 * of the taps of `around`. The cookies that a function sets go out with the response of the call's event, also when
 * it fails; of a plain Request they go nowhere.
 */
export function createRunCall(enter: EnterCall): RunCall {
  return (call, work) =>
    enter(call, (entry) => run((entry as { handler: ActionHandler }).handler, call, work));
}
