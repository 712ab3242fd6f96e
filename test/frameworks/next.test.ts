import { mkdirSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { getEntryPoint, sources } from "../../build.config.ts";
import { LOVELACE } from "../_app.ts";
import { type App, isInstalled, startApp } from "./_app.ts";

const NEXT = "node_modules/next/dist/bin/next";

// Parts for other frameworks: modules of Nitro and Nuxt, components, and SMTP, which needs sockets.
const APART =
  /^keyhook\/(?:nitro|nuxt|react|next-react|svelte|sveltekit|vue|providers\/(?:nodemailer|email))$/;

const doors = sources
  .map((file) => getEntryPoint(file)?.replace(".", "keyhook"))
  .filter((path) => path !== undefined)
  .filter((path) => !APART.test(path))
  .sort();

/** Writes the route `/doors`, which imports every entry point, and responds with the number of names of each. */
function writeDoors(): void {
  const folder = fileURLToPath(new URL("next/app/doors", import.meta.url));
  const imports = doors.map((path, at) => `import * as door${at} from "${path}";`);
  const counts = doors.map((path, at) => `"${path}": Object.keys(door${at}).length,`);
  const lines = [
    ...imports,
    'export const runtime = "edge";',
    `export const GET = () => Response.json({ ${counts.join(" ")} });`,
  ];
  mkdirSync(folder, { recursive: true });
  writeFileSync(`${folder}/route.js`, `${lines.join("\n")}\n`);
}

describe.skipIf(!isInstalled).each([
  { bundler: "Turbopack", flags: [] },
  { bundler: "webpack", flags: ["--webpack"] },
])("routes of Next.js with the edge runtime, built by $bundler", ({ flags }) => {
  let app: App;
  beforeAll(async () => {
    writeDoors();
    app = await startApp("next", [NEXT, "build", ...flags], { command: [NEXT, "start"] });
  });
  afterAll(() => app?.close());

  it("every entry point is built for the edge runtime, and evaluated there", async () => {
    const response = await app.open().get("/doors");
    const counts = (await response.json()) as Record<string, number>;
    expect(Object.keys(counts)).toEqual(doors);
    const empty = Object.keys(counts).filter((path) => counts[path] === 0);
    expect(empty).toEqual(["keyhook/providers", "keyhook/types"]);
  });

  it("a password and an OpenID provider sign in on the edge runtime", async () => {
    const browser = app.open();
    const csrfToken = await browser.csrfToken();
    await browser.post("/auth/callback/credentials", { ...LOVELACE, csrfToken });
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });

    const other = app.open();
    const form = { csrfToken: await other.csrfToken(), callbackUrl: "/doors" };
    const started = await other.post("/auth/signin/op", form);
    const { url } = await app.op.authorize(started.headers.get("location") ?? "");
    const back = await other.get(url);
    expect(new URL(back.headers.get("location") ?? "").pathname).toBe("/doors");
    expect(await other.session()).toMatchObject({ user: { name: "Ada Lovelace" } });
  });

  it("Next.js warns about no Node API, and about no code from text", () => {
    expect(app.output()).not.toMatch(/Node\.js (?:API|module)|Dynamic Code Evaluation|eval/i);
  });
});
