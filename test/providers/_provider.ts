import type {
  AuthorizationEndpoint,
  OIDCProvider,
  TokenEndpoint,
  UserinfoEndpoint,
} from "../../plugins/flows/oauth/provider.ts";
import type { Kernel, Plugin, Profile, ProviderBase, User } from "../../src/kernel.ts";

/** A provider of the catalogue with any profile type; its endpoints are objects. */
export interface AnyProvider extends Omit<
  OIDCProvider<Profile>,
  "type" | "authorization" | "token" | "userinfo"
> {
  type: "oauth" | "oidc";
  authorization?: AuthorizationEndpoint;
  token?: TokenEndpoint;
  userinfo?: UserinfoEndpoint;
}

/** Any factory of the catalogue, with any type of options. */
export type AnyFactory = (options?: never) => Plugin & { readonly provider: ProviderBase };

/** Runs a plugin's setup on a kernel stub and returns the provider that it adds. */
export function resolve(plugin: Plugin, env: Record<string, string> = {}): AnyProvider {
  const added: ProviderBase[] = [];
  const kernel = { env, addProvider: (provider: ProviderBase) => added.push(provider) };
  plugin.setup(kernel as unknown as Kernel);
  if (added.length !== 1) throw new Error(`${plugin.name} added ${added.length} providers`);
  return added[0] as unknown as AnyProvider;
}

/** Calls the factory with options that its type does not know. */
export function make(factory: AnyFactory, options?: object) {
  return factory(options as never);
}

/** Returns values for the options that a provider requires. */
export function requiredOptions(factory: AnyFactory): Record<string, unknown> {
  const { settings = {} } = make(factory).provider as unknown as AnyProvider;
  const required = Object.entries(settings).filter(([, one]) => one.required);
  return Object.fromEntries(required.map(([name, one]) => [name, one.example]));
}

/** A user at a vendor: the vendor's responses and the expected user. */
export interface VendorUser {
  about: string;
  /** Claims of the ID token, or the userinfo response. */
  answer: Record<string, unknown>;
  /** Responses to `enrich` requests, by URL. `undefined` is a 404. */
  enriched?: Record<string, unknown>;
  /** Fields that are posted together with the code. */
  posted?: Record<string, string>;
  user: Required<User>;
  /** Expected result of `emailVerified`. `undefined` leaves it to the claim. */
  verified?: boolean;
}

/** Builds the profile that the flow would pass to `profile`. */
export function buildProfile(provider: AnyProvider, vendorUser: VendorUser): Profile {
  let profile = vendorUser.answer;
  for (const segment of provider.userinfo?.root?.split(".") ?? []) {
    profile = profile[segment] as Record<string, unknown>;
  }
  profile = { ...profile };
  for (const { into, url, when } of provider.enrich ?? []) {
    if (when && !when(profile)) continue;
    const found = vendorUser.enriched?.[url];
    if (found !== undefined) profile[into] = found;
  }
  for (const name of provider.profileParams ?? []) {
    const posted = vendorUser.posted?.[name];
    if (posted !== undefined) profile[name] = JSON.parse(posted);
  }
  return { ...profile, ...provider.derive?.(profile) };
}
