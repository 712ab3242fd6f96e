import type { Awaitable } from "../types/models.ts";
import type { DirectStore, Store, StoreKey } from "../types/store.ts";

const DIRECT = Symbol("direct");

type OtherMember = "isAvailable" | "scan";

// A record, so that the compiler reports a missing name.
const OPERATIONS: Readonly<Record<Exclude<keyof Store<unknown>, OtherMember>, true>> = {
  get: true,
  read: true,
  put: true,
  putIfAbsent: true,
  take: true,
  compareAndSet: true,
  compareAndDelete: true,
  increment: true,
  delete: true,
};

/** Runs an operation on a store. */
type Run<T> = (on: DirectStore<T>) => Awaitable<unknown>;

/** Creates the operations of a store that end, so not `scan`. Each calls the function with the operation to run. */
export function createOperations<T>(
  call: (run: Run<T>) => Awaitable<unknown>,
): Omit<DirectStore<T>, OtherMember> {
  const names = Object.keys(OPERATIONS) as (keyof typeof OPERATIONS)[];
  const operations = names.map((name) => [
    name,
    (...args: unknown[]) => call((on) => Reflect.apply(on[name], on, args) as Awaitable<unknown>),
  ]);
  return Object.fromEntries(operations) as Omit<DirectStore<T>, OtherMember>;
}

/** Returns a plugin's store on top of a direct store. Its operations always return promises. */
export function toStore<T>(direct: DirectStore<T>): Store<T> {
  const operations = createOperations<T>(async (run) => run(direct)) as Omit<Store<T>, OtherMember>;
  const store = {
    ...operations,
    get isAvailable() {
      return direct.isAvailable;
    },
    scan: (group?: StoreKey) => direct.scan(group),
    [DIRECT]: direct,
  };
  return store;
}

/** Returns the direct store behind a store. A store of another package is used as it is. */
export function toDirect<T>(store: Store<T>): DirectStore<T> {
  return (store as Store<T> & { [DIRECT]?: DirectStore<T> })[DIRECT] ?? store;
}
