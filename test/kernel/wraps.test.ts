import { afterEach, describe, expect, it, vi } from "vitest";
import { storeAdapter } from "../../plugins/adapters/store.ts";
import { emailPlugin } from "../../plugins/providers/email.ts";
import { memoryBackend, memoryStore } from "../../plugins/stores/memory.ts";
import { standardPreset } from "../../presets/standard.ts";
import { records } from "../../src/_kit.ts";
import {
  type Adapter,
  customFetch,
  defineStore,
  type Kernel,
  type Plugin,
  type StoreBackend,
} from "../../src/kernel.ts";
import {
  acme,
  createTestAuth,
  identityFlow,
  LOVELACE,
  plainAdapter,
  Rows,
  unservedOAuth,
} from "../_app.ts";
import { listFaults, plugin } from "./_faults.ts";

/** Passes every call on, and records its name. */
function recorded<T extends object>(inner: T, seen: string[], label = ""): T {
  return new Proxy(inner, {
    get(target, name) {
      const value: unknown = Reflect.get(target, name, target);
      if (typeof value !== "function") return value;
      return (...args: unknown[]): unknown => {
        seen.push(`${label}${String(name)}`);
        return value.apply(target, args);
      };
    },
  });
}

const wrapping = (name: string, wrap: (kernel: Kernel) => void): Plugin => plugin(name, wrap);

describe("kernel.wrap() of the adapter", () => {
  it("every call of the kernel passes through the wrap, and the methods keep their `this`", async () => {
    const rows = new Rows();
    const seen: string[] = [];
    const { browser, auth } = createTestAuth({
      providers: [acme()],
      adapter: rows as unknown as Adapter,
      session: { strategy: "jwt" },
      use: [
        identityFlow(() => ({})),
        wrapping("trace", (kernel) => kernel.wrap("adapter", (adapter) => recorded(adapter, seen))),
      ],
    });
    expect(auth.inspect().wraps).toEqual({ adapter: ["trace"], store: [], fetch: [] });
    await browser.get("/auth/callback/acme");
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
    expect(seen).toEqual(rows.calls.map((name) => name.split(" ")[0]));
    expect(seen).toContain("linkAccount");
  });

  it("a wrapper that returns the adapter unchanged, such as another strategy's, is not listed", () => {
    const { auth } = createTestAuth({
      adapter: plainAdapter(new Rows()),
      session: { strategy: "jwt" },
      use: [wrapping("idle", (kernel) => kernel.wrap("adapter", (adapter) => adapter))],
    });
    expect(auth.inspect().wraps.adapter).toEqual([]);
  });

  it("the wrap applies to the adapter of a plugin that is set up later", async () => {
    const seen: string[] = [];
    const { browser } = createTestAuth({
      preset: standardPreset,
      use: [
        wrapping("trace", (kernel) => kernel.wrap("adapter", (adapter) => recorded(adapter, seen))),
        memoryStore(),
        storeAdapter(),
      ],
    });
    await browser.signInWith("credentials", LOVELACE);
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
    expect(seen).toContain("createSession");
    expect(seen).toContain("getSessionAndUser");
  });

  it("later wraps are outside, and `ready` sees the outermost", () => {
    const order: string[] = [];
    let inReady: Adapter | undefined;
    const own = plainAdapter(new Rows());
    const wrap = (label: string) =>
      wrapping(label, (kernel) =>
        kernel.wrap("adapter", (adapter) => ({
          ...adapter,
          getUser(id) {
            order.push(label);
            return adapter.getUser?.(id) ?? null;
          },
        })),
      );
    const { kernel } = createTestAuth({
      adapter: own,
      session: { strategy: "jwt" },
      use: [
        plugin("look", ({ hooks }) => hooks.ready.tap("look", (it) => void (inReady = it.adapter))),
        wrap("inner"),
        wrap("outer"),
      ],
    });
    expect(kernel().adapter).toBe(inReady);
    void inReady?.getUser?.("1");
    expect(order).toEqual(["outer", "inner"]);
  });

  it("the wrapper is not called without an adapter", () => {
    const wrapper = vi.fn((adapter: Adapter) => adapter);
    const { auth } = createTestAuth({
      use: [wrapping("trace", (kernel) => kernel.wrap("adapter", wrapper))],
    });
    expect(auth.inspect().adapter).toBeNull();
    expect(wrapper).not.toHaveBeenCalled();
  });

  it("a wrapper that loses methods is a fault that names plugin and methods", () => {
    const faults = listFaults({
      adapter: plainAdapter(new Rows()),
      session: { strategy: "jwt" },
      use: [
        wrapping("lossy", (kernel) =>
          kernel.wrap("adapter", ({ createUser, getUserByEmail: _, getUser: __, ...rest }) => ({
            ...rest,
            ...(createUser && { createUser }),
          })),
        ),
      ],
    });
    expect(faults).toEqual([
      'The plugin "lossy" cannot wrap the adapter: it lost `getUser`, `getUserByEmail` of the original. Pass ' +
        "on what it does not change.",
    ]);
  });

  it("a wrapper that spreads an instance of a class loses its methods, which is a fault", () => {
    expect(
      listFaults({
        adapter: new Rows() as unknown as Adapter,
        session: { strategy: "jwt" },
        use: [wrapping("spread", (it) => it.wrap("adapter", (adapter) => ({ ...adapter })))],
      }),
    ).toEqual([expect.stringContaining('The plugin "spread" cannot wrap the adapter: it lost')]);
  });

  it.each([[undefined], [null], ["text"], [5], [() => {}]])(
    "a wrapper that returns %j is a fault",
    (value) => {
      const [fault] = listFaults({
        adapter: plainAdapter(new Rows()),
        session: { strategy: "jwt" },
        use: [wrapping("forgets", (it) => it.wrap("adapter", () => value as never))],
      });
      expect(fault).toBe(
        'The plugin "forgets" cannot wrap the adapter: it returned no adapter. Return the wrapped one.',
      );
    },
  );

  it("an asynchronous wrapper and one that throws are faults, reported together", () => {
    const faults = listFaults({
      adapter: plainAdapter(new Rows()),
      session: { strategy: "jwt" },
      use: [
        wrapping("later", (it) =>
          it.wrap("adapter", (async () => Promise.reject(new Error("no"))) as never),
        ),
        wrapping("throws", (it) =>
          it.wrap("adapter", () => {
            throw new Error("no tracer");
          }),
        ),
      ],
    });
    expect(faults).toEqual([
      'The plugin "later" cannot wrap the adapter: it returned a promise. A wrapper must be synchronous.',
      'The plugin "throws" cannot wrap the adapter: no tracer',
    ]);
  });
});

describe("kernel.wrap() of the store", () => {
  it("records of plugins pass through the wrap, whichever plugin sets the backend", async () => {
    const seen: string[] = [];
    const { kernel } = createTestAuth({
      use: [
        plugin("notes", (it) => {
          const notes = it.store<string>("notes");
          it.addRoute({
            method: "GET",
            path: "/note",
            async handler(ctx) {
              await notes.put("a", "b");
              return ctx.json(await notes.get("a"));
            },
          });
        }),
        wrapping("trace", (it) => it.wrap("store", (backend) => recorded(backend, seen))),
        memoryStore(),
      ],
    });
    const response = await kernel()
      .route("GET", "/note")
      ?.handler({ json: Response.json } as never);
    expect(await response?.json()).toBe("b");
    expect(seen).toContain("put");
    expect(seen).toContain("get");
  });

  it("the adapter over the store passes through both wraps", async () => {
    const seen: string[] = [];
    const { browser } = createTestAuth({
      preset: standardPreset,
      use: [
        memoryStore(),
        storeAdapter(),
        wrapping("trace", (kernel) => {
          kernel.wrap("adapter", (adapter) => recorded(adapter, seen, "adapter."));
          kernel.wrap("store", (backend) => recorded(backend, seen, "store."));
        }),
      ],
    });
    await browser.signInWith("credentials", LOVELACE);
    const made = seen.indexOf("adapter.createSession");
    expect(made).toBeGreaterThanOrEqual(0);
    expect(seen.slice(made + 1).some((name) => name.startsWith("store."))).toBe(true);
  });

  it("a fallback in use is wrapped, and one that another store replaces is not", () => {
    const wrapped: string[] = [];
    const fallback = plugin("fallback", (kernel) =>
      kernel.setStore({ ...memoryBackend(), name: "fallback" }, { fallback: true }),
    );
    const uses = plugin("uses", (kernel) => void kernel.store("uses"));
    const trace = wrapping("trace", (kernel) =>
      kernel.wrap("store", (backend) => {
        wrapped.push(backend.name);
        return backend;
      }),
    );
    createTestAuth({ use: [fallback, uses, trace, records()] }).auth.inspect();
    createTestAuth({ use: [fallback, uses, trace, memoryStore()] }).auth.inspect();
    expect(wrapped).toEqual(["fallback", "memory"]);
  });

  const global: StoreBackend = {
    ...memoryBackend(),
    guarantees: { scope: "global", consistency: "strong", ttl: "native", durable: true },
  };
  const losses: [what: string, change: Partial<Record<keyof StoreBackend, unknown>>][] = [
    ["take", { take: undefined }],
    ["atomic", { atomic: false }],
    ["name", { name: undefined }],
    ["guarantees.scope", { guarantees: { ...global.guarantees, scope: "host" } }],
    ["guarantees.scope", { guarantees: { ...global.guarantees, scope: "galaxy" } }],
    ["guarantees.consistency", { guarantees: { ...global.guarantees, consistency: "eventual" } }],
    ["guarantees.ttl", { guarantees: { ...global.guarantees, ttl: "sweep" } }],
    ["guarantees.durable", { guarantees: { ...global.guarantees, durable: false } }],
  ];

  it.each(losses)("a wrapper that loses %s is a fault that names the plugin", (what, change) => {
    expect(
      listFaults({
        use: [
          defineStore(global),
          plugin("lossy", (kernel) =>
            kernel.wrap("store", (backend) => ({ ...backend, ...change }) as StoreBackend),
          ),
        ],
      }),
    ).toEqual([
      `The plugin "lossy" cannot wrap the store: it lost \`${what}\` of the original. Pass on what it does not change.`,
    ]);
  });

  it("a wrapper without guarantees loses them all", () => {
    const [fault] = listFaults({
      use: [
        defineStore(global),
        plugin("lossy", (kernel) =>
          kernel.wrap("store", (backend) => ({ ...backend, guarantees: undefined as never })),
        ),
      ],
    });
    for (const part of ["scope", "consistency", "ttl", "durable"]) {
      expect(fault).toContain(`\`guarantees.${part}\``);
    }
  });

  it("a wrapper that adds guarantees and methods is accepted", () => {
    const weak: StoreBackend = { ...memoryBackend(), atomic: false };
    delete weak.take;
    const { auth } = createTestAuth({
      use: [
        defineStore(weak),
        plugin("locks", (kernel) =>
          kernel.wrap("store", (backend) => ({ ...memoryBackend(), name: backend.name })),
        ),
      ],
    });
    expect(auth.inspect().store.backend?.atomic).toBe(true);
  });
});

describe("kernel.wrap() of fetch", () => {
  afterEach(() => void vi.unstubAllGlobals());

  const trace = (seen: string[], label = "") =>
    plugin(`trace-${label.trim()}`, (kernel) =>
      kernel.wrap("fetch", (send) => async (input, init) => {
        seen.push(`${label}${String(input instanceof Request ? input.url : input)}`);
        return send(input, init);
      }),
    );
  const failing = async () => Response.json({ error: "invalid_grant" }, { status: 400 });

  async function authorize(app: ReturnType<typeof createTestAuth>, id: string): Promise<void> {
    const { browser } = app;
    const csrfToken = await browser.csrfToken();
    const response = await browser.post(`/auth/signin/${id}`, { csrfToken });
    const { searchParams } = new URL(response.headers.get("location") ?? "");
    const state = searchParams.get("state");
    await browser.get(`/auth/callback/${id}?code=x${state === null ? "" : `&state=${state}`}`);
  }

  it("requests to an identity provider pass through the wrap, with the provider's own `fetch`", async () => {
    const seen: string[] = [];
    const own = vi.fn(failing);
    const app = createTestAuth({
      errors: "allowed",
      preset: standardPreset,
      providers: [{ ...unservedOAuth("acme"), [customFetch]: own } as never],
      use: [trace(seen, "inner "), trace(seen, "outer ")],
    });
    await authorize(app, "acme");
    expect(own).toHaveBeenCalledOnce();
    expect(seen).toEqual(["outer https://idp.example/token", "inner https://idp.example/token"]);
    expect(app.auth.inspect().wraps.fetch).toEqual(["trace-inner", "trace-outer"]);
  });

  it("requests of the global `fetch` pass through the wrap, with the `fetch` at that time", async () => {
    const seen: string[] = [];
    const app = createTestAuth({
      errors: "allowed",
      preset: standardPreset,
      providers: [unservedOAuth("acme"), unservedOAuth("other")],
      use: [trace(seen)],
    });
    app.auth.inspect();
    const stubbed = vi.fn(failing);
    vi.stubGlobal("fetch", stubbed);
    await authorize(app, "acme");
    await authorize(app, "other");
    expect(stubbed).toHaveBeenCalledTimes(2);
    expect(seen).toHaveLength(2);
  });

  it("the limits of requests apply around the wrap", async () => {
    const app = createTestAuth({
      errors: "read",
      preset: standardPreset,
      providers: [unservedOAuth("acme")],
      use: [
        plugin("redirects", (kernel) =>
          kernel.wrap("fetch", () => async () => Response.redirect("https://evil.example/")),
        ),
      ],
    });
    await authorize(app, "acme");
    expect(app.log.errors.map(({ message }) => message).join()).toContain(
      "the response is a redirect, which is never followed",
    );
  });

  it("requests to a mail service pass through the wrap", async () => {
    const seen: string[] = [];
    const app = createTestAuth({
      preset: standardPreset,
      store: memoryBackend(),
      providers: [],
      use: [
        emailPlugin({
          id: "api",
          from: "no-reply@example.com",
          api: { url: "https://mail.example/send", body: () => ({}) },
          [customFetch]: async () => Response.json({}),
        } as never),
        trace(seen),
      ],
    });
    await app.browser.signIn("api", { email: "ada@example.com" });
    expect(seen).toEqual(["https://mail.example/send"]);
  });

  it.each([[undefined], [{}], ["text"]])("a wrapper that returns %j is a fault", (value) => {
    expect(
      listFaults({
        preset: standardPreset,
        providers: [unservedOAuth("acme"), unservedOAuth("other")],
        use: [plugin("forgets", (it) => it.wrap("fetch", () => value as never))],
      }),
    ).toEqual([
      'The plugin "forgets" cannot wrap the fetch: it returned no fetch. Return the wrapped one.',
    ]);
  });
});

describe("wrong use of kernel.wrap()", () => {
  it("a part that does not exist is a fault that names the plugin", () => {
    expect(
      listFaults({ use: [plugin("odd", (it) => it.wrap("logger" as never, (() => {}) as never))] }),
    ).toEqual([
      'The plugin "odd" wraps "logger", which does not exist. Use one of adapter, store, fetch.',
    ]);
  });

  it("a wrapper that is not a function is a fault that names the plugin", () => {
    expect(
      listFaults({ use: [plugin("odd", (it) => it.wrap("store", undefined as never))] }),
    ).toEqual([
      'The wrapper of the store (plugin "odd") is not a function. Pass one as the second argument.',
    ]);
  });

  it("nothing can be wrapped in a tap of `ready`, or later", () => {
    const { kernel } = createTestAuth();
    expect(() => kernel().wrap("adapter", (adapter) => adapter)).toThrow(
      "The adapter was wrapped after setup",
    );
    expect(
      listFaults({
        use: [
          plugin("late", ({ hooks }) =>
            hooks.ready.tap("late", (it) => it.wrap("store", (backend) => backend)),
          ),
        ],
      }),
    ).toEqual([expect.stringContaining("The store was wrapped after setup")]);
  });
});
