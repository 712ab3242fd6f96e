import type { Awaitable, Kernel, Operation } from "../../../src/kernel.ts";

/**
 * The outcome of an event or a request:
 * - `success`
 * - `refused`: the request was at fault, or a rule forbade it (the error's status is below 500)
 * - `failure`: the server was at fault (500 and above)
 * - `aborted`: the client disconnected before the end
 */
export type AuditOutcome = "success" | "refused" | "failure" | "aborted";

/** The content of an event's entry. */
export interface AuditDetails {
  /** Id of the user. */
  who?: string | undefined;
  /** Recorded only with the option `addresses`. */
  email?: string | null | undefined;
  /** Id of the provider. */
  provider?: string | undefined;
  /** Default `success`. */
  outcome?: AuditOutcome | undefined;
  /** Type of the error. */
  reason?: string | undefined;
  /** Id of the error in the log and in the response. */
  id?: string | undefined;
}

/** An entry of the audit log. Unknown fields are absent. */
export interface AuditEntry {
  /** Time in ISO 8601, UTC. */
  readonly at: string;
  /** Name of the event. `request` is a request that was refused or failed; `dropped` is a gap in the log. */
  readonly event: string;
  readonly outcome: AuditOutcome;
  /** Id of the user. */
  readonly who?: string;
  /** The user's address, with the option `addresses`. */
  readonly email?: string;
  /** Id of the provider. */
  readonly provider?: string;
  /** Address of the client (`ctx.ip`). */
  readonly from?: string;
  readonly operation?: Operation;
  /** Method and route: `POST /callback/:provider`. What a client put into the path is not recorded. */
  readonly route?: string;
  /** Type of the error. */
  readonly reason?: string;
  /** Id of the error, which is also in the log and in the response of a refused request. */
  readonly id?: string;
  /** Number of entries that are missing before this one. */
  readonly dropped?: number;
}

/**
 * Writes entries. Errors that it throws are logged. It has 5 seconds, and is not called again until it ends or that
 * time is over.
 */
export type AuditWriter = (entries: readonly AuditEntry[]) => Awaitable<void>;

/** Where entries are written. */
export interface AuditSink {
  /** For messages. */
  readonly name: string;
  /** Called in `setup`. Registers what the sink needs, and returns the function that writes. */
  open(kernel: Kernel): AuditWriter;
}
