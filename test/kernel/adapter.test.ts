import { afterEach, describe, expect, it, vi } from "vitest";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { minimalPreset } from "../../presets/minimal.ts";
import { isDate } from "../../src/adapters.ts";
import { AdapterError, MissingAdapterMethods } from "../../src/errors/errors.ts";
import { type Adapter, type AdapterUser, defineAdapter, type Plugin } from "../../src/kernel.ts";
import { callAdapter, findUserByAccount } from "../../src/storage/adapter.ts";
import {
  acme,
  ADA,
  createTestAuth,
  identityFlow,
  listBootFaults,
  type TestAuthOptions,
} from "../_app.ts";
import { adapterOn } from "../adapters/_namespace.ts";

const acmePlugin: Plugin = { name: "acme", setup: (kernel) => kernel.addProvider(acme()) };

const user: AdapterUser = { id: "1", email: "ada@example.com", emailVerified: null };

describe("callAdapter()", () => {
  it("callAdapter() passes the arguments on and returns the method's result, awaiting promises", async () => {
    const adapter: Adapter = {
      getUser: (id) => (id === "1" ? user : null),
      getUserByEmail: async (email) => (email === user.email ? user : null),
    };
    expect(await callAdapter(adapter, "getUser", "1")).toBe(user);
    expect(await callAdapter(adapter, "getUser", "2")).toBeNull();
    expect(await callAdapter(adapter, "getUserByEmail", user.email)).toBe(user);
  });

  it("callAdapter() binds methods of classes, with inherited methods and private fields", async () => {
    class Base {
      #known = user;
      getUser(id: string) {
        return id === this.#known.id ? this.#known : null;
      }
    }
    class Store extends Base {}
    expect(await callAdapter(new Store(), "getUser", "1")).toBe(user);
  });

  it.each([[{}], [{ getUser: undefined }], [{ getUser: "x" }]])(
    "callAdapter() rejects with MissingAdapterMethods that names the missing method: %j",
    async (adapter) => {
      const call = callAdapter(adapter as Adapter, "getUser", "1");
      await expect(call).rejects.toThrow(MissingAdapterMethods);
      await expect(call).rejects.toThrow("`getUser`");
    },
  );

  it.each([
    [
      "throws",
      () => {
        throw new Error("down");
      },
    ],
    [
      "rejects",
      async () => {
        throw new Error("down");
      },
    ],
  ])(
    "callAdapter() wraps the error of a method that %s in an AdapterError that names the method",
    async (_, getUser) => {
      const error = await callAdapter({ getUser } as Adapter, "getUser", "1").catch(
        (it: unknown) => it,
      );
      expect(error).toBeInstanceOf(AdapterError);
      expect((error as AdapterError).cause).toMatchObject({
        method: "getUser",
        err: { message: "down" },
      });
    },
  );
});

describe("callAdapter() with texts that databases refuse", () => {
  const expires = new Date("2026-06-01T12:00:00Z");

  it.each<[method: keyof Adapter, args: unknown[]]>([
    ["getUser", ["a\0b"]],
    ["getUser", ["\ud800"]],
    ["getUserByEmail", ["a\udc00@example.com"]],
    ["getUserByAccount", [{ provider: "github", providerAccountId: "\0" }]],
    ["getAccount", ["\0", "github"]],
    ["createUser", [{ ...user, name: "\0" }]],
    ["linkAccount", [{ userId: "1", provider: "github", access_token: "\0" }]],
    ["useVerificationToken", [{ identifier: "\0", token: "a" }]],
    ["createSession", [{ sessionToken: "\0", userId: "1", expires }]],
    ["deleteSessionById", ["1", "\0"]],
    ["createUser", [{ ...user, profile: { roles: [{ name: "\0" }] } }]],
    ["createUser", [{ ...user, tags: ["a", "\udc00"] }]],
    ["createUser", [{ ...user, settings: { "\0": true } }]],
    [
      "linkAccount",
      [{ userId: "1", provider: "github", claims: JSON.parse('{"a":{"b":"\\u0000"}}') }],
    ],
    ["removeSignInMethod", ["1", { account: { provider: "github", providerAccountId: "\0" } }]],
  ])(
    "%s is not called with %j, which is a bad request and not a failing database",
    async (method, args) => {
      const fn = vi.fn<() => null>(() => null);
      const call = callAdapter({ [method]: fn } as Adapter, method, ...(args as never));
      await expect(call).rejects.toMatchObject({ type: "BadRequest", status: 400 });
      await expect(call).rejects.toThrow(`\`${method}\``);
      expect(fn).not.toHaveBeenCalled();
    },
  );

  it("a value that is nested deeper than databases accept is a bad request", async () => {
    const createUser = vi.fn<(user: AdapterUser) => AdapterUser>((given) => given);
    const tree: unknown = JSON.parse("[".repeat(5000) + "]".repeat(5000));
    const call = async () => callAdapter({ createUser }, "createUser", { ...user, tree } as never);
    await expect(call()).rejects.toMatchObject({ type: "BadRequest", status: 400 });
    expect(createUser).not.toHaveBeenCalled();
  });

  it("a method is called with a circular value, or one that is not text, which the database judges", async () => {
    class Money {
      currency = "\0";
    }
    const createUser = vi.fn<(user: AdapterUser) => AdapterUser>((given) => given);
    const given: Record<string, unknown> = { ...user, price: new Money(), at: new Date() };
    given.self = [given, given];
    await callAdapter({ createUser }, "createUser", given as never);
    expect(createUser).toHaveBeenCalledOnce();
  });

  it.each(["a b\n\t", "\u{1f469}", "\ufffd", "\u0007"])(
    "a method is called with %j, which databases accept",
    async (id) => {
      const getUser = vi.fn<() => null>(() => null);
      await callAdapter({ getUser }, "getUser", id);
      expect(getUser).toHaveBeenCalledWith(id);
    },
  );
});

describe("callAdapter() timeout (R17)", () => {
  afterEach(() => void vi.useRealTimers());

  it("callAdapter() rejects with AdapterError after two seconds when the adapter hangs (R17)", async () => {
    vi.useFakeTimers();
    const call = callAdapter({ getUser: () => new Promise(() => {}) }, "getUser", "1");
    const failed = expect(call).rejects.toThrow(AdapterError);
    await vi.advanceTimersByTimeAsync(2000);
    await failed;
    expect(vi.getTimerCount()).toBe(0);
  });

  class Sleeping {
    #wakes = 7000;
    getUser() {
      return new Promise<AdapterUser>((resolve) => setTimeout(() => resolve(user), this.#wakes));
    }
  }

  it.each([
    ["given as `adapter`", (adapter: Adapter) => ({ adapter })],
    ["that a plugin brings", (adapter: Adapter) => ({ use: [defineAdapter(adapter)] })],
    [
      "that a plugin wraps",
      (adapter: Adapter) => {
        const wrapper = (inner: Adapter): Adapter => ({
          getUser: (id) => inner.getUser?.(id) ?? null,
        });
        const setup: Plugin["setup"] = (kernel) => kernel.wrap("adapter", wrapper as never);
        return { adapter, use: [{ name: "spy", setup }] };
      },
    ],
  ])("`storageTimeout` is the limit of an adapter %s (R17)", async (_, options) => {
    for (const [storageTimeout, resolves] of [
      [8, true],
      [5, false],
      [undefined, false],
    ] as const) {
      const app = createTestAuth({
        ...options(new Sleeping()),
        ...(storageTimeout && { storageTimeout }),
        strategy: "jwt",
      });
      const { adapter } = app.kernel();
      vi.useFakeTimers();
      const call = callAdapter(adapter as Adapter, "getUser", "1").catch((error: unknown) => error);
      const limit = (storageTimeout ?? 2) * 1000;
      await vi.advanceTimersByTimeAsync(limit);
      const failed = {
        cause: { err: { message: `No result within ${limit} ms (\`storageTimeout\`).` } },
      };
      if (resolves) expect(await call).toEqual(user);
      else expect(await call).toMatchObject(failed);
      vi.useRealTimers();
    }
  });

  it.each([0, 0.5, 9, 5000, "3", Number.NaN])(
    "`storageTimeout` of %s is a fault at boot: a request has 10 seconds",
    (storageTimeout) => {
      const app = createTestAuth({ raw: true, storageTimeout } as TestAuthOptions);
      expect(listBootFaults(app)).toEqual([
        "storageTimeout (seconds) must be a whole number from 1 to 8.",
      ]);
    },
  );
});

describe("rows that a database finds for another key", () => {
  const account = { userId: "1", type: "oidc", provider: "op", providerAccountId: "a" } as const;
  const expires = new Date("2026-06-01T12:00:00Z");
  const session = { sessionToken: "token", userId: "1", expires };
  const passkey = { credentialID: "k", userId: "1", providerAccountId: "k" };
  const found = (over = {}) => ({ session: { ...session, ...over }, user });

  it.each<[method: keyof Adapter, args: unknown[], own: unknown, foreign: unknown]>([
    ["createUser", [user], user, { ...user, email: "eve@example.com" }],
    ["createUserWithAccount", [user, account], user, { ...user, id: "2" }],
    ["getUser", ["1"], user, { ...user, id: "2" }],
    ["getUserByEmail", [user.email], user, { ...user, email: "Adá@example.com" }],
    ["updateUser", [{ id: "1" }], user, { ...user, id: "2" }],
    ["revokeUserAccess", ["1", {}], user, { ...user, id: "2" }],
    ["getAccount", ["a", "op"], account, { ...account, providerAccountId: "A" }],
    ["getAccount", ["a", "op"], account, { ...account, provider: "OP" }],
    // Auth.js stored numbers if the profile contained a number.
    ["getAccount", ["1", "op"], { ...account, providerAccountId: 1 }, account],
    ["getAccount", ["01", "op"], null, { ...account, providerAccountId: 1 }],
    ["listAccountsByUserId", ["1"], [account], [account, { ...account, userId: "2" }]],
    ["getSessionAndUser", ["token"], found(), found({ sessionToken: "TOKEN" })],
    ["getSessionAndUser", ["token"], found(), found({ userId: "2" })],
    ["extendSession", ["token", expires, expires], session, { ...session, sessionToken: "TOKEN" }],
    ["updateSession", [session], session, { ...session, sessionToken: "TOKEN" }],
    ["getAuthenticator", ["k"], passkey, { ...passkey, credentialID: "K" }],
    ["listAuthenticatorsByUserId", ["1"], [passkey], [passkey, { ...passkey, userId: "2" }]],
  ])("callAdapter() refuses a foreign row of %s", async (method, args, own, foreign) => {
    const call = (row: unknown) =>
      callAdapter({ [method]: async () => row } as Adapter, method, ...(args as [never]));
    expect(await call(own)).toBe(own);
    expect((await call(null)) ?? null).toBeNull();
    await expect(call(foreign)).rejects.toThrow(AdapterError);
    await expect(call(foreign)).rejects.toThrow(
      `\`${method}\` returned a row with a different key`,
    );
  });

  it.each([
    ["has none of that key", null],
    ["is of another user", { ...account, userId: "2" }],
  ])("findUserByAccount() returns no user whose account %s", async (_, row) => {
    const adapter: Adapter = { getUserByAccount: () => user, getAccount: () => row };
    expect(await findUserByAccount(adapter, account)).toBeNull();
    const same: Adapter = { ...adapter, getAccount: () => account };
    expect(await findUserByAccount(same, account)).toBe(user);
  });
});

describe("adapters and the plugin that signs their users in", () => {
  const jwt = { preset: minimalPreset, session: { strategy: "jwt" } } as const;
  const users = () => adapterOn(memoryBackend());
  const flow = [acmePlugin, identityFlow(() => ({}))];

  it.each<[string, TestAuthOptions]>([
    ["the configuration", { adapter: users(), use: flow }],
    [
      "a plugin",
      {
        use: [
          ...flow,
          { name: "own", provides: ["adapter"], setup: (kernel) => kernel.setAdapter(users()) },
        ],
      },
    ],
  ])(
    "boot refuses an adapter of %s in the minimal preset, and names defineAdapter()",
    (_, options) => {
      const { auth } = createTestAuth({ ...jwt, providers: [], errors: "allowed", ...options });
      expect(() => auth.inspect()).toThrow("use(defineAdapter(adapter))");
    },
  );

  it.each<[string, (adapter: Adapter) => Plugin]>([
    ["an adapter", (adapter) => defineAdapter(adapter)],
    ["a function of the kernel", (adapter) => defineAdapter(() => adapter)],
  ])("defineAdapter() of %s signs stored users in", async (_, define) => {
    const adapter = users();
    const { browser } = createTestAuth({ ...jwt, providers: [], use: [...flow, define(adapter)] });
    await browser.signIn("acme");
    await browser.get("/auth/callback/acme");
    expect(await browser.session()).toMatchObject({ user: { name: ADA.name } });
    expect(await adapter.getUserByEmail?.(ADA.email)).toMatchObject({ name: ADA.name });
  });

  it("defineAdapter() sets its name, the capability `adapter`, and the plugins that it brings", () => {
    const brought: Plugin = { name: "brought", setup() {} };
    const plugin = defineAdapter(users(), { name: "adapters/own", plugins: [brought] });
    expect(plugin).toMatchObject({ name: "adapters/own", provides: ["adapter"] });
    expect(plugin.plugins).toContain(brought);
    expect(defineAdapter(users()).name).toBe("adapter");
  });
});

describe("isDate()", () => {
  it.each(["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.678Z", "2026-01-02T03:04:05+02:00"])(
    "isDate() accepts %j",
    (value) => expect(isDate(value)).toBe(true),
  );

  it.each(["2026-01-02", "2026", "1", "2026-13-02T03:04:05Z", "2026-01-02T03:04:05", "", null, 1])(
    "isDate() rejects %j",
    (value) => expect(isDate(value)).toBe(false),
  );
});
