/** Performs the call of a method. `call` calls the method itself and returns its result. */
export type PerformCall = (name: string, args: unknown[], call: () => unknown) => unknown;

// Lists own and inherited names, for class instances.
function listNames(value: object): Set<string> {
  const names = new Set<string>();
  let level: object | null = value;
  while (level && level !== Object.prototype) {
    for (const name of Object.getOwnPropertyNames(level)) names.add(name);
    level = Object.getPrototypeOf(level) as object | null;
  }
  names.delete("constructor");
  return names;
}

/**
 * Returns a plain object with the members of another one. Calls of its methods go through `perform`. It is not a Proxy,
 * because an outer wrap may spread it.
 * @param known Names of members that the other object may have without listing them, such as a Proxy.
 */
export function wrapMethods<T extends object>(
  inner: T,
  perform: PerformCall,
  known: readonly string[] = [],
): T {
  const outer = {};
  for (const name of new Set([...listNames(inner), ...known])) {
    const get = (): unknown => Reflect.get(inner, name);
    const value = (...args: unknown[]): unknown =>
      perform(name, args, () => Reflect.apply(get() as () => unknown, inner, args));
    const member = typeof get() === "function" ? { value } : { get };
    Object.defineProperty(outer, name, { ...member, enumerable: true, configurable: true });
  }
  return outer as T;
}
