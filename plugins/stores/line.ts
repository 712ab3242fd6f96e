/** Makes a line for each key: work on one key waits for what was there before, and for nothing else. */
export function createLine() {
  const lines = new Map<string, Promise<unknown>>();
  return async <T>(key: string, work: () => Promise<T>): Promise<T> => {
    const before = lines.get(key);
    const turn = before ? before.then(work, work) : work();
    lines.set(key, turn);
    try {
      return await turn;
    } finally {
      if (lines.get(key) === turn) lines.delete(key);
    }
  };
}
