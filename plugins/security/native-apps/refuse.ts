import { NO_STORE } from "../../../src/_kit.ts";
import { BadRequest } from "../../../src/errors.ts";
import type { AuthContext, Body } from "../../../src/kernel.ts";
import type { App, Apps } from "./apps.ts";

/** Returns the error response to an app (RFC 6749 section 5.2). */
export function refuseToken(ctx: AuthContext, error: string, description?: string): Response {
  ctx.debug?.("a native app gets no token", { error, description });
  const body = { error, ...(description !== undefined && { error_description: description }) };
  return ctx.json(body, { status: 400, headers: NO_STORE });
}

/** Resolves to an app's posted fields and the app that they name, or to the error response if they name none. */
export async function readPosted(
  apps: Apps,
  ctx: AuthContext,
): Promise<{ app: App; body: Body } | Response> {
  try {
    const body = await ctx.body();
    const { client_id: id } = body;
    if (typeof id !== "string")
      return refuseToken(ctx, "invalid_request", "`client_id` is missing.");
    const app = apps.get(id);
    return app ? { app, body } : refuseToken(ctx, "invalid_client", "The app is not known.");
  } catch (error) {
    if (!(error instanceof BadRequest)) throw error;
    return refuseToken(ctx, "invalid_request", "The body is malformed.");
  }
}
