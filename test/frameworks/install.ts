import { execFileSync } from "node:child_process";
import { cpSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

// Installs the frameworks, and this package as it is published: a linked folder would find other packages than the
// application does.
const root = fileURLToPath(new URL("../..", import.meta.url));
const room = fileURLToPath(new URL(".", import.meta.url));
const npm = (args: string[], cwd: string) =>
  execFileSync("npm", args, { cwd, encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });

const packed = npm(["pack", "--json", "--ignore-scripts", "--pack-destination", room], root);
const [{ filename }] = JSON.parse(packed) as [{ filename: string }];
renameSync(join(room, filename), join(room, "keyhook.tgz"));
// Of the same version as the last one: npm would keep that.
rmSync(join(room, "node_modules/keyhook"), { recursive: true, force: true });
rmSync(join(room, "node_modules/.package-lock.json"), { force: true });
const copy = join(room, "nuxt-5/node_modules/keyhook");
rmSync(copy, { recursive: true, force: true });
npm(
  ["install", "--no-package-lock", "--no-save", "--no-audit", "--no-fund", "./keyhook.tgz"],
  room,
);
// Beside its own Nuxt: the package finds the one of the application that it is installed in.
cpSync(join(room, "node_modules/keyhook"), copy, { recursive: true });
