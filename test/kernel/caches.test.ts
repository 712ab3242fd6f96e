import { describe, expect, it } from "vitest";
import { inspector } from "../../plugins/observability/inspector.ts";
import { standardPreset } from "../../presets/standard.ts";
import { createAuthWith, type AuthConfig, type Kernel, type Plugin } from "../../src/kernel.ts";
import { createMemory } from "../../src/kernel/memory.ts";
import { ENV, ORIGIN, SECRET } from "../_app.ts";

const create = (use: readonly Plugin[], config: AuthConfig = {}) => {
  const logger = { error() {}, warn() {} };
  const auth = createAuthWith(standardPreset, { secret: SECRET, env: ENV, logger, ...config });
  for (const plugin of use) auth.use(plugin);
  return auth;
};

const prices = (setup: (kernel: Kernel) => void): Plugin => ({ name: "shop", setup });

describe("kernel.createCache()", () => {
  it("inspect() lists a plugin's cache with its bounds", () => {
    const plugin = prices((kernel) => {
      const weigh = (value: string) => value.length;
      const bounds = { max: 5, ttl: 60_000, maxWeight: 100, weigh };
      kernel.createCache<string>("shop/prices", bounds).set("a", "1");
    });
    const { caches } = create([plugin]).inspect();
    expect(caches).toContainEqual({ name: "shop/prices", max: 5, ttl: 60_000, maxWeight: 100 });
  });

  it("inspect() lists a cache that the kernels of an Auth share, once", () => {
    const plugin = prices((kernel) => {
      const keep = () =>
        kernel.remember("shop/seen", (createCache) => createCache("shop/seen", { max: 7 }));
      expect(keep()).toBe(keep());
    });
    const { caches } = create([plugin]).inspect();
    expect(caches.filter(({ name }) => name === "shop/seen")).toEqual([
      { name: "shop/seen", max: 7 },
    ]);
  });

  it("inspect() lists the caches of opened tokens, of values in use and of their keys", () => {
    const names = create([])
      .inspect()
      .caches.map(({ name }) => name);
    expect(names).toEqual(expect.arrayContaining(["single-use", "tokens/keys", "tokens/opened"]));
    expect(names).toEqual(names.toSorted());
  });

  it.each([
    ["without a name", undefined, { max: 1 }],
    ["without a bound", "shop/prices", {}],
    ["with an infinite bound", "shop/prices", { max: Infinity }],
  ])("a cache %s is a fault at boot", (_, name, options) => {
    const plugin = prices((kernel) => void kernel.createCache(name as never, options as never));
    expect(() => create([plugin]).inspect()).toThrow("A cache needs a name, and a `max`");
  });

  it("each kernel has its own cache", async () => {
    const made: object[] = [];
    const plugin = prices((kernel) => {
      made.push(kernel.createCache("shop/prices", { max: 1 }));
    });
    const configs = [{ secret: SECRET }, { secret: `${SECRET}, another` }];
    const auth = createAuthWith(standardPreset, () => ({
      env: ENV,
      ...(configs.shift() as AuthConfig),
    })).use(plugin);
    for (let count = 0; count < 2; count++) {
      await auth.handle(new Request(`${ORIGIN}/auth/session`));
    }
    expect(new Set(made).size).toBe(2);
  });

  it("the inspector shows the bounds of caches, in JSON and on its page", async () => {
    const auth = create([inspector()], { trustHost: true });
    const ask = async (path: string) => {
      const request = new Request(`http://localhost${path}`, { headers: { accept: "text/html" } });
      return (await auth.fetch(request)).text();
    };
    expect(await ask("/auth/inspector?format=json")).toContain('"tokens/opened"');
    const page = await ask("/auth/inspector");
    expect(page).toContain("<h2>Caches</h2>");
    expect(page).toMatch(/tokens\/opened[^]*?at most 1000 entries · of 4000000 characters in all/);
  });
});

describe("shared memories of an application's processes", () => {
  it("memories with the same name are shared; those with another name or without one are not", () => {
    const find = (name?: string) =>
      createMemory(name).remember("key", () => ({}), { application: "shop" });
    expect(find("test/one")).toBe(find("test/one"));
    for (const name of ["test/two", undefined]) expect(find(name)).not.toBe(find("test/one"));
    expect(find()).not.toBe(find());
  });
});
