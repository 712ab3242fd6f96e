import { isPromise } from "./awaitable.ts";

/**
 * Returns the type of a value for a message, without the value itself, which may be secret: `null`, `a string`, `an
 * array`, `a promise`, `an object`, ...
 */
export function nameType(value: unknown): string {
  if (value === null || value === undefined) return String(value);
  if (Array.isArray(value)) return "an array";
  if (isPromise(value)) return "a promise";
  return typeof value === "object" ? "an object" : `a ${typeof value}`;
}
