const MAX_DEPTH = 16;

/**
 * Returns a frozen copy of a value, which copies plain objects, lists and dates up to a depth of 16. Errors and other
 * class instances are not copied.
 */
export function copyFrozen<T>(value: T, depth = 0): T {
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return value;
  if (value instanceof Date) return new Date(value) as T;
  const isList = Array.isArray(value);
  const proto = Object.getPrototypeOf(value) as unknown;
  if (!isList && proto !== Object.prototype && proto !== null) return value;
  const copy = (isList ? [] : Object.create(proto as object | null)) as Record<string, unknown>;
  for (const key of Object.keys(value)) {
    const inner = copyFrozen((value as Record<string, unknown>)[key], depth + 1);
    // Assigning to `__proto__` would set the prototype.
    if (key === "__proto__") Object.defineProperty(copy, key, { value: inner, enumerable: true });
    else copy[key] = inner;
  }
  return Object.freeze(copy) as T;
}
