import { PluginError } from "../errors/errors.ts";
import type { Awaitable } from "../types/models.ts";

/**
 * Runs a call of an optional store, or where none is set, what stands in for it. The fallback of development is none:
 * `kernel.storeScope`, which counts it, does not tell.
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
