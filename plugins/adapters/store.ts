import { PluginError } from "../../src/errors.ts";
import {
  type Adapter,
  defineAdapter,
  definePlugin,
  type Kernel,
  type Plugin,
} from "../../src/kernel.ts";
import { databaseStrategy } from "../strategies/database.ts";
import { createAccounts } from "./store/accounts.ts";
import { createPasskeys } from "./store/passkeys.ts";
import { openStores } from "./store/records.ts";
import { createAccountSealer, type TokenKernel } from "./store/sealed-tokens.ts";
import { createSessions } from "./store/sessions.ts";
import { createSignInMethods } from "./store/sign-in-methods.ts";
import { createTokens } from "./store/tokens.ts";
import { createUsers } from "./store/users.ts";

/** An adapter that implements every method, required and optional. */
export type StoreAdapter = Required<Adapter>;

/** Options of `storeAdapter`. */
export interface StoreAdapterOptions {
  /**
   * Whether the provider tokens of accounts (`access_token`, `refresh_token`, `id_token`, and those of OAuth 1.0a) are
   * sealed with the application's `secret` before they are stored, unless that is the random one of development.
   * Default `true`. Tokens that were stored with the other setting remain readable.
   */
  encryptTokens?: boolean;
}

/**
 * Creates the adapter on namespaces (`adapter-*`) of the configured store. They require an atomic
 * store and, in production, a durable one.
 */
export function createStoreAdapter(
  kernel: Pick<Kernel, "store" | "createCache"> & TokenKernel,
  { encryptTokens = true }: StoreAdapterOptions = {},
): StoreAdapter {
  if (typeof encryptTokens !== "boolean") {
    throw new PluginError("`encryptTokens` of storeAdapter must be true or false.");
  }
  const stores = openStores(kernel);
  const sealer = createAccountSealer(kernel, encryptTokens);
  const accounts = createAccounts(stores, sealer, kernel.createCache);
  const passkeys = createPasskeys(stores);
  return {
    ...createUsers(stores, sealer),
    ...accounts,
    ...createSessions(stores, kernel.createCache),
    ...createTokens(stores),
    ...passkeys,
    ...createSignInMethods(stores, { ...accounts, ...passkeys }),
  };
}

/**
 * Stores users, accounts, sessions, one-time tokens and passkeys in the configured store, and registers the `database`
 * strategy. Session and e-mail tokens are stored only as SHA-256 hashes, provider tokens sealed.
 * @example createAuth().use(redisStore(client)).use(storeAdapter())
 */
export const storeAdapter: (options?: StoreAdapterOptions) => Plugin = definePlugin(
  function storeAdapter(options = {}): Plugin {
    return defineAdapter((kernel) => createStoreAdapter(kernel, options), {
      name: "adapters/store",
      plugins: [databaseStrategy()],
    });
  },
);

export default storeAdapter;
