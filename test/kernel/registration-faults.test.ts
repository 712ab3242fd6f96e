import { describe, expect, it } from "vitest";
import { memoryStore } from "../../plugins/stores/memory.ts";
import { standardPreset } from "../../presets/standard.ts";
import {
  type AuthContext,
  definePageRenderer,
  type Kernel,
  type Plugin,
  type Route,
  type SessionTransport,
  type Store,
} from "../../src/kernel.ts";
import { createTestAuth, credentials } from "../_app.ts";
import { listFaults, noSessions, plugin } from "./_faults.ts";

const transport: SessionTransport = {
  receive: () => undefined,
  send: () => [],
  forward() {},
  refuse: () => new Response(null, { status: 401 }),
};
const route: Route = { method: "GET", path: "/own", handler: () => new Response() };

// Calls of a kernel from plain JavaScript.
type Loose = Record<string, (...args: unknown[]) => unknown>;
const loose = (name: string, work: (kernel: Loose) => void): Plugin =>
  plugin(name, (kernel) => work(kernel as unknown as Loose));
const one = (work: (kernel: Loose) => void): string[] => listFaults({ use: [loose("a", work)] });

describe("two plugins that register the same thing", () => {
  it.each<[string, (kernel: Loose) => unknown, string]>([
    ["adapter", (kernel) => kernel.setAdapter?.({}), "set an adapter. Drop one."],
    [
      "session transport",
      (kernel) => kernel.setSessionTransport?.(transport),
      "set a session transport. Drop one.",
    ],
    [
      "strategy",
      (kernel) => kernel.addStrategy?.("s", noSessions),
      'register the strategy "s". Drop one.',
    ],
    ["flow", (kernel) => kernel.addFlow?.("f", { start() {} }), 'register the flow "f". Drop one.'],
    [
      "cookie",
      (kernel) => kernel.addCookie?.("c", { name: "c" }),
      'add the cookie "c". Rename one.',
    ],
    [
      "route",
      (kernel) => kernel.addRoute?.(route),
      "register the route GET /own. Drop one, or set `replaces: true`.",
    ],
    [
      "replaced route",
      (kernel) => kernel.addRoute?.({ ...route, path: "/session", replaces: true }),
      "replace the route GET /session. Drop one.",
    ],
    [
      "public error",
      (kernel) => kernel.addError?.("Oops"),
      'add the public error "Oops". Rename one.',
    ],
    [
      "provider",
      (kernel) => kernel.addProvider?.({ id: "x", type: "credentials", name: "X", authorize() {} }),
      'add the provider "x". Set another `id` on one of them.',
    ],
    [
      "store namespace",
      (kernel) => kernel.store?.("s", { optional: true }),
      'use the store namespace "s". Rename one.',
    ],
  ])("two plugins with the same %s are a fault that names both", (_, register, text) => {
    const use = [loose("a", register), loose("b", register)];
    expect(listFaults({ use, session: { strategy: "jwt" } })).toEqual(
      expect.arrayContaining([`"a" and "b" both ${text}`]),
    );
  });

  it("a second page renderer is a fault that names both plugins", () => {
    const use = ["a", "b"].map((name) => definePageRenderer(() => () => new Response(), { name }));
    expect(listFaults({ use })).toEqual(['"a" and "b" both provide "page-renderer". Drop one.']);
  });

  it("an application's page renderer replaces Keyhook's", async () => {
    const { browser } = createTestAuth({
      preset: standardPreset,
      use: [
        definePageRenderer(
          () =>
            ({ title }) =>
              new Response(`own: ${title}`),
        ),
      ],
    });
    const response = await browser.get("/auth/signin");
    expect(await response.text()).toBe("own: Sign in");
  });

  it("a cookie and a public error of the kernel cannot be added", () => {
    expect(one((kernel) => kernel.addCookie?.("csrfToken", { name: "c" }))).toEqual([
      'The kernel and "a" both add the cookie "csrfToken". Rename one.',
    ]);
    expect(one((kernel) => kernel.addError?.("AccessDenied"))).toEqual([
      'The kernel and "a" both add the public error "AccessDenied". Rename one.',
    ]);
  });

  it("one plugin may add a public error twice", () => {
    const twice = (kernel: Kernel) => {
      kernel.addError("Oops");
      kernel.addError("Oops");
    };
    expect(listFaults({ use: [plugin("a", twice)] })).toEqual([]);
  });

  it("taps of `ready` that throw or are asynchronous are faults that name tap and plugin", () => {
    const late = (name: string, tap: () => unknown) =>
      plugin(name, ({ hooks }) => hooks.ready.tap("check", tap as never));
    const throwing = late("a", () => {
      throw new Error("The key is missing.");
    });
    const waiting = late("b", () => Promise.reject(new Error("too late")));
    expect(listFaults({ use: [throwing] })).toEqual([
      "A tap of `ready` (plugin a) failed: The key is missing.",
    ]);
    expect(listFaults({ use: [waiting] })).toEqual([
      "A tap of `ready` (plugin b) failed: it returned a promise, for which boot does not wait.",
    ]);
  });

  it("registrations in a tap of `ready` belong to its plugin", () => {
    const late = (name: string) =>
      plugin(name, ({ hooks }) => hooks.ready.tap(name, (kernel) => kernel.addRoute(route)));
    expect(listFaults({ use: [late("a"), late("b")] })[0]).toContain(
      '"a" and "b" both register the route GET /own.',
    );
  });

  it("several plugins may wrap the handler of one route", () => {
    const around = (name: string) =>
      plugin(name, ({ hooks }) =>
        hooks.ready.tap(name, (kernel) => {
          const known = kernel.route("GET", "/session");
          if (known) kernel.addRoute({ ...known, replaces: true, handler: known.handler });
        }),
      );
    expect(listFaults({ use: [around("a"), around("b")] })).toEqual([]);
  });
});

describe("a route that replaces no other", () => {
  it.each([
    ["GET", "/sesion", ' Did you mean "GET /session"?'],
    ["DELETE", "/verify-request", ' Did you mean "GET /verify-request"?'],
    ["GET", "/nowhere", " Require the plugin that registers it, or drop `replaces`."],
  ] as const)("%s %s is a fault with a suggestion", (method, path, fix) => {
    const text = `"a" replaces the route ${method} ${path}, which does not exist.`;
    const faults = one((kernel) => kernel.addRoute?.({ ...route, method, path, replaces: true }));
    expect(faults).toEqual([text + fix]);
  });
});

describe("misspelled fields", () => {
  const hint = (text: string, given: string, meant: string) =>
    `${text} has the field "${given}", which does not exist. Did you mean "${meant}"?`;

  it.each([
    ["atuh", "auth"],
    ["crsf", "csrf"],
    ["replace", "replaces"],
  ])("the field %s of a route is a fault", (given, meant) => {
    expect(one((kernel) => kernel.addRoute?.({ ...route, [given]: true }))).toEqual([
      hint('The route GET /own of "a"', given, meant),
    ]);
  });

  it("a misspelled field of a flow, a cookie, a public error or a store is a fault", () => {
    const start = () => new Response();
    expect(one((kernel) => kernel.addFlow?.("f", { start, crsf: false }))).toEqual([
      hint('The flow "f" of "a"', "crsf", "csrf"),
    ]);
    expect(one((kernel) => kernel.addCookie?.("c", { name: "c", maxage: 5 }))).toEqual([
      hint('The cookie "c" of "a"', "maxage", "maxAge"),
    ]);
    expect(one((kernel) => kernel.addError?.("Oops", { sttaus: 401 }))).toEqual([
      hint('The public error "Oops" of "a"', "sttaus", "status"),
    ]);
    expect(one((kernel) => kernel.store?.("s", { optional: true, atomc: true }))).toEqual([
      hint('The store "s" of "a"', "atomc", "atomic"),
    ]);
  });

  it("a misspelled option of a tap is a fault", () => {
    const typo = { name: "t", stgae: "late" };
    expect(
      listFaults({ use: [plugin("a", ({ hooks }) => hooks.jwt.tap(typo, () => {}))] }),
    ).toEqual([
      'The tap "t" (plugin a) of the hook jwt has the field "stgae", which does not exist. Did you mean "stage"?',
    ]);
  });

  it("other unknown fields are left alone", () => {
    expect(one((kernel) => kernel.addRoute?.({ ...route, description: "mine" }))).toEqual([]);
  });
});

describe("registrations of a wrong shape", () => {
  it.each<[string, (kernel: Loose) => unknown, string]>([
    [
      "addRoute with three arguments",
      (kernel) => kernel.addRoute?.("GET", "/x", () => {}),
      'The route of "a" is a string. Pass one object: addRoute({ method, path, handler }).',
    ],
    [
      "a route without a path",
      (kernel) => kernel.addRoute?.({ method: "GET", handler() {} }),
      'The route GET of "a" must have a path that begins with "/" and names a segment, such as "/org/:id".',
    ],
    [
      "a cookie without defaults",
      (kernel) => kernel.addCookie?.("mine"),
      'The cookie "mine" of "a" is undefined. Pass its name: addCookie("mine", { name: "..." }).',
    ],
    [
      "a cookie with an empty name",
      (kernel) => kernel.addCookie?.("mine", { name: "" }),
      'The cookie "mine" of "a" has no `name`. Pass its name: addCookie("mine", { name: "..." }).',
    ],
    [
      "a cookie without a name",
      (kernel) => kernel.addCookie?.("mine", {}),
      'The cookie "mine" of "a" has no `name`. Pass its name: addCookie("mine", { name: "..." }).',
    ],
    [
      "a text that is a number",
      (kernel) => kernel.addMessages?.("en", { a: 1 }),
      'The text "a" (en) of "a" is a number. It must be a string, or { other: "text" }.',
    ],
    [
      "a language without texts",
      (kernel) => kernel.addLanguage?.({ tag: "de" }),
      'The texts (de) of "a" are undefined. Pass { id: "text" }.',
    ],
    [
      "a strategy without methods",
      (kernel) => kernel.addStrategy?.("s", { read() {} }),
      'The strategy "s" of "a" has no `create`, `update`, `current`, `destroy`. Add what is missing.',
    ],
    [
      "a flow without functions",
      (kernel) => kernel.addFlow?.("x", {}),
      'The flow "x" of "a" has neither `start` nor `finish`. Add one.',
    ],
    [
      "an object in place of interceptHooks' function",
      (kernel) => kernel.interceptHooks?.({ run() {} }),
      'The plugin "a" calls interceptHooks without a function. Pass one that returns the interceptor of a hook: ' +
        "interceptHooks((hook) => ({ run() {} })).",
    ],
  ])("%s is a fault that names plugin and fix", (_, register, text) => {
    expect(one(register)).toEqual([text]);
  });

  it.each(["tap", "tapAsync", "tapPromise", "intercept"])(
    "hooks.page.%s is a fault that says to choose a page",
    (method) => {
      const use = [plugin("a", ({ hooks }) => (hooks.page as unknown as Loose)[method]?.("x"))];
      expect(listFaults({ use })).toEqual([
        `The plugin "a" calls hooks.page.${method}: each page has a hook of its own. Call ` +
          `hooks.page.for("signin").${method}, or hooks.page.for("*").${method} for every page.`,
      ]);
    },
  );

  it.each([
    ["", "has no name"],
    [" ", "has no name"],
    [{}, "has no name"],
    [() => {}, "has a function instead of a name"],
    [undefined, "has undefined instead of a name"],
  ])("a tap with %o as its name is a fault that names plugin and fix", (name, text) => {
    const use = [plugin("a", ({ hooks }) => hooks.jwt.tap(name as string, () => {}))];
    expect(listFaults({ use })).toEqual([
      `A tap of the hook jwt (plugin a) ${text}. Name it: tap("name", fn), or ` +
        'tap({ name: "name", stage: "early" }, fn).',
    ]);
  });

  it("the options of a tap may be frozen", () => {
    const options = Object.freeze({ name: "t", stage: "late" } as const);
    expect(
      listFaults({ use: [plugin("a", ({ hooks }) => hooks.jwt.tap(options, () => {}))] }),
    ).toEqual([]);
  });
});

describe("registrations after boot", () => {
  it.each<[string, (kernel: Kernel) => unknown]>([
    ["the route GET /own", (kernel) => kernel.addRoute(route)],
    ['the cookie "pendingLogin"', (kernel) => kernel.addCookie("pendingLogin", { name: "x" })],
    ['the public error "Late"', (kernel) => kernel.addError("Late")],
    ['the strategy "s"', (kernel) => kernel.addStrategy("s", noSessions)],
    ['the flow "email"', (kernel) => kernel.addFlow("email", {})],
    ['a text in the language "de"', (kernel) => kernel.addMessages("de", {})],
    ["a session transport", (kernel) => kernel.setSessionTransport(transport)],
    ["an adapter", (kernel) => kernel.setAdapter({})],
    ['the provider "x"', (kernel) => kernel.addProvider(credentials({ id: "x" }))],
    ["a store", (kernel) => kernel.setStore(memoryStore().backend)],
  ])("%s: the error names the registration and where it belongs", (text, register) => {
    const kernel = createTestAuth().kernel();
    expect(() => register(kernel)).toThrow(
      `It is too late to register ${text} after the first request. Do it in a plugin's \`setup\`.`,
    );
  });
});

describe("wrong options of a write to a store", () => {
  const open = (): Store<unknown> => {
    let store: Store<unknown> | undefined;
    const opens = plugin("a", (kernel) => void (store = kernel.store("mine")));
    createTestAuth({ use: [memoryStore(), opens] }).auth.inspect();
    return store as Store<unknown>;
  };
  const wrong = 3600 as never;

  it.each<[string, (store: Store<unknown>) => Promise<unknown>]>([
    ["put", (store) => store.put("k", 1, wrong)],
    ["putIfAbsent", (store) => store.putIfAbsent("k", 1, wrong)],
    ["increment", (store) => store.increment("k", 1, wrong)],
    ["compareAndSet", (store) => store.compareAndSet("k", { value: 1, raw: "" }, 1, wrong)],
  ])("%s with a number instead of options rejects and says what to pass", async (_, write) => {
    await expect(write(open())).rejects.toMatchObject({
      type: "PluginError",
      message:
        'A write to the store "mine" has a number instead of options. Pass an object: { ttl: milliseconds }.',
    });
  });

  it("a misspelled `ttl` rejects, and increment() with options in place of a number says the order", async () => {
    const store = open();
    await expect(store.put("k", 1, { tll: 5 } as never)).rejects.toThrow('Did you mean "ttl"?');
    await expect(store.increment("k", { ttl: 5 } as never)).rejects.toThrow(
      "increment(key, 1, { ttl: milliseconds })",
    );
  });
});

describe("ctx.page() with an incomplete page", () => {
  it.each<[page: unknown, text: string]>([
    [{ name: "welcome", title: "Hi" }, 'The page "welcome" has no `blocks`.'],
    // What becomes of a flow's `page` that returns nothing.
    [{ name: "welcome" }, 'The page "welcome" has no `blocks`.'],
    [{ name: "welcome", blocks: [] }, 'The page "welcome" has no `title`.'],
    [{ title: "Hi", blocks: [] }, 'A page of GET /own (plugin "a") has no `name`.'],
    [undefined, 'A page of GET /own (plugin "a") is undefined.'],
    ...(
      [
        [{ kind: "form" }, 'block "form" whose `form` is undefined'],
        [{ kind: "list", items: {} }, 'block "list" whose `items` is an object'],
        [{ kind: "section", heading: "Hi" }, 'block "section" whose `blocks` is undefined'],
        [{ kind: "more", blocks: [{ kind: "grid" }] }, 'block "grid" whose `blocks` is undefined'],
        [null, "block that is null"],
        ["Hi", "block that is a string"],
      ] satisfies [unknown, string][]
    ).map(([block, text]): [unknown, string] => [
      { name: "welcome", title: "Hi", blocks: [block] },
      `The page "welcome" has a ${text}. Correct it.`,
    ]),
  ])("ctx.page(%o) is a PluginError that names the page or its route", async (page, text) => {
    const handler = (ctx: AuthContext) => ctx.page(page as never);
    const shows = plugin("a", (kernel) => kernel.addRoute({ ...route, handler }));
    const { browser, log } = createTestAuth({ use: [shows] });
    await browser.get("/auth/own");
    const [error] = log.expectErrors("PluginError");
    expect(error?.message).toContain(text);
  });
});

describe("the faults of plugins that require each other", () => {
  const taps = (hook: string, requires: readonly string[]): Plugin => ({
    name: `taps-${hook}`,
    requires,
    provides: [hook],
    setup: ({ hooks }) => hooks[hook as "signIn"].tap(hook, () => undefined),
  });

  it("a missing plugin is one fault, without further faults of the plugins that require it", () => {
    const use = [taps("teamName", ["teams"]), taps("teamSize", ["teamName"])];
    expect(listFaults({ use })).toEqual([
      '"taps-teamName" requires "teams". Add a plugin that provides it.',
    ]);
  });

  it("a plugin whose setup fails is one fault, without further faults of the plugins that require it", () => {
    const teams = plugin("teams", () => {
      throw new Error("The file of teams is missing.");
    });
    expect(listFaults({ use: [teams, taps("teamName", ["teams"])] })).toEqual([
      'The plugin "teams" could not be set up: The file of teams is missing.',
    ]);
  });

  it("a plugin that requires the adapter of the configuration has its own faults reported", () => {
    const faults = listFaults({ adapter: {}, use: [taps("teamName", ["adapter"])] });
    expect(faults.join()).toContain('There is no hook "teamName" (plugin "taps-teamName").');
  });
});
