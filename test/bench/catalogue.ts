import { readdirSync } from "node:fs";
import type { Plugin } from "keyhook/types";
import { here } from "./setup.ts";

/** The fields of a provider that are read here. */
interface Provider {
  type: string;
  retired?: string;
  settings?: Readonly<Record<string, { required?: boolean; example: unknown }>>;
}

type Factory = (options?: object) => Plugin & { readonly provider: Provider };

/** Types of providers that only need options. */
const TYPES = ["oauth", "oidc", "openid2", "atproto"];

/** The ids of the providers that the package has. */
export const ids: readonly string[] = readdirSync(
  `${here}node_modules/keyhook/dist/plugins/providers`,
)
  .filter((file) => /^[^_].*\.js$/.test(file))
  .map((file) => file.slice(0, -".js".length));

/** Imports the providers of the catalog that redirect to another site: one of them, or all. */
export async function loadCatalogue(names: readonly string[] = ids): Promise<Plugin[]> {
  const plugins: Plugin[] = [];
  for (const id of names) {
    const module = (await import(`keyhook/providers/${id}`)) as { default?: Factory };
    const factory = module.default;
    const provider = factory?.({}).provider;
    if (!factory || !provider || !TYPES.includes(provider.type) || provider.retired) continue;
    const required = Object.entries(provider.settings ?? {}).filter(([, one]) => one.required);
    plugins.push(
      factory({
        ...(provider.type.startsWith("o") &&
          provider.type !== "openid2" && { clientId: "id", clientSecret: "secret" }),
        ...Object.fromEntries(required.map(([name, { example }]) => [name, example])),
        // The only provider whose endpoint belongs to the application.
        ...(id === "netsuite" && { userinfo: "https://api.example/user" }),
      }),
    );
  }
  return plugins;
}
