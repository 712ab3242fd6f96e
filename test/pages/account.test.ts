import { describe, expect, it } from "vitest";
import { type AuthConfig, createAuth, definePlugin, standardPreset } from "../../presets/index.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { createAuthWith } from "../../src/index.ts";
import { type Browser, createBrowser } from "../../src/testing.ts";
import type { Adapter, AdapterUser, Plugin, Provider } from "../../src/types.ts";
import { adapterOn } from "../adapters/_shelf.ts";
import { all, type Markup, only, parse } from "./_parse.ts";

const ORIGIN = "http://localhost:3000";
const ADA = "ada@example.com";

const oauth = (id: string, name: string) =>
  ({
    id,
    name,
    type: "oauth",
    clientId: "id",
    clientSecret: "secret",
    authorization: "https://idp.example/authorize",
    token: "https://idp.example/token",
    userinfo: "https://idp.example/userinfo",
  }) as Provider;

interface World {
  adapter: Required<Adapter>;
  ada: AdapterUser;
  browser: Browser;
  newBrowser(): Promise<Browser>;
  page(path?: string): Promise<Markup & { response: Response; html: string }>;
  change(fields: Record<string, string>): Promise<string | null>;
}

/** Ada, signed in by a link, with an account of GitHub's. */
async function world(
  config: AuthConfig = {},
  { without = [] as (keyof Adapter)[], plugins = [] as Plugin[] } = {},
): Promise<World> {
  const adapter = adapterOn(memoryBackend()) as Required<Adapter>;
  const given: Adapter = { ...adapter };
  for (const name of without) delete given[name];
  let link = "";
  const mail = {
    id: "mail",
    name: "Mail",
    type: "email",
    limits: { address: false, network: false },
    sendVerificationRequest: ({ url }: { url: string }) => void (link = url),
  } as Provider;
  const auth = createAuth({
    env: { NODE_ENV: "test", AUTH_SECRET: "x".repeat(40) },
    logger: { error() {}, warn() {} },
    providers: [oauth("github", "GitHub"), oauth("google", "Google"), mail],
    plugins,
    ...config,
    adapter: given,
  });
  const newBrowser = async () => {
    const browser = createBrowser(auth.fetch);
    await browser.signIn("mail", { email: ADA });
    await browser.get(link);
    return browser;
  };
  const browser = await newBrowser();
  const ada = (await adapter.getUserByEmail(ADA))!;
  const account = { userId: ada.id, provider: "github", providerAccountId: "1" };
  await adapter.linkAccount({ ...account, type: "oauth" });
  return {
    adapter,
    ada,
    browser,
    newBrowser,
    async page(path = "/auth/account") {
      const response = await browser.get(path);
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

const hiddenOf = (markup: Markup, name: string) =>
  all(markup, "input")
    .filter((input) => input.name === name)
    .map(({ value }) => value);

describe("the account page", () => {
  it("is for who is signed in, and leads back to itself", async () => {
    const auth = createAuth({ env: { NODE_ENV: "test", AUTH_SECRET: "x".repeat(40) } });
    const browser = createBrowser(auth.fetch);
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

  it("leads to the application's own sign-in page", async () => {
    const auth = createAuth({
      env: { NODE_ENV: "test", AUTH_SECRET: "x".repeat(40) },
      pages: { signIn: "/login?x=1" },
    });
    const response = await createBrowser(auth.fetch).get("/auth/account");
    expect(response.headers.get("location")).toMatch(
      /^http:\/\/localhost:3000\/login\?x=1&callback/,
    );
  });

  it("shows who it is, how they get in, and where they are", async () => {
    const { page } = await world();
    const markup = await page();
    expect(markup.response.headers.get("cache-control")).toBe("private, no-store");
    const texts = ["Your account", ADA, "GitHub", "Link by email", "This device", "Sign out"];
    for (const text of texts) expect(markup.texts).toContain(text);
    expect(all(markup, "section").map((one) => one["data-section"])).toEqual([
      "accounts",
      "sessions",
    ]);
    expect(markup.html).not.toContain("<script");
  });

  it("draws no face from elsewhere", async () => {
    const { adapter, ada, page } = await world();
    const facesOf = async (image: string) => {
      await adapter.updateUser({ id: ada.id, image, name: "Ådne" });
      const markup = await page();
      const initials = all(markup, "span").map((span) => span["data-initial"]);
      return [all(markup, "img").map(({ src }) => src), initials.includes("Å")];
    };
    expect(await facesOf("https://avatars.example/1")).toEqual([[], true]);
    expect(await facesOf("//avatars.example/1")).toEqual([[], true]);
    expect(await facesOf("/ada.png")).toEqual([["/ada.png"], false]);
  });

  it("offers to link what is not linked", async () => {
    const { page, browser } = await world();
    const markup = await page();
    const [button] = all(markup, "button").filter(({ formaction }) => formaction);
    expect(button?.formaction).toBe(`${ORIGIN}/auth/signin/google`);
    expect(hiddenOf(markup, "link")).toEqual(["true"]);
    expect(hiddenOf(markup, "callbackUrl")).toContain(`${ORIGIN}/auth/account`);
    const started = await browser.signIn("google", { link: "true" });
    expect(started.headers.get("location")).toMatch(/^https:\/\/idp\.example/);
  });

  it("ends one session, and leaves the others", async () => {
    const { page, newBrowser, change, browser } = await world();
    const [second, third] = [await newBrowser(), await newBrowser()];
    const ids = hiddenOf(await page(), "session");
    expect(ids).toHaveLength(2);
    expect(await change({ session: ids[0]! })).toBe(`${ORIGIN}/auth/account?done`);
    expect((await page("/auth/account?done")).texts).toContain("Your changes are saved.");
    const left = [await browser.session(), await second.session(), await third.session()];
    expect(left.filter(Boolean)).toHaveLength(2);
    expect(left[0]).not.toBe(null);
  });

  it("ends all the others at once", async () => {
    const { newBrowser, change, browser, page } = await world();
    const others = [await newBrowser(), await newBrowser()];
    expect(await change({ sessions: "others" })).toMatch(/\?done$/);
    for (const other of others) expect(await other.session()).toBe(null);
    expect(await browser.session()).not.toBe(null);
    expect(hiddenOf(await page(), "sessions")).toEqual([]);
  });

  it("ends nobody else's, and none without the token of its form", async () => {
    const { adapter, change, browser } = await world();
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

  it("removes a way in, never the last", async () => {
    const { adapter, ada, change } = await world();
    const github = { provider: "github", account: "1" };
    expect(await change(github)).toMatch(/\?done$/);
    expect(await adapter.listAccountsByUserId(ada.id)).toEqual([]);
    expect(await change(github)).toMatch(/\?failed$/);

    const other = await world();
    // Without a proved address the mailbox is no way in.
    await other.adapter.updateUser({ id: other.ada.id, emailVerified: null });
    expect((await other.page()).texts).not.toContain("Remove");
    expect(await other.change(github)).toMatch(/\?failed=last$/);
    expect((await other.page("/auth/account?failed=last")).texts.join()).toContain("last way");
    expect(await other.adapter.listAccountsByUserId(other.ada.id)).toHaveLength(1);
  });

  it("removes nobody else's account", async () => {
    const { adapter, change } = await world();
    const eve = await adapter.createUser({
      id: "eve",
      email: "eve@x.example",
      emailVerified: null,
    });
    const hers = { userId: eve.id, provider: "github", providerAccountId: "2" };
    await adapter.linkAccount({ ...hers, type: "oauth" });
    expect(await change({ provider: "github", account: "2" })).toMatch(/\?failed$/);
    expect(await adapter.listAccountsByUserId(eve.id)).toHaveLength(1);
  });

  it.each([{}, { sessions: "all" }, { provider: "github" }, { session: "" }])(
    "does nothing for %j",
    async (fields) => {
      const { change, adapter, ada } = await world();
      expect(await change(fields as Record<string, string>)).toMatch(/\?(failed|done)$/);
      expect(await adapter.listSessionsByUserId(ada.id)).toHaveLength(1);
      expect(await adapter.listAccountsByUserId(ada.id)).toHaveLength(1);
    },
  );

  it("shows what there is where the adapter can list nothing", async () => {
    const lists = ["listSessionsByUserId", "listAccountsByUserId", "deleteSessionById"] as const;
    const { page, change } = await world({}, { without: [...lists] });
    const markup = await page();
    expect(markup.texts).toContain("This device");
    expect(all(markup, "section")).toHaveLength(1);
    expect(hiddenOf(markup, "session")).toEqual([]);
    expect(await change({ sessions: "others" })).toMatch(/\?failed$/);
  });

  it("shows this session alone where sessions lie in their cookies", async () => {
    const { page, adapter, ada } = await world({ session: { strategy: "jwt" } });
    const expires = new Date(Date.now() + 3_600_000);
    await adapter.createSession({ sessionToken: "old", userId: ada.id, expires });
    const markup = await page();
    expect(markup.texts.filter((text) => text === "This device")).toHaveLength(1);
    expect(hiddenOf(markup, "session")).toEqual([]);
    expect(markup.texts.join()).toContain("unless it is used before");
  });

  it("works without any adapter", async () => {
    const auth = createAuth({
      env: { NODE_ENV: "test", AUTH_SECRET: "x".repeat(40) },
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
    const browser = createBrowser(auth.fetch);
    await browser.signInWith("credentials", {});
    const markup = parse(await (await browser.get("/auth/account")).text());
    expect(markup.texts).toEqual(expect.arrayContaining(["Ada", "This device"]));
  });

  it("has room for a plugin's own section", async () => {
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
    const { page } = await world({}, { plugins: [keys] });
    const markup = await page();
    expect(all(markup, "section").map((one) => one["data-section"])).toEqual([
      "accounts",
      "passkeys",
      "sessions",
    ]);
    expect(markup.texts).toContain(`Passkeys of ${ADA}`);
  });

  it("says every text once escaped, whatever people are called", async () => {
    const { adapter, ada, page } = await world();
    const name = `"><script>alert(1)</script>&amp;`;
    await adapter.updateUser({ id: ada.id, name });
    const markup = await page();
    expect(markup.texts).toContain(name);
    expect(markup.tags.map((tag) => tag.name)).not.toContain("script");
    expect(only(markup, "h1")).toEqual({});
  });

  it("is a plugin: without it there is no such page", async () => {
    const plugins = standardPreset.plugins?.filter(({ name }) => name !== "pages/account") ?? [];
    const auth = createAuthWith({ ...standardPreset, plugins }, { env: { NODE_ENV: "test" } });
    const response = await auth.fetch(new Request(`${ORIGIN}/auth/account`));
    expect(response.status).toBe(404);
  });
});
