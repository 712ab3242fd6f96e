import { InvalidConfig } from "../errors/errors.ts";
import { isPublicHost } from "../http/origin.ts";
import { parseUrl } from "../platform/parse-url.ts";
import { trimEnd } from "../platform/trim-end.ts";
import type { AuthConfig } from "../types/config.ts";
import type { Env } from "../types/options.ts";
import type { ResolveOptions } from "./resolve-options.ts";

const BASE_PATH = /^(?:\/[A-Za-z0-9._~!$&'()*+,;=:@%-]+)*$/;

/** Parses an http(s) URL; `undefined` for any other text. */
export function parseHttpUrl(value: string): URL | undefined {
  const url = parseUrl(value);
  return url && /^https?:$/.test(url.protocol) ? url : undefined;
}

/** Returns the public URL that a variable sets. */
export function getPublicUrl({ AUTH_URL, NEXTAUTH_URL }: Env): URL | undefined {
  return parseHttpUrl(AUTH_URL || NEXTAUTH_URL || "");
}

/** Returns the name of the variable that sets the public URL. */
export function nameUrlVariable(env: Env): string {
  return env.AUTH_URL ? "AUTH_URL" : "NEXTAUTH_URL";
}

/** Returns the public URL. Reports a text that is not a URL, and warns about a public host in development. */
export function resolvePublicUrl({
  env,
  environment: { reason },
  production,
  logger,
  report,
}: ResolveOptions): URL | undefined {
  const url = getPublicUrl(env);
  const variable = nameUrlVariable(env);
  if (env[variable] && !url) {
    report(
      new InvalidConfig(`${variable} must be an http(s) URL, such as https://app.example.com.`),
    );
  }
  if (!production && url && isPublicHost(url) && !reason.endsWith("=test")) {
    logger.warn(
      "development-public",
      `This is development (${reason}), but ${variable} is a public host: strangers can use what only ` +
        "development allows, such as weak secrets. Set NODE_ENV=production where they can connect.",
    );
  }
  return url;
}

/** Returns the base path in a public URL. */
export function getPath(url: URL | undefined): string | undefined {
  return url && url.pathname !== "/" ? trimEnd(url.pathname, "/") : undefined;
}

/** Returns the base path: the option, else the path of the public URL, else the default. */
export function resolveBasePath(
  config: AuthConfig,
  url: URL | undefined,
  { env, basePath: fallback, logger, report }: ResolveOptions,
): string {
  const fromUrl = getPath(url);
  const given = config.basePath === undefined ? undefined : trimEnd(config.basePath, "/");
  if (given !== undefined && fromUrl !== undefined) {
    const same = given === fromUrl;
    const variable = nameUrlVariable(env);
    logger.warn(
      same ? "env-url-basepath-redundant" : "env-url-basepath-mismatch",
      same
        ? `\`basePath\` repeats the path of ${variable}. Drop one of them.`
        : `\`basePath\` and the path of ${variable} differ: \`basePath\` is used. Drop one of them.`,
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
