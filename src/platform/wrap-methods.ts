/** Performs the call of a method; `call` returns what the method itself does. */
export type PerformCall = (name: string, args: unknown[], call: () => unknown) => unknown;

// Own and inherited names, for instances of a class.
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
 * Returns a plain object with the members of another one, whose methods `perform` calls. A plain object, and not a Proxy: a
 * wrap outside of it may spread it.
 * @param known Names of members that the other one may have without listing them, as a Proxy.
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
