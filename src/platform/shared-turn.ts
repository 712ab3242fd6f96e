/** Runs work on a key once for all who ask for it before the next microtask. */
type SharedTurn<T> = (key: string, work: () => Promise<T>) => Promise<T>;

/**
 * Creates a function that shares work among those who ask for the same key before the next microtask. None of them can
 * know of a change that the work has not seen: who has waited for a write goes on in a later one.
 */
export function createSharedTurn<T>(): SharedTurn<T> {
  const begun = new Map<string, Promise<T>>();
  return (key, work) => {
    const known = begun.get(key);
    if (known) return known;
    if (!begun.size) queueMicrotask(() => begun.clear());
    const shared = work();
    begun.set(key, shared);
    return shared;
  };
}
