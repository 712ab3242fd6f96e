import { describe, expect, it } from "vitest";
import { germanPlugin } from "../../plugins/languages/de.ts";
import { memoryBackend, memoryStore } from "../../plugins/stores/memory.ts";
import { databaseStrategy } from "../../plugins/strategies/database.ts";
import type { FlowDefinition, Identity, ProviderBase } from "../../src/kernel.ts";
import { createTestAuth, listBootFaults, locationOf, queryOf } from "../_app.ts";
import { codePlugin } from "./_code-flow.ts";

const PAGE = "/auth/code/code";

type Changes = Partial<FlowDefinition<ProviderBase & { type: "code" }>>;

function createApp(changes: Changes = {}) {
  return createTestAuth({
    store: memoryBackend(),
    use: [codePlugin(changes), germanPlugin(), databaseStrategy(), memoryStore()],
    providers: [],
  });
}

describe("the tries of an attempt of defineFlow()", () => {
  it("a wrong code leads back to the page, which shows the error in the visitor's language", async () => {
    const { browser } = createApp();
    await browser.signIn("code");
    const refused = await browser.signInWith("code", { code: "wrong" });
    expect(locationOf(refused)).toBe(`${PAGE}?error=WrongCode`);
    const headers = { "accept-language": "de" };
    const page = await (await browser.get(`${PAGE}?error=WrongCode`, { headers })).text();
    expect(page).toContain("Falscher Code.");
    expect(page).toContain('name="code"');
  });

  it("the correct code after two wrong ones signs in, and redirects to the target of the start", async () => {
    const { browser } = createApp();
    await browser.signIn("code", { callbackUrl: "/inbox" });
    for (const code of ["wrong", "wrong", "right"]) {
      const response = await browser.signInWith("code", { code });
      expect(locationOf(response)).toBe(code === "right" ? "/inbox" : `${PAGE}?error=WrongCode`);
    }
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
    expect([...browser.cookies.keys()]).not.toContain("keyhook.code-attempt");
  });

  it("after the last try the error leads to the sign-in page, and the correct code is refused", async () => {
    const { browser, log } = createApp();
    await browser.signIn("code");
    const copied = browser.cookies.get("keyhook.code-attempt") ?? "";
    const answers = ["wrong", "wrong", "wrong"].map((code) => browser.signInWith("code", { code }));
    const places = (await Promise.all(answers)).map((one) => locationOf(one));
    expect(places.filter((place) => place === "/auth/signin?error=WrongCode")).toHaveLength(1);
    browser.cookies.set("keyhook.code-attempt", copied);
    const late = await browser.signInWith("code", { code: "right" });
    expect(queryOf(late)).toEqual({ error: "InvalidCheck" });
    expect(await browser.session()).toBeNull();
    log.expectErrors("InvalidCheck");
  });

  it("of two correct codes at once, and a copied cookie after them, one signs in", async () => {
    const { browser, openBrowser, log } = createApp();
    await browser.signIn("code");
    const thief = openBrowser();
    for (const [cookie, value] of browser.cookies) thief.cookies.set(cookie, value);
    const right = { code: "right" };
    const answers = await Promise.all([
      browser.signInWith("code", right),
      browser.signInWith("code", right),
    ]);
    expect(answers.map((one) => queryOf(one).error).filter(Boolean)).toEqual(["InvalidCheck"]);
    expect(queryOf(await thief.signInWith("code", right))).toEqual({ error: "InvalidCheck" });
    expect(await thief.session()).toBeNull();
    log.expectErrors("InvalidCheck", "InvalidCheck");
  });

  it("finish is not called for a copied cookie of an attempt that has signed in", async () => {
    let calls = 0;
    const finish = (): Identity => {
      calls += 1;
      return { user: { name: "Ada" }, account: { providerAccountId: "1" } };
    };
    const { browser, log } = createApp({ finish });
    await browser.signIn("code");
    const copied = browser.cookies.get("keyhook.code-attempt") ?? "";
    await browser.signInWith("code", {});
    browser.cookies.set("keyhook.code-attempt", copied);
    expect(queryOf(await browser.signInWith("code", {}))).toEqual({ error: "InvalidCheck" });
    expect(calls).toBe(1);
    log.expectErrors("InvalidCheck");
  });

  it("an error that is not public leads to the error page, and the attempt continues", async () => {
    const { browser, log } = createApp();
    await browser.signIn("code");
    const failed = await browser.signInWith("code", { code: "broken" });
    expect(locationOf(failed)).toBe("/auth/error?error=Configuration");
    await browser.signInWith("code", { code: "right" });
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
    log.expectErrors("CallbackRouteError");
  });

  it("an attempt has one try if the definition sets nothing", async () => {
    const { browser, log } = createApp({ tries: 1 });
    await browser.signIn("code");
    const refused = await browser.signInWith("code", { code: "wrong" });
    expect(locationOf(refused)).toBe("/auth/signin?error=WrongCode");
    const again = await browser.signInWith("code", { code: "right" });
    expect(queryOf(again)).toEqual({ error: "InvalidCheck" });
    log.expectErrors("InvalidCheck");
  });

  it("a message that the page already has is kept", async () => {
    const message = { tone: "info", text: "We sent it." } as const;
    const page = () => ({ title: "Code", message, blocks: [] });
    const { browser } = createApp({ page });
    await browser.signIn("code");
    const shown = await (await browser.get(`${PAGE}?error=WrongCode`)).text();
    expect(shown).toContain("We sent it.");
    expect(shown).not.toContain("Wrong code.");
  });

  it("a Response of finish is sent unchanged, and ends the attempt", async () => {
    const { browser, log } = createApp({ finish: () => new Response("Ask an administrator.") });
    await browser.signIn("code");
    const response = await browser.signInWith("code", {});
    expect(await response.text()).toBe("Ask an administrator.");
    expect(queryOf(await browser.signInWith("code", {}))).toEqual({ error: "InvalidCheck" });
    log.expectErrors("InvalidCheck");
  });
});

describe("what defineFlow() refuses at boot", () => {
  const finish = (): Identity => ({ user: {}, account: { providerAccountId: "1" } });

  it.each<[string, object, string]>([
    ["no number of tries", { tries: 0 }, 'The flow "code" needs `tries` from 1 to 20.'],
    ["too many tries", { tries: 21 }, 'The flow "code" needs `tries` from 1 to 20.'],
    [
      "tries without a page",
      { page: undefined, start: () => new Response() },
      'The flow "code" has `tries` and no `page` to try again on. Add it.',
    ],
    [
      "a misspelled field, also where another one is missing for it",
      { page: undefined, strat: () => new Response() },
      'The flow "code" has the field "strat", which does not exist. Did you mean "start"?',
    ],
  ])("%s is a fault that names the flow", (_, changes, fault) => {
    expect(listBootFaults(createApp({ finish, ...changes }))).toContain(fault);
  });
});
