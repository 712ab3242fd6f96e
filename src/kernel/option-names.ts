import { didYouMean } from "../errors/did-you-mean.ts";
import { InvalidConfig } from "../errors/errors.ts";
import type { Reporter } from "../errors/report.ts";
import { isObject } from "../platform/is-object.ts";
import { nameType } from "../platform/type-name.ts";
import type { Auth } from "../types/auth.ts";
import type { AuthConfig } from "../types/config.ts";
import type { CookieAttributes, CookieOption } from "../types/cookie.ts";
import type { Plugin } from "../types/plugin.ts";
import { isPlugin } from "./check-plugin.ts";

// A missing option is a type error.
type Names<T> = Readonly<Record<keyof T, true>>;

const OPTIONS: Names<AuthConfig> = {
  providers: true,
  plugins: true,
  adapter: true,
  basePath: true,
  callbacks: true,
  cookies: true,
  debug: true,
  events: true,
  experimental: true,
  jwt: true,
  logger: true,
  pages: true,
  redirectProxyUrl: true,
  secret: true,
  session: true,
  skipCSRFCheck: true,
  storageTimeout: true,
  storeNamespace: true,
  theme: true,
  trustHost: true,
  trustProxy: true,
  useSecureCookies: true,
  env: true,
};

type Part = "callbacks" | "experimental" | "jwt" | "pages" | "session" | "theme";

/** The options that are objects, with the names in each. */
const PARTS: { readonly [P in Part]: Names<NonNullable<AuthConfig[P]>> } = {
  callbacks: { signIn: true, redirect: true, jwt: true, session: true, authorized: true },
  experimental: { enableWebAuthn: true },
  jwt: { secret: true, maxAge: true, bindOrigin: true, maxSize: true, encode: true, decode: true },
  pages: { signIn: true, signOut: true, error: true, verifyRequest: true, newUser: true },
  session: {
    strategy: true,
    maxAge: true,
    updateAge: true,
    absoluteMaxAge: true,
    freshAge: true,
    checkAge: true,
    maxPerUser: true,
    generateSessionToken: true,
  },
  theme: { colorScheme: true, logo: true, brandColor: true, buttonText: true },
};

const COOKIE: Names<CookieOption> = { name: true, options: true };
const COOKIE_ATTRIBUTES: Names<CookieAttributes> = {
  maxAge: true,
  expires: true,
  domain: true,
  path: true,
  httpOnly: true,
  secure: true,
  partitioned: true,
  priority: true,
  sameSite: true,
};

// Hints on how to fix a value of the wrong type.
const FIXES: Readonly<Record<string, string>> = {
  "a promise": " Await it.",
  "a function": " Call it, if it returns one.",
  "a plugin": " It is a plugin: pass it to use().",
};

/**
 * Checks the names in an object of the configuration. A misspelled name or a plugin is a fault; any other unknown name
 * is a warning.
 */
export function checkNames(
  given: object,
  where: string,
  known: readonly string[],
  { logger, report }: Reporter,
): void {
  for (const [key, value] of Object.entries(given)) {
    if (known.includes(key)) continue;
    const option = `\`${where}${key}\``;
    if (isPlugin(value)) {
      report(new InvalidConfig(`${option} is a plugin, not an option. Pass it to use().`));
      continue;
    }
    const hint = didYouMean(key, known);
    const text = `${option} is not an option.`;
    if (hint) report(new InvalidConfig(text + hint));
    else logger.warn("config-unknown", `${text} Use one of ${known.join(", ")}.`);
  }
}

function checkCookieNames(cookies: unknown, reporter: Reporter): void {
  if (!isObject(cookies)) return;
  for (const [key, cookie] of Object.entries(cookies)) {
    if (!isObject(cookie)) continue;
    const where = `cookies.${key}.`;
    checkNames(cookie, where, Object.keys(COOKIE), reporter);
    if (!isObject(cookie.options)) continue;
    checkNames(cookie.options, `${where}options.`, Object.keys(COOKIE_ATTRIBUTES), reporter);
  }
}

// A callback that is not a function would decide nothing: `signIn: false` would let everyone in.
function checkFunctions(
  { callbacks, events, jwt, session }: AuthConfig,
  { report }: Reporter,
): void {
  const { encode, decode } = jwt ?? {};
  const { generateSessionToken } = session ?? {};
  const parts = { callbacks, events, jwt: { encode, decode }, session: { generateSessionToken } };
  for (const [part, functions] of Object.entries(parts)) {
    for (const [name, value] of Object.entries(functions ?? {})) {
      if (value === undefined || value === null || typeof value === "function") continue;
      report(
        new InvalidConfig(
          `\`${part}.${name}\` must be a function, not ${nameType(value)}. Set it to a function, or leave it out.`,
        ),
      );
    }
  }
}

/**
 * Reports options that do not exist, and options that should be an object or a list but are not. Returns the
 * configuration without the latter.
 */
export function checkOptions(config: AuthConfig, reporter: Reporter): AuthConfig {
  checkNames(config, "", Object.keys(OPTIONS), reporter);
  const usable: Record<string, unknown> = { ...config };
  const refuse = (name: string, wanted: string) => {
    const type = nameType(usable[name]);
    const fix = FIXES[isPlugin(usable[name]) ? "a plugin" : type] ?? "";
    reporter.report(new InvalidConfig(`\`${name}\` must be ${wanted}, not ${type}.${fix}`));
    delete usable[name];
  };
  for (const name of [...Object.keys(PARTS), "cookies", "events", "logger"] as (
    | Part
    | "cookies"
    | "events"
    | "logger"
  )[]) {
    const part: unknown = config[name];
    if (part === undefined || part === null) continue;
    if (!isObject(part)) refuse(name, "an object");
    else if (name in PARTS)
      checkNames(part, `${name}.`, Object.keys(PARTS[name as Part]), reporter);
  }
  const { adapter } = config;
  if (adapter && (isPlugin(adapter) || nameType(adapter) !== "an object")) {
    refuse("adapter", "an adapter");
  }
  for (const name of ["providers", "plugins"] as const) {
    const list: unknown = config[name];
    if (list !== undefined && list !== null && !Array.isArray(list)) refuse(name, "a list");
  }
  checkFunctions(usable as AuthConfig, reporter);
  checkCookieNames(usable.cookies, reporter);
  return usable as AuthConfig;
}

/**
 * Returns a value that is a configuration.
 * @throws InvalidConfig for any other value; the message says what to write instead.
 */
export function expectConfig(value: unknown, place: string): AuthConfig {
  const { name, setup, plugins, use } = (isObject(value) ? value : {}) as Partial<Plugin & Auth>;
  if (typeof use === "function") {
    throw new InvalidConfig(
      `${place} is an Auth. Pass or return the configuration itself: { providers: [...] }.`,
    );
  }
  if (typeof name === "string" && (setup !== undefined || plugins !== undefined)) {
    const kind = setup === undefined ? "preset" : "plugin";
    throw new InvalidConfig(
      `${place} is the ${kind} "${name}". Pass it to use(): createAuth().use(...).`,
    );
  }
  const type = nameType(value);
  if (type === "an object") return value as AuthConfig;
  throw new InvalidConfig(
    `${place} must be an object, or a function that returns one, not ${type}.` +
      (type === "a promise" ? " Pass a function: createAuth(() => config)." : ""),
  );
}
