// Not enumerable, because a copy with other fields is no longer what the function made. In the global symbol registry,
// because a plugin may have brought another copy of this package.
const MADE_BY = Symbol.for("keyhook.madeBy");

/** A function that makes an object, and the arguments of the call. */
export type MakeCall = readonly [make: (...args: never) => object, ...args: unknown[]];

/** Returns the call that made a value, if it is known. */
export function findMakeCall(value: unknown): MakeCall | undefined {
  return (value as { [MADE_BY]?: MakeCall } | null | undefined)?.[MADE_BY];
}

/**
 * Returns a function with the same parameters that records the call on each object that it returns. The result of the
 * same function with equal arguments may replace the object.
 */
export function recordCalls<Args extends readonly unknown[], T extends object>(
  create: (...args: Args) => T,
): (...args: Args) => T {
  const factory = (...args: Args): T => {
    const value = create(...args);
    // A frozen object is compared by identity, and boot reports a value that is not an object.
    if (!Object.isExtensible(value)) return value;
    const call: MakeCall = [factory as MakeCall[0], ...args];
    // Configurable, because the object may come from another such function.
    return Object.defineProperty(value, MADE_BY, { value: call, configurable: true });
  };
  return Object.defineProperty(factory, "name", { value: create.name });
}
