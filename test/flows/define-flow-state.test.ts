import { describe, expect, it } from "vitest";
import { storeAdapter } from "../../plugins/adapters/store.ts";
import { pageRenderer } from "../../plugins/pages/renderer.ts";
import { memoryStore } from "../../plugins/stores/memory.ts";
import { databaseStrategy } from "../../plugins/strategies/database.ts";
import { defineFlow, definePlugin, type Plugin, type ProviderBase } from "../../src/kernel.ts";
import type { Browser } from "../../src/testing.ts";
import { createTestAuth, locationOf, queryOf } from "../_app.ts";
import { postedPlugin } from "./_posted-flow.ts";

interface SsoProvider extends ProviderBase {
  type: "sso";
}

/** Two providers of a type that redirects to another site, which returns `state` and `user`. */
function ssoPlugin(): Plugin {
  const flow = defineFlow<SsoProvider>(
    "sso",
    {
      methods: ["GET"],
      state: "state",
      page: (_, { value }) => ({
        title: "Scan",
        blocks: [{ kind: "text", text: `It is ${value}.` }],
      }),
      start: (ctx, { value }) => ctx.redirect(`https://sso.example/?state=${value}`),
      finish({ url }) {
        const user = url.searchParams.get("user") ?? "";
        return { user: { name: user }, account: { providerAccountId: user } };
      },
    },
    { plugins: [pageRenderer()] },
  );
  return definePlugin({
    name: "sso",
    plugins: [flow()],
    setup(kernel) {
      for (const id of ["one", "two"]) kernel.addProvider({ id, name: id, type: "sso" });
    },
  });
}

const createApp = () => createTestAuth({ use: [ssoPlugin()], providers: [] });

async function start(browser: Browser, provider = "one", fields = {}): Promise<string> {
  const { state = "" } = queryOf(await browser.signIn(provider, fields));
  return state;
}

const comeBack = (browser: Browser, state: string, provider = "one") =>
  browser.get(`/auth/callback/${provider}?state=${state}&user=ada`);

const listAttempts = ({ cookies }: Browser) =>
  [...cookies.keys()].filter((name) => name.includes("-attempt"));

describe("attempts of defineFlow() with `state`", () => {
  it("two attempts in one browser both complete, each with its own target", async () => {
    const { browser } = createApp();
    const first = await start(browser, "one", { callbackUrl: "/first" });
    const second = await start(browser, "one", { callbackUrl: "/second" });
    expect(locationOf(await comeBack(browser, first))).toBe("/first");
    expect(locationOf(await comeBack(browser, second))).toBe("/second");
    expect(listAttempts(browser)).toEqual([]);
  });

  it("attempts of two providers both complete, each only at its own callback", async () => {
    const { browser, log } = createApp();
    const [one, two] = [await start(browser, "one"), await start(browser, "two")];
    expect(queryOf(await comeBack(browser, one, "two"))).toEqual({ error: "InvalidCheck" });
    for (const [state, provider] of [
      [one, "one"],
      [two, "two"],
    ] as const) {
      expect(locationOf(await comeBack(browser, state, provider))).toBe("/");
    }
    log.expectErrors("InvalidCheck");
  });

  it("a callback without an attempt is refused, and ends no attempt", async () => {
    const { browser, openBrowser, log } = createApp();
    const state = await start(browser);
    const others = ["", "x", state.slice(1), await start(openBrowser())];
    for (const other of others) {
      expect(queryOf(await comeBack(browser, other))).toEqual({ error: "InvalidCheck" });
    }
    expect(queryOf(await browser.get("/auth/callback/one?user=ada"))).toEqual({
      error: "InvalidCheck",
    });
    log.expectErrors(...Array.from({ length: 5 }, () => "InvalidCheck"));
    expect(locationOf(await comeBack(browser, state))).toBe("/");
  });

  it("swapped cookies of two attempts complete neither", async () => {
    const { browser, log } = createApp();
    const states = [await start(browser), await start(browser)];
    const [one = "", other = ""] = listAttempts(browser);
    const [first = "", second = ""] = [one, other].map((name) => browser.cookies.get(name));
    browser.cookies.set(one, second).set(other, first);
    for (const state of states) {
      expect(queryOf(await comeBack(browser, state))).toEqual({ error: "InvalidCheck" });
    }
    log.expectErrors("InvalidCheck", "InvalidCheck");
  });

  it("each attempt completes once, even in a copy of the browser", async () => {
    const { browser, log } = createApp();
    const state = await start(browser);
    const copy = new Map(browser.cookies);
    await comeBack(browser, state);
    for (const [name, value] of copy) browser.cookies.set(name, value);
    expect(queryOf(await comeBack(browser, state))).toEqual({ error: "InvalidCheck" });
    log.expectErrors("InvalidCheck");
  });

  it("a browser has at most four attempts, and a fifth replaces the oldest", async () => {
    const { browser, log } = createApp();
    const states: string[] = [];
    for (let at = 0; at < 5; at++) states.push(await start(browser));
    expect(listAttempts(browser)).toHaveLength(4);
    const [oldest = "", ...others] = states;
    expect(queryOf(await comeBack(browser, oldest))).toEqual({ error: "InvalidCheck" });
    for (const state of others) expect(locationOf(await comeBack(browser, state))).toBe("/");
    log.expectErrors("InvalidCheck");
  });

  it("with long targets, a browser has fewer attempts, so that its cookies fit into the headers", async () => {
    const { browser } = createApp();
    let newest = "";
    for (let at = 0; at < 4; at++) {
      newest = await start(browser, "one", { callbackUrl: `/${"x".repeat(1000)}` });
    }
    const sent = [...browser.cookies].map((cookie) => cookie.join("=")).join("; ");
    expect(sent.length).toBeLessThan(8192);
    expect(locationOf(await comeBack(browser, newest))).toContain("/xxx");
  });

  it("the page belongs to the newest attempt with its provider", async () => {
    const { browser } = createApp();
    await start(browser);
    const newest = await start(browser);
    await start(browser, "two");
    expect(await (await browser.get("/auth/sso/one")).text()).toContain(`It is ${newest}.`);
  });

  it("a response that another site posts links the account while another attempt is in progress", async () => {
    const plugins = [postedPlugin("RelayState"), databaseStrategy(), memoryStore(), storeAdapter()];
    const { browser, auth, getUserId } = createTestAuth({ use: plugins, providers: [] });
    const begin = async (fields = {}) =>
      queryOf(await browser.signIn("sso", fields)).RelayState ?? "";
    const post = (RelayState: string, user: string) =>
      browser.postFrom("https://sso.example", "/auth/callback/sso", { RelayState, user });
    await post(await begin(), "ada");
    const userId = await getUserId();
    const [linking, other] = [await begin({ link: "true" }), await begin()];
    const response = await browser.follow(await post(linking, "ada2"), 1);
    expect([locationOf(response), await getUserId()]).toEqual(["/", userId]);
    const { listAccountsByUserId } = await auth.getAdapter();
    const accounts = await listAccountsByUserId?.(String(userId));
    expect(accounts?.map(({ providerAccountId }) => providerAccountId).sort()).toEqual([
      "ada",
      "ada2",
    ]);
    expect(locationOf(await post(other, "ada"))).toBe("/");
  });
});
