import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { storeAdapter } from "../../plugins/adapters/store.ts";
import { deriveCode } from "../../plugins/flows/email/code.ts";
import { germanPlugin } from "../../plugins/languages/de.ts";
import { rateLimit } from "../../plugins/security/rate-limit.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { defineStore } from "../../src/kernel.ts";
import { createClock } from "../../src/testing/testing.ts";
import type { Browser } from "../../src/testing/testing.ts";
import { isSignedIn, locationOf, ORIGIN, SECRET } from "../_app.ts";
import { ADA, createMailApp, type MailApp, type MailAppOptions, press } from "./_mail.ts";

const NOTICE = "/auth/verify-request?provider=mail&type=email";
const WRONG = `${NOTICE}&error=InvalidEmailCode`;
const LOCKED = `${WRONG}&code=rate_limited`;

const createCodeApp = ({ mail, ...options }: MailAppOptions = {}): MailApp =>
  createMailApp({ mail: { code: true, ...mail }, ...options });

const codeOf = (app: MailApp, at = -1) => app.mails.at(at)?.code ?? "";

const enter = async (browser: Browser, code: string) =>
  locationOf(await browser.signIn("mail", { code }));

const toOther = (code: string) => String((Number(code) + 1) % 10 ** 8).padStart(8, "0");

describe("signing in with the code of an e-mail", () => {
  it("a request with made-up credentials uses up no link, and stores no user", async () => {
    const expires = "2099-01-01T00:00:00.000Z";
    const app = createCodeApp({
      use: [
        {
          name: "keys",
          setup(kernel) {
            kernel.hooks.authenticate.tap("keys", ({ request }) =>
              request.headers.has("authorization")
                ? { id: "grace", session: { user: {}, expires } }
                : undefined,
            );
          },
        },
      ],
    });
    await app.browser.signIn("mail", { email: ADA });
    const url = app.mails.at(-1)?.url ?? "";
    const before = app.adapter.calls.length;
    const response = await app.browser.get(url, { headers: { authorization: "key" } });
    expect(locationOf(response)).toBe("/auth/signin?error=SessionRequired");
    expect(app.adapter.calls).toHaveLength(before);
    expect(locationOf(await app.followLink(app.browser))).toBe("/");
  });

  it("the code of eight digits signs in the browser that requested it, and redirects to the target of that request", async () => {
    const app = createCodeApp();
    await app.browser.signIn("mail", { email: ADA, callbackUrl: "/dashboard" });
    expect(codeOf(app)).toMatch(/^\d{8}$/);
    const response = await app.browser.signIn("mail", {
      code: codeOf(app),
      callbackUrl: "/somewhere",
    });
    expect(locationOf(response)).toBe("/dashboard");
    expect(await app.browser.session()).toMatchObject({ user: { email: ADA } });
    expect([...app.adapter.users.values()]).toMatchObject([
      { email: ADA, emailVerified: expect.any(Date) },
    ]);
    expect(app.adapter.tokens.size).toBe(0);
    expect([...app.browser.cookies.keys()].join()).not.toContain("email-check");
  });

  it("the page after the request asks for the code, only in the browser that requested it", async () => {
    const app = createCodeApp();
    await app.browser.signIn("mail", { email: ADA });
    const page = await (await app.browser.get(NOTICE)).text();
    expect(page).toContain("Or enter the code from that email here:");
    const [input = ""] = /<input[^>]* name="code"[^>]*>/.exec(page) ?? [];
    for (const attribute of [
      ' autocomplete="one-time-code"',
      ' dir="ltr"',
      ' inputmode="numeric"',
      " required",
    ])
      expect(input).toContain(attribute);
    expect(page).toContain("Check your spam folder");
    expect(page).toContain('action="http://localhost:3000/auth/signin/mail"');
    expect(page).toContain('name="csrfToken"');
    const other = await (await app.openBrowser().get(NOTICE)).text();
    expect(other).not.toContain('name="code"');
    const wrong = await (await app.browser.get(WRONG)).text();
    expect(wrong).toContain("That code is wrong or has expired.");
    expect(wrong).toContain('role="alert"');
    const unknown = await (await app.browser.get(`${NOTICE}&error=toString`)).text();
    expect(unknown).toContain('name="code"');
    expect(unknown).not.toContain('role="alert"');
  });

  it("using the link or the code of an e-mail uses up the other one", async () => {
    const app = createCodeApp({ errors: "allowed" });
    const link = await app.requestLink();
    expect(await enter(app.browser, codeOf(app))).toBe("/");
    expect(locationOf(await app.openBrowser().get(link))).not.toBe("/");
    const later = await app.requestLink(ADA, app.openBrowser());
    const browser = app.openBrowser();
    await browser.signIn("mail", { email: ADA });
    const code = codeOf(app);
    const own = app.mails.at(-1)?.url.replace(/^https?:\/\/[^/]+/, "") ?? "";
    expect(own).not.toBe(later);
    expect(locationOf(await browser.get(own))).toBe("/");
    expect(await enter(browser, code)).toBe(WRONG);
  });

  it("a code is accepted however its digits are written", async () => {
    for (const write of [
      (code: string) => `${code.slice(0, 4)} ${code.slice(4)}`,
      (code: string) => ` ${code.slice(0, 4)}-${code.slice(4)}\u200b `,
      (code: string) =>
        code.replaceAll(/\d/g, (digit) => String.fromCodePoint(0xff10 + Number(digit))),
    ]) {
      const app = createCodeApp();
      await app.browser.signIn("mail", { email: ADA });
      expect(await enter(app.browser, write(codeOf(app)))).toBe("/");
    }
  });

  it("a click that is delivered twice leaves the browser with the code of its one e-mail", async () => {
    const app = createCodeApp();
    await app.browser.csrfToken();
    await Promise.all([1, 2].map(() => app.browser.signIn("mail", { email: ADA })));
    expect(app.mails).toHaveLength(1);
    expect(await enter(app.browser, codeOf(app))).toBe("/");
  });

  it("a click that is delivered to two processes leaves the browser with the code of its one e-mail, by either response", async () => {
    const backend = memoryBackend();
    const start = () =>
      createCodeApp({ adapter: null, plugins: [defineStore(backend), storeAdapter()] });
    const apps = [start(), start()] as const;
    const csrfToken = await apps[0].browser.csrfToken();
    const second = apps[1].openBrowser();
    for (const [name, value] of apps[0].browser.cookies) second.cookies.set(name, value);
    const ask = (browser: Browser) => browser.post("/auth/signin/mail", { csrfToken, email: ADA });
    await ask(apps[0].browser);
    await ask(second);
    const mails = apps.flatMap((app) => app.mails);
    expect(mails).toHaveLength(1);
    expect(await enter(second, mails[0]?.code ?? "")).toBe("/");
  });

  it("several browsers that request an e-mail for one address can each use only their own code", async () => {
    const app = createCodeApp();
    const browsers = [app.browser, app.openBrowser()];
    for (const browser of browsers) await browser.signIn("mail", { email: ADA });
    expect(await enter(app.browser, codeOf(app, 1))).toBe(WRONG);
    expect(await enter(app.browser, codeOf(app, 0))).toBe("/");
    expect(await enter(browsers[1]!, codeOf(app, 1))).toBe("/");
  });

  it("the code depends on the secret, so the hash in the database does not reveal it", async () => {
    const app = createCodeApp();
    await app.requestLink();
    const [{ token } = { token: "" }] = [...app.adapter.tokens.values()];
    expect(await deriveCode(token, SECRET)).toBe(codeOf(app));
    const mac = createHmac("sha256", SECRET).update(`keyhook email code ${token}`).digest("hex");
    expect(codeOf(app)).toBe(String(Number(`0x${mac.slice(0, 12)}`) % 10 ** 8).padStart(8, "0"));
  });

  it("a code that was mailed before the secrets were rotated is accepted", async () => {
    const adapter = createMailApp().adapter;
    const secrets = ["a".repeat(40), "b".repeat(40)] as const;
    const before = createCodeApp({ adapter, secret: [secrets[0]], errors: "allowed" });
    await before.browser.signIn("mail", { email: ADA });
    const after = createCodeApp({
      adapter,
      secret: [secrets[1], secrets[0]],
      errors: "allowed",
    });
    const browser = after.openBrowser();
    for (const [name, value] of before.browser.cookies) browser.cookies.set(name, value);
    expect(await enter(browser, codeOf(before))).toBe("/");
  });

  it("the codes of a provider with its own secret depend on that secret, and not on the application's", async () => {
    const app = createCodeApp({ mail: { secret: "a secret of the mails alone, 32 characters" } });
    await app.browser.signIn("mail", { email: ADA });
    const [stored] = [...app.adapter.tokens.values()];
    expect(codeOf(app)).not.toBe(await deriveCode(stored?.token ?? "", SECRET));
    expect(await enter(app.browser, codeOf(app))).toBe("/");
  });

  it("submitting the code twice continues to the target in the same browser, and reports a used code elsewhere", async () => {
    const app = createCodeApp();
    await app.browser.signIn("mail", { email: ADA, callbackUrl: "/dashboard" });
    expect(await enter(app.browser, codeOf(app))).toBe("/dashboard");
    expect(await enter(app.browser, codeOf(app))).toBe(WRONG);
    expect(locationOf(await app.browser.get(WRONG))).toBe("/dashboard");
    expect((await app.openBrowser().get(WRONG)).status).toBe(200);
    expect((await app.browser.get(NOTICE)).status).toBe(200);
  });

  it("the application's own page receives the error of the code, and posts it like the built-in page", async () => {
    const app = createCodeApp({ pages: { verifyRequest: "/check" } });
    await app.browser.signIn("mail", { email: ADA });
    const wrong = await app.browser.signIn("mail", { code: toOther(codeOf(app)) });
    const shown = await app.browser.get(locationOf(wrong));
    expect(locationOf(shown)).toBe("/check?provider=mail&type=email&error=InvalidEmailCode");
    expect(await enter(app.browser, codeOf(app))).toBe("/");
  });

  it("the e-mail contains the code in two halves, as text and as HTML, in the visitor's language", async () => {
    const app = createCodeApp({ use: [germanPlugin()] });
    await app.browser.signIn("mail", { email: ADA });
    const shown = codeOf(app).replace(/^.{4}/, "$& ");
    const { text, html } = app.mails[0]!.mail;
    expect(text).toContain(
      `Or enter this code on the page where you requested it, and nowhere else. It expires in 15 minutes.\n${shown}\n`,
    );
    expect(html).toContain(`<span dir="ltr">${shown}</span>`);
    const other = app.openBrowser();
    const csrfToken = await other.csrfToken();
    const fields = { email: "grace@example.com", csrfToken };
    await other.post("/auth/signin/mail", fields, { headers: { "accept-language": "de" } });
    expect(app.mails[1]?.mail.text).toContain("Gültigkeit: 15 Minuten.\n");
  });

  it("server-side calls and scripts receive the outcome of a code", async () => {
    const app = createCodeApp();
    await app.browser.signIn("mail", { email: ADA });
    const wrong = await app.browser.post(
      "/auth/signin/mail",
      { code: toOther(codeOf(app)), csrfToken: await app.browser.csrfToken() },
      { headers: { "x-auth-return-redirect": "1" } },
    );
    expect(new URL((await wrong.json()).url).searchParams.get("error")).toBe("InvalidEmailCode");
    const cookie = [...app.browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
    const request = new Request(`${ORIGIN}/check`, { headers: { cookie } });
    const call = (code: string) =>
      app.auth.signIn(request, "mail", { code, redirect: false, redirectTo: "/elsewhere" });
    await expect(call(toOther(codeOf(app)))).rejects.toMatchObject({ type: "InvalidEmailCode" });
    expect(await call(codeOf(app))).toBe(`${ORIGIN}/`);

    const failed: string[] = [];
    const watched = createCodeApp({
      use: [
        {
          name: "watch",
          setup: ({ events }) =>
            void events.hook("signInFailed", ({ error }) => void failed.push(error.name)),
        },
      ],
    });
    await watched.browser.signIn("mail", { email: ADA });
    await enter(watched.browser, toOther(codeOf(watched)));
    expect(failed).toEqual(["InvalidEmailCode"]);
  });
});

describe("codes of e-mails that are refused", () => {
  it("another browser cannot try a code, whatever its own cookies are", async () => {
    const app = createCodeApp();
    await app.browser.signIn("mail", { email: ADA });
    const thief = app.openBrowser();
    expect(await enter(thief, codeOf(app))).toBe(WRONG);
    await thief.signIn("mail", { email: "eve@example.com" });
    expect(await enter(thief, codeOf(app, 0))).toBe(WRONG);
    expect(await isSignedIn(thief)).toBe(false);
    // The cookie alone does not make another browser the requesting one.
    const planted = app.openBrowser();
    for (const [name, value] of app.browser.cookies) {
      if (name.includes("email-check")) planted.cookies.set(name, value);
    }
    expect(await enter(planted, codeOf(app, 0))).toBe(WRONG);
    expect(await enter(app.browser, codeOf(app, 0))).toBe("/");
  });

  it("a code is refused at another provider, and in a session of another user that began later", async () => {
    const mails: { code?: string; url: string }[] = [];
    const provider = {
      type: "email",
      code: true,
      sendVerificationRequest: (mail: { code?: string; url: string }) => void mails.push(mail),
    } as const;
    const app = createMailApp({
      providers: [
        { ...provider, id: "mail", name: "Mail" },
        { ...provider, id: "other", name: "Other" },
      ],
    });
    await app.browser.signIn("mail", { email: ADA });
    const code = mails[0]?.code ?? "";
    expect(locationOf(await app.browser.signIn("other", { code }))).toContain("InvalidEmailCode");
    const checks = [...app.browser.cookies].filter(([name]) => name.includes("email-check"));
    expect(checks).toHaveLength(1);
    const elsewhere = app.openBrowser();
    await elsewhere.signIn("mail", { email: "grace@example.com" });
    const { pathname, search } = new URL(mails[1]?.url ?? "");
    const confirmed = await press(app.browser, await app.browser.get(pathname + search));
    expect(locationOf(confirmed)).toBe("/");
    // The sign-in has cleared the cookie, but a sibling host could set it again.
    for (const [name, value] of checks) app.browser.cookies.set(name, value);
    expect(await enter(app.browser, code)).toBe(WRONG);
    expect(await app.browser.session()).toMatchObject({ user: { email: "grace@example.com" } });
  });

  it.each([
    ["no digits", ""],
    ["fewer digits", "1234567"],
    ["nothing but spaces", "    "],
    ["a very long text", "1".repeat(1000)],
  ])("%s is not accepted as a code", async (_, code) => {
    const app = createCodeApp();
    await app.browser.signIn("mail", { email: ADA });
    expect(await enter(app.browser, code)).toBe(WRONG);
  });

  it("a code that begins with zeros keeps all of them", async () => {
    const tokens = Array.from({ length: 100 }, (_, at) => `token ${at}`);
    const codes = await Promise.all(tokens.map((token) => deriveCode(token, SECRET)));
    expect(codes.filter((code) => !/^\d{8}$/.test(code))).toEqual([]);
    expect(codes.some((code) => code.startsWith("0"))).toBe(true);
  });

  it("a list of codes, an object, and a text of more than 64 characters are not accepted as codes", async () => {
    const app = createCodeApp();
    await app.browser.signIn("mail", { email: ADA });
    for (const code of [[codeOf(app)], { $ne: "" }, null, 0, codeOf(app) + " ".repeat(60)]) {
      const response = await app.browser.send("/auth/signin/mail", { json: { code } });
      expect(locationOf(response)).toBe(WRONG);
    }
  });

  it("five codes can be tried for an e-mail, however many requests run at once, and then the correct one is refused", async () => {
    const app = createCodeApp();
    await app.browser.signIn("mail", { email: ADA });
    const code = codeOf(app);
    const cookies = [...app.browser.cookies];
    const tries = await Promise.all(
      Array.from({ length: 12 }, async (_, at) => {
        const browser = app.openBrowser();
        for (const [name, value] of cookies) browser.cookies.set(name, value);
        return enter(browser, at < 5 ? toOther(code) : code);
      }),
    );
    expect(tries.filter((target) => target === WRONG)).toHaveLength(5);
    expect(tries.filter((target) => target === LOCKED)).toHaveLength(7);
    expect(await enter(app.browser, code)).toBe(LOCKED);
    // The link still works, because only codes can be guessed.
    expect(locationOf(await app.followLink(app.browser))).toBe("/");
  });

  it("a browser that has used up its codes requests another e-mail, whose code is accepted", async () => {
    const app = createCodeApp();
    await app.browser.signIn("mail", { email: ADA });
    for (let at = 0; at < 6; at++) await enter(app.browser, toOther(codeOf(app)));
    await app.browser.signIn("mail", { email: ADA });
    expect(await enter(app.browser, codeOf(app))).toBe("/");
  });

  it("a hundred wrong codes can be tried for an address in a day, even without rateLimit rules; correct codes do not count", async () => {
    using clock = createClock();
    const app = createCodeApp({ use: [rateLimit(false)] });
    const tryFive = async (isRight: boolean) => {
      const browser = app.openBrowser();
      await browser.signIn("mail", { email: ADA });
      const code = codeOf(app);
      for (let at = 0; at < 4; at++) await enter(browser, toOther(code));
      return enter(browser, isRight ? code : toOther(code));
    };
    for (let mail = 0; mail < 19; mail++) await tryFive(false);
    // Four wrong codes and a correct one: 99 of the 100 attempts are used up. Correct codes do not count, neither this
    // one nor the next three.
    expect(await tryFive(true)).toBe("/");
    for (let at = 0; at < 3; at++) {
      const browser = app.openBrowser();
      await browser.signIn("mail", { email: ADA });
      expect(await enter(browser, codeOf(app))).toBe("/");
    }
    expect(await tryFive(false)).toBe(LOCKED);
    const last = app.openBrowser();
    await last.signIn("mail", { email: ADA });
    expect(await enter(last, codeOf(app))).toBe(LOCKED);
    clock.advance("24 hours");
    await last.signIn("mail", { email: ADA });
    expect(await enter(last, codeOf(app))).toBe("/");
  });

  it("a cookie that lasts longer allows no more codes for an e-mail, and the log reports too many tries once", async () => {
    using clock = createClock();
    const app = createCodeApp({ cookies: { emailCheck: { options: { maxAge: 86_400 } } } });
    await app.browser.signIn("mail", { email: ADA });
    for (let at = 0; at < 8; at++) await enter(app.browser, toOther(codeOf(app)));
    expect(app.log.warnings.filter((code) => code === "email-code-attempts")).toHaveLength(1);
    clock.advance("1 hour");
    expect(await enter(app.browser, codeOf(app))).toBe(LOCKED);
  });

  it("each of several secrets has its own code, and all of them together have none", async () => {
    const secrets = ["a".repeat(40), "b".repeat(40)] as const;
    const app = createCodeApp({ secret: secrets });
    await app.browser.signIn("mail", { email: ADA });
    const [{ token } = { token: "" }] = [...app.adapter.tokens.values()];
    expect(codeOf(app)).toBe(await deriveCode(token, secrets[0]));
    expect(await enter(app.browser, await deriveCode(token, secrets.join(",")))).toBe(WRONG);
    expect(await enter(app.browser, await deriveCode(token, secrets[1]))).toBe("/");
  });

  it("a code expires with the cookie after 15 minutes, or earlier with the link", async () => {
    using clock = createClock();
    const app = createCodeApp();
    await app.browser.signIn("mail", { email: ADA });
    clock.advance("16 minutes");
    expect(await enter(app.browser, codeOf(app))).toBe(WRONG);
    const short = createCodeApp({ mail: { maxAge: 60 } });
    await short.browser.signIn("mail", { email: ADA });
    clock.advance("2 minutes");
    expect(await enter(short.browser, codeOf(short))).toBe(WRONG);
  });

  it("a refused sign-in leaves the code usable until its cause is fixed", async () => {
    let isOpen = false;
    const app = createCodeApp({
      callbacks: { signIn: ({ email }) => Boolean(email?.verificationRequest) || isOpen },
    });
    await app.browser.signIn("mail", { email: ADA });
    expect(await enter(app.browser, codeOf(app))).toBe("/auth/error?error=AccessDenied");
    expect(app.log.errors.map(String)).toEqual([
      'AccessDenied: The tap "config.callbacks" of the hook signIn refused the sign-in.',
    ]);
    isOpen = true;
    expect(await enter(app.browser, codeOf(app))).toBe("/");
  });

  it("one of many concurrent requests with the correct code signs in", async () => {
    const app = createCodeApp({ errors: "allowed" });
    await app.browser.signIn("mail", { email: ADA });
    const cookies = [...app.browser.cookies];
    const targets = await Promise.all(
      Array.from({ length: 5 }, () => {
        const browser = app.openBrowser();
        for (const [name, value] of cookies) browser.cookies.set(name, value);
        return enter(browser, codeOf(app));
      }),
    );
    expect(targets.filter((target) => target === "/")).toHaveLength(1);
  });

  it("without the option a posted code has no effect, and e-mail, page and cookie contain none", async () => {
    const app = createMailApp();
    await app.browser.signIn("mail", { email: ADA });
    expect(app.mails[0]).not.toHaveProperty("code");
    expect(app.mails[0]?.mail.text).not.toContain("code");
    expect(await (await app.browser.get(NOTICE)).text()).not.toContain('name="code"');
    expect(await enter(app.browser, "12345678")).toContain("error=EmailSignInError");
    expect(app.log.errors).toEqual([]);
  });

  it("a browser whose request a limit has refused gets the same response, and no code is accepted", async () => {
    const app = createCodeApp();
    for (let at = 0; at < 10; at++) await app.openBrowser().signIn("mail", { email: ADA });
    expect(locationOf(await app.browser.signIn("mail", { email: ADA }))).toBe(NOTICE);
    expect(app.mails).toHaveLength(10);
    expect(await (await app.browser.get(NOTICE)).text()).toContain('name="code"');
    for (const { code } of app.mails.slice(0, 4)) {
      expect(await enter(app.browser, code ?? "")).toBe(WRONG);
    }
  });

  it("sign-ins by code do not use up the e-mails of a limit", async () => {
    const app = createCodeApp();
    for (let at = 0; at < 9; at++) {
      const browser = app.openBrowser();
      await browser.signIn("mail", { email: `user${at}@example.com` });
      expect(await enter(browser, codeOf(app))).toBe("/");
      await browser.signIn("mail", { email: `user${at}@example.com` });
      expect(await enter(browser, codeOf(app))).toBe("/");
    }
  });

  it("an error while sending that quotes the e-mail does not put the code into the log", async () => {
    const sent: string[] = [];
    const app = createCodeApp({
      mail: {
        sendVerificationRequest({ code = "", mail }) {
          sent.push(code);
          throw new Error(
            `cannot send ${JSON.stringify({ code, text: mail.text, html: mail.html })}`,
          );
        },
      },
    });
    await app.browser.signIn("mail", { email: ADA });
    const text = JSON.stringify(app.log.errors.map((error) => [error.message, error.cause]));
    expect(text).toContain("cannot send");
    const [code = ""] = sent;
    expect(code).toMatch(/^\d{8}$/);
    for (const form of [code, `${code.slice(0, 4)} ${code.slice(4)}`])
      expect(text).not.toContain(form);
  });

  it("an option that is neither `true` nor `false` is a fault at boot", async () => {
    const app = createCodeApp({ mail: { code: 6 as never }, errors: "allowed" });
    const response = await app.browser.get("/auth/session");
    expect(response.status).toBe(500);
    expect(String(app.log.errors[0])).toContain("has a `code` that is neither `true` nor `false`");
  });
});
