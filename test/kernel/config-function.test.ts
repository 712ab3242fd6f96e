import { afterEach, describe, expect, it, vi } from "vitest";
import { emailFlow } from "../../plugins/flows/email.ts";
import { oidcFlow } from "../../plugins/flows/oauth.ts";
import { githubPlugin } from "../../plugins/providers/github.ts";
import { rateLimit } from "../../plugins/security/rate-limit.ts";
import { memoryBackend, memoryStore } from "../../plugins/stores/memory.ts";
import { databaseStrategy } from "../../plugins/strategies/database.ts";
import {
  createAuthWith,
  customFetch,
  definePlugin,
  type Kernel,
  type Plugin,
} from "../../src/kernel.ts";
import { createBrowser, createIdentityProvider } from "../../src/testing/testing.ts";
import type { AuthConfig, Session } from "../../src/types.ts";
import { ENV, ORIGIN, SECRET, testPreset } from "../_app.ts";
import { adapterOn } from "../adapters/_namespace.ts";

const silent = { error() {}, warn() {}, debug() {} };

/** Creates an Auth with a configuration function, and counts its boots. */
function createApp(
  build: (request: Request) => AuthConfig,
  { use = [] }: { use?: readonly Plugin[] } = {},
) {
  const kernels: Kernel[] = [];
  const auth = createAuthWith(testPreset, (request) => ({
    secret: SECRET,
    env: ENV,
    logger: silent,
    ...build(request as Request),
  })).use({ name: "counted", setup: (kernel) => void kernels.push(kernel) });
  for (const plugin of use) auth.use(plugin);
  const browser = createBrowser(auth.fetch);
  return { auth, browser, kernels, boots: () => kernels.length };
}

const named = definePlugin((name: string): Plugin => ({ name, setup() {} }));
const sameAsNamed = definePlugin((name: string): Plugin => ({ name, setup() {} }));

const person = (name: string) => ({ id: name, name, email: `${name}@example.com` });

/** Accepts any password. `build` makes the user from the request. */
const openDoor = (authorize: (fields: Record<string, unknown>) => object | null) => ({
  id: "credentials",
  name: "Password",
  type: "credentials" as const,
  credentials: { username: {}, password: {} },
  authorize: authorize as never,
});

const readName = async (browser: ReturnType<typeof createBrowser>) =>
  ((await browser.session()) as Session | null)?.user?.name;

const signIn = (browser: ReturnType<typeof createBrowser>, username = "ada", password = "right") =>
  browser.signInWith("credentials", { username, password });

afterEach(() => vi.unstubAllGlobals());

describe("a configuration function that returns a new object for each request", () => {
  it("warnings of boot are logged once for the kernels of all tenants, and warnings of a request each time", async () => {
    const lines: string[] = [];
    const logger = { ...silent, warn: (code: string) => void lines.push(code) };
    const { auth, boots } = createApp(
      ({ url }) => ({
        logger,
        storeNamespace: new URL(url).hostname,
        trustHost: true,
        experimental: { enableWebAuthn: true },
      }),
      {
        use: [
          {
            name: "test/warns",
            setup({ addRoute, logger: own }) {
              own.warn("of-boot", "The same of every tenant.");
              addRoute({
                method: "GET",
                path: "/warn",
                handler(ctx) {
                  ctx.kernel.logger.warn("of-request", "The same of every request.");
                  return ctx.json({});
                },
              });
            },
          },
        ],
      },
    );
    for (const host of ["acme", "globex", "acme"]) {
      expect((await auth.fetch(new Request(`https://${host}.example/auth/warn`))).status).toBe(200);
    }
    expect(boots()).toBe(2);
    const request = "of-request";
    expect(lines).toEqual(["experimental-webauthn", "of-boot", request, request, request]);
  });

  it("boots once for equal configurations with inline functions", async () => {
    const { browser, boots } = createApp(() => ({
      providers: [openDoor(({ username }) => person(String(username)))],
      callbacks: { session: ({ session }) => session, jwt: ({ token }) => token },
      events: { signIn() {} },
      pages: { newUser: "/welcome" },
      trustHost: ["localhost:3000"],
    }));
    await signIn(browser);
    for (let round = 0; round < 5; round++) {
      expect(await readName(browser)).toBe("ada");
    }
    expect(boots()).toBe(1);
  });

  it("boots once for equal plugins of the catalogue", async () => {
    const options = { clientId: "id", clientSecret: "secret" };
    const { browser, boots } = createApp(() => ({
      providers: [githubPlugin({ ...options, profile: () => person("ada") }), githubPlugin2()],
      plugins: [memoryStore(), rateLimit({ rules: { link: false } })],
    }));
    await browser.session();
    await browser.session();
    expect(boots()).toBe(1);

    function githubPlugin2() {
      return { ...unserved, clientId: "other" };
    }
  });

  describe("with plugins of factories that definePlugin() returned", () => {
    const label = definePlugin(
      (options: { texts: readonly string[] }, isHidden?: () => boolean): Plugin => ({
        name: "label",
        setup({ hooks }) {
          const text = options.texts.join(" ");
          hooks.session.tap("label", (session) =>
            isHidden?.() ? undefined : { ...session, user: { name: text } },
          );
        },
      }),
    );
    const loud = definePlugin((text: string): Plugin => label({ texts: [text.toUpperCase()] }));
    const frozen = Object.freeze<Plugin>({ name: "frozen", setup() {} });
    const always = definePlugin((): Plugin => frozen);

    // Returns the name that the plugin shows, and the number of boots of ten requests.
    async function count(build: () => Plugin): Promise<[name: unknown, boots: number]> {
      const { browser, boots } = createApp(() => ({
        plugins: [build()],
        providers: [openDoor(() => person("ada"))],
      }));
      await signIn(browser);
      for (let round = 0; round < 10; round++) {
        // oxlint-disable-next-line no-await-in-loop -- one after the other
        await browser.session();
      }
      return [await readName(browser), boots()];
    }

    it("boots once for equal arguments", async () => {
      expect(await count(() => label({ texts: ["a", "b"] }))).toEqual(["a b", 1]);
    });

    it("boots once for a factory that returns the plugin of another one", async () => {
      expect(await count(() => loud("a"))).toEqual(["A", 1]);
    });

    it("boots once for a factory that returns the same frozen plugin each time", async () => {
      expect(await count(() => always())).toEqual(["ada", 1]);
    });

    it("boots twice for arguments with inline functions", async () => {
      expect(await count(() => label({ texts: ["a"] }, () => false))).toEqual(["a", 2]);
    });

    it("each request has the plugin of its own arguments", async () => {
      let text = "a";
      const { browser, boots } = createApp(() => ({
        plugins: [label({ texts: [text] })],
        providers: [openDoor(() => person("ada"))],
      }));
      await signIn(browser);
      expect(await readName(browser)).toBe("a");
      text = "b";
      expect(await readName(browser)).toBe("b");
      text = "a";
      expect(await readName(browser)).toBe("a");
      expect(boots()).toBe(2);
    });
  });

  it.each<[string, (round: number) => AuthConfig]>([
    ["text", (round) => ({ pages: { newUser: `/welcome/${round}` } })],
    ["lists", (round) => ({ trustHost: ["a.example", "b.example"].slice(round) })],
    ["numbers", (round) => ({ session: { maxAge: 100 + round } })],
    ["a further field", (round) => (round ? { debug: false } : {})],
    ["a callback more", (round) => (round ? { callbacks: { jwt: ({ token }) => token } } : {})],
    [
      "arguments of plugins",
      (round) => ({ plugins: [rateLimit({ clientPrefix: 64 - round } as never)] }),
    ],
    ["arguments of one's own factories", (round) => ({ plugins: [named(`plugin-${round}`)] })],
    [
      "the factory of a plugin",
      (round) => ({ plugins: [round === 0 ? named("same") : sameAsNamed("same")] }),
    ],
    [
      "options of providers",
      (round) => ({ providers: [githubPlugin({ clientId: `${round}`, clientSecret: "s" })] }),
    ],
    ["secrets", (round) => ({ secret: `${SECRET}${round}` })],
    ["instances", () => ({ adapter: new (class {})() as never })],
    ["plugins that state no call", () => ({ plugins: [{ name: "own", setup() {} }] })],
    ["changed copies of plugins", () => ({ plugins: [{ ...rateLimit(), setup() {} }] })],
  ])("configurations that differ in %s have separate kernels", async (_, build) => {
    let round = 0;
    const { browser, boots } = createApp(() => build(round));
    await browser.session();
    round = 1;
    await browser.session();
    expect(boots()).toBe(2);
  });

  it("functions that boot calls are compared, and all others belong to the request", async () => {
    const { browser, boots } = createApp(() => ({
      providers: [() => openDoor(() => person("ada"))],
    }));
    await browser.session();
    await browser.session();
    expect(boots()).toBe(2);
    const github = () => openDoor(() => person("ada"));
    const same = createApp(() => ({ providers: [github] }));
    await same.browser.session();
    await same.browser.session();
    expect(same.boots()).toBe(1);
  });

  it("every request runs its own functions, even while others are in progress", async () => {
    const seen: string[] = [];
    let waiting: (() => void)[] = [];
    const barrier = (count: number) =>
      new Promise<void>((resolve) => {
        waiting.push(resolve);
        if (waiting.length === count) for (const go of waiting.splice(0)) go();
      });
    const rows = adapterOn(memoryBackend());
    const { auth, boots } = createApp((request) => {
      const id = request.headers.get("x-id") ?? "";
      const note = (what: string) => void seen.push(`${id} ${what}`);
      return {
        providers: [
          openDoor(async ({ username }) => {
            await barrier(2);
            note("authorize");
            return { ...person(String(username)), by: id };
          }),
        ],
        adapter: Object.fromEntries(
          Object.entries(rows).map(([name, method]) => [
            name,
            (...args: unknown[]) => {
              note(name);
              return (method as (...all: unknown[]) => unknown)(...args);
            },
          ]),
        ),
        session: { strategy: "jwt" },
        logger: { ...silent, debug: () => note("debug") },
        callbacks: {
          async signIn() {
            await barrier(2);
            note("callback");
            return true;
          },
          async jwt({ token }) {
            await new Promise((resolve) => setTimeout(resolve, id === "one" ? 20 : 1));
            note("jwt");
            return token;
          },
        },
        events: { signIn: async () => note("event") },
      };
    });
    const enter = async (id: string) => {
      const browser = createBrowser((request) => {
        request.headers.set("x-id", id);
        return auth.fetch(request);
      });
      await signIn(browser, id);
      return readName(browser);
    };
    const names = await Promise.all([enter("one"), enter("two")]);
    expect(names).toEqual(["one", "two"]);
    expect(boots()).toBe(1);
    for (const id of ["one", "two"]) {
      const own = seen.filter((line) => line.startsWith(id)).map((line) => line.split(" ")[1]);
      for (const what of ["authorize", "callback", "jwt", "event"]) expect(own).toContain(what);
    }
    expect(seen.filter((line) => line.endsWith(" callback"))).toHaveLength(2);
    waiting = [];
  });

  it("server functions and guarded handlers run the functions of their request", async () => {
    const { auth, boots } = createApp((request) => {
      const id = request.headers.get("x-id");
      return {
        providers: [openDoor(() => person("ada"))],
        callbacks: {
          authorized: () => new Response(id),
          session: ({ session }) => ({ ...session, id }),
        },
      };
    });
    const ask = (id: string) => new Request(ORIGIN, { headers: { "x-id": id } });
    for (const id of ["one", "two"]) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect(await (await auth.authorize(ask(id)))?.text()).toBe(id);
      const guarded = auth.auth(() => new Response("in"));
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect(await (await guarded(ask(id))).text()).toBe(id);
    }
    expect(boots()).toBe(1);
  });

  it("methods keep the object that they belong to", async () => {
    const shared = new (class {
      readonly name = "ada";
    })();
    const owners: string[] = [];
    const { browser, boots } = createApp((request) => ({
      plugins: [databaseStrategy()],
      providers: [
        {
          ...openDoor(function (this: { directory: { name: string } }) {
            return person(this.directory.name);
          }),
          directory: shared,
        } as never,
      ],
      adapter: {
        ...adapterOn(memoryBackend()),
        id: request.headers.get("x-id") ?? "",
        async getUserByAccount(this: { id: string }) {
          owners.push(this.id);
          return null;
        },
      } as never,
      session: { strategy: "database" },
    }));
    await signIn(browser);
    expect(owners).not.toContain(undefined);
    expect(owners.length).toBeGreaterThan(0);
    expect(boots()).toBe(1);
  });

  it("without AsyncLocalStorage, no function is called for another request", async () => {
    vi.stubGlobal("process", { ...process, env: process.env, getBuiltinModule: undefined });
    vi.stubGlobal("AsyncLocalStorage", undefined);
    const { auth, boots } = createApp((request) => {
      const id = request.headers.get("x-id");
      return { callbacks: { authorized: () => new Response(id) } };
    });
    for (const id of ["one", "two"]) {
      const request = new Request(ORIGIN, { headers: { "x-id": id } });
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      expect(await (await auth.authorize(request))?.text()).toBe(id);
    }
    expect(boots()).toBe(2);
  });

  it("a function that is called outside a request is refused", async () => {
    const { browser, kernels } = createApp(() => ({ callbacks: { redirect: ({ url }) => url } }));
    await browser.session();
    const { redirect } = kernels[0]!.config.callbacks;
    expect(() => redirect?.({ url: "/", baseUrl: ORIGIN })).toThrow("outside of a request");
  });

  it("the fault of a boot is logged once for equal configurations", async () => {
    const error = vi.fn();
    const { browser } = createApp(() => ({ logger: { ...silent, error }, basePath: "/a b" }));
    expect((await browser.get("/auth/session")).status).toBe(500);
    expect((await browser.get("/auth/session")).status).toBe(500);
    expect(error).toHaveBeenCalledOnce();
  });

  it("keeps a bounded number of recently used kernels, and warns when it boots one again", async () => {
    const warn = vi.fn();
    let tenant = 0;
    const { browser, boots } = createApp(() => ({
      logger: { ...silent, warn },
      pages: { newUser: `/${tenant}` },
    }));
    const visit = (one: number) => {
      tenant = one;
      return browser.session();
    };
    for (let one = 0; one < 256; one++) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await visit(one);
    }
    await visit(0);
    expect(boots()).toBe(256);
    expect(warn.mock.calls.filter(([code]) => code.startsWith("config"))).toEqual([]);
    await visit(256);
    await visit(257);
    await visit(256);
    await visit(0);
    expect(boots()).toBe(258);
    await visit(1);
    expect(boots()).toBe(259);
    expect(warn.mock.calls.filter(([code]) => code.startsWith("config"))).toEqual([
      ["config-many", expect.stringContaining("more than 256 configurations")],
    ]);
  });

  it.each<[string, () => AuthConfig]>([
    ["plugins whose call is not known", () => ({ plugins: [{ name: "made", setup() {} }] })],
    ["instances", () => ({ adapter: new (class {})() as never })],
  ])("warns once if there are many kernels for the same data with other %s", async (_, build) => {
    const warn = vi.fn();
    const { browser, boots } = createApp(() => ({ logger: { ...silent, warn }, ...build() }));
    const listCodes = () =>
      warn.mock.calls.map(([code]) => code).filter((code) => String(code).startsWith("config-"));
    for (let round = 0; round < 32; round++) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await browser.get("/auth/csrf");
    }
    expect(listCodes()).toEqual([]);
    await browser.get("/auth/csrf");
    await browser.get("/auth/csrf");
    expect(listCodes()).toEqual(["config-differs"]);
    expect(boots()).toBe(34);
  });

  it("keeps few kernels of configurations with the same data: those that were used last", async () => {
    const adapters = Array.from({ length: 40 }, () => new (class {})() as never);
    let at = 0;
    const { browser, boots } = createApp(() => ({ adapter: adapters[at] as never }));
    for (at = 0; at < 40; at++) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await browser.get("/auth/csrf");
    }
    at = 8;
    await browser.get("/auth/csrf");
    expect(boots()).toBe(40);
    at = 7;
    await browser.get("/auth/csrf");
    expect(boots()).toBe(41);
  });

  it("finds the kernel of a configuration whose fields have another order", async () => {
    let isReversed = false;
    let isOther = false;
    const { browser, boots } = createApp(() => {
      const pages = isReversed ? { error: "/e", signIn: "/s" } : { signIn: "/s", error: "/e" };
      return { pages: isOther ? { newUser: "/n" } : pages };
    });
    await browser.session();
    isOther = true;
    await browser.session();
    isOther = false;
    isReversed = true;
    await browser.session();
    expect(boots()).toBe(2);
  });

  it("circular configurations are compared by their first levels", async () => {
    const { browser, boots } = createApp(() => {
      const client: Record<string, unknown> = {};
      client.self = client;
      client.other = client;
      return { providers: [{ ...openDoor(() => null), client } as never] };
    });
    await browser.session();
    await browser.session();
    expect(boots()).toBe(2);
  });
});

describe("configurations of tenants with different servers for one provider", () => {
  const served = (issuer: string, over: object = {}) => ({
    id: "sso",
    name: "SSO",
    type: "oidc" as const,
    issuer,
    clientId: "id",
    clientSecret: "secret",
    ...over,
  });
  const TENANTS = { acme: "https://login.acme.example", globex: "https://login.globex.example" };
  type Tenant = keyof typeof TENANTS;

  /** An Auth whose host name begins with the tenant that decides the configuration. */
  function createTenants(build: (tenant: Tenant) => AuthConfig) {
    const error = vi.fn();
    const { auth, boots } = createApp(
      (request) => ({
        trustHost: true,
        logger: { ...silent, error },
        ...build(new URL(request.url).host.split(".")[0] as Tenant),
      }),
      { use: [oidcFlow()] },
    );
    const visit = async (tenant: Tenant) =>
      (await auth.fetch(new Request(`https://${tenant}.app.example/auth/session`))).status;
    return { visit, error, boots };
  }

  it("the second server is refused, and the first tenant continues to work", async () => {
    const { visit, error } = createTenants((tenant) => ({ providers: [served(TENANTS[tenant])] }));
    expect(await visit("acme")).toBe(200);
    expect(await visit("globex")).toBe(500);
    expect(await visit("acme")).toBe(200);
    expect(error).toHaveBeenCalledOnce();
    const [[{ message }]] = error.mock.calls as [[Error]];
    expect(message).toContain(`"sso" is ${TENANTS.globex}`);
    expect(message).toContain(TENANTS.acme);
    expect(message).toContain("storeNamespace");
  });

  it("the second server is refused even if only an endpoint names it", async () => {
    const { visit } = createTenants((tenant) => ({
      providers: [
        {
          ...unserved,
          id: "sso",
          clientId: "id",
          clientSecret: "secret",
          token: { url: `${TENANTS[tenant]}/token` },
        },
      ],
    }));
    expect(await visit("acme")).toBe(200);
    expect(await visit("globex")).toBe(500);
  });

  it.each<[string, (tenant: Tenant) => AuthConfig]>([
    [
      "a `storeNamespace` of its own",
      (tenant) => ({ storeNamespace: tenant, providers: [served(TENANTS[tenant])] }),
    ],
    [
      "a secret of its own",
      (tenant) => ({ secret: `${SECRET}${tenant}`, providers: [served(TENANTS[tenant])] }),
    ],
    [
      "a provider id of its own",
      (tenant) => ({ providers: [served(TENANTS[tenant], { id: `sso-${tenant}` })] }),
    ],
    [
      "a client of its own at one server",
      (tenant) => ({ providers: [served(TENANTS.acme, { clientId: tenant })] }),
    ],
    [
      "another spelling of one server",
      (tenant) => ({
        providers: [
          served(
            tenant === "acme" ? "https://idp.example/realm" : "https://IDP.example:443/realm/",
            { clientId: tenant },
          ),
        ],
      }),
    ],
    [
      "parameters of its own at one server",
      (tenant) => ({
        providers: [
          {
            ...unserved,
            clientId: "id",
            clientSecret: "secret",
            token: `https://idp.example/token?tenant=${tenant}`,
          },
        ],
      }),
    ],
  ])("a tenant with %s is accepted", async (_, build) => {
    const { visit, boots } = createTenants(build);
    expect(await visit("acme")).toBe(200);
    expect(await visit("globex")).toBe(200);
    expect(boots()).toBe(2);
  });

  it("one adapter for all tenants, which `storeNamespace` does not affect, is refused with two servers", async () => {
    const shared = adapterOn(memoryBackend());
    const use = (choose: (tenant: Tenant) => typeof shared) =>
      createTenants((tenant) => ({
        storeNamespace: tenant,
        adapter: choose(tenant),
        plugins: [databaseStrategy()],
        providers: [served(TENANTS[tenant])],
      }));
    const together = use(() => shared);
    expect(await together.visit("acme")).toBe(200);
    expect(await together.visit("globex")).toBe(500);
    const [[{ message }]] = together.error.mock.calls as [[Error]];
    expect(message).toContain("each tenant an adapter");
    const own = { acme: shared, globex: adapterOn(memoryBackend()) };
    const apart = use((tenant) => own[tenant]);
    expect(await apart.visit("acme")).toBe(200);
    expect(await apart.visit("globex")).toBe(200);
  });

  it("a configuration that was refused for another reason does not block the corrected one", async () => {
    let issuer = TENANTS.globex;
    let basePath = "/a b";
    const { visit } = createTenants(() => ({ basePath, providers: [served(issuer)] }));
    expect(await visit("acme")).toBe(500);
    issuer = TENANTS.acme;
    basePath = "/auth";
    expect(await visit("acme")).toBe(200);
  });

  it("the fault of a boot names the host of the request that caused it", async () => {
    const { visit, error } = createTenants((tenant) => ({
      providers: [served(tenant === "globex" ? "no URL" : TENANTS.acme)],
    }));
    await visit("acme");
    await visit("globex");
    expect(error).toHaveBeenCalledOnce();
    expect(error.mock.calls[0]?.[0]).toMatchObject({ cause: { host: "globex.app.example" } });
  });
});

const unserved = {
  id: "other",
  name: "Other",
  type: "oauth" as const,
  authorization: "https://idp.example/authorize",
  token: "https://idp.example/token",
  userinfo: "https://idp.example/userinfo",
  profile: () => person("ada"),
};

describe("what a process remembers belongs to the Auth", () => {
  // No two instances are equal, so each request has its own kernel.
  const unequal = () => ({ instance: new (class {})() });

  it("limits are kept across kernels", async () => {
    let tries = 0;
    const { browser } = createApp(
      () => ({
        providers: [{ ...openDoor(() => (tries++, null)), ...unequal() } as never],
      }),
      { use: [rateLimit({ rules: { "credentials-account": { max: 3 } } })] },
    );
    for (let round = 0; round < 8; round++) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await signIn(browser, "ada", "wrong");
    }
    expect(tries).toBe(3);
  });

  it("limits of configurations with other secrets are separate", async () => {
    let tries = 0;
    let tenant = 0;
    const { browser } = createApp(
      () => ({
        secret: `${SECRET}${tenant}`,
        providers: [openDoor(() => (tries++, null))],
      }),
      { use: [rateLimit({ rules: { "credentials-account": { max: 1 } } })] },
    );
    await signIn(browser, "ada", "wrong");
    await signIn(browser, "ada", "wrong");
    expect(tries).toBe(1);
    tenant = 1;
    browser.cookies.clear();
    await signIn(browser, "ada", "wrong");
    expect(tries).toBe(2);
  });

  it("limits of a client are also separate for configurations with other secrets", async () => {
    let tries = 0;
    let tenant = 0;
    const { auth } = createApp(
      () => ({
        secret: `${SECRET}${tenant}`,
        providers: [openDoor(() => (tries++, null))],
      }),
      { use: [rateLimit({ rules: { "credentials-client": { max: 1 } } })] },
    );
    const open = () =>
      createBrowser(
        async (request) => (await auth.handle(request, { ip: "192.0.2.1" })) ?? Response.error(),
      );
    await signIn(open(), "ada", "wrong");
    await signIn(open(), "eve", "wrong");
    expect(tries).toBe(1);
    tenant = 1;
    await signIn(open(), "ada", "wrong");
    expect(tries).toBe(2);
  });

  it("metadata and keys of identity providers are kept across kernels", async () => {
    const idp = createIdentityProvider();
    const urls: string[] = [];
    const fetch: typeof globalThis.fetch = async (input, init) => {
      urls.push(new URL(new Request(input, init).url).pathname);
      return idp.fetch(input, init);
    };
    const { auth, boots } = createApp(
      () => ({ providers: [{ ...idp.provider(), [customFetch]: fetch, ...unequal() } as never] }),
      { use: [oidcFlow()] },
    );
    const browser = createBrowser(auth.fetch, { idp });
    await browser.signInAs();
    await browser.signOut();
    await browser.signInAs();
    expect(boots()).toBeGreaterThan(2);
    expect(urls.filter((path) => path.includes("openid-configuration"))).toHaveLength(1);
    expect(urls.filter((path) => path.includes("jwks"))).toHaveLength(1);
  });

  it("values that were used once stay used in other kernels", async () => {
    const uses: boolean[] = [];
    const { browser, boots } = createApp(
      () => ({ providers: [{ ...openDoor(() => null), ...unequal() } as never] }),
      {
        use: [
          {
            name: "once",
            setup: (kernel) =>
              kernel.addRoute({
                method: "GET",
                path: "/once",
                handler: async (ctx) => {
                  uses.push(await kernel.useOnce("test", "value"));
                  return ctx.json(null);
                },
              }),
          },
        ],
      },
    );
    await browser.get("/auth/once");
    await browser.get("/auth/once");
    expect(boots()).toBeGreaterThan(1);
    expect(uses).toEqual([true, false]);
  });

  it("sessions that ended stay ended in other kernels", async () => {
    const rows = adapterOn(memoryBackend());
    // The row stays, so only this process knows that the session has ended.
    const adapter = { ...rows, deleteSession: () => Promise.reject(new Error("down")) };
    const { browser } = createApp(() => ({
      adapter,
      plugins: [databaseStrategy()],
      providers: [{ ...openDoor(() => person("ada")), ...unequal() } as never],
    }));
    await signIn(browser);
    expect(await browser.session()).not.toBeNull();
    const kept = new Map(browser.cookies);
    await browser.signOut();
    for (const [name, value] of kept) browser.cookies.set(name, value);
    expect(await browser.session()).toBeNull();
  });

  it("a session of one application does not end with that of another, even if their tokens are equal", async () => {
    const adapters = [0, 1].map(() => adapterOn(memoryBackend()));
    let tenant = 0;
    const { auth } = createApp(() => ({
      secret: `${SECRET}${tenant}`,
      adapter: adapters[tenant]!,
      plugins: [databaseStrategy()],
      session: { strategy: "database", generateSessionToken: () => "a token of the application" },
      providers: [openDoor(() => person("ada"))],
    }));
    const browsers = [createBrowser(auth.fetch), createBrowser(auth.fetch)] as const;
    for (tenant = 0; tenant < 2; tenant++) await signIn(browsers[tenant as 0 | 1]);
    tenant = 0;
    await browsers[0].signOut();
    tenant = 1;
    expect(await readName(browsers[1])).toBe("ada");
  });

  it("a value that is limited, used or ended in one application is not in another with the same secret", async () => {
    let tries = 0;
    let tenant = 0;
    const { browser, kernels } = createApp(
      () => ({
        storeNamespace: `tenant-${tenant}`,
        providers: [openDoor(() => (tries++, null))],
      }),
      { use: [rateLimit({ rules: { "credentials-account": { max: 1 } } })] },
    );
    for (tenant = 0; tenant < 2; tenant++) {
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      for (const _ of [1, 2]) await signIn(browser, "ada", "wrong");
      expect(tries).toBe(tenant + 1);
    }
    const uses = kernels.map((kernel) => kernel.useOnce("test", "value"));
    expect(await Promise.all(uses)).toEqual([true, true]);
    const [one, two] = kernels.map((kernel) => kernel.use("storedUsers").endedLogins);
    await one?.end("ada");
    expect([await one?.hasEnded("ada", 0), await two?.hasEnded("ada", 0)]).toEqual([true, false]);
  });

  it("an e-mail that a browser requests from two applications at once is sent by each", async () => {
    const adapters = [0, 1].map(() => adapterOn(memoryBackend()));
    const senders: number[] = [];
    let tenant = 0;
    const { browser } = createApp(
      () => ({
        storeNamespace: `tenant-${tenant}`,
        adapter: adapters[tenant]!,
        providers: [
          {
            id: "mail",
            name: "Mail",
            type: "email",
            from: "auth@app.example",
            sendVerificationRequest: () => void senders.push(tenant),
          },
        ],
      }),
      { use: [emailFlow(), databaseStrategy()] },
    );
    const csrfToken = await browser.csrfToken();
    const cookies = new Map(browser.cookies);
    for (tenant = 0; tenant < 2; tenant++) {
      browser.cookies.clear();
      for (const [name, value] of cookies) browser.cookies.set(name, value);
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await browser.post("/auth/signin/mail", { csrfToken, email: "ada@example.com" });
    }
    expect(senders).toEqual([0, 1]);
  });

  it("state of an application is separate from that of another secret, namespace or base path", async () => {
    const given: AuthConfig[] = [
      {},
      { secret: `${SECRET}2` },
      { storeNamespace: "two" },
      { basePath: "/two" },
    ];
    let config: AuthConfig = {};
    const { auth, kernels } = createApp(() => config);
    for (config of [...given, {}])
      // oxlint-disable-next-line no-await-in-loop -- one after the other
      await auth.fetch(new Request(`${ORIGIN}${config.basePath ?? "/auth"}/session`));
    expect(kernels).toHaveLength(given.length);
    const find = (kernel: Kernel) => kernel.remember("test", () => ({}), { perApplication: true });
    expect(new Set(kernels.map(find)).size).toBe(given.length);
    const ofAll = kernels.map((kernel) => kernel.remember("test of all", () => ({})));
    expect(new Set(ofAll).size).toBe(1);
  });

  it("development and production share their memory", async () => {
    const { auth, kernels } = createApp(() => ({ env: { AUTH_SECRET: SECRET } }));
    const ask = (ip: string) => auth.handle(new Request(`${ORIGIN}/auth/session`), { ip } as never);
    await ask("127.0.0.1");
    await ask("192.0.2.1");
    expect(kernels.map(({ config }) => config.production)).toEqual([false, true]);
    const [one, two] = kernels.map((kernel) => kernel.remember("test", () => ({})));
    expect(one).toBe(two);
  });
});
