import { PluginError } from "../errors/errors.ts";
import type { Awaitable } from "../types/models.ts";

/**
 * Runs a call of an optional store, or its substitute if no store is set. The development fallback does not count as a
 * store, so `kernel.storeScope`, which includes it, cannot be used here.
 */
export async function ifStored<T>(
  onStore: () => Promise<T>,
  without: () => Awaitable<T>,
): Promise<T> {
  try {
    return await onStore();
  } catch (error) {
    if (error instanceof PluginError) return without();
    throw error;
  }
}
