import { wantsJson } from "../http/accept.ts";
import type { AuthContext } from "../types/kernel.ts";
import { NO_STORE } from "./context.ts";

/** Leads the visitor to a URL: by a redirect, or by `{ url }` if a script asks for JSON. */
export function leadTo(ctx: AuthContext, url: string): Response {
  if (!wantsJson(ctx.request)) return ctx.redirect(url);
  return ctx.json({ url: new URL(url, ctx.origin).href }, { headers: NO_STORE });
}
