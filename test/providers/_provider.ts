import type {
  AuthorizationEndpoint,
  Kernel,
  OIDCProvider,
  Plugin,
  Profile,
  ProviderBase,
  TokenEndpoint,
  User,
  UserinfoEndpoint,
} from "../../src/index.ts";

/** A provider of the catalogue, whatever its profile; its endpoints are objects. */
export interface AnyProvider extends Omit<
  OIDCProvider,
  "type" | "authorization" | "token" | "userinfo"
> {
  type: "oauth" | "oidc";
  authorization?: AuthorizationEndpoint;
  token?: TokenEndpoint;
  userinfo?: UserinfoEndpoint;
}

/** Any factory of the catalogue, however its options are typed. */
export type AnyFactory = (options?: never) => Plugin & { readonly provider: ProviderBase };

/** Boots a plugin on a kernel that only takes providers, and answers what it was given. */
export function resolve(plugin: Plugin, env: Record<string, string> = {}): AnyProvider {
  const added: ProviderBase[] = [];
  const kernel = { env, addProvider: (provider: ProviderBase) => added.push(provider) };
  plugin.setup(kernel as unknown as Kernel);
  if (added.length !== 1) throw new Error(`${plugin.name} added ${added.length} providers`);
  return added[0] as unknown as AnyProvider;
}

/** Calls the factory with options that its type is not asked about. */
export function make(factory: AnyFactory, options?: object) {
  return factory(options as never);
}

/** A person at a vendor: what the vendor answers, and who that is to us. */
export interface Person {
  about: string;
  /** The ID token's claims, or what the userinfo endpoint answers. */
  answer: Record<string, unknown>;
  /** What further requests answer, by URL; `undefined` is a 404. */
  beside?: Record<string, unknown>;
  /** What is posted beside the code. */
  posted?: Record<string, string>;
  user: Required<User>;
  /** What `emailVerified` says; `undefined` leaves it to the claim. */
  verified?: boolean;
}

/** The profile that the flow would hand to `profile`. */
export function profileOf(provider: AnyProvider, person: Person): Profile {
  let profile = person.answer;
  for (const segment of provider.userinfo?.root?.split(".") ?? []) {
    profile = profile[segment] as Record<string, unknown>;
  }
  profile = { ...profile };
  for (const { into, url, when } of provider.enrich ?? []) {
    if (when && !when(profile)) continue;
    const found = person.beside?.[url];
    if (found !== undefined) profile[into] = found;
  }
  for (const name of provider.profileParams ?? []) {
    const posted = person.posted?.[name];
    if (posted !== undefined) profile[name] = JSON.parse(posted);
  }
  return profile;
}
