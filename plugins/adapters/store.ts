import { type Adapter, definePlugin, type Kernel, type Plugin } from "../../src/kernel.ts";
import { databaseStrategy } from "../strategies/database.ts";
import { createAccounts } from "./store/accounts.ts";
import { createPasskeys } from "./store/passkeys.ts";
import { openStores } from "./store/records.ts";
import { createSessions } from "./store/sessions.ts";
import { createSignInMethods } from "./store/sign-in-methods.ts";
import { createTokens } from "./store/tokens.ts";
import { createUsers } from "./store/users.ts";

/** An adapter that implements every method, required and optional. */
export type StoreAdapter = Required<Adapter>;

/**
 * Creates the adapter on namespaces (`adapter-*`) of the configured store. They require an atomic
 * store and, in production, a durable one.
 */
export function createStoreAdapter(kernel: Pick<Kernel, "store">): StoreAdapter {
  const stores = openStores(kernel);
  const accounts = createAccounts(stores);
  const passkeys = createPasskeys(stores);
  return {
    ...createUsers(stores),
    ...accounts,
    ...createSessions(stores),
    ...createTokens(stores),
    ...passkeys,
    ...createSignInMethods(stores, { ...accounts, ...passkeys }),
  };
}

/**
 * Stores users, accounts, sessions, one-time tokens and passkeys in the configured store, and
 * registers the `database` strategy. Session and e-mail tokens are stored as SHA-256 hashes only.
 * @example createAuth().use(redisStore(client)).use(storeAdapter())
 */
export function storeAdapter(): Plugin {
  return definePlugin(
    {
      name: "adapters/store",
      provides: ["adapter"],
      plugins: [databaseStrategy()],
      setup: (kernel) => kernel.setAdapter(createStoreAdapter(kernel)),
    },
    [storeAdapter],
  );
}

export default storeAdapter;
