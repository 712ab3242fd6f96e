import { buildCookieTable, usesSecureCookies } from "../http/cookies.ts";
import type { CookieAttributes, CookieKey } from "../types/cookie.ts";
import type { Env, ResolvedConfig } from "../types/options.ts";
import type { Plugin } from "../types/plugin.ts";
import { type Decide, nameUrlVariable } from "./config.ts";
import type { RegisteredParts } from "./kernel.ts";
import { getSecrets } from "./secrets.ts";

function findSource(plugins: readonly Plugin[], capability: string): string {
  const plugin = plugins.find(({ provides = [] }) => provides.includes(capability));
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
  isMade: boolean,
): string {
  if (named.length) {
    const lengths = named.map(([, { length }]) => length).join(" and ");
    return `${named.length > 1 ? named.length : "one"} of ${lengths} characters`;
  }
  if (production) return "none";
  return isMade ? "random, until this process ends" : "random, kept by the development server";
}

/** Passes on what is decided of the public URL and the secrets. `isMade` tells whether one was made for this process. */
export function explainEnvironment(
  { given, config }: RegisteredParts,
  { env, isMade }: { env: Env; isMade: boolean },
  decide: Decide,
): void {
  const { origin } = config;
  const source = origin === undefined ? "AUTH_URL is not set" : nameUrlVariable(env);
  decide("origin", origin ?? "that of each request", source);
  const name = "useSecureCookies";
  if (given[name] !== undefined) decide(name, String(given[name]), `\`${name}\``);
  else if (origin === undefined) decide(name, "where the origin is https", "default");
  else decide(name, String(origin.startsWith("https:")), source);
  const fromEnv = env.AUTH_TRUST_PROXY?.trim() ? "AUTH_TRUST_PROXY" : "default";
  const trusted = given.trustProxy === undefined ? fromEnv : "`trustProxy`";
  decide("trustProxy", String(config.trustProxy), trusted);
  const secrets = getSecrets(given, env);
  decide("secret", describeSecret(secrets, config, isMade), secrets.source);
}

/** Passes on what is decided when the plugins are set up: strategy, adapter, store and cookies. */
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
