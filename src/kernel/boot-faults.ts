import { type AuthError, BootError, ConfigError, PluginError } from "../errors/errors.ts";
import type { Report } from "../errors/report.ts";

/** The faults of a boot, which are reported together. */
export interface BootFaults {
  readonly report: Report;
  /** Whether no fault has been reported yet. */
  readonly isEmpty: boolean;
  /** @throws the fault if there is one, or `BootError` with all of several. */
  throwAll(): void;
}

function toFault(error: unknown, where: string): AuthError {
  if (error instanceof ConfigError) return error;
  const thrown = error instanceof Error ? error : new Error(String(error));
  return new PluginError(`${where}: ${thrown.message}`, { cause: { err: thrown } });
}

/** Runs a step of the boot and reports what it throws. `where` says what could not be done. */
export function reportThrown(report: Report, where: string, work: () => void): void {
  try {
    work();
  } catch (error) {
    const thrown = error instanceof AggregateError ? (error.errors as unknown[]) : [error];
    for (const one of thrown) report(toFault(one, where));
  }
}

/** Collects the faults of a boot. */
export function createBootFaults(): BootFaults {
  const faults: AuthError[] = [];
  return {
    report: (fault) => faults.push(fault),
    get isEmpty() {
      return !faults.length;
    },
    throwAll() {
      const [first, ...others] = faults;
      if (first) throw others.length ? new BootError(faults) : first;
    },
  };
}
