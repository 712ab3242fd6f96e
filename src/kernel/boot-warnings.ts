import type { Logger } from "../types/options.ts";
import type { Memory } from "./memory.ts";

/** Warnings that are known again; of what an Auth warns of besides, each boot warns. */
const MAX_WARNINGS = 500;

/**
 * Returns a logger that leaves out what another boot of the Auth has warned of, while `isBooting` returns `true`: each tenant has
 * a kernel, and most warnings concern all of them.
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
