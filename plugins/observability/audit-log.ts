import { AuthError, PluginError, UnknownAction } from "../../src/errors.ts";
import { type AuthContext, definePlugin, type Kernel, type Plugin } from "../../src/kernel.ts";
import { buildEntry, describeError } from "./audit-log/entry.ts";
import { type AuditEvents, describeEvent } from "./audit-log/events.ts";
import { createQueue, QUEUE_LIMIT } from "./audit-log/queue.ts";
import type { AuditDetails, AuditSink } from "./audit-log/types.ts";

export { fileSink } from "./audit-log/file-sink.ts";
export type { FileSinkOptions } from "./audit-log/file-sink.ts";
export { stdoutSink } from "./audit-log/stdout-sink.ts";
export { storeSink } from "./audit-log/store-sink.ts";
export type { StoreSink, StoreSinkOptions } from "./audit-log/store-sink.ts";
export type { AuditEvents } from "./audit-log/events.ts";
export type {
  AuditDetails,
  AuditEntry,
  AuditOutcome,
  AuditSink,
  AuditWriter,
} from "./audit-log/types.ts";

/** Options of `auditLog`. */
export interface AuditLogOptions {
  /** Whether entries contain e-mail addresses. Default `false`; ids that are addresses are then left out too. */
  addresses?: boolean;
  /**
   * The content of entries for events, by name. `false` leaves an event out. Default: `session` is left out, and the
   * entry of a plugin's event has only the ids of user and provider.
   */
  events?: AuditEvents;
  /** Whether failed and refused requests are recorded. Default `true`. */
  requests?: boolean;
  /** Maximum number of entries that wait for the sink. Further entries are dropped. Default 1000. */
  limit?: number;
}

/** The plugin of the audit log. */
export interface AuditLogPlugin extends Plugin {
  /** Resolves when everything recorded until now is written or dropped. Call it before the process ends. */
  flush(): Promise<void>;
  /** Number of entries that were not written, because the sink failed or hung, or too many were waiting. */
  readonly dropped: number;
}

// `auditLog(stdoutSink)` is a common mistake.
function check(sink: unknown, limit: number): void {
  if (!Number.isSafeInteger(limit) || limit < 1) {
    throw new PluginError("`limit` of `auditLog` must be a whole number above 0.");
  }
  if (typeof sink === "object" && sink !== null && "open" in sink) return;
  const hint = typeof sink === "function" ? " Call the function that you passed." : "";
  throw new PluginError(`\`auditLog\` needs a sink, such as \`stdoutSink()\`.${hint}`);
}

// A failed sign-in is an event, and its error also reaches the hook, perhaps as the cause of another error.
function isKnown(failedSignIns: WeakSet<object>, error: Error): boolean {
  if (failedSignIns.has(error)) return true;
  const cause = error instanceof AuthError ? error.cause?.err : undefined;
  return cause !== undefined && failedSignIns.has(cause);
}

/**
 * Records who did what from where: sign-ins (including failed ones), sign-outs, changes of users, accounts and
 * sessions, refused requests, and the events of other plugins. Entries go to the sink in batches, one after another,
 * and no response waits for it. Entries that the sink does not write are logged and counted, and the next written entry
 * contains their number.
 * @example createAuth().use(auditLog(stdoutSink()))
 */
export const auditLog: (sink: AuditSink, options?: AuditLogOptions) => AuditLogPlugin =
  definePlugin(function auditLog(sink, options = {}): AuditLogPlugin {
    const { events, requests = true, addresses = false, limit = QUEUE_LIMIT } = options;
    const pending = new Set<Promise<void>>();
    let dropped = 0;

    const setup = (kernel: Kernel): void => {
      check(sink, limit);
      const queue = createQueue(sink, kernel, {
        limit,
        onDrop: (count) => {
          dropped += count;
        },
      });
      const record = (event: string, details: AuditDetails, ctx?: AuthContext): Promise<void> => {
        const written = queue.add(buildEntry(event, details, ctx, addresses));
        pending.add(written);
        return written.finally(() => pending.delete(written));
      };
      const failedSignIns = new WeakSet<object>();

      kernel.events.hook("signInFailed", ({ error }) => void failedSignIns.add(error));
      kernel.events.hook(
        "*",
        (message, info) => {
          const details = describeEvent(message, info, events);
          return details && record(info.name, details, info.ctx);
        },
        { background: true },
      );
      if (!requests) return;
      // An interceptor receives every error, even if a tap has returned a response to it.
      kernel.hooks.error.intercept({
        run(error, ctx) {
          if (error instanceof UnknownAction || isKnown(failedSignIns, error)) return;
          ctx.waitUntil(record("request", describeError(error, ctx), ctx));
        },
      });
    };

    return {
      name: "observability/audit-log",
      setup,
      async flush() {
        await Promise.all(pending);
      },
      get dropped() {
        return dropped;
      },
    };
  });
