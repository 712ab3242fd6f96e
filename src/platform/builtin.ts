interface Builtins {
  "node:async_hooks": typeof import("node:async_hooks");
  "node:buffer": typeof import("node:buffer");
  "node:crypto": typeof import("node:crypto");
  "node:fs": typeof import("node:fs");
  "node:fs/promises": typeof import("node:fs/promises");
  "node:module": typeof import("node:module");
  "node:path": typeof import("node:path");
  "node:sqlite": typeof import("node:sqlite");
}

/**
 * Returns a built-in module of Node if the runtime has it: Node, Bun, Deno, and Workers with `nodejs_compat`. It is not
 * imported, because bundlers for edge runtimes fail on such an import. Some runtimes implement only a part of a module.
 */
export function getBuiltin<Name extends keyof Builtins>(
  name: Name,
): Partial<Builtins[Name]> | undefined {
  const { process } = globalThis as {
    process?: { getBuiltinModule?(name: Name): Partial<Builtins[Name]> | undefined };
  };
  try {
    return process?.getBuiltinModule?.(name);
  } catch {
    // The edge runtime of Next.js has a `process` whose functions throw.
    return undefined;
  }
}
