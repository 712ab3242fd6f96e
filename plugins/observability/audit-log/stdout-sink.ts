import { toLine } from "./entry.ts";
import type { AuditSink } from "./types.ts";

/** Writes each entry as one line of JSON to standard output, which most platforms collect. */
export function stdoutSink(): AuditSink {
  return {
    name: "stdout",
    open: () => (entries) => {
      // oxlint-disable-next-line no-console -- standard output, on every runtime
      for (const entry of entries) console.log(toLine(entry));
    },
  };
}
