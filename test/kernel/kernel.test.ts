import { describe, expect, it } from "vitest";
import { storeAdapter } from "../../plugins/adapters/store/store.ts";
import memoryStore, { memoryBackend } from "../../plugins/stores/memory.ts";
import type {
  Adapter,
  AdapterUser,
  AuthConfig,
  Kernel,
  Plugin,
  Route,
  StoreNeeds,
} from "../../src/index.ts";
import { acme, createHouse, credentials, identityFlow } from "../_setup.ts";

const setup = (work: (kernel: Kernel) => void, name = "test/plugin"): Plugin => ({
  name,
  setup: work,
});

/** Boots with one plugin and answers the messages of the faults. */
function faultsOf(work: (kernel: Kernel) => void, config: AuthConfig = {}): string[] {
  const { auth, log } = createHouse(config, { use: [setup(work)] });
  try {
    auth.inspect();
    return [];
  } catch (error) {
    log.ignoreErrors();
    log.errors.length = 0;
    const { faults = [error as Error] } = error as { faults?: Error[] };
    return faults.map(({ message }) => message);
  }
}

const route: Route = { method: "GET", path: "/own", handler: () => new Response("own") };

describe("what a plugin registers", () => {
  it("is a provider of an id that fits into a path", () => {
    for (const id of ["", "a/b", "a b", "é", ".", "-x", "undefined", "a".repeat(101), "a%2f"]) {
      const faults = faultsOf((kernel) => kernel.addProvider(credentials({ id })));
      expect(faults[0], id).toContain("is no provider id");
    }
    for (const id of ["a", "azure-ad-b2c", "42-school", "a.b_c~d", "a".repeat(100)]) {
      expect(
        faultsOf((kernel) => kernel.addProvider(credentials({ id }))),
        id,
      ).toEqual([]);
    }
  });

  it("is one provider per id", () => {
    expect(faultsOf((kernel) => kernel.addProvider(credentials()))).toEqual([
      'Two providers have the id "credentials". Give one another `id`.',
    ]);
  });

  it("is one flow per type", () => {
    expect(faultsOf((kernel) => kernel.addFlow("credentials", {}))).toEqual([
      'Two plugins bring the flow "credentials". Drop one.',
    ]);
  });

  it("is one strategy per name", () => {
    expect(faultsOf((kernel) => kernel.addStrategy("jwt", {} as never))).toEqual([
      'Two plugins bring the strategy "jwt". Drop one.',
    ]);
  });

  it("is one route per method and path", () => {
    expect(faultsOf((kernel) => kernel.addRoute({ ...route, path: "/session" }))).toEqual([
      'GET /session is answered by "routes/session". Drop one, or say `replaces: true`.',
    ]);
  });

  it("is a route whose path is plain", () => {
    for (const path of ["", "/", "own", "/a//b", "/:provider/x", "/a/:id", "/é", "/a?b"]) {
      expect(faultsOf((kernel) => kernel.addRoute({ ...route, path }))[0], path).toContain(
        "is no route path",
      );
    }
  });

  it("is one adapter", () => {
    const adapter: Adapter = {};
    expect(
      faultsOf((kernel) => kernel.setAdapter({}), { adapter, session: { strategy: "jwt" } }),
    ).toEqual(["Two adapters are set. Drop one."]);
  });

  it("cannot be added to after boot", () => {
    const kernel = createHouse().kernel();
    expect(() => kernel.addProvider(credentials({ id: "x" }))).toThrow("after the first request");
    expect(() => kernel.addFlow("email", {})).toThrow("after the first request");
    expect(() => kernel.addStrategy("own", {} as never)).toThrow("after the first request");
    expect(() => kernel.addRoute(route)).toThrow("after the first request");
    expect(() => kernel.setAdapter({})).toThrow("after the first request");
  });
});

describe("routes of plugins", () => {
  it("answer below the base path, with the guards of the kernel", async () => {
    const { browser, log } = createHouse(
      {},
      {
        use: [
          setup((kernel) => {
            kernel.addRoute(route);
            kernel.addRoute({ ...route, method: "POST" });
          }),
        ],
      },
    );
    expect(await (await browser.get("/auth/own")).text()).toBe("own");
    expect((await browser.post("/auth/own")).headers.get("location")).toContain("MissingCSRF");
    log.expectErrors("MissingCSRF");
    const csrfToken = await browser.csrfToken();
    expect(await (await browser.post("/auth/own", { csrfToken })).text()).toBe("own");
  });

  it("may stand in for another's when they say so", async () => {
    const { browser } = createHouse(
      {},
      {
        use: [setup((kernel) => kernel.addRoute({ ...route, path: "/session", replaces: true }))],
      },
    );
    expect(await (await browser.get("/auth/session")).text()).toBe("own");
  });

  it("may take a provider at the end, which is known in the context", async () => {
    const { browser } = createHouse(
      {},
      {
        use: [
          setup((kernel) =>
            kernel.addRoute({
              method: "GET",
              path: "/own/:provider",
              handler: (ctx) => ctx.json({ id: ctx.provider?.id, url: ctx.provider?.callbackUrl }),
            }),
          ),
        ],
      },
    );
    expect(await (await browser.get("/auth/own/credentials")).json()).toEqual({
      id: "credentials",
      url: "http://localhost:3000/auth/callback/credentials",
    });
  });

  it("may be opted out of CSRF by name", async () => {
    const { browser, auth } = createHouse(
      {},
      {
        use: [
          setup((kernel) =>
            kernel.addRoute({ ...route, method: "POST", path: "/hook", csrf: false }),
          ),
        ],
      },
    );
    expect((await browser.post("/auth/hook")).status).toBe(200);
    expect(auth.inspect().routes.find(({ path }) => path === "/hook")).toMatchObject({
      csrf: "no",
      plugin: "test/plugin",
    });
  });
});

describe("providers at boot", () => {
  it("need a plugin of their type", () => {
    expect(faultsOf(() => {}, { providers: [acme()] })).toEqual([
      'The provider "acme" has the type "oauth", which no plugin handles. Use the plugin of its ' +
        "flow, or the standard preset.",
    ]);
  });

  it("may be functions that give an object or a plugin", () => {
    const { auth } = createHouse({
      providers: [
        () => credentials(),
        () => ({ name: "own", setup: (kernel) => kernel.addProvider(credentials({ id: "own" })) }),
      ],
    });
    expect(auth.inspect().providers.map(({ id }) => id)).toEqual(["credentials", "own"]);
  });

  it("take what the application passed in `options`, as Auth.js's carry it", () => {
    const kernel = createHouse({
      providers: [{ ...credentials(), options: { name: "Staff", id: "staff" } }],
    }).kernel();
    expect(kernel.providers.get("staff")).toMatchObject({ name: "Staff", type: "credentials" });
  });

  it("are reported when they are nothing of the kind", () => {
    for (const entry of [null, undefined, 1, "github"]) {
      expect(
        faultsOf(() => {}, { providers: [entry as never] }),
        String(entry),
      ).toHaveLength(1);
    }
  });

  it("do not see each other's changes: what was given is not changed", () => {
    const given = Object.freeze(credentials());
    const { auth } = createHouse({ providers: [given] });
    expect(auth.inspect().providers).toHaveLength(1);
  });
});

describe("the strategy", () => {
  it("is jwt, or database as soon as there is an adapter, from a plugin too", () => {
    expect(createHouse().auth.inspect().strategy).toBe("jwt");
    const text = 'No plugin keeps sessions by "database" (there is: jwt)';
    expect(faultsOf(() => {}, { adapter: {} })[0]).toContain(text);
    expect(faultsOf((kernel) => kernel.setAdapter({}))[0]).toContain(text);
  });

  it("may be one that a plugin brings", () => {
    const { auth } = createHouse(
      { session: { strategy: "own" } },
      { use: [setup((kernel) => kernel.addStrategy("own", {} as never))] },
    );
    expect(auth.inspect().strategy).toBe("own");
  });
});

describe("the ready hook", () => {
  it("is asked with everything registered", () => {
    let seen: string[] = [];
    createHouse(
      {},
      {
        use: [
          setup((kernel) =>
            kernel.hooks.ready.tap("last look", (it) => void (seen = [...it.providers.keys()])),
          ),
          setup((kernel) => kernel.addProvider(credentials({ id: "late" })), "later"),
        ],
      },
    ).kernel();
    expect(seen).toEqual(["credentials", "late"]);
  });

  it("reports what its taps throw, all of it", () => {
    const faults = faultsOf((kernel) => {
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

  it("refuses an asynchronous tap: nobody would wait for it", async () => {
    const faults = faultsOf((kernel) =>
      kernel.hooks.ready.tap("slow", async () => {
        throw new Error("unheard");
      }),
    );
    expect(faults).toHaveLength(1);
    expect(faults[0]).toContain("synchronous");
  });
});

describe("inspect", () => {
  it("is JSON, and shows no secret", () => {
    const { auth } = createHouse(
      { providers: [credentials(), acme({ clientId: "id", clientSecret: "very-secret" })] },
      { use: [identityFlow(() => ({}))] },
    );
    const text = JSON.stringify(auth.inspect());
    expect(JSON.parse(text)).toEqual(auth.inspect());
    expect(text).not.toContain("very-secret");
    expect(text).not.toContain("keyhook-test-secret");
  });

  it("lists plugins, routes, cookies, pages and providers", () => {
    const seen = createHouse({ pages: { signIn: "/login" } }).auth.inspect();
    expect(seen.basePath).toBe("/auth");
    expect(seen.plugins).toContainEqual({ name: "strategies/jwt", provides: ["strategy:jwt"] });
    expect(seen.routes).toContainEqual({
      method: "POST",
      path: "/callback/:provider",
      csrf: "flow",
      plugin: "routes/callback",
    });
    expect(seen.routes).toContainEqual({
      method: "GET",
      path: "/session",
      csrf: "-",
      plugin: "routes/session",
    });
    expect(seen.cookies.sessionToken?.name).toBe("authjs.session-token");
    expect(seen.pages).toEqual({ signIn: "/login" });
    expect(seen.providers).toEqual([
      { id: "credentials", name: "Credentials", type: "credentials" },
    ]);
  });

  it("tells where records lie, and who keeps some: the store and its namespaces", () => {
    const keeper: Plugin = {
      name: "keeper",
      setup(kernel) {
        kernel.store("kept", { atomic: true });
        kernel.store("counts", { optional: true });
      },
    };
    const { name, guarantees, atomic } = memoryBackend();
    const seen = createHouse({}, { use: [memoryStore(), keeper] }).auth.inspect();
    expect(seen.store).toEqual({
      backend: { name, guarantees, atomic },
      namespaces: [
        { namespace: "kept", plugin: "keeper", needs: { atomic: true } },
        { namespace: "counts", plugin: "keeper", needs: { optional: true } },
      ],
    });
    expect(createHouse().auth.inspect().store).toEqual({ backend: null, namespaces: [] });
  });

  it("tells the store that serves by default only where somebody keeps records there", () => {
    const fallback: Plugin = {
      name: "spare",
      setup: (kernel) => kernel.setStore(memoryBackend(), { fallback: true }),
    };
    const taking = (needs: StoreNeeds): Plugin => ({
      name: "keeper",
      setup: (kernel) => void kernel.store("kept", needs),
    });
    const backendOf = (...use: Plugin[]) => createHouse({}, { use }).auth.inspect().store.backend;
    expect(backendOf(fallback)).toBeNull();
    expect(backendOf(fallback, taking({ optional: true }))).toBeNull();
    expect(backendOf(fallback, taking({}))?.name).toBe("memory");
  });

  it("tells which methods the adapter has, inherited ones too", () => {
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
    const seen = createHouse({ adapter: new Mine() as unknown as Adapter, session }).auth.inspect();
    expect(seen.adapter).toEqual({ methods: ["createUser", "getUser"] });
    expect(createHouse().auth.inspect().adapter).toBeNull();
    const full = createHouse({ session }, { use: [memoryStore(), storeAdapter()] }).auth.inspect();
    for (const method of ["createUserWithAccount", "deleteAuthenticator", "listSessionsByUserId"]) {
      expect(full.adapter?.methods).toContain(method);
    }
    expect(full.store.namespaces).toContainEqual({
      namespace: "adapter-user",
      plugin: "adapters/store",
      needs: { atomic: true, durable: true },
    });
  });
});
