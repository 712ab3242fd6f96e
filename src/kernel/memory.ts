/** What a process remembers for an Auth, by key. All its kernels share it. */
export interface Memory {
  /** Returns the value of a key, which the first call creates. */
  <T>(key: string, create: () => T): T;
}

/** Creates an empty memory. */
export function createMemory(): Memory {
  const values = new Map<string, unknown>();
  return <T>(key: string, create: () => T): T => {
    if (!values.has(key)) values.set(key, create());
    return values.get(key) as T;
  };
}
