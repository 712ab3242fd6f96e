import { toLine } from "./entry.ts";
import type { AuditSink } from "./types.ts";

/** Writes each entry as one line of JSON to standard output, which most platforms collect. */
export function stdoutSink(): AuditSink {
  return {
    name: "stdout",
    open: () => (entries) => {
      for (const entry of entries) console.log(toLine(entry));
    },
  };
}
