import { afterEach, describe, expect, it, vi } from "vitest";
import { callAdapter } from "../../src/adapter.ts";
import { isDate } from "../../src/adapters.ts";
import { AdapterError, MissingAdapterMethods } from "../../src/errors.ts";
import type { Adapter, AdapterUser } from "../../src/index.ts";

const user: AdapterUser = { id: "1", email: "ada@example.com", emailVerified: null };

describe("calling an adapter", () => {
  it("hands on the arguments and answers what it answers, a promise too", async () => {
    const adapter: Adapter = {
      getUser: (id) => (id === "1" ? user : null),
      getUserByEmail: async (email) => (email === user.email ? user : null),
    };
    expect(await callAdapter(adapter, "getUser", "1")).toBe(user);
    expect(await callAdapter(adapter, "getUser", "2")).toBeNull();
    expect(await callAdapter(adapter, "getUserByEmail", user.email)).toBe(user);
  });

  it("binds methods of classes, inherited and private state too", async () => {
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
    "fails by name where the method is missing: %j",
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
  ])("wraps what a method that %s says, with its name", async (_, getUser) => {
    const error = await callAdapter({ getUser } as Adapter, "getUser", "1").catch(
      (it: unknown) => it,
    );
    expect(error).toBeInstanceOf(AdapterError);
    expect((error as AdapterError).cause).toMatchObject({
      method: "getUser",
      err: { message: "down" },
    });
  });
});

describe("an adapter that hangs (R17)", () => {
  afterEach(() => void vi.useRealTimers());

  it("is waited for two seconds", async () => {
    vi.useFakeTimers();
    const call = callAdapter({ getUser: () => new Promise(() => {}) }, "getUser", "1");
    const failed = expect(call).rejects.toThrow(AdapterError);
    await vi.advanceTimersByTimeAsync(2000);
    await failed;
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("a stored date", () => {
  it.each(["2026-01-02T03:04:05Z", "2026-01-02T03:04:05.678Z", "2026-01-02T03:04:05+02:00"])(
    "is %j",
    (value) => expect(isDate(value)).toBe(true),
  );

  it.each(["2026-01-02", "2026", "1", "2026-13-02T03:04:05Z", "2026-01-02T03:04:05", "", null, 1])(
    "is not %j",
    (value) => expect(isDate(value)).toBe(false),
  );
});
