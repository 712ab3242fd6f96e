import { InvalidConfig } from "../errors/errors.ts";
import { getBuiltin } from "../platform/builtin.ts";

/** The supported versions of each optional package: from the first, and below the second. */
export const PEER_VERSIONS = {
  "@opentelemetry/api": ["1.9.0", "2"],
  "@simplewebauthn/server": ["14.0.3", "15"],
  nodemailer: ["6", "11"],
  otpauth: ["9.5.0", "10"],
  uqr: ["0.1.3", "0.2"],
} as const;

/** The name of an optional package. */
export type PeerName = keyof typeof PEER_VERSIONS;

/** Returns the version of an installed package; `undefined` if it cannot be determined. */
export type GetInstalledVersion = (name: string) => string | undefined;

/**
 * Looks a package up in the `node_modules` folders of this module, or of the module at `from`. It is not imported,
 * which would load it at boot. Returns `undefined` on edge runtimes and for packages that are bundled with the
 * application.
 */
export function getInstalledVersion(
  name: string,
  from: string = import.meta.url,
): string | undefined {
  try {
    const fs = getBuiltin("node:fs");
    const require = getBuiltin("node:module")?.createRequire?.(from);
    const folders = require?.resolve.paths(name) ?? [];
    const files = folders.map((folder) => `${folder}/${name}/package.json`);
    const file = files.find((one) => fs?.existsSync?.(one));
    if (file === undefined) return undefined;
    const { version } = JSON.parse(fs?.readFileSync?.(file, "utf8") ?? "{}") as {
      version?: unknown;
    };
    return typeof version === "string" ? version : undefined;
  } catch {
    return undefined;
  }
}

// Compares the numbers of two versions. Whatever follows a hyphen is ignored.
function isBelow(one: string, other: string): boolean {
  const [left, right] = [one, other].map(
    (text) => text.split("-", 1)[0]?.split(".").map(Number) ?? [],
  );
  for (const at of [0, 1, 2]) {
    const difference = (left?.[at] ?? 0) - (right?.[at] ?? 0);
    if (difference !== 0) return difference < 0;
  }
  return false;
}

/**
 * Returns the fault of an optional package whose installed version is not supported; `undefined` if the version is
 * supported or unknown.
 */
export function findPeerFault(
  name: PeerName,
  getVersion: GetInstalledVersion = getInstalledVersion,
): InvalidConfig | undefined {
  const version = getVersion(name);
  if (version === undefined) return undefined;
  const [from, below] = PEER_VERSIONS[name];
  if (!isBelow(version, from) && isBelow(version, below)) return undefined;
  return new InvalidConfig(
    `Keyhook does not work with version ${version} of the package "${name}". Install a version from ` +
      `${from} and below ${below}.`,
  );
}
