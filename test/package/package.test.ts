import { execFileSync } from "node:child_process";
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { svelte } from "@sveltejs/vite-plugin-svelte";
import { build, type Rolldown } from "vite";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

const root = fileURLToPath(new URL("../..", import.meta.url));
const consumer = fileURLToPath(new URL("consumer", import.meta.url));
const tsc = createRequire(import.meta.url).resolve("typescript/bin/tsc");
const { devDependencies } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"));

const resolutions = {
  nodenext: { module: "nodenext", moduleResolution: "nodenext" },
  bundler: { module: "preserve", moduleResolution: "bundler", noEmit: true },
};

// The node that runs npm may be an older one than the project's own.
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

function compile(file: string, types: string[], resolution: object): void {
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
  run(process.execPath, [tsc, "-p", "."]);
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
  it("holds the build and nothing of the workshop", () => {
    const tops = new Set(packed.files.map(({ path }) => path.split("/")[0]));
    for (const top of ["dist", "package.json", "LICENSE"]) expect(tops).toContain(top);
    for (const top of ["src", "test", "playground"]) expect(tops).not.toContain(top);
  });

  it("does not bring h3 along", () => {
    expect(() => createRequire(join(dir, "app.ts")).resolve("h3")).toThrow(/Cannot find module/);
  });

  it.each(Object.entries(resolutions))(
    "is typed under %s without node's types",
    (_, resolution) => {
      compile("app.ts", [], resolution);
    },
  );

  it("has doors that export their own names alone", async () => {
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

  it("runs", () => {
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

  it.each([
    // The declarations of h3 itself do not pass a strict check.
    ["h3", `h3@${devDependencies.h3}`, { skipLibCheck: true }],
    ["node", `@types/node@${devDependencies["@types/node"]}`, {}],
  ])("opens the door of %s beside it", (name, dependency, options) => {
    install(dependency);
    for (const resolution of [resolutions.bundler, resolutions.nodenext])
      compile(`with-${name}.ts`, name === "node" ? ["node"] : [], { ...resolution, ...options });
    for (const node of runtimes)
      expect(JSON.parse(run(node, [`with-${name}.js`]))).toContain("createAuth");
  });

  it("opens the doors of React, Vue and Svelte beside them, in a page", async () => {
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
    // The components are compiled with the page, and the page knows nothing of the server.
    expect(code).toContain("signOutButton");
    expect(code).toContain("x-auth-return-redirect");
    expect(code).not.toMatch(/tapable|hookable|createHandler|AUTH_SECRET/);
    const first = readFileSync(join(dir, "node_modules/keyhook/dist/plugins/faces/react/react.js"));
    expect(first.toString()).toMatch(/^"use client";/);
  });
});
