import { PluginError } from "../../src/errors.ts";
import { definePlugin } from "../../src/kernel.ts";
import type { Kernel, Plugin } from "../../src/kernel.ts";
import { createLog, type Log } from "./inspector/log.ts";
import { linkToEntry } from "./inspector/page-link.ts";
import { record } from "./inspector/record.ts";
import { showInspector } from "./inspector/route.ts";
import { createTimings } from "./inspector/timings.ts";

export type {
  CallStep,
  CookieStep,
  ErrorReport,
  EventStep,
  HookStep,
  LogEntry,
  Step,
  TapRun,
} from "./inspector/log.ts";
export type { BrowserCookie, Decisions, InspectorReport, TapTiming } from "./inspector/report.ts";

/** Options of `inspector`. */
export interface InspectorOptions {
  /** How many requests and server-side calls are kept, from 1 to 1000; the oldest is dropped. Default 50. */
  requests?: number;
}

const DEFAULT_REQUESTS = 50;
const MAX_REQUESTS = 1000;

function setUp(kernel: Kernel, log: Log): void {
  const timings = createTimings();
  record(kernel, log, timings);
  kernel.addRoute({
    method: "GET",
    path: "/inspector",
    handler: (ctx) => showInspector(ctx, log, timings),
  });
  kernel.hooks.page
    .for("*")
    .tap({ name: "inspector", stage: "last" }, (page, ctx) => linkToEntry(page, ctx, log));
}

/**
 * Registers a page for developers at `<base>/inspector` (`?format=json` for tools): all that is registered,
 * what this browser sent, and the last requests step by step, with the reason why a sign-in failed. In
 * production it registers nothing and warns (`inspector-production`). It responds to requests of the own
 * machine only, and shows neither secrets, tokens, values of cookies nor whole addresses.
 * @throws PluginError at boot when `requests` is not valid.
 * @example createAuth().use(inspector())
 */
export function inspector({ requests = DEFAULT_REQUESTS }: InspectorOptions = {}): Plugin {
  const log = createLog(requests);
  return definePlugin(
    {
      name: "inspector",
      setup(kernel) {
        if (!Number.isInteger(requests) || requests < 1 || requests > MAX_REQUESTS) {
          throw new PluginError(
            `The option \`requests\` of inspector() must be a whole number from 1 to ${MAX_REQUESTS}.`,
          );
        }
        if (!kernel.config.production) return setUp(kernel, log);
        kernel.logger.warn(
          "inspector-production",
          "The plugin inspector() does nothing in production. Use it in development only.",
        );
      },
    },
    [inspector, { requests }],
  );
}
