import { existsSync } from "node:fs";
import { afterEach, describe, expect, it, vi } from "vitest";
import { storeAdapter } from "../../plugins/adapters/store.ts";
import { oidcFlow } from "../../plugins/flows/oauth.ts";
import { memoryStore } from "../../plugins/stores/memory.ts";
import { createAuth } from "../../presets/index.ts";
import { createAuth as createMinimalAuth } from "../../presets/minimal.ts";
import { createAuth as createNodeAuth } from "../../presets/node.ts";
import { BootError, PluginError } from "../../src/errors.ts";
import { definePlugin } from "../../src/kernel.ts";
import { createTestAuth } from "../../src/testing/testing.ts";

afterEach(() => void vi.unstubAllEnvs());

const ADA = { name: "Ada", email: "ada@example.com" };

const onlyFrom = (domain: string) =>
  definePlugin({
    name: "only-from",
    setup({ hooks }) {
      hooks.signIn.tap("only-from", ({ user }) =>
        user.email?.endsWith(`@${domain}`) ? undefined : false,
      );
    },
  });

const notes = definePlugin({
  name: "notes",
  setup: (kernel) => void kernel.store("notes"),
});

describe("createTestAuth() of keyhook/testing", () => {
  it("an application with one plugin signs in and refuses", async () => {
    const { auth, openBrowser, log } = createTestAuth(createAuth, {
      plugins: [onlyFrom("example.com")],
    });
    const [inside, outside] = [openBrowser(), openBrowser()];
    await inside.signInAs(ADA);
    expect(await inside.session()).toMatchObject({ user: ADA });
    await expect(outside.signInAs({ email: "eve@example.org" })).rejects.toThrow("AccessDenied");
    expect(await outside.session()).toBeNull();
    expect(log.errors).toMatchObject([{ type: "AccessDenied" }]);
    expect(auth.inspect().hooks.signIn?.taps).toMatchObject([{ name: "only-from" }]);
  });

  it("the environment and the files of the process have no effect", async () => {
    vi.stubEnv("AUTH_SECRET", "another secret of 32 characters and more");
    vi.stubEnv("AUTH_URL", "https://production.example/auth");
    vi.stubEnv("NODE_ENV", "production");
    const { auth, browser, log } = createTestAuth(createAuth);
    const response = await browser.signInAs(ADA);
    expect(response.headers.get("location")).toBe("http://localhost:3000/");
    expect(log).toMatchObject({ errors: [], warnings: [] });
    expect(auth.inspect().store.backend).toBeNull();
  });

  it("a plugin that needs a store gets none automatically: the fault names the plugin and the fix", async () => {
    const had = existsSync(".data/keyhook");
    const { auth, browser, log } = createTestAuth(createAuth, { plugins: [notes] });
    expect((await browser.get("/auth/session")).status).toBe(500);
    expect(log.errors).toMatchObject([
      { message: expect.stringMatching(/A store is required by "notes".*Pass a store plugin/) },
    ]);
    expect(() => auth.inspect()).toThrow(PluginError);
    expect(() => auth.inspect()).not.toThrow(BootError);
    expect(existsSync(".data/keyhook")).toBe(had);
    const served = createTestAuth(createAuth, { plugins: [notes, memoryStore()] });
    expect(served.auth.inspect().store.backend).toMatchObject({ name: "memory" });
  });

  it("createTestAuth() refuses an Auth or a configuration instead of `createAuth`", () => {
    for (const given of [createAuth(), { plugins: [notes] }]) {
      expect(() => createTestAuth(given as never)).toThrow(
        "createTestAuth() needs the function `createAuth` first: createTestAuth(createAuth, { plugins: [...] }).",
      );
    }
  });

  it("users are stored with an adapter among the plugins", async () => {
    const { auth, browser } = createTestAuth(createAuth, {
      plugins: [memoryStore(), storeAdapter()],
    });
    await browser.signInAs(ADA);
    expect(auth.inspect().strategy).toBe("database");
    expect(await browser.session()).toMatchObject({ user: ADA });
  });

  it("the minimal preset uses the flow among the plugins, or other providers", async () => {
    const { browser } = createTestAuth(createMinimalAuth, { plugins: [oidcFlow()] });
    await browser.signInAs(ADA);
    expect(await browser.session()).toMatchObject({ user: ADA });
    const { auth } = createTestAuth(createMinimalAuth, { providers: [] });
    expect(auth.inspect().providers).toEqual([]);
  });

  it("the Auth keeps what its createAuth adds", () => {
    const { auth } = createTestAuth(createNodeAuth);
    expect(typeof auth.handler).toBe("function");
  });

  it("the configuration wins: basePath, logger, secret and origin", async () => {
    const errors: Error[] = [];
    const { browser, openBrowser, log } = createTestAuth(createAuth, {
      basePath: "/api/auth",
      origin: "https://app.example",
      logger: { error: (error) => void errors.push(error), warn() {} },
      callbacks: { signIn: ({ user }) => user.name === "Ada" },
    });
    const response = await browser.signInAs(ADA);
    expect(response.headers.get("location")).toBe("https://app.example/");
    expect([...browser.cookies.keys()].join()).toContain("__Secure-authjs.session-token");
    await expect(openBrowser().signInAs({ name: "Eve" })).rejects.toThrow("AccessDenied");
    expect(errors).toMatchObject([{ name: "AccessDenied" }]);
    expect(log.errors).toEqual([]);
    const other = openBrowser("http://127.0.0.1:3000");
    const elsewhere = await other.signInAs(ADA);
    expect(elsewhere.headers.get("location")).toBe("http://127.0.0.1:3000/");
  });

  it("a browser has the address that it is opened with, and otherwise none", async () => {
    const { openBrowser } = createTestAuth(createAuth, {
      plugins: [
        definePlugin({
          name: "address",
          setup: (kernel) =>
            kernel.addRoute({
              method: "GET",
              path: "/address",
              handler: (ctx) => ctx.json({ ip: ctx.ip ?? null }),
            }),
        }),
      ],
    });
    const read = async (options?: { ip?: string }) =>
      (await openBrowser(undefined, options).get("/auth/address")).json();
    expect(await read()).toEqual({ ip: null });
    expect(await read({ ip: "203.0.113.7" })).toEqual({ ip: "203.0.113.7" });
    const elsewhere = await openBrowser(undefined, { ip: "203.0.113.7" }).get("/");
    expect(elsewhere.status).toBe(404);
  });

  it("the log records warnings and debug messages", async () => {
    const { auth, log } = createTestAuth(createAuth, {
      plugins: [
        definePlugin({
          name: "talk",
          setup({ logger }) {
            logger.warn("talk-warning", "Something is odd.");
            logger.debug("talking", { loudly: true });
          },
        }),
      ],
    });
    auth.inspect();
    expect(log.warnings).toEqual([{ code: "talk-warning", detail: "Something is odd." }]);
    expect(log.debug).toContainEqual({ message: "talking", metadata: { loudly: true } });
  });
});
