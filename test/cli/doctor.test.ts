import { describe, expect, it } from "vitest";
import { createFolder } from "./_cli.ts";

const SECRET = "keyhook-test-secret-0123456789abcdef";
const GOOD = { AUTH_SECRET: SECRET, AUTH_URL: "https://app.example/auth" };

const APP = `
import createAuth from "keyhook";
export const auth = createAuth(CONFIG).use({
  name: "codes",
  setup: (kernel) => void kernel.store("codes", { atomic: true }),
});
`;

/** Runs \`keyhook doctor\` over a module with a configuration, or without a module. */
async function diagnose(env: Record<string, string>, config?: string) {
  const folder = createFolder();
  if (config !== undefined) folder.write("auth.mjs", APP.replace("CONFIG", config));
  const args = config === undefined ? ["doctor"] : ["doctor", "auth.mjs"];
  const run = await folder.run(args, { env });
  const sections = new Map<string, string[]>();
  for (const part of run.out.trim().split("\n\n")) {
    const [heading = "", ...lines] = part.split("\n");
    sections.set(
      heading,
      lines.map((line) => line.trim().replaceAll(/ {2,}/g, " | ")),
    );
  }
  return { ...run, sections };
}

describe("keyhook doctor", () => {
  it("explains the environment without a module, and what production would refuse", async () => {
    const { code, sections } = await diagnose({});
    expect(code).toBe(1);
    expect(sections.get("Decisions")).toEqual(
      expect.arrayContaining([
        "environment | development | NODE_ENV is not set",
        "origin | from each request | AUTH_URL is not set",
        "useSecureCookies | where the origin is https | default",
        "secret | random, until this process ends | AUTH_SECRET is not set",
        "basePath | /auth | default",
        "trustHost | true | default in development",
      ]),
    );
    expect(sections.get("Different in production")).toEqual(
      expect.arrayContaining([
        "environment | production | NODE_ENV=production",
        "trustHost | false | default in production",
        "cookies | the same, with Secure and the name prefix | default on https",
      ]),
    );
    expect(sections.get("Different in production")?.join("\n")).not.toContain("cookies.");
    expect(sections.get("Production would refuse")).toEqual([
      expect.stringContaining("MissingSecret: No secret."),
      expect.stringContaining("UntrustedHost: The request's host is not trusted."),
    ]);
  });

  it("accepts a complete environment, and shows only the secret's length", async () => {
    const { code, out, sections } = await diagnose({ ...GOOD, AUTH_SECRET_1: `${SECRET}-new` });
    expect(code).toBe(0);
    expect(out).toContain("Production would accept this configuration.");
    expect(out).not.toContain(SECRET);
    expect(sections.get("Decisions")).toEqual(
      expect.arrayContaining([
        "origin | https://app.example | AUTH_URL",
        "useSecureCookies | true | AUTH_URL",
        "secret | 2 of 40 and 36 characters | AUTH_SECRET_1, AUTH_SECRET",
        "basePath | /auth | the path of the public URL",
        "trustHost | true | AUTH_URL",
        "trustProxy | 0 | default",
      ]),
    );
    expect(sections.get("Cookies")).toEqual(
      expect.arrayContaining([
        "cookies.csrfToken | __Host-authjs.csrf-token; Secure; HttpOnly; SameSite=lax; Path=/ | default on https",
      ]),
    );
  });

  it("also accepts the handler of ExpressAuth(), and reports a module that exports only its configuration", async () => {
    const folder = createFolder();
    folder.write(
      "app.mjs",
      'import { ExpressAuth } from "keyhook/express";\n' +
        'export const config = { basePath: "/api/auth", providers: [] };\n' +
        "export const handler = ExpressAuth(config);\n",
    );
    const env = { AUTH_SECRET: SECRET, AUTH_URL: "https://app.example" };
    const run = (...args: string[]) => folder.run([...args, "app.mjs"], { env });
    const { code, out } = await run("doctor", "--export", "handler");
    expect([code, out]).toEqual([0, expect.stringContaining("/api/auth")]);
    expect((await run("inspect", "--export", "handler")).code).toBe(0);
    const refused = await run("doctor");
    expect(refused.code).toBe(1);
    expect(refused.err).toContain(
      'exports no Auth as "default", "auth", "handle" or "onRequest"; it exports config, handler.',
    );
    expect(refused.err).toContain("ExpressAuth()");
  });

  it.each([
    ["auth", "keyhook/next", "handlers, auth, signIn", "/api/auth"],
    ["handle", "keyhook/sveltekit", "handle, signIn, signOut", "/auth"],
    ["onRequest", "keyhook/astro", "onRequest", "/auth"],
  ])(
    "accepts `%s` of %s, which modules export instead of the whole",
    async (_, name, parts, path) => {
      const folder = createFolder();
      folder.write(
        "auth.mjs",
        `import createAuth from "${name}";\n` +
          `export const { ${parts} } = createAuth({ providers: [] });\n`,
      );
      const env = { AUTH_SECRET: SECRET, AUTH_URL: "https://app.example" };
      const { code, out, err } = await folder.run(["doctor", "auth.mjs"], { env });
      expect([code, err]).toEqual([0, ""]);
      expect(out).toMatch(new RegExp(`^  basePath +${path} `, "m"));
    },
  );

  it("boots the configuration as in production, and lists what production refuses", async () => {
    const { code, sections } = await diagnose({ ...GOOD, NODE_ENV: "development" }, "{}");
    expect(code).toBe(1);
    expect(sections.get("Faults")).toBeUndefined();
    expect(sections.get("Warnings")).toEqual([
      expect.stringContaining("development-public: This is development (NODE_ENV=development)"),
      expect.stringContaining("store-default: No store"),
    ]);
    expect(sections.get("Production would refuse")).toEqual([
      expect.stringContaining('PluginError: A store is required by "codes"'),
    ]);
  });

  it.each(["nuxt.config.ts", "nitro.config.mjs"])(
    "reports, next to %s, that a store which the module adds is not visible",
    async (config) => {
      const folder = createFolder();
      folder.write("auth.mjs", APP.replace("CONFIG", "{}"));
      const before = await folder.run(["doctor", "auth.mjs"], { env: GOOD });
      expect(before.out).not.toContain("Not visible to this command");
      folder.write(config, "");
      const { code, out } = await folder.run(["doctor", "auth.mjs"], { env: GOOD });
      expect(code).toBe(1);
      expect(out).toContain(`Not visible to this command\n  ${config}: if Keyhook's option`);
      folder.write("auth.mjs", 'import createAuth from "keyhook";\nexport default createAuth();\n');
      const stored = await folder.run(["doctor", "auth.mjs"], { env: GOOD });
      expect(stored.out).not.toContain("Not visible to this command");
    },
  );

  it("also lists the faults of development, with the decisions made before them", async () => {
    const { code, sections } = await diagnose(
      { ...GOOD, NODE_ENV: "development" },
      "{ sesion: {} }",
    );
    expect(code).toBe(1);
    expect(sections.get("Decisions")).toContain("trustHost | true | AUTH_URL");
    expect(sections.get("Faults")).toEqual([
      'InvalidConfig: `sesion` is not an option. Did you mean "session"?',
    ]);
  });

  it("names variables of Keyhook that have no effect, such as one of an unused provider", async () => {
    const env = { ...GOOD, AUTH_GITHB_ID: "misspelled", AUTH_TRUST_PROXI: "1", OTHER_ID: "x" };
    const memory = "{ session: { strategy: 'jwt' }, plugins: [] }";
    const { sections, out } = await diagnose({ ...env, NODE_ENV: "development" }, memory);
    expect(sections.get("Variables that nothing reads")).toEqual([
      "AUTH_GITHB_ID",
      "AUTH_TRUST_PROXI: did you mean AUTH_TRUST_PROXY?",
    ]);
    expect(out).not.toContain("misspelled");
    const complete = await diagnose({ ...GOOD, NODE_ENV: "development" }, memory);
    expect(complete.sections.has("Variables that nothing reads")).toBe(false);
    // Without a module, no provider could read a variable.
    expect((await diagnose(env)).sections.has("Variables that nothing reads")).toBe(false);
  });

  it("explains how to keep the sessions of next-auth 4 if variables have its names", async () => {
    const production = { NEXTAUTH_SECRET: SECRET, NEXTAUTH_URL: "https://app.example" };
    const env = { ...production, NODE_ENV: "development" };
    const { sections } = await diagnose({ ...env, NEXTAUTH_URL_INTERNAL: "http://10.0.0.1" }, "{}");
    expect(sections.get("Names of next-auth 4")).toEqual([
      expect.stringMatching(
        /^NEXTAUTH_URL, NEXTAUTH_SECRET: .* nextAuth4\(\) of keyhook\/migrations/,
      ),
    ]);
    expect(sections.get("Variables that nothing reads")).toEqual(["NEXTAUTH_URL_INTERNAL"]);
    const plugins = 'await import("keyhook/migrations/next-auth-4").then((it) => [it.nextAuth4()])';
    const moved = await diagnose(env, `{ plugins: ${plugins} }`);
    expect(moved.sections.has("Names of next-auth 4")).toBe(false);
    expect((await diagnose(GOOD, "{}")).sections.has("Names of next-auth 4")).toBe(false);
  });

  it("does not list faults twice in production", async () => {
    const { sections } = await diagnose({ ...GOOD, NODE_ENV: "production" }, "{}");
    expect([...sections.keys()]).toEqual(["Decisions", "Cookies", "Production would refuse"]);
  });

  it("names missing packages that plugins need", async () => {
    const folder = createFolder();
    folder.write(
      "auth.mjs",
      'import createAuth from "keyhook";\n' +
        'import { storeAdapter } from "keyhook/adapters/store";\n' +
        'import { nodemailerPlugin } from "keyhook/providers/nodemailer";\n' +
        'import { memoryStore } from "keyhook/stores/memory";\n' +
        'const smtp = nodemailerPlugin({ server: "smtp://mail.example", from: "a@app.example" });\n' +
        "export const auth = createAuth({ plugins: [memoryStore(), storeAdapter(), smtp] });\n",
    );
    const hidden = `import fs from "node:fs";
      const { existsSync } = fs;
      fs.existsSync = (file) => !String(file).includes("/nodemailer/") && existsSync(file);`;
    const node = ["--import", `data:text/javascript,${encodeURIComponent(hidden)}`];
    const env = { ...GOOD, NODE_ENV: "development" };
    const found = await folder.run(["doctor", "auth.mjs"], { env });
    expect(found.out).not.toContain("npm install");
    const { code, out } = await folder.run(["doctor", "auth.mjs"], { env, node });
    expect(code).toBe(1);
    expect(out).toContain(
      "Packages that are not installed\n  nodemailer: npm install nodemailer\n",
    );
    expect(out).not.toContain("Production would accept");
  });
});
