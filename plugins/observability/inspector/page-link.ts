import type { AuthContext, Page } from "../../../src/kernel.ts";
import { isLocal } from "./local.ts";
import type { Log, LogEntry } from "./log.ts";
import { maskUrl } from "./mask.ts";

function findFailure({ url }: AuthContext, log: Log): LogEntry | undefined {
  const here = maskUrl(url);
  // A script receives the target as JSON, which the log does not have.
  const leadsHere = ({ target, provider }: LogEntry) =>
    target === here || (target === undefined && provider !== undefined);
  return log.entries().find((entry) => entry.errors.length > 0 && leadsHere(entry));
}

/** Adds a link to a page that shows an error. It leads to the request that caused the page. */
export function linkToEntry(page: Page, ctx: AuthContext, log: Log): Page | undefined {
  if (page.message?.tone !== "error" || !isLocal(ctx)) return undefined;
  const entry = findFailure(ctx, log);
  if (!entry) return undefined;
  const id = entry.errors[0]?.id ?? String(entry.number);
  const href = `${ctx.base}/inspector?id=${encodeURIComponent(id)}`;
  const text = `Developers: why it failed (${id})`;
  return { ...page, blocks: [...page.blocks, { kind: "link", text, href }] };
}
