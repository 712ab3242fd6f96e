import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { UseSignIn } from "../../plugins/bindings/nuxt/runtime/sign-in.ts";
import type { SignInResult } from "../../src/client.ts";
import { createTestServer, openPage, settle } from "../client/_page.ts";

const runtime = fileURLToPath(new URL("../../plugins/bindings/nuxt/runtime", import.meta.url));

/** Replaces Nuxt's virtual modules, in a page whose server has read the sign-in page. */
const MODULES: Readonly<Record<string, string>> = {
  "#build/keyhook.mjs": `
    export const base = "/", basePath = "/auth";
    export const watching = { refetchInterval: 30, refetchOnWindowFocus: false };`,
  "#imports": `
    const { app, page } = globalThis.nuxtStub;
    export const useNuxtApp = () => app;
    export const useRoute = () => ({ query: {}, path: "/login" });
    export const useRequestEvent = () => undefined;
    const error = { get value() { return app.readError; } };
    export const useAsyncData = async () => ({ data: { value: page }, error });
    export const navigateTo = (url) => void app.left.push(url);
    export const useState = () => ({}), defineNuxtPlugin = (plugin) => plugin;`,
};

const virtual: Plugin = {
  name: "virtual",
  setup(builder) {
    builder.onResolve({ filter: /^#/ }, ({ path }) => ({ path, namespace: "nuxt" }));
    builder.onLoad({ filter: /.*/, namespace: "nuxt" }, ({ path }) => ({
      contents: MODULES[path] ?? "",
    }));
  },
};

const mailForm = { action: "/auth/signin/mail", submit: "Email me", fields: [] };
const passkeyForm = {
  action: "/auth/callback/passkey",
  submit: "Use a passkey",
  script: { src: "", integrity: "", fallback: "", failure: "It failed." },
};

/** The attempts that were started, each with the function that ends the attempt. */
const attempts: { name: string; end(result: SignInResult): void }[] = [];
const start = (name: string) => async () =>
  new Promise<SignInResult>((end) => void attempts.push({ name, end }));

const app = {
  left: [] as string[],
  /** Why the sign-in page could not be read again. */
  readError: undefined as Error | undefined,
  payload: { data: {} },
  $keyhook: {
    client: { signIn: start("signIn"), signInWithPasskey: start("signInWithPasskey") },
    state: { value: { status: "unauthenticated", data: null, error: null } },
  },
};
const page = {
  title: "Sign in",
  data: { failure: "Try again." },
  blocks: [
    { kind: "form", provider: "mail", form: mailForm },
    { kind: "form", provider: "passkey", form: passkeyForm },
  ],
};

const failed = (error: string): SignInResult => ({ ok: false, error, status: 200, url: null });
const succeeded: SignInResult = { ok: true, status: 200, url: "http://localhost:3000/next" };

async function bundle(entry: string, folder: string): Promise<string> {
  const outfile = join(folder, `${entry}.mjs`);
  await build({
    entryPoints: [join(runtime, `${entry}.ts`)],
    bundle: true,
    format: "esm",
    platform: "browser",
    define: { "import.meta.server": "false", "process.env.NODE_ENV": '"test"' },
    outfile,
    plugins: [virtual],
    logLevel: "error",
  });
  return pathToFileURL(outfile).href;
}

describe("the client of keyhook/nuxt", () => {
  it("reads the session as often as the module's options say", async () => {
    const folder = mkdtempSync(join(tmpdir(), "keyhook-nuxt-"));
    const { loadClient } = (await import(
      await bundle("client", folder)
    )) as typeof import("../../plugins/bindings/nuxt/runtime/client.ts");
    rmSync(folder, { recursive: true });
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
    const page = openPage();
    const session = { user: { name: "Ada" }, expires: "2099-01-01T00:00:00.000Z" };
    const { asked, fetch } = createTestServer(() => session);
    vi.stubGlobal("fetch", fetch);
    const end = loadClient(session).watch.subscribe(() => {});
    const pass = async (ms: number) => {
      await vi.advanceTimersByTimeAsync(ms);
      await settle();
    };
    await pass(10_000);
    page.focus();
    await pass(10_000);
    expect(asked).toEqual([]);
    await pass(11_000);
    expect(asked).toHaveLength(1);
    end();
    vi.useRealTimers();
    vi.unstubAllGlobals();
  });
});

describe("useSignIn() of keyhook/nuxt", () => {
  let folder: string;
  let useSignIn: () => Promise<UseSignIn>;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "keyhook-nuxt-"));
    const url = await bundle("sign-in", folder);
    Object.assign(globalThis, { nuxtStub: { app, page } });
    ({ useSignIn } = (await import(
      url
    )) as typeof import("../../plugins/bindings/nuxt/runtime/sign-in.ts"));
    Reflect.deleteProperty(globalThis, "nuxtStub");
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  async function open() {
    attempts.length = 0;
    app.left.length = 0;
    const login = await useSignIn();
    const [mail, passkey] = login.methods.value;
    const { FormData: Real } = globalThis;
    // The fields of an empty form.
    const submit = (method: typeof mail) => {
      globalThis.FormData = class extends Map {} as never;
      const result = method!.submit({ preventDefault() {}, currentTarget: null } as never);
      globalThis.FormData = Real;
      return result;
    };
    return { login, mail, passkey, submit };
  }

  it("a form that is submitted twice is sent once, and again after its failure", async () => {
    const { login, mail, submit } = await open();
    const both = [submit(mail), submit(mail)];
    expect(attempts.map(({ name }) => name)).toEqual(["signIn"]);
    expect(login.pending.value).toBe(true);
    attempts[0]!.end(failed("EmailSignInError"));
    const results = await Promise.all(both);
    expect(results).toEqual([failed("EmailSignInError"), failed("EmailSignInError")]);
    expect(login.pending.value).toBe(false);
    const again = submit(mail);
    expect(attempts).toHaveLength(2);
    attempts[1]!.end(succeeded);
    await again;
    expect(app.left).toEqual([succeeded.url]);
  });

  it("a failed attempt whose message cannot be read, for example without a network, has a message", async () => {
    const { login, mail, submit } = await open();
    const result = submit(mail);
    app.readError = new TypeError("Failed to fetch");
    attempts[0]!.end(failed("Unreachable"));
    await result;
    expect(login.message.value).toEqual({ tone: "error", text: "Try again." });
    app.readError = undefined;
  });

  it("a second press of a passkey button aborts the first attempt without reporting its failure", async () => {
    const { login, passkey, submit } = await open();
    const first = submit(passkey);
    const second = submit(passkey);
    expect(attempts).toHaveLength(2);
    attempts[0]!.end(failed("AbortError"));
    expect(await first).toEqual(failed("AbortError"));
    expect([login.message.value, login.pending.value]).toEqual([undefined, true]);
    attempts[1]!.end(failed("NotAllowedError"));
    await second;
    expect(login.message.value).toEqual({ tone: "error", text: "It failed." });
    expect(login.pending.value).toBe(false);
  });
});
