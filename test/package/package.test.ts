import { execFileSync } from "node:child_process";
import { cpSync, globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import * as esbuild from "esbuild";
import { build, type Rolldown } from "vite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getEntryPoint, sources } from "../../build.config.ts";
import { findSources, listStaticFiles } from "./_files.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const consumer = fileURLToPath(new URL("consumer", import.meta.url));
const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

const resolutions = {
  nodenext: { module: "nodenext", moduleResolution: "nodenext" },
  bundler: { module: "preserve", moduleResolution: "bundler", noEmit: true },
};

/** The newest version that the oldest supported compiler knows. */
const OLDEST = { target: "es2022", lib: ["es2022", "dom", "dom.iterable"] };

// npm may run with an older Node than the project's own.
const runtimes = [...new Set([process.execPath, process.env.npm_node_execpath ?? ""])].filter(
  Boolean,
);

let dir: string;
let packed: { filename: string; files: { path: string }[] };

function run(command: string, args: string[]): string {
  try {
    return execFileSync(command, args, { cwd: dir, encoding: "utf8", stdio: "pipe" });
  } catch (error) {
    const { stdout, stderr } = error as { stdout?: string; stderr?: string };
    throw new Error(`${command} ${args.join(" ")}\n${stdout}\n${stderr}`, { cause: error });
  }
}

function install(...packages: string[]): void {
  run("npm", ["install", "--no-audit", "--no-fund", "--prefer-offline", ...packages]);
}

function compile(file: string, types: string[], resolution: object, compiler = tsc): void {
  const compilerOptions = {
    target: "es2023",
    lib: ["es2023", "dom", "dom.iterable"],
    types,
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    verbatimModuleSyntax: true,
    skipLibCheck: false,
    ...resolution,
  };
  writeFileSync(join(dir, "tsconfig.json"), JSON.stringify({ compilerOptions, files: [file] }));
  run(process.execPath, [compiler, "-p", "."]);
}

beforeAll(() => {
  dir = mkdtempSync(join(tmpdir(), "keyhook-consumer-"));
  const answer = execFileSync(
    "npm",
    ["pack", "--json", "--ignore-scripts", "--pack-destination", dir],
    { cwd: root, encoding: "utf8", stdio: ["ignore", "pipe", "pipe"] },
  );
  packed = JSON.parse(answer)[0];
  cpSync(consumer, dir, { recursive: true });
  writeFileSync(join(dir, "package.json"), JSON.stringify({ private: true, type: "module" }));
  install(`./${packed.filename}`);
});

afterAll(() => rmSync(dir, { recursive: true, force: true }));

describe("the packed package", () => {
  it("the packed package contains the build and its documentation, and no sources, tests or playground", () => {
    const tops = new Set(packed.files.map(({ path }) => path.split("/")[0]));
    for (const top of ["dist", "package.json", "LICENSE"]) expect(tops).toContain(top);
    for (const top of ["test", "playground"]) expect(tops).not.toContain(top);
    const outside = packed.files.filter(
      ({ path }) => !/^dist\/|^package.json$|^LICENSE$/.test(path),
    );
    expect(outside.filter(({ path }) => !path.endsWith(".md"))).toEqual([]);
  });

  it("the packed package does not install h3", () => {
    expect(() => createRequire(join(dir, "app.ts")).resolve("h3")).toThrow(/Cannot find module/);
  });

  it.each(Object.entries(resolutions))(
    "the packed package type-checks under %s without Node's types",
    (_, resolution) => {
      compile("app.ts", [], resolution);
    },
  );

  it.each(["5.4", "7"])(
    "the packed package type-checks under TypeScript %s, and declarations of an application only name entry points",
    (version) => {
      install(`typescript-${version}@npm:typescript@${version}`);
      const compiler = join(dir, `node_modules/typescript-${version}/bin/tsc`);
      for (const resolution of Object.values(resolutions))
        compile("app.ts", [], { ...resolution, ...OLDEST }, compiler);
      // The declarations of frameworks are not installed.
      const options = { skipLibCheck: true, composite: true, outDir: "declared" };
      compile("declared.ts", [], { ...resolutions.nodenext, ...OLDEST, ...options }, compiler);
      const text = readFileSync(join(dir, "declared/declared.d.ts"), "utf8");
      expect(text).toContain('import("keyhook/sveltekit")');
      expect(text).not.toMatch(/_chunks|node_modules|\bany\b/);
    },
  );

  it("the packed package type-checks with Node's types and without those of browsers", () => {
    install(`@types/node@${devDependencies["@types/node"]}`);
    const options = { ...resolutions.nodenext, lib: ["es2023"] };
    compile("without-dom.ts", ["node"], { ...options, noEmit: true });
  });

  it("every preset of the packed package types providers that are plain objects", () => {
    compile("plain-provider.ts", [], { ...resolutions.nodenext, skipLibCheck: true });
  });

  it("every entry point of the packed package exports the same names as its source", async () => {
    const { exports } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));
    const doors = Object.entries<string>(exports).filter(
      ([door, file]) =>
        typeof file === "string" && file.endsWith(".js") && !/h3|react|vue|svelte|[*]/.test(door),
    );
    for (const [door, file] of doors) {
      const source = file.replace("./dist/", "").replace(/[.]js$/, ".ts");
      const names = Object.keys((await import(join(root, source))) as object).sort();
      const specifier = JSON.stringify(`keyhook${door.slice(1)}`);
      const script = `import(${specifier}).then((all) => console.log(Object.keys(all).join()))`;
      expect(
        run(process.execPath, ["-e", script]).trim().split(",").filter(Boolean).sort(),
      ).toEqual(names);
    }
  });

  it("the packed package has the command keyhook", () => {
    const command = join(dir, "node_modules/.bin/keyhook");
    for (const node of runtimes) {
      expect(run(node, [command, "secret"])).toMatch(/^AUTH_SECRET=[\w-]{43}\n$/);
      expect(run(node, [command, "provider", "github"])).toContain("AUTH_GITHUB_ID");
      expect(run(node, [command, "--help"])).toContain(
        "USAGE keyhook secret|provider|inspect|doctor",
      );
    }
  });

  it("the packed package runs in Node", () => {
    compile("app.ts", [], resolutions.nodenext);
    for (const node of runtimes)
      expect(JSON.parse(run(node, ["app.js"]))).toEqual({
        session: null,
        providers: expect.arrayContaining(["credentials", "github"]),
        sub: "1",
        same: true,
        kernel: "function",
        getToken: "function",
        error: true,
      });
  });

  it.each(Object.entries(resolutions))(
    "keyhook/testing type-checks under %s without Node's types",
    (_, resolution) => {
      compile("testing.ts", [], resolution);
    },
  );

  it("keyhook/testing of the packed package signs users in and moves the time", () => {
    compile("testing.ts", [], resolutions.nodenext);
    for (const node of runtimes)
      expect(JSON.parse(run(node, ["testing.js"]))).toEqual({
        session: { user: { name: "Ada" }, expires: "2026-05-31T00:00:00.000Z" },
        later: null,
        refused: "?error=AccessDenied",
        byLink: "ada@example.com",
        isReal: true,
      });
  });

  it.each([
    // The declarations of h3 itself do not pass a strict check.
    ["h3", `h3@${devDependencies.h3}`, { skipLibCheck: true }],
    ["node", `@types/node@${devDependencies["@types/node"]}`, {}],
  ])(
    "the entry point for %s type-checks and runs with its peer dependency",
    (name, dependency, options) => {
      install(dependency);
      for (const resolution of [resolutions.bundler, resolutions.nodenext])
        compile(`with-${name}.ts`, name === "node" ? ["node"] : [], { ...resolution, ...options });
      for (const node of runtimes)
        expect(JSON.parse(run(node, [`with-${name}.js`]))).toContain("createAuth");
    },
  );

  it("the entry points for React, Vue and Svelte type-check and bundle for a page", async () => {
    const names = ["react", "@types/react", "vue", "svelte"];
    install(...names.map((name) => `${name}@${devDependencies[name]}`));
    for (const resolution of [resolutions.bundler, resolutions.nodenext])
      // The declarations of the frameworks themselves do not pass a strict check.
      compile("page.ts", [], { ...resolution, skipLibCheck: true, noEmit: true });
    const result = await build({
      root: dir,
      configFile: false,
      logLevel: "error",
      plugins: [svelte({ configFile: false })],
      build: { write: false, minify: false, rollupOptions: { input: join(dir, "page.ts") } },
    });
    const { output } = (Array.isArray(result) ? result[0] : result) as Rolldown.RolldownOutput;
    const code = output.map((part) => ("code" in part ? part.code : "")).join("");
    // The components are compiled with the page, and the page contains no server code.
    expect(code).toContain("signOutButton");
    expect(code).toContain("x-auth-return-redirect");
    expect(code).not.toMatch(/tapable|hookable|createHandler|AUTH_SECRET/);
    const first = readFileSync(join(dir, "node_modules/keyhook/dist/plugins/frameworks/react.js"));
    expect(first.toString()).toMatch(/^"use client";/);
  });
});

/** Expands the exports map by the sources: every entry point as an application imports it. */
const entryPoints = sources
  .map((file) => getEntryPoint(file)?.replace(".", "keyhook"))
  .filter((path) => path !== undefined)
  .sort();

/** Imports each of the specifiers in one process, and returns the errors' codes and messages. */
function listImportFailures(specifiers: readonly string[]): Record<string, string> {
  const script = `
    const failures = {};
    for (const one of ${JSON.stringify(specifiers)})
      await import(one).catch((error) => (failures[one] = error.code + " " + error.message));
    console.log(JSON.stringify(failures));`;
  return JSON.parse(run(process.execPath, ["--input-type=module", "-e", script]));
}

describe("the entry points of the packed package", () => {
  it("every entry point of the exports map can be imported, with the peer dependencies of frameworks", () => {
    const peers = ["h3", "react", "vue"].map((name) => `${name}@${devDependencies[name]}`);
    install(...peers);
    // The application compiles its components.
    const importable = entryPoints.filter((path) => path !== "keyhook/svelte");
    expect(importable.length).toBeGreaterThan(70);
    expect(listImportFailures(importable)).toEqual({});
  });

  it("paths that are not in the exports map are refused", () => {
    const refused = [
      "keyhook/stores/_redis/backend",
      "keyhook/stores/fs/lock",
      "keyhook/plugins/stores/redis",
      "keyhook/plugins/x",
      "keyhook/providers/_x",
      "keyhook/languages/_x",
      "keyhook/pages/_icons",
      "keyhook/flows/email/token",
      "keyhook/bindings/h3",
      "keyhook/_kit",
      "keyhook/src/_kit",
      "keyhook/src/kernel",
      "keyhook/dist/src/kernel.js",
      "keyhook/dist/_chunks/kernel.js",
      "keyhook/presets/minimal",
    ];
    const failures = listImportFailures(refused);
    for (const path of refused) {
      // The pattern of a kind also matches private files, which are part of other files of the
      // build.
      const code = path.endsWith("/_x") ? "ERR_MODULE_NOT_FOUND" : "ERR_PACKAGE_PATH_NOT_EXPORTED";
      expect(failures[path], path).toMatch(new RegExp(`^${code} `));
    }
  });

  it("a file that no pattern of the exports map matches is refused", () => {
    const refused = ["keyhook/providers/nowhere", "keyhook/providers/../flows/email"];
    const failures = listImportFailures(refused);
    expect(failures[refused[0]!]).toMatch(/^ERR_MODULE_NOT_FOUND /);
    expect(failures[refused[1]!]).toMatch(/^ERR_INVALID_MODULE_SPECIFIER /);
  });
});

describe("the code that an entry point of the packed package loads", () => {
  const getDist = () => join(dir, "node_modules/keyhook/dist/");

  it("keyhook/kernel loads no flow, route, strategy, page, store or adapter", () => {
    const files = listStaticFiles(join(getDist(), "src/kernel.js"));
    expect(files.length).toBeGreaterThan(1);
    const loaded = findSources(files);
    expect(loaded).toContain("src/kernel/kernel.ts");
    expect(loaded.filter((file) => /^(plugins|presets|src\/page)\//.test(file))).toEqual([]);
  });

  it("keyhook/minimal loads the routes and cookie sessions, and no flow, page, store, adapter or stored session", () => {
    const loaded = findSources(listStaticFiles(join(getDist(), "presets/minimal.js")));
    const plugins = loaded.filter((file) => /^(plugins|presets|src\/page)\//.test(file));
    expect(plugins).toEqual([
      "plugins/routes/callback.ts",
      "plugins/routes/csrf.ts",
      "plugins/routes/providers.ts",
      "plugins/routes/session.ts",
      "plugins/routes/signin.ts",
      "plugins/routes/signout.ts",
      "plugins/strategies/_jwt/claims.ts",
      "plugins/strategies/_jwt/cookie.ts",
      "plugins/strategies/_jwt/ended.ts",
      "plugins/strategies/_jwt/strategy.ts",
      "plugins/strategies/_jwt/times.ts",
      "plugins/strategies/jwt.ts",
      "presets/minimal.ts",
    ]);
  });

  // Finding, reading and linking a file takes half a millisecond of every process start. The OpenID
  // Connect flow is one of the files: with it, a bundle with only OAuth would be a KiB larger.
  it.each([
    ["presets/index.js", 8],
    ["presets/h3.js", 11],
    ["presets/node.js", 9],
    ["presets/minimal.js", 4],
    ["src/jwt.js", 2],
  ])("%s loads at most %i files of the package at start", (file, most) => {
    const files = listStaticFiles(join(getDist(), file));
    expect(files.length).toBeGreaterThan(1);
    expect(files.length).toBeLessThanOrEqual(most);
  });

  it("a bundle of keyhook/minimal and keyhook/providers/github contains the OAuth flow and no other flow, page, store or adapter", async () => {
    const contents =
      'export { createAuth } from "keyhook/minimal";' +
      'export { githubPlugin } from "keyhook/providers/github";';
    const { metafile, outputFiles } = await esbuild.build({
      stdin: { contents, resolveDir: dir },
      absWorkingDir: dir,
      outdir: "bundle",
      bundle: true,
      write: false,
      metafile: true,
      minify: true,
      format: "esm",
      target: "es2023",
      platform: "neutral",
      mainFields: ["module", "main"],
      external: ["node:*", "h3"],
    });
    expect(outputFiles).toHaveLength(1);
    const [bundle] = Object.values(metafile.outputs);
    const inputs = Object.entries(bundle!.inputs)
      .filter(([file, { bytesInOutput }]) => /\/keyhook\/dist\//.test(file) && bytesInOutput > 0)
      .map(([file]) => join(dir, file));
    const found = findSources(inputs);
    const packages = Object.entries(bundle!.inputs)
      .filter(([file, { bytesInOutput }]) => !/\/keyhook\/dist\//.test(file) && bytesInOutput > 0)
      .map(([file]) => /.*node_modules\/((?:@[^/]+\/)?[^/]+)/.exec(file)?.[1]);
    expect(new Set(packages.filter(Boolean))).toEqual(new Set(["hookable"]));
    expect(found).not.toContain("plugins/flows/oauth/id-token.ts");
    expect(found).not.toContain("plugins/flows/oauth/oidc-flow.ts");
    expect(found).toContain("plugins/flows/oauth/oauth-flow.ts");
    expect(found).toContain("plugins/flows/oauth/finish.ts");
    expect(found).toContain("plugins/providers/github.ts");
    expect(
      found.filter(
        (file) =>
          /^(plugins\/(flows\/(email|webauthn|credentials)|stores|adapters|pages|frameworks|languages|bindings|strategies\/(_?database|hybrid))|src\/(page|testing|client))[./]/.test(
            file,
          ) || /^plugins\/(stores|adapters|pages|languages)\//.test(file),
      ),
    ).toEqual([]);
    expect(found.filter((file) => file.startsWith("plugins/providers/"))).toEqual([
      "plugins/providers/github.ts",
    ]);
  });

  it("no built file has code that creates functions from text, or requires a built-in of Node", () => {
    const files = globSync("**/*.js", { cwd: getDist() });
    expect(files.length).toBeGreaterThan(100);
    for (const file of files) {
      const text = readFileSync(join(getDist(), file), "utf8");
      expect(
        /\bnew Function\b|(?<![.\w])eval\(|(?<![.\w])require\(/.exec(text)?.[0],
        file,
      ).toBeUndefined();
    }
  });

  it("Vite and webpack leave imports by a variable to the runtime", () => {
    const texts = globSync("**/*.js", { cwd: getDist() })
      .map((file) => readFileSync(join(getDist(), file), "utf8"))
      .filter((text) => text.includes("@vite-ignore"));
    expect(texts).toHaveLength(2);
    for (const text of texts)
      expect(text).toMatch(/import\(\s*\/\* @vite-ignore \*\/\s*\/\* webpackIgnore: true \*\//);
  });

  it.each(["plugin", "middleware"])(
    "the %s that Nuxt loads only has a default export, because Nuxt below 4.5.1 finds none among several exports",
    async (name) => {
      const file = join(root, `dist/plugins/bindings/nuxt/runtime/${name}.js`);
      const { metafile } = await esbuild.build({
        entryPoints: [file],
        bundle: true,
        packages: "external",
        external: ["#*"],
        format: "esm",
        metafile: true,
        write: false,
      });
      expect(Object.values(metafile.outputs)[0]?.exports).toEqual(["default"]);
      expect(readFileSync(file, "utf8")).toMatch(/export (default |\{ \w+ as default \})/);
    },
  );

  it("no built file has a character beyond ASCII, which would slow its start", () => {
    for (const file of globSync("**/*.js", { cwd: getDist() })) {
      const text = readFileSync(join(getDist(), file), "utf8");
      // oxlint-disable-next-line no-control-regex -- ASCII
      expect(/[^\0-\x7f]/.exec(text)?.[0], file).toBeUndefined();
    }
  });
});
