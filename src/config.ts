import { COOKIE_NAME, cookieTable } from "./cookies.ts";
import { envBoolean, environmentSecrets } from "./env.ts";
import { type AuthError, InvalidConfig, MissingSecretError, UntrustedHost } from "./errors.ts";
import { merge } from "./merge.ts";
import { skipCSRFCheck } from "./symbols.ts";
import type { AuthConfig } from "./types/config.ts";
import type {
  CookieAttributes,
  CookieKey,
  CookiesOptions,
  Env,
  Logger,
  ResolvedConfig,
} from "./types/options.ts";

/** Where a fault found at boot is put, so that all are reported together. */
export type Report = (fault: AuthError) => void;

const DAY = 24 * 60 * 60;
// Beyond some point there are no dates; nobody means more than this.
const CENTURY = 36_525 * DAY;
const KNOWN = new Set(
  `providers plugins adapter basePath callbacks cookies debug events experimental jwt logger pages
   redirectProxyUrl secret session skipCSRFCheck theme trustHost useSecureCookies env`.split(/\s+/),
);
const BASE_PATH = /^(?:\/[A-Za-z0-9._~!$&'()*+,;=:@%-]+)*$/;

function seconds(value: number | undefined, fallback: number, name: string, report: Report) {
  if (value === undefined || value === null) return fallback;
  const least = name.endsWith("updateAge") ? 0 : 1;
  if (Number.isFinite(value) && value >= least && value <= CENTURY) return Math.floor(value);
  report(
    new InvalidConfig(
      `${name} must be a number of seconds, from ${least} to ${CENTURY} (100 years).`,
    ),
  );
  return fallback;
}

function httpUrl(value: string): URL | undefined {
  if (!URL.canParse(value)) return undefined;
  const url = new URL(value);
  return url.protocol === "https:" || url.protocol === "http:" ? url : undefined;
}

// The newest secret first: it signs, the others are still accepted.
function secretsOf(config: AuthConfig, env: Env): string[] {
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
  const [first, ...others] = secretsOf(config, env);
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
        "AUTH_SECRET is not set: a random one serves until this process ends, then everybody is signed out.",
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
      same ? "AUTH_URL already says it." : "`basePath` wins over the path of AUTH_URL.",
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

// The key of a sealed token comes from its cookie's name: two purposes of one name could stand in for
// one another (SECURITY.md R3). The redirect proxy's state is sealed under a name of its own.
function nameFaults(names: readonly string[]): string[] {
  const reserved = ["encodedState", "encodedWebauthnChallenge"];
  return names.flatMap((name, at) => {
    if (reserved.includes(name)) return [`no cookie may be named "${name}"`];
    const rival = names.find((other, place) => {
      return place !== at && (other === name ? place > at : name.startsWith(`${other}.`));
    });
    return rival === undefined
      ? []
      : [`"${name}" and "${rival}" must differ, and by more than an end`];
  });
}

function attributeFaults(key: string, name: string, attributes: CookieAttributes): string[] {
  const { maxAge, domain, path, secure, sameSite } = attributes;
  const faults: string[] = [];
  if (!COOKIE_NAME.test(name)) faults.push(`\`cookies.${key}.name\` is no valid cookie name`);
  if (name.startsWith("__Host-") && (domain || path !== "/")) {
    faults.push(
      `\`cookies.${key}\`: a __Host- cookie has no domain and the path "/"; rename it or drop them`,
    );
  }
  if (/^__(?:Host|Secure)-/.test(name) && !secure) {
    faults.push(`\`cookies.${key}\`: a cookie with a prefix must be secure; rename it`);
  }
  if (sameSite === "none" && !secure) {
    faults.push(`\`cookies.${key}\`: SameSite=None needs \`secure\``);
  }
  if (maxAge !== undefined && !Number.isInteger(maxAge)) {
    faults.push(`\`cookies.${key}\`: \`maxAge\` must be a whole number of seconds`);
  }
  return faults;
}

function checkCookies(overrides: CookiesOptions, report: Report): void {
  const faults = new Set<string>();
  for (const isSecure of [true, false]) {
    const table = Object.entries(cookieTable(overrides, isSecure));
    for (const [key, { name, attributes }] of table) {
      // Whether the origin is https is not known yet: only what was said can be wrong.
      const secure = overrides[key as CookieKey]?.options?.secure ?? true;
      for (const fault of attributeFaults(key, name, { ...attributes, secure })) faults.add(fault);
    }
    for (const fault of nameFaults(table.map(([, { name }]) => name))) {
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

/** What resolving a configuration needs beside it. */
export interface ResolveOptions {
  env: Env;
  logger: Required<Logger>;
  report: Report;
  /** Secret for development, when none is set. */
  spareSecret: string;
  /** Base path when neither the configuration nor `AUTH_URL` says one. */
  basePath: string;
}

/** Whether this is production: said so, or an edge runtime that has no environment at all. */
export function isProduction(env: Env): boolean {
  return env.NODE_ENV === "production" || Object.keys(env).length === 0;
}

/** Applies every default and environment variable of the configuration table, once. */
export function resolveConfig(config: AuthConfig, options: ResolveOptions): ResolvedConfig {
  const { env, logger, report } = options;
  const production = isProduction(env);

  for (const key of Object.keys(config)) {
    if (!KNOWN.has(key)) logger.warn("config-unknown", `\`${key}\` is no option; is it misspelt?`);
  }
  if (config.debug) logger.warn("debug-enabled", "`debug` is meant for development.");
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
  const maxAge = seconds(config.session?.maxAge, 30 * DAY, "session.maxAge", report);
  const absolute = seconds(config.session?.absoluteMaxAge, 0, "session.absoluteMaxAge", report);
  const secret = resolveSecret(config, env, production, options.spareSecret, logger, report);
  const jwtSecret = [config.jwt?.secret ?? []].flat().filter(Boolean);
  const cookies = config.cookies ?? {};
  const pages = config.pages ?? {};
  checkCookies(cookies, report);
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
      updateAge: seconds(config.session?.updateAge, DAY, "session.updateAge", report),
      ...(absolute && { absoluteMaxAge: absolute }),
      generateSessionToken: config.session?.generateSessionToken ?? (() => crypto.randomUUID()),
    },
    skipCSRFCheck: config.skipCSRFCheck === skipCSRFCheck,
    theme: merge({}, config.theme),
    trustHost: resolveTrust(config, env, url?.origin, production, report),
    ...(url && { origin: url.origin }),
    ...(config.useSecureCookies !== undefined && { useSecureCookies: config.useSecureCookies }),
  };
}
