import {
  type AuthError,
  InvalidConfig,
  MissingSecretError,
  UntrustedHost,
} from "../errors/errors.ts";
import { buildCookieTable, COOKIE_NAME } from "../http/cookies.ts";
import { merge } from "../platform/merge.ts";
import { didYouMean } from "../platform/spelling.ts";
import { skipCSRFCheck } from "../platform/symbols.ts";
import type { AuthConfig } from "../types/config.ts";
import type {
  CookieAttributes,
  CookieDefaults,
  CookieKey,
  CookiesOptions,
} from "../types/cookie.ts";
import type { Env, Logger, ResolvedConfig } from "../types/options.ts";
import { envBoolean, environmentSecrets } from "./env.ts";
import { resolveTrustProxy } from "./trust-proxy.ts";

/** Receives a fault that was found at boot, so that all faults are reported together. */
export type Report = (fault: AuthError) => void;

const DAY_S = 24 * 60 * 60;
// Beyond some point there are no dates; no lifetime is meant to be longer than this.
const CENTURY_S = 36_525 * DAY_S;
const BASE_PATH = /^(?:\/[A-Za-z0-9._~!$&'()*+,;=:@%-]+)*$/;

function seconds(value: number | undefined, fallback: number, name: string, report: Report) {
  if (value === undefined || value === null) return fallback;
  const least = name.endsWith("updateAge") ? 0 : 1;
  if (Number.isFinite(value) && value >= least && value <= CENTURY_S) return Math.floor(value);
  report(
    new InvalidConfig(
      `${name} must be a number of seconds, from ${least} to ${CENTURY_S} (100 years).`,
    ),
  );
  return fallback;
}

function httpUrl(value: string): URL | undefined {
  if (!URL.canParse(value)) return undefined;
  const url = new URL(value);
  return url.protocol === "https:" || url.protocol === "http:" ? url : undefined;
}

// The newest secret comes first: it signs and seals, the others are still accepted.
function getSecrets(config: AuthConfig, env: Env): string[] {
  const given = [config.secret ?? []].flat().filter(Boolean);
  if (given.length) return given;
  return environmentSecrets(env);
}

function resolveSecret(
  config: AuthConfig,
  env: Env,
  production: boolean,
  spare: string,
  logger: Required<Logger>,
  report: Report,
): [string, ...string[]] {
  const [first, ...others] = getSecrets(config, env);
  if (first === undefined) {
    if (production) {
      report(
        new MissingSecretError(
          "No secret. Set AUTH_SECRET (or `secret`) to at least 32 random characters.",
        ),
      );
    } else {
      logger.warn(
        "secret-missing",
        "AUTH_SECRET is not set: a random secret is used, and all users are signed out when this process " +
          "ends. Set AUTH_SECRET to at least 32 random characters.",
      );
    }
    return [spare];
  }
  if (first.length < 32) {
    logger.warn("secret-short", "The secret should have at least 32 random characters.");
  }
  return [first, ...others];
}

function resolveTrust(
  config: AuthConfig,
  env: Env,
  origin: string | undefined,
  production: boolean,
  report: Report,
): ResolvedConfig["trustHost"] {
  let trust = config.trustHost ?? undefined;
  try {
    trust ??= origin ? true : envBoolean(env, "AUTH_TRUST_HOST");
  } catch (error) {
    report(new InvalidConfig(`${(error as Error).message}; set it to one of these.`));
    return false;
  }
  trust ??= Boolean(env.VERCEL || env.CF_PAGES) || !production;
  if (trust === false && !origin) {
    report(
      new UntrustedHost(
        "The request's host is not trusted. Set AUTH_URL to the public URL, or AUTH_TRUST_HOST=true " +
          "where a proxy sets the host header, or `trustHost` to the list of your hosts.",
      ),
    );
  }
  return trust;
}

function resolveBasePath(
  config: AuthConfig,
  url: URL | undefined,
  fallback: string,
  logger: Required<Logger>,
  report: Report,
): string {
  const fromUrl = url && url.pathname !== "/" ? url.pathname.replace(/\/+$/, "") : undefined;
  const given = config.basePath?.replace(/\/+$/, "");
  if (given !== undefined && fromUrl !== undefined) {
    const same = given === fromUrl;
    logger.warn(
      same ? "env-url-basepath-redundant" : "env-url-basepath-mismatch",
      same
        ? "`basePath` repeats the path of AUTH_URL. Drop one of them."
        : "`basePath` and the path of AUTH_URL differ: `basePath` is used. Drop one of them.",
    );
  }
  const path = given ?? fromUrl ?? fallback;
  const slashed = path === "" || path.startsWith("/") ? path : `/${path}`;
  if (BASE_PATH.test(slashed) && !slashed.includes("/../") && !slashed.endsWith("/..")) {
    return slashed;
  }
  report(new InvalidConfig("`basePath` must be a plain path such as /auth."));
  return fallback;
}

// The key of a sealed token is derived from its cookie's name: with two purposes under one name, the value of
// one would be accepted as the other (SECURITY.md R3). The redirect proxy's state is sealed under a name of
// its own.
function nameFaults(names: readonly string[], reserved: readonly string[]): string[] {
  return names.flatMap((name, at) => {
    if (reserved.includes(name)) return [`the name "${name}" is reserved; rename the cookie`];
    const rival = names.find((other, place) => {
      return place !== at && (other === name ? place > at : name.startsWith(`${other}.`));
    });
    return rival === undefined
      ? []
      : [
          `the names "${name}" and "${rival}" collide; rename one, so that neither is the other or the other ` +
            'followed by "."',
        ];
  });
}

function attributeFaults(key: string, name: string, attributes: CookieAttributes): string[] {
  const { maxAge, domain, path, secure, sameSite } = attributes;
  const faults: string[] = [];
  if (!COOKIE_NAME.test(name)) {
    faults.push(
      `\`cookies.${key}.name\` is not a valid cookie name: use letters, digits, "-", "_" and "."`,
    );
  }
  if (name.startsWith("__Host-") && (domain || path !== "/")) {
    faults.push(
      `\`cookies.${key}\`: a __Host- cookie has no domain and the path "/"; drop these options or rename it`,
    );
  }
  if (/^__(?:Host|Secure)-/.test(name) && !secure) {
    faults.push(
      `\`cookies.${key}\`: a cookie with a __Host- or __Secure- prefix must be secure; set \`secure\` or rename it`,
    );
  }
  if (sameSite === "none" && !secure) {
    faults.push(`\`cookies.${key}\`: SameSite=None requires \`secure: true\``);
  }
  if (maxAge !== undefined && !Number.isInteger(maxAge)) {
    faults.push(`\`cookies.${key}\`: \`maxAge\` must be a whole number of seconds`);
  }
  return faults;
}

/**
 * Reports names and attributes of cookies that cannot work. Called when all plugins have registered theirs.
 */
export function checkCookies(
  cookies: ReadonlyMap<string, CookieDefaults>,
  overrides: CookiesOptions,
  { logger, report }: Pick<ResolveOptions, "logger" | "report">,
): void {
  for (const key of Object.keys(overrides).filter((name) => !cookies.has(name))) {
    const text = `\`cookies.${key}\` is not a cookie of any plugin in use.`;
    const hint = didYouMean(key, cookies.keys());
    if (hint) report(new InvalidConfig(text + hint));
    else logger.warn("config-unknown", text);
  }
  const reserved = [...cookies.values()].flatMap(({ reservedSalts = [] }) => reservedSalts);
  const faults = new Set<string>();
  for (const isSecure of [true, false]) {
    const table = Object.entries(buildCookieTable(cookies, overrides, isSecure));
    for (const [key, { name, attributes }] of table) {
      // Whether the origin is https is not known yet: only an explicit `secure` can be wrong.
      const secure = overrides[key as CookieKey]?.options?.secure ?? true;
      for (const fault of attributeFaults(key, name, { ...attributes, secure })) faults.add(fault);
    }
    for (const fault of nameFaults(
      table.map(([, { name }]) => name),
      reserved,
    )) {
      faults.add(`\`cookies\`: ${fault}`);
    }
  }
  for (const fault of faults) report(new InvalidConfig(`${fault}.`));
}

function checkPages(pages: NonNullable<AuthConfig["pages"]>, report: Report): void {
  for (const [name, page] of Object.entries(pages)) {
    if (page === undefined) continue;
    const usable = typeof page === "string" && (/^\/(?![/\\])/.test(page) || httpUrl(page));
    if (!usable) {
      report(new InvalidConfig(`\`pages.${name}\` must start with "/" or be an http(s) URL.`));
    }
  }
}

/** Inputs of `resolveConfig` besides the configuration. */
export interface ResolveOptions {
  env: Env;
  logger: Required<Logger>;
  report: Report;
  /** Secret to use in development when none is set. */
  devSecret: string;
  /** Base path to use when neither the configuration nor `AUTH_URL` has one. */
  basePath: string;
}

/**
 * Returns whether this is production: `NODE_ENV` states it, or there is no environment at all (edge
 * runtimes).
 */
export function isProduction(env: Env): boolean {
  return env.NODE_ENV === "production" || Object.keys(env).length === 0;
}

/** Returns the configuration with every default and environment variable applied; reports invalid values. */
export function resolveConfig(config: AuthConfig, options: ResolveOptions): ResolvedConfig {
  const { env, logger, report } = options;
  const production = isProduction(env);

  if (config.debug) {
    logger.warn("debug-enabled", "`debug` is meant for development. Disable it in production.");
  }
  if (config.experimental?.enableWebAuthn) {
    logger.warn("experimental-webauthn", "Passkeys are experimental and may change.");
  }

  const urlText = env.AUTH_URL || env.NEXTAUTH_URL;
  const url = urlText ? httpUrl(urlText) : undefined;
  if (urlText && !url) report(new InvalidConfig("AUTH_URL must be an http(s) URL."));

  const redirectProxyUrl = config.redirectProxyUrl ?? (env.AUTH_REDIRECT_PROXY_URL || undefined);
  if (redirectProxyUrl && !httpUrl(redirectProxyUrl)) {
    report(
      new InvalidConfig(
        "`redirectProxyUrl` must be the full URL at which the proxy's routes are mounted.",
      ),
    );
  }

  const strategy = config.session?.strategy ?? (config.adapter ? "database" : "jwt");
  const maxAge = seconds(config.session?.maxAge, 30 * DAY_S, "session.maxAge", report);
  const absolute = seconds(config.session?.absoluteMaxAge, 0, "session.absoluteMaxAge", report);
  const secret = resolveSecret(config, env, production, options.devSecret, logger, report);
  const jwtSecret = [config.jwt?.secret ?? []].flat().filter(Boolean);
  const cookies = config.cookies ?? {};
  const pages = config.pages ?? {};
  checkPages(pages, report);

  return {
    ...(config.adapter && { adapter: config.adapter }),
    basePath: resolveBasePath(config, url, options.basePath, logger, report),
    callbacks: config.callbacks ?? {},
    cookies,
    debug: config.debug ?? false,
    events: config.events ?? {},
    experimental: { enableWebAuthn: config.experimental?.enableWebAuthn ?? false },
    jwt: {
      ...(config.jwt?.encode && { encode: config.jwt.encode }),
      ...(config.jwt?.decode && { decode: config.jwt.decode }),
      secret: jwtSecret.length ? jwtSecret : secret,
      maxAge: seconds(config.jwt?.maxAge, maxAge, "jwt.maxAge", report),
    },
    pages,
    production,
    ...(redirectProxyUrl && { redirectProxyUrl }),
    secret,
    session: {
      strategy,
      maxAge,
      updateAge: seconds(config.session?.updateAge, DAY_S, "session.updateAge", report),
      ...(absolute && { absoluteMaxAge: absolute }),
      generateSessionToken: config.session?.generateSessionToken ?? (() => crypto.randomUUID()),
    },
    skipCSRFCheck: config.skipCSRFCheck === skipCSRFCheck,
    theme: merge({}, config.theme),
    trustHost: resolveTrust(config, env, url?.origin, production, report),
    trustProxy: resolveTrustProxy(config.trustProxy, env, report),
    ...(url && { origin: url.origin }),
    ...(config.useSecureCookies !== undefined && { useSecureCookies: config.useSecureCookies }),
  };
}
