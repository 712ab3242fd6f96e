import { execFileSync } from "node:child_process";
import { renameSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { install } from "../../playground/nuxt-install.ts";

// Installs the frameworks, and this package as published: a linked folder would resolve to other
// packages than the application. pnpm gives each application, and the copy of this package in it,
// the versions that it declares.
const root = fileURLToPath(new URL("../..", import.meta.url));
const room = fileURLToPath(new URL(".", import.meta.url));
const run = (command: string, args: string[], cwd: string) =>
  execFileSync(command, args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });

const pack = ["pack", "--json", "--ignore-scripts", "--pack-destination", room];
const [{ filename }] = JSON.parse(run("npm", pack, root)) as [{ filename: string }];
renameSync(join(room, filename), join(room, "keyhook.tgz"));
const pnpm = join(root, "node_modules/pnpm/bin/pnpm.mjs");
for (const folder of ["", "nuxt-4", "nuxt-5"]) {
  // A lock file would contain the last package of this version.
  run(process.execPath, [pnpm, "install", "--no-lockfile", "--loglevel=error"], join(room, folder));
}
install(join(room, "keyhook.tgz"));
