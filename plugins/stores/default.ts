import type { Plugin } from "../../src/index.ts";
import { lazily } from "./wrapped.ts";

const FOLDER = ".data/keyhook";

/**
 * Where records lie in development, when nobody has said where: in the folder `.data/keyhook`, hidden
 * from git. In production it is a fault that names who needs a store.
 */
export default function defaultStore(): Plugin {
  return {
    name: "store:default",
    setup(kernel) {
      // An edge runtime has no folder: then there is no store, and the kernel says so.
      if (!globalThis.process?.getBuiltinModule?.("node:fs")?.linkSync) return;
      const backend = lazily(
        {
          name: FOLDER,
          guarantees: { scope: "host", consistency: "strong", ttl: "sweep", durable: true },
          atomic: true,
        },
        async () => (await import("./fs/fs.ts")).fsBackend(FOLDER),
      );
      kernel.setStore(backend, { fallback: true });
    },
  };
}
