import { describe, expect, it } from "vitest";
import { storeAdapter } from "../../plugins/adapters/store.ts";
import { inspector, type InspectorReport } from "../../plugins/observability/inspector.ts";
import { outboxPlugin } from "../../plugins/providers/outbox.ts";
import { memoryBackend, memoryStore } from "../../plugins/stores/memory.ts";
import { databaseStrategy } from "../../plugins/strategies/database.ts";
import { definePlugin, skipCSRFCheck } from "../../src/kernel.ts";
import { type Browser, createBrowser } from "../../src/testing/testing.ts";
import {
  createTestAuth as createBase,
  LOVELACE,
  ORIGIN,
  type TestAuth,
  type TestAuthOptions,
} from "../_app.ts";

const PATH = "/auth/inspector";
const ROUTE = "/auth/inspector/signin";
const GRACE = "grace@example.com";

/** Creates an application whose server provides the address of its clients. */
function createTestAuth(options: TestAuthOptions): TestAuth {
  const app = createBase(options);
  const send = async (request: Request) =>
    (await app.auth.handle(request, { ip: "127.0.0.1" })) as Response;
  const openBrowser = () => createBrowser(send, { origin: ORIGIN });
  const browser = openBrowser();
  const getUserId: TestAuth["getUserId"] = async (from = browser) => app.getUserId(from);
  return { ...app, browser, openBrowser, getUserId };
}

const create = (options: TestAuthOptions = {}) =>
  createTestAuth({ ...options, use: [inspector(), ...(options.use ?? [])] });

const stored = (options: TestAuthOptions = {}) =>
  create({ ...options, use: [memoryStore(), storeAdapter(), ...(options.use ?? [])] });

const readReport = async (browser: Browser): Promise<InspectorReport> =>
  (await (await browser.get(`${PATH}?format=json`)).json()) as InspectorReport;

const readPage = async (browser: Browser): Promise<string> =>
  (await browser.get(PATH, { headers: { accept: "text/html" } })).text();

const signInAs = async (browser: Browser, fields: Record<string, string>): Promise<Response> =>
  browser.post(ROUTE, { ...fields, csrfToken: await browser.csrfToken() });

describe("inspector() and signing in as a user", () => {
  it("an entered address starts a session, through the hooks and events of every sign-in", async () => {
    const heard: string[] = [];
    const listening = definePlugin({
      name: "listening",
      setup({ hooks, events }) {
        hooks.signIn.tap("listening", ({ account }) => void heard.push(`hook ${account?.type}`));
        hooks.login.tap("listening", ({ outcome }) => void heard.push(`login ${outcome}`));
        events.hook("signIn", ({ user }) => void heard.push(`event ${user.email}`));
      },
    });
    const { browser } = create({ use: [listening] });
    const response = await signInAs(browser, { typed: " Grace@Example.com " });
    expect(response.status).toBe(302);
    expect(response.headers.get("location")).toBe(ORIGIN + PATH);
    expect(await browser.session()).toMatchObject({ user: { name: "grace", email: GRACE } });
    expect(heard).toEqual(["hook inspector", "login none", `event ${GRACE}`]);
  });

  it("a name also starts a session, and an invalid text starts none", async () => {
    const { browser, log } = create();
    await signInAs(browser, { typed: "Grace Hopper" });
    expect(await browser.session()).toMatchObject({ user: { name: "Grace Hopper" } });
    const stranger = create({ errors: "allowed" }).browser;
    for (const fields of [{}, { typed: " " }, { typed: "x".repeat(255) }, { chosen: "7" }]) {
      const response = await signInAs(stranger, fields);
      expect(response.headers.get("location")).toMatch(/\/auth\/inspector\?id=\d+$/);
    }
    expect(await stranger.session()).toBeNull();
    expect(log.errors).toEqual([]);
  });

  it("the stored user with the address is signed in, with the same id and unchanged data", async () => {
    for (const strategy of ["jwt", "database"]) {
      const store = memoryBackend();
      const app = create({ store, strategy, use: [databaseStrategy()] });
      const known = await app.adapter.createUser?.({
        id: "u-1",
        email: GRACE,
        name: "Rear Admiral Hopper",
        emailVerified: null,
      });
      await signInAs(app.browser, { typed: GRACE });
      expect(await app.getUserId()).toBe(known?.id);
      expect(await app.browser.session()).toMatchObject({ user: { name: "Rear Admiral Hopper" } });
      expect(await app.adapter.getUser?.(known?.id ?? "")).toMatchObject({ emailVerified: null });
    }
  });

  it("an unknown address is stored as a new user, if sessions are stored", async () => {
    const app = stored({ use: [databaseStrategy()], strategy: "database" });
    await signInAs(app.browser, { typed: GRACE });
    const first = await app.getUserId();
    const other = app.openBrowser();
    await signInAs(other, { typed: GRACE });
    expect(first).toBeTruthy();
    expect(await app.getUserId(other)).toBe(first);
  });

  it("users who have signed in are listed, even while another one is signed in", async () => {
    const app = create();
    await app.browser.signInWith("credentials", LOVELACE);
    const developer = app.openBrowser();
    await signInAs(developer, { typed: GRACE });
    const { users = [] } = await readReport(developer);
    expect(users).toEqual([
      { key: "2", name: "grace", email: "g***@***" },
      { key: "1", name: "Ada", email: "a***@***" },
    ]);
    expect(await readPage(developer)).toContain("Sign in as Ada");
    await signInAs(developer, { chosen: "1" });
    expect(await developer.session()).toMatchObject({ user: { name: "Ada" } });
  });

  it("users of the options are listed, and at most 20 are kept", async () => {
    const users = Array.from({ length: 30 }, (_, at) => ({ id: `u-${at}`, name: `User ${at}` }));
    const { browser } = createTestAuth({ use: [inspector({ users })] });
    const { users: known = [] } = await readReport(browser);
    expect(known).toHaveLength(20);
    expect(known[0]?.name).toBe("User 0");
    await signInAs(browser, { chosen: known[0]?.key ?? "" });
    expect(await browser.session()).toMatchObject({ user: { name: "User 0" } });
  });

  it("a sign-in that a hook refuses redirects to its entry in the inspector", async () => {
    const { browser, log } = create({ callbacks: { signIn: () => false } });
    const response = await signInAs(browser, { typed: GRACE });
    log.expectErrors("AccessDenied");
    expect(await browser.session()).toBeNull();
    const page = await (
      await browser.get(response.headers.get("location") ?? "", {
        headers: { accept: "text/html" },
      })
    ).text();
    expect(page).toContain("Error: AccessDenied");
  });

  it("a request without the CSRF token, or from another origin, starts no session", async () => {
    const { browser, log } = create();
    await browser.post(ROUTE, { typed: GRACE });
    const csrfToken = await browser.csrfToken();
    await browser.post(
      ROUTE,
      { typed: GRACE, csrfToken },
      { headers: { origin: "http://localhost:4000" } },
    );
    await browser.post(
      ROUTE,
      { typed: GRACE, csrfToken },
      { headers: { "sec-fetch-site": "cross-site" } },
    );
    log.expectErrors("MissingCSRF", "MissingCSRF", "MissingCSRF");
    expect(await browser.session()).toBeNull();
    const response = await browser.get(ROUTE);
    expect(response.status).toBe(405);
  });

  it("there is no route if the CSRF check is off", async () => {
    const { browser, auth } = create({ skipCSRFCheck });
    expect(auth.inspect().routes.map(({ path }) => path)).not.toContain("/inspector/signin");
    expect((await browser.post(ROUTE, { typed: GRACE })).status).toBe(404);
    expect((await readReport(browser)).users).toBeUndefined();
  });

  it.each([
    ["another host", "http://app.example", {}],
    ["a proxy", ORIGIN, { "x-forwarded-for": "203.0.113.7" }],
  ])("%s gets 404", async (_, origin, headers) => {
    const { auth, browser } = create({ trustHost: true });
    const csrfToken = await browser.csrfToken();
    const cookie = [...browser.cookies].map((pair) => pair.join("=")).join("; ");
    const response = await auth.fetch(
      new Request(origin + ROUTE, {
        method: "POST",
        headers: { "x-csrf-token": csrfToken, cookie, ...headers },
        body: new URLSearchParams({ typed: GRACE }),
      }),
    );
    expect(response.status).toBe(404);
    expect(response.headers.getSetCookie().join()).not.toContain("session-token");
  });

  it.each([
    ["without the client's address, which headers cannot set", {}, {}],
    [
      "without the client's address, whatever a proxy sends",
      {},
      { "x-forwarded-for": "127.0.0.1" },
    ],
    ["with the address of another machine", { ip: "192.168.1.5" }, {}],
  ])("a request %s gets 404", async (_, connection, headers) => {
    const { auth, browser } = create({ trustHost: true });
    const csrfToken = await browser.csrfToken();
    const cookie = [...browser.cookies].map((pair) => pair.join("=")).join("; ");
    const request = new Request(ORIGIN + ROUTE, {
      method: "POST",
      headers: { "x-csrf-token": csrfToken, cookie, ...headers },
      body: new URLSearchParams({ typed: GRACE }),
    });
    const response = await auth.handle(request, connection);
    expect(response?.status).toBe(404);
    expect(response?.headers.getSetCookie().join()).not.toContain("session-token");
  });

  it("without the client's address, the page offers neither sign-in nor outbox, and explains what is missing", async () => {
    const app = createBase({
      use: [memoryStore(), storeAdapter(), inspector(), outboxPlugin()],
    });
    await app.browser.signIn("outbox", { email: GRACE });
    const report = await readReport(app.browser);
    expect([report.users, report.outbox]).toEqual([undefined, undefined]);
    expect(report.decisions.hasClientAddress).toBe(false);
    const page = await readPage(app.browser);
    expect(/name="typed"|Follow the link|grace@/.test(page)).toBe(false);
    expect(page.includes("auth.handle(request, { ip })")).toBe(true);
  });

  it("production has neither the route nor the flow", async () => {
    const { auth } = create({ env: { NODE_ENV: "production", AUTH_URL: ORIGIN } });
    const inspection = auth.inspect();
    expect(JSON.stringify(inspection.routes)).not.toContain("inspector");
    const response = await auth.fetch(
      new Request(ORIGIN + ROUTE, { method: "POST", body: new URLSearchParams({ typed: GRACE }) }),
    );
    expect(response.status).toBe(404);
  });

  it("the provider list and the sign-in page do not offer it", async () => {
    const { browser, log } = create();
    expect(await (await browser.get("/auth/providers")).text()).not.toContain("inspector");
    const page = await browser.get("/auth/signin", { headers: { accept: "text/html" } });
    expect(await page.text()).not.toContain("inspector");
    await browser.get("/auth/callback/inspector");
    log.expectErrors("InvalidProvider");
  });

  it("only the own origin may frame the inspector, and no other page can be framed", async () => {
    const { browser } = create();
    const shown = await browser.get(PATH, { headers: { accept: "text/html" } });
    expect(shown.headers.get("content-security-policy")).toContain("frame-ancestors 'self'");
    expect(shown.headers.get("x-frame-options")).toBeNull();
    const signin = await browser.get("/auth/signin", { headers: { accept: "text/html" } });
    expect(signin.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(signin.headers.get("x-frame-options")).toBe("DENY");
  });
});

describe("outboxPlugin()", () => {
  const ask = (browser: Browser, email = GRACE) => browser.signIn("outbox", { email });

  it("an e-mail is shown by the inspector, and its link signs in", async () => {
    const { browser } = stored({ use: [outboxPlugin()] });
    expect((await readReport(browser)).outbox).toEqual([]);
    await ask(browser);
    const { outbox: [mail] = [] } = await readReport(browser);
    expect(mail).toMatchObject({ to: GRACE, at: expect.stringMatching(/^\d{4}-/) as string });
    const page = await readPage(browser);
    expect(page).toContain(`${GRACE}: ${mail?.subject}`);
    expect(page).toMatch(/target="_blank" rel="noopener">Follow the link/);
    const { pathname, search } = new URL(mail?.url ?? "");
    await browser.get(pathname + search);
    expect(await browser.session()).toMatchObject({ user: { email: GRACE } });
  });

  it("the last 20 e-mails are kept, newest first", async () => {
    const { browser, openBrowser } = stored({ use: [outboxPlugin()] });
    for (let at = 0; at < 22; at++) await ask(openBrowser(), `user-${at}@example.com`);
    const { outbox = [] } = await readReport(browser);
    expect(outbox).toHaveLength(20);
    expect(outbox[0]?.to).toBe("user-21@example.com");
  });

  it("options replace the id and the name", async () => {
    const { browser } = stored({ use: [outboxPlugin({ id: "mail", name: "E-mail", maxAge: 60 })] });
    const list = (await (await browser.get("/auth/providers")).json()) as object;
    expect(list).toMatchObject({ mail: { name: "E-mail", type: "email" } });
    await browser.signIn("mail", { email: GRACE });
    expect((await readReport(browser)).outbox).toHaveLength(1);
  });

  it("production refuses to boot with it, and explains the fix", () => {
    const { auth, log } = stored({
      env: { NODE_ENV: "production", AUTH_URL: ORIGIN },
      errors: "allowed",
      use: [outboxPlugin()],
    });
    expect(() => auth.inspect()).toThrow(/does not send them.*resendPlugin/s);
    expect(log.errors).toBeDefined();
  });

  it("without it the inspector has no outbox", async () => {
    const { browser } = create();
    expect((await readReport(browser)).outbox).toBeUndefined();
    expect(await readPage(browser)).not.toContain("Outbox");
  });
});
