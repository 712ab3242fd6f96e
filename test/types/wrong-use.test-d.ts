import { describe, expectTypeOf, it } from "vitest";
import { credentialsPlugin } from "../../plugins/providers/credentials.ts";
import { githubPlugin } from "../../plugins/providers/github.ts";
import { createAuth as createH3, type H3Members } from "../../presets/h3.ts";
import { createAuth, definePlugin, definePreset, standardPreset } from "../../presets/index.ts";
import {
  type Auth,
  type ConfigSource,
  defineStore,
  type Plugin,
  type StorePlugin,
} from "../../src/kernel.ts";

describe("use() refuses what is not a plugin", () => {
  it("use() refuses a factory that was not called, a promise, and incomplete objects", () => {
    const auth = createAuth();
    // @ts-expect-error -- the call is forgotten
    auth.use(githubPlugin);
    // @ts-expect-error -- not awaited
    auth.use(Promise.resolve(githubPlugin()));
    // @ts-expect-error -- neither `setup` nor `plugins`
    auth.use({ name: "x" });
    // @ts-expect-error -- no name
    auth.use({ setup() {} });
    // @ts-expect-error -- null
    auth.use(null);
    // @ts-expect-error -- misspelled
    auth.use({ name: "x", setup() {}, require: ["y"] });
  });

  it("lists of plugins refuse a factory that was not called", () => {
    // @ts-expect-error -- the call is forgotten
    createAuth({ plugins: [githubPlugin] });
    // @ts-expect-error -- the call is forgotten
    definePreset({ name: "company", plugins: [githubPlugin] });
    // @ts-expect-error -- the call is forgotten
    definePlugin({ name: "x", plugins: [githubPlugin], setup() {} });
    // @ts-expect-error -- a preset has `plugins`
    definePreset({ name: "company", extends: [standardPreset] });
  });
});

describe("definePlugin()", () => {
  it("definePlugin() refuses misspelled fields", () => {
    // @ts-expect-error -- requires
    definePlugin({ name: "x", require: ["y"], setup() {} });
    // @ts-expect-error -- provides
    definePlugin({ name: "x", provide: ["y"], setup() {} });
    // @ts-expect-error -- setup
    definePlugin({ name: "x", setUp() {} });
  });

  it("definePlugin() of a function returns a function of the same type", () => {
    const store = definePlugin((client: { get(): string }, name?: string): StorePlugin => ({
      ...defineStore(client as never),
      name: name ?? "x",
    }));
    expectTypeOf(store).toEqualTypeOf<(client: { get(): string }, name?: string) => StorePlugin>();
    const extended = definePlugin((name: string): Plugin<{ hello(): string }> => ({
      name,
      setup() {},
      extend: () => ({ hello: () => name }),
    }));
    expectTypeOf(createAuth().use(extended("x")).hello).toEqualTypeOf<() => string>();
    const stated: (options?: { name?: string }) => Plugin = definePlugin(
      ({ name = "x" } = {}): Plugin => ({ name, setup: ({ logger }) => logger.warn("x", name) }),
    );
    expectTypeOf(stated).parameter(0).toEqualTypeOf<{ name?: string } | undefined>();
  });

  it("definePlugin() of a function refuses misspelled fields and wrong arguments", () => {
    // @ts-expect-error -- `requires`
    definePlugin((): Plugin => ({ name: "x", require: ["y"], setup() {} }));
    // @ts-expect-error -- `setup`
    definePlugin(() => ({ name: "x", setUp() {} }));
    // @ts-expect-error -- a promise of a plugin
    definePlugin(async () => ({ name: "x", setup() {} }));
    const named = definePlugin((name: string): Plugin => ({ name, setup() {} }));
    // @ts-expect-error -- a missing argument
    named();
    // @ts-expect-error -- a number
    named(1);
    // @ts-expect-error -- not called
    createAuth().use(named);
  });

  it("definePlugin() returns a Plugin", () => {
    expectTypeOf(definePlugin({ name: "x", setup() {} })).toEqualTypeOf<Plugin>();
  });

  it("`setup` receives the kernel, and `init` may be asynchronous", () => {
    definePlugin({
      name: "x",
      setup({ hooks }) {
        hooks.signIn.tap("x", ({ user }) => user.name !== "Eve");
      },
      init: async ({ logger }) => logger.debug("x"),
    });
    definePlugin({ name: "x", setup() {}, init() {} });
  });
});

describe("createAuth()", () => {
  it("createAuth() refuses misspelled options, also in parts of the configuration", () => {
    // @ts-expect-error -- session
    createAuth({ sesion: {} });
    // @ts-expect-error -- maxAge
    createAuth({ session: { maxage: 1 } });
    // @ts-expect-error -- signIn
    createAuth({ callbacks: { signin: () => true } });
    // @ts-expect-error -- signOut
    createAuth({ events: { signout() {} } });
    // @ts-expect-error -- no configuration
    createAuth(null);
    // @ts-expect-error -- no configuration
    createAuth("secret");
  });

  it("createAuth() accepts an object, a function, either of them, and nothing", () => {
    const sources: ConfigSource[] = [
      {},
      () => ({}),
      async (request) => ({ basePath: request?.url ?? "" }),
    ];
    for (const source of sources) expectTypeOf(createAuth(source)).toEqualTypeOf<Auth>();
    expectTypeOf(createAuth()).toEqualTypeOf<Auth>();
    expectTypeOf(createH3(async () => ({}))).toEqualTypeOf<Auth & H3Members>();
    createAuth({ callbacks: { signIn: ({ user }) => user.name !== "Eve" } });
    createAuth((request) => ({ basePath: request?.url ?? "" }));
  });
});

describe("services", () => {
  it("provide() and use() accept only declared services", () => {
    definePlugin({
      name: "x",
      setup(kernel) {
        // @ts-expect-error -- not declared
        kernel.use("nothing");
        // @ts-expect-error -- not declared
        kernel.provide("nothing", {});
      },
    });
  });
});

describe("credentialsPlugin()", () => {
  it("authorize() of credentialsPlugin() has only the declared fields, as in Auth.js", () => {
    const name = { username: {}, password: { type: "password" } };
    credentialsPlugin({
      credentials: name,
      // @ts-expect-error -- password
      authorize: ({ username, pasword }) => (pasword ? { id: username ?? "" } : null),
    });
    credentialsPlugin({
      id: undefined,
      credentials: { username: { label: { en: "Name", de: "Name" } } },
      authorize(fields, request) {
        expectTypeOf(fields).toEqualTypeOf<Partial<Record<"username", string>>>();
        expectTypeOf(request).toEqualTypeOf<Request>();
        return null;
      },
    });
    createAuth({ providers: [credentialsPlugin({ credentials: name, authorize: () => null })] });
    // @ts-expect-error -- `authorize`
    credentialsPlugin({ credentials: name });
    // @ts-expect-error -- misspelled
    credentialsPlugin({ credential: name, authorize: () => null });
  });

  it("authorize() of credentialsPlugin() without fields has any name", () => {
    credentialsPlugin({
      authorize(fields) {
        expectTypeOf(fields.anything).toEqualTypeOf<string | undefined>();
        return { id: fields.anything ?? "" };
      },
    });
  });
});
