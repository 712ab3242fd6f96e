import { InvalidConfig, InvalidProvider, PluginError } from "../errors/errors.ts";
import type { Registrar } from "../hooks/hooks.ts";
import { KERNEL_COOKIES } from "../http/cookies.ts";
import { createCatalogue, isLanguageTag } from "../i18n/messages.ts";
import type { Adapter } from "../types/adapter.ts";
import type { CookieDefaults } from "../types/cookie.ts";
import type { Flow, Kernel, PublicError, RegisteredRoute, Strategy } from "../types/kernel.ts";
import type { Logger } from "../types/options.ts";
import type { PageRenderer } from "../types/page.ts";
import type { ProviderBase } from "../types/provider.ts";
import { checkRoute, toRouteKey } from "./route.ts";
import { createStoreRegistry, type StoreRegistry } from "./stores.ts";
import { readOnce } from "./strategy.ts";

/** The registered parts of a kernel, with the methods that register them. */
export interface Registry extends Pick<
  Kernel,
  | "addProvider"
  | "addFlow"
  | "addStrategy"
  | "addRoute"
  | "setAdapter"
  | "setPageRenderer"
  | "pageRenderer"
  | "addCookie"
  | "addError"
  | "errors"
  | "cookies"
  | "flows"
  | "setStore"
  | "store"
  | "addMessages"
  | "addLanguage"
  | "languages"
  | "translator"
  | "flow"
  | "route"
  | "routes"
> {
  readonly providers: Map<string, ProviderBase>;
  readonly strategies: ReadonlyMap<string, Strategy>;
  readonly adapter: Adapter | undefined;
  readonly stores: StoreRegistry;
  /** Replaces the adapter, if there is one, by what the function returns. */
  replaceAdapter(replace: (adapter: Adapter) => Adapter): void;
}

const PROVIDER_ID = /^[A-Za-z0-9][A-Za-z0-9._~-]{0,99}$/;

/** The public errors of the kernel itself. */
const KERNEL_ERRORS: readonly [string, PublicError][] = [
  ["AccessDenied", { text: "denied", status: 403 }],
  ["BadRequest", { text: "request", status: 400 }],
  ["Configuration", { text: "broken", status: 500 }],
  [
    "InvalidCheck",
    {
      text: "check",
      status: 400,
      message: "The attempt has expired, or belongs to another browser.",
    },
  ],
  [
    "MissingCSRF",
    {
      text: "csrf",
      status: 403,
      message: "The CSRF token is missing, or belongs to another browser.",
    },
  ],
  ["SessionRequired", { text: "required", status: 401, message: "Sign in first." }],
];

// `Intl` formats dates by the tag, and rejects some tags of a valid form.
function isSupportedByIntl(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

/** Creates the registry of a kernel. Registering something twice, or after boot, throws. */
export function createRegistry(
  registrar: Registrar,
  given: Adapter | undefined,
  logger: Required<Logger>,
): Registry {
  const providers = new Map<string, ProviderBase>();
  const flows = new Map<string, Flow>();
  const strategies = new Map<string, Strategy>();
  const routes = new Map<string, RegisteredRoute>();
  const stores = createStoreRegistry(registrar, logger);
  const catalogue = createCatalogue();
  const cookies = new Map<string, CookieDefaults>(KERNEL_COOKIES);
  const errors = new Map<string, PublicError>(KERNEL_ERRORS);
  let adapter = given;
  let pageRenderer: PageRenderer | undefined;

  const open = (what: string): void => {
    if (registrar.frozen) {
      throw new PluginError(`${what} after the first request. Do it in a plugin's \`setup\`.`);
    }
  };

  const openFor = (tag: string): void => {
    open("A text was added");
    if (!isLanguageTag(tag) || !isSupportedByIntl(tag)) {
      throw new InvalidConfig(
        `"${tag}" is not a valid language tag (BCP 47), such as "de" or "pt-BR".`,
      );
    }
  };

  return {
    providers,
    flows,
    strategies,
    routes,
    stores,
    cookies,
    get pageRenderer() {
      return pageRenderer;
    },
    setPageRenderer(value) {
      open("A page renderer was set");
      if (pageRenderer) throw new PluginError("Two page renderers are set. Drop one.");
      pageRenderer = value;
    },
    addCookie(key, defaults) {
      open("A cookie was added");
      if (cookies.has(key))
        throw new PluginError(`Two plugins add the cookie "${key}". Rename one.`);
      cookies.set(key, defaults);
    },
    errors,
    addError(error, options = {}) {
      open("An error was added");
      const { type, status: ownStatus } =
        typeof error === "string" ? { type: error, status: 400 } : error;
      const { text = type, status = ownStatus, messages = {}, message = messages.en } = options;
      errors.set(type, { text, status, ...(message !== undefined && { message }) });
      for (const [tag, sentence] of Object.entries(messages)) {
        openFor(tag);
        catalogue.addMessages(tag, { [`signin.error.${text}`]: sentence });
      }
    },
    get adapter() {
      return adapter;
    },
    replaceAdapter(replace) {
      if (adapter) adapter = replace(adapter);
    },
    addProvider(provider) {
      open("A provider was added");
      // Clients without a provider write "undefined" into the path.
      if (!PROVIDER_ID.test(provider.id) || provider.id === "undefined") {
        throw new InvalidConfig(
          `"${provider.id}" is not a valid provider id: letters, digits and . _ ~ - only, at most 100 ` +
            "characters, a letter or digit first.",
        );
      }
      if (providers.has(provider.id)) {
        throw new InvalidConfig(
          `Two providers have the id "${provider.id}". Set another \`id\` on one of them.`,
        );
      }
      providers.set(provider.id, provider);
    },
    addFlow(type, flow) {
      open("A flow was added");
      if (flows.has(type)) {
        throw new PluginError(`Two plugins register the flow "${type}". Drop one.`);
      }
      flows.set(type, flow as unknown as Flow);
    },
    addStrategy(name, strategy) {
      open("A strategy was added");
      if (strategies.has(name)) {
        throw new PluginError(`Two plugins register the strategy "${name}". Drop one.`);
      }
      strategies.set(name, readOnce(strategy));
    },
    addRoute(route) {
      open("A route was added");
      checkRoute(route);
      const key = toRouteKey(route.method, route.path);
      const other = routes.get(key);
      if (other && !route.replaces) {
        throw new PluginError(
          `The route ${other.method} ${other.path} is registered by "${other.plugin}". Drop one, or set ` +
            "`replaces: true`.",
        );
      }
      // A registered route states its plugin: one that only wraps the handler does not take it over.
      routes.set(key, { plugin: registrar.plugin, ...route });
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
    translator: catalogue.translator,
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
    route: (method, path) => routes.get(toRouteKey(method, path)),
  };
}
