import { build } from "esbuild";
import { H3 } from "h3";
import { createStorage } from "unstorage";
import { describe, expect, it } from "vitest";
import { storeAdapter } from "../../plugins/adapters/store.ts";
import { writeHandler } from "../../plugins/bindings/_nitro-handler.ts";
import {
  addCleanupTask,
  findNitroStore,
  type NitroStoreTarget,
} from "../../plugins/bindings/_nitro-store.ts";
import { memoryStore } from "../../plugins/stores/memory.ts";
import { unstorageStore } from "../../plugins/stores/unstorage.ts";
import { createAuth } from "../../presets/index.ts";
import { createNitroHandler } from "../../presets/nitro.ts";
import { createLog, ENV, ORIGIN, SECRET } from "../_app.ts";

const target = (
  majorVersion: number,
  options: Partial<NitroStoreTarget["options"]> = {},
): NitroStoreTarget => ({
  meta: { majorVersion },
  options: { dev: false, experimental: {}, virtual: {}, tasks: {}, ...options },
});

describe("findNitroStore()", () => {
  it.each([
    [2, "nitropack/runtime/storage"],
    [3, "nitro/storage"],
  ])("the handler of Nitro %i imports useStorage of the same version", (version, from) => {
    const store = findNitroStore(target(version), { storage: "auth" });
    const text = writeHandler({
      config: "/app/auth.ts",
      base: "/",
      basePath: "/auth",
      envPrefix: "NITRO_",
      runtimeConfig: undefined,
      rules: {},
      platformCached: {},
      store,
    });
    expect(text).toContain(`import { useStorage } from "${from}";`);
    expect(text).toContain('unstorageStore(useStorage(), {"mount":"auth"})');
  });

  it("the handler of a development server is built without a default export in the file, and reports that", async () => {
    const contents = writeHandler({
      config: "./auth.ts",
      base: "/",
      basePath: "/auth",
      envPrefix: "NITRO_",
      runtimeConfig: undefined,
      rules: {},
      platformCached: {},
      developmentSecret: SECRET,
    });
    const { outputFiles } = await build({
      stdin: { contents, resolveDir: "/" },
      ...{ bundle: true, write: false, format: "esm", external: ["keyhook/*"] },
      logLevel: "silent",
      plugins: [
        {
          name: "application",
          setup(bundler) {
            bundler.onResolve({ filter: /auth\.ts$/ }, () => ({ path: "auth", namespace: "app" }));
            bundler.onLoad({ filter: /./, namespace: "app" }, () => ({
              contents: "export const auth = 1;",
            }));
          },
        },
      ],
    });
    expect(outputFiles[0]?.text).toContain("which has no default export");
  });

  it("a database that the application configures turns on Nitro's database feature", () => {
    const nitro = target(3, { database: { auth: {} } });
    expect(findNitroStore(nitro, { database: "auth" })?.expression).toBe(
      'db0Store(useDatabase("auth"))',
    );
    expect(nitro.options.experimental.database).toBe(true);
  });

  it("a database that is not configured is refused, and the error lists the configured ones", () => {
    const nitro = target(2, { database: { default: {}, other: {} } });
    expect(() => findNitroStore(nitro, { database: "auth" })).toThrow(
      /"auth".*"default", "other".*`database: \{ auth:/,
    );
  });

  it("two stores are refused", () => {
    expect(() => findNitroStore(target(3), { storage: "a", database: "b" })).toThrow(/Drop one/);
  });
});

describe("addCleanupTask()", () => {
  it("the task is registered, and only scheduled as the option says", () => {
    const nitro = target(3);
    addCleanupTask(nitro);
    expect(Object.keys(nitro.options.tasks)).toEqual(["keyhook:cleanup"]);
    expect(nitro.options.scheduledTasks).toBeUndefined();
    expect(nitro.options.experimental.tasks).toBeUndefined();
  });

  it("a schedule of the application is kept", () => {
    const nitro = target(2, { scheduledTasks: { "0 3 * * *": "reports" } });
    addCleanupTask(nitro, "0 3 * * *");
    expect(nitro.options.scheduledTasks).toEqual({ "0 3 * * *": ["reports", "keyhook:cleanup"] });
    expect(nitro.options.experimental.tasks).toBe(true);
  });
});

describe("createNitroHandler() with a store", () => {
  const config = { secret: SECRET, env: ENV };

  it("a second store of the application is refused, and both are named", async () => {
    const log = createLog();
    const auth = createAuth({ ...config, logger: log.logger }).use(memoryStore());
    const store = unstorageStore(createStorage());
    const app = new H3().use(createNitroHandler(auth, { store }));
    expect((await app.fetch(new Request(`${ORIGIN}/auth/session`))).status).toBe(500);
    const [fault] = log.errors;
    expect(fault?.message).toContain('"stores/memory" and "stores/unstorage" both provide "store"');
    log.expectErrors("PluginError");
  });

  it("sweep() removes expired records, even if the configuration is a function", async () => {
    const store = unstorageStore(createStorage());
    const handler = createNitroHandler(() => config, { store });
    await store.backend.put("a.expired", "1", Date.now() - 1);
    await store.backend.put("a.kept", "1", Date.now() + 60_000);
    expect(await handler.sweep()).toBe(1);
    expect(await store.backend.get("a.kept")).toBe("1");
  });
});

describe("auth.sweep()", () => {
  const config = { secret: SECRET, env: ENV };

  it("the expired records of the store are removed, at most as many as the limit", async () => {
    const store = memoryStore();
    const auth = createAuth(config).use(store);
    for (const key of ["a.one", "a.two", "a.three"]) await store.backend.put(key, "1", 1);
    expect(await auth.sweep({ limit: 2 })).toBe(2);
    expect(await auth.sweep()).toBe(1);
  });

  it("without a store there is nothing to remove", async () => {
    expect(await createAuth(config).sweep()).toBe(0);
  });

  it("a configuration that is a function is refused", async () => {
    await expect(createAuth(() => config).sweep()).rejects.toMatchObject({
      type: "MissingRequest",
    });
  });
});

describe("unstorageStore() with a mount", () => {
  const production = {
    secret: SECRET,
    env: { NODE_ENV: "production", AUTH_URL: "https://app.example" },
  };
  const boot = (storage: ReturnType<typeof createStorage>) =>
    createAuth({ ...production, logger: { error() {}, warn() {} } })
      .use(unstorageStore(storage, { mount: "auth" }))
      .use(storeAdapter())
      .inspect();

  it("a mount that does not exist is refused, and the error lists the existing mounts", () => {
    const storage = createStorage();
    storage.mount("data", createStorage().getMount("").driver);
    expect(() => boot(storage)).toThrow(/no mount "auth" \(it has "data"\).*driver: "redis"/);
    expect(() => boot(createStorage())).toThrow(/no mount "auth" \(it has none\)/);
  });

  it("a mount in memory is refused in production for users and sessions", () => {
    const storage = createStorage();
    storage.mount("auth", createStorage().getMount("").driver);
    expect(() => boot(storage)).toThrow(
      /needs records that outlive the process, which the store "memory"/,
    );
  });
});
