import { PluginError } from "../../src/errors.ts";
import { definePlugin } from "../../src/kernel.ts";
import type { Kernel, Plugin, User } from "../../src/kernel.ts";
import { createLog, type Log } from "./inspector/log.ts";
import { NAME } from "./inspector/name.ts";
import { linkToEntry } from "./inspector/page-link.ts";
import { record } from "./inspector/record.ts";
import { showInspector } from "./inspector/route.ts";
import { addSignInAs } from "./inspector/sign-in-as.ts";
import { createTimings } from "./inspector/timings.ts";
import { createUsers, type Users } from "./inspector/users.ts";

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
export type {
  BrowserCookie,
  Decisions,
  InspectorReport,
  KeptMail,
  KnownUser,
  TapTiming,
} from "./inspector/report.ts";

/** Options of `inspector`. */
export interface InspectorOptions {
  /** Number of requests and server-side calls to keep, from 1 to 1000. The oldest is dropped. Default 50. */
  requests?: number;
  /**
   * Users to sign in as, in addition to those who have signed in. If there is a stored user with the id or the address,
   * it is used.
   */
  users?: readonly User[];
}

const DEFAULT_REQUESTS = 50;
const MAX_REQUESTS = 1000;

function setUp(kernel: Kernel, log: Log, users: Users): void {
  const timings = createTimings();
  record(kernel, log, timings);
  addSignInAs(kernel, log, users);
  kernel.addRoute({
    method: "GET",
    path: "/inspector",
    handler: (ctx) => showInspector(ctx, log, timings, users),
  });
  kernel.hooks.page
    .for("*")
    .tap({ name: NAME, stage: "last" }, (page, ctx) => linkToEntry(page, ctx, log));
}

/**
 * Registers a page for developers at `<base>/inspector` (`?format=json` for tools). It shows all registrations, what
 * this browser sent, the e-mails of `outboxPlugin`, and the last requests step by step, with the reason for a failed
 * sign-in. A form signs in as any user.
 *
 * It responds only to requests from this machine. In production it registers nothing and warns
 * (`inspector-production`). Except in the e-mails, it shows no secrets, tokens, cookie values or whole addresses.
 * @throws PluginError at boot when `requests` is not valid.
 * @example createAuth().use(inspector())
 */
export const inspector: (options?: InspectorOptions) => Plugin = definePlugin(function inspector({
  requests = DEFAULT_REQUESTS,
  users: given = [],
} = {}): Plugin {
  const log = createLog(requests);
  const users = createUsers(given);
  return {
    name: NAME,
    setup(kernel) {
      if (!Number.isInteger(requests) || requests < 1 || requests > MAX_REQUESTS) {
        throw new PluginError(
          `The option \`requests\` of inspector() must be a whole number from 1 to ${MAX_REQUESTS}.`,
        );
      }
      if (!kernel.config.production) return setUp(kernel, log, users);
      kernel.logger.warn(
        "inspector-production",
        "The plugin inspector() does nothing in production. Use it in development only.",
      );
    },
  };
});
