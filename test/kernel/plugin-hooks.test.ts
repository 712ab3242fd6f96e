import { describe, expect, it } from "vitest";
import { type Hook, type HookKind, type Kernel, type Plugin } from "../../src/kernel.ts";
import { callHook } from "../../src/kernel.ts";
import { createTestAuth } from "../_app.ts";
import { listFaults, plugin } from "./_faults.ts";

declare module "../../src/types.ts" {
  interface AuthHooks {
    organization: Hook<[name: string, userId: string], string>;
    invited: Hook<[address: string], void>;
  }
}

const asText = {
  expected: "a name as text",
  accepts: (value: unknown) => typeof value === "string",
};

const organizations: Plugin = {
  name: "organizations",
  setup(kernel) {
    kernel.addHook("organization", "waterfall", asText);
    kernel.addHook("invited", "series");
    kernel.addRoute({
      method: "GET",
      path: "/organization",
      json: true,
      async handler(ctx) {
        await callHook(kernel.hooks.invited, "ada@example.com");
        return ctx.json(await callHook(kernel.hooks.organization, "acme", "1"));
      },
    });
  },
};

const tapping = (setup: (kernel: Kernel) => void): Plugin => ({
  name: "tapping",
  requires: ["organizations"],
  setup,
});

describe("kernel.addHook()", () => {
  it("a plugin adds a hook that plugins which require it can tap", async () => {
    const invited: string[] = [];
    const { browser } = createTestAuth({
      use: [
        tapping(({ hooks }) => {
          hooks.organization.tap("upper", (name, id) => `${name.toUpperCase()} of ${id}`);
          hooks.organization.tap({ name: "first", before: "upper" }, async (name) => `the ${name}`);
          hooks.invited.tap("note", (address) => void invited.push(address));
        }),
        organizations,
      ],
    });
    const response = await browser.get("/auth/organization");
    expect(await response.json()).toBe("THE ACME of 1");
    expect(invited).toEqual(["ada@example.com"]);
  });

  it("the hook is synchronous if its taps are, and unused without taps", () => {
    const { kernel } = createTestAuth({ use: [organizations] });
    const { hooks } = kernel();
    expect(hooks.organization.isUsed()).toBe(false);
    expect(callHook(hooks.organization, "acme", "1")).toBe("acme");
  });

  it("inspect() shows the hook with the plugin that added it", () => {
    const { auth } = createTestAuth({
      use: [organizations, tapping(({ hooks }) => hooks.organization.tap("mine", () => {}))],
    });
    const { hooks } = auth.inspect();
    expect(hooks.organization).toEqual({
      kind: "waterfall",
      plugin: "organizations",
      interceptors: [],
      taps: [{ name: "mine", plugin: "tapping", stage: 0 }],
    });
    expect(hooks.jwt).not.toHaveProperty("plugin");
  });

  it("taps are ordered, checked and intercepted like those of the kernel's hooks", async () => {
    const runs: string[] = [];
    const { browser, log } = createTestAuth({
      use: [
        plugin("spans", (kernel) =>
          kernel.interceptHooks((hook) => ({ run: () => void runs.push(hook) })),
        ),
        organizations,
        tapping(({ hooks }) => hooks.organization.tap("odd", () => 5 as never)),
      ],
    });
    expect((await browser.get("/auth/organization")).status).toBe(500);
    expect(runs).toContain("organization");
    const [error] = log.expectErrors("PluginError");
    expect(error?.message).toBe(
      'The tap "odd" (plugin tapping) of the hook organization returned a number. Return a name as text, or ' +
        "nothing to leave the decision to other taps.",
    );
    expect(
      listFaults({
        use: [
          organizations,
          tapping(({ hooks }) => hooks.organization.tap({ name: "a", after: "b" }, () => {})),
        ],
      }),
    ).toEqual([expect.stringContaining('must run after "b" in the hook organization')]);
  });

  it("without a check, taps may return anything", () => {
    let hook: Hook<[], unknown> | undefined;
    const { auth } = createTestAuth({
      use: [
        plugin("open", (kernel) => {
          kernel.addHook("openHook" as "invited", "bail");
          hook = (kernel.hooks as unknown as { openHook: Hook<[], unknown> }).openHook;
          hook.tap("any", () => 5);
        }),
      ],
    });
    auth.inspect();
    expect(callHook(hook as Hook<[], unknown>)).toBe(5);
  });

  it.each([0, 1, 2, 3, 4, 5])("taps receive all of %j arguments, and no more", (count) => {
    let hook: Hook<unknown[], unknown> | undefined;
    const { auth } = createTestAuth({
      use: [
        plugin("open", (kernel) => {
          kernel.addHook("openHook" as "invited", "bail");
          hook = (kernel.hooks as unknown as { openHook: Hook<unknown[], unknown> }).openHook;
          hook.tap("all", (...args) => args);
        }),
      ],
    });
    auth.inspect();
    const args = Array.from({ length: count }, (_, at) => at);
    expect(callHook(hook as Hook<unknown[], unknown>, ...args)).toEqual(args);
  });
});

describe("wrong use of kernel.addHook()", () => {
  const add = (name: string, kind: string = "bail", owner = "mine") =>
    plugin(owner, (kernel) => kernel.addHook(name as "invited", kind as HookKind));

  it("a hook that two plugins add is a fault that names both", () => {
    expect(listFaults({ use: [add("badges"), add("badges", "bail", "yours")] })).toEqual([
      'The plugin "yours" adds the hook "badges", which "mine" adds too. Choose another name.',
    ]);
  });

  it.each(["signIn", "page", "around", "ready"])(
    "the kernel's own hook %s cannot be added",
    (name) => {
      expect(listFaults({ use: [add(name)] })).toEqual([
        `The plugin "mine" adds the hook "${name}", which the kernel has. Choose another name.`,
      ]);
    },
  );

  it.each(["", "page:x", "__proto__", "two words", "1st"])("the name %j is not valid", (name) => {
    expect(listFaults({ use: [add(name)] })).toEqual([
      `The plugin "mine" adds a hook with the invalid name "${name}". Use letters and digits only.`,
    ]);
  });

  it.each(["around", "parallel", undefined])("the kind %s is not valid", (kind) => {
    const use = [plugin("mine", (it) => it.addHook("invited", kind as HookKind))];
    expect(listFaults({ use })).toEqual([
      `The plugin "mine" adds the hook "invited" with the unknown kind "${kind}". Use one of series, bail, ` +
        "waterfall, verdict.",
    ]);
  });

  it.each(["constructor", "toString", "hasOwnProperty"])("%s is an ordinary name", (name) => {
    const { auth } = createTestAuth({ use: [add(name)] });
    expect(auth.inspect().hooks[name]).toMatchObject({ plugin: "mine" });
  });

  it("a hook cannot be added after boot", () => {
    const { kernel } = createTestAuth();
    expect(() => kernel().addHook("invited", "bail")).toThrow(
      'The hook "invited" was added after setup. Do it in a plugin\'s `setup`.',
    );
  });

  it("a plugin that taps a hook without requiring its plugin gets a fault that says so", () => {
    const early = plugin("early", ({ hooks }) => hooks.organization.tap("mine", () => {}));
    expect(listFaults({ use: [early, organizations] })).toEqual([
      expect.stringMatching(
        /^There is no hook "organization" \(plugin "early"\)\. The hooks are: .* If a plugin adds it, require that plugin\.$/,
      ),
    ]);
  });

  it("a misspelled hook is a fault that names plugin and hook", () => {
    const typo = plugin("typo", ({ hooks }) =>
      (hooks as unknown as { signin: Kernel["hooks"]["signIn"] }).signin.tap("mine", () => {}),
    );
    expect(listFaults({ use: [typo] })).toEqual([
      'There is no hook "signin" (plugin "typo"). Did you mean "signIn"?',
    ]);
  });

  it("`in` tells whether a hook exists, and after boot a missing hook is undefined", () => {
    let exists: boolean | undefined;
    const { kernel } = createTestAuth({
      use: [plugin("asks", ({ hooks }) => void (exists = "organization" in hooks))],
    });
    expect(kernel().hooks.organization).toBeUndefined();
    expect(exists).toBe(false);
    expect(JSON.stringify(Object.keys(kernel().hooks))).toContain("signIn");
  });
});
