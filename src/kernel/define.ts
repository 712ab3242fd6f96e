import { PluginError } from "../errors/errors.ts";
import { recordCalls } from "../platform/made-by.ts";
import { merge } from "../platform/merge.ts";
import { definedName } from "../platform/symbols.ts";
import type { Preset } from "../types/auth.ts";
import type { Plugin } from "../types/plugin.ts";
import type { ProviderBase } from "../types/provider.ts";
import { readProviderEnv } from "./env.ts";

/**
 * Returns the plugin as it is, with its type checked: a misspelled field is a type error. A plugin with additional
 * fields needs its own type instead.
 * @example
 * export const greeting = definePlugin({
 *   name: "greeting",
 *   setup(kernel) {
 *     kernel.events.hook("signIn", ({ user }) => console.log(`Hello ${user.name}`));
 *   },
 * });
 */
export function definePlugin<Extension extends object = {}>(
  plugin: Plugin<Extension>,
): Plugin<Extension>;
/**
 * Returns the function that creates a plugin, and lets a configuration function call it for each request: plugins of
 * calls with equal arguments count as one and are set up once. The plugin must depend on nothing but the arguments.
 * @example
 * export const audit = definePlugin((options: AuditOptions): Plugin => ({
 *   name: "audit",
 *   setup: (kernel) => listen(kernel, options),
 * }));
 */
export function definePlugin<Args extends readonly unknown[], P extends Plugin<object>>(
  create: (...args: Args) => P,
): (...args: Args) => P;
export function definePlugin(
  given: Plugin | ((...args: readonly unknown[]) => Plugin),
): Plugin | ((...args: readonly unknown[]) => Plugin) {
  return typeof given === "function" ? recordCalls(given) : given;
}

/**
 * Returns the preset as it is, with its type checked.
 * @example
 * export const company = definePreset({ name: "company", extends: [standard], plugins: [audit] });
 */
export function definePreset<Extension extends object = object>(
  preset: Preset<Extension>,
): Preset<Extension> {
  return preset;
}

/** A plugin that registers one provider. */
export interface ProviderPlugin<P extends ProviderBase = ProviderBase> extends Plugin {
  /** The provider as defined, before the environment variables are applied and its flow completes it. */
  readonly provider: P;
}

/** The options of a provider in the catalogue: its own, and every field of its type. */
type Given<P extends ProviderBase, Options extends object> = Options &
  Partial<Omit<P, "type" | "options">>;

type RequiredKeys<Options> = {
  [K in keyof Options]-?: object extends Pick<Options, K> ? never : K;
}[keyof Options];

// An unset environment variable may be passed as it is, except for a required option.
type Passed<P extends ProviderBase, Options extends object> = {
  [K in keyof Given<P, Options>]: Given<P, Options>[K] | undefined;
};

/**
 * Creates a provider's plugin. Options are merged over the definition, and `undefined` values are skipped. The argument
 * is required if any of the provider's own options is required.
 */
export type ProviderFactory<P extends ProviderBase, Options extends object = object> = (
  ...args: [RequiredKeys<Options>] extends [never]
    ? [options?: Passed<P, Options>]
    : [options: Passed<P, Options> & Pick<Options, RequiredKeys<Options>>]
) => ProviderPlugin<P>;

const ENDPOINTS = ["authorization", "token", "userinfo", "endSession", "revocation"];

// Merging `{ params }` over a URL must keep both, so the URL's query becomes its `params`.
function endpointsAsObjects<T extends object>(provider: T): T {
  const result = { ...provider } as Record<PropertyKey, unknown>;
  for (const name of ENDPOINTS) {
    const given = result[name];
    if (typeof given !== "string") continue;
    const [url, query] = given.split(/\?(.*)/s);
    result[name] =
      name === "authorization" && query
        ? { url, params: Object.fromEntries(new URLSearchParams(query)) }
        : { url: given };
  }
  return result as T;
}

/** Returns a provider with the application's options merged over it. */
export function override<P extends ProviderBase>(provider: P, options: object | undefined): P {
  if (!options) return merge(endpointsAsObjects(provider), options);
  const definition = { ...endpointsAsObjects(provider), [definedName]: provider.name };
  return merge(definition, endpointsAsObjects(options));
}

// Returns the name under which a factory is exported, for the message about a forgotten call.
function toFactoryName(definition: (options: never) => ProviderBase): string {
  try {
    const { id } = definition({} as never);
    // A function name cannot begin with a digit.
    if (/^\d/.test(id)) return "";
    return `${id.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase())}Plugin`;
  } catch {
    // The definition needs options.
    return "";
  }
}

/**
 * Defines a provider of the catalogue by its type's flow and its definition. The definition is called with the options
 * completed from the environment (`AUTH_<ID>_ID`, `_SECRET`, `_ISSUER`, `_KEY`), so that URLs can be built from any of
 * them. It is called before that too, with the options alone: it must have no side effects, and must not throw for an
 * option that may come from the environment.
 * @throws PluginError when `flow` is the flow's plugin instead of the function that returns it.
 * @example
 * export const acmePlugin = defineProvider<OIDCProvider, { tenant: string }>(oidcFlow, (options) => ({
 *   id: "acme", name: "Acme", type: "oidc", issuer: `https://${options.tenant}.acme.example`,
 * }));
 */
export function defineProvider<P extends ProviderBase, Options extends object = object>(
  flow: () => Plugin,
  definition: (options: Given<P, Options>) => NoInfer<P>,
): ProviderFactory<P, Options> {
  if (typeof flow !== "function") {
    throw new PluginError(
      "defineProvider() received the plugin of a flow. Pass the function that returns it, such as oidcFlow.",
    );
  }
  const build = (given: Given<P, Options>): P => override(definition(given), given);
  const factory: ProviderFactory<P, Options> = recordCalls((...[given]): ProviderPlugin<P> => {
    const options = merge({} as Given<P, Options>, given);
    const provider = build(options);
    return {
      name: provider.id,
      provides: [`provider:${provider.id}`],
      plugins: [flow()],
      provider,
      setup(kernel) {
        const environment = readProviderEnv(kernel.env, provider.id);
        kernel.addProvider(build(merge(environment as Given<P, Options>, options)));
      },
    };
  });
  return Object.defineProperty(factory, "name", { get: () => toFactoryName(definition) });
}
