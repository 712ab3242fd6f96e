import { createHash } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import { storeAdapter } from "../../plugins/adapters/store.ts";
import { rateLimit } from "../../plugins/security/rate-limit.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { AccessDenied, AuthError } from "../../src/errors.ts";
import { defineStore, skipCSRFCheck } from "../../src/kernel.ts";
import { createClock } from "../../src/testing/testing.ts";
import type { AdapterUser, SignInParams } from "../../src/types.ts";
import { locationOf, ORIGIN, SECRET } from "../_app.ts";
import { ADA, createMailApp, createTestAdapter, press } from "./_mail.ts";

const INVALID = "/auth/signin?error=EmailSignInError&code=invalid_address";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

describe("signing in by a mailed link", () => {
  it("mails a link that signs in the requesting browser without confirmation", async () => {
    const app = createMailApp();
    const asked = await app.browser.signIn("mail", { email: ADA, callbackUrl: "/dashboard" });
    expect([asked.status, locationOf(asked)]).toEqual([
      302,
      "/auth/verify-request?provider=mail&type=email",
    ]);
    const [request] = app.mails;
    expect(app.mails).toHaveLength(1);
    expect(request).toMatchObject({ identifier: ADA, provider: { id: "mail", maxAge: 86_400 } });
    expect(request?.token).toMatch(/^[0-9a-f]{64}$/);
    expect(request?.url).toBe(
      `${ORIGIN}/auth/callback/mail?callbackUrl=${encodeURIComponent(`${ORIGIN}/dashboard`)}` +
        `&token=${request?.token}&email=ada%40example.com`,
    );
    expect(request?.expires.getTime()).toBeCloseTo(Date.now() + 86_400_000, -4);

    const link = request?.url.slice(ORIGIN.length) ?? "";
    const entered = await app.browser.get(link);
    expect([entered.status, locationOf(entered)]).toEqual([302, "/dashboard"]);
    expect(await app.browser.session()).toMatchObject({ user: { email: ADA } });
    expect(app.log.errors).toEqual([]);
    expect([...app.adapter.users.values()]).toMatchObject([
      { email: ADA, emailVerified: expect.any(Date) },
    ]);
    expect(app.adapter.tokens.size).toBe(0);
    expect([...app.browser.cookies.keys()].join()).not.toContain("email-check");
  });

  it("refuses to link an address: the current session stays, and no e-mail is sent", async () => {
    const app = createMailApp();
    await app.browser.get(await app.requestLink());
    for (const link of ["true", "on", "1"]) {
      const refused = await app.browser.signIn("mail", { email: "new@example.com", link });
      expect(refused.status).toBe(400);
    }
    expect(app.log.errors).toEqual([]);
    expect(app.mails).toHaveLength(1);
    expect(await app.browser.session()).toMatchObject({ user: { email: ADA } });
    expect(app.adapter.users.size).toBe(1);
    await app.browser.signIn("mail", { email: "new@example.com", link: "false" });
    expect(app.mails).toHaveLength(2);
  });

  it("stores only the hash of the token, in the format of Auth.js", async () => {
    expect(sha256(`00ff${SECRET}`)).toBe(
      "6a5eb561ecda7744d4bd41a65d3bd3e3ee81589999eb1aac2bd2a79e117d8987",
    );
    const app = createMailApp({ mail: { generateVerificationToken: () => "00ff" } });
    await app.requestLink();
    expect([...app.adapter.tokens.values()]).toEqual([
      { identifier: ADA, token: sha256(`00ff${SECRET}`), expires: expect.any(Date) },
    ]);
  });

  it("a user who leaves the page that a sign-in with a used link waits at gets another link at once", async () => {
    const app = createMailApp({
      use: [
        {
          name: "terms",
          setup: ({ hooks }) => hooks.login.tap("terms", (_, ctx) => ctx.redirect("/terms")),
        },
      ],
    });
    for (let sent = 1; sent <= 2; sent++) {
      const link = await app.requestLink(ADA, app.browser);
      expect(app.mails).toHaveLength(sent);
      expect(locationOf(await app.browser.get(link))).toBe("/terms");
    }
  });

  it("stores the token before it sends the e-mail", async () => {
    const app = createMailApp({
      mail: { sendVerificationRequest: () => void app.adapter.calls.push("mail") },
    });
    await app.browser.signIn("mail", { email: ADA });
    expect(app.adapter.calls).toEqual(["getUserByEmail", "createVerificationToken", "mail"]);
  });

  it("sendVerificationRequest receives the request with its fields as JSON, and the rendered e-mail", async () => {
    const app = createMailApp({ theme: { brandColor: "#123456" } });
    await app.browser.signIn("mail", { email: ADA });
    const { request, theme, mail, url } = app.mails[0]!;
    expect(request.method).toBe("POST");
    expect(request.url).toBe(`${ORIGIN}/auth/signin/mail`);
    expect(await request.json()).toMatchObject({ email: ADA });
    expect(theme).toEqual({ brandColor: "#123456" });
    expect(mail).toMatchObject({ to: ADA, subject: "Sign in to localhost:3000", url });
  });

  it("callbacks and events receive the same parameters as in Auth.js", async () => {
    const asked: SignInParams[] = [];
    const events: unknown[] = [];
    const note = (name: string) => (message: unknown) => void events.push([name, message]);
    const app = createMailApp({
      callbacks: { signIn: (params) => (asked.push(params), true) },
      events: {
        createUser: note("createUser"),
        updateUser: note("updateUser"),
        linkAccount: note("linkAccount"),
        signIn: note("signIn"),
      },
    });
    await app.browser.get(await app.requestLink());
    const id = [...app.adapter.users.keys()][0];
    const user = { id: expect.any(String), email: ADA, emailVerified: null };
    const account = { provider: "mail", type: "email", providerAccountId: ADA };
    expect(asked).toEqual([
      {
        user,
        account: { ...account, userId: expect.any(String) },
        email: { verificationRequest: true },
      },
      { user, account: expect.objectContaining(account), emailVerified: true },
    ]);
    expect(events).toEqual([
      ["createUser", { user: { id, email: ADA, emailVerified: expect.any(Date) } }],
      [
        "signIn",
        {
          user: { id, email: ADA, emailVerified: expect.any(Date) },
          account: { ...account, userId: id },
          isNewUser: true,
        },
      ],
    ]);
  });

  it("keeps emailVerified of a verified address (M1), sets it for an unverified one (M2) and for a new user (M3)", async () => {
    const adapter = createTestAdapter();
    const since = new Date("2020-01-01");
    const add = (user: AdapterUser) => adapter.users.set(user.id, user);
    add({ id: "1", email: "proved@example.com", emailVerified: since });
    add({ id: "2", email: "unproved@example.com", emailVerified: null });
    const app = createMailApp({ adapter });
    for (const address of ["proved@example.com", "unproved@example.com", "new@example.com"]) {
      await app.browser.get(await app.requestLink(address));
      expect(await app.browser.session()).toMatchObject({ user: { email: address } });
    }
    const { users } = adapter;
    expect(users.get("1")?.emailVerified).toBe(since);
    expect(users.get("2")?.emailVerified?.getTime()).toBeCloseTo(Date.now(), -4);
    expect(users.size).toBe(3);
  });

  it("creates a database session when the strategy is `database`", async () => {
    const app = createMailApp({ session: { strategy: "database" } });
    await app.browser.get(await app.requestLink());
    expect(app.adapter.sessions.size).toBe(1);
    expect(await app.browser.session()).toMatchObject({ user: { email: ADA } });
  });

  it("auth.signIn() mails a link when server code calls it", async () => {
    const app = createMailApp();
    const call = new Request(`${ORIGIN}/page`);
    const target = await app.auth.signIn(call, "mail", { email: ADA, redirect: false });
    expect(target).toBe(`${ORIGIN}/auth/verify-request?provider=mail&type=email`);
    expect(app.mails).toHaveLength(1);
  });

  it("the sign-in page shows one e-mail field and prefills the address from the query", async () => {
    const app = createMailApp();
    const html = await (await app.browser.get("/auth/signin?email=ada%40example.com")).text();
    expect(html).toMatch(/<input id="input-email-for-mail-provider" name="email" type="email"/);
    expect(html).toMatch(/value="ada@example.com"/);
    expect(html).toMatch(/ required/);
    expect(html).toMatch(/action="http:\/\/localhost:3000\/auth\/signin\/mail"/);
  });

  it("redirects to pages.verifyRequest after the e-mail is sent", async () => {
    const app = createMailApp({ pages: { verifyRequest: "/sent" } });
    const asked = await app.browser.signIn("mail", { email: ADA });
    const shown = await app.browser.get(locationOf(asked));
    expect(locationOf(shown)).toBe("/sent?provider=mail&type=email");
  });
});

describe("the link of a sign-in e-mail", () => {
  it("a link signs in once and then leads to the Verification error page", async () => {
    const app = createMailApp({ errors: "allowed" });
    const link = await app.requestLink();
    await app.browser.get(link);
    for (const browser of [app.browser, app.openBrowser()]) {
      const page = await browser.get(link);
      const again = page.status === 200 ? await press(browser, page) : page;
      expect(locationOf(again)).toBe("/auth/error?error=Verification");
      expect(again.headers.getSetCookie().join()).not.toContain("session-token");
    }
    const page = await app.browser.get("/auth/error?error=Verification");
    expect(page.status).toBe(403);
    expect(await page.text()).toContain("You’re signed in, so you don’t need a new one.");
  });

  it.each(["auto", "never"] as const)(
    "exactly one of 50 concurrent requests for a link signs in (confirm: %s)",
    async (confirm) => {
      for (let round = 0; round < 20; round++) {
        const app = createMailApp({ errors: "allowed", mail: { confirm } });
        const link = await app.requestLink();
        const all = await Promise.all(Array.from({ length: 50 }, () => app.browser.get(link)));
        const entered = all.filter((response) =>
          response.headers.getSetCookie().some((cookie) => cookie.includes("session-token=ey")),
        );
        expect(entered).toHaveLength(1);
        expect(app.adapter.users.size).toBe(1);
      }
    },
  );

  it("exactly one of 50 concurrent submissions of the confirmation form signs in", async () => {
    const app = createMailApp({ errors: "allowed" });
    const link = await app.requestLink();
    const other = app.openBrowser();
    const pages = await Promise.all(Array.from({ length: 50 }, () => other.get(link)));
    const token = await other.csrfToken();
    const fields = { csrfToken: token, ...Object.fromEntries(new URL(link, ORIGIN).searchParams) };
    const all = await Promise.all(pages.map(() => other.post("/auth/callback/mail", fields)));
    const ends = all.map(locationOf).toSorted();
    expect(ends.slice(0, 2)).toEqual(["/", "/auth/error?error=Verification"]);
    expect(new Set(ends.slice(1))).toEqual(new Set(["/auth/error?error=Verification"]));
  });

  it("a link expires after maxAge seconds", async () => {
    const app = createMailApp({ errors: "allowed", mail: { maxAge: 60 } });
    const early = await app.requestLink();
    const late = await app.requestLink();
    using clock = createClock();
    clock.advance("59 seconds");
    expect(locationOf(await app.browser.get(early))).toBe("/");
    clock.advance("2 seconds");
    const other = app.openBrowser();
    expect(locationOf(await press(other, await other.get(late)))).toBe(
      "/auth/error?error=Verification",
    );
  });

  it.each([
    ["another address", { email: "eve@example.com" }],
    ["no address", { email: "" }],
    ["another token", { token: "0".repeat(64) }],
    ["no token", { token: "" }],
    ["half a token", { token: undefined }],
    ["the stored hash as token", { token: "hash" }],
  ])("a link changed to %s is refused and the original stays valid", async (_, change) => {
    const app = createMailApp({ errors: "allowed", mail: { confirm: "never" } });
    const link = await app.requestLink();
    const url = new URL(link, ORIGIN);
    for (const [name, value] of Object.entries(change)) {
      const hash = [...app.adapter.tokens.values()][0]?.token ?? "";
      const half = url.searchParams.get("token")?.slice(0, 32) ?? "";
      url.searchParams.set(name, value === "hash" ? hash : (value ?? half));
    }
    const refused = await app.browser.get(url.pathname + url.search);
    expect(locationOf(refused)).toBe("/auth/error?error=Verification");
    expect(await app.browser.session()).toBeNull();
    expect(locationOf(await app.browser.get(link))).toBe("/");
  });

  it("a link signs no one in at another address, even if the adapter compares only the token", async () => {
    const adapter = createTestAdapter();
    adapter.useVerificationToken = async ({ token }) => {
      const found = [...adapter.tokens.values()].find((row) => row.token === token) ?? null;
      adapter.tokens.clear();
      return found;
    };
    const app = createMailApp({ errors: "allowed", adapter, mail: { confirm: "never" } });
    const link = await app.requestLink();
    const refused = await app.browser.get(link.replace("email=ada", "email=eve"));
    expect(locationOf(refused)).toBe("/auth/error?error=Verification");
    expect(await app.browser.session()).toBeNull();
    expect(adapter.users.size).toBe(0);
  });

  it.each(["", "no date", null, undefined, Number.NaN])(
    "a link whose stored expiry is %j signs no one in",
    async (expires) => {
      const adapter = createTestAdapter();
      const { useVerificationToken } = adapter;
      adapter.useVerificationToken = async (key) => {
        const row = await useVerificationToken?.(key);
        return row ? { ...row, expires: expires as unknown as Date } : null;
      };
      const app = createMailApp({ errors: "allowed", adapter, mail: { confirm: "never" } });
      expect(locationOf(await app.browser.get(await app.requestLink()))).toBe(
        "/auth/error?error=Verification",
      );
      expect(await app.browser.session()).toBeNull();
    },
  );

  it("a link is accepted in any spelling of its address", async () => {
    const app = createMailApp();
    const link = await app.requestLink(" ADA@Example.COM ");
    expect(app.mails[0]?.identifier).toBe(ADA);
    expect(locationOf(await app.browser.get(link.replace("ada%40", "%20ADA%40")))).toBe("/");
  });

  it("a link never redirects to another origin", async () => {
    const app = createMailApp({ mail: { confirm: "never" } });
    for (const target of ["https://evil.example/", "//evil.example", "javascript:alert(1)"]) {
      await app.browser.signIn("mail", { email: ADA, callbackUrl: target });
      const url = new URL(app.mails.at(-1)?.url ?? "");
      expect(url.searchParams.get("callbackUrl")).not.toContain("evil.example/");
      // Anyone who forwards the link may have changed it.
      url.searchParams.set("callbackUrl", target);
      const entered = await app.openBrowser().get(url.pathname + url.search);
      expect(new URL(entered.headers.get("location") ?? "").origin).toBe(ORIGIN);
    }
  });

  it("a link stays valid when the signIn callback refuses it", async () => {
    let isOpen = false;
    const app = createMailApp({
      errors: "allowed",
      callbacks: { signIn: ({ email }) => email?.verificationRequest === true || isOpen },
    });
    const link = await app.requestLink();
    expect(locationOf(await app.browser.get(link))).toBe("/auth/error?error=AccessDenied");
    expect(await app.browser.session()).toBeNull();
    isOpen = true;
    await app.requestLink("other@example.com");
    const other = app.openBrowser();
    expect(locationOf(await press(other, await other.get(link)))).toBe("/");
    expect(locationOf(await press(other, await other.get(link)))).toContain("Verification");
  });

  it("a link stays valid after a rotation of secrets", async () => {
    const adapter = createTestAdapter();
    const before = createMailApp({ adapter });
    const [kept, legacy] = [await before.requestLink(), "legacy"];
    const fresh = "a-new-secret-that-is-32-characters!";
    const secrets = [fresh, SECRET];
    // Auth.js hashes with all secrets joined by commas.
    const expires = new Date(Date.now() + 60_000);
    const joined = sha256(legacy + secrets.join(","));
    await adapter.createVerificationToken?.({ identifier: ADA, token: joined, expires });
    const after = createMailApp({ adapter, secret: secrets, mail: { confirm: "never" } });
    expect(locationOf(await after.browser.get(kept))).toBe("/");
    const path = `/auth/callback/mail?token=${legacy}&email=${ADA}`;
    expect(locationOf(await after.browser.get(path))).toBe("/");
    const dropped = createMailApp({
      errors: "allowed",
      adapter,
      secret: fresh,
      mail: { confirm: "never" },
    });
    const later = await before.requestLink();
    expect(locationOf(await dropped.browser.get(later))).toContain("Verification");
  });

  it("the token is hashed with the provider's own secrets when it has some", async () => {
    const adapter = createTestAdapter();
    const own = ["own-new", "own-old"];
    const old = createMailApp({ adapter, mail: { secret: "own-old" } });
    const link = await old.requestLink();
    expect([...adapter.tokens.values()][0]?.token).toBe(sha256(`${old.mails[0]?.token}own-old`));
    const app = createMailApp({ adapter, mail: { secret: own, confirm: "never" } });
    expect(locationOf(await app.browser.get(link))).toBe("/");
    await app.requestLink();
    expect([...adapter.tokens.values()][0]?.token).toBe(sha256(`${app.mails[0]?.token}own-new`));
  });

  it("two links for the same address are valid at the same time", async () => {
    const app = createMailApp();
    const [first, second] = [await app.requestLink(), await app.requestLink()];
    expect(locationOf(await app.browser.get(first))).toBe("/");
    const other = app.openBrowser();
    expect(locationOf(await press(other, await other.get(second)))).toBe("/");
  });
});

describe("link scanners and prefetching", () => {
  const scans: [string, RequestInit][] = [
    ["GET from another client", {}],
    ["GET with a browser's headers", { headers: { "sec-fetch-dest": "document" } }],
  ];
  it.each(scans)("a scanner's requests do not use up the link: %s", async (_, init) => {
    const app = createMailApp();
    const link = await app.requestLink();
    const scanner = app.openBrowser();
    for (let at = 0; at < 3; at++) expect((await scanner.get(link, init)).status).toBe(200);
    expect(app.adapter.tokens.size).toBe(1);
    expect(app.adapter.calls).not.toContain("useVerificationToken");
    expect(locationOf(await app.browser.get(link))).toBe("/");
  });

  it("a link signs in even if a `redirect` tap now throws for its target", async () => {
    let isGone = false;
    const redirect = ({ url }: { url: string }) => {
      if (isGone && url.includes("gone")) throw new Error("There is no such page.");
      return url;
    };
    const app = createMailApp({ callbacks: { redirect } });
    await app.browser.signIn("mail", { email: "ada@example.com", callbackUrl: "/gone" });
    isGone = true;
    expect((await app.followLink()).headers.get("location")).toBe(`${ORIGIN}/`);
    expect(await app.browser.session()).not.toBeNull();
    expect(app.log.errors).toEqual([]);
  });

  it.each(["auto", "always", "never"] as const)(
    "a HEAD request does not use up the link (confirm: %s)",
    async (confirm) => {
      const app = createMailApp({ mail: { confirm } });
      const link = await app.requestLink();
      const head = new Request(ORIGIN + link, { method: "HEAD" });
      expect((await app.auth.fetch(head)).status).toBe(200);
      expect(app.adapter.tokens.size).toBe(1);
    },
  );

  it.each([
    { "sec-purpose": "prefetch;prerender" },
    { purpose: "preview" },
    { "x-moz": "prefetch" },
    { "sec-fetch-dest": "image" },
    { "sec-fetch-dest": "iframe" },
    { "sec-fetch-dest": "empty", "sec-fetch-site": "cross-site" },
    { "x-purpose": "preview" },
  ])("a prefetch in the requesting browser does not use up the link: %o", async (headers) => {
    const app = createMailApp();
    const link = await app.requestLink();
    expect((await app.browser.get(link, { headers })).status).toBe(200);
    expect(await app.browser.session()).toBeNull();
    expect(locationOf(await app.browser.get(link))).toBe("/");
  });

  it("a same-origin fetch of the application's own script signs in", async () => {
    const app = createMailApp();
    const headers = { "sec-fetch-dest": "empty", "sec-fetch-site": "same-origin" };
    expect(locationOf(await app.browser.get(await app.requestLink(), { headers }))).toBe("/");
  });

  it("any GET request uses up the link when `confirm` is `never`", async () => {
    const app = createMailApp({ mail: { confirm: "never" } });
    expect(locationOf(await app.openBrowser().get(await app.requestLink()))).toBe("/");
  });
});

describe("confirmation page of a mailed link", () => {
  it("a browser that did not request the link sees the confirmation page and signs in by its button", async () => {
    const app = createMailApp();
    await app.browser.signIn("mail", { email: ADA, callbackUrl: "/dashboard?a=1&b=2" });
    const link = app.mails[0]?.url.slice(ORIGIN.length) ?? "";
    const other = app.openBrowser();
    const page = await other.get(link);
    expect(page.status).toBe(200);
    const html = await page.clone().text();
    expect(html).toContain(`You’re signing in as ${ADA}`);
    expect(html.match(/<button/g)).toHaveLength(1);
    const entered = await press(other, page);
    expect([entered.status, locationOf(entered)]).toEqual([302, "/dashboard?a=1&b=2"]);
    expect(await other.session()).toMatchObject({ user: { email: ADA } });
    expect(await app.browser.session()).toBeNull();
  });

  it("the requesting browser sees the confirmation page too when `confirm` is `always`", async () => {
    const app = createMailApp({ mail: { confirm: "always" } });
    const page = await app.browser.get(await app.requestLink());
    expect(page.status).toBe(200);
    expect(locationOf(await press(app.browser, page))).toBe("/");
  });

  it("the confirmation page sends no referrer, is not cached and cannot be framed", async () => {
    const app = createMailApp();
    const page = await app.openBrowser().get(await app.requestLink());
    expect(page.headers.get("referrer-policy")).toBe("no-referrer");
    expect(page.headers.get("cache-control")).toContain("no-store");
    expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(await page.text()).toContain('<meta name="referrer" content="strict-origin">');
    expect(await (await app.browser.get("/auth/signin")).text()).not.toContain('name="referrer"');
  });

  it("the confirmation form requires the CSRF token of its browser", async () => {
    const app = createMailApp({ errors: "allowed" });
    const link = await app.requestLink();
    const fields = Object.fromEntries(new URL(link, ORIGIN).searchParams);
    const bare = await app.openBrowser().post("/auth/callback/mail", fields);
    expect(locationOf(bare)).toBe("/auth/signin?error=MissingCSRF");
    const other = app.openBrowser();
    const foreign = { ...fields, csrfToken: await app.browser.csrfToken() };
    await other.csrfToken();
    const crossed = await other.post("/auth/callback/mail", foreign);
    expect(locationOf(crossed)).toBe("/auth/signin?error=MissingCSRF");
    expect(app.adapter.tokens.size).toBe(1);
  });

  it("a victim who opens an attacker's link sees the confirmation page (hijack)", async () => {
    const app = createMailApp();
    const attacker = app.openBrowser();
    const trap = await app.requestLink("attacker@example.com", attacker);
    // The victim has also requested a link, for another address.
    const own = await app.requestLink(ADA);
    const page = await app.browser.get(trap);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain("You’re signing in as attacker@example.com");
    expect(await app.browser.session()).toBeNull();
    expect(locationOf(await app.browser.get(own))).toBe("/");
  });

  it("a link whose request was planted over http shows the confirmation page before it replaces another user's session", async () => {
    const app = createMailApp();
    await app.browser.get(await app.requestLink(ADA));
    const attacker = app.openBrowser();
    const trap = await app.requestLink("attacker@example.com", attacker);
    // Over plain http no cookie name has a prefix, so the cookie that identifies the browser can be planted too.
    for (const [name, value] of attacker.cookies) app.browser.cookies.set(name, value);
    expect((await app.browser.get(trap)).status).toBe(200);
    expect(await app.browser.session()).toMatchObject({ user: { email: ADA } });
  });

  it("the confirmation page is shown when the email-check cookie is another provider's, broken or expired", async () => {
    const app = createMailApp();
    const link = await app.requestLink();
    const { cookies } = app.browser;
    const good = cookies.get("authjs.email-check") ?? "";
    for (const value of ["x", good.slice(1), "ey.ey.ey.ey.ey"]) {
      cookies.set("authjs.email-check", value);
      expect((await app.browser.get(link)).status).toBe(200);
      expect(cookies.has("authjs.email-check")).toBe(false);
    }
    const twin = { id: "twin", name: "Twin", type: "email", sendVerificationRequest() {} } as const;
    const other = createMailApp({ adapter: app.adapter, providers: [twin] });
    // With the cookies that identify this browser.
    for (const [name, value] of cookies) other.browser.cookies.set(name, value);
    other.browser.cookies.set("authjs.email-check", good);
    const elsewhere = await other.browser.get(link.replace("/mail?", "/twin?"));
    expect(elsewhere.status).toBe(200);

    cookies.set("authjs.email-check", good);
    using clock = createClock();
    clock.advance("17 minutes");
    expect((await app.browser.get(link)).status).toBe(200);
    clock.restore();
    expect(locationOf(await press(app.browser, await app.browser.get(link)))).toBe("/");
  });
});

describe("POST /signin/:email-provider", () => {
  it("a known and an unknown address get the same response", async () => {
    const adapter = createTestAdapter();
    adapter.users.set("1", { id: "1", email: ADA, emailVerified: new Date() });
    const app = createMailApp({ adapter });
    const known = await app.openBrowser().signIn("mail", { email: ADA });
    const unknown = await app.openBrowser().signIn("mail", { email: "eve@example.com" });
    const shape = async (response: Response) => [
      response.status,
      [...response.headers.keys()].toSorted(),
      response.headers.get("location"),
      response.headers.getSetCookie().map((cookie) => cookie.replace(/=[^;]*/, "")),
      await response.text(),
    ];
    expect(await shape(known)).toEqual(await shape(unknown));
    const calls = adapter.calls.join();
    expect(calls).toBe([...Array(2)].map(() => "getUserByEmail,createVerificationToken").join());
    expect(app.mails).toHaveLength(2);
  });

  it("a known and an unknown address cause the same store operations (R15)", async () => {
    const backend = memoryBackend();
    const operations: string[] = [];
    for (const name of ["get", "put", "putIfAbsent"] as const) {
      const operate = backend[name] as (...args: unknown[]) => unknown;
      Object.assign(backend, {
        [name]: (...args: unknown[]) => {
          operations.push(name);
          return operate(...args);
        },
      });
    }
    const app = createMailApp({ adapter: null, store: backend });
    await app.browser.get(await app.requestLink());
    const ask = async (email: string) => {
      operations.length = 0;
      await app.openBrowser().signIn("mail", { email });
      return operations.splice(0);
    };
    expect(await ask(ADA)).toEqual(await ask("eve@example.com"));
  });

  it("a known and an unknown address with an internationalized host cause the same adapter calls (R15)", async () => {
    const app = createMailApp({ adapter: null, store: memoryBackend(), record: true });
    await app.browser.get(await app.requestLink("ada@bücher.example"));
    const ask = async (email: string) => {
      app.callNames();
      await app.openBrowser().signIn("mail", { email });
      return app.callNames();
    };
    expect(await ask("ada@bücher.example")).toEqual(await ask("eve@bücher.example"));
  });

  it("a request for a link passes the stored user of the address to the signIn hook", async () => {
    const asked: [user: unknown, storedUser: unknown][] = [];
    const app = createMailApp({
      use: [
        {
          name: "listen",
          setup: ({ hooks }) =>
            hooks.signIn.tap("listen", ({ user, storedUser }) => {
              asked.push([user.id, storedUser?.id]);
            }),
        },
      ],
    });
    await app.browser.get(await app.requestLink());
    const [id] = app.adapter.users.keys();
    asked.length = 0;
    await app.requestLink(ADA, app.openBrowser());
    expect(asked).toEqual([[id, id]]);
  });

  it("correct tokens do not count as attempts", async () => {
    const app = createMailApp({
      mail: {
        generateVerificationToken: () => "123456",
        confirm: "never",
        attempts: { max: 2, window: 900 },
      },
    });
    for (let at = 0; at < 5; at++) {
      const browser = app.openBrowser();
      await browser.get(await app.requestLink(ADA, browser));
      expect(await browser.session()).toMatchObject({ user: { email: ADA } });
    }
  });

  it("another link can be requested at once after one was used", async () => {
    const app = createMailApp();
    await app.browser.get(await app.requestLink());
    await app.browser.signIn("mail", { email: ADA });
    expect(app.mails).toHaveLength(2);
  });

  it("limits the attempts at guessing a short token", async () => {
    const app = createMailApp({
      errors: "allowed",
      mail: { generateVerificationToken: () => "123456", confirm: "never", maxAge: 600 },
    });
    const link = await app.requestLink();
    const guess = (token: number) => link.replace("123456", String(token));
    const all = await Promise.all(
      Array.from({ length: 30 }, (_, at) => app.openBrowser().get(guess(100_000 + at))),
    );
    expect(new Set(all.map(locationOf))).toEqual(new Set(["/auth/error?error=Verification"]));
    expect(app.adapter.calls.filter((name) => name === "useVerificationToken")).toHaveLength(10);
    expect(locationOf(await app.browser.get(link))).toBe("/auth/error?error=Verification");
    expect(app.log.warnings).toEqual(["email-attempts"]);
  });

  it("guesses through another provider's callback count against the same limit", async () => {
    const sendVerificationRequest = () => {};
    const base = { type: "email", sendVerificationRequest, confirm: "never" } as const;
    const app = createMailApp({
      errors: "allowed",
      providers: [
        { ...base, id: "code", name: "Code", generateVerificationToken: () => "123456" },
        { ...base, id: "link", name: "Link" },
      ],
    });
    await app.browser.signIn("code", { email: ADA });
    const tries = Array.from({ length: 30 }, (_, at) => {
      const id = at % 2 ? "link" : "code";
      return app.openBrowser().get(`/auth/callback/${id}?email=${ADA}&token=${100_000 + at}`);
    });
    await Promise.all(tries);
    expect(app.adapter.calls.filter((name) => name === "useVerificationToken")).toHaveLength(10);
  });

  it("the signIn callback refuses a request before a token is stored or an e-mail sent", async () => {
    const app = createMailApp({ errors: "allowed", callbacks: { signIn: () => false } });
    const asked = await app.browser.signIn("mail", { email: ADA });
    expect(locationOf(asked)).toBe("/auth/error?error=AccessDenied");
    expect(app.adapter.calls).toEqual(["getUserByEmail"]);
    expect(app.mails).toEqual([]);
    const elsewhere = createMailApp({ callbacks: { signIn: () => "/waiting-list" } });
    const led = await elsewhere.browser.signIn("mail", { email: ADA });
    expect(locationOf(led)).toBe("/waiting-list");
    expect(elsewhere.mails).toEqual([]);
  });

  it("an error that the signIn callback throws at a request is the cause of AccessDenied, even an AuthError, as in Auth.js", async () => {
    class TooMany extends AuthError {}
    const reason = new TooMany("three links were sent");
    const signIn = () => {
      throw reason;
    };
    const { auth, log, mails } = createMailApp({ errors: "allowed", callbacks: { signIn } });
    const call = { req: new Request(ORIGIN), res: { headers: new Headers() } };
    const asked = auth.signIn(call, "mail", { email: ADA, redirect: false });
    const error = await asked.catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(AccessDenied);
    expect((error as AuthError).cause?.err).toBe(reason);
    expect(mails).toEqual([]);
    log.expectErrors("AccessDenied");
  });

  it("refuses to mail a link without a CSRF token", async () => {
    const app = createMailApp({ errors: "allowed" });
    const asked = await app.browser.post("/auth/signin/mail", { email: ADA });
    expect(locationOf(asked)).toBe("/auth/signin?error=MissingCSRF");
    expect(app.mails).toEqual([]);
  });
});

describe("sendVerificationRequest that fails", () => {
  it("a failed e-mail leaves no token, is logged without secrets, and can be requested again at once", async () => {
    let isDown = true;
    const app = createMailApp({
      use: [rateLimit({ rules: { "email-account": { max: 1 } } })],
      mail: {
        sendVerificationRequest(request) {
          if (isDown) throw new Error(`550 no such user <${ADA}>, ${request.url} ${SECRET}`);
          app.mails.push(request);
        },
      },
    });
    for (let at = 0; at < 3; at++) {
      const asked = await app.browser.signIn("mail", { email: ADA });
      expect(locationOf(asked)).toBe("/auth/signin?error=EmailSignInError");
      expect(app.adapter.tokens.size).toBe(0);
    }
    const page = await app.browser.get("/auth/signin?error=EmailSignInError");
    expect(await page.text()).toContain("We couldn’t send the email.");
    const [error] = app.log.errors;
    expect(error).toMatchObject({ type: "EmailSignInError", status: 503 });
    const said = JSON.stringify([error?.message, error?.cause, error?.stack]);
    expect(error?.message).toContain("550 no such user");
    for (const secret of ["ada@", "ada%40", "token=", SECRET]) expect(said).not.toContain(secret);

    isDown = false;
    expect(locationOf(await app.browser.get(await app.requestLink()))).toBe("/");
  });

  it("a failed message does not put codes, telephone numbers or the secret into the log", async () => {
    const secret = "words, as people choose them for a secret";
    const app = createMailApp({
      secret,
      mail: {
        generateVerificationToken: () => "123456",
        normalizeIdentifier: (text) => text.replace(/\D/g, ""),
        sendVerificationRequest({ token, identifier }) {
          throw new Error(`503 "Code ${token}" to ${identifier}: ${secret}`);
        },
      },
    });
    await app.browser.signIn("mail", { email: "+49 30 1234" });
    const [error] = app.log.errors;
    expect(error?.message).toContain('503 "Code ..." to ...: ...');
    const said = JSON.stringify([error?.message, error?.cause, error?.stack]);
    for (const known of ["123456", "1234", secret]) expect(said).not.toContain(known);
  });

  it("sending an e-mail times out after ten seconds and leaves no token", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const app = createMailApp({
        errors: "allowed",
        mail: { sendVerificationRequest: () => new Promise<void>(() => {}) },
      });
      app.adapter.useVerificationToken = async (key) => {
        app.adapter.tokens.clear();
        return { ...key, expires: new Date() };
      };
      const asked = app.browser.signIn("mail", { email: ADA });
      await vi.waitFor(() => expect(app.adapter.tokens.size).toBe(1));
      await vi.advanceTimersByTimeAsync(10_000);
      expect(locationOf(await asked)).toBe("/auth/signin?error=EmailSignInError");
      expect(app.adapter.tokens.size).toBe(0);
    } finally {
      vi.useRealTimers();
    }
  });

  it("no e-mail is sent when the token cannot be stored", async () => {
    const app = createMailApp({ errors: "allowed" });
    app.adapter.createVerificationToken = () => Promise.reject(new Error("full"));
    const asked = await app.browser.signIn("mail", { email: ADA });
    expect(locationOf(asked)).toBe("/auth/error?error=Configuration");
    expect(app.mails).toEqual([]);
  });

  it("a failed e-mail is logged even if its token cannot be removed", async () => {
    const app = createMailApp({
      mail: { sendVerificationRequest: () => Promise.reject(new Error("down")) },
    });
    app.adapter.useVerificationToken = () => Promise.reject(new Error("down too"));
    const asked = await app.browser.signIn("mail", { email: ADA });
    expect(locationOf(asked)).toBe("/auth/signin?error=EmailSignInError");
    expect(app.log.errors).toHaveLength(2);
  });
});

describe("e-mail addresses in POST /signin/:email-provider", () => {
  const refused = [
    "",
    " ",
    "ada",
    "@example.com",
    "ada@",
    "ada@@example.com",
    "ada@example.com@evil.example",
    "ada＠example.com@evil.example",
    "ada﹫x@evil.example",
    '"ada@evil.example"@example.com',
    '"ada"@example.com',
    "a,b@example.com",
    "a;b@example.com",
    "ada@example.com\nbcc: eve@evil.example",
    "ada\r\nBcc: eve@evil.example",
    "ada@exam\nple.com",
    "ada <ada@example.com>",
    "<ada@example.com>",
    "ada@example.com>",
    "ada(comment)@example.com",
    "ada@exa mple.com",
    "ada @example.com",
    "ada@[127.0.0.1]",
    "ada@example..com",
    "ada@.example.com",
    "ada@example.com.",
    "ada@-example.com",
    "ada\u0000@example.com",
    "ada\u200b@example.com",
    "ada@example\u202e.com",
    "-oQ/tmp@example.com",
    "root@localhost",
    "ada@127.0.0.1",
    "ada@exa\u0335mple.com",
    "<script>@example.com",
    "ada@<b>example.com",
    `${"a".repeat(65)}@example.com`,
    `ada@${"a".repeat(64)}.com`,
    `ada@${"a.".repeat(130)}com`,
    "a".repeat(60_000),
    `${"a@".repeat(10_000)}b`,
  ];
  it.each(refused.map((email) => [email.slice(0, 60), email]))(
    "refuses %j, which is not a valid address",
    async (_, email) => {
      const app = createMailApp({ errors: "allowed" });
      const asked = await app.browser.signIn("mail", { email });
      expect(locationOf(asked)).toBe(INVALID);
      expect(app.mails).toEqual([]);
      expect(app.adapter.calls).toEqual([]);
    },
  );

  it.each([
    ["ada@example.com", "ada@example.com"],
    [" ADA@EXAMPLE.COM ", "ada@example.com"],
    ["ａｄａ@ｅｘａｍｐｌｅ.ｃｏｍ", "ada@example.com"],
    ["ada@example.com,eve@evil.example".split(",")[0] + ",evil.example", "ada@example.com"],
    ["o'brien+tag.x@mail.example.co.uk", "o'brien+tag.x@mail.example.co.uk"],
    ["jörg@bücher.example", "jörg@xn--bcher-kva.example"],
    ["用户@例子.example", "用户@xn--fsqu00a.example"],
  ])("accepts the address %j", async (email, address) => {
    const app = createMailApp();
    await app.browser.signIn("mail", { email });
    expect(app.mails.map(({ identifier, mail }) => [identifier, mail.to])).toEqual([
      [address, address],
    ]);
    expect(locationOf(await app.browser.get(app.mails[0]!.url.slice(ORIGIN.length)))).toBe("/");
  });

  it("refuses an address that is not a string", async () => {
    const app = createMailApp({ errors: "allowed" });
    const csrfToken = await app.browser.csrfToken();
    for (const email of [[ADA], { toString: ADA }, 1, null, true]) {
      const asked = await app.browser.post(
        "/auth/signin/mail",
        {},
        {
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ csrfToken, email }),
        },
      );
      expect(locationOf(asked)).toBe(INVALID);
    }
  });

  it("normalizeIdentifier is applied to the address of the request and of the link", async () => {
    const normalizeIdentifier = (text: string) => {
      if (text.includes("spam")) throw new Error(`no ${text}`);
      return text.toLowerCase().replace(/\+.*@/, "@");
    };
    const app = createMailApp({ mail: { normalizeIdentifier } });
    const link = await app.requestLink("ada+news@example.com");
    expect(app.mails[0]?.identifier).toBe(ADA);
    expect(locationOf(await app.browser.get(link.replace("ada%40", "ADA%2Bx%40")))).toBe("/");
    const asked = await app.browser.signIn("mail", { email: "spam@example.com" });
    expect(locationOf(asked)).toBe(INVALID);
    expect(JSON.stringify(app.log.errors.map(({ message }) => message))).not.toContain("spam");
  });

  it.each([
    ["adds a host", (text: string) => `${text}@example.com`],
    [
      "refuses what it has returned",
      (text: string) => {
        if (text.includes("@")) throw new Error("a name, please");
        return `${text}@example.com`;
      },
    ],
  ])(
    "a normalizeIdentifier that %s, whose links would not be accepted, sends none",
    async (_, normalizeIdentifier) => {
      const app = createMailApp({ mail: { normalizeIdentifier } });
      const asked = await app.browser.signIn("mail", { email: "ada" });
      expect(locationOf(asked)).toBe("/auth/signin?error=EmailSignInError");
      expect(app.mails).toEqual([]);
      expect(app.log.errors[0]?.message).toContain("changes its own result");
    },
  );

  it.each(["", "a\r\nb", "+49\u0000", "\u202e94+", "1".repeat(255)])(
    "an application's own identifier %j is refused",
    async (identifier) => {
      const app = createMailApp({
        errors: "allowed",
        mail: { normalizeIdentifier: () => identifier },
      });
      const asked = await app.browser.signIn("mail", { email: "anything" });
      expect(locationOf(asked)).toBe(INVALID);
      expect(app.mails).toEqual([]);
    },
  );

  describe.each(["mailed by default", "mailed by the application"])(
    "a normalizeIdentifier that keeps compatible characters, %s",
    (way) => {
      it.each([
        "\u017fam@example.com",
        "\uff53am@example.com",
        "sam@e\uff58ample.com",
        "sam\uff20example.com",
      ])("sends no e-mail to an address that only resembles another: %s", async (email) => {
        const sent: string[] = [];
        const app = createMailApp({
          errors: "allowed",
          mail: {
            normalizeIdentifier: (text) => text.trim().replace(/[A-Z]/g, (it) => it.toLowerCase()),
            ...(way.endsWith("application") && {
              sendVerificationRequest: ({ identifier }) => void sent.push(identifier),
            }),
          },
        });
        await app.browser.signIn("mail", { email: " SAM@example.com" });
        const asked = await app.browser.signIn("mail", { email });
        expect(locationOf(asked)).toBe(INVALID);
        const own = way.endsWith("application") ? sent : app.mails.map((one) => one.identifier);
        expect(own).toEqual(["sam@example.com"]);
      });
    },
  );

  it("normalizeIdentifier receives no text of more than 1016 characters", async () => {
    const lengths: number[] = [];
    const normalizeIdentifier = (text: string) => {
      lengths.push(text.length);
      return text.slice(0, 20);
    };
    const app = createMailApp({ errors: "allowed", mail: { normalizeIdentifier } });
    for (const length of [1016, 1017]) {
      await app.browser.signIn("mail", { email: "1".repeat(length) });
    }
    expect(Math.max(...lengths)).toBe(1016);
    expect(app.mails).toHaveLength(1);
  });

  it("normalizeIdentifier may accept telephone numbers", async () => {
    const app = createMailApp({
      mail: {
        normalizeIdentifier: (text) => text.replace(/\D/g, ""),
        generateVerificationToken: () => "123456",
      },
    });
    await app.browser.signIn("mail", { email: "+49 30 1234" });
    expect(app.mails[0]?.identifier).toBe("49301234");
    const path = "/auth/callback/mail?email=49301234&token=123456";
    expect(locationOf(await app.browser.get(path))).toBe("/");
  });
});

describe("email sign-in with storeAdapter", () => {
  it("exactly one of 50 concurrent requests for a link signs in with storeAdapter and database sessions", async () => {
    for (const confirm of ["auto", "never"] as const) {
      const backend = memoryBackend();
      const plugins = [defineStore(backend), storeAdapter()];
      const app = createMailApp({
        errors: "allowed",
        mail: { confirm },
        adapter: null,
        session: { strategy: "database" },
        plugins,
      });
      const link = await app.requestLink();
      const all = await Promise.all(Array.from({ length: 50 }, () => app.browser.get(link)));
      expect(all.map(locationOf).filter((end) => end === "/")).toHaveLength(1);
    }
  });
});

it("concurrent requests of one browser for two addresses send one message each", async () => {
  const { browser, mails } = createMailApp();
  const csrfToken = await browser.csrfToken();
  const addresses = [ADA, "grace@example.com"];
  await Promise.all(
    addresses.map((email) => browser.post("/auth/signin/mail", { csrfToken, email })),
  );
  expect(mails.map(({ identifier }) => identifier).toSorted()).toEqual(addresses);
});

it("without CSRF tokens each browser that requests a link gets one e-mail", async () => {
  const app = createMailApp({ skipCSRFCheck });
  for (const browser of [app.browser, app.openBrowser()]) {
    await browser.post("/auth/signin/mail", { email: ADA });
  }
  expect(app.mails).toHaveLength(2);
});

it("two concurrent requests for one address at two providers send one message each", async () => {
  const sent: string[] = [];
  const sender = (id: string) => ({
    id,
    name: id,
    type: "email" as const,
    sendVerificationRequest: () => void sent.push(id),
  });
  const { browser } = createMailApp({ providers: [sender("mail"), sender("text")] });
  const csrfToken = await browser.csrfToken();
  const answers = await Promise.all(
    ["mail", "text"].map((id) => browser.post(`/auth/signin/${id}`, { csrfToken, email: ADA })),
  );
  expect(answers.map(locationOf)).toEqual([
    "/auth/verify-request?provider=mail&type=email",
    "/auth/verify-request?provider=text&type=email",
  ]);
  expect(sent.toSorted()).toEqual(["mail", "text"]);
});

describe("addresses that a mail server on the way may rewrite into another mailbox", () => {
  it.each([
    "me%evil.example@example.com",
    "evil.example!me@example.com",
    "=?utf-8?q?me=40evil.example=3e=20?=ada@example.com",
    "\uFF1D?utf-8?q?me=40evil.example=3e=20?=ada@example.com",
  ])("no link is sent to %s", async (email) => {
    const app = createMailApp();
    const asked = await app.browser.signIn("mail", { email });
    expect(locationOf(asked)).toBe(INVALID);
    expect(app.mails).toEqual([]);
    // What visitors type must not fill the log.
    expect(app.log.errors).toEqual([]);
  });

  it.each(["o'ada=x?@example.com", "ada+100@example.com", "ada#x@example.com"])(
    "a link is sent to %s, which no mail server rewrites",
    async (email) => {
      const app = createMailApp();
      await app.browser.signIn("mail", { email });
      expect(app.mails).toHaveLength(1);
    },
  );
});
