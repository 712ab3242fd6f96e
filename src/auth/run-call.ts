import { hasReadSession } from "../request/context.ts";
import type { AuthContext } from "../types/kernel.ts";
import type { RequestSource } from "../types/request-source.ts";
import { type ActionHandler, deliver, keepResponsePrivate, openRead, perform } from "./call.ts";

/** Runs the work of a plugin's server function (`RunCall`). */
export function runCall<T>(
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
    }
  });
}
