import { execFileSync } from "node:child_process";
import { copyFileSync, existsSync, globSync, renameSync, statSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
/** The folder of the application on Nuxt. */
export const NUXT_APP: string = join(root, "playground/nuxt");
const tarball = join(NUXT_APP, "keyhook.tgz");

const npm = (cwd: string, ...args: string[]) =>
  execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });

/** Returns whether the application is installed with the current state of this package. */
export function isCurrent(): boolean {
  if (!existsSync(join(NUXT_APP, "node_modules/keyhook")) || !existsSync(tarball)) return false;
  const { mtimeMs: packed } = statSync(tarball);
  const files = globSync("{{src,plugins,presets}/**/*.ts,package.json}", { cwd: root });
  return files.every((file) => statSync(join(root, file)).mtimeMs < packed);
}

function pack(): void {
  npm(root, "run", "build");
  const packed = npm(root, "pack", "--json", "--ignore-scripts", "--pack-destination", NUXT_APP);
  const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
  renameSync(join(NUXT_APP, filename), tarball);
}

/**
 * Installs the application with the packed package. If the package were linked, Nuxt would look for its dependencies in
 * the linked folder.
 * @param packed The packed package. Default: build and pack it now.
 */
export function install(packed?: string): void {
  if (packed === undefined) pack();
  else copyFileSync(packed, tarball);
  npm(NUXT_APP, "install", "--no-save", "--no-package-lock", "--no-audit", "--no-fund", tarball);
}
