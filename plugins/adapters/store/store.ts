import { type Adapter, definePlugin, type Kernel, type Plugin } from "../../../src/index.ts";
import { createAccounts } from "./accounts.ts";
import { createPasskeys } from "./passkeys.ts";
import { takeShelves } from "./records.ts";
import { createSessions } from "./sessions.ts";
import { createTokens } from "./tokens.ts";
import { createUsers } from "./users.ts";
import { createWays } from "./ways.ts";

/** An adapter that has every method. */
export type StoreAdapter = Required<Adapter>;

/** Makes the adapter on shelves of a store. */
export function createStoreAdapter(kernel: Pick<Kernel, "store">): StoreAdapter {
  const shelves = takeShelves(kernel);
  const accounts = createAccounts(shelves);
  const passkeys = createPasskeys(shelves);
  return {
    ...createUsers(shelves),
    ...accounts,
    ...createSessions(shelves),
    ...createTokens(shelves),
    ...passkeys,
    ...createWays(shelves, { ...accounts, ...passkeys }),
  };
}

/**
 * Keeps people, accounts, sessions, one-time tokens and passkeys in the store.
 * @example createAuth().use(redisStore(client)).use(storeAdapter())
 */
export function storeAdapter(): Plugin {
  return definePlugin({
    name: "adapters/store",
    provides: ["adapter"],
    setup: (kernel) => kernel.setAdapter(createStoreAdapter(kernel)),
  });
}

export default storeAdapter;
