import { describe, expect, it } from "vitest";
import { storeAdapter } from "../../plugins/adapters/store.ts";
import { memoryStore, memoryBackend } from "../../plugins/stores/memory.ts";
import { records } from "../../src/_kit.ts";
import {
  type Adapter,
  type AdapterUser,
  type AuthConfig,
  defineAdapter,
  type Inspection,
  type Kernel,
  type Plugin,
  type Route,
  type StoreRequirements,
} from "../../src/kernel.ts";
import { acme, createTestAuth, credentials, identityFlow, listBootFaults } from "../_app.ts";
import { noSessions } from "./_faults.ts";

const setup = (work: (kernel: Kernel) => void, name = "test/plugin"): Plugin => ({
  name,
  setup: work,
});

/** Boots with one plugin, and lists the messages of the boot faults. */
function listFaults(work: (kernel: Kernel) => void, config: AuthConfig = {}): string[] {
  return listBootFaults(createTestAuth({ ...config, use: [setup(work)] }));
}

const route: Route = { method: "GET", path: "/own", handler: () => new Response("own") };

describe("registrations of a plugin", () => {
  it("addProvider() accepts an id only when it fits into a path", () => {
    for (const id of ["", "a/b", "a b", "é", ".", "-x", "undefined", "a".repeat(101), "a%2f"]) {
      const faults = listFaults((kernel) => kernel.addProvider(credentials({ id })));
      expect(faults[0], id).toContain("is not a valid provider id");
    }
    for (const id of ["a", "X", "iD9", "azure-ad-b2c", "42-school", "a.b_c~d", "a".repeat(100)]) {
      expect(
        listFaults((kernel) => kernel.addProvider(credentials({ id }))),
        id,
      ).toEqual([]);
    }
  });

  it("two providers with the same id are a fault", () => {
    expect(listFaults((kernel) => kernel.addProvider(credentials()))).toEqual([
      '"credentials" and "test/plugin" both add the provider "credentials". Set another `id` on one of them.',
    ]);
  });

  it("two flows with the same type are a fault", () => {
    expect(listFaults((kernel) => kernel.addFlow("credentials", {}))).toEqual([
      '"flows/credentials" and "test/plugin" both register the flow "credentials". Drop one.',
    ]);
  });

  it("two strategies with the same name are a fault", () => {
    expect(listFaults((kernel) => kernel.addStrategy("jwt", {} as never))).toEqual([
      '"strategies/jwt" and "test/plugin" both register the strategy "jwt". Drop one.',
    ]);
  });

  it("two routes with the same method and path are a fault", () => {
    expect(listFaults((kernel) => kernel.addRoute({ ...route, path: "/session" }))).toEqual([
      '"routes/session" and "test/plugin" both register the route GET /session. Drop one, or set ' +
        "`replaces: true`.",
    ]);
  });

  it("two adapters are a fault", () => {
    const adapter: Adapter = {};
    expect(
      listFaults((kernel) => kernel.setAdapter({}), { adapter, session: { strategy: "jwt" } }),
    ).toEqual(['The configuration and "test/plugin" both set an adapter. Drop one.']);
  });

  it("registrations throw after boot", () => {
    const kernel = createTestAuth().kernel();
    expect(() => kernel.addProvider(credentials({ id: "x" }))).toThrow("after the first request");
    expect(() => kernel.addFlow("email", {})).toThrow("after the first request");
    expect(() => kernel.addStrategy("own", noSessions)).toThrow("after the first request");
    expect(() => kernel.addRoute(route)).toThrow("after the first request");
    expect(() => kernel.setAdapter({})).toThrow("after the first request");
  });
});

describe("routes of plugins", () => {
  it("a plugin's route is served below the base path and requires a CSRF token for POST", async () => {
    const { browser, log } = createTestAuth({
      use: [
        setup((kernel) => {
          kernel.addRoute(route);
          kernel.addRoute({ ...route, method: "POST" });
        }),
      ],
    });
    expect(await (await browser.get("/auth/own")).text()).toBe("own");
    expect((await browser.post("/auth/own")).headers.get("location")).toContain("MissingCSRF");
    log.expectErrors("MissingCSRF");
    const csrfToken = await browser.csrfToken();
    expect(await (await browser.post("/auth/own", { csrfToken })).text()).toBe("own");
  });

  it("a route with `replaces` replaces another plugin's route", async () => {
    const { browser } = createTestAuth({
      use: [setup((kernel) => kernel.addRoute({ ...route, path: "/session", replaces: true }))],
    });
    expect(await (await browser.get("/auth/session")).text()).toBe("own");
  });

  it("a route whose path ends in /:provider has the provider in its context", async () => {
    const { browser } = createTestAuth({
      use: [
        setup((kernel) =>
          kernel.addRoute({
            method: "GET",
            path: "/own/:provider",
            handler: (ctx) => ctx.json({ id: ctx.provider?.id, url: ctx.provider?.callbackUrl }),
          }),
        ),
      ],
    });
    expect(await (await browser.get("/auth/own/credentials")).json()).toEqual({
      id: "credentials",
      url: "http://localhost:3000/auth/callback/credentials",
    });
  });

  it("a route with `csrf: false` accepts a POST without a token", async () => {
    const { browser, auth } = createTestAuth({
      use: [
        setup((kernel) =>
          kernel.addRoute({ ...route, method: "POST", path: "/hook", csrf: false }),
        ),
      ],
    });
    expect((await browser.post("/auth/hook")).status).toBe(200);
    expect(auth.inspect().routes.find(({ path }) => path === "/hook")).toMatchObject({
      csrf: "no",
      plugin: "test/plugin",
    });
  });
});

describe("providers at boot", () => {
  it("a provider whose type no plugin handles is a fault", () => {
    expect(listFaults(() => {}, { providers: [acme()] })).toEqual([
      'The provider "acme" has the type "oauth", which no plugin handles. Use the plugin of its ' +
        "flow, or the standard preset.",
    ]);
  });

  it("a provider whose type is missing or misspelled is a fault that names the type that is meant", () => {
    const broken = (entry: object) => listFaults(() => {}, { providers: [entry as never] });
    expect(broken({ ...credentials(), type: "credential" })).toEqual([
      'The provider "credentials" has the type "credential", which no plugin handles. Did you mean "credentials"?',
    ]);
    expect(broken({ id: "own", name: "Own" })).toEqual([
      `The provider "own" has no \`type\`. Set it to its flow's type, such as "oidc" or "credentials".`,
    ]);
  });

  it("a provider without an id is a fault that says so", () => {
    expect(listFaults(() => {}, { providers: [{ name: "Own", type: "oidc" } as never] })).toEqual([
      "An entry of `providers` has no `id`. Set it to a unique string.",
    ]);
  });

  it("a provider may be a function that returns a provider or a plugin", () => {
    const { auth } = createTestAuth({
      providers: [
        () => credentials(),
        () => ({ name: "own", setup: (kernel) => kernel.addProvider(credentials({ id: "own" })) }),
      ],
    });
    expect(auth.inspect().providers.map(({ id }) => id)).toEqual(["credentials", "own"]);
  });

  it("a provider's `options` are merged over it, as in Auth.js", () => {
    const kernel = createTestAuth({
      providers: [{ ...credentials(), options: { name: "Staff", id: "staff" } }],
    }).kernel();
    expect(kernel.providers.get("staff")).toMatchObject({ name: "Staff", type: "credentials" });
  });

  it("an entry of `providers` that is not a provider is a fault", () => {
    const entries = [
      [null, "null"],
      [undefined, "undefined"],
      [() => undefined, "undefined"],
      ["github", "a string"],
      [[], "an array"],
      [async () => credentials(), "a promise"],
    ];
    for (const [entry, type] of entries) {
      expect(listFaults(() => {}, { providers: [entry as never] })).toEqual([
        `An entry of \`providers\` is ${String(type)}: it must be a provider, or a function that returns one.`,
      ]);
    }
    expect(listFaults(() => {}, { providers: [{ setup() {} } as never] })).toEqual([
      "A plugin in `providers` has no name. Set `name`.",
    ]);
  });

  it("a provider object may be frozen, because it is never modified", () => {
    const given = Object.freeze(credentials());
    const { auth } = createTestAuth({ providers: [given] });
    expect(auth.inspect().providers).toHaveLength(1);
  });
});

describe("session strategy at boot", () => {
  it("session.strategy defaults to jwt, and to database with an adapter, including a plugin's", () => {
    expect(createTestAuth().auth.inspect().strategy).toBe("jwt");
    const text = 'No plugin provides the session strategy "database" (registered: jwt)';
    expect(listFaults(() => {}, { adapter: {} })[0]).toContain(text);
    expect(listFaults(() => {}, { plugins: [defineAdapter({})] })[0]).toContain(text);
  });

  it("session.strategy may name a strategy of a plugin", () => {
    const { auth } = createTestAuth({
      session: { strategy: "own" },
      use: [setup((kernel) => kernel.addStrategy("own", noSessions))],
    });
    expect(auth.inspect().strategy).toBe("own");
  });
});

describe("hooks.ready", () => {
  it("the ready hook is called after all plugins have registered", () => {
    let seen: string[] = [];
    createTestAuth({
      use: [
        setup((kernel) =>
          kernel.hooks.ready.tap("last look", (it) => void (seen = [...it.providers.keys()])),
        ),
        setup((kernel) => kernel.addProvider(credentials({ id: "late" })), "later"),
      ],
    }).kernel();
    expect(seen).toEqual(["credentials", "late"]);
  });

  it("every error of the ready hook is reported as a fault", () => {
    const faults = listFaults((kernel) => {
      kernel.hooks.ready.tap("one", () => {
        throw new Error("no mail");
      });
      kernel.hooks.ready.tap("two", () => {
        throw new Error("no store");
      });
    });
    expect(faults).toHaveLength(2);
    expect(faults[0]).toContain("no mail");
    expect(faults[1]).toContain("no store");
  });

  it("an asynchronous tap of the ready hook is a fault: boot does not await it", async () => {
    const faults = listFaults((kernel) =>
      kernel.hooks.ready.tap("slow", async () => {
        throw new Error("unheard");
      }),
    );
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain("boot does not wait");
  });
});

describe("kernel.inspect()", () => {
  it("kernel.inspect() returns the same as auth.inspect(), in `init` and during a request", async () => {
    const seen: Inspection[] = [];
    const app = createTestAuth({
      use: [
        {
          name: "reader",
          setup({ hooks }) {
            hooks.request.tap("reader", ({ kernel }) => void seen.push(kernel.inspect()));
          },
          init: (kernel) => void seen.push(kernel.inspect()),
        },
      ],
    });
    await app.browser.get("/auth/csrf");
    expect(seen).toEqual([app.auth.inspect(), app.auth.inspect()]);
  });

  it.each(["setup", "ready"])("kernel.inspect() in %s is a fault with its fix", (when) => {
    const app = createTestAuth({
      use: [
        {
          name: "early",
          setup(kernel) {
            if (when === "setup") kernel.inspect();
            kernel.hooks.ready.tap("early", () => void kernel.inspect());
          },
        },
      ],
    });
    expect(() => app.auth.inspect()).toThrow("was called during boot. Call it in a request");
    app.log.expectErrors("PluginError");
  });

  it("kernel.inspect() lists what plugins require, provide and bring", () => {
    const app = createTestAuth({
      use: [
        { name: "needed", setup() {} },
        {
          name: "full",
          requires: ["needed"],
          provides: ["fullness"],
          plugins: [{ name: "brought", setup() {} }],
          setup() {},
        },
      ],
    });
    const { plugins } = app.auth.inspect();
    expect(plugins.find(({ name }) => name === "full")).toEqual({
      name: "full",
      requires: ["needed"],
      provides: ["fullness"],
      plugins: ["brought"],
    });
  });
});

describe("auth.inspect()", () => {
  it("inspect() returns JSON without secrets", () => {
    const { auth } = createTestAuth({
      providers: [credentials(), acme({ clientId: "id", clientSecret: "very-secret" })],
      use: [identityFlow(() => ({}))],
    });
    const text = JSON.stringify(auth.inspect());
    expect(JSON.parse(text)).toEqual(auth.inspect());
    expect(text).not.toContain("very-secret");
    expect(text).not.toContain("keyhook-test-secret");
  });

  it("inspect() lists plugins, routes, cookies, pages and providers", () => {
    const seen = createTestAuth({ pages: { signIn: "/login" } }).auth.inspect();
    expect(seen.basePath).toBe("/auth");
    expect(seen.plugins).toContainEqual({
      name: "strategies/jwt",
      provides: ["strategy:jwt"],
      requires: [],
      plugins: [],
    });
    expect(seen.routes).toContainEqual({
      method: "POST",
      path: "/callback/:provider",
      auth: false,
      csrf: "flow",
      plugin: "routes/callback",
    });
    expect(seen.routes).toContainEqual({
      method: "GET",
      path: "/session",
      auth: false,
      csrf: "-",
      plugin: "routes/session",
    });
    expect(seen.cookies.sessionToken?.name).toBe("authjs.session-token");
    expect(seen.pages).toEqual({ signIn: "/login" });
    expect(seen.providers).toEqual([
      { id: "credentials", name: "Credentials", type: "credentials" },
    ]);
  });

  it("inspect() names the store and its namespaces with the plugins that use them", () => {
    const keeper: Plugin = {
      name: "keeper",
      setup(kernel) {
        kernel.store("kept", { atomic: true });
        kernel.store("counts", { optional: true });
      },
    };
    const { name, guarantees, atomic } = memoryBackend();
    const requirements = { optional: true };
    const always = [
      { namespace: "single-use", plugin: "kernel", requirements },
      { namespace: "ended-logins", plugin: "stored-users", requirements },
      { namespace: "posted-fields", plugin: "stored-users", requirements },
    ];
    const seen = createTestAuth({ use: [memoryStore(), keeper] }).auth.inspect();
    expect(seen.store).toEqual({
      backend: { name, guarantees, atomic },
      namespaces: [
        ...always,
        { namespace: "kept", plugin: "keeper", requirements: { atomic: true } },
        { namespace: "counts", plugin: "keeper", requirements },
      ],
    });
    expect(createTestAuth().auth.inspect().store).toEqual({ backend: null, namespaces: always });
  });

  it("inspect() names a fallback store only when a plugin requires a namespace", () => {
    const fallback: Plugin = {
      name: "spare",
      plugins: [records()],
      setup: (kernel) => kernel.setStore(memoryBackend(), { fallback: true }),
    };
    const taking = (requirements: StoreRequirements): Plugin => ({
      name: "keeper",
      setup: (kernel) => void kernel.store("kept", requirements),
    });
    const getBackend = (...use: Plugin[]) => createTestAuth({ use }).auth.inspect().store.backend;
    expect(getBackend(fallback)).toBeNull();
    expect(getBackend(fallback, taking({ optional: true }))).toBeNull();
    expect(getBackend(fallback, taking({}))?.name).toBe("memory");
  });

  it("inspect() lists the adapter's methods, including inherited ones", () => {
    class Base {
      getUser() {
        return null;
      }
    }
    class Mine extends Base {
      readonly pool = "postgres://user:password@host";
      getUserByEmail = undefined;
      createUser(user: AdapterUser) {
        return user;
      }
      close() {}
    }
    const session = { strategy: "jwt" };
    const seen = createTestAuth({
      adapter: new Mine() as unknown as Adapter,
      session,
    }).auth.inspect();
    expect(seen.adapter).toEqual({ methods: ["createUser", "getUser"] });
    expect(createTestAuth().auth.inspect().adapter).toBeNull();
    const full = createTestAuth({ session, use: [memoryStore(), storeAdapter()] }).auth.inspect();
    for (const method of ["createUserWithAccount", "deleteAuthenticator", "listSessionsByUserId"]) {
      expect(full.adapter?.methods).toContain(method);
    }
    expect(full.store.namespaces).toContainEqual({
      namespace: "adapter-user",
      plugin: "adapters/store",
      requirements: { atomic: true, durable: true },
    });
  });
});

describe("a booted kernel", () => {
  it("kernel, configuration and providers are frozen, and the application's own objects are not", () => {
    const own = { id: "own", name: "Own", type: "credentials", authorize: () => null } as const;
    const config = { providers: [own], pages: { signIn: "/in" }, theme: { brandColor: "#123456" } };
    const kernel = createTestAuth(config as AuthConfig).kernel();
    const provider = kernel.providers.get("own") as { name: string };
    const { config: resolved } = kernel;
    for (const change of [
      () => Object.assign(kernel, { emit: null }),
      () => Object.assign(provider, { name: "x" }),
      () => Object.assign(resolved, { trustHost: true }),
      () => Object.assign(resolved.session, { maxAge: 1 }),
      () => Object.assign(resolved.jwt, { maxAge: 1 }),
      () => Object.assign(resolved.pages, { signIn: "https://evil.example" }),
      () => (resolved.secret as unknown as string[]).push("known"),
    ]) {
      expect(change).toThrow(TypeError);
    }
    for (const one of [config, own, config.pages, config.theme]) {
      expect(Object.isFrozen(one)).toBe(false);
    }
  });
});
