import type { Logger } from "../types/options.ts";
import type { Memory } from "./memory.ts";

/** Maximum number of remembered warnings. Any further ones are repeated by each boot. */
const MAX_WARNINGS = 500;

/**
 * Returns a logger that skips, while `isBooting` returns `true`, the warnings that another boot of the Auth has logged.
 * Each tenant has a kernel, and most warnings concern all of them.
 */
export function warnOnce(
  logger: Required<Logger>,
  memory: Memory,
  isBooting: () => boolean,
): Required<Logger> {
  const { warn: write } = logger;
  const known = memory.remember("boot-warnings", () => new Set<string>());
  return {
    ...logger,
    warn(code, text) {
      const warning = `${code}: ${text}`;
      if (isBooting() && known.has(warning)) return;
      if (isBooting() && known.size < MAX_WARNINGS) known.add(warning);
      write(code, text);
    },
  };
}
