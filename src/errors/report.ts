import type { Logger } from "../types/options.ts";
import type { AuthError } from "./auth-error.ts";

/** Receives a fault that was found at boot, so that all faults are reported together. */
export type Report = (fault: AuthError) => void;

/** Receives the results of a configuration check: faults that boot refuses, and warnings. */
export interface Reporter {
  report: Report;
  logger: Pick<Required<Logger>, "warn">;
}
