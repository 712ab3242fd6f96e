import { InvalidConfig, MissingSecretError, UntrustedHost } from "../errors/errors.ts";
import type { Report } from "../errors/report.ts";
import { isHostEntry, isPublicHost } from "../http/origin.ts";
import { merge } from "../platform/merge.ts";
import { parseUrl } from "../platform/parse-url.ts";
import { skipCSRFCheck } from "../platform/symbols.ts";
import { trimEnd } from "../platform/trim-end.ts";
import type { AuthConfig } from "../types/config.ts";
import type { Env, Logger, ResolvedConfig } from "../types/options.ts";
import { checkTransport } from "./check-transport.ts";
import { checkTrustedHosts } from "./check-trust.ts";
import { envBoolean, hintVariable, isOnVercel } from "./env.ts";
import type { DecidedEnvironment } from "./environment.ts";
import { checkSecrets, getSecrets, nameSecrets, SECRET_MEND } from "./secrets.ts";
import { resolveTrustProxy } from "./trust-proxy.ts";

interface CountBounds {
  readonly fallback: number;
  /** Default 1. */
  readonly least?: number;
  readonly most: number;
}

const DAY_S = 24 * 60 * 60;
// Long enough to set an account up after a sign-in, and shorter than the time for which a device is left alone.
const FRESH_AGE_S = 60 * 60;
// No lifetime is meant to be longer. Thirty days in milliseconds, read as seconds, are 82 years.
const MAX_S = 3652.5 * DAY_S;
// A list of so many sessions is one record in every store.
const CHECK_AGE: CountBounds = { fallback: 60, least: 0, most: 3600 };
const SESSIONS: CountBounds = { fallback: 100, most: 500 };
// The rest of the 10 seconds of a request is for what else it waits for, such as an identity provider.
const STORAGE_TIMEOUT: CountBounds = { fallback: 2, most: 8 };
// Characters. Ten cookies hold no more.
const TOKEN_SIZE: CountBounds = { fallback: 12_000, most: 39_000 };
const BASE_PATH = /^(?:\/[A-Za-z0-9._~!$&'()*+,;=:@%-]+)*$/;

function readSeconds(value: number | undefined, fallback: number, name: string, report: Report) {
  if (value === undefined || value === null) return fallback;
  const least = /(?:update|fresh)Age$/.test(name) ? 0 : 1;
  if (Number.isFinite(value) && value >= least && value <= MAX_S) return Math.floor(value);
  report(
    new InvalidConfig(`${name} must be a number of seconds, from ${least} to ${MAX_S} (10 years).`),
  );
  return fallback;
}

function readCount(
  value: number | undefined,
  { fallback, least = 1, most }: CountBounds,
  name: string,
  report: Report,
): number {
  if (value === undefined || value === null) return fallback;
  if (Number.isInteger(value) && value >= least && value <= most) return value;
  report(new InvalidConfig(`${name} must be a whole number from ${least} to ${most}.`));
  return fallback;
}

function resolveStoreNamespace(
  { storeNamespace }: AuthConfig,
  report: Report,
): Pick<ResolvedConfig, "storeNamespace"> {
  if (storeNamespace === undefined || storeNamespace === null) return {};
  if (typeof storeNamespace === "string" && storeNamespace.trim()) return { storeNamespace };
  report(new InvalidConfig("`storeNamespace` must be text that is not blank."));
  return {};
}

function parseHttpUrl(value: string): URL | undefined {
  const url = parseUrl(value);
  return url && /^https?:$/.test(url.protocol) ? url : undefined;
}

function stateEnvironment({ name, reason }: ResolveOptions["environment"]): string {
  return ` This is ${name} (${reason}).`;
}

function resolveSecret(
  config: AuthConfig,
  production: boolean,
  { env, environment, devSecret, keptSecret, logger, report }: ResolveOptions,
): [string, ...string[]] {
  const { named } = getSecrets(config, env);
  const [first, ...others] = named.map(([, secret]) => secret);
  if (first === undefined && keptSecret && !production) return [keptSecret];
  if (first === undefined) {
    if (production) {
      report(
        new MissingSecretError(
          `No secret${hintVariable(env, "AUTH_SECRET")}. Set AUTH_SECRET (or \`secret\`) to at least 32 random ` +
            `characters: npx keyhook secret.${stateEnvironment(environment)}`,
        ),
      );
    } else {
      logger.warn(
        "secret-missing",
        "AUTH_SECRET is not set: a random secret is used, and when this process ends all users are signed out, and their " +
          "second factors cannot be checked any more. " +
          SECRET_MEND,
      );
    }
    return [devSecret()];
  }
  checkSecrets(named, { production, logger, report });
  return [first, ...others];
}

// `decisions.ts` explains what decided.
function findTrust(
  { trustHost }: AuthConfig,
  env: Env,
  url: URL | undefined,
  production: boolean,
): ResolvedConfig["trustHost"] {
  if (trustHost !== undefined && trustHost !== null) return trustHost;
  if (url) return true;
  const stated = envBoolean(env, "AUTH_TRUST_HOST");
  return stated ?? [!production, isOnVercel(env), env.CF_PAGES].some(Boolean);
}

const isTextList = (value: unknown): boolean =>
  Array.isArray(value) && value.every((one) => typeof one === "string");

function resolveTrust(
  config: AuthConfig,
  url: URL | undefined,
  production: boolean,
  { env, environment, logger, report }: ResolveOptions,
): ResolvedConfig["trustHost"] {
  try {
    const trust = findTrust(config, env, url, production);
    if (typeof trust !== "boolean" && !isTextList(trust)) {
      throw new TypeError("`trustHost` must be true, false or a list of hosts");
    }
    const malformed = typeof trust === "boolean" ? [] : trust.filter((one) => !isHostEntry(one));
    for (const entry of malformed) {
      report(
        new InvalidConfig(
          `\`trustHost\` lists "${entry}", which cannot be a host. List hosts such as "app.example", ` +
            '"*.app.example" or "http://app.internal:3000".',
        ),
      );
    }
    if (typeof trust !== "boolean") checkTrustedHosts(trust, logger);
    // One that is set, and is no URL, is reported as that.
    if (trust === false && !url && !(env.AUTH_URL || env.NEXTAUTH_URL)) {
      report(
        new UntrustedHost(
          "The request's host is not trusted. Set AUTH_URL to the public URL, or AUTH_TRUST_HOST=true " +
            "where a proxy sets the host header, or `trustHost` to the list of your hosts." +
            stateEnvironment(environment),
        ),
      );
    }
    return trust;
  } catch (error) {
    report(new InvalidConfig(`${(error as Error).message}; set it to one of these.`));
    return false;
  }
}

/** Returns the base path that a public URL states. */
export function getPath(url: URL | undefined): string | undefined {
  return url && url.pathname !== "/" ? trimEnd(url.pathname, "/") : undefined;
}

function resolveBasePath(
  config: AuthConfig,
  url: URL | undefined,
  { basePath: fallback, logger, report }: ResolveOptions,
): string {
  const fromUrl = getPath(url);
  const given = config.basePath === undefined ? undefined : trimEnd(config.basePath, "/");
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

function checkPages(pages: NonNullable<AuthConfig["pages"]>, report: Report): void {
  for (const [name, page] of Object.entries(pages)) {
    if (page === undefined) continue;
    const usable = typeof page === "string" && (/^\/(?![/\\])/.test(page) || parseHttpUrl(page));
    if (!usable) {
      report(new InvalidConfig(`\`pages.${name}\` must start with "/" or be an http(s) URL.`));
    }
  }
}

/** Inputs of `resolveConfig` besides the configuration. */
export interface ResolveOptions {
  env: Env;
  environment: DecidedEnvironment;
  logger: Required<Logger>;
  report: Report;
  /** Returns the secret to use in development when none is set. */
  devSecret(): string;
  /** The same, kept by the development server between its reloads. */
  keptSecret: string | undefined;
  /** `jwt.encode` and `jwt.decode` get a secret of the environment as text, where it is the only one. */
  textSecret: boolean;
  /** Base path to use when neither the configuration nor `AUTH_URL` has one. */
  basePath: string;
}

/** Returns the public URL that a variable states. */
export function getPublicUrl({ AUTH_URL, NEXTAUTH_URL }: Env): URL | undefined {
  return parseHttpUrl(AUTH_URL || NEXTAUTH_URL || "");
}

/** Returns the name of the variable that states the public URL. */
export function nameUrlVariable(env: Env): string {
  return env.AUTH_URL ? "AUTH_URL" : "NEXTAUTH_URL";
}

/** Returns the configuration with every default and environment variable applied; reports invalid values. */
export function resolveConfig(config: AuthConfig, options: ResolveOptions): ResolvedConfig {
  const { env, logger, report } = options;
  const production = options.environment.name === "production";

  if (config.debug) {
    logger.warn("debug-enabled", "`debug` is meant for development. Disable it in production.");
  }
  if (config.experimental?.enableWebAuthn) {
    logger.warn("experimental-webauthn", "Passkeys are experimental and may change.");
  }

  const urlText = env.AUTH_URL || env.NEXTAUTH_URL;
  const url = getPublicUrl(env);
  if (urlText && !url)
    report(
      new InvalidConfig(
        `${nameUrlVariable(env)} must be an http(s) URL, such as https://app.example.com.`,
      ),
    );

  if (!production && url && isPublicHost(url) && !options.environment.reason.endsWith("=test")) {
    logger.warn(
      "development-public",
      `This is development (${options.environment.reason}), and ${nameUrlVariable(env)} is a public host: strangers can use what only ` +
        "development allows, such as weak secrets. Set NODE_ENV=production where they can connect.",
    );
  }

  const redirectProxyUrl = config.redirectProxyUrl ?? (env.AUTH_REDIRECT_PROXY_URL || undefined);
  // Paths are appended to it.
  const isMount = redirectProxyUrl && !/[?#]/.test(redirectProxyUrl);
  const proxy = isMount ? parseHttpUrl(redirectProxyUrl) : undefined;
  if (redirectProxyUrl && !proxy) {
    report(
      new InvalidConfig(
        "`redirectProxyUrl` must be the full URL at which the proxy's routes are mounted, without query and fragment.",
      ),
    );
  }

  checkTransport(
    {
      production,
      url,
      urlVariable: nameUrlVariable(env),
      useSecureCookies: config.useSecureCookies,
      redirectProxyUrl: proxy,
    },
    options,
  );

  const strategy = config.session?.strategy ?? (config.adapter ? "database" : "jwt");
  const maxAge = readSeconds(config.session?.maxAge, 30 * DAY_S, "session.maxAge", report);
  const jwtMaxAge = readSeconds(config.jwt?.maxAge, maxAge, "jwt.maxAge", report);
  const lifetime = strategy === "database" ? maxAge : Math.min(maxAge, jwtMaxAge);
  // A session that lasts no longer than the default would end while it is used.
  const ownUpdateAge = lifetime < 2 * DAY_S ? Math.floor(lifetime / 30) : DAY_S;
  const updateAge = readSeconds(
    config.session?.updateAge,
    ownUpdateAge,
    "session.updateAge",
    report,
  );
  if (updateAge >= lifetime) {
    logger.warn("update-age", "`session.updateAge` is too long to extend sessions. Leave it out.");
  }
  const absolute = readSeconds(config.session?.absoluteMaxAge, 0, "session.absoluteMaxAge", report);
  const secret = resolveSecret(config, production, options);
  const jwtSecrets = nameSecrets("jwt.secret", config.jwt?.secret ?? []);
  checkSecrets(jwtSecrets, { production, logger, report });
  const jwtSecret = jwtSecrets.map(([, text]) => text);
  const [used, given] = jwtSecret.length
    ? [jwtSecret, config.jwt?.secret]
    : [secret, config.secret];
  // An application's own `jwt.encode` gets it in the form that Auth.js hands on: it may sign with it, or with its first entry.
  const isText = given?.length
    ? typeof given === "string"
    : options.textSecret && used.length === 1;
  const cookies = { ...config.cookies };
  const pages = { ...config.pages };
  checkPages(pages, report);

  return {
    ...(config.adapter && { adapter: config.adapter }),
    basePath: resolveBasePath(config, url, options),
    callbacks: config.callbacks ?? {},
    cookies,
    debug: config.debug ?? false,
    events: config.events ?? {},
    experimental: { enableWebAuthn: config.experimental?.enableWebAuthn ?? false },
    jwt: {
      ...(config.jwt?.encode && { encode: config.jwt.encode }),
      ...(config.jwt?.decode && { decode: config.jwt.decode }),
      secret: (isText && used[0]) || used,
      maxAge: jwtMaxAge,
      maxSize: readCount(config.jwt?.maxSize, TOKEN_SIZE, "jwt.maxSize", report),
      ...(config.jwt?.bindOrigin && { bindOrigin: true }),
    },
    pages,
    production,
    // Of one that is none, no provider reports the same again.
    ...(proxy && redirectProxyUrl && { redirectProxyUrl }),
    secret,
    randomSecret: getSecrets(config, env).named.length === 0,
    session: {
      strategy,
      maxAge,
      updateAge,
      ...(absolute && { absoluteMaxAge: absolute }),
      freshAge: readSeconds(config.session?.freshAge, FRESH_AGE_S, "session.freshAge", report),
      checkAge: readCount(config.session?.checkAge, CHECK_AGE, "session.checkAge", report),
      maxPerUser: readCount(config.session?.maxPerUser, SESSIONS, "session.maxPerUser", report),
      generateSessionToken: config.session?.generateSessionToken ?? (() => crypto.randomUUID()),
    },
    skipCSRFCheck: config.skipCSRFCheck === skipCSRFCheck,
    storageTimeout: readCount(
      config.storageTimeout,
      STORAGE_TIMEOUT,
      "storageTimeout (seconds)",
      report,
    ),
    ...resolveStoreNamespace(config, report),
    theme: merge({}, config.theme),
    trustHost: resolveTrust(config, url, production, options),
    trustProxy: resolveTrustProxy(config.trustProxy, env, report),
    ...(url && { origin: url.origin }),
    ...(config.useSecureCookies !== undefined && { useSecureCookies: config.useSecureCookies }),
  };
}
