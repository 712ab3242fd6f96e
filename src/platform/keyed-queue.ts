/** Runs work for one key, one at a time, in the order of the calls. */
type KeyedQueue = <T>(key: string, work: () => Promise<T>) => Promise<T>;

/** Creates a function that runs work in a queue per key: one at a time, in order. */
export function createKeyedQueue(): KeyedQueue {
  const queues = new Map<string, Promise<unknown>>();
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const previous = queues.get(key);
    const turn = previous ? previous.then(work, work) : work();
    queues.set(key, turn);
    try {
      return await turn;
    } finally {
      if (queues.get(key) === turn) queues.delete(key);
    }
  };
}
