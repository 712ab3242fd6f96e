import type { Operation } from "../../../src/kernel.ts";

/** One run of a tap. Times are in milliseconds. */
export interface TapRun {
  readonly name: string;
  readonly plugin: string;
  readonly stage: number;
  readonly ms: number;
}

/** A run of a hook with taps. */
export interface HookStep {
  readonly kind: "hook";
  readonly name: string;
  /** Milliseconds since the start of the request. */
  readonly at: number;
  readonly taps: TapRun[];
  /** Milliseconds. Absent while the run has not ended. */
  ms?: number;
  /** What the hook decided, without the value: `false`, `a Response (302)`, `a string`. */
  outcome?: string;
}

/** A call of the adapter, the store, or `fetch`. */
export interface CallStep {
  readonly kind: "adapter" | "store" | "fetch";
  /** The method. For the store it includes the namespace, for `fetch` the origin and path. */
  readonly name: string;
  /** Milliseconds since the start of the request. */
  readonly at: number;
  /** Milliseconds. Absent while the call has not ended. */
  ms?: number;
  /** The status of a response, or the name of the error. */
  outcome?: string;
}

/** An event that was emitted. */
export interface EventStep {
  readonly kind: "event";
  readonly name: string;
  /** Milliseconds since the start of the request. */
  readonly at: number;
}

/** What happened within a request. */
export type Step = HookStep | CallStep | EventStep;

/** A cookie that a response sets. `size` is the length of its value. */
export interface CookieStep {
  readonly name: string;
  readonly size: number;
  /** Whether the cookie is removed. */
  readonly cleared: boolean;
}

/** An error with its causes. Anything that could be secret or personal is masked in every text. */
export interface ErrorReport {
  readonly type: string;
  readonly message: string;
  /** The part of the message that says what to do. */
  readonly fix?: string;
  /** The id in the log and in JSON responses. */
  readonly id?: string;
  /** The tap that threw it. */
  readonly tap?: string;
  readonly facts: Readonly<Record<string, string>>;
  /** Nearest first. */
  readonly causes: readonly Omit<ErrorReport, "causes">[];
}

/** A request or a server-side call. */
export interface LogEntry {
  /** Counts up from 1. */
  readonly number: number;
  /** ISO 8601. */
  readonly time: string;
  readonly operation: Operation;
  readonly method: string;
  /** Path with the names of the parameters, and the query with masked values. */
  readonly path: string;
  readonly provider?: string;
  /** Status of the response. Absent for calls that return none. */
  status?: number;
  /** Milliseconds. Absent while the request has not ended. */
  ms?: number;
  /** Target of the redirect: origin and path. */
  target?: string;
  readonly steps: Step[];
  /** Number of steps that were not kept. */
  omitted: number;
  cookies: readonly CookieStep[];
  errors: readonly ErrorReport[];
}

/** The last requests and server-side calls. */
export interface Log {
  /** Newest first. */
  entries(): readonly LogEntry[];
  /** Adds an entry under the next number. */
  open(entry: Pick<LogEntry, "operation" | "method" | "path" | "provider">): LogEntry;
  /** Returns the entry with a number, or with an error of that id. */
  find(id: string): LogEntry | undefined;
}

const MAX_STEPS = 200;

/** Adds a step to an entry, which keeps only the first 200. */
export function addStep(entry: LogEntry, step: Step): void {
  if (entry.steps.length < MAX_STEPS) entry.steps.push(step);
  else entry.omitted++;
}

/** Creates a log of at most `limit` entries. */
export function createLog(limit: number): Log {
  const entries: LogEntry[] = [];
  let last = 0;
  return {
    entries: () => entries,
    open(given) {
      const entry: LogEntry = {
        ...given,
        number: ++last,
        time: new Date().toISOString(),
        steps: [],
        omitted: 0,
        cookies: [],
        errors: [],
      };
      entries.unshift(entry);
      entries.length = Math.min(entries.length, limit);
      return entry;
    },
    find: (id) =>
      entries.find(
        ({ number, errors }) => String(number) === id || errors.some((error) => error.id === id),
      ),
  };
}
