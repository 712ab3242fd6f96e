import { type StoreAdapter, createStoreAdapter } from "../../plugins/adapters/store.ts";
import { createTokens } from "../../src/crypto/token.ts";
import { createCacheTable } from "../../src/kernel/memory.ts";
import { createStore } from "../../src/storage/store.ts";
import type { Kernel, StoreBackend } from "../../src/types.ts";
import { SECRET } from "../_app.ts";
import { spaceOf } from "../_space.ts";

const fail = (code: string) => {
  throw new Error(code);
};

/** Creates Keyhook's adapter on a backend, without a kernel. */
export function adapterOn(backend: StoreBackend, error = console.error): StoreAdapter {
  const space = spaceOf(SECRET);
  const config = { secret: [SECRET], randomSecret: false } as unknown as Kernel["config"];
  return createStoreAdapter({
    createCache: createCacheTable().create,
    ...{ config, tokens: createTokens(), logger: { error, warn: fail, debug() {} } },
    store: (namespace, { validate } = {}) =>
      createStore({ namespace, backend: () => backend, logger: { error }, validate, space }),
  });
}
