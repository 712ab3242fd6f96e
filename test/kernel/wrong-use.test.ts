import { readFileSync } from "node:fs";
import ts from "typescript";
import { describe, expect, it, vi } from "vitest";
import { storeAdapter } from "../../plugins/adapters/store.ts";
import { githubPlugin } from "../../plugins/providers/github.ts";
import { memoryStore } from "../../plugins/stores/memory.ts";
import { createAuth, standardPreset } from "../../presets/index.ts";
import { InvalidConfig, PluginError } from "../../src/errors/errors.ts";
import { type AuthConfig, createAuthWith, type Kernel, type Plugin } from "../../src/kernel.ts";
import { EVENTS } from "../../src/kernel/check-names.ts";
import {
  createLog,
  createTestAuth,
  ENV,
  listBootFaults,
  LOVELACE,
  SECRET,
  type TestAuthOptions,
} from "../_app.ts";

const plugin = (rest: object = {}): Plugin => ({ name: "test/wrong", setup() {}, ...rest });

/** Lists the messages of the boot faults. */
function listFaults(options: TestAuthOptions): string[] {
  return listBootFaults(createTestAuth(options));
}

const setup = (work: (kernel: Kernel) => unknown): TestAuthOptions => ({
  use: [plugin({ setup: work })],
});

/** Values that are not plugins, with the expected message. `%` stands for the place. */
const NO_PLUGINS: readonly [what: string, value: unknown, message: string][] = [
  ["an anonymous function", () => githubPlugin(), "received a function. Call it, and pass"],
  ["a promise", Promise.resolve(githubPlugin()), "received a promise. Await it"],
  ["null", null, "received null instead of a plugin"],
  ["undefined", undefined, "received undefined instead of a plugin"],
  ["a string", "github", "received a string instead of a plugin"],
  ["an array", [githubPlugin()], "received an array instead of a plugin"],
  ["an object with only a name", { name: "x" }, '"x" in '],
  ["an object without a name", { setup() {} }, "has no name. Set `name`."],
  ["an object with an empty name", { name: "", setup() {} }, "has no name. Set `name`."],
  ["a name with a line break", { name: "a\nb", setup() {} }, '"a\\nb" is not a valid name'],
  ["a name of 101 characters", { name: "a".repeat(101), setup() {} }, "is not a valid name"],
  [
    "a misspelled `setup`",
    { name: "x", setUp() {} },
    'It has the field "setUp", which does not exist. Did you mean "setup"?',
  ],
  ["a provider", { id: "own", type: "oauth" }, '"own" in % is a provider, not a plugin. Add it to'],
  ["`requires` that is a text", plugin({ requires: "store" }), "must be a list of names"],
  ["`provides` with a number in it", plugin({ provides: [1] }), "must be a list of names"],
  ["`init` that is not a function", plugin({ init: true }), "must be a function"],
];

describe("auth.use() with a value that is not a plugin", () => {
  it("use() of a factory that was not called throws at once, and says how to call it", () => {
    expect(() => createAuth().use(githubPlugin as never)).toThrow(
      new PluginError('"githubPlugin" is a function. Call it: use(githubPlugin()).'),
    );
  });

  it.each(NO_PLUGINS)("use() throws at once for %s", (_, value, message) => {
    const call = () => createAuth().use(value as never);
    expect(call).toThrow(PluginError);
    expect(call).toThrow(message.replace("%", "use()"));
  });

  it("use() throws for a wrong value after the first request too", () => {
    const { auth } = createTestAuth();
    auth.inspect();
    expect(() => auth.use(null as never)).toThrow("use() received null");
  });

  it("use() accepts a plugin whose `setup` is a method of its class", () => {
    class Counter {
      readonly name = "test/counter";
      calls = 0;
      setup() {
        this.calls++;
      }
    }
    const counter = new Counter();
    createTestAuth({ use: [counter] }).auth.inspect();
    expect(counter.calls).toBe(1);
  });
});

describe("lists of plugins with values that are not plugins", () => {
  it.each(NO_PLUGINS)("`plugins` of the configuration with %s is a fault", (_, value, message) => {
    const [fault, ...others] = listFaults({ plugins: [value as never] });
    expect(fault).toContain(message.replace("%", "`plugins` of the configuration"));
    expect(others).toEqual([]);
  });

  it.each(NO_PLUGINS)("`plugins` of a preset with %s is a fault", (_, value, message) => {
    const use = [{ name: "company", plugins: [value as never] }];
    const place = '`plugins` of the preset "company"';
    expect(listFaults({ use })).toEqual([expect.stringContaining(message.replace("%", place))]);
  });

  it.each(NO_PLUGINS)("`plugins` of a plugin with %s is a fault", (_, value, message) => {
    const use = [plugin({ plugins: [value] })];
    const place = '`plugins` of "test/wrong"';
    expect(listFaults({ use })).toEqual([expect.stringContaining(message.replace("%", place))]);
  });

  it("a factory that was not called is named in each list, and all faults are reported together", () => {
    function acmePlugin() {
      return plugin();
    }
    const faults = listFaults({
      plugins: [acmePlugin as never, githubPlugin as never, null as never],
      use: [plugin({ plugins: [acmePlugin], requires: ["nothing"] })],
    });
    expect(faults).toEqual([
      '"acmePlugin" is a function. Call it: plugins: [acmePlugin()].',
      '"githubPlugin" is a function. Call it: plugins: [githubPlugin()].',
      "`plugins` of the configuration received null instead of a plugin.",
      '"acmePlugin" is a function. Call it: plugins: [acmePlugin()].',
      '"test/wrong" requires "nothing". Add a plugin that provides it.',
    ]);
  });

  it("`plugins` of a plugin that is not a list is a fault", () => {
    expect(listFaults({ use: [plugin({ plugins: plugin() })] })).toEqual([
      '`plugins` of "test/wrong" must be a list: plugins: [...].',
    ]);
  });

  it("`extends` of a preset with a value that is not a preset is a fault", () => {
    for (const base of [null, () => standardPreset, githubPlugin(), "standard"]) {
      const use = [{ name: "company", extends: [base as never], plugins: [] }];
      expect(listFaults({ use })[0]).toContain("that is not a preset: a preset has a list of");
    }
  });

  it("createAuthWith() throws at once for a value that is not a preset", () => {
    for (const value of [null, undefined, () => standardPreset, { name: "x" }, githubPlugin()]) {
      expect(() => createAuthWith(value as never)).toThrow(PluginError);
    }
  });
});

describe("misspelled fields of a plugin", () => {
  it.each([
    ["require", "requires"],
    ["provide", "provides"],
    ["conflict", "conflicts"],
    ["plugin", "plugins"],
    ["inti", "init"],
    ["setUp", "setup"],
  ])("`%s` is a fault that suggests `%s`", (misspelled, field) => {
    expect(listFaults({ use: [plugin({ [misspelled]: [] })] })).toEqual([
      `The plugin "test/wrong" has the field "${misspelled}", which does not exist. Did you mean "${field}"?`,
    ]);
  });

  it("a misspelled field of a preset is a fault", () => {
    const use = [{ name: "company", plugins: [], extend: [] } as never];
    expect(listFaults({ use })).toEqual([
      'The preset "company" has the field "extend", which does not exist. Did you mean "extends"?',
    ]);
  });

  it("other fields of a plugin are not checked", () => {
    const extended = plugin({ version: "1.0.0", provider: {}, backend: {}, options: {} });
    expect(listFaults({ use: [extended] })).toEqual([]);
  });
});

describe("asynchronous `setup`", () => {
  it("an asynchronous setup is a fault that names the plugin and `init`", () => {
    expect(listFaults(setup(async () => {}))).toEqual([
      '`setup` of the plugin "test/wrong" is asynchronous. Await in `init(kernel)`, which runs before the first request.',
    ]);
  });

  it("an asynchronous setup that rejects later causes no unhandled rejection", async () => {
    const late = vi.fn();
    const faults = listFaults(
      setup(async (kernel) => {
        await Promise.resolve();
        late();
        kernel.addRoute({ method: "GET", path: "/", handler: () => new Response() });
      }),
    );
    expect(faults).toHaveLength(1);
    await vi.waitFor(() => expect(late).toHaveBeenCalled());
  });
});

describe("hooks, events and pages that do not exist", () => {
  it("tapping a misspelled hook is a fault that suggests the name", () => {
    const tap = (kernel: Kernel) =>
      (kernel.hooks as unknown as Record<string, Kernel["hooks"]["signIn"]>).signin?.tap(
        "x",
        () => true,
      );
    expect(listFaults(setup(tap))).toEqual([
      'There is no hook "signin" (plugin "test/wrong"). Did you mean "signIn"?',
    ]);
  });

  it("tapping a hook of another name is a fault that lists the hooks", () => {
    const [fault] = listFaults(
      setup(({ hooks }) => (hooks as never as { welcome: unknown }).welcome),
    );
    expect(fault).toContain(
      'There is no hook "welcome" (plugin "test/wrong"). The hooks are: ready,',
    );
  });

  it("hooks can be awaited, printed and tested for a name during setup", () => {
    const found: unknown[] = [];
    const look = ({ hooks }: Kernel) => {
      found.push(
        Object.prototype.toString.call(hooks),
        "welcome" in hooks,
        Reflect.get(hooks, "then"),
        `${Object.keys(hooks)[0]}`,
      );
    };
    expect(listFaults(setup(look))).toEqual([]);
    expect(found).toEqual(["[object Object]", false, undefined, "ready"]);
  });

  it("after boot a missing hook is undefined, like a missing field of any object", () => {
    const { hooks } = createTestAuth().kernel();
    expect(Reflect.get(hooks, "signin")).toBeUndefined();
    expect(Object.hasOwn(hooks, "signIn")).toBe(true);
  });

  it("listening to a misspelled event is a fault that names the plugin", () => {
    const listen = ({ events }: Kernel) => events.hook("signin" as "signIn", () => {});
    expect(listFaults(setup(listen))).toEqual([
      'There is no event "signin" (plugin "test/wrong"). Did you mean "signIn"?',
    ]);
  });

  it("a misspelled event of the configuration is a fault", () => {
    expect(listFaults({ events: { signout: () => {} } as never })).toEqual([
      '`events.signout` is not an event. Did you mean "signOut"?',
    ]);
  });

  it("an event of another name may be a plugin's", () => {
    const listen = ({ events }: Kernel) => events.hook("termsAccepted" as "signIn", () => {});
    expect(listFaults({ ...setup(listen), events: { orgCreated: () => {} } as never })).toEqual([]);
  });

  it.each([
    ["sigin", "signin"],
    ["verifyrequest", "verify-request"],
    ["acount", "account"],
    ["tems", "terms"],
  ])("tapping the page %j is a fault that suggests %j", (misspelled, page) => {
    const tap = (kernel: Kernel) => {
      kernel.hooks.page.for(misspelled).tap("test/wrong", (given) => given);
      kernel.addRoute({ method: "GET", path: "/terms", handler: () => new Response() });
    };
    expect(listFaults(setup(tap))).toEqual([
      `There is no page "${misspelled}" (plugin "test/wrong"). Did you mean "${page}"?`,
    ]);
  });

  it("a page of another name may be tapped: a plugin may show it after a POST", () => {
    const tap = (kernel: Kernel) => {
      for (const name of ["*", "signin", "failure", "pin", "terms"]) {
        kernel.hooks.page.for(name).tap("test/wrong", (given) => given);
      }
    };
    expect(listFaults(setup(tap))).toEqual([]);
  });

  it("EVENTS lists the events of EventMessages", () => {
    const text = readFileSync(new URL("../../src/types/events.ts", import.meta.url), "utf8");
    const tree = ts.createSourceFile("events.ts", text, ts.ScriptTarget.Latest, true);
    const declared = tree.statements.find(
      (node) => ts.isInterfaceDeclaration(node) && node.name.text === "EventMessages",
    ) as ts.InterfaceDeclaration;
    expect(EVENTS).toEqual(declared.members.map(({ name }) => name?.getText()));
  });
});

describe("misspelled options", () => {
  it.each([
    ["sesion", { sesion: {} }, "session"],
    ["basepath", { basepath: "/x" }, "basePath"],
    ["provider", { provider: [] }, "providers"],
    ["session.maxage", { session: { maxage: 1 } }, "maxAge"],
    ["callbacks.signin", { callbacks: { signin: () => true } }, "signIn"],
    ["pages.signin", { pages: { signin: "/login" } }, "signIn"],
    ["jwt.secrets", { jwt: { secrets: "x" } }, "secret"],
    ["theme.brandcolor", { theme: { brandcolor: "#fff" } }, "brandColor"],
    ["experimental.enableWebauthn", { experimental: { enableWebauthn: true } }, "enableWebAuthn"],
    ["cookies.sessiontoken", { cookies: { sessiontoken: {} } }, "sessionToken"],
    ["cookies.sessionToken.option", { cookies: { sessionToken: { option: {} } } }, "options"],
    [
      "cookies.sessionToken.options.samesite",
      { cookies: { sessionToken: { options: { samesite: "lax" } } } },
      "sameSite",
    ],
  ])("`%s` is a fault that suggests the name", (path, config, name) => {
    const [fault, ...others] = listFaults(config as AuthConfig);
    expect(fault).toContain(`\`${path}\` is not`);
    expect(fault).toContain(`Did you mean "${name}"?`);
    expect(others).toEqual([]);
  });

  it("a misspelled default of a preset is a fault", () => {
    const use = [{ name: "company", plugins: [], defaults: { sesion: {} } as AuthConfig }];
    expect(listFaults({ use })).toEqual(['`sesion` is not an option. Did you mean "session"?']);
  });

  it("an unknown option without a similar name is a warning", () => {
    const { auth, log } = createTestAuth({
      raw: true,
      session: { rolling: true },
      cookies: { other: {}, sessionToken: { comment: "x" } },
    } as AuthConfig);
    auth.inspect();
    expect(log.warnings).toEqual(Array<string>(4).fill("config-unknown"));
  });

  it("the error of an unknown option lists the existing ones", () => {
    const warned: string[] = [];
    const logger = { warn: (_: string, text?: string) => void warned.push(text ?? "") };
    createAuth({
      env: ENV,
      secret: SECRET,
      logger,
      session: { rolling: true } as object,
    }).inspect();
    expect(warned).toEqual([
      "`session.rolling` is not an option. Use one of strategy, maxAge, updateAge, absoluteMaxAge, freshAge, checkAge, " +
        "maxPerUser, generateSessionToken.",
    ]);
  });

  it.each([
    "callbacks",
    "cookies",
    "events",
    "experimental",
    "jwt",
    "logger",
    "pages",
    "session",
    "theme",
  ])("`%s` that is not an object is one fault", (name) => {
    for (const value of ["text", 1, true, []]) {
      const [fault, ...others] = listFaults({ [name]: value } as AuthConfig);
      expect(fault).toMatch(new RegExp(`^\`${name}\` must be an object, not an? \\w+\\.$`));
      expect(others).toEqual([]);
    }
  });

  it("an adapter that is not an object is one fault, and the fix for a promise says to await it", () => {
    const adapters = {
      "a promise. Await it": Promise.resolve({}),
      "a function. Call it, if it returns one": () => ({}),
    };
    for (const [type, adapter] of Object.entries(adapters)) {
      const faults = listFaults({ adapter } as AuthConfig);
      expect(faults).toEqual([`\`adapter\` must be an adapter, not ${type}.`]);
    }
  });

  it("the fault of an adapter that is a plugin says to pass it to use()", () => {
    const faults = listFaults({ adapter: storeAdapter() as never });
    expect(faults).toEqual([
      "`adapter` must be an adapter, not an object. It is a plugin: pass it to use().",
    ]);
  });

  it("the fault of an unknown option that is a plugin says to pass it to use()", () => {
    const faults = listFaults({ storage: memoryStore(), adaptr: storeAdapter() } as AuthConfig);
    expect(faults).toEqual([
      "`storage` is a plugin, not an option. Pass it to use().",
      "`adaptr` is a plugin, not an option. Pass it to use().",
    ]);
  });

  it("a lifetime in milliseconds is a fault", () => {
    const [fault] = listFaults({ session: { maxAge: 30 * 24 * 60 * 60 * 1000 } });
    expect(fault).toBe(
      "session.maxAge must be a number of seconds, from 1 to 315576000 (10 years).",
    );
  });

  it.each(["providers", "plugins"])("`%s` that is not a list is one fault", (name) => {
    for (const [value, type] of [
      [githubPlugin(), "an object. It is a plugin: pass it to use()."],
      [githubPlugin, "a function. Call it, if it returns one."],
      ["github", "a string."],
    ] as const) {
      const faults = listFaults({ [name]: value } as AuthConfig);
      expect(faults).toEqual([`\`${name}\` must be a list, not ${type}`]);
    }
  });

  it("parts of the configuration that are null or undefined count as unset", () => {
    const config = {
      session: null,
      cookies: null,
      events: undefined,
      providers: null,
      theme: null,
    };
    expect(listFaults(config as never)).toEqual([]);
  });
});

it("a logger that is not an object is a fault, and the console gets the log", () => {
  const logged = vi.spyOn(console, "error").mockReturnValue();
  const auth = createAuth({ env: ENV, secret: SECRET, logger: (() => {}) as never });
  expect(() => auth.inspect()).toThrow(
    "`logger` must be an object, not a function. Call it, if it returns one.",
  );
  expect(logged).toHaveBeenCalledOnce();
  logged.mockRestore();
});

it("a `signIn` callback without a return value refuses, and the log says so", async () => {
  const { browser, log } = createTestAuth({ callbacks: { signIn: (() => {}) as never } });
  const response = await browser.signInWith("credentials", LOVELACE);
  expect(response.headers.get("location")).toContain("error=AccessDenied");
  const [error] = log.expectErrors("AccessDenied");
  expect(error?.message).toBe(
    "`callbacks.signIn` returned nothing. Return true to let the user in.",
  );
});

describe("handle() with a value that is not a Request", () => {
  it("the log names the function that accepts Node requests, and the response is 500", async () => {
    const { auth, log } = createTestAuth({});
    const node = { url: "/auth/session", method: "GET", headers: { host: "localhost" } };
    expect((await auth.handle(node as never))?.status).toBe(500);
    const [error] = log.expectErrors("MissingRequest");
    expect(error?.message).toContain("Node.js requests need keyhook/express");
  });

  it("a Request with a URL that a client has broken gets status 400, and is not logged", async () => {
    const { auth, log } = createTestAuth({});
    const broken = { url: "http://a b/auth/session", method: "GET", headers: new Headers() };
    expect((await auth.handle(broken as never))?.status).toBe(400);
    expect(log.errors).toEqual([]);
  });
});

describe("createAuth() with a value that is not a configuration", () => {
  it.each([
    ["null", null, "not null."],
    ["a text", "secret", "not a string."],
    ["an array", [githubPlugin()], "not an array."],
    ["true", true, "not a boolean."],
    ["a promise", Promise.resolve({}), "not a promise. Pass a function: createAuth(() => config)."],
    [
      "a plugin",
      githubPlugin(),
      'is the plugin "github". Pass it to use(): createAuth().use(...).',
    ],
    ["a preset", standardPreset, 'is the preset "standard". Pass it to use()'],
  ])("createAuth() throws at once for %s", (_, value, message) => {
    const call = () => createAuth(value as never);
    expect(call).toThrow(InvalidConfig);
    expect(call).toThrow("The configuration of createAuth()");
    expect(call).toThrow(message);
  });

  it.each([null, undefined, "x", [], githubPlugin(), () => ({})])(
    "a configuration function that returns %s is logged, leads to status 500, and rejects on the server",
    async (value) => {
      const logged = vi.spyOn(console, "error").mockReturnValue();
      const auth = createAuth((() => value) as never);
      const request = new Request("http://localhost/auth/session");
      expect((await auth.fetch(request)).status).toBe(500);
      await expect(auth.getSession(request)).rejects.toThrow(
        "The return value of the configuration function",
      );
      expect(logged).toHaveBeenCalledTimes(2);
      logged.mockRestore();
    },
  );

  it("use() of a provider's plugin works after all of these", () => {
    const log = createLog();
    const config = { secret: SECRET, env: ENV, logger: log.logger };
    const auth = createAuth(config).use(githubPlugin({ clientId: "x", clientSecret: "y" }));
    expect(auth.inspect().providers.map(({ id }) => id)).toEqual(["github"]);
  });
});
