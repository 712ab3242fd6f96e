import { InvalidConfig, UntrustedHost } from "../errors/errors.ts";
import { isHostEntry } from "../http/origin.ts";
import { isTextList } from "../platform/is-text-list.ts";
import type { AuthConfig } from "../types/config.ts";
import type { Env, ResolvedConfig } from "../types/options.ts";
import { checkTrustedHosts } from "./check-trust.ts";
import { readBoolean, isOnVercel } from "./env.ts";
import { type ResolveOptions, stateEnvironment } from "./resolve-options.ts";

// `decisions.ts` explains which setting decided.
function findTrust(
  { trustHost }: AuthConfig,
  env: Env,
  url: URL | undefined,
  production: boolean,
): ResolvedConfig["trustHost"] {
  if (trustHost !== undefined && trustHost !== null) return trustHost;
  if (url) return true;
  const stated = readBoolean(env, "AUTH_TRUST_HOST");
  return stated ?? [!production, isOnVercel(env), env.CF_PAGES].some(Boolean);
}

/** Returns whether hosts of requests are trusted, or which ones. Reports invalid entries. */
export function resolveTrust(
  config: AuthConfig,
  url: URL | undefined,
  { env, environment, production, logger, report }: ResolveOptions,
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
    // A URL variable that is set but invalid is reported separately.
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
