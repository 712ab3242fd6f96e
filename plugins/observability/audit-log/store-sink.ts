import { PluginError } from "../../../src/errors.ts";
import type { Store } from "../../../src/kernel.ts";
import type { AuditEntry, AuditSink } from "./types.ts";

const DAY_MS = 86_400_000;

/** Options of `storeSink`. */
export interface StoreSinkOptions {
  /** Milliseconds for which entries are kept. Default: 90 days. `Infinity` keeps them forever. */
  ttl?: number;
}

/** A sink whose entries can be listed. */
export interface StoreSink extends AuditSink {
  /**
   * Lists the entries of a day in UTC (`2026-05-01`, default today), oldest first.
   * @throws PluginError before the first request or `auth.inspect()`; StoreError when the store fails.
   */
  list(day?: string): Promise<AuditEntry[]>;
}

const toDay = (at: string) => at.slice(0, 10);

/** Keeps entries in the kernel's store, which must be durable in production. */
export function storeSink({ ttl = 90 * DAY_MS }: StoreSinkOptions = {}): StoreSink {
  // The store of the most recently booted configuration.
  let store: Store<AuditEntry> | undefined;
  return {
    name: "store",
    open(kernel) {
      const records = kernel.store<AuditEntry>("audit-log", { durable: true });
      store = records;
      return async (entries) => {
        await Promise.all(
          entries.map((entry) =>
            records.put([toDay(entry.at), crypto.randomUUID()], entry, { ttl }),
          ),
        );
      };
    },
    async list(day = toDay(new Date().toISOString())) {
      if (!store) {
        throw new PluginError(
          "The audit log was listed before its Auth had booted. Call `auth.inspect()` first.",
        );
      }
      const entries: AuditEntry[] = [];
      for await (const entry of store.scan([day])) entries.push(entry);
      return entries.sort((one, other) => (one.at < other.at ? -1 : 1));
    },
  };
}
