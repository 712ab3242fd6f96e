import { describe, expect, it } from "vitest";
import { storeAdapter } from "../../plugins/adapters/store.ts";
import { emailFlow } from "../../plugins/flows/email.ts";
import { oauthFlow } from "../../plugins/flows/oauth.ts";
import { webauthnFlow } from "../../plugins/flows/webauthn.ts";
import { githubPlugin } from "../../plugins/providers/github.ts";
import { googlePlugin } from "../../plugins/providers/google.ts";
import { passkeyPlugin } from "../../plugins/providers/passkey.ts";
import { resendPlugin } from "../../plugins/providers/resend.ts";
import { memoryBackend, memoryStore } from "../../plugins/stores/memory.ts";
import { minimalPreset } from "../../presets/minimal.ts";
import { standardPreset } from "../../presets/standard.ts";
import {
  type Auth,
  type AuthConfig,
  createAuthWith,
  customFetch,
  definePreset,
  defineStore,
  type Plugin,
  type Preset,
} from "../../src/kernel.ts";
import { createBrowser } from "../../src/testing/testing.ts";
import {
  createLog,
  ENV,
  listBootFaults,
  ORIGIN,
  queryOf,
  SECRET,
  setCookieNames,
} from "../_app.ts";

const emptyPreset = definePreset({ name: "empty", plugins: minimalPreset.plugins });

/** Creates plugins that record the order of their setups. */
function recorder() {
  const order: string[] = [];
  const plugin = (name: string, rest: Partial<Plugin> = {}): Plugin => ({
    name,
    setup: () => void order.push(name),
    ...rest,
  });
  return { order, plugin };
}

function createApp(
  additions: readonly (Plugin | Preset)[],
  { preset = emptyPreset as Preset, ...config }: AuthConfig & { preset?: Preset } = {},
) {
  const log = createLog();
  const auth = createAuthWith(preset, {
    secret: SECRET,
    env: ENV,
    logger: log.logger,
    ...config,
  });
  for (const addition of additions) auth.use(addition);
  return { auth, log, browser: createBrowser(auth.fetch) };
}

const listPlugins = (auth: Auth) => auth.inspect().plugins.map(({ name }) => name);

/** Boots, and returns the messages of all faults. */
function listFaults(
  additions: readonly (Plugin | Preset)[],
  config?: Parameters<typeof createApp>[1],
): string[] {
  return listBootFaults(createApp(additions, config));
}

describe("Plugin.plugins", () => {
  it("a brought plugin is set up before the plugin that brings it", () => {
    const { order, plugin } = recorder();
    createApp([plugin("top", { plugins: [plugin("brought")] }), plugin("next")]).auth.inspect();
    expect(order).toEqual(["brought", "top", "next"]);
  });

  it("a brought plugin brings plugins itself, and the innermost is set up first", () => {
    const { order, plugin } = recorder();
    const inner = plugin("inner", { plugins: [plugin("innermost")] });
    createApp([plugin("top", { plugins: [inner, plugin("second")] })]).auth.inspect();
    expect(order).toEqual(["innermost", "inner", "second", "top"]);
  });

  it("a plugin of the application with the same name replaces a brought one and is set up first", () => {
    const { order, plugin } = recorder();
    const brought = plugin("same", { setup: () => void order.push("brought") });
    createApp([plugin("top", { plugins: [brought] }), plugin("same")]).auth.inspect();
    expect(order).toEqual(["same", "top"]);
  });

  it("a plugin of the application with the same name replaces a brought one, whatever capabilities either provides", () => {
    const { order, plugin } = recorder();
    const brought = plugin("same", {
      provides: ["flow:x"],
      setup: () => void order.push("brought"),
    });
    createApp([plugin("top", { plugins: [brought] }), plugin("same")]).auth.inspect();
    expect(order).toEqual(["same", "top"]);
  });

  it("a plugin of the application that provides all capabilities replaces a brought one and is set up first", () => {
    const { order, plugin } = recorder();
    const brought = plugin("brought", { provides: ["flow:x", "flow:y"] });
    createApp([
      plugin("top", { plugins: [brought] }),
      plugin("own", { provides: ["flow:x", "flow:y", "flow:z"] }),
    ]).auth.inspect();
    expect(order).toEqual(["own", "top"]);
  });

  it("two plugins of the application together replace a brought one that provides the capabilities of both", () => {
    const { order, plugin } = recorder();
    const brought = plugin("brought", { provides: ["flow:x", "flow:y"] });
    createApp([
      plugin("top", { plugins: [brought] }),
      plugin("own-x", { provides: ["flow:x"] }),
      plugin("own-y", { provides: ["flow:y"] }),
    ]).auth.inspect();
    expect(order).toEqual(["own-x", "own-y", "top"]);
  });

  it("a plugin that provides only some capabilities of a brought one is a fault that names both", () => {
    const { plugin } = recorder();
    const brought = plugin("brought", { provides: ["flow:x", "flow:y"] });
    const own = plugin("own", { provides: ["flow:x"] });
    expect(listFaults([plugin("top", { plugins: [brought] }), own])).toEqual([
      '"brought" and "own" both provide "flow:x". Drop one.',
    ]);
  });

  it("a plugin whose name equals a capability of a brought one replaces it", () => {
    const { order, plugin } = recorder();
    const brought = plugin("brought", { provides: ["strategy:own"] });
    createApp([plugin("top", { plugins: [brought] }), plugin("strategy:own")]).auth.inspect();
    expect(order).toEqual(["strategy:own", "top"]);
  });

  it("a plugin of a preset replaces a brought one of the same capability", () => {
    const { order, plugin } = recorder();
    const preset = definePreset({
      name: "company",
      extends: [emptyPreset],
      plugins: [plugin("company", { provides: ["flow:x"] })],
    });
    const brought = plugin("brought", { provides: ["flow:x"] });
    createApp([plugin("top", { plugins: [brought] })], { preset }).auth.inspect();
    expect(order).toEqual(["company", "top"]);
  });

  it("a plugin that two plugins bring is set up once", () => {
    const { order, plugin } = recorder();
    const brought = () => plugin("brought", { provides: ["flow:x"] });
    createApp([
      plugin("first", { plugins: [brought()] }),
      plugin("second", { plugins: [brought()] }),
    ]).auth.inspect();
    expect(order).toEqual(["brought", "first", "second"]);
  });

  it("the first of two brought plugins of one capability is kept", () => {
    const { order, plugin } = recorder();
    createApp([
      plugin("first", { plugins: [plugin("one", { provides: ["flow:x"] })] }),
      plugin("second", { plugins: [plugin("other", { provides: ["flow:x"] })] }),
    ]).auth.inspect();
    expect(order).toEqual(["one", "first", "second"]);
  });

  it("a replaced plugin does not bring its own plugins", () => {
    const { order, plugin } = recorder();
    const brought = plugin("same", { plugins: [plugin("inner")] });
    createApp([plugin("top", { plugins: [brought] }), plugin("same")]).auth.inspect();
    expect(order).toEqual(["same", "top"]);
  });

  it("a brought plugin satisfies the requirement of another plugin, which is set up after it", () => {
    const { order, plugin } = recorder();
    createApp([
      plugin("needs", { requires: ["flow:x"] }),
      plugin("top", { plugins: [plugin("brought", { provides: ["flow:x"] })] }),
    ]).auth.inspect();
    expect(order).toEqual(["brought", "needs", "top"]);
  });

  it("plugins that bring one another in a circle are one fault that names the circle", () => {
    const { plugin } = recorder();
    const plugins: Plugin[] = [];
    const one = plugin("one", { plugins });
    plugins.push(plugin("other", { plugins: [one] }));
    expect(listFaults([one])).toEqual([
      "Plugins require one another in a circle: other > one > other. Drop one `requires`.",
    ]);
  });

  it("a plugin that brings itself is set up once", () => {
    const { order, plugin } = recorder();
    const plugins: Plugin[] = [];
    const one = plugin("one", { plugins });
    plugins.push(one);
    createApp([one]).auth.inspect();
    expect(order).toEqual(["one"]);
  });

  it("a brought plugin that requires the plugin which brings it is a fault that names the circle", () => {
    const { plugin } = recorder();
    const brought = plugin("brought", { requires: ["top"] });
    expect(listFaults([plugin("top", { plugins: [brought] })])).toEqual([
      "Plugins require one another in a circle: brought > top > brought. Drop one `requires`.",
    ]);
  });
});

describe("plugins of presets", () => {
  const { order, plugin } = recorder();
  const ground = definePreset({
    name: "ground",
    plugins: [
      ...minimalPreset.plugins,
      plugin("ground/a", { provides: ["cap:a"] }),
      plugin("ground/b"),
    ],
  });
  const boot = (additions: readonly (Plugin | Preset)[], preset: Preset = ground) => {
    order.length = 0;
    createApp(additions, { preset }).auth.inspect();
    return order;
  };

  it("a preset's plugin is left out when the application has one of the same name", () => {
    const own = plugin("ground/b", { setup: () => void order.push("own") });
    expect(boot([own])).toEqual(["ground/a", "own"]);
  });

  it("a preset's plugin is left out when the application has one with the same capability", () => {
    expect(boot([plugin("own", { provides: ["cap:a"] })])).toEqual(["ground/b", "own"]);
  });

  it("a preset's plugin is left out when `config.plugins` has one with the same capability", () => {
    const own = plugin("own", { provides: ["cap:a"] });
    order.length = 0;
    createApp([], { preset: ground, plugins: [own] }).auth.inspect();
    expect(order).toEqual(["ground/b", "own"]);
  });

  it("a preset's plugin replaces one of the same capability in the preset that it extends", () => {
    const top = definePreset({
      name: "top",
      extends: [ground],
      plugins: [plugin("top/a", { provides: ["cap:a"] })],
    });
    expect(boot([], top)).toEqual(["ground/b", "top/a"]);
  });

  it("a preset given to use() replaces a plugin of the preset that createAuth() was given", () => {
    const later = definePreset({
      name: "later",
      plugins: [plugin("later/a", { provides: ["cap:a"] })],
    });
    expect(boot([later])).toEqual(["ground/b", "later/a"]);
  });

  it("the application's plugin takes precedence over those of all presets", () => {
    const later = definePreset({
      name: "later",
      plugins: [plugin("later/a", { provides: ["cap:a"] })],
    });
    expect(boot([plugin("own", { provides: ["cap:a"] }), later])).toEqual(["ground/b", "own"]);
  });

  it("memoryStore() replaces the development store of the standard preset", () => {
    const { auth } = createApp([memoryStore()], { preset: standardPreset });
    expect(listPlugins(auth)).toContain("stores/memory");
    expect(listPlugins(auth)).not.toContain("stores/development");
  });
});

describe("githubPlugin() with the minimal preset", () => {
  const github = (options: object = {}) =>
    githubPlugin({ clientId: "id", clientSecret: "secret", ...options });

  it("githubPlugin() brings flows/oauth, and nothing else is added to the minimal preset", () => {
    const { auth } = createApp([github()], { preset: minimalPreset });
    const own = minimalPreset.plugins.map(({ name }) => name);
    expect(listPlugins(auth)).toEqual([...own, "flows/oauth", "github"]);
  });

  it("githubPlugin() signs a user in without another plugin", async () => {
    const vendor = async (input: unknown): Promise<Response> => {
      const { href } = new URL(input instanceof Request ? input.url : String(input));
      if (href.endsWith("/access_token")) {
        return Response.json({ access_token: "token", token_type: "bearer" });
      }
      if (href.endsWith("/user")) {
        return Response.json({ id: 1, login: "ada", name: "Ada", email: "ada@example.com" });
      }
      return new Response(null, { status: 404 });
    };
    const { browser } = createApp([github({ [customFetch]: vendor })], { preset: minimalPreset });
    const start = await browser.signIn("github");
    expect(new URL(start.headers.get("location")!).host).toBe("github.com");
    const iss = "https://github.com/login/oauth";
    const state = new URL(start.headers.get("location")!).searchParams.get("state") ?? "";
    const query = new URLSearchParams({ code: "code", iss, state });
    const end = await browser.get(`/auth/callback/github?${query}`);
    expect(end.headers.get("location")).toBe(`${ORIGIN}/`);
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
  });

  it("githubPlugin() and googlePlugin() bring flows/oauth once", () => {
    const google = googlePlugin({ clientId: "id", clientSecret: "secret" });
    const { auth } = createApp([github(), google], { preset: minimalPreset });
    expect(listPlugins(auth).filter((name) => name === "flows/oauth")).toHaveLength(1);
  });

  it("githubPlugin() in `providers` brings flows/oauth too, called or not", () => {
    for (const providers of [[github()], [githubPlugin]]) {
      const env = { ...ENV, AUTH_GITHUB_ID: "id", AUTH_GITHUB_SECRET: "secret" };
      const { auth } = createApp([], { preset: minimalPreset, providers, env });
      expect(listPlugins(auth)).toContain("flows/oauth");
    }
  });

  it("oauthFlow() of the application is used instead of the one that githubPlugin() brings", () => {
    const own = { ...oauthFlow(), name: "company/oauth" };
    const { auth } = createApp([github(), own], { preset: minimalPreset });
    const names = listPlugins(auth);
    expect(names).not.toContain("flows/oauth");
    expect(names.indexOf("company/oauth")).toBeLessThan(names.indexOf("github"));
  });
});

describe("plugins that bring others", () => {
  const stored = [memoryStore(), storeAdapter()];

  it("storeAdapter() brings strategies/database, and sessions are stored", () => {
    const { auth } = createApp(stored, { preset: minimalPreset });
    expect(listPlugins(auth)).toEqual(
      expect.arrayContaining(["strategies/database", "adapters/store"]),
    );
    expect(auth.inspect().strategy).toBe("database");
  });

  it("passkeyPlugin() brings flows/webauthn", () => {
    const { auth, log } = createApp([passkeyPlugin(), ...stored], {
      preset: minimalPreset,
      experimental: { enableWebAuthn: true },
    });
    const names = listPlugins(auth);
    expect(names).toContain("flows/webauthn");
    expect(names).not.toContain("flows/oauth");
    expect(names).not.toContain("flows/email");
    expect(auth.inspect().providers).toEqual([
      { id: "passkey", name: "Passkey", type: "webauthn" },
    ]);
    expect(log.warnings).toContain("experimental-webauthn");
  });

  it("resendPlugin() brings flows/email with the page renderer for its confirmation page", () => {
    const mail = resendPlugin({ apiKey: "key", from: "sign-in@example.com" });
    const { auth } = createApp([mail, ...stored], { preset: minimalPreset });
    const names = listPlugins(auth);
    expect(names.indexOf("pages/renderer")).toBeGreaterThan(-1);
    expect(names.indexOf("pages/renderer")).toBeLessThan(names.indexOf("flows/email"));
    expect(names.indexOf("flows/email")).toBeLessThan(names.indexOf("resend"));
    expect(names.filter((name) => name.startsWith("pages/"))).toEqual(["pages/renderer"]);
  });

  it("flows of the standard preset are not brought again by providers", () => {
    const { auth } = createApp(
      [
        githubPlugin({ clientId: "id", clientSecret: "secret" }),
        resendPlugin({ apiKey: "key", from: "sign-in@example.com" }),
        passkeyPlugin(),
        ...stored,
      ],
      { preset: standardPreset, experimental: { enableWebAuthn: true } },
    );
    const names = listPlugins(auth);
    for (const { name } of [oauthFlow(), emailFlow(), webauthnFlow()]) {
      expect(names.filter((one) => one === name)).toEqual([name]);
    }
  });
});

describe('the capability "store"', () => {
  const audit: Plugin = {
    name: "audit",
    requires: ["store"],
    setup: (kernel) => void kernel.store("audit"),
  };

  it('a third-party plugin with `requires: ["store"]` boots with memoryStore(), used before or after it', () => {
    for (const additions of [
      [audit, memoryStore()],
      [memoryStore(), audit],
    ]) {
      const names = listPlugins(createApp(additions).auth);
      expect(names.indexOf("stores/memory")).toBeGreaterThan(-1);
      expect(names.indexOf("stores/memory")).toBeLessThan(names.indexOf("audit"));
    }
  });

  it('a third-party plugin with `requires: ["store"]` is a fault that names both when there is no store', () => {
    expect(listFaults([audit])).toContain(
      '"audit" requires "store". Add a plugin that provides it.',
    );
  });

  it("two stores are one fault that names both", () => {
    const other = defineStore({ ...memoryBackend(), name: "other" });
    expect(listFaults([memoryStore(), other, audit])).toEqual([
      '"stores/memory" and "stores/other" both provide "store". Drop one.',
    ]);
  });

  it("the same store twice is one fault that names it", () => {
    expect(listFaults([memoryStore(), memoryStore()])).toEqual([
      'Two plugins are named "stores/memory". Drop or rename one.',
    ]);
  });

  it("the same provider twice is one fault that names its id", () => {
    const github = githubPlugin({ clientId: "id", clientSecret: "secret" });
    expect(listFaults([github, github])).toEqual([
      'Two providers have the id "github". Set another `id` on one of them.',
    ]);
  });
});

describe("the session strategy during boot", () => {
  it.each<[string, Plugin[]]>([
    ["jwt", []],
    ["database", [memoryStore(), storeAdapter()]],
  ])(
    "config.session.strategy is %s during setup, also by an adapter of a later plugin",
    (name, later) => {
      let seen: string | undefined;
      const reader: Plugin = {
        name: "reader",
        setup: ({ config }) => void (seen = config.session.strategy),
      };
      createApp([reader, ...later]).auth.inspect();
      expect(seen).toBe(name);
    },
  );

  it("session.updateAge is the default of stored sessions with the adapter of a plugin", () => {
    const additions = [memoryStore(), storeAdapter()];
    let seen: unknown;
    const reader: Plugin = { name: "reader", setup: ({ config }) => void (seen = config.session) };
    createApp([reader, ...additions], { jwt: { maxAge: 3600 } }).auth.inspect();
    expect(seen).toMatchObject({ strategy: "database", updateAge: 86_400 });
  });

  it("an adapter of a plugin that does not declare it is a fault", () => {
    const hasty: Plugin = { name: "hasty", setup: (kernel) => kernel.setAdapter({}) };
    expect(listFaults([hasty])).toEqual([
      '"hasty" sets an adapter without declaring it. Add provides: ["adapter"] to "hasty".',
    ]);
  });

  it("reading kernel.strategy during setup, before it is registered, is a fault", () => {
    const hasty: Plugin = { name: "hasty", setup: (kernel) => void kernel.strategy };
    expect(listFaults([hasty], { session: { strategy: "own" } })[0]).toContain(
      '`kernel.strategy` ("own") is not registered yet',
    );
  });

  it("other fields of config.session can be read, copied and written as JSON during setup", () => {
    const seen: unknown[] = [];
    const reader: Plugin = {
      name: "reader",
      setup: ({ config }) => void seen.push({ ...config.session }, JSON.stringify(config.session)),
    };
    createApp([reader], { session: { maxAge: 60 } }).auth.inspect();
    expect(seen[0]).toMatchObject({ maxAge: 60 });
    expect(seen[1]).toContain('"maxAge":60');
  });

  it.each([
    ["jwt", []],
    ["database", [memoryStore(), storeAdapter()]],
  ])("a tap of `ready` reads the strategy %s, which is used", (strategy, additions) => {
    let seen: string | undefined;
    const patient: Plugin = {
      name: "patient",
      setup: ({ hooks }) =>
        hooks.ready.tap("patient", ({ config }) => void (seen = config.session.strategy)),
    };
    createApp([patient, ...additions]).auth.inspect();
    expect(seen).toBe(strategy);
  });
});

describe("auth.use() with a plugin that has server functions", () => {
  const adding = (name: string, members: object): Plugin<object> => ({
    name,
    setup() {},
    extend: () => members,
  });

  it("a plugin or a preset that `use` refused is not set up", () => {
    const { auth } = createApp([]);
    const fail = () => {
      throw new Error("extend failed");
    };
    const binding = { name: "broken", extend: fail };
    const added = [
      adding("taken", { getSession: () => null }),
      { name: "broken", setup() {}, extend: fail },
      { name: "broken-preset", plugins: [{ name: "of-preset", setup() {} }], binding },
    ];
    for (const one of added) expect(() => auth.use(one)).toThrow();
    const names = auth.inspect().plugins.map(({ name }) => name);
    expect(names).not.toEqual(
      expect.arrayContaining([expect.stringMatching(/taken|broken|of-preset/)]),
    );
  });

  it.each(["getSession", "fetch", "use", "toString"])(
    "a plugin does not replace `%s` of the Auth",
    (name) => {
      const { auth } = createApp([]);
      expect(() => auth.use(adding("team", { [name]: () => null }))).toThrow(
        `"team" adds \`${name}\`, which the Auth already has. Rename it.`,
      );
    },
  );

  it("a plugin does not replace what another plugin has added", () => {
    const { auth } = createApp([]);
    auth.use(adding("team", { getTeam: () => "first" }));
    expect(() => auth.use(adding("other", { getTeam: () => "second" }))).toThrow(
      '"other" adds `getTeam`',
    );
  });
});

describe("auth.use() with a preset that has a binding", () => {
  const binding = {
    name: "bindings/test",
    extend: (auth: Auth) => ({ plainly: (path: string) => auth.fetch(new Request(ORIGIN + path)) }),
  };
  const bound = definePreset({ name: "bound", plugins: [], binding });

  it("use() adds the members of the preset's binding to the Auth", async () => {
    const { auth } = createApp([]);
    const extended = auth.use(bound);
    expect(extended).toBe(auth);
    expect((await extended.plainly("/auth/providers")).status).toBe(200);
  });

  it("a preset has the binding of the preset that it extends", async () => {
    const company = definePreset<ReturnType<typeof binding.extend>>({
      name: "company",
      extends: [bound],
      plugins: [],
    });
    const { auth } = createApp([]);
    const extended = auth.use(company);
    expect((await extended.plainly("/auth/providers")).status).toBe(200);
  });

  it("use() keeps the members of the binding that createAuthWith() was given", () => {
    const log = createLog();
    const first = definePreset({
      name: "first",
      extends: [emptyPreset],
      plugins: [],
      binding: { name: "bindings/first", extend: () => ({ first: true }) },
    });
    const auth = createAuthWith(first, { secret: SECRET, env: ENV, logger: log.logger }).use(bound);
    expect(auth.first).toBe(true);
    expect(auth.plainly).toBeTypeOf("function");
  });
});

describe("ctx.page() without a page renderer", () => {
  const paged: Plugin = {
    name: "paged",
    setup: (kernel) =>
      kernel.addRoute({
        method: "GET",
        path: "/paged",
        handler: (ctx) => ctx.page({ name: "welcome", title: "Welcome", blocks: [] }),
      }),
  };

  it("ctx.page() throws a PluginError that names the path and the plugins that bring a renderer", async () => {
    const { browser, log } = createApp([paged]);
    const response = await browser.get("/auth/paged");
    expect(response.status).toBe(500);
    const [error] = log.expectErrors("PluginError");
    expect(error?.message).toBe(
      "No plugin renders pages, which /paged needs. Use a plugin of keyhook/pages, or the standard preset.",
    );
    expect(await response.json()).toEqual({
      error: "Configuration",
      message: "The request failed; the server's log contains the details.",
      id: expect.any(String),
    });
  });

  it("an unknown path is reported as JSON to a browser when there is no page renderer", async () => {
    const { browser } = createApp([]);
    const response = await browser.get("/auth/nowhere");
    expect(response.status).toBe(404);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.json()).toMatchObject({ message: expect.any(String) });
  });

  it("a public error is reported as JSON with its type when there is no page for it", async () => {
    const refusing: Plugin = {
      name: "refusing",
      setup: ({ hooks }) => hooks.signIn.tap("refusing", () => false),
    };
    const identity: Plugin = {
      name: "identity",
      provides: ["flow:oauth", "flow:oidc"],
      setup: (kernel) =>
        kernel.addFlow("oauth", {
          finish: ({ provider }) => ({
            user: { name: "Ada" },
            account: { provider: provider.id, providerAccountId: "1", type: "oauth" },
          }),
        }),
    };
    const github = githubPlugin();
    const { browser, log } = createApp([refusing, identity, github]);
    const response = await browser.get("/auth/callback/github");
    expect(response.status).toBe(403);
    expect(await response.json()).toEqual({
      error: "AccessDenied",
      message: "Access is denied.",
      id: expect.any(String),
    });
    expect(setCookieNames(response)).toEqual([]);
    log.expectErrors("AccessDenied");
  });

  it("a public error redirects to `pages.error` when there is no page renderer", async () => {
    const { browser, log } = createApp([paged], { pages: { error: "/oops" } });
    const response = await browser.get("/auth/paged");
    expect(response.headers.get("location")).toMatch(`${ORIGIN}/oops`);
    expect(queryOf(response)).toEqual({ error: "Configuration" });
    log.expectErrors("PluginError");
  });
});
