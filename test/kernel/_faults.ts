import type { Kernel, Plugin, Strategy } from "../../src/kernel.ts";
import { createTestAuth, listBootFaults, type TestAuthOptions } from "../_app.ts";

/** A strategy without sessions. */
export const noSessions: Strategy = {
  create: () => () => {},
  read: () => null,
  update: () => null,
  current: () => null,
  destroy: () => undefined,
};

/** Builds a plugin of its setup. */
export const plugin = (name: string, setup: (kernel: Kernel) => void): Plugin => ({ name, setup });

/** Boots, and returns the messages of all faults. */
export function listFaults(options: TestAuthOptions): string[] {
  return listBootFaults(createTestAuth(options));
}
