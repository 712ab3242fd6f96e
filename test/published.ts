// Installs the published packages that the tests compare with, each group in its own folder, and runs their tests:
//
//   npm run test:published
//
// The packages have other peer dependencies than this repository. Some of the tests need servers.
import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
const run = (command: string, args: readonly string[]) =>
  execFileSync(command, args, {
    cwd: root,
    stdio: "inherit",
    env: { ...process.env, KEYHOOK_PUBLISHED: "1" },
  });

// npm would refuse peers of other versions than an application of the packages has.
const OTHER_PEERS = "--legacy-peer-deps";

/** The folders with their options of `npm install`. */
const FOLDERS: Readonly<Record<string, readonly string[]>> = {
  "test/adapters/published": [],
  "test/spec/published": [OTHER_PEERS, "--omit=optional", "--ignore-scripts"],
  "test/e2e/published": [OTHER_PEERS],
  "test/oauth/published": [OTHER_PEERS],
};

const TESTS = [
  "test/spec/authjs",
  "test/adapters/published.test.ts",
  "test/e2e/published.test.ts",
  "test/oauth/published-provider.test.ts",
];

for (const [folder, options] of Object.entries(FOLDERS)) {
  const common = ["--no-package-lock", "--no-audit", "--no-fund"];
  run("npm", ["install", "--prefix", folder, ...common, ...options]);
}
const projects = ["unit", "integration", "browser"].flatMap((name) => ["--project", name]);
run("vitest", ["run", "--config", "test/vitest.config.ts", ...projects, ...TESTS]);
