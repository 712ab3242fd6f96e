import { InvalidConfig } from "../errors/errors.ts";
import type { Report } from "../errors/report.ts";
import { merge } from "../platform/merge.ts";
import { skipCSRFCheck } from "../platform/symbols.ts";
import type { Adapter } from "../types/adapter.ts";
import type { AuthConfig } from "../types/config.ts";
import type { ResolvedConfig } from "../types/options.ts";
import { checkTransport } from "./check-transport.ts";
import { nameUrlVariable, parseHttpUrl, resolveBasePath, resolvePublicUrl } from "./public-url.ts";
import { type CountBounds, readCount } from "./read-number.ts";
import type { ResolveOptions } from "./resolve-options.ts";
import { resolveSecrets } from "./secrets.ts";
import { resolveSession } from "./session-options.ts";
import { resolveTrust } from "./trust-host.ts";
import { resolveTrustProxy } from "./trust-proxy.ts";

// In seconds. The rest of a request's 10 seconds is for its other work, such as calls of an identity provider.
const STORAGE_TIMEOUT: CountBounds = { fallback: 2, most: 8 };

function resolveStoreNamespace(
  { storeNamespace }: AuthConfig,
  report: Report,
): Pick<ResolvedConfig, "storeNamespace"> {
  if (storeNamespace === undefined || storeNamespace === null) return {};
  if (typeof storeNamespace === "string" && storeNamespace.trim()) return { storeNamespace };
  report(new InvalidConfig("`storeNamespace` must be text that is not blank."));
  return {};
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

/** Returns the configuration with every default and environment variable applied. Reports invalid values. */
export function resolveConfig(config: AuthConfig, options: ResolveOptions): ResolvedConfig {
  const { env, production, logger, report } = options;

  if (config.debug) {
    logger.warn("debug-enabled", "`debug` is meant for development. Disable it in production.");
  }
  if (config.experimental?.enableWebAuthn) {
    logger.warn("experimental-webauthn", "Passkeys are experimental and may change.");
  }

  const url = resolvePublicUrl(options);
  const redirectProxyUrl = config.redirectProxyUrl ?? (env.AUTH_REDIRECT_PROXY_URL || undefined);
  // Paths are appended to the URL.
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

  const { encode, decode, bindOrigin } = config.jwt ?? {};
  const { session, ...jwt } = resolveSession(config, options);
  const { jwtSecret, ...secrets } = resolveSecrets(config, options);
  const pages = { ...config.pages };
  checkPages(pages, report);

  return {
    ...(config.adapter && { adapter: config.adapter as Adapter }),
    basePath: resolveBasePath(config, url, options),
    callbacks: config.callbacks ?? {},
    cookies: { ...config.cookies },
    debug: config.debug ?? false,
    events: config.events ?? {},
    experimental: { enableWebAuthn: config.experimental?.enableWebAuthn ?? false },
    jwt: {
      ...(encode && { encode }),
      ...(decode && { decode }),
      secret: jwtSecret,
      ...jwt,
      ...(bindOrigin && { bindOrigin: true }),
    },
    pages,
    production,
    // An invalid URL is left out, so that providers do not report it again.
    ...(proxy && redirectProxyUrl && { redirectProxyUrl }),
    ...secrets,
    session,
    skipCSRFCheck: config.skipCSRFCheck === skipCSRFCheck,
    storageTimeout: readCount(
      config.storageTimeout,
      STORAGE_TIMEOUT,
      "storageTimeout (seconds)",
      report,
    ),
    ...resolveStoreNamespace(config, report),
    theme: merge({}, config.theme),
    trustHost: resolveTrust(config, url, options),
    trustProxy: resolveTrustProxy(config.trustProxy, env, report),
    ...(url && { origin: url.origin }),
    ...(config.useSecureCookies !== undefined && { useSecureCookies: config.useSecureCookies }),
  };
}
