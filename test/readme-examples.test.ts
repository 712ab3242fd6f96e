import type { AsyncLocalStorage } from "node:async_hooks";
import { globSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { get, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import express, { type ErrorRequestHandler } from "express";
import * as oauth from "oauth4webapi";
import ts from "typescript";
import { afterAll, describe, expect, it, vi } from "vitest";
import { getEntryPoint, sources } from "../build.config.ts";
import { type ActivityEntry, activityLog } from "../playground/activity-log.ts";
import { storeAdapter } from "../plugins/adapters/store.ts";
import { auditLog, type AuditSink } from "../plugins/observability/audit-log.ts";
import type { AccountData } from "../plugins/pages/account.ts";
import { credentialsPlugin } from "../plugins/providers/credentials.ts";
import { nativeApps } from "../plugins/security/native-apps.ts";
import { secondFactor } from "../plugins/security/second-factor.ts";
import { memoryStore } from "../plugins/stores/memory.ts";
import { createAuth as createExpressAuth } from "../presets/express.ts";
import { createAuth } from "../presets/index.ts";
import { createAuth as createMinimalAuth } from "../presets/minimal.ts";
import { defineStore, type Form } from "../src/kernel.ts";
import {
  type Browser,
  createBrowser,
  createClock,
  createIdentityProvider,
  createOutbox,
  createTestAuth,
  type FlowSuiteOptions,
  type TestAuth,
  testAdapter,
  testBinding,
  testFlow,
  testStore,
  testStrategy,
} from "../src/testing/testing.ts";
import type {
  Adapter,
  Auth,
  AuthConfig,
  Binding,
  Kernel,
  Plugin,
  Session,
  StoreBackend,
} from "../src/types.ts";
import { IS_QUICK } from "./_scale.ts";
import { checkVirtualFiles } from "./_virtual-files.ts";
import { openPage, toFetch } from "./client/_page.ts";
import { listFailures } from "./testing/_list-failures.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const readmes = [
  "README.md",
  ...globSync("{src,plugins,presets,playground}/**/README.md", {
    cwd: root,
    exclude: ["**/node_modules/**"],
  }),
  "test/README.md",
  ...globSync("plugins/providers/docs/*.md", { cwd: root }),
];

interface Example {
  readme: string;
  kind: string;
  code: string;
  /** Name in a comment above the block, `<!-- run: name -->`: this file runs the example. */
  name: string | undefined;
}

const examples = readmes.flatMap((readme): Example[] =>
  [
    ...readFileSync(root + readme, "utf8").matchAll(
      /(?:^<!-- run: ([\w-]+) -->\n+)?^```(tsx?)\n([^]*?)^```$/gm,
    ),
  ].map(([, name, kind = "", code = ""]) => ({ readme, kind, code, name })),
);

/** Returns the source file behind a public import specifier. */
function getSource(name: string): string {
  const path = name.replace(/^keyhook/, ".");
  const file = sources.find((one) => getEntryPoint(one) === path);
  if (file === undefined) throw new Error(`A README imports "${name}", which is no entry point.`);
  return root + file;
}

function mapImports(code: string, to: (name: string) => string): string {
  return code.replace(
    /(?<=\b(?:from|import|declare module) )"(keyhook(?:\/[\w/-]+)?)"/g,
    (_, name: string) => JSON.stringify(to(name)),
  );
}

/** What Nuxt automatically imports into server files. */
const autoImports = {
  defineEventHandler: 'import { defineHandler as defineEventHandler } from "h3";',
  requireAuthSession: 'import { requireAuthSession } from "keyhook/nitro";',
};

function addAutoImports({ readme, code }: Example): string {
  if (!readme.includes("bindings/nuxt/")) return code;
  const used = Object.entries(autoImports).filter(
    ([name]) => code.includes(`${name}(`) && !/^import /m.test(code),
  );
  return used.map(([, line]) => line).join(" ") + code;
}

/** Type-checks files that are not on disk, and lists the compiler's diagnostics. */
function listDiagnostics(files: ReadonlyMap<string, string>): string[] {
  return checkVirtualFiles(files).diagnostics.map(({ file, messageText, start = 0 }) => {
    const { line = 0 } = file?.getLineAndCharacterOfPosition(start) ?? {};
    return `${file?.fileName}:${line + 1}: ${ts.flattenDiagnosticMessageText(messageText, "\n")}`;
  });
}

// In the folder of the playground, because an example imports one of its files.
function toVirtualFile({ readme, kind }: Example, at: number): string {
  const name = readme.replace(/\/?README\.md$/, "").replaceAll("/", "-") || "root";
  return `${root}playground/readme-${name}-${at}.${kind}`;
}

const folder = mkdtempSync(join(tmpdir(), "keyhook-readme-"));
afterAll(() => rmSync(folder, { recursive: true }));

/** Imports an example as a module. Its imports resolve to the sources, and to this test's runner. */
async function load<Module>({ code }: Example, name: string): Promise<Module> {
  const file = join(folder, `${name}.ts`);
  const mapped = mapImports(code, (specifier) => pathToFileURL(getSource(specifier)).href);
  writeFileSync(file, mapped.replace('"vitest"', JSON.stringify(import.meta.resolve("vitest"))));
  return (await import(/* @vite-ignore */ file)) as Module;
}

const runnable = new Map(examples.flatMap((one) => (one.name ? [[one.name, one] as const] : [])));

function loadRunnable<Module>(name: string): Promise<Module> {
  const example = runnable.get(name);
  if (!example) throw new Error(`No README has an example named "${name}".`);
  return load(example, name);
}

const ADA = { id: "1", name: "Ada", email: "ada@example.com" };

const wordProvider: NonNullable<AuthConfig["providers"]>[number] = {
  id: "credentials",
  name: "password",
  type: "credentials",
  credentials: { word: {} },
  authorize: ({ word }) => (word === "right" ? { ...ADA } : null),
};

/** Creates an application whose password is "right", with plugins. */
function createApp(plugins: readonly Plugin[], config: AuthConfig = {}) {
  return createTestAuth(createAuth, { plugins, providers: [wordProvider], ...config });
}

const cookieHeader = ({ cookies }: Browser) =>
  [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");

const getErrorParameter = (response: Response) =>
  new URL(response.headers.get("location") ?? "", "http://localhost").searchParams.get("error");

/** Runs the examples that have a name. */
const ORIGIN = "http://localhost:3000";

const runs: Record<string, () => Promise<void>> = {
  async listener() {
    const lines: string[] = [];
    const log = vi
      .spyOn(console, "log")
      .mockImplementation((line: string) => void lines.push(line));
    const { greeting } = await loadRunnable<{ greeting: Plugin }>("listener");
    const { browser } = createApp([greeting]);
    await browser.signInWith("credentials", { word: "right" });
    log.mockRestore();
    expect(lines).toEqual(["Ada signed in with credentials"]);
  },

  async tap() {
    const { onlyFrom } = await loadRunnable<{ onlyFrom(domain: string): Plugin }>("tap");
    const inside = createApp([onlyFrom("example.com")]);
    await inside.browser.signInWith("credentials", { word: "right" });
    expect(await inside.browser.session()).toMatchObject({ user: { name: "Ada" } });
    const outside = createApp([onlyFrom("example.org")]);
    const refused = await outside.browser.signInWith("credentials", { word: "right" });
    expect(getErrorParameter(refused)).toBe("AccessDenied");
    expect(outside.log.errors.map(({ type }) => type)).toEqual(["AccessDenied"]);
  },

  async "change-email"() {
    const { changeEmail } = await loadRunnable<{
      changeEmail(send: (to: string, path: string) => Promise<void>): Plugin;
    }>("change-email");
    const sent: [to: string, path: string][] = [];
    const outbox = createOutbox();
    const idp = createIdentityProvider();
    const app = createTestAuth(createAuth, {
      idp,
      session: { strategy: "database" },
      providers: [idp.provider(), outbox.provider()],
      plugins: [
        memoryStore(),
        storeAdapter(),
        changeEmail(async (...mail) => void sent.push(mail)),
      ],
    });
    const ada = { sub: "ada", email: "ada@example.com", email_verified: true };
    await app.browser.signInAs(ada);
    const other = app.openBrowser();
    await other.signInAs({ sub: "eve", email: "eve@example.com", email_verified: true });
    const ask = async (email: string) => {
      expect((await app.browser.send("/auth/change-email", { json: { email } })).status).toBe(200);
      expect(sent.at(-1)?.[0]).toBe(email);
      return sent.at(-1)?.[1] ?? "";
    };
    const path = await ask("new@example.com");
    expect((await other.get(path)).status).toBe(400);
    expect((await app.browser.get(path)).status).toBe(400);
    expect((await app.browser.get(await ask("eve@example.com"))).status).toBe(400);
    const changed = await app.browser.get(await ask("new@example.com"));
    expect(changed.headers.get("location")).toMatch(/^http:\/\/localhost:3000\/?$/);
    expect(await app.browser.session()).toMatchObject({ user: { email: "new@example.com" } });
    // The first link to the new address removes nothing.
    const byLink = app.openBrowser();
    await byLink.signIn("email", { email: "new@example.com" });
    await byLink.get(outbox.last("new@example.com").url);
    expect(await byLink.session()).toMatchObject({ user: { email: "new@example.com" } });
    const again = app.openBrowser();
    await again.signInAs(ada);
    expect(await again.session()).toMatchObject({ user: { email: "new@example.com" } });
    expect(await app.browser.session()).toMatchObject({ user: { email: "new@example.com" } });
  },

  async "closed-registration"() {
    const { closedRegistration } = await loadRunnable<{ closedRegistration: Plugin }>(
      "closed-registration",
    );
    const idp = createIdentityProvider();
    let adapter: Adapter | undefined;
    const app = createTestAuth(createAuth, {
      idp,
      providers: [idp.provider({ allowDangerousEmailAccountLinking: true })],
      plugins: [
        memoryStore(),
        storeAdapter(),
        closedRegistration,
        {
          name: "read-adapter",
          setup: ({ hooks }) =>
            hooks.ready.tap("read-adapter", (kernel) => void ({ adapter } = kernel)),
        },
      ],
    });
    const visit = async (email: string) => {
      const browser = app.openBrowser();
      const user = { sub: email, email, email_verified: true };
      await browser.signInAs(user).catch((error: unknown) => error);
      return browser.session();
    };
    expect(await visit("ada@example.com")).toBeNull();
    expect(app.log.errors.map(({ type }) => type)).toEqual(["AccessDenied"]);
    await adapter?.createUser?.({ id: "", email: "ada@example.com", emailVerified: null });
    expect(await visit("ada@example.com")).toMatchObject({ user: { email: "ada@example.com" } });
    expect(await visit("eve@example.com")).toBeNull();
    // Without a look-up of users, no user is known.
    const without = createTestAuth(createAuth, { plugins: [closedRegistration] });
    const stranger = without.browser.signInAs({ sub: "eve", email: "eve@example.com" });
    await expect(stranger).rejects.toThrow("AccessDenied");
  },

  async roles() {
    type Create = (find: (email: string) => Promise<string>, config: AuthConfig) => Auth;
    const makers =
      await loadRunnable<Record<"createSealedAuth" | "createStoredAuth", Create>>("roles");
    for (const create of [makers.createSealedAuth, makers.createStoredAuth]) {
      const idp = createIdentityProvider();
      const outbox = createOutbox();
      const { openBrowser } = createTestAuth(
        (config: AuthConfig) => create(async (email) => `role of ${email}`, config),
        {
          ...{ idp, plugins: [memoryStore()] },
          providers: [idp.provider({ allowDangerousEmailAccountLinking: true }), outbox.provider()],
        },
      );
      const email = "ada@example.com";
      const claimant = openBrowser();
      await claimant.signInAs({ sub: "1", email, email_verified: false });
      expect(await claimant.session()).toMatchObject({ user: { email } });
      expect(await claimant.session()).not.toHaveProperty("role");
      const owner = openBrowser();
      await owner.signIn("email", { email });
      await owner.get(outbox.last(email).url);
      expect(await owner.session()).toMatchObject({ role: `role of ${email}` });
      expect(await claimant.session()).toBeNull();
      const other = openBrowser();
      await other.signInAs({ sub: "2", email: "eve@example.com", email_verified: true });
      expect(await other.session()).toMatchObject({ role: "role of eve@example.com" });
    }
  },

  async "disabled-users"() {
    const { disabledUsers, disableUser } = await loadRunnable<{
      disabledUsers: Plugin;
      disableUser(userId: string, auth: object): Promise<void>;
    }>("disabled-users");
    const idp = createIdentityProvider();
    const adapter = storeAdapter();
    const app = createTestAuth(createAuth, {
      idp,
      providers: [idp.provider()],
      plugins: [memoryStore(), adapter, disabledUsers],
    });
    const ada = { sub: "ada", email: "ada@example.com", email_verified: true };
    await app.browser.signInAs(ada);
    const user = await (await app.auth.getAdapter()).getUserByEmail?.(ada.email);
    await disableUser(user?.id ?? "", app.auth);
    expect(await app.browser.session()).toBeNull();
    await app.browser.signInAs(ada).catch((error: unknown) => error);
    expect(await app.browser.session()).toBeNull();
    expect(app.log.errors.map(({ type }) => type)).toEqual(["AccessDenied"]);
  },

  async route() {
    const { whoami } = await loadRunnable<{ whoami: Plugin }>("route");
    const { browser } = createApp([whoami]);
    const path = "/auth/whoami";
    expect((await browser.get(path)).status).toBe(401);
    await browser.signInWith("credentials", { word: "right" });
    expect(await (await browser.get(path)).json()).toEqual({ id: "1", name: "Ada" });
  },

  async "route-params"() {
    const { organizations } = await loadRunnable<{
      organizations(owns: (user: string, org: string) => boolean): Plugin;
    }>("route-params");
    const plugin = organizations((user, org) => user === "1" && org === "acme");
    const { browser, log } = createApp([memoryStore(), plugin]);
    const errors = () => log.errors.map(({ type }) => type);
    const put = (org: string, json: object, csrf = true) =>
      browser.send(`/auth/org/${org}/members/7`, { method: "PUT", json, csrf });
    const role = { role: "owner" };
    expect((await put("acme", role)).status).toBe(401);
    await browser.signInWith("credentials", { word: "right" });
    expect(await (await put("acme", role)).json()).toEqual(role);
    expect((await put("acme", {})).status).toBe(400);
    expect(errors()).toEqual([]);
    expect(await (await put("other", role)).json()).toMatchObject({ error: "AccessDenied" });
    expect((await put("acme", role, false)).status).toBe(403);
    expect(errors()).toEqual(["AccessDenied", "MissingCSRF"]);
  },

  async "api-keys"() {
    const { apiKeys } = await loadRunnable<{ apiKeys(): Plugin }>("api-keys");
    const { auth, browser } = createApp([memoryStore(), apiKeys()]);
    await browser.signInWith("credentials", { word: "right" });
    const created = await browser.send("/auth/api-keys", { method: "POST" });
    const { key } = (await created.json()) as { key: string };
    const ask = (authorization: string) =>
      auth.getSession(new Request("http://localhost:3000/", { headers: { authorization } }));
    expect(await ask(`Bearer ${key}`)).toMatchObject({ user: { id: "1", name: "Ada" } });
    expect(await ask(`Bearer key_${"a".repeat(43)}`)).toBeNull();
    const headers = { authorization: `Bearer ${key}` };
    const refused = await browser.send("/auth/api-keys", { method: "POST", headers });
    expect(await refused.json()).toMatchObject({ error: "SessionRequired" });
    const plain = await browser.send("/auth/api-keys", { method: "DELETE", csrf: false });
    expect(plain.status).toBe(401);
    const revoke = { method: "DELETE", headers, csrf: false };
    expect(await (await browser.send("/auth/api-keys", revoke)).json()).toEqual({ revoked: true });
    expect(await ask(`Bearer ${key}`)).toBeNull();
  },

  async page() {
    const { termsPage } = await loadRunnable<{ termsPage(): Plugin }>("page");
    const { browser, auth } = createApp([termsPage()]);
    const english = await (await browser.get("/auth/terms")).text();
    expect(english).toContain("Terms of use");
    const init = { headers: { "accept-language": "nl" } };
    const dutch = await (await browser.get("/auth/terms", init)).text();
    expect(dutch).toContain("Gebruiksvoorwaarden");
    expect(dutch).toContain("localhost:3000");
    const csrfToken = await browser.csrfToken();
    const accepted = await browser.post("/auth/terms", { csrfToken });
    expect(accepted.headers.get("location")).toBe("http://localhost:3000/");
    const forged = await browser.post("/auth/terms", {});
    expect(getErrorParameter(forged)).toBe("MissingCSRF");
    expect(auth.inspect().routes.filter(({ path }) => path === "/terms")).toHaveLength(2);
  },

  async store() {
    const { signInLimit } = await loadRunnable<{ signInLimit(max: number): Plugin }>("store");
    const { browser } = createApp([memoryStore(), signInLimit(2)]);
    for (let time = 0; time < 2; time++) {
      const refused = await browser.signInWith("credentials", { word: "wrong" });
      expect(getErrorParameter(refused)).toBe("CredentialsSignin");
    }
    expect((await browser.signInWith("credentials", { word: "right" })).status).toBe(429);
  },

  async flow() {
    const { pinPlugin } = await loadRunnable<{
      pinPlugin(options: { send(to: string, pin: string): Promise<void> }): Plugin;
    }>("flow");
    const sent: string[][] = [];
    const send = async (to: string, pin: string) => void sent.push([to, pin]);
    const { browser } = createApp([memoryStore(), pinPlugin({ send })], { providers: [] });
    expect(await (await browser.get("/auth/signin")).text()).toContain('name="phone"');

    const started = await browser.signIn("pin", { phone: "+31600000001" });
    const page = await browser.follow(started);
    const form = await page.text();
    expect(form).toContain('name="pin"');
    const mistyped = await createApp([memoryStore(), pinPlugin({ send })], {
      providers: [],
    }).browser.signIn("pin", { phone: "0600000001" });
    expect(getErrorParameter(mistyped)).toBe("WrongPhone");
    expect(form).toContain('name="csrfToken"');
    const [to, pin = ""] = sent[0] ?? [];
    expect(to).toBe("+31600000001");
    const copy = new Map(browser.cookies);
    await browser.signInWith("pin", { pin });
    expect(await browser.session()).toMatchObject({ user: { name: "+31600000001" } });

    // A code may be mistyped four times, and works once.
    const { browser: other } = createApp([memoryStore(), pinPlugin({ send })], { providers: [] });
    await other.signIn("pin", { phone: "+31600000002" });
    const wrong = await other.signInWith("pin", { pin: "wrong" });
    expect(getErrorParameter(wrong)).toBe("WrongPin");
    for (const [name, value] of copy) browser.cookies.set(name, value);
    const replayed = await browser.signInWith("pin", { pin });
    expect(getErrorParameter(replayed)).toBe("InvalidCheck");
    const message = await other.follow(wrong);
    const text = await message.text();
    expect(text).toContain("That code is wrong or too old.");
    expect(text).toContain('name="pin"');
    await other.signInWith("pin", { pin: sent[1]?.[1] ?? "" });
    expect(await other.session()).toMatchObject({ user: { name: "+31600000002" } });

    const make = () => {
      const pins = new Map<string, string>();
      const plugin = pinPlugin({ send: async (phone, code) => void pins.set(phone, code) });
      const plugins = [memoryStore(), storeAdapter(), plugin];
      return { pins, ...createTestAuth(createAuth, { providers: [], plugins }) };
    };
    // A visitor cannot have codes sent to any number of telephones.
    const { pins: delivered, openBrowser } = make();
    for (let at = 0; at < 22; at++) {
      const visitor = openBrowser(undefined, { ip: "203.0.113.7" });
      await visitor.signIn("pin", { phone: `+3160000${1000 + at}` });
    }
    expect(delivered.size).toBe(20);

    const phones = { ada: "+31600000001", eve: "+31600000002", bob: "+31600000003" };
    const begin: FlowSuiteOptions<ReturnType<typeof make>>["begin"] = async (started) => {
      const phone = phones[started.user];
      await started.browser.signIn("pin", { phone, ...started.fields });
      return { fields: { pin: started.app.pins.get(phone) ?? "" }, account: phone };
    };
    expect(await listFailures((runner) => testFlow(make, runner, { begin }))).toEqual([]);
  },

  async login() {
    const { acceptTerms } = await loadRunnable<{ acceptTerms(): Plugin }>("login");
    const { browser } = createApp([memoryStore(), acceptTerms()]);
    const paused = await browser.signInWith("credentials", { word: "right" });
    expect(await (await browser.follow(paused)).text()).toContain("Accept the terms");
    expect(await browser.session()).toBeNull();
    await browser.post("/auth/accept-terms", { csrfToken: await browser.csrfToken() });
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
    await browser.signOut();
    await browser.signInWith("credentials", { word: "right" });
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
  },

  async "account-section"() {
    const { membership } = await loadRunnable<{ membership: Plugin }>("account-section");
    const { browser } = createApp([membership]);
    await browser.signInWith("credentials", { word: "right" });
    const text = await (await browser.get("/auth/account")).text();
    expect(text).toContain("Id 1");
    expect(text.indexOf('data-section="membership"')).toBeLessThan(text.indexOf("/auth/signout"));
  },

  async spa() {
    const { enter, enterSecondFactor } = await loadRunnable<{
      enter(username: string, password: string): Promise<string | undefined>;
      enterSecondFactor(code: string): Promise<unknown>;
    }>("spa");
    const credentials = { username: {}, password: {} };
    const { browser, log } = createApp(
      [memoryStore(), storeAdapter(), secondFactor({ required: ({ name }) => name === "Ada" })],
      {
        session: { strategy: "jwt" },
        providers: [
          credentialsPlugin({
            credentials,
            authorize: ({ username, password }) =>
              password === "right" ? { id: String(username), name: String(username) } : null,
          }),
        ],
      },
    );
    openPage();
    vi.stubGlobal("fetch", toFetch(browser));
    expect(await enter("Ada", "wrong")).toBe("CredentialsSignin");
    expect(await enter("Ada", "right")).toBe("setup");
    await expect(enterSecondFactor("1")).rejects.toMatchObject({ type: "InvalidCheck" });
    expect(await enter("Eve", "right")).toBeUndefined();
    expect(await browser.session()).toMatchObject({ user: { name: "Eve" } });
    expect(log.errors.map(({ type }) => type)).toEqual(["CredentialsSignin", "InvalidCheck"]);
  },

  async "account-data"() {
    const { readAccount, endSession } = await loadRunnable<{
      readAccount(): Promise<AccountData>;
      endSession(id: string): Promise<unknown>;
    }>("account-data");
    const app = createApp([memoryStore(), storeAdapter()], { session: { strategy: "database" } });
    openPage();
    vi.stubGlobal("fetch", toFetch(app.browser));
    await expect(readAccount()).rejects.toMatchObject({ type: "SessionRequired", status: 401 });
    await app.browser.signInWith("credentials", { word: "right" });
    const { accounts, sessions } = await readAccount();
    expect(accounts).toMatchObject([{ provider: "credentials", account: "1", removable: false }]);
    expect(sessions).toHaveLength(1);
    expect(sessions[0]?.current).toBe(true);
    await endSession("unknown");
  },

  async "session-cookie"() {
    interface Cookie {
      name: string;
      value: string;
      url: string;
    }
    const { createSessionCookie, createStoredSessionCookie } = await loadRunnable<{
      createSessionCookie(user: typeof ADA, at: { secret: string; url: string }): Promise<Cookie>;
      createStoredSessionCookie(adapter: Adapter, userId: string, url: string): Promise<Cookie>;
    }>("session-cookie");
    const secret = "the secret of the server that is tested";
    const stored = [memoryStore(), storeAdapter()];
    const readSession = ({ openBrowser }: TestAuth, { name, value }: Cookie) => {
      const browser = openBrowser();
      browser.cookies.set(name, value);
      return browser.session();
    };

    const cookie = await createSessionCookie(ADA, { secret, url: ORIGIN });
    const { name, email } = ADA;
    const session = { user: { name, email } };
    for (const plugins of [[], stored]) {
      const app = createApp(plugins, { secret, session: { strategy: "jwt" } });
      expect(await readSession(app, cookie)).toMatchObject(session);
    }
    const app = createApp(stored, { secret, session: { strategy: "database" } });
    const adapter = await app.auth.getAdapter();
    const user = await adapter.createUser?.({ ...ADA, emailVerified: null });
    const other = await createStoredSessionCookie(adapter, user?.id ?? "", ORIGIN);
    expect(await readSession(app, other)).toMatchObject(session);
    expect(await readSession(app, { ...other, value: crypto.randomUUID() })).toBeNull();
  },

  async "own-login"() {
    const { readLogin } = await loadRunnable<{
      readLogin(
        auth: Auth,
        request: Request,
      ): Promise<{ message?: { text: string }; forms: Form[]; cookies: string[] }>;
    }>("own-login");
    const { auth } = createApp([], { pages: { signIn: "/login" } });
    const url = `${ORIGIN}/login?callbackUrl=/x&error=CredentialsSignin`;
    const { message, forms, cookies } = await readLogin(auth, new Request(url));
    expect(message?.text).toContain("Check your details");
    const [form] = forms;
    expect(form?.fields).toMatchObject([{ name: "word" }]);
    const cookie = cookies.map((one) => one.split(";")[0]).join("; ");
    const body = new URLSearchParams({
      ...(form?.hidden as Record<string, string>),
      word: "right",
    });
    const headers = { cookie, origin: ORIGIN };
    const answer = await auth.fetch(
      new Request(form?.action ?? "", { method: "POST", body, headers }),
    );
    expect(answer.headers.get("location")).toBe(`${ORIGIN}/x`);
    expect(answer.headers.getSetCookie().join()).toContain("session-token");
  },

  async "own-users"() {
    const member = { id: "m1", name: "Ada", email: "ada@example.com", role: "reader" };
    const members = {
      check: async (email: string, password: string) =>
        email === member.email && password === "right" ? { ...member } : null,
      find: async (email: string) => (email === member.email ? { ...member } : null),
    };
    const { createMembersAuth, endSessions } = await loadRunnable<{
      createMembersAuth(given: typeof members, config: AuthConfig): Auth;
      endSessions(auth: Auth, given: typeof member): Promise<void>;
    }>("own-users");
    for (const strategy of ["database", "hybrid"] as const) {
      const outbox = createOutbox();
      Object.assign(member, { name: "Ada", role: "reader" });
      const { browser, auth } = createTestAuth(
        (config: AuthConfig) => createMembersAuth(members, config),
        {
          plugins: [memoryStore()],
          providers: [outbox.provider()],
          session: { strategy, checkAge: 0 },
        },
      );
      const byPassword = () =>
        browser.signInWith("credentials", { email: member.email, password: "right" });
      const byLink = async () => {
        await browser.signIn("email", { email: member.email });
        return browser.get(outbox.last(member.email).url);
      };
      const seen: unknown[] = [];
      for (const signIn of [byPassword, byLink, byPassword]) {
        expect(getErrorParameter(await signIn())).toBeNull();
        seen.push(await browser.session());
        const user = await (await auth.getAdapter()).getUserByEmail?.(member.email);
        seen.push(user?.id);
        Object.assign(member, { name: "Ada Lovelace", role: "admin" });
      }
      expect(seen[0]).toMatchObject({ user: { id: "m1", name: "Ada" }, role: "reader" });
      expect(seen[4]).toMatchObject({ user: { id: "m1", name: "Ada Lovelace" }, role: "admin" });
      expect(new Set([seen[1], seen[3], seen[5]]).size).toBe(1);

      await endSessions(auth, member);
      expect(await browser.session()).toBeNull();
    }
  },

  async "second-factor"() {
    const { factor } = await loadRunnable<{ factor: Plugin }>("second-factor");
    const { browser } = createApp([memoryStore(), storeAdapter(), factor]);
    await browser.signInWith("credentials", { word: "right" });
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
    const page = await (await browser.get("/auth/account")).text();
    expect(page).toContain("Two\u2011step verification");
    expect(await (await browser.get("/auth/second-factor/setup")).text()).toContain(
      "otpauth://totp/Acme:ada%40example.com?",
    );
  },

  async "second-factor-removal"() {
    const { accountDeletion } = await loadRunnable<{ accountDeletion: Plugin }>(
      "second-factor-removal",
    );
    let kernel: Kernel | undefined;
    const look: Plugin = { name: "look", setup: (given) => void (kernel = given) };
    const { browser } = createApp([
      ...[memoryStore(), storeAdapter(), secondFactor(), accountDeletion, look],
    ]);
    await browser.signInWith("credentials", { word: "right" });
    const user = await kernel?.adapter?.getUserByEmail?.("ada@example.com");
    const remove = vi.spyOn(kernel!.use("secondFactor"), "remove");
    const csrfToken = await browser.csrfToken();
    const response = await browser.post("/auth/delete-account", { csrfToken });
    expect(response.status).toBe(302);
    expect(remove).toHaveBeenCalledWith(user?.id);
    expect(await kernel?.adapter?.getUser?.(user?.id ?? "")).toBeNull();
    expect(await browser.session()).toBeNull();
  },

  async init() {
    const { blocklist } = await loadRunnable<{
      blocklist(load: () => Promise<string[]>): Plugin;
    }>("init");
    const load = vi.fn(async () => ["example.com"]).mockRejectedValueOnce(new Error("offline"));
    const { browser, log } = createApp([blocklist(load)]);
    expect((await browser.get("/auth/session")).status).toBe(503);
    expect(log.errors.map(({ type }) => type)).toEqual(["InitError"]);
    const refused = await browser.signInWith("credentials", { word: "right" });
    expect(getErrorParameter(refused)).toBe("AccessDenied");
    expect(load).toHaveBeenCalledTimes(2);
  },

  async services() {
    const { officeHours } = await loadRunnable<{
      officeHours(from: number, to: number): Plugin;
    }>("services");
    const at = (hour: number): Plugin => ({
      name: "clock/fixed",
      provides: ["service:clock"],
      setup: (kernel) => kernel.provide("clock", { now: () => Date.UTC(2030, 0, 1, hour) }),
    });
    const open = createApp([officeHours(9, 17), at(10)]);
    await open.browser.signInWith("credentials", { word: "right" });
    expect(await open.browser.session()).toMatchObject({ user: { name: "Ada" } });
    const { services } = createApp([officeHours(9, 17)]).auth.inspect();
    expect(services).toContainEqual({ name: "clock", plugin: "clock/system" });
    const closed = createApp([officeHours(9, 17), at(20)]);
    const refused = await closed.browser.signInWith("credentials", { word: "right" });
    expect(getErrorParameter(refused)).toBe("AccessDenied");
  },

  async strategy() {
    const { storeSessions } = await loadRunnable<{ storeSessions(): Plugin }>("strategy");
    const { browser } = createApp([memoryStore(), storeSessions()], {
      session: { strategy: "store" },
    });
    expect(await browser.session()).toBeNull();
    await browser.signInWith("credentials", { word: "right" });
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
    const stolen = new Map(browser.cookies);
    await browser.signOut();
    expect(await browser.session()).toBeNull();
    for (const [name, value] of stolen) browser.cookies.set(name, value);
    expect(await browser.session()).toBeNull();
    const make = () =>
      createTestAuth(createAuth, {
        plugins: [memoryStore(), storeSessions()],
        session: { strategy: "store" },
      });
    expect(await listFailures((runner) => testStrategy(make, runner))).toEqual([]);
  },

  async "store-backend"() {
    const { mapBackend } = await loadRunnable<{ mapBackend(): StoreBackend }>("store-backend");
    const { auth } = createApp([defineStore(mapBackend())]);
    expect(auth.inspect().store.backend).toMatchObject({ name: "map", atomic: true });
  },

  async adapter() {
    const { mapAdapter } = await loadRunnable<{ mapAdapter(): Adapter }>("adapter");
    const { browser, auth } = createApp([], {
      adapter: mapAdapter(),
      session: { strategy: "jwt" },
    });
    await browser.signInWith("credentials", { word: "right" });
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
    expect(auth.inspect().adapter?.methods).toContain("linkAccount");
  },

  async language() {
    const { dutchPlugin } = await loadRunnable<{ dutchPlugin(): Plugin }>("language");
    const { browser } = createApp([dutchPlugin()]);
    const init = { headers: { "accept-language": "nl-NL,en;q=0.5" } };
    const text = await (await browser.get("/auth/signin", init)).text();
    expect(text).toContain('lang="nl"');
    expect(text).toContain("Welkom");
  },

  async preset() {
    const { createAuth: create } = await loadRunnable<{
      createAuth(config: AuthConfig): Auth & {
        middleware(request: Request, next: () => Promise<Response>): Promise<Response>;
      };
    }>("preset");
    const auth = create({
      secret: "a secret for this test alone, 32 characters and more",
      trustHost: true,
      env: { NODE_ENV: "test" },
    });
    const ask = (path: string) =>
      auth.middleware(new Request(`http://localhost:3000${path}`), async () => new Response("app"));
    expect(await (await ask("/")).text()).toBe("app");
    expect(await (await ask("/auth/session")).json()).toBeNull();
    expect(auth.inspect().plugins.map(({ name }) => name)).toContain("company/headers");
    expect((await ask("/auth/session")).headers.get("x-company")).toBe("yes");
    const make = (config: AuthConfig) => {
      const { middleware } = create(config);
      const respond = async (request: Request) =>
        new Response(`app ${request.method} ${await request.text()}`);
      const fetch = (request: Request) => middleware(request, () => respond(request));
      return { origin: ORIGIN, fetch };
    };
    expect(await listFailures((runner) => testBinding(create, make, runner))).toEqual([]);
  },

  async "server-function"() {
    const { teams } = await loadRunnable<{
      teams(find: (id: string) => Promise<string>): Plugin<{
        getTeam(call: Request): Promise<string>;
      }>;
    }>("server-function");
    const app = createApp([]);
    const auth = app.auth.use(teams(async (id) => `team of ${id}`));
    await app.browser.signInWith("credentials", { word: "right" });
    const cookie = [...app.browser.cookies].map((pair) => pair.join("=")).join("; ");
    const call = new Request(`${ORIGIN}/`, { headers: { cookie } });
    expect(await auth.getTeam(call)).toBe(`team of ${ADA.id}`);
    await expect(auth.getTeam(new Request(ORIGIN))).rejects.toMatchObject({
      type: "SessionRequired",
    });
  },

  async "event-binding"() {
    const { eventBinding } = await loadRunnable<{
      eventBinding: Binding<{
        getEventSession(event: object): Promise<Session | null>;
        toRequestSource(given: object): object;
      }>;
    }>("event-binding");
    const { auth, browser } = createApp([], { session: { updateAge: 0 } });
    await browser.signInWith("credentials", { word: "right" });
    const { getEventSession, toRequestSource } = eventBinding.extend(auth);
    const calls: string[] = [];
    const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const event = {
      request: new Request(`${ORIGIN}/`, { headers: { cookie } }),
      clientAddress: "192.0.2.1",
      setCookie: (name: string) => calls.push(name),
      setHeader: (...header: string[]) => calls.push(header.join(": ")),
    };
    expect(await getEventSession(event)).toMatchObject({ user: { name: "Ada" } });
    expect(await getEventSession(event)).toMatchObject({ user: { name: "Ada" } });
    expect(calls.filter((call) => call === "authjs.session-token")).toHaveLength(1);
    expect(calls).toContain("cache-control: private, no-store");
    expect(toRequestSource(event)).toMatchObject({ req: event.request });
    expect(toRequestSource(event.request)).toBe(event.request);
  },

  async dependencies() {
    const { auditTrail } = await loadRunnable<{ auditTrail(): Plugin }>("dependencies");
    const { auth } = createApp([auditTrail()]);
    const names = auth.inspect().plugins.map(({ name }) => name);
    expect(names.indexOf("audit/clock")).toBeLessThan(names.indexOf("audit/trail"));
    const own: Plugin = { name: "own/clock", provides: ["clock"], setup() {} };
    const replaced = createApp([auditTrail(), own]).auth.inspect().plugins;
    expect(replaced.map(({ name }) => name)).not.toContain("audit/clock");
  },

  async "audit-sink"() {
    const { collectorSink } = await loadRunnable<{
      collectorSink(url: string, send: typeof fetch): AuditSink;
    }>("audit-sink");
    const bodies: unknown[] = [];
    const statuses = [200, 500];
    const log = auditLog(
      collectorSink("https://logs.example", async (_, init) => {
        bodies.push(JSON.parse(init?.body as string));
        return new Response(null, { status: statuses.shift() ?? 200 });
      }),
    );
    const app = createApp([log]);
    await app.browser.signInWith("credentials", { word: "right" });
    await log.flush();
    expect(bodies).toMatchObject([[{ event: "signIn", who: "1" }]]);
    await app.browser.signOut();
    await log.flush();
    expect(log.dropped).toBe(1);
    const reason = { message: "The collector responded with 500." };
    expect(app.log.errors).toMatchObject([{ cause: { err: reason } }]);
  },

  async order() {
    const { first, second } = await loadRunnable<{ first: Plugin; second: Plugin }>("order");
    const { taps } = createApp([second, first]).auth.inspect().hooks.response ?? { taps: [] };
    expect(taps.map(({ name }) => name)).toEqual(["zeroth", "first", "second"]);
  },

  async around() {
    const { requestLog, requestId } = await loadRunnable<{
      requestLog(write: (line: string) => void): Plugin;
      requestId: AsyncLocalStorage<string>;
    }>("around");
    const lines: string[] = [];
    const ids: (string | undefined)[] = [];
    const look: Plugin = {
      name: "look",
      setup: ({ hooks }) =>
        hooks.response.tap("look", async () => void ids.push(requestId.getStore())),
    };
    const { auth, browser } = createApp([requestLog((line) => void lines.push(line)), look]);
    await browser.get("/auth/session");
    await auth.getSession(new Request("http://localhost:3000/page"));
    expect(lines[0]).toBe(`${ids[0]} request /auth/session 200`);
    expect(lines[1]).toMatch(/^[\w-]{36} getSession \/auth\/session done$/);
  },

  async observer() {
    const { slowTaps } = await loadRunnable<{
      slowTaps(limit: number, report: (line: string) => void): Plugin;
    }>("observer");
    const lines: string[] = [];
    const slow: Plugin = {
      name: "slow",
      setup({ hooks }) {
        hooks.request.tap("sleeps", () => new Promise((resolve) => setTimeout(resolve, 30)));
        hooks.response.tap("quick", () => {});
      },
    };
    const { browser } = createApp([slowTaps(20, (line) => void lines.push(line)), slow]);
    await browser.get("/auth/session");
    expect(lines).toContain("request: sleeps (plugin slow)");
    expect(lines).not.toContain("response: quick (plugin slow)");
  },

  async wrap() {
    const { adapterTimes } = await loadRunnable<{
      adapterTimes(report: (method: string, ms: number) => void): Plugin;
    }>("wrap");
    const methods: string[] = [];
    const { auth, browser } = createApp([
      memoryStore(),
      storeAdapter(),
      adapterTimes((method, ms) => void (ms >= 0 && methods.push(method))),
    ]);
    await browser.signInWith("credentials", { word: "right" });
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
    expect(methods).toContain("createSession");
    expect(auth.inspect().wraps.adapter).toEqual(["adapter-times"]);
  },

  async "own-hook"() {
    const { teams, loudTeams } = await loadRunnable<{ teams: Plugin; loudTeams: Plugin }>(
      "own-hook",
    );
    const { auth, browser } = createApp([loudTeams, teams]);
    expect(await (await browser.get("/auth/team")).json()).toBe("ACME");
    expect(auth.inspect().hooks.teamName).toMatchObject({ kind: "waterfall", plugin: "teams" });
  },

  async "fetch-server"() {
    vi.stubEnv("AUTH_SECRET", "a secret for this test alone, 32 characters and more");
    vi.stubEnv("AUTH_GITHUB_ID", "id");
    vi.stubEnv("AUTH_GITHUB_SECRET", "secret");
    const { default: server } = await loadRunnable<{
      default: { fetch(request: Request): Promise<Response> };
    }>("fetch-server");
    const ask = async (path: string) =>
      (await server.fetch(new Request(`http://localhost:3000${path}`))).json();
    expect(await ask("/")).toEqual({ session: null });
    expect(await ask("/auth/providers")).toMatchObject({ github: { type: "oauth" } });
    vi.unstubAllEnvs();
  },

  async tenants() {
    vi.stubEnv("AUTH_SECRET", "a secret for this test alone, 32 characters and more");
    const names = ["acme", "globex"];
    const idps = names.map((name) =>
      createIdentityProvider({ issuer: `https://${name}.idp.example` }),
    );
    const { createTenantAuth } = await loadRunnable<{
      createTenantAuth(find: (host: string) => Promise<object | undefined>): Auth;
    }>("tenants");
    const users: unknown[] = [];
    const auth = createTenantAuth(async (host) => {
      const at = names.indexOf(host.split(".")[0] ?? "");
      const idp = idps[at];
      return idp && { id: names[at], name: names[at], ...idp.client, issuer: idp.issuer };
    })
      .use(memoryStore())
      .use({
        name: "test",
        setup(kernel) {
          kernel.wrap("fetch", () => (input, init) => {
            const { host } = new URL(new Request(input, init).url);
            return idps[names.indexOf(host.split(".")[0] ?? "")]?.fetch(input, init) as never;
          });
          kernel.events.hook("signIn", ({ user }) => void users.push(user.id));
        },
      });
    const [acme, globex] = names.map((name, at) =>
      createBrowser(auth.fetch, { origin: `https://${name}.example`, idp: idps[at] as never }),
    ) as [Browser, Browser];
    await acme.signInAs({ sub: "ada", name: "Ada of Acme" }, "sso");
    await globex.signInAs({ sub: "ada", name: "Ada of Globex" }, "sso");
    expect(await acme.session()).toMatchObject({ user: { name: "Ada of Acme" } });
    expect(await globex.session()).toMatchObject({ user: { name: "Ada of Globex" } });
    expect(new Set(users).size).toBe(2);
    for (const [name, value] of acme.cookies) globex.cookies.set(name, value);
    expect(await globex.session()).toBeNull();
    const unknown = await auth.fetch(new Request("https://evil.example/auth/session"));
    expect(unknown.status).toBe(400);
    vi.unstubAllEnvs();
  },

  async "tenant-sessions"() {
    const { endSessions } = await loadRunnable<{
      endSessions: Plugin<{ endSessions(call: Request, userId: string): Promise<void> }>;
    }>("tenant-sessions");
    vi.stubEnv("AUTH_SECRET", "a secret for this test alone, 32 characters and more");
    const users: string[] = [];
    const auth = createAuth((request) => ({
      trustHost: true,
      storeNamespace: new URL(request?.url ?? "").hostname,
      events: { signIn: ({ user }) => void users.push(String(user.id)) },
    }))
      .use(memoryStore())
      .use(storeAdapter())
      .use(credentialsPlugin({ credentials: { id: {} }, authorize: ({ id = "" }) => ({ id }) }))
      .use(endSessions);
    const [acme, globex] = ["acme", "globex"].map((name) =>
      createBrowser(auth.fetch, { origin: `http://${name}.localhost` }),
    ) as [Browser, Browser];
    await acme.signInWith("credentials", { id: "ada" });
    await globex.signInWith("credentials", { id: "ada" });
    const [user = ""] = users;
    await auth.endSessions(globex.request("/admin"), user);
    expect(await acme.session()).not.toBeNull();
    await auth.endSessions(acme.request("/admin"), user);
    expect(await acme.session()).toBeNull();
    expect(await globex.session()).not.toBeNull();
    vi.unstubAllEnvs();
  },

  async "express-fresh"() {
    type ExpressAuth = ReturnType<typeof createExpressAuth>;
    const { signInAgain } = await loadRunnable<{
      signInAgain(auth: ExpressAuth): ErrorRequestHandler;
    }>("express-fresh");
    using clock = createClock();
    const { auth, browser } = createTestAuth(createExpressAuth, {
      providers: [wordProvider],
      session: { absoluteMaxAge: 86_400 },
    });
    await browser.signInWith("credentials", { word: "right" });
    const app = express()
      .use(auth.handler)
      .get("/admin", async (req, res) => void res.json(await auth.requireFreshSession(req)))
      .use(signInAgain(auth))
      .use(((error, _, res, __) => void res.status(error.status).json({})) as ErrorRequestHandler);
    const server = app.listen(0);
    const { port } = server.address() as AddressInfo;
    const ask = (headers: Record<string, string>) => {
      const sent = { host: "localhost:3000", ...headers, cookie: cookieHeader(browser) };
      return new Promise<IncomingMessage>((resolve) => {
        get({ port, path: "/admin?tab=2", headers: sent }, (response) =>
          resolve(response.resume()),
        );
      });
    };
    expect((await ask({ accept: "text/html" })).statusCode).toBe(200);
    clock.advance("2 hours");
    const led = await ask({ accept: "text/html" });
    const page = new URL(led.headers.location ?? "");
    expect([led.statusCode, page.pathname]).toEqual([302, "/auth/signin"]);
    expect(page.searchParams.get("error")).toBe("FreshSessionRequired");
    expect(page.searchParams.get("callbackUrl")).toBe("http://localhost:3000/admin?tab=2");
    expect((await ask({ accept: "application/json" })).statusCode).toBe(401);
    server.close();
  },
  async "server-function-store"() {
    const { notes } = await loadRunnable<{
      notes: Plugin<{
        getNote(call: Request): Promise<string | undefined>;
        setNote(call: Request, text: string): Promise<void>;
      }>;
    }>("server-function-store");
    const app = createApp([memoryStore(), storeAdapter()]);
    const auth = app.auth.use(notes);
    await app.browser.signInWith("credentials", { word: "right" });
    const request = () => app.browser.request("/");
    expect(await auth.getNote(request())).toBeUndefined();
    await auth.setNote(request(), "milk");
    expect(await auth.getNote(request())).toBe("milk");
  },
  async bearer() {
    vi.stubEnv("AUTH_SECRET", "a secret for this test alone, 32 characters and more");
    vi.stubGlobal("findUser", (name: unknown) => (name === "ada" ? { ...ADA } : null));
    const { auth, api } = await loadRunnable<{ auth: Auth; api: Auth }>("bearer");
    const url = "http://localhost:3000/api/auth";
    const body = new URLSearchParams({ name: "ada", password: "right" });
    const signedIn = await api.fetch(
      new Request(`${url}/callback/credentials`, { method: "POST", body }),
    );
    const token = signedIn.headers.get("set-auth-token") ?? "";
    const headers = { authorization: `Bearer ${token}` };
    const read = await api.fetch(new Request(`${url}/session`, { headers }));
    expect(await read.json()).toMatchObject({ user: { name: ADA.name } });
    const page = new Request("http://localhost:3000/", { headers });
    expect(await auth.getSession(page)).toBeNull();
    vi.unstubAllGlobals();
    vi.unstubAllEnvs();
  },
  async "native-apps"() {
    const { apps } = await loadRunnable<{ apps: Plugin }>("native-apps");
    const store = memoryStore();
    const { auth, browser } = createApp([store, storeAdapter(), apps]);
    const { bearer } = await import("../plugins/security/bearer.ts");
    const api = createTestAuth(createAuth, {
      basePath: "/api/auth",
      providers: [],
      plugins: [store, storeAdapter(), bearer()],
    });
    await browser.signInWith("credentials", { word: "right" });
    const verifier = "a random text that is new for each sign-in".replaceAll(" ", "-") + "~";
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(verifier));
    const query = new URLSearchParams({
      response_type: "code",
      client_id: "ios",
      redirect_uri: "com.acme.app:/signed-in",
      code_challenge: Buffer.from(digest).toString("base64url"),
      code_challenge_method: "S256",
    });
    expect(await (await browser.get(`/auth/authorize?${query}`)).text()).toContain("Acme for iOS");
    const csrfToken = await browser.csrfToken();
    const led = await browser.post(`/auth/authorize?${query}`, { csrfToken, allow: "1" });
    const { searchParams } = new URL(led.headers.get("location") ?? "");
    const body = new URLSearchParams({
      grant_type: "authorization_code",
      client_id: "ios",
      code: searchParams.get("code") ?? "",
      redirect_uri: "com.acme.app:/signed-in",
      code_verifier: verifier,
    });
    const answer = await auth.fetch(new Request(`${ORIGIN}/auth/token`, { method: "POST", body }));
    const { access_token: token } = (await answer.json()) as { access_token: string };
    const headers = { authorization: `Bearer ${token}` };
    expect(await api.auth.getSession(new Request(`${ORIGIN}/notes`, { headers }))).toMatchObject({
      user: { name: "Ada" },
    });
  },
  async "native-apps-device"() {
    const { signIn } = await loadRunnable<{
      signIn(issuer: URL, show: (text: string) => unknown, options: object): Promise<string>;
    }>("native-apps-device");
    const { auth: plain, browser } = createApp([memoryStore(), storeAdapter()]);
    const auth = plain.use(nativeApps({ apps: { cli: { name: "Acme CLI", device: true } } }));
    await browser.signInWith("credentials", { word: "right" });
    const allow = async (text: string) => {
      const [, uri, code = ""] = /^Open (\S+) and enter (\S+)$/.exec(text) ?? [];
      expect(uri).toBe(`${ORIGIN}/auth/device`);
      const csrfToken = await browser.csrfToken();
      await browser.post("/auth/device", { csrfToken, user_code: code, allow: "1" });
    };
    const token = await signIn(new URL(`${ORIGIN}/auth`), allow, {
      [oauth.allowInsecureRequests]: true,
      [oauth.customFetch]: async (url: string, init: object) =>
        url.includes("/.well-known/")
          ? Response.json(await auth.getServerMetadata(new Request(url)))
          : auth.fetch(new Request(url, init)),
    });
    expect(token).toMatch(/^[\w.-]{36,}$/);
  },
  async "rate-limit"() {
    vi.stubEnv("AUTH_SECRET", "a secret for this test alone, 32 characters and more");
    vi.stubGlobal("findUser", (name: unknown) => (name === "ada" ? { ...ADA } : null));
    const lines: string[] = [];
    const write = (...texts: string[]) => void lines.push(texts.join(" "));
    const spies = (["warn", "error"] as const).map((name) =>
      vi.spyOn(console, name).mockImplementation(write),
    );
    const { auth } = await loadRunnable<{ auth: Auth }>("rate-limit");
    const connection = { ip: "192.0.2.1" };
    const browser = createBrowser(
      async (request) => (await auth.handle(request, connection)) as Response,
    );
    for (let time = 0; time < 6; time++)
      await browser.signInWith("credentials", { username: "eve", password: "wrong" });
    expect(lines.filter((line) => line.startsWith("credentials: "))).toHaveLength(1);
    await browser.signInWith("credentials", { username: "ada", password: "right" });
    const statuses: number[] = [];
    for (let time = 0; time < 21; time++)
      statuses.push((await browser.send("/auth/org/acme/invite")).status);
    expect(statuses.filter((status) => status === 200)).toHaveLength(20);
    expect(statuses.at(-1)).toBe(429);
    for (const spy of spies) spy.mockRestore();
    vi.unstubAllGlobals();
    vi.unstubAllEnvs();
  },

  async minimal() {
    vi.stubEnv("AUTH_SECRET", "a secret for this test alone, 32 characters and more");
    const { auth } = await loadRunnable<{ auth: Auth }>("minimal");
    const response = await auth.fetch(new Request("http://localhost:3000/auth/providers"));
    expect(await response.json()).toMatchObject({ credentials: { direct: true } });
    const plugins = auth.inspect().plugins.map(({ name }) => name);
    expect(plugins.filter((name) => /^(pages|stores)\//.test(name))).toEqual([]);
    expect(plugins).toContain("flows/credentials");
    expect(createMinimalAuth().inspect().strategy).toBe("jwt");
    vi.unstubAllEnvs();
  },
};

/** Examples that are tests. */
const tests = ["plugin-test", "provider-test", "client-test"];
for (const name of tests) {
  describe(`the tests of the example "${name}"`, async () => {
    await loadRunnable(name);
  });
}

describe("README examples", () => {
  it("the READMEs contain at least 30 TypeScript examples", () => {
    expect(examples.length).toBeGreaterThanOrEqual(30);
  });

  it.skipIf(IS_QUICK)(
    "the READMEs' examples pass the type check",
    () => {
      const files = examples.map((example, at): [string, string] => [
        toVirtualFile(example, at),
        mapImports(addAutoImports(example), getSource),
      ]);
      expect(listDiagnostics(new Map(files))).toEqual([]);
    },
    60_000,
  );

  it.skipIf(IS_QUICK)(
    "the type check of the READMEs' examples reports a type error",
    () => {
      const code = mapImports(
        'import createAuth from "keyhook";\ncreateAuth({ secret: 1 });\n',
        getSource,
      );
      expect(listDiagnostics(new Map([[`${root}playground/readme-fault.ts`, code]]))).toHaveLength(
        1,
      );
    },
    60_000,
  );

  it("plugins/README.md quotes the playground's activity log plugin verbatim", () => {
    const file = readFileSync(`${root}playground/activity-log.ts`, "utf8");
    const quoted = examples.filter(({ readme }) => readme === "plugins/README.md");
    expect(quoted.map(({ code }) => code)).toContain(
      file.replace('"../presets/index.ts"', '"keyhook"'),
    );
  });

  it("every example that is marked as runnable is run, and no other", () => {
    expect([...Object.keys(runs), ...tests].sort()).toEqual([...runnable.keys()].sort());
  });

  for (const [name, run] of Object.entries(runs))
    it(`the example "${name}" does what its README states`, run);
});

// Few rounds: these tests check the examples, not the suites.
const { mapBackend } = await loadRunnable<{ mapBackend(): StoreBackend }>("store-backend");
const backend = mapBackend();
testStore(() => backend, { describe, expect, it }, { parallel: 5, rounds: 1, largest: 1000 });

const { mapAdapter } = await loadRunnable<{ mapAdapter(): Adapter }>("adapter");
testAdapter(mapAdapter, { describe, expect, it }, { parallel: 5, rounds: 1 });

describe("activityLog() of the playground", () => {
  const lines: ActivityEntry[] = [];
  const { browser } = createApp([activityLog((entry) => lines.push(entry))]);

  it("activityLog() records sign-ins, sign-outs and failures", async () => {
    await browser.signInWith("credentials", { word: "wrong" });
    await browser.signInWith("credentials", { word: "right" });
    await browser.signOut();
    expect(lines.map(({ who, what }) => `${who} ${what}`)).toEqual([
      "somebody was stopped at /auth/callback/credentials: CredentialsSignin",
      "Ada signed in with credentials",
      "Ada signed out",
    ]);
    expect(lines.every(({ at }) => at instanceof Date)).toBe(true);
  });
});
