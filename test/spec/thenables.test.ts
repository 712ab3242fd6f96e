import { describe, expect, it } from "vitest";
import { storeAdapter } from "../../plugins/adapters/store.ts";
import { memoryStore } from "../../plugins/stores/memory.ts";
import { standardPreset } from "../../presets/standard.ts";
import { decode, encode } from "../../src/jwt.ts";
import type { AuthConfig, CallbacksOptions } from "../../src/kernel.ts";
import {
  acme,
  createTestAuth,
  credentials,
  identityFlow,
  locationOf,
  LOVELACE,
  Rows,
} from "../_app.ts";

/** Returns a value like the queries of some databases, which have `then` and nothing else of a promise. */
function toThenable<T>(value: T | PromiseLike<T>): PromiseLike<T> {
  return {
    // oxlint-disable-next-line unicorn/no-thenable -- so do queries of Supabase and Mongoose
    then: (resolve, reject) => Promise.resolve(value).then(resolve, reject),
  };
}

/** Returns an object whose functions return thenables. */
function withThenables<T extends object>(functions: T): T {
  return new Proxy(functions, {
    get(target, name) {
      const found: unknown = Reflect.get(target, name);
      if (typeof found !== "function") return found;
      return (...args: unknown[]) =>
        toThenable((async () => found.apply(target, args) as unknown)());
    },
  });
}

const callbacks: CallbacksOptions = {
  signIn: ({ user }) => user?.name === "Ada",
  redirect: ({ url }) => url,
  jwt: ({ token }) => ({ ...token, seen: true }),
  session: ({ session }) => ({ ...session, seen: true }),
  authorized: ({ auth: session }) => session !== null,
};

describe("functions of an application that return thenables other than promises", () => {
  it.each<[string, AuthConfig]>([
    ["jwt", { jwt: withThenables({ encode, decode }) }],
    ["database", {}],
  ])("sign-in, read, guard and sign-out work under the strategy %s", async (strategy, config) => {
    const heard: string[] = [];
    const app = createTestAuth({
      ...config,
      session: { strategy: strategy as "jwt" },
      callbacks: withThenables(callbacks),
      events: withThenables({
        signIn: () => void heard.push("signIn"),
        signOut: () => void heard.push("signOut"),
      }),
      preset: standardPreset,
      providers: [acme()],
      use: [
        memoryStore(),
        storeAdapter(),
        identityFlow(() => ({})),
        { name: "thenables", setup: (kernel) => kernel.wrap("adapter", withThenables) },
      ],
    });
    const guard = () => app.auth.authorize(app.browser.request("/admin"));
    expect((await guard())?.status).toBe(302);
    expect(locationOf(await app.browser.get("/auth/callback/acme"))).toBe("/");
    expect(await app.browser.session()).toMatchObject({ user: { name: "Ada" }, seen: true });
    expect(await guard()).toBeUndefined();
    await app.browser.signOut();
    expect(await app.browser.session()).toBeNull();
    expect(heard).toEqual(["signIn", "signOut"]);
  });

  it("an `authorize` that returns a thenable of null starts no session", async () => {
    const providers = [credentials({ authorize: () => toThenable(null) })];
    const { browser, log } = createTestAuth({ providers });
    await browser.signInWith("credentials", LOVELACE);
    expect(await browser.session()).toBeNull();
    log.expectErrors("CredentialsSignin");
  });

  it("a `signIn` that returns a thenable of false starts no session", async () => {
    const { browser, log } = createTestAuth({ callbacks: { signIn: () => toThenable(false) } });
    await browser.signInWith("credentials", LOVELACE);
    expect(await browser.session()).toBeNull();
    log.expectErrors("AccessDenied");
  });

  it("a thenable that rejects is reported as the adapter's error, not as a missing `catch`", async () => {
    const rows = new Rows();
    rows.getUserByAccount = () => toThenable(Promise.reject(new Error("down"))) as never;
    const { browser, log } = createTestAuth({
      adapter: rows as never,
      session: { strategy: "jwt" },
      providers: [acme()],
      use: [identityFlow(() => ({}))],
    });
    await browser.get("/auth/callback/acme");
    const [error] = log.expectErrors("AdapterError");
    expect(error?.cause).toMatchObject({ err: { message: "down" } });
  });
});
