import { build, type BuildOptions } from "esbuild";
import { here } from "./setup.ts";

const OPTIONS: BuildOptions = {
  ...{ bundle: true, minify: true, write: false, format: "esm", legalComments: "none" },
  ...{ external: ["node:*"], logLevel: "error" },
};

/** The code that bundlers for Node add, because some packages of the other libraries are CommonJS. */
const WITH_REQUIRE: BuildOptions = {
  platform: "node",
  banner: {
    js: 'import { createRequire as createBannerRequire } from "node:module"; const require = createBannerRequire(import.meta.url);',
  },
};

const RUNTIMES = {
  /** Everything in one file. */
  node: WITH_REQUIRE,
  /** Only the application, as it is without a bundler: packages are loaded from node_modules. */
  packages: { platform: "node", packages: "external", minify: false },
  workerd: { platform: "browser", conditions: ["workerd", "worker"] },
} satisfies Record<string, BuildOptions>;

/** Bundles a module of TypeScript, which may import files of this folder, into one text. */
export async function bundle(contents: string, runtime: keyof typeof RUNTIMES): Promise<string> {
  const stdin = { contents, resolveDir: here, loader: "ts" } as const;
  const { outputFiles } = await build({ ...OPTIONS, ...RUNTIMES[runtime], stdin });
  return outputFiles?.[0]?.text ?? "";
}
