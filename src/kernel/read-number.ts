import { InvalidConfig } from "../errors/errors.ts";
import type { Report } from "../errors/report.ts";

/** Bounds of a whole number in the configuration. */
export interface CountBounds {
  readonly fallback: number;
  /** Default 1. */
  readonly least?: number;
  readonly most: number;
}

// No lifetime is meant to be longer. Thirty days in milliseconds, read as seconds, are 82 years.
const MAX_S = 3652.5 * 24 * 60 * 60;

/** Returns a number of seconds. Reports an invalid value and returns the default instead. */
export function readSeconds(
  value: number | undefined,
  { fallback, least = 1 }: Omit<CountBounds, "most">,
  name: string,
  report: Report,
): number {
  if (value === undefined || value === null) return fallback;
  if (Number.isFinite(value) && value >= least && value <= MAX_S) return Math.floor(value);
  report(
    new InvalidConfig(`${name} must be a number of seconds, from ${least} to ${MAX_S} (10 years).`),
  );
  return fallback;
}

/** Returns a whole number. Reports an invalid value and returns the default instead. */
export function readCount(
  value: number | undefined,
  { fallback, least = 1, most }: CountBounds,
  name: string,
  report: Report,
): number {
  if (value === undefined || value === null) return fallback;
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  report(new InvalidConfig(`${name} must be a whole number from ${least} to ${most}.`));
  return fallback;
}
