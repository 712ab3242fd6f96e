import { PRIVATE_HEADERS } from "../../../src/_kit.ts";
import type { AuthContext } from "../../../src/kernel.ts";
import { expectLocal } from "./local.ts";
import type { Log } from "./log.ts";
import { buildPage } from "./page.ts";
import { buildReport } from "./report.ts";
import type { Timings } from "./timings.ts";
import type { Users } from "./users.ts";

const HEADERS = { ...PRIVATE_HEADERS, "x-content-type-options": "nosniff" };

/**
 * Handles `GET /inspector`. Responds with a page, or with JSON for `?format=json` and if no plugin renders pages.
 * @throws UnknownAction for requests from elsewhere, as for a path without a route.
 */
export async function showInspector(
  ctx: AuthContext,
  log: Log,
  timings: Timings,
  users: Users,
): Promise<Response> {
  expectLocal(ctx);
  const { searchParams } = ctx.url;
  const id = searchParams.get("id") ?? undefined;
  const report = buildReport(ctx, { log, timings, users }, id);
  if (searchParams.get("format") === "json" || !ctx.kernel.find("pages")) {
    return ctx.json(report, { headers: HEADERS });
  }
  return ctx.page(buildPage(report, ctx.base, id));
}
