import { InvalidConfig, InvalidProvider } from "../errors/errors.ts";
import type { Registrar } from "../hooks/hooks.ts";
import { KERNEL_COOKIES } from "../http/cookies.ts";
import type { Records } from "../storage/records.ts";
import type { Adapter } from "../types/adapter.ts";
import type { CookieDefaults } from "../types/cookie.ts";
import type { Flow, Kernel, SessionTransport, Strategy } from "../types/kernel.ts";
import type { AddedTexts } from "../types/message.ts";
import type { Plugin } from "../types/plugin.ts";
import type { ProviderBase } from "../types/provider.ts";
import { expectDeclared } from "./capability.ts";
import { checkCookie, checkFlow, checkStrategy } from "./check-parts.ts";
import type { Owners } from "./owners.ts";
import { createPublicErrors } from "./public-errors.ts";
import { createRouteTable } from "./route-table.ts";
import { createStoreRegistry, type StoreRegistry } from "./stores.ts";
import { guardStrategy } from "./strategy.ts";

/** The members that the kernel takes from its registry unchanged. */
type Members = Pick<
  Kernel,
  | "addProvider"
  | "addFlow"
  | "addStrategy"
  | "addRoute"
  | "setAdapter"
  | "setSessionTransport"
  | "addCookie"
  | "addError"
  | "errors"
  | "cookies"
  | "flows"
  | "setStore"
  | "store"
  | "addMessages"
  | "addLanguage"
  | "texts"
  | "flow"
  | "route"
  | "routes"
>;

/** The registered parts of a kernel, with the methods that register them. */
export interface Registry extends Members {
  readonly members: Members;
  readonly sessionTransport: SessionTransport | undefined;
  readonly providers: Map<string, ProviderBase>;
  readonly strategies: ReadonlyMap<string, Strategy>;
  readonly adapter: Adapter | undefined;
  readonly stores: StoreRegistry;
  /** Replaces the adapter, if there is one, with the function's return value. */
  replaceAdapter(replace: (adapter: Adapter) => Adapter): void;
}

const PROVIDER_ID = /^[A-Za-z0-9][A-Za-z0-9._~-]{0,99}$/;

/** Inputs of `createRegistry`. */
export interface RegistryOptions {
  /** The plugins to set up. */
  readonly plugins: readonly Plugin[];
  /** The adapter of the configuration. */
  readonly adapter: Adapter | undefined;
  /** Returns the service `records`, once its plugin is set up. */
  findRecords(): Records | undefined;
}

/** Creates the registry of a kernel. Registering something twice, or after boot, throws. */
export function createRegistry(
  registrar: Registrar,
  owners: Owners,
  { plugins, adapter: given, findRecords }: RegistryOptions,
): Registry {
  const providers = new Map<string, ProviderBase>();
  const flows = new Map<string, Flow>();
  const strategies = new Map<string, Strategy>();
  const routeTable = createRouteTable(registrar, owners);
  const stores = createStoreRegistry(owners, findRecords);
  const texts: AddedTexts[] = [];
  const cookies = new Map<string, CookieDefaults>(KERNEL_COOKIES);
  const publicErrors = createPublicErrors(owners);
  let adapter = given;
  let sessionTransport: SessionTransport | undefined;

  for (const [key] of KERNEL_COOKIES) owners.give(`the cookie "${key}"`, "kernel");
  if (given) owners.give("an adapter", "application");

  // The plugin that renders pages checks texts: without pages, no text is read.
  const addTexts = (added: Omit<AddedTexts, "plugin">): void => {
    texts.push({ ...added, plugin: owners.open(`a text in the language "${added.tag}"`) });
  };

  const members: Members = {
    flows,
    routes: routeTable.routes,
    cookies,
    setSessionTransport(value) {
      owners.claim("set", "a session transport", "Drop one.");
      sessionTransport = value;
    },
    addCookie(key, defaults) {
      const plugin = owners.claim("add", `the cookie "${key}"`, "Rename one.");
      checkCookie(defaults, key, plugin);
      cookies.set(key, defaults);
    },
    errors: publicErrors.errors,
    addError(error, options = {}) {
      const { text } = publicErrors.add(error, options);
      for (const [tag, sentence] of Object.entries(options.messages ?? {})) {
        addTexts({ tag, messages: { [`signin.error.${text}`]: sentence }, isOffered: false });
      }
    },
    addProvider(provider) {
      // Clients without a provider put "undefined" into the path.
      if (!PROVIDER_ID.test(provider.id) || provider.id === "undefined") {
        throw new InvalidConfig(
          `"${provider.id}" is not a valid provider id: letters, digits and . _ ~ - only, at most 100 ` +
            "characters, a letter or digit first.",
        );
      }
      const what = `the provider "${provider.id}"`;
      const Fault = InvalidConfig;
      owners.claim("add", what, "Set another `id` on one of them.", { Fault });
      providers.set(provider.id, provider);
    },
    addFlow(type, flow) {
      const plugin = owners.claim("register", `the flow "${type}"`, "Drop one.");
      checkFlow(flow as unknown as Flow, type, plugin);
      flows.set(type, flow as unknown as Flow);
    },
    addStrategy(name, strategy) {
      const plugin = owners.claim("register", `the strategy "${name}"`, "Drop one.");
      checkStrategy(strategy, name, plugin);
      strategies.set(name, guardStrategy(strategy));
    },
    addRoute: routeTable.add,
    setAdapter(value) {
      const plugin = owners.claim("set", "an adapter", "Drop one.");
      expectDeclared(plugins, plugin, "adapter", "sets an adapter");
      adapter = value;
    },
    addMessages: (tag, messages) => addTexts({ tag, messages, isOffered: false }),
    addLanguage: (language) => addTexts({ ...language, isOffered: true }),
    texts,
    setStore: stores.setStore,
    store: stores.store,
    flow(type) {
      const flow = flows.get(type);
      if (!flow) {
        throw new InvalidProvider(
          `No plugin handles providers of type "${type}". Use the plugin of its flow.`,
        );
      }
      return flow;
    },
    route: routeTable.find,
  };

  return {
    ...members,
    members,
    providers,
    strategies,
    stores,
    get adapter() {
      return adapter;
    },
    replaceAdapter(replace) {
      if (adapter) adapter = replace(adapter);
    },
    get sessionTransport() {
      return sessionTransport;
    },
  };
}
