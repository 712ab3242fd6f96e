import type { Logger } from "../types/options.ts";
import type { AuthError } from "./auth-error.ts";

/** Receives a fault that was found at boot, so that all faults are reported together. */
export type Report = (fault: AuthError) => void;

/** What a check of the configuration reports to: what boot refuses, and what it only warns of. */
export interface Reporter {
  report: Report;
  logger: Pick<Required<Logger>, "warn">;
}
