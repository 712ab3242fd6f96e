import { createHash } from "node:crypto";
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { defineBuildConfig } from "obuild/config";
import type { CodeSplittingNameFunction } from "rolldown";
import * as simpleIcons from "simple-icons";
import ts from "typescript";

const root = fileURLToPath(new URL(".", import.meta.url));

/** The target of an entry point: a file, or a file per condition. */
export type Target = string | Record<string, string>;

/** Returns the file of a target that an `import` without further conditions loads. */
export function getDefaultFile(target: Target | undefined): string | undefined {
  return typeof target === "object" ? target.default : target;
}

/** Kinds of plugins that are exported by one pattern each, because they have many files. */
const PATTERN_KINDS = ["providers", "languages"];

/** Kinds of plugins whose entry points contain the kind: `keyhook/stores/redis`. */
const KINDS = [
  "adapters",
  "flows",
  "migrations",
  "oauth",
  "observability",
  "pages",
  "routes",
  "security",
  "stores",
  "strategies",
  ...PATTERN_KINDS,
];

/** Files whose names start with `_` and files in the folder of an entry point are private. */
const ENTRY_POINT = /^(?:(src|presets)|plugins\/([^/]+))\/([^_/][^/]*)\.ts$/;

/** The command line: a `bin` of the package, and no export. */
const BIN = "src/cli.ts";

/** Returns a file's path in the exports map; `undefined` for a private file. */
export function getEntryPoint(file: string): string | undefined {
  if (file === BIN) return undefined;
  const [, root, kind, name = ""] = ENTRY_POINT.exec(file) ?? [];
  if (root === "presets" && name === "index") return ".";
  if (root || kind === "frameworks") return `./${name}`;
  return kind && KINDS.includes(kind) ? `./${kind}/${name}` : undefined;
}

// The file that is built from a source.
function built(file: string): string {
  return `./dist/${file.replace(/\.ts$/, "")}.js`;
}

/** The commands of the package. */
export const BINS: Readonly<Record<string, string>> = { keyhook: built(BIN) };

/** Builds the exports map from the files. */
export function buildExports(files: readonly string[]): Record<string, Target> {
  const single: [string, Target][] = [];
  for (const file of files) {
    const path = getEntryPoint(file);
    if (path === undefined || PATTERN_KINDS.some((kind) => path.startsWith(`./${kind}/`))) continue;
    single.push([path, toTarget(built(file))]);
  }
  // Private files are not built apart. A target of `null` would say so too, but Nuxt's tools cannot read it.
  const patterns = PATTERN_KINDS.map((kind): [string, Target] => [
    `./${kind}/*`,
    built(`plugins/${kind}/*.ts`),
  ]);
  const sorted = single.sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries([...sorted, ...patterns, ["./package.json", "./package.json"]]);
}

// The application compiles Svelte components. Its tools find packages with components by this condition.
function toTarget(file: string): Target {
  if (!file.endsWith("/svelte.js")) return file;
  return { types: file.replace(/\.js$/, ".d.ts"), svelte: file, default: file };
}

/** Lists the differences between the exports map of `package.json` and the files, one line each. */
export function findExportFaults(
  declared: Record<string, Target>,
  files: readonly string[],
): string[] {
  const faults: string[] = [];
  const expected = buildExports(files);
  for (const [path, target] of Object.entries(expected)) {
    const [actual, wanted] = [declared[path], target].map((it) => JSON.stringify(it));
    if (!(path in declared)) faults.push(`package.json exports lack "${path}": ${wanted}`);
    else if (actual !== wanted)
      faults.push(`package.json exports "${path}" as ${actual}, not ${wanted}`);
  }
  for (const path of Object.keys(declared))
    if (!(path in expected))
      faults.push(`package.json exports "${path}", for which there is no file`);
  for (const target of Object.values(expected)) {
    const source = getDefaultFile(target)?.replace("./dist/", "").replace(/\.js$/, ".ts");
    if (source && !source.includes("*") && source !== "./package.json" && !files.includes(source))
      faults.push(`${source} is exported and missing`);
  }
  for (const file of files)
    if (!/^(_?[a-z0-9]+(-[a-z0-9]+)*\/)*_?[a-z0-9]+(-[a-z0-9]+)*\.ts$/.test(file))
      faults.push(`${file} is not kebab-case`);
  return faults;
}

export const sources = globSync("{src,plugins,presets}/**/*.ts", { cwd: root })
  .map((file) => file.replaceAll("\\", "/"))
  .sort();

/** Imports Svelte components, which the application compiles: the bundler cannot resolve them. */
const COMPONENT_ENTRY = "plugins/frameworks/svelte.ts";

/** Components import these files, which therefore keep their paths. */
const COMPONENT_FILES = "plugins/frameworks/svelte/";

/** Nuxt's build reads these files: they keep their paths. */
const NUXT_FILES = "plugins/bindings/nuxt/runtime/";

const BROWSER = "plugins/flows/webauthn/browser/";

/**
 * Bundles the passkey form's browser script, and builds a module with its hash. Returns the
 * modules' texts by file. They are in the repository, so that the sources run without a build.
 */
export async function buildBrowserScript(): Promise<Record<string, string>> {
  const { outputFiles } = await build({
    entryPoints: [`${root}${BROWSER}passkey-form.ts`],
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    legalComments: "none",
    write: false,
  });
  const script = outputFiles[0]?.text ?? "";
  const hash = createHash("sha256").update(script);
  const integrity = hash.copy().digest("base64");
  const name = hash.digest("hex").slice(0, 16);
  const header = "// Generated by `npm run build:script` from passkey-form.ts.";
  return {
    [`${BROWSER}script.ts`]:
      `${header}\n/** The script of the passkey form. */\n` +
      `// oxfmt-ignore\nexport const SCRIPT: string =\n  ${JSON.stringify(script)};\n`,
    [`${BROWSER}script-hash.ts`]:
      `${header}\n/** Part of the script's URL. */\nexport const SCRIPT_HASH: string = "${name}";\n` +
      `/** Hash of the script (Subresource Integrity). */\n` +
      `export const SCRIPT_INTEGRITY: string = "sha256-${integrity}";\n`,
  };
}

/** Writes the files of `buildBrowserScript`. */
export async function writeBrowserScript(): Promise<void> {
  for (const [file, text] of Object.entries(await buildBrowserScript())) {
    writeFileSync(root + file, text);
  }
}

const ICONS = "plugins/providers/_icons/";

/** The slugs of Simple Icons that are not the provider's id without hyphens. */
const ICON_SLUGS: Readonly<Record<string, string>> = {
  "42-school": "42",
  battlenet: "battledotnet",
  hydra: "ory",
  mailru: "maildotru",
  oidc: "openid",
  "shopify-customer": "shopify",
  startgg: "startdotgg",
  twitter: "x",
  xsuaa: "sap",
};

/**
 * Returns the modules of the icons that providers load, by file: paths of Simple Icons (CC0-1.0).
 * @throws Error for an icon that the collection lacks, or that has another license.
 */
export function buildIcons(): Record<string, string> {
  const icons = new Map(Object.values(simpleIcons).map((icon) => [icon.slug, icon]));
  const texts: Record<string, string> = {};
  for (const file of sources) {
    const [, id] = /^plugins\/providers\/([^/]+)\.ts$/.exec(file) ?? [];
    if (!id || !readFileSync(root + file, "utf8").includes(`./_icons/${id}.ts`)) continue;
    const icon = icons.get(ICON_SLUGS[id] ?? id.replaceAll("-", ""));
    if (!icon) throw new Error(`Simple Icons has no icon for ${id}.`);
    if (icon.license) throw new Error(`The icon of ${id} has the license ${icon.license.type}.`);
    texts[`${ICONS}${id}.ts`] =
      "// Generated by `npm run build:icons` from Simple Icons (CC0-1.0).\n" +
      'import type { Icon } from "../../../src/kernel.ts";\n\n' +
      `/** The mark of ${icon.title}. */\n// oxfmt-ignore\n` +
      `export const ICON: Icon = [{ rule: "nonzero", d: ${JSON.stringify(icon.path)} }];\n`;
  }
  return texts;
}

/** Writes the files of `buildIcons`. */
export function writeIcons(): void {
  mkdirSync(root + ICONS, { recursive: true });
  for (const [file, text] of Object.entries(buildIcons())) writeFileSync(root + file, text);
}

/** Writes the commands and the exports map into `package.json`. */
export function writeExports(): void {
  const text = readFileSync(`${root}package.json`, "utf8");
  const manifest = { ...JSON.parse(text), bin: BINS, exports: buildExports(sources) };
  writeFileSync(`${root}package.json`, `${JSON.stringify(manifest, null, 2)}\n`);
}

const entries = sources.filter(
  (file) =>
    file === BIN ||
    (file !== COMPONENT_ENTRY && getEntryPoint(file) !== undefined) ||
    file.startsWith(COMPONENT_FILES) ||
    file.startsWith(NUXT_FILES),
);

/**
 * Emits declarations file by file: a bundled declaration renames interfaces in shared chunks, and
 * `declare module "keyhook/types"` would then extend an interface that no other declaration uses.
 */
function emitDeclarations(): void {
  const { options, fileNames } = ts.parseJsonConfigFileContent(
    {
      extends: "./tsconfig.json",
      include: ["src", "plugins", "presets"],
      compilerOptions: {
        noEmit: false,
        declaration: true,
        emitDeclarationOnly: true,
        isolatedDeclarations: true,
        rootDir: ".",
        outDir: "dist",
      },
    },
    ts.sys,
    root,
  );
  const { diagnostics } = ts.createProgram(fileNames, options).emit(undefined, (path, text) => {
    ts.sys.writeFile(path, withBuiltNames(text));
  });
  if (diagnostics.length > 0)
    throw new Error(
      ts.formatDiagnostics(diagnostics, {
        getCanonicalFileName: (name) => name,
        getCurrentDirectory: () => root,
        getNewLine: () => "\n",
      }),
    );
}

// Built files have other extensions than their sources.
function withBuiltNames(text: string): string {
  return text.replaceAll(/((?:from |import\(|declare module )"\.[^"]*)\.ts"/g, '$1.js"');
}

/** Copies Svelte components; only the extensions of relative imports change. */
function copyComponents(): void {
  for (const file of globSync("plugins/**/*.svelte", { cwd: root })) {
    const text = readFileSync(root + file, "utf8");
    writeFileSync(`${root}dist/${file}`, withBuiltNames(text));
  }
  const entry = readFileSync(root + COMPONENT_ENTRY, "utf8");
  const { outputText } = ts.transpileModule(entry, {
    compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext },
  });
  writeFileSync(
    `${root}dist/${COMPONENT_ENTRY.replace(/\.ts$/, ".js")}`,
    withBuiltNames(outputText),
  );
}

/** Escapes the characters beyond ASCII of a script: all of them are in texts and patterns. */
function toAscii(code: string): string {
  return code.replaceAll(
    /[^\0-\x7f]/g,
    (one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Names a chunk of what some modules load at start; other modules are not in it. */
function nameLoaded(name: string, ...files: string[]): CodeSplittingNameFunction {
  return (id, modules) => {
    const loaded = new Set<string>();
    const load = (module: string): void => {
      if (loaded.has(module)) return;
      loaded.add(module);
      for (const imported of modules.getModuleInfo(module)?.importedIds ?? []) load(imported);
    };
    for (const file of files) load(root + file);
    return loaded.has(id) ? name : null;
  };
}

/** The start of a statement that creates a factory of plugins: the call has no effects. */
const FACTORY = /^(const \w+ = )((?:define(?:Flow|Plugin|Provider)|recordCalls)\()/gm;

export default defineBuildConfig({
  entries: [{ type: "bundle", input: entries, dts: false }],
  hooks: {
    start() {
      const { bin, exports } = JSON.parse(readFileSync(`${root}package.json`, "utf8"));
      const faults = findExportFaults(exports, sources);
      if (JSON.stringify(bin) !== JSON.stringify(BINS))
        faults.push("package.json has another `bin`");
      if (faults.length > 0)
        throw new Error(
          `package.json is out of date: npm run build:exports\n  ${faults.join("\n  ")}`,
        );
    },
    rolldownConfig(config) {
      // An entry point exports only its own names, not those that chunks share.
      config.preserveEntrySignatures = "strict";
      config.treeshake = { moduleSideEffects: false };
      // tapable's own bundlers' shim stands for `util`, which edge runtimes do not have.
      config.resolve = { ...config.resolve, alias: { util: "tapable/lib/util-browser.js" } };
      const external = config.external as (string | RegExp)[];
      // Nuxt's names for itself and for what its modules generate.
      config.external = [...external.filter((one) => one !== "util"), /^#(?:imports$|build\/)/];
      // obuild removes comments. Without this one, webpack looks for a package where `import(NAME)` may only be in use.
      (config.plugins as object[]).push({
        name: "webpack-ignore",
        renderChunk: (code: string) =>
          code.replaceAll("/* @vite-ignore */", "$& /* webpackIgnore: true */"),
      });
      // A bundler drops an unused call only if it is marked as pure.
      (config.plugins as object[]).push({
        name: "pure-factories",
        renderChunk: (code: string) => code.replaceAll(FACTORY, "$1/* @__PURE__ */ $2"),
      });
      // With one character beyond ASCII, V8 decodes a whole file, and keeps it in two bytes a character.
      (config.plugins as object[]).push({
        name: "ascii",
        generateBundle(_: unknown, bundle: Record<string, { type: string; code: string }>) {
          for (const file of Object.values(bundle)) {
            if (file.type === "chunk") file.code = toAscii(file.code);
          }
        },
      });
      config.input = Object.fromEntries(entries.map((file) => [file.slice(0, -3), root + file]));
    },
    rolldownOutput(output) {
      output.entryFileNames = "[name].js";
      output.chunkFileNames = "_chunks/[name].js";
      // Few files, because each one slows a cold start; `keyhook/jwt` loads only the chunk `token`.
      output.codeSplitting = {
        groups: [
          {
            name: "token",
            test: /\/src\/(?:errors|crypto\/(?:token|sealed)|http\/cookies|kernel\/(?:env|logger))\.ts$/,
            priority: 4,
          },
          {
            name: "kernel",
            // What is imported on first use, such as the linking of users, stays apart.
            tags: ["$initial"],
            test: /\/src\/(?:(?:auth|errors|http|i18n|kernel|platform|request|signin|storage)\/|(?:kernel|_kit)\.ts$)/,
            priority: 2,
          },
          {
            name: nameLoaded("minimal", "presets/minimal.ts"),
            test: /\/(?:plugins|presets)\//,
            priority: 1,
          },
          // Apart: providers load it, with whichever preset. What loads more on first use is apart from it: a bundler that
          // writes one file wraps each module that it leads back to.
          { name: nameLoaded("oauth", "plugins/flows/oauth/oauth-flow.ts"), test: /\/plugins\// },
          { name: nameLoaded("openid-flow", "plugins/flows/oauth.ts"), test: /\/plugins\// },
          { name: nameLoaded("standard", "presets/standard.ts"), test: /\/(?:plugins|src)\// },
        ],
      };
    },
    end() {
      emitDeclarations();
      copyComponents();
    },
  },
});
