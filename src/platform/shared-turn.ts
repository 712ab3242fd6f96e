/** Runs work for a key once for all callers that ask for it before the next microtask. */
type SharedTurn<T> = (key: string, work: () => Promise<T>) => Promise<T>;

/**
 * Creates a function that shares work among callers that ask for the same key before the next microtask. None of them
 * can know of a change that the work has not seen: a caller that waited for a write continues in a later microtask.
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
