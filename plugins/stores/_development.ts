import { getBuiltin, isWorker, records } from "../../src/_kit.ts";
import type { Plugin } from "../../src/kernel.ts";
import { createLazyBackend } from "./_lazy.ts";

const FOLDER = ".data/keyhook";

/**
 * Registers the default store for development: files in `folder`, by default `.data/keyhook`, which git ignores. It is
 * used only if no other store is configured, and never in production. There, boot fails with a finding that names the
 * plugins which need a store.
 */
export function developmentStore(folder: string = FOLDER): Plugin {
  return {
    name: "stores/development",
    provides: ["store"],
    plugins: [records()],
    setup(kernel) {
      // An edge runtime has no file system, and that of a Worker cannot be written. No store is set, and the kernel
      // reports that. Production refuses this store anyway.
      const hasFiles = !isWorker() && getBuiltin("node:fs")?.linkSync !== undefined;
      if (!kernel.config.production && !hasFiles) return;
      const backend = createLazyBackend(
        {
          name: folder,
          guarantees: { scope: "host", consistency: "strong", ttl: "sweep", durable: true },
          atomic: true,
        },
        async () => (await import("./fs.ts")).fsBackend(folder),
      );
      kernel.setStore(backend, { fallback: true });
    },
  };
}
