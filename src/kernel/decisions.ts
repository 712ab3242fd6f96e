import { buildCookieTable, usesSecureCookies } from "../http/cookies.ts";
import type { CookieAttributes, CookieKey } from "../types/cookie.ts";
import type { Env, ResolvedConfig } from "../types/options.ts";
import type { Plugin } from "../types/plugin.ts";
import { findByCapability } from "./capability.ts";
import { isOnVercel } from "./env.ts";
import type { RegisteredParts } from "./kernel.ts";
import { getPath, getPublicUrl, nameUrlVariable } from "./public-url.ts";
import { getSecrets } from "./secrets.ts";

/** Receives a decision, and the option, variable or plugin that decided it. */
export type Decide = (name: string, value: string, reason: string) => void;

type Configured = Pick<RegisteredParts, "given" | "config">;

function findSource(plugins: readonly Plugin[], capability: string): string {
  const plugin = findByCapability(plugins, capability);
  return plugin ? `the plugin "${plugin.name}"` : "a plugin";
}

function listAttributes({ secure, httpOnly, sameSite, domain, path }: CookieAttributes): string {
  return [
    secure && "Secure",
    httpOnly && "HttpOnly",
    sameSite !== undefined && `SameSite=${String(sameSite)}`,
    domain !== undefined && `Domain=${domain}`,
    path !== undefined && `Path=${path}`,
  ]
    .filter(Boolean)
    .join("; ");
}

function explainCookies({ config, registry }: RegisteredParts, decide: Decide): void {
  const isSecure = usesSecureCookies(config);
  const table = buildCookieTable(registry.cookies, config.cookies, isSecure);
  for (const [key, { name, attributes }] of Object.entries(table)) {
    const changed = config.cookies[key as CookieKey];
    const reason = isSecure ? "default on https" : "default on http";
    decide(
      `cookies.${key}`,
      `${name}; ${listAttributes(attributes)}`,
      changed ? `\`cookies.${key}\`` : reason,
    );
  }
}

function describeSecret(
  { named }: ReturnType<typeof getSecrets>,
  { production }: ResolvedConfig,
  isRandomSecret: boolean,
): string {
  if (named.length) {
    const lengths = named.map(([, { length }]) => length).join(" and ");
    return `${named.length > 1 ? named.length : "one"} of ${lengths} characters`;
  }
  if (production) return "none";
  return isRandomSecret
    ? "random, until this process ends"
    : "random, kept by the development server";
}

function explainBasePath({ given, config }: Configured, env: Env, decide: Decide): void {
  const fromUrl = getPath(getPublicUrl(env));
  const source = fromUrl === undefined ? "default" : "the path of the public URL";
  decide("basePath", config.basePath || "/", given.basePath === undefined ? source : "`basePath`");
}

// In order of precedence.
function findTrustSource({ given, config }: Configured, env: Env): string {
  if (given.trustHost !== undefined && given.trustHost !== null) return "`trustHost`";
  if (config.origin !== undefined) return nameUrlVariable(env);
  if (env.AUTH_TRUST_HOST?.trim()) return "AUTH_TRUST_HOST";
  if (isOnVercel(env)) return "VERCEL";
  if (env.CF_PAGES) return "CF_PAGES";
  return config.production ? "default in production" : "default in development";
}

/**
 * Passes on the decisions about the public URL, the secrets, the base path and the hosts. `isRandomSecret`: the secret
 * was created for this process.
 */
export function explainEnvironment(
  { given, config }: Configured,
  { env, isRandomSecret }: { env: Env; isRandomSecret: boolean },
  decide: Decide,
): void {
  const { origin } = config;
  const source = origin === undefined ? "AUTH_URL is not set" : nameUrlVariable(env);
  decide("origin", origin ?? "from each request", source);
  const name = "useSecureCookies";
  if (given[name] !== undefined) decide(name, String(given[name]), `\`${name}\``);
  else if (origin === undefined) decide(name, "where the origin is https", "default");
  else decide(name, String(origin.startsWith("https:")), source);
  const fromEnv = env.AUTH_TRUST_PROXY?.trim() ? "AUTH_TRUST_PROXY" : "default";
  const trusted = given.trustProxy === undefined ? fromEnv : "`trustProxy`";
  decide("trustProxy", String(config.trustProxy), trusted);
  const secrets = getSecrets(given, env);
  decide("secret", describeSecret(secrets, config, isRandomSecret), secrets.source);
  explainBasePath({ given, config }, env, decide);
  const { trustHost } = config;
  const hosts = typeof trustHost === "boolean" ? String(trustHost) : trustHost.join(", ");
  decide("trustHost", hosts, findTrustSource({ given, config }, env));
}

/** Passes on the decisions made while plugins are set up: strategy, adapter, store and cookies. */
export function explainBoot(parts: RegisteredParts, decide: Decide): void {
  const { given, config, registry, services, plugins } = parts;
  const { adapter, stores } = registry;
  const isSet = given.session?.strategy !== undefined;
  const unset = adapter ? "there is an adapter" : "there is no adapter";
  decide("session.strategy", config.session.strategy, isSet ? "`session.strategy`" : unset);
  if (adapter) {
    const methods = `${services.find("storedUsers")?.listMethods(adapter).length ?? 0} methods`;
    decide("adapter", methods, given.adapter ? "`adapter`" : findSource(plugins, "adapter"));
  } else decide("adapter", "none", "neither `adapter` nor a plugin sets one");
  const { backend, namespaces } = stores;
  const isNeeded = namespaces.some(({ requirements }) => !requirements.optional);
  if (backend) decide("store", backend.name, findSource(plugins, "store"));
  else decide("store", "none", isNeeded ? "no plugin sets one" : "no plugin needs one");
  explainCookies(parts, decide);
}
