/** Runs work on a key once for all who ask for it in one turn. */
type SharedTurn<T> = (key: string, work: () => Promise<T>) => Promise<T>;

/**
 * Creates a function that shares work among those who ask for the same key in one turn of the event loop. None of them
 * can know of a change that the work has not seen: who has waited for a write goes on in a later turn.
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
