import { describe, expect, it, vi } from "vitest";
import { rateLimit, type RateLimitOptions } from "../../plugins/security/rate-limit.ts";
import { minimalPreset } from "../../presets/minimal.ts";
import { BootError, PluginError } from "../../src/errors/errors.ts";
import {
  type Kernel,
  createAuthWith,
  definePreset,
  type Plugin,
  type Preset,
} from "../../src/kernel.ts";
import { flattenPresets, orderPlugins } from "../../src/kernel/plugins.ts";
import { createTestAuth, createLog, ENV, SECRET } from "../_app.ts";
import { noSessions } from "./_faults.ts";

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

describe("orderPlugins()", () => {
  it("boot warns of a plugin whose options are ignored, because another one is already used", () => {
    const rules = {
      invitations: { route: "POST /session", by: "client", max: 2, window: 60 },
    } as const;
    const warned = (...use: Plugin[]) => {
      const { auth, log } = createTestAuth({ use });
      auth.inspect();
      return log.warnings.filter((code) => code === "plugin-left-out").length;
    };
    const brings = (options?: RateLimitOptions) =>
      plugin("brings", { plugins: [rateLimit(options)] });
    expect(warned(rateLimit(), brings({ rules }))).toBe(1);
    expect(warned(rateLimit(), brings())).toBe(0);
    expect(warned(rateLimit(), brings({}))).toBe(0);
    expect(warned(brings({ rules }))).toBe(0);
  });

  it("a plugin that requires an adapter accepts that of the configuration", () => {
    const use = [plugin("keys", { requires: ["adapter"] })];
    const isFault = (adapter?: object) => {
      const { log, auth } = createTestAuth({ use, errors: "allowed", ...(adapter && { adapter }) });
      expect(() => auth.inspect()).not.toThrow(TypeError);
      return log.errors.some(({ message }) => message.includes('requires "adapter"'));
    };
    expect(isFault({ getUser: () => null })).toBe(false);
  });

  it("orderPlugins() keeps the given order", () => {
    expect(ordered(plugin("a"), plugin("b"), plugin("c")).names).toEqual(["a", "b", "c"]);
  });

  it("orderPlugins() puts required plugins first", () => {
    const { names, faults } = ordered(
      plugin("a", { requires: ["c"] }),
      plugin("b"),
      plugin("c", { requires: ["d"] }),
      plugin("d"),
    );
    expect(names).toEqual(["d", "c", "a", "b"]);
    expect(faults).toEqual([]);
  });

  it("a plugin may require a capability that another plugin provides", () => {
    const { names } = ordered(
      plugin("a", { requires: ["flow:oauth"] }),
      plugin("b", { provides: ["flow:oauth"] }),
    );
    expect(names).toEqual(["b", "a"]);
  });
});

describe("plugin faults", () => {
  it("a missing requirement is a fault", () => {
    expect(ordered(plugin("a", { requires: ["store"] })).faults).toEqual([
      '"a" requires "store". Add a plugin that provides it.',
    ]);
  });

  it("a misspelled requirement is a fault that names the capability that is meant", () => {
    const database = plugin("database", { provides: ["store"] });
    expect(ordered(database, plugin("a", { requires: ["stroe"] })).faults).toEqual([
      '"a" requires "stroe". Did you mean "store"?',
    ]);
  });

  it("two plugins with the same name are a fault", () => {
    expect(ordered(plugin("a"), plugin("a")).faults).toEqual([
      'Two plugins are named "a". Drop or rename one.',
    ]);
  });

  it("two plugins that provide the same capability are a fault", () => {
    const { faults } = ordered(plugin("a", { provides: ["x"] }), plugin("b", { provides: ["x"] }));
    expect(faults).toEqual(['"a" and "b" both provide "x". Drop one.']);
  });

  it("plugins that conflict by name or capability are a fault", () => {
    const { faults } = ordered(
      plugin("a", { conflicts: ["b", "cap", "absent"] }),
      plugin("b"),
      plugin("c", { provides: ["cap"] }),
    );
    expect(faults).toEqual([
      '"a" conflicts with "b". Drop one.',
      '"a" conflicts with "c". Drop one.',
    ]);
  });

  it("a plugin does not conflict with itself", () => {
    expect(ordered(plugin("a", { provides: ["cap"], conflicts: ["cap"] })).faults).toEqual([]);
  });

  it("a circle of requirements is a fault that names it, and all plugins are still ordered", () => {
    const { names, faults } = ordered(
      plugin("a", { requires: ["b"] }),
      plugin("b", { requires: ["c"] }),
      plugin("c", { requires: ["a"] }),
      plugin("d"),
    );
    expect(faults).toEqual([
      "Plugins require one another in a circle: a > b > c > a. Drop one `requires`.",
    ]);
    expect([...names].sort()).toEqual(["a", "b", "c", "d"]);
  });

  it("a plugin that requires one that was left out for a competing plugin has no fault of its own", () => {
    const { names, faults } = ordered(
      plugin("a", { provides: ["cap"] }),
      plugin("b", { provides: ["cap"] }),
      plugin("c", { requires: ["b"] }),
    );
    expect(faults).toEqual(['"a" and "b" both provide "cap". Drop one.']);
    expect([...names]).toEqual(["a", "c"]);
  });

  it("a circle is named without the plugins that only require its members", () => {
    const { faults } = ordered(
      plugin("a", { requires: ["b"] }),
      plugin("b", { requires: ["c"] }),
      plugin("c", { requires: ["b"] }),
    );
    expect(faults).toEqual([
      "Plugins require one another in a circle: b > c > b. Drop one `requires`.",
    ]);
  });

  it("a plugin that requires itself is a fault", () => {
    expect(ordered(plugin("a", { requires: ["a"] })).faults).toEqual([
      "Plugins require one another in a circle: a > a. Drop one `requires`.",
    ]);
  });

  it("all plugin faults are reported together", () => {
    const { auth, log } = createTestAuth({
      use: [
        plugin("a", { requires: ["nothing"] }),
        plugin("b", {
          setup() {
            throw new Error("out of paper");
          },
        }),
      ],
    });
    expect(() => auth.inspect()).toThrow(BootError);
    const [boot] = log.expectErrors("BootError") as unknown as BootError[];
    expect(boot?.faults.map(({ message }) => message)).toEqual([
      '"a" requires "nothing". Add a plugin that provides it.',
      'The plugin "b" could not be set up: out of paper',
    ]);
    expect(boot?.message).toContain("2 faults in the configuration");
  });

  it("a single plugin fault is thrown itself, without a BootError", () => {
    const { auth, log } = createTestAuth({ use: [plugin("a", { requires: ["nothing"] })] });
    expect(() => auth.inspect()).toThrow(PluginError);
    log.expectErrors("PluginError");
  });
});

describe("presets", () => {
  const preset = (name: string, ...grounds: ReturnType<typeof definePreset>[]) =>
    definePreset({ name, extends: grounds, plugins: [] });

  it("flattenPresets() puts extended presets first, each once", () => {
    const ground = preset("ground");
    const left = preset("left", ground);
    const right = preset("right", ground);
    expect(
      flattenPresets([preset("top", left, right)], (fault) =>
        expect.unreachable(fault.message),
      ).map(({ name }) => name),
    ).toEqual(["ground", "left", "right", "top"]);
  });

  it("flattenPresets() reports presets that extend one another in a circle", () => {
    const a = { name: "a", extends: [] as Preset[], plugins: [] };
    a.extends.push({ name: "b", extends: [a], plugins: [] });
    const faults: Error[] = [];
    flattenPresets([a], (fault) => void faults.push(fault));
    expect(faults.map(({ message }) => message)).toEqual([
      "Presets extend one another in a circle: a > b > a. Drop one `extends`.",
    ]);
  });

  it("presets in a circle are logged and lead to status 500, like every boot fault", async () => {
    const log = createLog();
    const circle = { name: "a", extends: [] as Preset[], plugins: minimalPreset.plugins };
    circle.extends.push(circle);
    const auth = createAuthWith(circle, { secret: SECRET, env: ENV, logger: log.logger });
    const response = await auth.fetch(new Request("http://localhost/auth/session"));
    expect(response.status).toBe(500);
    log.expectErrors("PluginError");
  });

  it("the configuration takes precedence over a preset's defaults, which take precedence over those of extended presets", () => {
    const log = createLog();
    const ground = definePreset({
      name: "ground",
      defaults: { basePath: "/ground", session: { maxAge: 60, updateAge: 30, strategy: "own" } },
      plugins: [plugin("strategy", { setup: (kernel) => kernel.addStrategy("own", noSessions) })],
    });
    const top = definePreset({
      name: "top",
      extends: [ground],
      plugins: [],
      defaults: { basePath: "/top", session: { maxAge: 120 } },
    });
    let kernel: Kernel | undefined;
    const auth = createAuthWith(top, {
      secret: SECRET,
      env: ENV,
      logger: log.logger,
      session: { updateAge: 5 },
    }).use(plugin("look", { setup: (given) => void (kernel = given) }));
    expect(auth.inspect().basePath).toBe("/top");
    expect(kernel?.config).toMatchObject({
      session: { maxAge: 120, updateAge: 5, strategy: "own" },
    });
  });

  it("use() accepts presets", () => {
    const setup = vi.fn();
    const { auth } = createTestAuth({
      use: [definePreset({ name: "more", plugins: [plugin("inside", { setup })] })],
    });
    expect(auth.inspect().plugins.map(({ name }) => name)).toContain("inside");
    expect(setup).toHaveBeenCalledOnce();
  });
});

describe("auth.use()", () => {
  it("use() returns the Auth, so that calls can be chained", () => {
    const { auth } = createTestAuth();
    expect(auth.use(plugin("a")).use(plugin("b"))).toBe(auth);
  });

  it("use() throws after the first request", async () => {
    const { auth, browser } = createTestAuth();
    await browser.session();
    expect(() => auth.use(plugin("late"))).toThrow('"late" was used after the first request');
  });

  it("plugins are set up once per configuration, not once per request", async () => {
    const setup = vi.fn();
    const { browser } = createTestAuth({ use: [plugin("counted", { setup })] });
    await browser.session();
    await browser.session();
    expect(setup).toHaveBeenCalledOnce();
  });
});
