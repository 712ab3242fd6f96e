import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";

export const here = fileURLToPath(new URL(".", import.meta.url));
export const root = fileURLToPath(new URL("../..", import.meta.url));

/**
 * Packs Keyhook and installs it next to its peers, as an application would. Packing builds it first, unless `isBuilt`.
 * @auth/core cannot be a dependency of the root (its own peers conflict), hence this folder.
 */
export function install(isBuilt: boolean): void {
  const npm = (cwd: string, ...args: string[]) =>
    execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] });
  const out = npm(
    root,
    "pack",
    ...(isBuilt ? ["--ignore-scripts"] : []),
    "--pack-destination",
    here,
  ).trim();
  const tarball = out.slice(out.lastIndexOf("\n") + 1);
  // The peers of next-auth's client are a whole framework.
  const flags = ["--no-save", "--no-package-lock", "--no-audit", "--legacy-peer-deps"];
  npm(here, "install", ...flags, `./${tarball}`);
  rmSync(here + tarball);
}
