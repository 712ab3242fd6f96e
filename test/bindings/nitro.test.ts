import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { H3 } from "h3";
import { afterAll, describe, expect, it } from "vitest";
import { readDevelopmentSecret } from "../../plugins/bindings/_development-secret.ts";
import { createRuleMatcher, listAuthRules } from "../../plugins/bindings/_route-rules.ts";
import { createAuth as createStandardAuth } from "../../presets/index.ts";
import {
  createNitroHandler,
  getAuthSession,
  keyhookNitro,
  type NitroAuthSource,
  type NitroHandlerOptions,
  requireAuthSession,
} from "../../presets/nitro.ts";
import { createBrowser } from "../../src/testing/testing.ts";
import { createLog, LOVELACE, ORIGIN } from "../_app.ts";
import { buildConfig } from "./_suite.ts";

const folder = mkdtempSync(join(tmpdir(), "keyhook-nitro-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("createRuleMatcher()", () => {
  const isRequired = createRuleMatcher({
    "/admin/**": true,
    "/admin/login": false,
    "/users/*/edit": true,
    "/team/:id": true,
    "/exact": true,
  });

  it.each([
    "/admin",
    "/admin/",
    "/admin/a/b",
    "/ADMIN/a",
    "//admin",
    "/%61dmin",
    "/admin%2Fa",
    "/admin\\a",
    "/./admin",
    "/admin/a/_payload.json",
    "/exact/_payload.js",
    "/users/7/edit",
    "/team/7",
    "/Exact/",
    "/admin/%",
  ])("a session is required for %s", (path) => {
    expect(isRequired(path)).toBe(true);
  });

  it.each(["/", "/administrator", "/admin/login", "/users/7", "/exact/more", "/team", "/team/7/x"])(
    "no session is required for %s",
    (path) => {
      expect(isRequired(path)).toBe(false);
    },
  );

  it("paths below the application's base are compared without it", () => {
    const below = createRuleMatcher({ "/admin/**": true }, "/app/");
    expect([below("/app/admin/x"), below("/app/other"), below("/admin")]).toEqual([
      true,
      false,
      true,
    ]);
  });
});

describe("listAuthRules()", () => {
  it("the rules with auth are listed", () => {
    expect(
      listAuthRules({ "/a/**": { auth: true }, "/b": { swr: 60 }, "/a/c": { auth: false } }),
    ).toEqual({
      "/a/**": true,
      "/a/c": false,
    });
  });

  it.each([
    { "/a/**": { auth: true }, "/a/b": { swr: 60 } },
    { "/**": { isr: true }, "/a": { auth: true } },
    { "/a": { auth: true, prerender: true } },
    { "/a": { auth: true, cache: { maxAge: 60 } } },
  ])("a cached response that requires a session is refused: %o", (rules) => {
    expect(() => listAuthRules(rules as Record<string, object>)).toThrow(/cached or prerendered/);
  });

  it("values other than true and false are refused", () => {
    expect(() => listAuthRules({ "/a": { auth: "yes" } })).toThrow(TypeError);
  });
});

describe("readDevelopmentSecret()", () => {
  it("the secret is kept, for its owner alone, in a folder that git ignores", async () => {
    const first = await readDevelopmentSecret(folder);
    expect(first).toMatch(/^[\w-]{43}$/);
    expect(await readDevelopmentSecret(folder)).toBe(first);
    const data = join(folder, ".data/keyhook");
    expect(statSync(join(data, "secret")).mode & 0o777).toBe(0o600);
    expect(readFileSync(join(data, ".gitignore"), "utf8")).toBe("*\n");
  });
});

describe("keyhookNitro()", () => {
  const setUp = async (dev: boolean, options = {}) => {
    const nitro = {
      options: {
        rootDir: folder,
        dev,
        baseURL: "/base/",
        routeRules: { "/in": { auth: true } },
        experimental: {},
        tasks: {},
        virtual: {} as Record<string, () => string>,
        handlers: [{ handler: "own" }] as { handler: string }[],
      },
    };
    await keyhookNitro(options).setup(nitro);
    const [first] = nitro.options.handlers;
    return nitro.options.virtual[first?.handler ?? ""]?.() ?? "";
  };

  it("a missing configuration is refused with the file to create", async () => {
    await expect(setUp(false)).rejects.toThrow(/server\/auth\.ts/);
    await expect(setUp(false, { config: "other.ts" })).rejects.toThrow(/other\.ts/);
  });

  it("the handler has the configuration, the rules and the base, and a secret in development alone", async () => {
    writeFileSync(join(folder, "auth.ts"), "export default {};");
    const built = await setUp(false);
    expect(built).toContain(`import auth from ${JSON.stringify(join(folder, "auth.ts"))}`);
    expect(built).toContain('"rules":{"/in":true}');
    expect(built).toContain('"basePath":"/base/auth"');
    expect(built).not.toContain("development");
    expect(existsSync(join(folder, ".data/keyhook/secret"))).toBe(true);
    expect(await setUp(true)).toContain(await readDevelopmentSecret(folder));
  });
});

describe("createNitroHandler()", () => {
  const open = (given: NitroAuthSource, options: NitroHandlerOptions = {}) => {
    const app = new H3().use(createNitroHandler(given, options));
    app.get("/me", async (event) => (await getAuthSession(event))?.user?.name ?? "nobody");
    app.all("/required", async (event) => (await requireAuthSession(event)).user?.name);
    app.all("/admin/**", () => "inside");
    const fetch = async (request: Request) => app.fetch(request);
    return createBrowser(fetch, { origin: ORIGIN, basePath: options.basePath ?? "/auth" });
  };
  const rules = { "/admin/**": true };

  const { providers, secret, env, logger, callbacks } = buildConfig();
  const config = { providers, secret, env, logger, callbacks } as ReturnType<typeof buildConfig>;

  it.each<[string, () => NitroAuthSource]>([
    ["a configuration", () => config],
    ["an Auth", () => createStandardAuth(config)],
    ["a function of the event", () => (event) => ("context" in event ? config : {})],
  ])("%s signs in and is read through the event", async (_, make) => {
    const browser = open(make());
    expect(await (await browser.get("/me")).text()).toBe("nobody");
    await browser.signInWith("credentials", LOVELACE);
    const response = await browser.get("/me");
    expect(await response.text()).toBe("Ada");
    expect(response.headers.get("cache-control")).toBe("private, no-store");
    expect(await (await browser.get("/required")).text()).toBe("Ada");
  });

  it("a guarded page redirects to the sign-in page and back, anything else gets 401", async () => {
    const browser = open(config, { rules });
    const page = await browser.get("/admin/x?y=1");
    const back = encodeURIComponent(`${ORIGIN}/admin/x?y=1`);
    expect(page.status).toBe(302);
    expect(page.headers.get("location")).toBe(`${ORIGIN}/auth/signin?callbackUrl=${back}`);
    expect(page.headers.get("cache-control")).toBe("private, no-store");
    const call = await browser.get("/admin/x", { headers: { accept: "application/json" } });
    expect(call.status).toBe(401);
    expect((await browser.post("/admin/x")).status).toBe(401);
    await browser.signInWith("credentials", LOVELACE);
    expect(await (await browser.get("/admin/x")).text()).toBe("inside");
    expect(await (await browser.post("/admin/x")).text()).toBe("inside");
  });

  it("a sign-in page of the application below a rule remains reachable", async () => {
    const own = { ...config, pages: { signIn: "/admin/login" } };
    const browser = open(own, { rules });
    expect(await (await browser.get("/admin/login")).text()).toBe("inside");
    expect((await browser.get("/admin/x")).headers.get("location")).toContain("/admin/login?");
  });

  it("the routes are below the base path", async () => {
    const browser = open(config, { basePath: "/app/api/auth" });
    expect(await (await browser.get("/app/api/auth/session")).text()).toBe("null");
  });

  it("the kept secret serves in development, and never in production", async () => {
    const kept = { development: true, developmentSecret: "kept-by-the-development-server-0123" };
    const log = createLog();
    const own = { ...config, logger: log.logger, env: {} };
    delete own.secret;
    const first = open(own, kept);
    await first.signInWith("credentials", LOVELACE);
    // The server was reloaded.
    const second = open(own, kept);
    for (const [name, value] of first.cookies) second.cookies.set(name, value);
    expect(await (await second.get("/me")).text()).toBe("Ada");
    expect(log.warnings).not.toContain("secret-missing");
    const production = open({ ...own, env: { NODE_ENV: "production", AUTH_URL: ORIGIN } }, kept);
    expect((await production.get("/auth/session")).status).toBe(500);
    log.expectErrors("MissingSecret");
  });

  it("an event without the module is refused with the mend", async () => {
    await expect(getAuthSession({ context: {} })).rejects.toThrow(/keyhook\/nitro/);
  });
});
