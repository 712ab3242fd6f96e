import { describe, expect, it } from "vitest";
import { homePlugin } from "../../plugins/bindings/_home.ts";
import { arabicPlugin } from "../../plugins/languages/ar.ts";
import type { AccountPageData } from "../../plugins/pages/account.ts";
import Bluesky from "../../plugins/providers/bluesky.ts";
import { rateLimit } from "../../plugins/security/rate-limit.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { definePlugin, standardPreset } from "../../presets/index.ts";
import { createAuthClient } from "../../src/client.ts";
import { createAuthWith } from "../../src/kernel.ts";
import { type Browser, createClock, createIdentityProvider } from "../../src/testing/testing.ts";
import type { Adapter, AdapterUser } from "../../src/types.ts";
import { createTestAuth, ORIGIN, type TestAuthOptions, unservedOAuth } from "../_app.ts";
import { adapterOn } from "../adapters/_namespace.ts";
import { toFetch } from "../client/_page.ts";
import { all, type Markup, only, parse } from "./_parse.ts";

const ADA = "ada@example.com";

interface AccountApp {
  adapter: Required<Adapter>;
  ada: AdapterUser;
  browser: Browser;
  /** Signs Ada in again in another browser. */
  signIn(): Promise<Browser>;
  page(path?: string, init?: RequestInit): Promise<Markup & { response: Response; html: string }>;
  change(fields: Record<string, string>): Promise<string | null>;
}

/** Signs Ada in by an e-mail link, with a linked GitHub account. */
async function createAccountApp(options: TestAuthOptions = {}): Promise<AccountApp> {
  const adapter = adapterOn(memoryBackend()) as Required<Adapter>;
  const app = createTestAuth({
    errors: "allowed",
    preset: standardPreset,
    providers: [unservedOAuth("github", "GitHub"), unservedOAuth("google", "Google")],
    mail: {},
    use: [rateLimit(false)],
    ...options,
    adapter,
  });
  const signIn = async () => {
    const browser = app.openBrowser();
    await app.requestLink(ADA, browser);
    await app.followLink(browser);
    return browser;
  };
  const browser = await signIn();
  const ada = (await adapter.getUserByEmail(ADA))!;
  const account = { userId: ada.id, provider: "github", providerAccountId: "1" };
  await adapter.linkAccount({ ...account, type: "oauth" });
  return {
    adapter,
    ada,
    browser,
    signIn,
    async page(path = "/auth/account", init) {
      const response = await browser.get(path, init);
      const html = await response.text();
      return { response, html, ...parse(html) };
    },
    async change(fields) {
      const csrfToken = await browser.csrfToken();
      const response = await browser.post("/auth/account", { csrfToken, ...fields });
      return response.headers.get("location");
    },
  };
}

const listHiddenValues = (markup: Markup, name: string) =>
  all(markup, "input")
    .filter((input) => input.name === name)
    .map(({ value }) => value);

describe("account page", () => {
  it("GET and POST /account redirect to the sign-in page without a session, with /account as callback URL", async () => {
    const { browser } = createTestAuth({ preset: standardPreset, providers: [] });
    for (const response of [
      await browser.get("/auth/account"),
      await browser.post("/auth/account", {
        csrfToken: await browser.csrfToken(),
        sessions: "others",
      }),
    ]) {
      const target = new URL(response.headers.get("location")!);
      expect(target.pathname).toBe("/auth/signin");
      expect(target.searchParams.get("callbackUrl")).toBe(`${ORIGIN}/auth/account`);
    }
  });

  it("GET /account redirects to pages.signIn without a session", async () => {
    const { browser } = createTestAuth({
      preset: standardPreset,
      providers: [],
      pages: { signIn: "/login?x=1" },
    });
    const response = await browser.get("/auth/account");
    expect(response.headers.get("location")).toMatch(
      /^http:\/\/localhost:3000\/login\?x=1&callback/,
    );
  });

  it("the account page shows the user, the sign-in methods and the sessions", async () => {
    const { page } = await createAccountApp();
    const markup = await page();
    expect(markup.response.headers.get("cache-control")).toBe("private, no-store");
    const texts = ["Your account", ADA, "GitHub", "Email link", "This browser", "Sign out"];
    for (const text of texts) expect(markup.texts).toContain(text);
    expect(all(markup, "section").map((one) => one["data-section"])).toEqual([
      "accounts",
      "sessions",
    ]);
    // Without the role, Safari does not announce a list without markers to screen readers.
    expect(all(markup, "ul").map(({ role }) => role)).toEqual(["list", "list"]);
    expect(markup.html).not.toContain("<script");
    const today = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeZone: "UTC" });
    expect(markup.texts.join()).toContain(`Signed in on ${today.format(new Date())}`);
    // A sign-out does not redirect back to this page.
    expect(listHiddenValues(markup, "callbackUrl")).toContain(ORIGIN);
  });

  it("a deleted user is redirected to the sign-in page, even while the session's token is valid", async () => {
    const app = await createAccountApp({ session: { strategy: "jwt" } });
    const { adapter, ada, browser, change } = app;
    await adapter.deleteUser(ada.id);
    const response = await browser.get("/auth/account");
    expect(response.headers.get("location")).toContain("/auth/signin?");
    expect(await change({ sessions: "others" })).toContain("/auth/signin?");
  });

  it("the account page links to the start page of an application below a path", async () => {
    const { page } = await createAccountApp({ use: [rateLimit(false), homePlugin("/app")] });
    const markup = await page();
    expect(all(markup, "a").map(({ href }) => href)).toContain(`${ORIGIN}/app`);
    expect(all(markup, "a").map(({ href }) => href)).not.toContain(ORIGIN);
  });

  it("the account page shows no images of other origins", async () => {
    const { adapter, ada, page } = await createAccountApp();
    const renderAvatar = async (image: string) => {
      await adapter.updateUser({ id: ada.id, image, name: "Ådne" });
      const markup = await page();
      const initials = all(markup, "span").map((span) => span["data-initial"]);
      return [all(markup, "img").map(({ src }) => src), initials.includes("Å")];
    };
    expect(await renderAvatar("https://avatars.example/1")).toEqual([[], true]);
    expect(await renderAvatar("//avatars.example/1")).toEqual([[], true]);
    expect(await renderAvatar("/ada.png")).toEqual([["/ada.png"], false]);
  });

  it("the account page offers to link providers that are not linked", async () => {
    const { page, browser } = await createAccountApp();
    const markup = await page();
    const [button] = all(markup, "button").filter(({ formaction }) => formaction);
    expect(button?.formaction).toBe(`${ORIGIN}/auth/signin/google`);
    expect(listHiddenValues(markup, "link")).toEqual(["true"]);
    expect(listHiddenValues(markup, "callbackUrl")).toContain(`${ORIGIN}/auth/account?done`);
    const started = await browser.signIn("google", { link: "true" });
    expect(started.headers.get("location")).toMatch(/^https:\/\/idp\.example/);
  });

  it("a provider whose flow has fields is connected by its form, and others by small buttons", async () => {
    const { page } = await createAccountApp({
      providers: [unservedOAuth("google", "Google"), Bluesky({})],
    });
    const markup = await page();
    const { id } = all(markup, "input").find(({ name }) => name === "handle") ?? {};
    expect(all(markup, "label").map((label) => label.for)).toContain(id);
    expect(markup.html).toContain("Connect Bluesky</summary>");
    expect(markup.html).toContain('aria-label="Connect Google"');
    expect(listHiddenValues(markup, "link")).toEqual(["true", "true"]);
  });

  it("an account that was connected on the account page is listed there, with a success message", async () => {
    const idp = createIdentityProvider();
    const { page, browser } = await createAccountApp({ idp, providers: [idp.provider()] });
    const [button] = all(await page(), "button").filter(({ formaction }) => formaction);
    expect(button?.formaction).toBe(`${ORIGIN}/auth/signin/${idp.provider().id}`);
    const callbackUrl = `${ORIGIN}/auth/account?done`;
    const started = await browser.signIn(idp.provider().id, { link: "true", callbackUrl });
    const eve = { sub: "eve", name: "Eve", email: "eve@example.com", email_verified: true };
    const { url } = await idp.authorize(started.headers.get("location") ?? "", eve);
    const back = (await browser.get(url)).headers.get("location") ?? "";
    expect(back).toBe(callbackUrl);
    const { texts } = await page(new URL(back).pathname + new URL(back).search);
    expect(texts).toContain("Changes saved");
  });

  it("POST /account ends one session and leaves the others", async () => {
    const { page, signIn, change, browser } = await createAccountApp();
    const [second, third] = [await signIn(), await signIn()];
    const ids = listHiddenValues(await page(), "session");
    expect(ids).toHaveLength(2);
    expect(await change({ session: ids[0]! })).toBe(`${ORIGIN}/auth/account?done`);
    expect((await page("/auth/account?done")).texts).toContain("Changes saved");
    const left = [await browser.session(), await second.session(), await third.session()];
    expect(left.filter(Boolean)).toHaveLength(2);
    expect(left[0]).not.toBe(null);
  });

  it("each session shows its stored description, escaped, and a session without one is called a session", async () => {
    const { ada, adapter, browser, page } = await createAccountApp();
    const expires = new Date(Date.now() + 3_600_000);
    const hostile = `<img src=x onerror=alert(1)> ${"x".repeat(200)}`;
    for (const description of ["Firefox, Windows", hostile, undefined, ""]) {
      const session = { sessionToken: crypto.randomUUID(), userId: ada.id, expires };
      await adapter.createSession(session, description === undefined ? {} : { description });
    }
    const markup = await page();
    expect(all(markup, "img")).toEqual([]);
    expect(markup.texts).toContain("Firefox, Windows");
    expect(markup.texts).toContain(hostile.slice(0, 100));
    expect(markup.texts.filter((text) => text === "Session")).toHaveLength(3);
    const names = all(markup, "button").map((button) => button["aria-label"]);
    expect(names).toContainEqual(
      expect.stringMatching(/^Sign out of the session from .* UTC \(Firefox, Windows\)$/),
    );
    expect(names).toContainEqual(expect.stringMatching(/^Sign out of the session from .* UTC$/));
    const json = await browser.get("/auth/account", { headers: { accept: "application/json" } });
    const { data } = (await json.json()) as AccountPageData;
    expect(data.sessions.map(({ description }) => description)).toEqual([
      null,
      null,
      null,
      hostile.slice(0, 100),
      "Firefox, Windows",
    ]);
  });

  it("the sessions of phones and tablets have a different icon from those of computers", async () => {
    const { ada, adapter, page } = await createAccountApp();
    const expires = new Date(Date.now() + 3_600_000);
    const describe = (description: string) =>
      adapter.createSession(
        { sessionToken: crypto.randomUUID(), userId: ada.id, expires },
        { description },
      );
    const phones = ["Safari, iPhone", "Safari, iPad", "Chrome, Android", "Firefox, HarmonyOS"];
    const computers = ["Chrome, Linux", "Safari, Mac/iPad", "Android Studio", "Edge"];
    for (const description of [...phones, ...computers]) await describe(description);
    const { html } = await page();
    const iconOf = (description: string) =>
      /.*<path [^>]*d="([^"]+)"/s.exec(
        html.slice(0, html.indexOf(`<bdi>${description}</bdi>`)),
      )?.[1];
    expect(new Set(phones.map(iconOf)).size).toBe(1);
    expect(new Set(computers.map(iconOf)).size).toBe(1);
    expect(iconOf("Safari, iPhone")).not.toBe(iconOf("Chrome, Linux"));
  });

  it("descriptions are the same in every language, and isolated from the direction of the page", async () => {
    const { ada, adapter, page } = await createAccountApp({
      use: [rateLimit(false), arabicPlugin()],
    });
    const session = { sessionToken: "away", userId: ada.id, expires: new Date(Date.now() + 9e5) };
    await adapter.createSession(session, { description: "Safari, Mac/iPad" });
    const { html } = await page("/auth/account", { headers: { "accept-language": "ar" } });
    expect(html).toContain('dir="rtl"');
    expect(html).toContain("<bdi>Safari, Mac/iPad</bdi>");
  });

  it("a second click, or the id of another user's session, emits no second event", async () => {
    const ended: unknown[] = [];
    const endSession = (message: object) => void ended.push(message);
    const { ada, adapter, page, signIn, change } = await createAccountApp({
      events: { endSession },
    });
    await signIn();
    const [session = ""] = listHiddenValues(await page(), "session");
    for (const _ of [1, 2]) expect(await change({ session })).toMatch(/\?done$/);
    const eve = await adapter.createUser({ id: "", email: "eve@x.example", emailVerified: null });
    const expires = new Date(Date.now() + 3_600_000);
    await adapter.createSession({ sessionToken: "eves", userId: eve.id, expires });
    await change({ session: (await adapter.listSessionsByUserId(eve.id))[0]?.id ?? "" });
    // No other sessions are left.
    expect(await change({ sessions: "others" })).toMatch(/\?done$/);
    expect(ended).toEqual([{ userId: ada.id, count: 1, reason: "user" }]);
  });

  it("POST /account ends all other sessions", async () => {
    const ended: unknown[] = [];
    const endSession = (message: object) => void ended.push(message);
    const app = await createAccountApp({ events: { endSession } });
    const { ada, signIn, change, browser, page } = app;
    const others = [await signIn(), await signIn()];
    expect(await change({ sessions: "others" })).toMatch(/\?done$/);
    for (const other of others) expect(await other.session()).toBe(null);
    expect(ended).toEqual([{ userId: ada.id, count: 2, reason: "user" }]);
    expect(await browser.session()).not.toBe(null);
    expect(listHiddenValues(await page(), "sessions")).toEqual([]);
  });

  it("POST /account does not end another user's session, and requires the CSRF token", async () => {
    const { adapter, change, browser } = await createAccountApp();
    const eve = await adapter.createUser({
      id: "eve",
      email: "eve@x.example",
      emailVerified: null,
    });
    const expires = new Date(Date.now() + 3_600_000);
    await adapter.createSession({ sessionToken: "eves", userId: eve.id, expires });
    const [listed] = await adapter.listSessionsByUserId(eve.id);
    await change({ session: listed!.id });
    expect(await adapter.getSessionAndUser("eves")).not.toBe(null);
    const response = await browser.post("/auth/account", { sessions: "others" });
    expect(response.headers.get("location")).toContain("error=MissingCSRF");
  });

  it("POST /account removes a sign-in method, but not the last", async () => {
    const { adapter, ada, change } = await createAccountApp();
    const github = { provider: "github", account: "1" };
    expect(await change(github)).toMatch(/\?done$/);
    expect(await adapter.listAccountsByUserId(ada.id)).toEqual([]);
    // A double click posts it twice, and nothing has failed.
    expect(await change(github)).toMatch(/\/auth\/account$/);

    const other = await createAccountApp();
    // With an unverified address, e-mail is not a sign-in method.
    await other.adapter.updateUser({ id: other.ada.id, emailVerified: null });
    const { texts } = await other.page();
    for (const text of ["Disconnect", "Email link"]) expect(texts).not.toContain(text);
    expect(await other.change(github)).toMatch(/\?failed=last$/);
    expect((await other.page("/auth/account?failed=last")).texts.join()).toContain(
      "only sign-in method",
    );
    expect((await other.page("/auth/account?failed")).texts.join()).toContain(
      "Something went wrong and nothing was changed.",
    );
    expect(await other.adapter.listAccountsByUserId(other.ada.id)).toHaveLength(1);
  });

  it("POST /account does not remove another user's account", async () => {
    const { adapter, change } = await createAccountApp();
    const eve = await adapter.createUser({
      id: "eve",
      email: "eve@x.example",
      emailVerified: null,
    });
    const hers = { userId: eve.id, provider: "github", providerAccountId: "2" };
    await adapter.linkAccount({ ...hers, type: "oauth" });
    expect(await change({ provider: "github", account: "2" })).toMatch(/\/auth\/account$/);
    expect(await adapter.listAccountsByUserId(eve.id)).toHaveLength(1);
  });

  it.each([{}, { sessions: "all" }, { provider: "github" }, { session: "" }])(
    "POST /account changes nothing for %j",
    async (fields) => {
      const { change, adapter, ada } = await createAccountApp();
      expect(await change(fields as Record<string, string>)).toMatch(/\?(failed|done)$/);
      expect(await adapter.listSessionsByUserId(ada.id)).toHaveLength(1);
      expect(await adapter.listAccountsByUserId(ada.id)).toHaveLength(1);
    },
  );

  it("the account page shows the current session when the adapter lists nothing", async () => {
    const lists = ["listSessionsByUserId", "listAccountsByUserId", "deleteSessionById"] as const;
    const { page, change } = await createAccountApp({ without: [...lists] });
    const markup = await page();
    expect(markup.texts).toContain("This browser");
    expect(all(markup, "section")).toHaveLength(1);
    expect(listHiddenValues(markup, "session")).toEqual([]);
    expect(await change({ sessions: "others" })).toMatch(/\?failed$/);
  });

  it("the account page shows only the current session with JWT sessions", async () => {
    const { page, adapter, ada } = await createAccountApp({ session: { strategy: "jwt" } });
    const expires = new Date(Date.now() + 3_600_000);
    await adapter.createSession({ sessionToken: "old", userId: ada.id, expires });
    const markup = await page();
    expect(markup.texts.filter((text) => text === "This browser")).toHaveLength(1);
    expect(listHiddenValues(markup, "session")).toEqual([]);
    expect(markup.texts.join()).toContain("if not used");
  });

  it("the account page works without an adapter", async () => {
    const { browser } = createTestAuth({
      preset: standardPreset,
      providers: [
        {
          id: "credentials",
          name: "password",
          type: "credentials",
          credentials: {},
          authorize: () => ({ id: "1", name: "Ada" }),
        },
      ],
    });
    await browser.signInWith("credentials", {});
    const markup = parse(await (await browser.get("/auth/account")).text());
    expect(markup.texts).toEqual(expect.arrayContaining(["Ada", "This browser"]));
  });

  it("the page hook can add a section to the account page", async () => {
    const keys = definePlugin({
      name: "test/keys",
      setup({ hooks }) {
        hooks.page.for("account").tap("keys", async (page, ctx) => ({
          ...page,
          blocks: page.blocks.toSpliced(2, 0, {
            kind: "section",
            name: "passkeys",
            heading: `Passkeys of ${String((await ctx.kernel.strategy.current(ctx))?.email)}`,
            blocks: [{ kind: "list", items: [{ title: "A phone", badge: "new" }] }],
          }),
        }));
      },
    });
    const { page } = await createAccountApp({ plugins: [keys] });
    const markup = await page();
    expect(all(markup, "section").map((one) => one["data-section"])).toEqual([
      "accounts",
      "passkeys",
      "sessions",
    ]);
    expect(markup.texts).toContain(`Passkeys of ${ADA}`);
  });

  it("the account page escapes the user's name once", async () => {
    const { adapter, ada, page } = await createAccountApp();
    const name = `"><script>alert(1)</script>&amp;`;
    await adapter.updateUser({ id: ada.id, name });
    const markup = await page();
    expect(markup.texts).toContain(name);
    expect(markup.tags.map((tag) => tag.name)).not.toContain("script");
    expect(only(markup, "h1")).toEqual({});
  });

  it("GET /account responds with 404 without the account page plugin", async () => {
    const plugins = standardPreset.plugins?.filter(({ name }) => name !== "pages/account") ?? [];
    const auth = createAuthWith({ ...standardPreset, plugins }, { env: { NODE_ENV: "test" } });
    const response = await auth.fetch(new Request(`${ORIGIN}/auth/account`));
    expect(response.status).toBe(404);
  });
});

describe("account page as JSON", () => {
  const openClient = (browser: Browser) => createAuthClient({ fetch: toFetch(browser) });
  const rejection = (type: string, status: number) => expect.objectContaining({ type, status });

  it("GET and POST /account respond with 401 to a script without a session, without a redirect", async () => {
    const { browser } = createTestAuth({ preset: standardPreset, providers: [] });
    const { call } = openClient(browser);
    const error = rejection("SessionRequired", 401);
    await expect(call("/account")).rejects.toEqual(error);
    await expect(call("/account", { sessions: "others" })).rejects.toEqual(error);
  });

  it("the sign-in methods and the sessions are data, with the fields that remove them", async () => {
    const { browser, signIn, ada, adapter } = await createAccountApp();
    const other = await signIn();
    const { call } = openClient(browser);
    const read = async () => (await call<AccountPageData>("/account")).data;
    const time = expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/);
    const data = await read();
    expect(data).toMatchObject({
      user: { name: null, email: ADA, image: null },
      accounts: [
        { provider: "github", name: "GitHub", type: "oauth", account: "1", removable: true },
      ],
      emailLink: ADA,
      linkable: [{ provider: "google", name: "Google" }],
      nextSessions: null,
    });
    expect(data.sessions).toHaveLength(2);
    expect(data.sessions.filter(({ current }) => current)).toEqual([
      {
        id: expect.any(String),
        description: null,
        created: time,
        expires: time,
        current: true,
        removable: false,
      },
    ]);

    const url = `${ORIGIN}/auth/account?done`;
    const session = data.sessions.find(({ removable }) => removable)?.id;
    expect(await call("/account", { session })).toEqual({ url });
    expect(await other.session()).toBeNull();
    const [account] = data.accounts;
    expect(await call("/account", { ...account })).toEqual({ url });
    expect(await adapter.listAccountsByUserId(ada.id)).toEqual([]);
    // The second of two clicks.
    expect(await call("/account", { ...account })).toEqual({ url: `${ORIGIN}/auth/account` });
    expect(await call("/account", { sessions: "others" })).toEqual({ url });
    expect((await read()).sessions).toHaveLength(1);
    await expect(call("/account", { nonsense: 1 })).rejects.toEqual(rejection("BadRequest", 400));
  });

  it("a script gets the reason if a sign-in method is the last one, or the sign-in is too old", async () => {
    const { browser, adapter, ada } = await createAccountApp();
    const { call } = openClient(browser);
    await adapter.updateUser({ id: ada.id, emailVerified: null });
    const { data } = await call<AccountPageData>("/account");
    const [account] = data.accounts;
    expect(account?.removable).toBe(false);
    await expect(call("/account", { ...account })).rejects.toMatchObject({
      type: "LastSignInMethod",
      status: 409,
      message: "It is the only sign-in method. Add another one first.",
    });
    using clock = createClock();
    clock.advance("2 hours");
    const error = rejection("FreshSessionRequired", 401);
    await expect(call("/account", { ...account })).rejects.toEqual(error);
  });
});
