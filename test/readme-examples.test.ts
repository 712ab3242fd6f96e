import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import ts from "typescript";
import { describe, expect, it, vi } from "vitest";
import { type AuditEntry, auditLog } from "../playground/audit-log.ts";
import { fileOf, type Target } from "../build.config.ts";
import { createAuth } from "../presets/index.ts";
import { createBrowser } from "../src/testing.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const readme = readFileSync(`${root}README.md`, "utf8");
const blocks = [...readme.matchAll(/^```(tsx?)\n([^]*?)^```$/gm)];
const examples = blocks.map(([, , code = ""]) => code);
const { exports } = JSON.parse(readFileSync(`${root}package.json`, "utf8")) as {
  exports: Record<string, Target>;
};

/** The source behind a name that people import. */
function sourceOf(name: string): string {
  const path = name.replace(/^keyhook/, ".");
  const [, folder = "", file = ""] = /^\.\/(providers|plugins)\/(.+)$/.exec(path) ?? [];
  const target = fileOf(exports[path] ?? exports[`./${folder}/*`])?.replace("*", file);
  return root + target?.replace("./dist/", "").replace(/\.js$/, ".ts");
}

function mapped(code: string, to: (name: string) => string): string {
  return code.replace(/(?<=from )"(keyhook(?:\/[\w/-]+)?)"/g, (_, name: string) =>
    JSON.stringify(to(name)),
  );
}

/** What the compiler says about files that are not on the disk. */
function faultsOf(files: ReadonlyMap<string, string>): string[] {
  const { options } = ts.parseJsonConfigFileContent(
    ts.readConfigFile(`${root}tsconfig.json`, ts.sys.readFile).config,
    ts.sys,
    root,
  );
  options.jsx = ts.JsxEmit.ReactJSX;
  const host = ts.createCompilerHost(options);
  const { fileExists, readFile, getSourceFile } = host;
  host.fileExists = (file) => files.has(file) || fileExists(file);
  host.readFile = (file) => files.get(file) ?? readFile(file);
  host.getSourceFile = (file, language, ...rest) => {
    const text = files.get(file);
    return text === undefined
      ? getSourceFile(file, language, ...rest)
      : ts.createSourceFile(file, text, language);
  };
  const program = ts.createProgram([...files.keys()], options, host);
  return [...files.keys()].flatMap((file) => {
    const source = program.getSourceFile(file);
    return [
      ...program.getSyntacticDiagnostics(source),
      ...program.getSemanticDiagnostics(source),
    ].map(({ messageText }) => `${file}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`);
  });
}

describe("the README's examples", () => {
  it("are there", () => {
    expect(examples.length).toBeGreaterThanOrEqual(12);
  });

  it("pass the type check", () => {
    // Beside the playground's files, one of which an example imports.
    const files = blocks.map(([, kind, code = ""], at): [string, string] => [
      `${root}playground/readme-${at}.${kind}`,
      mapped(code, sourceOf),
    ]);
    expect(faultsOf(new Map(files))).toEqual([]);
  }, 60_000);

  it("would not pass with a fault", () => {
    const code = mapped(
      'import createAuth from "keyhook";\ncreateAuth({ secret: 1 });\n',
      sourceOf,
    );
    expect(faultsOf(new Map([[`${root}playground/readme-fault.ts`, code]]))).toHaveLength(1);
  }, 60_000);

  it("quote the playground's plugin", () => {
    const file = readFileSync(`${root}playground/audit-log.ts`, "utf8");
    expect(examples).toContain(file.replace('"../presets/index.ts"', '"keyhook"'));
  });

  it("serve a fetch server", async () => {
    vi.stubEnv("AUTH_SECRET", "a secret for this test alone, 32 characters and more");
    vi.stubEnv("AUTH_GITHUB_ID", "id");
    vi.stubEnv("AUTH_GITHUB_SECRET", "secret");
    const code = examples.find((example) => example.includes("export default {")) ?? "";
    const folder = mkdtempSync(join(tmpdir(), "keyhook-readme-"));
    const file = join(folder, "server.ts");
    writeFileSync(
      file,
      mapped(code, (name) => pathToFileURL(sourceOf(name)).href),
    );
    const { default: server } = (await import(/* @vite-ignore */ file)) as {
      default: { fetch(request: Request): Promise<Response> };
    };
    const ask = async (path: string) =>
      (await server.fetch(new Request(`http://localhost:3000${path}`))).json();
    expect(await ask("/")).toEqual({ session: null });
    expect(await ask("/auth/providers")).toMatchObject({ github: { type: "oauth" } });
    rmSync(folder, { recursive: true });
    vi.unstubAllEnvs();
  });
});

describe("the audit log", () => {
  const lines: AuditEntry[] = [];
  const auth = createAuth({
    secret: "a secret for this test alone, 32 characters and more",
    trustHost: true,
    logger: { error() {} },
    providers: [
      {
        id: "credentials",
        name: "password",
        type: "credentials",
        credentials: { word: {} },
        authorize: ({ word }) => (word === "right" ? { id: "1", name: "Ada" } : null),
      },
    ],
  }).use(auditLog((entry) => lines.push(entry)));

  it("notes who came, who left, and what failed", async () => {
    const browser = createBrowser(auth.fetch);
    await browser.signInWith("credentials", { word: "wrong" });
    await browser.signInWith("credentials", { word: "right" });
    await browser.signOut();
    expect(lines.map(({ who, what }) => `${who} ${what}`)).toEqual([
      "somebody was stopped at /auth/callback/credentials: CredentialsSignin",
      "Ada signed in with credentials",
      "Ada signed out",
    ]);
    expect(lines.every(({ at }) => at instanceof Date)).toBe(true);
  });
});
