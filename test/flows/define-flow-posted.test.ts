import { describe, expect, it } from "vitest";
import { memoryBackend, memoryStore } from "../../plugins/stores/memory.ts";
import { databaseStrategy } from "../../plugins/strategies/database.ts";
import type { Adapter } from "../../src/kernel.ts";
import type { Browser } from "../../src/testing.ts";
import { createTestAuth, locationOf, queryOf, type TestAuthOptions } from "../_app.ts";
import { postedPlugin } from "./_posted-flow.ts";

function createApp(options: TestAuthOptions = {}) {
  return createTestAuth({
    store: memoryBackend(),
    use: [postedPlugin(), databaseStrategy(), memoryStore()],
    providers: [],
    ...options,
  });
}

async function start(browser: Browser, fields: Record<string, string> = {}): Promise<string> {
  const response = await browser.signIn("sso", fields);
  return queryOf(response).RelayState ?? "";
}

/** Posts a response from the identity provider's site, as browsers do: without `SameSite=Lax` cookies. */
function comeBack(browser: Browser, fields: Record<string, string>): Promise<Response> {
  return browser.postFrom("https://sso.example", "/auth/callback/sso", fields);
}

async function signIn(browser: Browser, user: string): Promise<Response> {
  return comeBack(browser, { RelayState: await start(browser), user });
}

const listAccounts = async (adapter: Adapter, userId: unknown) =>
  (await adapter.listAccountsByUserId?.(String(userId)))?.map((one) => one.providerAccountId);

describe("a callback of defineFlow() that another site posts", () => {
  it("signs in, and redirects to the target of the start", async () => {
    const { browser } = createApp();
    const RelayState = await start(browser, { callbackUrl: "/inbox" });
    expect(locationOf(await comeBack(browser, { RelayState, user: "ada" }))).toBe("/inbox");
    expect(await browser.session()).toMatchObject({ user: { name: "ada" } });
  });

  it.each([0, 40_000])("links the account, with a response of %i characters", async (length) => {
    const { browser, adapter, getUserId } = createApp();
    await signIn(browser, "ada");
    const userId = await getUserId();
    const RelayState = await start(browser, { link: "true" });
    const padding = "x".repeat(length);
    const deferred = await comeBack(browser, { RelayState, user: "ada2", padding });
    expect(locationOf(deferred)).toBe("/auth/callback/sso");
    const response = await browser.follow(deferred, 1);
    expect(response.headers.get("location")).not.toContain("error");
    expect(await getUserId()).toBe(userId);
    expect((await listAccounts(adapter, userId))?.sort()).toEqual(["ada", "ada2"]);
  });

  it("links the account without a store, in the process that has the response", async () => {
    const { browser, adapter, getUserId } = createApp({
      use: [postedPlugin(), databaseStrategy()],
    });
    await signIn(browser, "ada");
    const RelayState = await start(browser, { link: "true" });
    await browser.follow(await comeBack(browser, { RelayState, user: "ada2" }), 1);
    expect(await listAccounts(adapter, await getUserId())).toHaveLength(2);
  });

  it("links nothing if the browser has lost its session in the meantime", async () => {
    const { browser, log } = createApp();
    await signIn(browser, "ada");
    const RelayState = await start(browser, { link: "true" });
    browser.cookies.delete("authjs.session-token");
    const deferred = await comeBack(browser, { RelayState, user: "ada2" });
    const response = await browser.follow(deferred, 1);
    expect(queryOf(response).error).toBe("SessionRequired");
    expect(await browser.session()).toBeNull();
    log.ignoreErrors();
  });

  it("a kept response is used once, and only by the browser that began", async () => {
    const { browser, openBrowser, adapter, getUserId, log } = createApp();
    await signIn(browser, "ada");
    const userId = await getUserId();
    const RelayState = await start(browser, { link: "true" });
    await comeBack(browser, { RelayState, user: "ada2" });
    const stranger = openBrowser();
    expect(queryOf(await stranger.get("/auth/callback/sso"))).toEqual({ error: "InvalidCheck" });
    await browser.get("/auth/callback/sso");
    expect(queryOf(await browser.get("/auth/callback/sso"))).toEqual({ error: "InvalidCheck" });
    expect(await listAccounts(adapter, userId)).toHaveLength(2);
    log.expectErrors("InvalidCheck", "InvalidCheck");
  });

  it("a GET without a posted response is refused if the flow accepts only POST", async () => {
    const { browser, log } = createApp();
    await signIn(browser, "ada");
    for (const link of ["", "true"]) {
      await start(browser, link ? { link } : {});
      expect(queryOf(await browser.get("/auth/callback/sso"))).toEqual({ error: "Configuration" });
    }
    log.expectErrors("InvalidProvider", "InvalidProvider");
  });
});
