import { globSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineBuildConfig } from "obuild/config";
import ts from "typescript";

const root = fileURLToPath(new URL(".", import.meta.url));

/** The modules of the kernel with a door of their own, besides `keyhook/kernel`. */
const kernelDoors = ["adapters", "client", "errors", "jwt", "testing", "types"];

/** Where a path of the exports map leads: a file, nothing, or what a tool that knows the name picks. */
export type Target = string | null | Record<string, string>;

/** The file that code gets which asks for nothing special. */
export function fileOf(target: Target | undefined): string | undefined {
  return (typeof target === "object" ? target?.default : target) ?? undefined;
}

/** What the folders say the exports map has to be. */
export function exportsOf(files: readonly string[]): Record<string, Target> {
  const built = (file: string) => `./dist/${file.replace(/\.ts$/, "")}.js`;
  const faces = files.filter((file) => /^plugins\/faces\/([^/]+)\/\1\.ts$/.test(file));
  const presets = files.filter((file) => /^presets\/[^/]+\.ts$/.test(file));
  return {
    ".": built("presets/index.ts"),
    "./kernel": built("src/index.ts"),
    ...Object.fromEntries(kernelDoors.map((name) => [`./${name}`, built(`src/${name}.ts`)])),
    ...Object.fromEntries(
      presets
        .filter((file) => file !== "presets/index.ts")
        .map((file) => [`./${file.slice("presets/".length, -".ts".length)}`, built(file)]),
    ),
    ...Object.fromEntries(
      faces.map((file) => [`./${file.split("/")[2]}`, faceTarget(built(file))]),
    ),
    "./providers/*": built("plugins/providers/*.ts"),
    "./plugins/*": built("plugins/*.ts"),
    // One path for one thing.
    "./plugins/faces/*": null,
    "./plugins/providers/*": null,
    "./package.json": "./package.json",
  };
}

// Components are compiled with the application: its tools know such packages by this condition.
function faceTarget(file: string): Target {
  if (!file.includes("/svelte/")) return file;
  return { types: file.replace(/\.js$/, ".d.ts"), svelte: file, default: file };
}

/** Every disagreement between the exports map and the folders, one line each. */
export function exportFaults(declared: Record<string, Target>, files: readonly string[]): string[] {
  const faults: string[] = [];
  const expected = exportsOf(files);
  for (const [path, target] of Object.entries(expected)) {
    const [is, shall] = [declared[path], target].map((it) => JSON.stringify(it));
    if (!(path in declared)) faults.push(`package.json exports lack "${path}": ${shall}`);
    else if (is !== shall) faults.push(`package.json exports "${path}" as ${is}, not ${shall}`);
  }
  for (const path of Object.keys(declared))
    if (!(path in expected))
      faults.push(`package.json exports "${path}", which no file stands for`);
  for (const target of Object.values(expected)) {
    const source = fileOf(target)?.replace("./dist/", "").replace(/\.js$/, ".ts");
    if (source && !source.includes("*") && source !== "./package.json" && !files.includes(source))
      faults.push(`${source} is exported and missing`);
  }
  for (const file of files)
    if (!/^([a-z0-9]+(-[a-z0-9]+)*\/)*[a-z0-9]+(-[a-z0-9]+)*\.ts$/.test(file))
      faults.push(`${file} is not kebab-case`);
  return faults;
}

export const sources = globSync("{src,plugins,presets}/**/*.ts", { cwd: root })
  .map((file) => file.replaceAll("\\", "/"))
  .sort();

/** What imports components, which an application compiles: no bundler of ours can follow it there. */
const COMPONENT_DOOR = "plugins/faces/svelte/svelte.ts";

const entries = sources.filter(
  (file) =>
    (file !== COMPONENT_DOOR && !file.startsWith("src/")) ||
    file === "src/index.ts" ||
    kernelDoors.some((name) => file === `src/${name}.ts`),
);

/**
 * Declarations are emitted file by file: a bundled declaration renames interfaces in shared chunks,
 * and `declare module "keyhook/types"` would then extend a name that nobody reads.
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
        stripInternal: true,
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

// The files of the build have other names than their sources.
function withBuiltNames(text: string): string {
  return text.replaceAll(/((?:from |import\()"\.[^"]*)\.ts"/g, '$1.js"');
}

/** Components go out as they are, but for the names of the files beside them. */
function copyComponents(): void {
  for (const file of globSync("plugins/**/*.svelte", { cwd: root })) {
    const text = readFileSync(root + file, "utf8");
    writeFileSync(`${root}dist/${file}`, withBuiltNames(text));
  }
  const door = readFileSync(root + COMPONENT_DOOR, "utf8");
  const { outputText } = ts.transpileModule(door, {
    compilerOptions: { target: ts.ScriptTarget.ES2023, module: ts.ModuleKind.ESNext },
  });
  writeFileSync(
    `${root}dist/${COMPONENT_DOOR.replace(/\.ts$/, ".js")}`,
    withBuiltNames(outputText),
  );
}

export default defineBuildConfig({
  entries: [{ type: "bundle", input: entries, dts: false, license: false }],
  hooks: {
    start() {
      const { exports } = JSON.parse(readFileSync(`${root}package.json`, "utf8"));
      const faults = exportFaults(exports, sources);
      if (faults.length > 0) throw new Error(`The build is refused:\n  ${faults.join("\n  ")}`);
    },
    rolldownConfig(config) {
      // A door exports its own names, never what chunks need of one another.
      config.preserveEntrySignatures = "strict";
      config.treeshake = { moduleSideEffects: false };
      config.input = Object.fromEntries(entries.map((file) => [file.slice(0, -3), root + file]));
    },
    rolldownOutput(output) {
      output.entryFileNames = "[name].js";
      output.chunkFileNames = "_chunks/[name].js";
      // Few files, for each costs a cold start its time; but what `keyhook/jwt` needs stays apart.
      output.codeSplitting = {
        groups: [
          { name: "token", test: /\/src\/(?:token|cookies|env|logger)\.ts$/, priority: 4 },
          { name: "kernel", test: /\/src\/(?:auth|adapter)\.ts$/, priority: 3 },
          // What a sign-in needs beyond reading a session, and nobody else.
          {
            name: "landing",
            test: /\/src\/(?:attempt|checks|fetch|link|settle)\.ts$/,
            priority: 2,
          },
          { name: "house", test: /\/presets\/minimal\.ts$/, priority: 1 },
        ],
      };
    },
    end() {
      emitDeclarations();
      copyComponents();
    },
  },
});
