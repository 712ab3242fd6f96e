import { describe, expect, it, vi } from "vitest";
import { BootError, PluginError } from "../../src/errors.ts";
import { createAuthWith, definePreset, type Plugin } from "../../src/index.ts";
import { flattenPresets, orderPlugins } from "../../src/plugins.ts";
import { createHouse, createLog, ENV, SECRET } from "../_setup.ts";

const plugin = (name: string, rest: Partial<Plugin> = {}): Plugin => ({
  name,
  setup() {},
  ...rest,
});

function ordered(...plugins: Plugin[]) {
  const faults: Error[] = [];
  const names = orderPlugins(plugins, (fault) => void faults.push(fault)).map(({ name }) => name);
  return { names, faults: faults.map(({ message }) => message) };
}

describe("the order of plugins", () => {
  it("is as given", () => {
    expect(ordered(plugin("a"), plugin("b"), plugin("c")).names).toEqual(["a", "b", "c"]);
  });

  it("puts what is required first", () => {
    const { names, faults } = ordered(
      plugin("a", { requires: ["c"] }),
      plugin("b"),
      plugin("c", { requires: ["d"] }),
      plugin("d"),
    );
    expect(names).toEqual(["d", "c", "a", "b"]);
    expect(faults).toEqual([]);
  });

  it("knows capabilities as well as names", () => {
    const { names } = ordered(
      plugin("a", { requires: ["flow:oauth"] }),
      plugin("b", { provides: ["flow:oauth"] }),
    );
    expect(names).toEqual(["b", "a"]);
  });
});

describe("faults of plugins", () => {
  it("are a missing requirement", () => {
    expect(ordered(plugin("a", { requires: ["store"] })).faults).toEqual([
      '"a" requires "store". Add a plugin that brings it.',
    ]);
  });

  it("are two of one name", () => {
    expect(ordered(plugin("a"), plugin("a")).faults).toEqual([
      'Two plugins are named "a". Drop or rename one.',
    ]);
  });

  it("are two that bring the same", () => {
    const { faults } = ordered(plugin("a", { provides: ["x"] }), plugin("b", { provides: ["x"] }));
    expect(faults).toEqual(['"a" and "b" both provide "x". Drop one.']);
  });

  it("are rivals, by name or capability", () => {
    const { faults } = ordered(
      plugin("a", { conflicts: ["b", "cap", "absent"] }),
      plugin("b"),
      plugin("c", { provides: ["cap"] }),
    );
    expect(faults).toEqual([
      '"a" cannot work beside "b". Drop one.',
      '"a" cannot work beside "c". Drop one.',
    ]);
  });

  it("are no conflict of a plugin with itself", () => {
    expect(ordered(plugin("a", { provides: ["cap"], conflicts: ["cap"] })).faults).toEqual([]);
  });

  it("are a circle, which is named, and the rest is ordered all the same", () => {
    const { names, faults } = ordered(
      plugin("a", { requires: ["b"] }),
      plugin("b", { requires: ["c"] }),
      plugin("c", { requires: ["a"] }),
      plugin("d"),
    );
    expect(faults).toEqual(["Plugins require one another in a circle: a > b > c > a."]);
    expect([...names].sort()).toEqual(["a", "b", "c", "d"]);
  });

  it("are a plugin that requires itself", () => {
    expect(ordered(plugin("a", { requires: ["a"] })).faults).toEqual([
      "Plugins require one another in a circle: a > a.",
    ]);
  });

  it("are all reported together", () => {
    const { auth, log } = createHouse(
      {},
      {
        use: [
          plugin("a", { requires: ["nothing"] }),
          plugin("b", {
            setup() {
              throw new Error("out of paper");
            },
          }),
        ],
      },
    );
    expect(() => auth.inspect()).toThrow(BootError);
    const [boot] = log.expectErrors("BootError") as unknown as BootError[];
    expect(boot?.faults.map(({ message }) => message)).toEqual([
      '"a" requires "nothing". Add a plugin that brings it.',
      'The plugin "b" could not be set up: out of paper',
    ]);
    expect(boot?.message).toContain("2 faults in the configuration");
  });

  it("are thrown as they are when there is one only", () => {
    const { auth, log } = createHouse({}, { use: [plugin("a", { requires: ["nothing"] })] });
    expect(() => auth.inspect()).toThrow(PluginError);
    log.expectErrors("PluginError");
  });
});

describe("presets", () => {
  const preset = (name: string, ...grounds: ReturnType<typeof definePreset>[]) =>
    definePreset({ name, extends: grounds });

  it("stand on their grounds, each once", () => {
    const ground = preset("ground");
    const left = preset("left", ground);
    const right = preset("right", ground);
    expect(flattenPresets([preset("top", left, right)]).map(({ name }) => name)).toEqual([
      "ground",
      "left",
      "right",
      "top",
    ]);
  });

  it("must not extend one another in a circle", () => {
    const a: { name: string; extends: unknown[] } = { name: "a", extends: [] };
    a.extends.push({ name: "b", extends: [a] });
    expect(() => flattenPresets([a as never])).toThrow("a > b > a");
  });

  it("that go in circles are logged and answered by 500, as every fault at boot", async () => {
    const log = createLog();
    const circle: { name: string; extends: unknown[] } = { name: "a", extends: [] };
    circle.extends.push(circle);
    const auth = createAuthWith(circle as never, { secret: SECRET, env: ENV, logger: log.logger });
    const response = await auth.fetch(new Request("http://localhost/auth/session"));
    expect(response.status).toBe(500);
    log.expectErrors("PluginError");
  });

  it("lay their defaults under the configuration, the top one over its ground", () => {
    const log = createLog();
    const ground = definePreset({
      name: "ground",
      defaults: { basePath: "/ground", session: { maxAge: 60, updateAge: 30, strategy: "own" } },
      plugins: [plugin("strategy", { setup: (kernel) => kernel.addStrategy("own", {} as never) })],
    });
    const top = definePreset({
      name: "top",
      extends: [ground],
      defaults: { basePath: "/top", session: { maxAge: 120 } },
    });
    let config: unknown;
    const auth = createAuthWith(top, {
      secret: SECRET,
      env: ENV,
      logger: log.logger,
      session: { updateAge: 5 },
    }).use(plugin("look", { setup: (kernel) => void (config = kernel.config) }));
    expect(auth.inspect().basePath).toBe("/top");
    expect(config).toMatchObject({ session: { maxAge: 120, updateAge: 5, strategy: "own" } });
  });

  it("may be used like plugins", () => {
    const setup = vi.fn();
    const { auth } = createHouse(
      {},
      { use: [definePreset({ name: "more", plugins: [plugin("inside", { setup })] })] },
    );
    expect(auth.inspect().plugins.map(({ name }) => name)).toContain("inside");
    expect(setup).toHaveBeenCalledOnce();
  });
});

describe("use", () => {
  it("hands back the Auth, so that calls can be chained", () => {
    const { auth } = createHouse();
    expect(auth.use(plugin("a")).use(plugin("b"))).toBe(auth);
  });

  it("is over after the first request", async () => {
    const { auth, browser } = createHouse();
    await browser.session();
    expect(() => auth.use(plugin("late"))).toThrow('"late" was used after the first request');
  });

  it("sets plugins up once per configuration, not per request", async () => {
    const setup = vi.fn();
    const { browser } = createHouse({}, { use: [plugin("counted", { setup })] });
    await browser.session();
    await browser.session();
    expect(setup).toHaveBeenCalledOnce();
  });
});
