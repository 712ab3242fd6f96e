import { describe, expect, it, vi } from "vitest";
import { storeAdapter } from "../../plugins/adapters/store.ts";
import {
  type AuditEntry,
  auditLog,
  type AuditLogOptions,
  type AuditSink,
  storeSink,
  stdoutSink,
} from "../../plugins/observability/audit-log.ts";
import { accountPage } from "../../plugins/pages/account.ts";
import { rateLimit } from "../../plugins/security/rate-limit.ts";
import { memoryBackend, memoryStore } from "../../plugins/stores/memory.ts";
import { standardPreset } from "../../presets/index.ts";
import { AccessDenied } from "../../src/errors.ts";
import { type Adapter, defineStore, type Plugin } from "../../src/kernel.ts";
import { createClock, createIdentityProvider } from "../../src/testing/testing.ts";
import {
  createTestAuth,
  credentials,
  LOVELACE,
  ORIGIN,
  plainAdapter,
  Rows,
  type TestAuthOptions,
} from "../_app.ts";
import { adapterOn } from "../adapters/_namespace.ts";

declare module "../../src/types.ts" {
  interface EventMessages {
    termsAccepted: { user: { id: string; email: string }; provider: string; secret: string };
    cacheCleared: number;
  }
}

/** A sink that stores entries. */
function createMemorySink() {
  const entries: AuditEntry[] = [];
  const sink: AuditSink = { name: "memory", open: () => (given) => void entries.push(...given) };
  return { entries, sink };
}

function create(app: TestAuthOptions = {}, options?: AuditLogOptions) {
  const { entries, sink } = createMemorySink();
  const log = auditLog(sink, options);
  const base = createTestAuth({ ...app, use: [log, ...(app.use ?? [])] });
  /** Resolves to the entries since the last call, without their times. */
  const read = async () => {
    await log.flush();
    return entries.splice(0).map(({ at, ...entry }) => {
      expect(at).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
      return entry;
    });
  };
  return { ...base, log: base.log, plugin: log, read };
}

const emitter = (
  name: string,
  run: (kernel: Parameters<Plugin["setup"]>[0]) => unknown,
): Plugin => ({
  name: `test/${name}`,
  setup: (kernel) =>
    kernel.addRoute({
      method: "GET",
      path: `/${name}`,
      async handler(ctx) {
        await run(kernel);
        return ctx.json(null);
      },
    }),
});

describe("auditLog()", () => {
  it("a sign-in and a sign-out contain the user, the provider and the route", async () => {
    const { browser, read } = create();
    await browser.signInWith("credentials", LOVELACE);
    await browser.session();
    await browser.signOut();
    expect(await read()).toEqual([
      {
        event: "signIn",
        outcome: "success",
        who: "1",
        provider: "credentials",
        operation: "request",
        route: "POST /callback/:provider",
      },
      {
        event: "signOut",
        outcome: "success",
        who: "1",
        operation: "request",
        route: "POST /signout",
      },
    ]);
  });

  it("a failed sign-in is one entry, with the type of the error and without the password", async () => {
    const { browser, read, log } = create();
    await browser.signInWith("credentials", { username: "ada", password: "needle" });
    log.expectErrors("CredentialsSignin");
    expect(await read()).toEqual([
      {
        event: "signInFailed",
        outcome: "refused",
        provider: "credentials",
        reason: "CredentialsSignin",
        operation: "request",
        route: "POST /callback/:provider",
      },
    ]);
  });

  it("a sign-in that fails with an error of another class is one entry with the outcome failure", async () => {
    const { browser, read, log } = create({
      providers: [
        {
          id: "credentials",
          name: "Credentials",
          type: "credentials",
          credentials: {},
          authorize: () => {
            throw new TypeError("needle");
          },
        },
      ],
    });
    await browser.signInWith("credentials", {});
    log.expectErrors("CallbackRouteError");
    expect(await read()).toMatchObject([{ event: "signInFailed", outcome: "failure" }]);
  });

  it("a sign-in whose client disconnects is one entry with the outcome aborted", async () => {
    const client = new AbortController();
    const { browser, read } = create({
      providers: [
        credentials({
          authorize() {
            client.abort();
            throw client.signal.reason;
          },
        }),
      ],
    });
    const csrfToken = await browser.csrfToken();
    await browser.post(
      "/auth/callback/credentials",
      { ...LOVELACE, csrfToken },
      { signal: client.signal },
    );
    expect(await read()).toMatchObject([{ event: "signInFailed", outcome: "aborted" }]);
  });

  it("a sign-in by server-side code is recorded with its operation", async () => {
    const { auth, read, log } = create();
    const wrong = { username: "ada", password: "wrong" };
    await expect(auth.signIn(new Request(ORIGIN), "credentials", wrong)).rejects.toThrow();
    log.expectErrors("CredentialsSignin");
    await auth.signIn(new Request(ORIGIN), "credentials", LOVELACE);
    expect(await read()).toMatchObject([
      { event: "signInFailed", operation: "signIn", outcome: "refused" },
      { event: "signIn", operation: "signIn", outcome: "success", who: "1" },
    ]);
  });

  it("`from` is the address of the client behind trusted proxies", async () => {
    const { auth, read, log } = create({ trustProxy: 1 });
    const headers = { "x-forwarded-for": "203.0.113.7" };
    await auth.fetch(new Request(`${ORIGIN}/auth/signout`, { method: "POST", headers }));
    log.expectErrors("MissingCSRF");
    expect(await read()).toMatchObject([{ event: "request", from: "203.0.113.7" }]);
  });

  it("a refused request contains the error's type and id, as the response and the log do", async () => {
    const { browser, read, log } = create({
      use: [
        emitter("refused", () => {
          throw new AccessDenied("needle");
        }),
      ],
    });
    await browser.get("/auth/refused?secret=needle");
    const [error] = log.expectErrors("AccessDenied");
    expect(await read()).toEqual([
      {
        event: "request",
        outcome: "refused",
        reason: "AccessDenied",
        id: (error as unknown as { id: string }).id,
        operation: "request",
        route: "GET /refused",
      },
    ]);
  });

  it("a refused request is recorded even if a tap handles its error", async () => {
    const { browser, read, log } = create({
      use: [
        emitter("refused", () => {
          throw new TypeError("needle");
        }),
        {
          name: "answer",
          setup: ({ hooks }) =>
            hooks.error.tap({ name: "answer", stage: "first" }, () => new Response("no")),
        },
      ],
    });
    await browser.get("/auth/refused");
    log.expectErrors("TypeError");
    expect(await read()).toMatchObject([{ outcome: "failure", reason: "TypeError" }]);
  });

  it("requests without a route are not recorded, and `requests: false` records none", async () => {
    const one = create();
    await one.browser.get("/auth/nothing");
    expect(await one.read()).toEqual([]);
    const other = create({}, { requests: false });
    await other.auth.fetch(new Request(`${ORIGIN}/auth/signout`, { method: "POST" }));
    other.log.expectErrors("MissingCSRF");
    expect(await other.read()).toEqual([]);
  });

  it("users, accounts and ended sessions are recorded only by their ids", async () => {
    const app = create({
      preset: standardPreset,
      plugins: [memoryStore(), storeAdapter()],
      strategy: "database",
      mail: {},
      use: [accountPage()],
    });
    await app.requestLink("needle@example.com");
    await app.followLink();
    const who = await app.getUserId();
    const other = app.openBrowser();
    await app.requestLink("needle@example.com", other);
    await app.followLink(other);
    const csrfToken = await app.browser.csrfToken();
    await app.browser.post("/auth/account", { sessions: "others", csrfToken });
    await app.browser.signOut();
    expect(await other.session()).toBeNull();
    const entries = await app.read();
    expect(entries.map(({ event }) => event)).toEqual([
      "createUser",
      "signIn",
      "signIn",
      "endSession",
      "signOut",
    ]);
    for (const entry of entries) expect(entry).toMatchObject({ who, outcome: "success" });
    expect(JSON.stringify(entries)).not.toMatch(/needle|@/);
  });

  it("a sign-in that waits for its second factor is recorded", async () => {
    const gate: Plugin = {
      name: "gate",
      setup: ({ hooks }) => hooks.login.tap("gate", () => "/code"),
    };
    const { browser, read } = create({ use: [gate] });
    await browser.signInWith("credentials", LOVELACE);
    expect(await read()).toMatchObject([
      { event: "signInPaused", outcome: "success", who: "1", provider: "credentials" },
    ]);
  });

  it("a sign-in method that its user removes is recorded", async () => {
    const idp = createIdentityProvider();
    const app = create({
      preset: standardPreset,
      idp,
      providers: [idp.provider(), idp.provider({ id: "other" })],
      plugins: [memoryStore(), storeAdapter()],
      strategy: "database",
      use: [accountPage()],
    });
    await app.browser.signInAs({ sub: "ada-1", name: "Ada" });
    await app.browser.signInAs({ sub: "ada-2" }, "other", { link: "1" });
    await app.read();
    const csrfToken = await app.browser.csrfToken();
    const fields = { csrfToken, provider: "idp", account: "ada-1" };
    await app.browser.post("/auth/account", fields);
    const who = expect.any(String) as string;
    const route = "POST /account";
    expect(await app.read()).toEqual([
      {
        event: "unlinkAccount",
        outcome: "success",
        who,
        provider: "idp",
        operation: "request",
        route,
      },
    ]);
  });

  it("addresses are recorded with `addresses: true`", async () => {
    const { browser, read } = create({}, { addresses: true });
    await browser.signInWith("credentials", LOVELACE);
    expect(await read()).toMatchObject([{ who: "1", email: "ada@example.com" }]);
  });

  it.each([7, 7n])("a numeric id of the database is recorded as text: %s", async (id) => {
    const rows = new Rows();
    const adapter: Adapter = {
      ...plainAdapter(rows),
      getUser: () => ({ ...rows.users[0], id }) as never,
      createUser(user) {
        const row = { ...user, id: id as never };
        rows.users.push(row);
        return row;
      },
    };
    const idp = createIdentityProvider();
    const { browser, read } = create({
      preset: standardPreset,
      idp,
      providers: [idp.provider()],
      adapter,
      strategy: "jwt",
    });
    await browser.signInAs({ sub: "ada-1", name: "Ada" });
    expect(await read()).toMatchObject([
      { event: "createUser", who: "7" },
      { event: "linkAccount", who: "7" },
      { event: "signIn", who: "7" },
    ]);
  });

  it("an id that is an address is omitted unless addresses are recorded", async () => {
    const provider = {
      id: "credentials",
      name: "Credentials",
      type: "credentials" as const,
      credentials: {},
      authorize: () => ({ id: "ada@example.com", name: "Ada" }),
    };
    const silent = create({ providers: [provider] });
    await silent.browser.signInWith("credentials", {});
    expect((await silent.read())[0]).not.toHaveProperty("who");
    const full = create({ providers: [provider] }, { addresses: true });
    await full.browser.signInWith("credentials", {});
    expect((await full.read())[0]).toMatchObject({ who: "ada@example.com" });
  });

  describe.each(["database", "hybrid"] as const)("under the strategy %s", (strategy) => {
    const signInWith = async (adapter: Adapter) => {
      const app = create({ preset: standardPreset, strategy, adapter, errors: "allowed" });
      await app.browser.signInWith("credentials", LOVELACE);
      const [{ who } = {}] = await app.read();
      expect(who).toBeTruthy();
      return { ...app, who };
    };

    it("a sign-out contains the user, even if the adapter does not return the removed session", async () => {
      const adapter = adapterOn(memoryBackend());
      const { browser, read, who } = await signInWith({
        ...adapter,
        deleteSession: async (token) => void (await adapter.deleteSession?.(token)),
      });
      await browser.signOut();
      expect(await read()).toMatchObject([{ event: "signOut", outcome: "success", who }]);
    });

    it("a sign-out whose session the adapter cannot remove is recorded as a failure", async () => {
      const { browser, read, who, log } = await signInWith({
        ...adapterOn(memoryBackend()),
        deleteSession: () => Promise.reject(new Error("down")),
      });
      await browser.signOut();
      log.expectErrors("SignOutError");
      expect(await read()).toMatchObject([
        { event: "signOut", outcome: "failure", reason: "SignOutError", who },
      ]);
    });
  });

  it("an exceeded rate limit is recorded as refused", async () => {
    const rules = { out: { route: "POST /signout", by: "route", max: 1, window: 60 } } as const;
    const { browser, read } = create({ use: [rateLimit({ rules })], errors: "allowed" });
    for (let time = 0; time < 3; time++) await browser.signOut();
    expect(await read()).toContainEqual(
      expect.objectContaining({ event: "rateLimited", outcome: "refused" }),
    );
  });

  it("an event of another plugin is recorded with only its ids", async () => {
    const { browser, read } = create({
      use: [
        emitter("terms", async (kernel) => {
          const user = { id: "7", email: "ada@example.com" };
          await kernel.emit("termsAccepted", { user, provider: "github", secret: "needle" });
          await kernel.emit("cacheCleared", 5);
        }),
      ],
    });
    await browser.get("/auth/terms");
    expect(await read()).toEqual([
      { event: "termsAccepted", outcome: "success", who: "7", provider: "github" },
      { event: "cacheCleared", outcome: "success" },
    ]);
  });

  it("`events` omits events, or sets what their entries contain", async () => {
    const { browser, read } = create(
      {
        use: [
          emitter("terms", (kernel) => {
            const user = { id: "7", email: "ada@example.com" };
            return kernel.emit("termsAccepted", { user, provider: "x", secret: "needle" });
          }),
        ],
      },
      {
        events: {
          signIn: false,
          session: ({ session }) => ({ who: session.user?.name ?? undefined }),
          termsAccepted: ({ user }) => ({ who: user.id, outcome: "refused", reason: "TooLate" }),
        },
      },
    );
    await browser.signInWith("credentials", LOVELACE);
    await browser.session();
    await browser.get("/auth/terms");
    expect(await read()).toMatchObject([
      { event: "session", who: "Ada" },
      { event: "termsAccepted", who: "7", outcome: "refused", reason: "TooLate" },
    ]);
  });

  it.each([
    [undefined, "`auditLog` needs a sink, such as `stdoutSink()`."],
    [
      stdoutSink,
      "`auditLog` needs a sink, such as `stdoutSink()`. Call the function that you passed.",
    ],
  ])("boot reports an invalid sink (%#)", (sink, message) => {
    const { auth, log } = createTestAuth({ use: [auditLog(sink as unknown as AuditSink)] });
    expect(() => auth.inspect()).toThrow(message);
    log.expectErrors("PluginError");
  });

  it("boot reports an invalid limit", () => {
    const { auth, log } = create({}, { limit: 0 });
    expect(() => auth.inspect()).toThrow("`limit` of `auditLog` must be a whole number above 0.");
    log.expectErrors("PluginError");
  });
});

describe("a sink that fails or hangs", () => {
  const open = (write: (entries: readonly AuditEntry[]) => unknown, options?: AuditLogOptions) => {
    const plugin = auditLog({ name: "test", open: () => write as never }, options);
    const app = createTestAuth({ use: [plugin] });
    return { ...app, plugin };
  };

  it("a sink that throws or rejects is logged, and the next entry reports the gap", async () => {
    const written: AuditEntry[] = [];
    let calls = 0;
    const { browser, log, plugin } = open((entries) => {
      calls++;
      if (calls === 1) throw new Error("disk");
      if (calls === 2) return Promise.reject(new Error("network"));
      return void written.push(...entries);
    });
    for (let at = 0; at < 3; at++) {
      // oxlint-disable-next-line no-await-in-loop -- one sign-in after another
      await browser.signInWith("credentials", LOVELACE);
      // oxlint-disable-next-line no-await-in-loop -- the queue is empty before the next one
      await plugin.flush();
    }
    const [first] = log.expectErrors("EventError", "EventError");
    expect(first?.message).toBe(
      'The audit log (sink "test") has lost 1 of its entries: the sink failed.',
    );
    expect(plugin.dropped).toBe(2);
    expect(written).toMatchObject([{ event: "dropped", dropped: 2 }, { event: "signIn" }]);
  });

  it("a sink that hangs delays no response, and is abandoned after 5 seconds", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const { browser, log, plugin } = open(() => new Promise(() => {}));
      await browser.signInWith("credentials", LOVELACE);
      expect(await browser.session()).not.toBeNull();
      const flushed = plugin.flush();
      await vi.advanceTimersByTimeAsync(5000);
      await flushed;
      const [error] = log.expectErrors("EventError");
      expect(error?.cause?.err?.message).toBe("It has not finished within 5000 ms.");
      expect(plugin.dropped).toBe(1);
    } finally {
      vi.useRealTimers();
    }
  });

  it("entries beyond the limit are dropped, counted, and logged once", async () => {
    const written: AuditEntry[] = [];
    let release = () => {};
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { browser, log, plugin } = open(
      async (entries) => {
        await gate;
        written.push(...entries);
      },
      { limit: 2 },
    );
    for (let at = 0; at < 6; at++) {
      // oxlint-disable-next-line no-await-in-loop -- one sign-in after another
      await browser.signInWith("credentials", LOVELACE);
    }
    release();
    await plugin.flush();
    log.expectErrors("EventError");
    expect(plugin.dropped).toBe(3);
    expect(written.map(({ event, dropped }) => dropped ?? event)).toEqual([
      "signIn",
      3,
      "signIn",
      "signIn",
    ]);
  });

  it("the platform's `waitUntil` receives the pending writes", async () => {
    const waiting: Promise<unknown>[] = [];
    let isWritten = false;
    const { auth, browser } = open(async () => {
      await new Promise((resolve) => {
        setTimeout(resolve, 5);
      });
      isWritten = true;
    });
    const token = await browser.csrfToken();
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const request = new Request(`${ORIGIN}/auth/callback/credentials`, {
      method: "POST",
      headers: { cookie, origin: ORIGIN },
      body: new URLSearchParams({ ...LOVELACE, csrfToken: token }),
    });
    await auth.handle(
      Object.assign(request, { waitUntil: (work: Promise<unknown>) => void waiting.push(work) }),
    );
    expect(isWritten).toBe(false);
    await Promise.all(waiting);
    expect(isWritten).toBe(true);
  });
});

describe("stdoutSink()", () => {
  it("writes one line of JSON for each entry, whatever its values contain", async () => {
    const lines: string[] = [];
    const spy = vi
      .spyOn(console, "log")
      .mockImplementation((line: string) => void lines.push(line));
    const who = 'x\n{"event":"forged"}\r\u2028\u2029\u0085\u007f\u061c\u200f\u202eb\u2066c';
    const plugin = auditLog(stdoutSink());
    const { browser } = createTestAuth({
      use: [
        plugin,
        emitter("terms", (kernel) =>
          kernel.emit("termsAccepted", {
            user: { id: who, email: "" },
            provider: "p".repeat(10_000),
            secret: "",
          }),
        ),
      ],
    });
    await browser.get("/auth/terms");
    await plugin.flush();
    spy.mockRestore();
    expect(lines).toHaveLength(1);
    // oxlint-disable-next-line no-control-regex -- control characters are the attack
    const raw = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/;
    expect(lines[0]).not.toMatch(raw);
    expect(JSON.parse(lines[0] ?? "")).toMatchObject({ event: "termsAccepted", who });
    expect(lines[0]?.length).toBeLessThan(1000);
  });
});

describe("storeSink()", () => {
  it("keeps entries in the store, and lists those of a day in order", async () => {
    using clock = createClock("2026-05-01T23:59:00Z");
    const sink = storeSink();
    const plugin = auditLog(sink);
    const { browser } = createTestAuth({ plugins: [memoryStore()], use: [plugin] });
    await browser.signInWith("credentials", LOVELACE);
    await plugin.flush();
    clock.advance("30 seconds");
    await browser.signOut();
    await plugin.flush();
    expect((await sink.list()).map(({ event }) => event)).toEqual(["signIn", "signOut"]);
    clock.advance("1 hour");
    expect(await sink.list()).toEqual([]);
    expect(await sink.list("2026-05-01")).toMatchObject([{ who: "1" }, { who: "1" }]);
    clock.advance("91 days");
    expect(await sink.list("2026-05-01")).toEqual([]);
  });

  it("a store that fails is logged, and no response is affected", async () => {
    const backend = memoryBackend();
    const plugin = auditLog(storeSink());
    const { browser, log } = createTestAuth({
      plugins: [
        defineStore({ ...backend, put: () => Promise.reject(new Error("the store is down")) }),
      ],
      use: [plugin],
    });
    await browser.signInWith("credentials", LOVELACE);
    expect(await browser.session()).not.toBeNull();
    await plugin.flush();
    log.expectErrors("EventError");
    expect(plugin.dropped).toBe(1);
  });

  it("boot reports a missing store", () => {
    const { auth, log } = createTestAuth({ use: [auditLog(storeSink())] });
    expect(() => auth.inspect()).toThrow('A store is required by "observability/audit-log"');
    log.expectErrors("PluginError");
  });

  it("list() before the boot fails with the call that has to come first", async () => {
    await expect(storeSink().list()).rejects.toThrow("Call `auth.inspect()` first.");
  });
});
