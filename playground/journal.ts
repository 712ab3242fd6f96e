import type { User } from "../presets/index.ts";
import type { ActivityEntry } from "./activity-log.ts";

/** An entry, and how often in a row it was repeated. */
export interface Line extends ActivityEntry {
  times: number;
}

/** The last events, newest first. */
export interface Journal {
  readonly lines: readonly Line[];
  write(entry: ActivityEntry): void;
  note(who: Pick<User, "name" | "email"> | undefined, what: string): void;
}

/** Creates a journal of at most `length` lines. A repeated entry is counted instead of added. */
export function createJournal(length = 12): Journal {
  const lines: Line[] = [];
  const write = (entry: ActivityEntry) => {
    const last = lines[0];
    if (last?.who === entry.who && last.what === entry.what) {
      lines[0] = { ...entry, times: last.times + 1 };
      return;
    }
    lines.unshift({ ...entry, times: 1 });
    lines.length = Math.min(lines.length, length);
  };
  return {
    lines,
    write,
    note: (who, what) =>
      write({ at: new Date(), who: who?.name ?? who?.email ?? "somebody", what }),
  };
}
