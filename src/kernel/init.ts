import { InitError } from "../errors/errors.ts";
import { withTimeout } from "../platform/timeout.ts";
import type { Kernel } from "../types/kernel.ts";
import type { Awaitable } from "../types/models.ts";
import type { Plugin } from "../types/plugin.ts";

/** Time limit of a plugin's `init` in milliseconds. */
export const INIT_TIMEOUT_MS = 10_000;

/**
 * Returns the function that runs each plugin's `init` once, in order. While plugins are being initialized, it returns a
 * promise that all callers share; afterwards `undefined`. The promise rejects with `InitError`, which is logged once.
 * The next call continues with the plugin that failed.
 */
export function createInit(plugins: readonly Plugin[], kernel: Kernel): () => Awaitable<void> {
  const waiting = plugins.filter((plugin) => plugin.init);
  let running: Promise<void> | undefined;

  const run = async (): Promise<void> => {
    try {
      for (const plugin of [...waiting]) {
        // oxlint-disable-next-line no-await-in-loop -- a plugin may use what an earlier one has initialized
        await initialize(plugin, kernel);
        waiting.shift();
      }
    } catch (error) {
      kernel.logger.error(error as InitError);
      throw error;
    } finally {
      running = undefined;
    }
  };

  return () => {
    if (!waiting.length) return undefined;
    running ??= run();
    return running;
  };
}

async function initialize(plugin: Plugin, kernel: Kernel): Promise<void> {
  try {
    await withTimeout(plugin.init?.(kernel), INIT_TIMEOUT_MS);
  } catch (thrown) {
    const cause = thrown instanceof Error ? thrown : new Error(String(thrown));
    throw new InitError(
      `\`init\` of the plugin "${plugin.name}" failed. The next request runs it again.`,
      { cause: { err: cause, plugin: plugin.name } },
    );
  }
}
