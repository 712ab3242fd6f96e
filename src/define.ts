import { providerEnv } from "./env.ts";
import { merge } from "./merge.ts";
import type { Preset } from "./types/auth.ts";
import type { Plugin } from "./types/kernel.ts";
import type { ProviderBase } from "./types/provider.ts";

/**
 * Types a plugin.
 * @example
 * export const greeting = definePlugin({
 *   name: "greeting",
 *   setup(kernel) {
 *     kernel.events.hook("signIn", ({ user }) => console.log(`Hello ${user.name}`));
 *   },
 * });
 */
export function definePlugin<const P extends Plugin>(plugin: P): P {
  return plugin;
}

/**
 * Types a preset.
 * @example
 * export const company = definePreset({ name: "company", extends: [standard], plugins: [audit] });
 */
export function definePreset<Face extends object = object>(preset: Preset<Face>): Preset<Face> {
  return preset;
}

/** A plugin that brings one provider. */
export interface ProviderPlugin<P extends ProviderBase = ProviderBase> extends Plugin {
  /** The provider as defined, before the environment and its flow completed it. */
  readonly provider: P;
}

/** What a provider of the catalogue may be given: its own options and every field it has. */
type Given<P extends ProviderBase, Options extends object> = Options &
  Partial<Omit<P, "type" | "options">>;

/** Makes a provider's plugin; options are laid over the definition, `undefined` ones are not. */
export type ProviderFactory<P extends ProviderBase, Options extends object> = (
  // An unset environment variable may be handed on as it is.
  options?: { [K in keyof Given<P, Options>]: Given<P, Options>[K] | undefined },
) => ProviderPlugin<P>;

const ENDPOINTS = ["authorization", "token", "userinfo"];

// A URL and `{ params }` laid over it must keep both; a URL with a query means that query.
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

/** A provider with what an application passed laid over it. */
export function override<P extends ProviderBase>(provider: P, options: object | undefined): P {
  return merge(endpointsAsObjects(provider), options && endpointsAsObjects(options));
}

/**
 * Makes a provider of the catalogue from its definition. The definition is called at boot with the
 * options completed from the environment, so that URLs may be built from any of them.
 * @example
 * export const acmePlugin = defineProvider<OIDCProvider>((options) => ({
 *   id: "acme", name: "Acme", type: "oidc", issuer: `https://${options.tenant}.acme.example`,
 * }));
 */
export function defineProvider<P extends ProviderBase, Options extends object = object>(
  definition: (options: Given<P, Options>) => P,
): ProviderFactory<P, Options> {
  const build = (given: Given<P, Options>): P => override(definition(given), given);
  return (given = {} as Given<P, Options>) => {
    const options = merge({} as Given<P, Options>, given);
    const provider = build(options);
    return {
      name: provider.id,
      provides: [`provider:${provider.id}`],
      provider,
      setup(kernel) {
        const environment = providerEnv(kernel.env, provider.id);
        kernel.addProvider(build(merge(environment as Given<P, Options>, options)));
      },
    };
  };
}
