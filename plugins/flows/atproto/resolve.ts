import { isHostEntry, isSecureUrl, nameProviderVariable } from "../../../src/_kit.ts";
import { InvalidConfig } from "../../../src/errors.ts";
import type { Kernel } from "../../../src/kernel.ts";
import { checkOrigin } from "./client.ts";
import { parseOrigin } from "./network.ts";
import type { AtprotoKey, AtprotoProvider } from "./provider.ts";
import type { ResolvedAtprotoProvider } from "./types.ts";

const DEFAULTS = {
  scope: "atproto",
  resolver: "https://cloudflare-dns.com/dns-query",
  directory: "https://plc.directory",
};

/** 32 bytes as base64url. */
const COORDINATE = /^[\w-]{43}$/;

function isKey(value: unknown): value is AtprotoKey {
  const { kty, crv, x, y, d } = Object(value) as Partial<AtprotoKey>;
  return kty === "EC" && crv === "P-256" && [x, y, d].every((part) => COORDINATE.test(part ?? ""));
}

// The environment variable has a key, or a list of keys, as JSON.
function parseKeys(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isUrl(text: unknown): boolean {
  return typeof text === "string" && URL.canParse(text) && isSecureUrl(new URL(text));
}

function isOriginUrl(text: unknown): boolean {
  return isUrl(text) && new URL(text as string).href === `${text as string}/`;
}

// Returns the first fault of the options, with its fix.
function findFault(provider: ResolvedAtprotoProvider): { fault: string; fix: string } | undefined {
  const { scope, resolver, directory, server, userinfo, privateKey, trustedServers } = provider;
  const keys = privateKey === undefined ? [] : [privateKey].flat();
  const isList = Array.isArray(trustedServers);
  const faults: [isFault: boolean, fault: string, fix: string][] = [
    [
      typeof scope !== "string" || !scope.split(" ").includes("atproto"),
      "has a `scope` without `atproto`",
      "add it, and separate scopes with spaces",
    ],
    [
      resolver !== false && !isUrl(resolver),
      "has no usable `resolver`",
      "set it to an https URL, or to false",
    ],
    [
      !isOriginUrl(directory),
      "has no usable `directory`",
      "set it to an origin with https, without a path",
    ],
    [
      server !== undefined && parseOrigin(server) === undefined,
      "has no usable `server`",
      "set it to an origin with https, without a path",
    ],
    [
      userinfo !== undefined && !(isUrl(userinfo.url) && userinfo.url.includes("{did}")),
      "has no usable `userinfo.url`",
      "set it to an https URL in which {did} stands for the account",
    ],
    [
      privateKey !== undefined && (!keys.length || !keys.every(isKey)),
      "has no usable `privateKey`",
      "set it to a JSON Web Key of the curve P-256 with `d`, or to a list of them",
    ],
    [
      trustedServers !== undefined && !(isList && trustedServers.every(isHostEntry)),
      "has an unusable entry in `trustedServers`",
      "list hosts such as `pds.example` or `*.pds.example`",
    ],
    [typeof provider.profile !== "function", "has no `profile`", "set it to a function"],
  ];
  const found = faults.find(([isFault]) => isFault);
  return found && { fault: found[1], fix: found[2] };
}

/**
 * Completes a provider with the defaults and its key from the environment.
 * @throws InvalidConfig that names the option, and in production for an origin that servers cannot reach.
 */
export function resolveProvider(
  given: AtprotoProvider,
  { env, config }: Kernel,
): ResolvedAtprotoProvider {
  const { id } = given;
  const text = env[nameProviderVariable(id, "PRIVATE_KEY")];
  // Text that is not JSON is reported like any other unusable key.
  const fromEnv = text ? { privateKey: (parseKeys(text) ?? []) as AtprotoKey } : {};
  const provider: ResolvedAtprotoProvider = { ...DEFAULTS, ...fromEnv, ...given };
  const found = findFault(provider);
  if (found) throw new InvalidConfig(`"${id}" ${found.fault}; ${found.fix}.`);
  // In development the application may be opened at another origin.
  if (config.production && config.origin !== undefined) checkOrigin(id, config.origin);
  return provider;
}
