import { BootError } from "../../src/errors.ts";
import type { Kernel, Plugin, Strategy } from "../../src/kernel.ts";
import { createTestAuth, type TestAuthOptions } from "../_app.ts";

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
  const { auth, log } = createTestAuth(options);
  log.ignoreErrors();
  try {
    auth.inspect();
    return [];
  } catch (error) {
    const faults = error instanceof BootError ? error.faults : [error as Error];
    return faults.map(({ message }) => message);
  }
}
