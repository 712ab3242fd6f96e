import { describe, expect, it } from "vitest";
import type { Inspection } from "../../src/kernel.ts";
import { createFolder } from "./_cli.ts";

const ENV = { AUTH_SECRET: "keyhook-test-secret-0123456789abcdef", NODE_ENV: "test" };

const APP = `
import createAuth from "keyhook";
import { storeAdapter } from "keyhook/adapters/store";
import { memoryStore } from "keyhook/stores/memory";

export const auth = createAuth({ pages: { signIn: "/login" } })
  .use(memoryStore())
  .use(storeAdapter())
  .use({
    name: "audit",
    provides: ["service:audit"],
    setup(kernel) {
      kernel.hooks.response.tap("audit", () => undefined);
      kernel.events.hook("signIn", () => {});
      kernel.provide("audit", {});
    },
  });
`;

const SMALL = `
import createAuth from "keyhook/minimal";

export const auth = createAuth().use({ name: "audit", setup() {} });
`;

/** Creates a folder with modules, and runs \`keyhook inspect\` in it. */
function createApp(files: Record<string, string>) {
  const folder = createFolder();
  for (const [name, text] of Object.entries(files)) folder.write(name, text);
  return (args: string[], node?: string[]) =>
    folder.run(["inspect", ...args], { env: ENV, ...(node && { node }) });
}

describe("keyhook inspect", () => {
  it("prints registrations as tables", async () => {
    const { code, out, err } = await createApp({ "auth.mjs": APP })(["auth.mjs"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    for (const heading of ["Application", "Plugins", "Routes", "Hooks", "Events", "Services"]) {
      expect(out).toMatch(new RegExp(`^${heading}$`, "m"));
    }
    expect(out).toMatch(/^ {2}strategy +database$/m);
    expect(out).toMatch(/^ {2}store +memory$/m);
    expect(out).toMatch(/^ {2}audit +service:audit$/m);
    expect(out).toMatch(/^ {2}GET +\/session +- +- +routes\/session$/m);
    expect(out).toMatch(/^ {2}response +waterfall +audit +0 +audit$/m);
    expect(out).toMatch(/^ {2}signIn +audit$/m);
    expect(out).toMatch(/^ {2}sessionToken +authjs\.session-token +.*httpOnly: true/m);
    expect(out).toMatch(/^ {2}signIn +\/login$/m);
    expect(out).not.toMatch(/ +$/m);
    expect(out).not.toContain(ENV.AUTH_SECRET);
  });

  it("an Auth of a Worker is loaded: variables are its bindings, and other bindings are undefined", async () => {
    const run = createApp({
      "auth.mjs": `
        import { env, waitUntil, WorkerEntrypoint } from "cloudflare:workers";
        import { EmailMessage } from "cloudflare:email";
        import { connect } from "cloudflare:sockets";
        import createAuth from "keyhook/minimal";
        export default class extends WorkerEntrypoint {}
        export const unused = [waitUntil, EmailMessage, connect];
        export const auth = createAuth({ basePath: \`/\${env.NODE_ENV}/\${typeof env.DB}\` });`,
    });
    const { code, out, err } = await run(["auth.mjs", "--json"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(JSON.parse(out)).toMatchObject({ basePath: "/test/undefined" });
  });

  it("`--json` prints the result of inspect()", async () => {
    const { code, out } = await createApp({ "auth.mjs": APP })(["auth.mjs", "--json"]);
    expect(code).toBe(0);
    const inspection = JSON.parse(out) as Inspection;
    expect(inspection.strategy).toBe("database");
    expect(inspection.services).toContainEqual({ name: "audit", plugin: "audit" });
  });

  it.each([
    ["the default export", "auth.mjs", APP.replace("export const auth =", "export default"), []],
    [
      "the export that --export names",
      "auth.mjs",
      APP.replace("auth =", "own ="),
      ["--export", "own"],
    ],
    ["a module of TypeScript", "auth.ts", `${APP}\nexport const text: string = "x";`, []],
  ])("finds the Auth in %s", { timeout: 60_000 }, async (_, file, text, args) => {
    const { code, out, err } = await createApp({ [file]: text })([file, ...args, "--json"]);
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect((JSON.parse(out) as Inspection).plugins.map(({ name }) => name)).toContain("audit");
  });

  const hooks = `import { registerHooks } from "node:module";
    registerHooks({ resolve(name, context, next) {
      if (name === "jiti") throw new Error("Cannot find package 'jiti'");
      return next(name, context);
    } });`;
  const withoutJiti = ["--import", `data:text/javascript,${encodeURIComponent(hooks)}`];

  it("reports an import that jiti could not find either without naming jiti, if jiti is not installed", async () => {
    const text = `import { env } from "$env/dynamic/private";\n${SMALL}\nexport { env };`;
    const { code, err } = await createApp({ "auth.ts": text })(["auth.ts"], withoutJiti);
    expect(code).toBe(1);
    expect(err).toContain('It imports "$env", which only its runtime');
    expect(err).not.toContain("jiti");
    const aliased = text.replace("$env/dynamic/private", "@/env");
    const other = await createApp({ "auth.ts": aliased })(["auth.ts"], withoutJiti);
    expect(other.err).toContain("Install jiti, which can");
  });

  it("names jiti in the error for TypeScript that Node cannot load, if jiti is not installed", async () => {
    const run = createApp({ "auth.ts": `${SMALL}\nexport enum Kind { A, B }` });
    const { code, err } = await run(["auth.ts"], withoutJiti);
    expect(code).toBe(1);
    expect(err).toContain("Install jiti, which can: npm install --save-dev jiti");
    expect(err).not.toMatch(/^ +at /m);
    expect(err).toContain("enum");
  });

  it("reads variables from the file of --env before it loads the module", async () => {
    const folder = createFolder();
    folder.write("auth.mjs", APP);
    folder.write(".env", "AUTH_URL=https://app.example/own\n");
    const { out } = await folder.run(["inspect", "auth.mjs", "--env", ".env", "--json"], {
      env: ENV,
    });
    expect((JSON.parse(out) as Inspection).basePath).toBe("/own");
    const { code, err } = await folder.run(["inspect", "auth.mjs", "--env", ".nothing"]);
    expect({ code, err }).toEqual({ code: 1, err: "There is no file .nothing.\n" });
  });

  it("calls a configuration function with a request for --url, and reports a failure", async () => {
    const text = `
      import createAuth from "keyhook";
      export const auth = createAuth(({ url }) => {
        const { hostname } = new URL(url);
        if (hostname === "localhost") throw new Error("there is no tenant localhost");
        return { basePath: "/" + hostname.split(".")[0] };
      });
    `;
    const run = createApp({ "auth.mjs": text });
    const { out } = await run(["auth.mjs", "--json", "--url", "https://acme.example.com"]);
    expect((JSON.parse(out) as Inspection).basePath).toBe("/acme");
    const failed = await run(["auth.mjs"]);
    expect(failed.code).toBe(1);
    expect(failed.err).toContain(
      "for a request to http://localhost:3000. Set another URL with --url",
    );
    expect(failed.err).toContain("there is no tenant localhost");
    const misspelled = await run(["auth.mjs", "--url", "acme"]);
    expect(misspelled.err).toBe('--url "acme" is not a URL. Write the full URL, with https://.\n');
  });

  it("ends although the application keeps a timer running", async () => {
    const run = createApp({ "auth.mjs": `${APP}\nsetInterval(() => {}, 1000);` });
    expect((await run(["auth.mjs"])).code).toBe(0);
  });
});

describe("keyhook inspect with invalid input", () => {
  it("prints each boot fault in one line, with exit code 1", async () => {
    const text = APP.replace(
      'name: "audit",',
      'name: "audit", require: [], requires: ["nothing"],',
    );
    const { code, out, err } = await createApp({ "auth.mjs": text })(["auth.mjs"]);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err.trim().split("\n")).toEqual([
      'PluginError: "audit" requires "nothing". Add a plugin that provides it.',
      'PluginError: The plugin "audit" has the field "require", which does not exist. Did you mean "requires"?',
    ]);
  });

  it.each<[what: string, file: string, text: string, message: string]>([
    ["a file that does not exist", "other.mjs", APP, "There is no file auth.mjs."],
    ["a module without an Auth", "auth.mjs", "export const a = 1, b = 2;", "it exports a, b."],
    [
      "a module that only exports members of an Auth",
      "auth.mjs",
      APP.replace("export const auth", "const all").concat("\nexport const { auth } = all;"),
      "Export the whole return value of createAuth(), NextAuth(), ExpressAuth() or SvelteKitAuth()",
    ],
    ["a module that exports nothing", "auth.mjs", "", "it exports nothing."],
    [
      "a module that throws",
      "auth.mjs",
      'throw new Error("no url");',
      "auth.mjs could not be loaded. Error: no url",
    ],
    ...[
      ['import "bun:sqlite";', "Bun: run this with `bunx --bun keyhook`."],
      ["Bun.env.PORT;", "Bun: run this with `bunx --bun keyhook`."],
      ["await Deno.openKv();", "Deno: run this with `deno run -A npm:keyhook`."],
      ['import "jsr:@std/path";', "Deno: run this with `deno run -A npm:keyhook`."],
    ].map(([text = "", message = ""]): [string, string, string, string] => [
      ...([`a module with ${text}, which is of another runtime,`, "auth.mjs", text] as const),
      `auth.mjs could not be loaded. It is for ${message}`,
    ]),
    ["a module that does not parse", "auth.mjs", "export const = 1;", "could not be loaded. "],
    [
      "use() of a value that is not a plugin",
      "auth.mjs",
      APP.replace("memoryStore()", "memoryStore"),
      '"memoryStore" is a function. Call it: use(memoryStore()).',
    ],
  ])("%s is an error with exit code 1", async (_, file, text, message) => {
    const { code, out, err } = await createApp({ [file]: text })(["auth.mjs"]);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toContain(message);
  });

  it("an export that is not an Auth is an error that lists the exports", async () => {
    const { code, err } = await createApp({ "auth.mjs": APP })(["auth.mjs", "--export", "own"]);
    expect(code).toBe(1);
    expect(err).toContain('auth.mjs exports no Auth as "own"; it exports auth.');
  });

  it("a missing argument is an error after the usage", async () => {
    const { code, out, err } = await createApp({})([]);
    expect(code).toBe(1);
    expect(out).toContain("USAGE keyhook inspect [OPTIONS] <FILE>");
    expect(err).toContain("Missing required positional argument: FILE");
  });
});
