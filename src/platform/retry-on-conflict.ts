const MAX_ATTEMPTS = 100;

/**
 * Repeats an attempt until it returns a value other than `undefined`. Each failed attempt means that a concurrent write
 * succeeded.
 * @throws Error after 100 failed attempts.
 */
export async function retryOnConflict<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (let count = 0; count < MAX_ATTEMPTS; count++) {
    const result = await attempt();
    if (result !== undefined) return result;
  }
  throw new Error(`Record was changed concurrently in each of ${MAX_ATTEMPTS} attempts.`);
}
