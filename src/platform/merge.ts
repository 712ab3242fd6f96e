function isPlain(value: unknown): value is Record<PropertyKey, unknown> {
  if (typeof value !== "object" || value === null) return false;
  const proto = Object.getPrototypeOf(value) as unknown;
  return proto === Object.prototype || proto === null;
}

/**
 * Merges objects into a new one, later ones over earlier ones. Plain objects are merged recursively; all other values,
 * including arrays, are replaced. `undefined` and `__proto__` are skipped, and symbol keys are copied. The arguments
 * are not changed.
 */
export function merge<T extends object>(base: T, ...layers: readonly (object | undefined)[]): T {
  const result = { ...base } as Record<PropertyKey, unknown>;
  for (const layer of layers) {
    if (!layer) continue;
    for (const key of Reflect.ownKeys(layer)) {
      const value = (layer as Record<PropertyKey, unknown>)[key];
      if (value === undefined || key === "__proto__") continue;
      const under = result[key];
      result[key] = isPlain(value) && isPlain(under) ? merge(under, value) : value;
    }
  }
  return result as T;
}
