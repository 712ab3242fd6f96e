import { toError } from "../platform/to-error.ts";
import type { AuthContext } from "../types/kernel.ts";
import type { Identity } from "../types/sign-in.ts";

/** Emits `signInFailed`, with the identity if the flow had authenticated one. */
export async function reportFailure(
  ctx: AuthContext,
  provider: string,
  error: unknown,
  identity?: Identity,
): Promise<void> {
  const message = {
    provider,
    error: toError(error),
    ...(identity && { identity }),
  };
  await ctx.kernel.emit("signInFailed", message, ctx);
}
