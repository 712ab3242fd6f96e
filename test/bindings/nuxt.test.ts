import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, expect, it, vi } from "vitest";
import { findConfig, listConfigFiles } from "../../plugins/bindings/_nitro-handler.ts";
import {
  describeStatic,
  listConfigFolders,
  requireConfig,
  setUpNuxt,
} from "../../plugins/bindings/nuxt.ts";

const kit = vi.hoisted(() => ({ warnings: [] as string[] }));
vi.mock("nuxt/kit", () => {
  const warn = (text: string) => void kit.warnings.push(text);
  const nothing = () => {};
  return {
    useLogger: () => ({ warn }),
    ...Object.fromEntries(
      [
        "addServerTemplate",
        "addServerHandler",
        "addServerImports",
        "addTemplate",
        "addPlugin",
        "addRouteMiddleware",
        "addImports",
        "addComponent",
        "addTypeTemplate",
      ].map((name) => [name, nothing]),
    ),
  };
});

const rooms: string[] = [];
afterEach(() => {
  for (const room of rooms.splice(0)) rmSync(room, { recursive: true });
});

/** Writes files of an application `app` with the layers `first` and `second`, and finds the configuration. */
async function find(files: readonly string[], config?: string, serverDir?: string) {
  const room = mkdtempSync(join(tmpdir(), "layers-"));
  rooms.push(room);
  for (const file of files) {
    mkdirSync(dirname(join(room, file)), { recursive: true });
    writeFileSync(join(room, file), "");
  }
  const toLayer = (name: string) => ({
    config: { rootDir: join(room, name), serverDir: join(room, name, "server") },
  });
  const app = { rootDir: join(room, "app"), serverDir: join(room, serverDir ?? "app/server") };
  const _layers = [{ config: app }, toLayer("first"), toLayer("second")];
  const folders = listConfigFolders({ options: { ...app, _layers } as never });
  const found = await findConfig(await listConfigFiles(folders, config));
  return found?.slice(room.length + 1);
}

describe("the configuration of an application of Nuxt", () => {
  it("is the application's own, wherever the file is, before that of any layer", async () => {
    const layers = ["first/server/auth.ts", "second/server/auth.ts"];
    expect(await find([...layers, "app/server/auth.ts"])).toBe("app/server/auth.ts");
    expect(await find([...layers, "app/auth.ts"])).toBe("app/auth.ts");
    expect(await find([...layers, "back/auth.ts"], undefined, "back")).toBe("back/auth.ts");
  });

  it("is that of the first layer with one, if the application has none", async () => {
    expect(await find(["second/server/auth.ts", "first/auth.ts"])).toBe("first/auth.ts");
    expect(await find(["second/server/auth.ts"])).toBe("second/server/auth.ts");
  });

  it("is looked up in the same order when an option names it", async () => {
    const files = ["first/server/login.ts", "app/login.ts", "app/server/auth.ts"];
    expect(await find(files, "login.ts")).toBe("app/login.ts");
  });

  it("is undefined if there is no file", async () => {
    expect(await find([])).toBeUndefined();
  });

  const requireNone = async (state: { dev?: boolean; _prepare?: boolean }) => {
    const watch: string[] = [];
    const options = { dev: false, rootDir: "/none", _layers: [], watch, ...state };
    return { config: await requireConfig({ options: options as never }, undefined), watch };
  };

  it("stops a build if there is no file, and names the file to create", async () => {
    await expect(requireNone({})).rejects.toThrow("create server/auth.ts");
  });

  it.each([{ dev: true }, { _prepare: true }])("may be created later: %o", async (state) => {
    const { config, watch } = await requireNone(state);
    expect(config).toMatchObject({
      message: expect.stringContaining("create server/auth.ts") as string,
    });
    expect(watch).toContain("/none/server/auth.ts");
  });

  it("of the application replaces a layer's once the file is written, only in development", async () => {
    const room = mkdtempSync(join(tmpdir(), "layers-"));
    rooms.push(room);
    writeFileSync(join(room, "auth.ts"), "");
    const watchWith = async (dev: boolean) => {
      const watch: string[] = [];
      const _layers = [{ config: { rootDir: room } }];
      const options = { dev, rootDir: join(room, "app"), _layers, watch };
      const found = await requireConfig({ options: options as never }, undefined);
      expect(found).toBe(join(room, "auth.ts"));
      return watch;
    };
    expect(await watchWith(false)).toEqual([]);
    const watched = await watchWith(true);
    expect(watched).toContain(join(room, "app/server/auth.ts"));
    expect(watched).not.toContain(join(room, "auth.ts"));
  });
});

describe("the options of the Nuxt module", () => {
  it("stop the build if they belong to another module, because they would have no effect", async () => {
    const options = { basePath: "/api/auth", globalAppMiddleware: true, provider: {} };
    const files = { runtime: "/none", server: "/none" };
    await expect(setUpNuxt(options, {} as never, files)).rejects.toThrow(
      "no option `globalAppMiddleware`, `provider`. Use one of config, basePath, guestRedirect,",
    );
  });
});

describe("a build without a server (`nuxt generate`)", () => {
  const build = async (nitro: { static?: boolean }, dev = false) => {
    kit.warnings.length = 0;
    const room = mkdtempSync(join(tmpdir(), "static-"));
    rooms.push(room);
    writeFileSync(join(room, "auth.ts"), "");
    let init: ((nitro: unknown) => Promise<void>) | undefined;
    const options = {
      ...{ dev, rootDir: room, _layers: [], watch: [], app: { baseURL: "/" }, nitro: {} },
      build: { transpile: [] },
    };
    const hook = (name: string, run: typeof init) => {
      if (name === "nitro:init") init = run;
    };
    const nuxt = { options, hook } as never;
    await setUpNuxt({}, nuxt, { runtime: "/none", server: "/none" });
    const target = { routeRules: {}, virtual: {}, tasks: {}, experimental: {}, dev };
    await init?.({ options: { ...target, ...nitro }, hooks: { hook() {} } });
    return [...kit.warnings];
  };

  it("causes a warning, because static hosts do not have the routes that pages read the session from", async () => {
    expect(await build({ static: true })).toEqual([describeStatic("/auth")]);
    expect(describeStatic("/app/auth")).toContain("pages request the session at /app/auth");
    expect(await build({})).toEqual([]);
  });
});
