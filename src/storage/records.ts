import type { Report } from "../errors/report.ts";
import { recordCalls } from "../platform/made-by.ts";
import type { BoundedCache } from "../types/cache.ts";
import type { Kernel } from "../types/kernel.ts";
import type { Logger, ResolvedConfig } from "../types/options.ts";
import type { Plugin } from "../types/plugin.ts";
import type { Store, StoreBackend, StoreRequirements, SweepOptions } from "../types/store.ts";
import { findLostByStore } from "./lost-methods.ts";
import { checkRequirements, type StoreNeeds } from "./requirements.ts";
import { createSpaces, type Spaces } from "./space.ts";
import { createStore } from "./store.ts";
import { createSweeper, sweepStore } from "./sweep.ts";

/** Maximum number of unreadable records whose report is not repeated. */
const MAX_REPORTED = 1000;

/** Bounds of the cached hashes of key parts, and of the characters that they were computed from. */
const HASHES = {
  max: 10_000,
  maxWeight: 4_000_000,
  weigh: (_: string, text: string): number => text.length,
};

/** Keeps the records of plugins in a backend. */
export interface Records {
  /** Returns the store of a namespace. */
  open<T>(
    namespace: string,
    backend: () => StoreBackend,
    requirements: StoreRequirements,
  ): Store<T>;
  /** Removes expired records from a backend and resolves to their number. */
  sweep(backend: StoreBackend, options?: SweepOptions): Promise<number>;
  /** Finds the methods and guarantees that a backend lost when it was wrapped. */
  findLost(inner: StoreBackend, outer: object): string[];
  /** Reports requirements that the backend does not meet. Warns about weak defaults. */
  check(needs: StoreNeeds, report: Report): void;
}

declare module "../types/kernel.ts" {
  interface Services {
    /** Keeps the records of plugins in a backend; not needed without a store. */
    records: Records;
  }
}

/** Creates the service that keeps the records of plugins, in the `spaces` of an application. */
export function createRecords(
  logger: Required<Logger>,
  { production, storageTimeout }: Pick<ResolvedConfig, "production" | "storageTimeout">,
  { spaces, reported }: { spaces?: Spaces; reported?: BoundedCache<true> } = {},
): Records {
  const sweep = createSweeper(logger);
  return {
    open(namespace, backend, { validate, unreadable }) {
      const space = unreadable === "error" ? spaces?.findLasting : spaces?.find;
      const timeout = storageTimeout * 1000;
      const place = { namespace, backend, logger, validate, unreadable, timeout, written: sweep };
      return createStore({ ...place, ...(space && { space }), ...(reported && { reported }) });
    },
    sweep: sweepStore,
    findLost: findLostByStore,
    check: (needs, report) => checkRequirements(needs, { production, logger, report }),
  };
}

/** Returns the plugin with the code that keeps records. An application without a store does not contain it. */
export const records: () => Plugin = recordCalls(function records(): Plugin {
  return {
    name: "records",
    provides: ["service:records"],
    setup(kernel: Kernel) {
      const { config, tokens, logger } = kernel;
      const hashes = kernel.createCache<string>("records/hashes", HASHES);
      const spaces = createSpaces({ ...config, tokens, logger, hashes });
      const reported = kernel.createCache<true>("records/reported", { max: MAX_REPORTED });
      kernel.provide("records", createRecords(logger, config, { spaces, reported }));
    },
  };
});
