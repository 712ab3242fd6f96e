import { describe, expect, it } from "vitest";
import { storeAdapter } from "../../plugins/adapters/store.ts";
import { oauthFlow } from "../../plugins/flows/oauth.ts";
import { germanPlugin } from "../../plugins/languages/de.ts";
import { memoryStore } from "../../plugins/stores/memory.ts";
import { minimalPreset } from "../../presets/minimal.ts";
import { standardPreset } from "../../presets/standard.ts";
import { createAuthClient } from "../../src/client.ts";
import { AccessDenied } from "../../src/errors.ts";
import {
  type Adapter,
  type AuthConfig,
  createAuthWith,
  type CookieDefaults,
  type Flow,
  type FlowContext,
  type Identity,
  type Plugin,
  type Preset,
} from "../../src/kernel.ts";
import { createBrowser } from "../../src/testing/testing.ts";
import {
  createLog,
  ENV,
  listBootFaults,
  ORIGIN,
  queryOf,
  SECRET,
  setCookie,
  setCookieNames,
} from "../_app.ts";
import { HREF, openPage, toFetch } from "../client/_page.ts";
import { all, type Markup, parse } from "../pages/_parse.ts";
import { cardFlow, cardPlugin, smsPlugin, type SmsProvider, WrongSmsCode } from "./_sms.ts";

const PHONE = "+41790000000";

interface AppOptions extends AuthConfig {
  preset?: Preset;
  use?: readonly Plugin[];
}

function createApp({ preset = standardPreset, use = [smsPlugin()], ...config }: AppOptions = {}) {
  const log = createLog();
  const auth = createAuthWith(preset, {
    secret: SECRET,
    env: ENV,
    logger: log.logger,
    ...config,
  });
  for (const plugin of use) auth.use(plugin);
  const browser = createBrowser(auth.fetch);
  return { auth, log, browser };
}

/** Boots, and returns the messages of all faults. */
function listFaults(options: AppOptions): string[] {
  return listBootFaults(createApp(options));
}

const readPage = async (response: Response): Promise<Markup> => parse(await response.text());

const addsCookie = (defaults: CookieDefaults): Plugin => ({
  name: "adds-cookie",
  setup: (kernel) => kernel.addCookie("smsCode", defaults),
});

describe("a provider type of another package", () => {
  it("the sms flow signs a user in by its sealed cookie and its callback", async () => {
    const sent: string[] = [];
    const sms = smsPlugin({ send: (...message) => void sent.push(message.join(" ")) });
    const { browser } = createApp({ use: [sms] });
    const started = await browser.signIn("sms", { phone: PHONE });
    expect(sent).toEqual([`${PHONE} 424242`]);
    const cookie = setCookie(started, "acme.sms-code");
    expect(cookie).toContain("; Max-Age=120");
    expect(cookie).toContain("; HttpOnly");
    expect(cookie).not.toContain("424242");

    const finished = await browser.signInWith("sms", { phone: PHONE, code: "424242" });
    expect(finished.headers.get("location")).toBe(`${ORIGIN}/`);
    expect(setCookie(finished, "acme.sms-code")).toContain("; Max-Age=0");
    expect(await browser.session()).toMatchObject({ user: { name: `Phone ${PHONE}` } });
  });

  it("the sms flow needs no other plugin than the minimal preset", async () => {
    const { browser } = createApp({ preset: minimalPreset });
    await browser.signIn("sms", { phone: PHONE });
    await browser.signInWith("sms", { phone: PHONE, code: "424242" });
    expect(await browser.session()).not.toBeNull();
  });

  it("openCheck() of a third-party cookie rejects one that is missing or sealed for another provider", async () => {
    const { browser, log } = createApp({ use: [smsPlugin(), smsPlugin({ id: "other-sms" })] });
    const fields = { phone: PHONE, code: "424242" };
    const missing = await browser.signInWith("sms", fields);
    expect(queryOf(missing)).toEqual({ error: "InvalidCheck" });
    await browser.signIn("sms", { phone: PHONE });
    const foreign = await browser.signInWith("other-sms", fields);
    expect(queryOf(foreign)).toEqual({ error: "InvalidCheck" });
    expect(await browser.session()).toBeNull();
    const messages = log.expectErrors("InvalidCheck", "InvalidCheck").map(({ message }) => message);
    expect(messages).toEqual([
      'The request has no cookie "acme.sms-code".',
      'The cookie "acme.sms-code" was set for another provider.',
    ]);
  });

  it("the sign-in page shows the form of a third-party flow in the visitor's language", async () => {
    const { browser } = createApp({ use: [smsPlugin(), germanPlugin()] });
    const show = async (language: string) =>
      readPage(await browser.get("/auth/signin", { headers: { "accept-language": language } }));
    expect((await show("en")).texts).toContain("Phone number");
    expect((await show("de")).texts).toContain("Telefonnummer");
    const actions = all(await show("en"), "form").map(({ action }) => action);
    expect(actions).toContain(`${ORIGIN}/auth/signin/sms`);
  });
});

describe("kernel.addError()", () => {
  const fail = async (language = "en") => {
    const app = createApp({ use: [smsPlugin(), germanPlugin()] });
    await app.browser.signIn("sms", { phone: PHONE });
    const response = await app.browser.signInWith("sms", { phone: PHONE, code: "1" });
    app.log.expectErrors("WrongSmsCode");
    const show = (path: string) =>
      app.browser.get(path, { headers: { "accept-language": language } });
    return { response, show };
  };

  it.each([
    ["en", "The code is wrong. Ask for another one."],
    ["de", "Der Code stimmt nicht. Fordern Sie einen neuen an."],
  ])("the sign-in page explains a third-party error in %s", async (language, text) => {
    const { response, show } = await fail(language);
    const location = response.headers.get("location")!;
    expect(location).toBe(`${ORIGIN}/auth/signin?error=WrongSmsCode`);
    expect((await readPage(await show(location))).texts).toContain(text);
  });

  it.each([
    [
      "en",
      [
        "Wrong code",
        "The code of the message is not the one that was entered.",
        "Send another code",
      ],
    ],
    [
      "de",
      ["Falscher Code", "Der Code der Nachricht wurde falsch eingegeben.", "Neuen Code senden"],
    ],
  ])(
    "the error page explains a third-party error in %s, with its status",
    async (language, texts) => {
      const { show } = await fail(language);
      const response = await show("/auth/error?error=WrongSmsCode");
      expect(response.status).toBe(401);
      expect((await readPage(response)).texts).toEqual(expect.arrayContaining(texts));
    },
  );

  it("an error type that no plugin registered gets a general explanation with status 200", async () => {
    const { browser } = createApp();
    const response = await browser.get("/auth/error?error=NoSuchError");
    expect(response.status).toBe(200);
    expect((await readPage(response)).texts).toContain("Something went wrong");
  });

  it("addError() without options uses the texts of the error's type and status 400", async () => {
    const plain: Plugin = {
      name: "plain",
      setup(kernel) {
        kernel.addError("Odd");
        kernel.addMessages("en", { "error.Odd.heading": "Odd!", "error.Odd.text": "How odd." });
      },
    };
    const { browser } = createApp({ use: [plain] });
    const response = await browser.get("/auth/error?error=Odd");
    expect(response.status).toBe(400);
    expect((await readPage(response)).texts).toEqual(expect.arrayContaining(["Odd!", "How odd."]));
  });

  it("a registered error with only a sentence for the sign-in page is a failed sign-in", async () => {
    const setup: Plugin["setup"] = (kernel) =>
      kernel.addError("Closed", { messages: { en: "Closed on Sundays.", de: "Sonntags nicht." } });
    const { browser } = createApp({ use: [{ name: "closed", setup }] });
    const page = await readPage(await browser.get("/auth/error?error=Closed"));
    expect(page.texts).toEqual(expect.arrayContaining(["Unable to sign in", "Closed on Sundays."]));
    expect(page.texts).not.toContain("Something went wrong");
  });

  it("a registered error without texts gets a general explanation", async () => {
    const { browser } = createApp({
      use: [{ name: "textless", setup: (kernel) => kernel.addError("Textless") }],
    });
    const page = await readPage(await browser.get("/auth/error?error=Textless"));
    expect(page.texts).toContain("Something went wrong");
    const signin = await readPage(await browser.get("/auth/signin?error=Textless"));
    expect(signin.texts).toContain("Something went wrong. Try again.");
  });
});

describe("facts of a third-party flow for clients", () => {
  it("GET /providers lists `direct` and `ceremony` of a flow, and omits them if a flow has none", async () => {
    const { browser } = createApp({
      use: [smsPlugin(), cardPlugin()],
      providers: [
        {
          id: "acme",
          name: "Acme",
          type: "oauth",
          clientId: "id",
          clientSecret: "secret",
          authorization: "https://acme.example/authorize",
          token: "https://acme.example/token",
          userinfo: "https://acme.example/me",
        },
      ],
    });
    const urls = (id: string) => ({
      signinUrl: `${ORIGIN}/auth/signin/${id}`,
      callbackUrl: `${ORIGIN}/auth/callback/${id}`,
    });
    expect(await (await browser.get("/auth/providers")).json()).toEqual({
      acme: { id: "acme", name: "Acme", type: "oauth", ...urls("acme") },
      sms: { id: "sms", name: "SMS", type: "sms", direct: true, ...urls("sms") },
      card: { id: "card", name: "Card", type: "card", ceremony: "card-reader", ...urls("card") },
    });
  });

  it('signIn("sms") of keyhook/client posts the fields to the callback of a direct flow', async () => {
    openPage();
    const { browser } = createApp();
    await browser.signIn("sms", { phone: PHONE });
    const asked: string[] = [];
    const client = createAuthClient({ fetch: toFetch(browser, asked) });
    const result = await client.signIn("sms", {
      phone: PHONE,
      code: "424242",
      redirect: false,
      redirectTo: "/in",
    });
    expect(result).toEqual({ ok: true, status: 200, url: `${ORIGIN}/in` });
    expect(asked).toContain("POST /auth/callback/sms");
    expect(asked).not.toContain("POST /auth/signin/sms");
    expect(await client.getSession()).toMatchObject({ user: { name: `Phone ${PHONE}` } });
  });

  it('signIn("sms") of keyhook/client resolves with the type of a third-party error', async () => {
    openPage();
    const { browser, log } = createApp();
    await browser.signIn("sms", { phone: PHONE });
    const client = createAuthClient({ fetch: toFetch(browser) });
    const result = await client.signIn("sms", { phone: PHONE, code: "1", redirect: false });
    expect(result).toMatchObject({ ok: false, error: "WrongSmsCode" });
    log.expectErrors("WrongSmsCode");
  });

  it("signIn() of keyhook/client redirects to the sign-in page for an unknown ceremony", async () => {
    const page = openPage();
    const { browser } = createApp({ use: [cardPlugin()] });
    const client = createAuthClient({ fetch: toFetch(browser) });
    const result = await client.signIn("card");
    const target = `${ORIGIN}/auth/signin?callbackUrl=${encodeURIComponent(HREF)}`;
    expect(result).toMatchObject({ ok: true, url: target });
    expect(page.left).toEqual([target]);
  });
});

describe('a flow with `credential: "authenticator"`', () => {
  /** Signs a user in by text message, and links a card to the same user. */
  async function openAccount(card: Plugin) {
    let adapter: Adapter | undefined;
    const look: Plugin = {
      name: "look",
      setup: ({ hooks }) => hooks.ready.tap("look", (kernel) => void (adapter = kernel.adapter)),
    };
    const { browser } = createApp({
      use: [smsPlugin(), card, cardPlugin(), memoryStore(), storeAdapter(), look],
    });
    await browser.signIn("sms", { phone: PHONE });
    await browser.signInWith("sms", { phone: PHONE, code: "424242" });
    const account = { provider: "sms", providerAccountId: PHONE };
    const user = await adapter?.getUserByAccount?.(account);
    const userId = String(user?.id);
    const linked = { provider: "card", providerAccountId: "7" };
    await adapter?.linkAccount?.({ ...linked, userId, type: "card" });
    return {
      adapter,
      userId,
      page: async () => readPage(await browser.get("/auth/account")),
      async remove(provider: string, providerAccountId: string) {
        const fields = {
          csrfToken: await browser.csrfToken(),
          provider,
          account: providerAccountId,
        };
        const response = await browser.post("/auth/account", fields);
        return new URL(response.headers.get("location")!).search;
      },
    };
  }

  it("the account page lists and removes an account of a flow without the fact", async () => {
    const { page, remove } = await openAccount(cardFlow());
    expect((await page()).texts).toEqual(expect.arrayContaining(["SMS", "Card"]));
    expect(await remove("card", "7")).toBe("?done");
    expect((await page()).texts).not.toContain("Card");
  });

  it("the account page neither lists nor removes an account of a flow with the fact", async () => {
    const { page, remove } = await openAccount(cardFlow("authenticator"));
    const { texts } = await page();
    expect(texts).toContain("SMS");
    expect(texts).not.toContain("Card");
    expect(await remove("card", "7")).toBe("?failed");
  });

  it("an account of a flow with the fact counts as a sign-in method only together with its authenticator", async () => {
    const { adapter, userId, remove } = await openAccount(cardFlow("authenticator"));
    expect(await remove("sms", PHONE)).toBe("?failed=last");
    await adapter?.createAuthenticator?.({
      credentialID: "card-7",
      userId,
      providerAccountId: "7",
      credentialPublicKey: "key",
      counter: 0,
      credentialDeviceType: "singleDevice",
      credentialBackedUp: false,
    });
    expect(await remove("sms", PHONE)).toBe("?done");
  });
});

describe("kernel.addCookie()", () => {
  it("two plugins that add the same cookie are a fault that names it", () => {
    expect(listFaults({ use: [smsPlugin(), addsCookie({ name: "other" })] })).toEqual([
      '"flows/sms" and "adds-cookie" both add the cookie "smsCode". Rename one.',
    ]);
  });

  it("a third-party cookie gets the prefix of secure origins and the defaults of all cookies", () => {
    const { auth } = createApp({ useSecureCookies: true });
    expect(auth.inspect().cookies.smsCode).toEqual({
      name: "__Host-acme.sms-code",
      attributes: { httpOnly: true, sameSite: "lax", path: "/", secure: true, maxAge: 120 },
    });
  });

  it("a third-party cookie may have the prefix __Secure-", () => {
    const cookie = addsCookie({ name: "acme.host", prefix: "__Secure-" });
    const { auth } = createApp({ use: [cookie], useSecureCookies: true });
    expect(auth.inspect().cookies.smsCode?.name).toBe("__Secure-acme.host");
  });

  it("`config.cookies` overrides name and attributes of a third-party cookie", async () => {
    const { browser, log } = createApp({
      cookies: { smsCode: { name: "code", options: { sameSite: "strict", maxAge: 30 } } },
    });
    const cookie = setCookie(await browser.signIn("sms", { phone: PHONE }), "code");
    expect(cookie).toContain("; Max-Age=30");
    expect(cookie).toContain("; SameSite=Strict");
    expect(log.warnings).not.toContain("config-unknown");
  });

  it.each([
    ["authjs.session-token", "of the session cookie"],
    ["authjs.session-token.0", "of a part of the session cookie"],
    ["authjs.state", "of a cookie of flows/oauth"],
  ])("a third-party cookie with the name %s %s is a fault that names it", (name) => {
    const faults = listFaults({ use: [addsCookie({ name })] });
    expect(faults.join()).toContain("collide");
    expect(faults.join()).toContain(name);
  });

  it("a third-party cookie renamed to the name of another cookie is a fault", () => {
    const faults = listFaults({ cookies: { smsCode: { name: "authjs.callback-url" } } });
    expect(faults.join()).toContain('"authjs.callback-url"');
    expect(faults.join()).toContain("collide");
  });

  it("a cookie may not have the name of a salt that a third-party cookie reserves", () => {
    for (const key of ["sessionToken", "smsCode"] as const) {
      const faults = listFaults({ cookies: { [key]: { name: "acme.sms-ticket" } } });
      expect(faults, key).toEqual([
        `\`cookies.${key}\`: the name "acme.sms-ticket" is reserved; rename the cookie.`,
      ]);
    }
    expect(listFaults({ use: [], cookies: { sessionToken: { name: "acme.sms-ticket" } } })).toEqual(
      [],
    );
  });

  it("a third-party cookie may not have the name of a salt that flows/oauth reserves", () => {
    const { auth } = createApp({ preset: minimalPreset, use: [oauthFlow()] });
    auth.inspect();
    const faults = listFaults({
      preset: minimalPreset,
      use: [oauthFlow(), addsCookie({ name: "encodedState" })],
    });
    expect(faults).toEqual([
      '`cookies.smsCode`: the name "encodedState" is reserved; rename the cookie.',
    ]);
  });

  it("an invalid name of a third-party cookie is a fault that names its key", () => {
    expect(listFaults({ use: [addsCookie({ name: "a b" })] }).join()).toContain("cookies.smsCode");
  });

  it("boot warns of a key of `config.cookies` that no plugin in use registers", () => {
    const { auth, log } = createApp({ use: [], cookies: { smsCode: { name: "code" } } });
    auth.inspect();
    expect(log.warnings).toEqual(["config-unknown"]);
  });

  it("boot does not warn of a key of `config.cookies` that a plugin in use registers", () => {
    const { auth, log } = createApp({ cookies: { smsCode: { name: "code" } } });
    auth.inspect();
    expect(log.warnings).toEqual([]);
  });

  it("addCookie() and addError() throw after boot", () => {
    let late: (() => void)[] = [];
    const keeps: Plugin = {
      name: "keeps",
      setup(kernel) {
        late = [() => kernel.addCookie("smsCode", { name: "late" }), () => kernel.addError("Late")];
      },
    };
    createApp({ use: [keeps] }).auth.inspect();
    expect(late).toHaveLength(2);
    for (const register of late) expect(register).toThrow("after the first request");
  });
});

describe("Flow.completed() and Flow.failed()", () => {
  type SmsContext = FlowContext<SmsProvider>;
  type Call =
    | { step: "completed"; ctx: SmsContext; identity: Identity; cookies: string[] }
    | { step: "failed"; ctx: SmsContext; error: unknown; identity: Identity; cookies: string[] };

  const identity: Identity = {
    user: { name: "Ada" },
    account: { providerAccountId: "1" },
  };
  const SESSION = "authjs.session-token";

  /** Creates an application whose SMS flow records the calls of its last two steps. */
  function recordCalls(over: Flow<SmsProvider> = {}, config: AppOptions = {}) {
    const calls: Call[] = [];
    const events: string[] = [];
    const pending = ({ cookies }: SmsContext) => cookies.pending.map(({ name }) => name);
    const flow: Flow<SmsProvider> = {
      finish: () => identity,
      ...over,
      async completed(ctx, it) {
        events.push("completed");
        calls.push({ step: "completed", ctx, identity: it, cookies: pending(ctx) });
        await over.completed?.(ctx, it);
      },
      async failed(ctx, error, it) {
        events.push("failed");
        calls.push({ step: "failed", ctx, error, identity: it, cookies: pending(ctx) });
        return over.failed?.(ctx, error, it);
      },
    };
    const own: Plugin = {
      name: "own/sms",
      provides: ["flow:sms"],
      setup(kernel) {
        kernel.addFlow("sms", flow);
        kernel.events.hook("signIn", () => void events.push("signIn event"));
      },
    };
    const { use = [], ...rest } = config;
    const app = createApp({ ...rest, use: [own, smsPlugin(), ...use] });
    return { ...app, calls, events };
  }

  const refuses = (verdict: false | string): Plugin => ({
    name: "refuses",
    setup: ({ hooks }) => hooks.signIn.tap("refuses", () => verdict),
  });

  it("completed() is called once with the context and the identity, after the session and the signIn event", async () => {
    const { browser, calls, events } = recordCalls();
    await browser.get("/auth/callback/sms");
    expect(await browser.session()).not.toBeNull();
    expect(events).toEqual(["signIn event", "completed"]);
    const [call] = calls;
    expect(call?.identity).toBe(identity);
    expect(call?.ctx.provider.id).toBe("sms");
    expect(call?.cookies).toContain(SESSION);
  });

  it("completed() is awaited before the response", async () => {
    let isDone = false;
    const { browser } = recordCalls({
      async completed() {
        await new Promise((resolve) => setTimeout(resolve, 20));
        isDone = true;
      },
    });
    await browser.get("/auth/callback/sms");
    expect(isDone).toBe(true);
  });

  it("completed() is called when start() returns the identity", async () => {
    const { browser, calls } = recordCalls({ start: () => identity });
    await browser.signIn("sms");
    expect(calls.map(({ step }) => step)).toEqual(["completed"]);
    expect(await browser.session()).not.toBeNull();
  });

  it("completed() is called without a session when the signIn hook redirects", async () => {
    const { browser, calls, events } = recordCalls({}, { use: [refuses("/terms")] });
    const response = await browser.get("/auth/callback/sms");
    expect(response.headers.get("location")).toBe(`${ORIGIN}/terms`);
    expect(events).toEqual(["completed"]);
    expect(calls[0]?.cookies).not.toContain(SESSION);
    expect(await browser.session()).toBeNull();
  });

  it("failed() is called once with the error and the identity when the signIn hook refuses", async () => {
    const { browser, calls, events, log } = recordCalls({}, { use: [refuses(false)] });
    const response = await browser.get("/auth/callback/sms");
    expect(queryOf(response)).toEqual({ error: "AccessDenied" });
    expect(events).toEqual(["failed"]);
    const [call] = calls;
    expect(call).toMatchObject({ step: "failed", error: expect.any(AccessDenied) });
    expect(call?.identity).toBe(identity);
    expect(call?.ctx.provider.id).toBe("sms");
    log.expectErrors("AccessDenied");
  });

  it("failed() is called when the session cannot be made, and no session cookie is set", async () => {
    const broken: Plugin = {
      name: "broken",
      setup: ({ hooks }) =>
        hooks.jwt.tap("broken", () => {
          throw new Error("out of paper");
        }),
    };
    const { browser, calls, log } = recordCalls({}, { use: [broken] });
    const response = await browser.get("/auth/callback/sms");
    expect(calls.map(({ step }) => step)).toEqual(["failed"]);
    expect(setCookieNames(response)).not.toContain(SESSION);
    log.expectErrors("CallbackRouteError");
  });

  it("an error that failed() returns replaces the original one", async () => {
    const { browser, log } = recordCalls(
      { failed: (_, error) => new WrongSmsCode("replaced", { cause: error }) },
      { use: [refuses(false)] },
    );
    const response = await browser.get("/auth/callback/sms");
    expect(response.headers.get("location")).toBe(`${ORIGIN}/auth/signin?error=WrongSmsCode`);
    const [error] = log.expectErrors("WrongSmsCode");
    expect(error?.cause?.err).toBeInstanceOf(AccessDenied);
  });

  it("an error that failed() throws is logged, and the original error is reported", async () => {
    const { browser, log } = recordCalls(
      {
        failed() {
          throw new WrongSmsCode("thrown");
        },
      },
      { use: [refuses(false)] },
    );
    const response = await browser.get("/auth/callback/sms");
    expect(queryOf(response)).toEqual({ error: "AccessDenied" });
    log.expectErrors("WrongSmsCode", "AccessDenied");
  });

  it("neither completed() nor failed() is called when finish() returns a Response", async () => {
    const { browser, calls } = recordCalls({ finish: () => new Response("confirm") });
    expect(await (await browser.get("/auth/callback/sms")).text()).toBe("confirm");
    expect(calls).toEqual([]);
  });

  it("neither completed() nor failed() is called when finish() throws", async () => {
    const { browser, calls, log } = recordCalls({
      finish() {
        throw new WrongSmsCode("wrong");
      },
    });
    await browser.get("/auth/callback/sms");
    expect(calls).toEqual([]);
    log.expectErrors("WrongSmsCode");
  });

  it("an error that completed() throws is logged, and the sign-in stays valid", async () => {
    const { browser, calls, log } = recordCalls({
      completed() {
        throw new TypeError("no such record");
      },
    });
    const response = await browser.get("/auth/callback/sms");
    expect(response.headers.get("location")).toBe(`${ORIGIN}/`);
    expect(await browser.session()).not.toBeNull();
    expect(calls.map(({ step }) => step)).toEqual(["completed"]);
    log.expectErrors("TypeError");
  });
});
