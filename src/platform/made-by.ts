// Not enumerable, because a copy with other fields is no longer what the function made. In the global symbol registry,
// because a plugin may have brought another copy of this package.
const MADE_BY = Symbol.for("keyhook.madeBy");

/** A function that makes an object, and the arguments of the call. */
export type MakeCall = readonly [make: (...args: never) => object, ...args: unknown[]];

/** Returns the call that made a value, if it is known. */
export function findMakeCall(value: unknown): MakeCall | undefined {
  return (value as { [MADE_BY]?: MakeCall } | null | undefined)?.[MADE_BY];
}

/** Records the call that made an object. The result of the same function with equal arguments may replace it. */
export function withCall<T extends object>(value: T, call: MakeCall): T {
  return Object.defineProperty(value, MADE_BY, { value: call });
}
