import { InvalidConfig, InvalidProvider, PluginError } from "./errors.ts";
import type { Registrar } from "./hooks.ts";
import { createCatalogue, isLanguageTag } from "./messages.ts";
import { createShelves, type Shelves } from "./shelves.ts";
import type { Adapter } from "./types/adapter.ts";
import type { Flow, Kernel, Route, Strategy } from "./types/kernel.ts";
import type { Logger } from "./types/options.ts";
import type { ProviderBase } from "./types/provider.ts";

/** What plugins have registered, and their way to do so. */
export interface Registry extends Pick<
  Kernel,
  | "addProvider"
  | "addFlow"
  | "addStrategy"
  | "addRoute"
  | "setAdapter"
  | "setStore"
  | "store"
  | "addMessages"
  | "addLanguage"
  | "languages"
  | "reading"
  | "flow"
  | "route"
> {
  readonly providers: Map<string, ProviderBase>;
  readonly flows: ReadonlyMap<string, Flow>;
  readonly strategies: ReadonlyMap<string, Strategy>;
  readonly routes: ReadonlyMap<string, Route & { readonly plugin: string }>;
  readonly adapter: Adapter | undefined;
  readonly shelves: Shelves;
}

const PROVIDER_ID = /^[A-Za-z0-9][A-Za-z0-9._~-]{0,99}$/;
const ROUTE_PATH = /^(?:\/[A-Za-z0-9._~-]+)+(?:\/:provider)?$/;

// Dates are written in it, and its form alone does not say whether they can be.
function isWritable(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

/** Makes the shelves; nothing can be put on them twice, or after the boot. */
export function createRegistry(
  registrar: Registrar,
  given: Adapter | undefined,
  logger: Required<Logger>,
): Registry {
  const providers = new Map<string, ProviderBase>();
  const flows = new Map<string, Flow>();
  const strategies = new Map<string, Strategy>();
  const routes = new Map<string, Route & { plugin: string }>();
  const shelves = createShelves(registrar, logger);
  const catalogue = createCatalogue();
  let adapter = given;

  const open = (what: string): void => {
    if (registrar.frozen) {
      throw new PluginError(`${what} after the first request. Register in a plugin's setup.`);
    }
  };

  const openFor = (tag: string): void => {
    open("A text was added");
    if (!isLanguageTag(tag) || !isWritable(tag)) {
      throw new InvalidConfig(`"${tag}" is no language tag (BCP 47).`);
    }
  };

  return {
    providers,
    flows,
    strategies,
    routes,
    shelves,
    get adapter() {
      return adapter;
    },
    addProvider(provider) {
      open("A provider was added");
      // Clients that know no provider write "undefined" into the path.
      if (!PROVIDER_ID.test(provider.id) || provider.id === "undefined") {
        throw new InvalidConfig(
          `"${provider.id}" is no provider id: letters, digits, . _ ~ - only.`,
        );
      }
      if (providers.has(provider.id)) {
        throw new InvalidConfig(
          `Two providers have the id "${provider.id}". Give one another \`id\`.`,
        );
      }
      providers.set(provider.id, provider);
    },
    addFlow(type, flow) {
      open("A flow was added");
      if (flows.has(type)) throw new PluginError(`Two plugins bring the flow "${type}". Drop one.`);
      flows.set(type, flow as unknown as Flow);
    },
    addStrategy(name, strategy) {
      open("A strategy was added");
      if (strategies.has(name)) {
        throw new PluginError(`Two plugins bring the strategy "${name}". Drop one.`);
      }
      strategies.set(name, strategy);
    },
    addRoute(route) {
      open("A route was added");
      const key = `${route.method} ${route.path}`;
      if (!ROUTE_PATH.test(route.path)) throw new PluginError(`"${route.path}" is no route path.`);
      const other = routes.get(key);
      if (other && !route.replaces) {
        throw new PluginError(
          `${key} is answered by "${other.plugin}". Drop one, or say \`replaces: true\`.`,
        );
      }
      routes.set(key, { ...route, plugin: registrar.plugin });
    },
    setAdapter(value) {
      open("An adapter was set");
      if (adapter) throw new PluginError("Two adapters are set. Drop one.");
      adapter = value;
    },
    addMessages(tag, messages) {
      openFor(tag);
      catalogue.addMessages(tag, messages);
    },
    addLanguage(language) {
      openFor(language.tag);
      catalogue.addLanguage(language);
    },
    languages: catalogue.languages,
    reading: catalogue.reading,
    setStore: shelves.setStore,
    store: shelves.store,
    flow(type) {
      const flow = flows.get(type);
      if (!flow) throw new InvalidProvider(`No plugin handles providers of type "${type}".`);
      return flow;
    },
    route: (method, path) => routes.get(`${method} ${path}`),
  };
}
