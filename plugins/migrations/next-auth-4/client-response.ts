import { NO_STORE } from "../../../src/_kit.ts";
import type { AuthContext, Body } from "../../../src/kernel.ts";

async function readBody(ctx: AuthContext): Promise<Body> {
  try {
    return await ctx.body();
  } catch {
    return {};
  }
}

/**
 * Returns the redirect of a post as JSON for the client of next-auth 4, which requests that by the field `json`.
 * Returns `undefined` for other clients. As in next-auth 4, a failed sign-in has status 401.
 */
export async function toClientResponse(
  ctx: AuthContext,
  url: string,
): Promise<Response | undefined> {
  const { json } = await readBody(ctx);
  if (json !== "true" && json !== true) return undefined;
  const hasFailed = new URL(url, ctx.origin).searchParams.has("error");
  return ctx.json({ url }, { status: hasFailed ? 401 : 200, headers: NO_STORE });
}
