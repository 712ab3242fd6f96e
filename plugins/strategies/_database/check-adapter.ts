import { MissingAdapter } from "../../../src/errors.ts";
import { type Kernel, requireMethods } from "../../../src/kernel.ts";

/**
 * Checks that the adapter can store the sessions of a strategy, if that strategy is in use.
 * @throws MissingAdapter
 * @throws ConfigError for an adapter that lacks one of the methods.
 */
export function checkAdapter(kernel: Kernel, strategy: string): void {
  if (kernel.config.session.strategy !== strategy) return;
  if (!kernel.adapter) {
    throw new MissingAdapter(
      `\`session.strategy\` is "${strategy}", but there is no adapter. Set \`adapter\`, or use a store ` +
        'with `storeAdapter()`, or the strategy "jwt".',
    );
  }
  requireMethods(kernel, `${strategy} sessions`, [
    "createSession",
    "getSessionAndUser",
    "updateSession",
    "deleteSession",
  ]);
  for (const { id, type } of kernel.providers.values()) {
    if (kernel.flow(type).links !== "none") continue;
    requireMethods(kernel, `${strategy} sessions of "${id}"`, [
      "getUser",
      "getUserByAccount",
      "getUserByEmail",
      "createUser",
      "linkAccount",
    ]);
  }
}
