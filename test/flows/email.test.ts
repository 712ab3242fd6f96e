import { createHash } from "node:crypto";
import { describe, expect, it, vi } from "vitest";
import storeAdapter from "../../plugins/adapters/store/store.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { createAuth } from "../../presets/index.ts";
import { defineStore } from "../../src/index.ts";
import { createBrowser } from "../../src/testing.ts";
import type { AdapterUser, SignInParams } from "../../src/types.ts";
import {
  ADA,
  createMailApp,
  createTestAdapter,
  locationOf,
  ORIGIN,
  press,
  SECRET,
} from "./_mail.ts";

const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

describe("signing in by a mailed link", () => {
  it("mails a link, and lets the browser that asked for it in at once", async () => {
    const app = createMailApp();
    const asked = await app.browser.signIn("mail", { email: ADA, callbackUrl: "/dashboard" });
    expect([asked.status, locationOf(asked)]).toEqual([
      302,
      "/auth/verify-request?provider=mail&type=email",
    ]);
    const [request] = app.outbox;
    expect(app.outbox).toHaveLength(1);
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
    expect(app.errors).toEqual([]);
    expect([...app.adapter.users.values()]).toMatchObject([
      { email: ADA, emailVerified: expect.any(Date) },
    ]);
    expect(app.adapter.tokens.size).toBe(0);
    expect([...app.browser.cookies.keys()].join()).not.toContain("email-check");
  });

  it("keeps only the token's hash, as Auth.js writes it", async () => {
    expect(sha256(`00ff${SECRET}`)).toBe(
      "6a5eb561ecda7744d4bd41a65d3bd3e3ee81589999eb1aac2bd2a79e117d8987",
    );
    const app = createMailApp({ provider: { generateVerificationToken: () => "00ff" } });
    await app.ask();
    expect([...app.adapter.tokens.values()]).toEqual([
      { identifier: ADA, token: sha256(`00ff${SECRET}`), expires: expect.any(Date) },
    ]);
  });

  it("stores the token before the mail is sent", async () => {
    const app = createMailApp({
      provider: { sendVerificationRequest: () => void app.adapter.calls.push("mail") },
    });
    await app.browser.signIn("mail", { email: ADA });
    expect(app.adapter.calls).toEqual(["getUserByEmail", "createVerificationToken", "mail"]);
  });

  it("gives a sender the request with its fields as JSON, and the mail", async () => {
    const app = createMailApp({ theme: { brandColor: "#123456" } });
    await app.browser.signIn("mail", { email: ADA });
    const { request, theme, mail, url } = app.outbox[0]!;
    expect(request.method).toBe("POST");
    expect(request.url).toBe(`${ORIGIN}/auth/signin/mail`);
    expect(await request.json()).toMatchObject({ email: ADA });
    expect(theme).toEqual({ brandColor: "#123456" });
    expect(mail).toMatchObject({ to: ADA, subject: "Sign in to localhost:3000", url });
  });

  it("tells hooks and events what Auth.js tells them", async () => {
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
    await app.browser.get(await app.ask());
    const id = [...app.adapter.users.keys()][0];
    const user = { id: expect.any(String), email: ADA, emailVerified: null };
    const account = { provider: "mail", type: "email", providerAccountId: ADA };
    expect(asked).toEqual([
      {
        user,
        account: { ...account, userId: expect.any(String) },
        email: { verificationRequest: true },
      },
      { user, account: expect.objectContaining(account) },
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

  it("proves an address once (M1), first (M2), or with a new person (M3)", async () => {
    const adapter = createTestAdapter();
    const since = new Date("2020-01-01");
    const add = (user: AdapterUser) => adapter.users.set(user.id, user);
    add({ id: "1", email: "proved@example.com", emailVerified: since });
    add({ id: "2", email: "unproved@example.com", emailVerified: null });
    const app = createMailApp({ adapter });
    for (const address of ["proved@example.com", "unproved@example.com", "new@example.com"]) {
      await app.browser.get(await app.ask(address));
      expect(await app.browser.session()).toMatchObject({ user: { email: address } });
    }
    const { users } = adapter;
    expect(users.get("1")?.emailVerified).toBe(since);
    expect(users.get("2")?.emailVerified?.getTime()).toBeCloseTo(Date.now(), -4);
    expect(users.size).toBe(3);
  });

  it("works with sessions in the database", async () => {
    const app = createMailApp({ session: { strategy: "database" } });
    await app.browser.get(await app.ask());
    expect(app.adapter.sessions.size).toBe(1);
    expect(await app.browser.session()).toMatchObject({ user: { email: ADA } });
  });

  it("works for the application's own server code", async () => {
    const app = createMailApp();
    const call = new Request(`${ORIGIN}/page`);
    const target = await app.auth.signIn(call, "mail", { email: ADA, redirect: false });
    expect(target).toBe(`${ORIGIN}/auth/verify-request?provider=mail&type=email`);
    expect(app.outbox).toHaveLength(1);
  });

  it("shows one field and one button, and prefills the address", async () => {
    const app = createMailApp();
    const html = await (await app.browser.get("/auth/signin?email=ada%40example.com")).text();
    expect(html).toMatch(/<input id="input-email-for-mail-provider" name="email" type="email"/);
    expect(html).toMatch(/value="ada@example.com"/);
    expect(html).toMatch(/ required/);
    expect(html).toMatch(/action="http:\/\/localhost:3000\/auth\/signin\/mail"/);
  });

  it("leads to the application's own page after the mail", async () => {
    const app = createMailApp({ pages: { verifyRequest: "/sent" } });
    const asked = await app.browser.signIn("mail", { email: ADA });
    const shown = await app.browser.get(locationOf(asked));
    expect(locationOf(shown)).toBe("/sent?provider=mail&type=email");
  });
});

describe("a link", () => {
  it("works once", async () => {
    const app = createMailApp();
    const link = await app.ask();
    await app.browser.get(link);
    for (const browser of [app.browser, app.stranger()]) {
      const page = await browser.get(link);
      const again = page.status === 200 ? await press(browser, page) : page;
      expect(locationOf(again)).toBe("/auth/error?error=Verification");
      expect(again.headers.getSetCookie().join()).not.toContain("session-token");
    }
    const page = await app.browser.get("/auth/error?error=Verification");
    expect(page.status).toBe(403);
    expect(await page.text()).toContain("Ask for a new link");
  });

  it.each(["auto", "never"] as const)("lets one of 50 in (confirm: %s)", async (confirm) => {
    for (let round = 0; round < 20; round++) {
      const app = createMailApp({ provider: { confirm } });
      const link = await app.ask();
      const all = await Promise.all(Array.from({ length: 50 }, () => app.browser.get(link)));
      const entered = all.filter((response) =>
        response.headers.getSetCookie().some((cookie) => cookie.includes("session-token=ey")),
      );
      expect(entered).toHaveLength(1);
      expect(app.adapter.users.size).toBe(1);
    }
  });

  it("lets one of 50 presses of the button in", async () => {
    const app = createMailApp();
    const link = await app.ask();
    const other = app.stranger();
    const pages = await Promise.all(Array.from({ length: 50 }, () => other.get(link)));
    const token = await other.csrfToken();
    const fields = { csrfToken: token, ...Object.fromEntries(new URL(link, ORIGIN).searchParams) };
    const all = await Promise.all(pages.map(() => other.post("/auth/callback/mail", fields)));
    const ends = all.map(locationOf).toSorted();
    expect(ends.slice(0, 2)).toEqual(["/", "/auth/error?error=Verification"]);
    expect(new Set(ends.slice(1))).toEqual(new Set(["/auth/error?error=Verification"]));
  });

  it("is good for as long as it says", async () => {
    const app = createMailApp({ provider: { maxAge: 60 } });
    const early = await app.ask();
    const late = await app.ask();
    vi.useFakeTimers({ now: Date.now() + 59_000, toFake: ["Date"] });
    try {
      expect(locationOf(await app.browser.get(early))).toBe("/");
      vi.setSystemTime(Date.now() + 2000);
      const other = app.stranger();
      expect(locationOf(await press(other, await other.get(late)))).toBe(
        "/auth/error?error=Verification",
      );
    } finally {
      vi.useRealTimers();
    }
  });

  it.each([
    ["another address", { email: "eve@example.com" }],
    ["no address", { email: "" }],
    ["another token", { token: "0".repeat(64) }],
    ["no token", { token: "" }],
    ["half a token", { token: undefined }],
    ["the stored hash", { token: "hash" }],
  ])("is refused with %s, and stays good", async (_, change) => {
    const app = createMailApp({ provider: { confirm: "never" } });
    const link = await app.ask();
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

  it("is found whatever the spelling of the address in it", async () => {
    const app = createMailApp();
    const link = await app.ask(" ADA@Example.COM ");
    expect(app.outbox[0]?.identifier).toBe(ADA);
    expect(locationOf(await app.browser.get(link.replace("ada%40", "%20ADA%40")))).toBe("/");
  });

  it("leads nowhere else", async () => {
    const app = createMailApp({ provider: { confirm: "never" } });
    for (const target of ["https://evil.example/", "//evil.example", "javascript:alert(1)"]) {
      await app.browser.signIn("mail", { email: ADA, callbackUrl: target });
      const url = new URL(app.outbox.at(-1)?.url ?? "");
      expect(url.searchParams.get("callbackUrl")).not.toContain("evil.example/");
      // Whoever passes the link on may have changed it.
      url.searchParams.set("callbackUrl", target);
      const entered = await app.stranger().get(url.pathname + url.search);
      expect(new URL(entered.headers.get("location") ?? "").origin).toBe(ORIGIN);
    }
  });

  it("stays good when the signIn callback refuses it", async () => {
    let isOpen = false;
    const app = createMailApp({
      callbacks: { signIn: ({ email }) => email?.verificationRequest === true || isOpen },
    });
    const link = await app.ask();
    expect(locationOf(await app.browser.get(link))).toBe("/auth/error?error=AccessDenied");
    expect(await app.browser.session()).toBeNull();
    isOpen = true;
    await app.ask("other@example.com");
    const other = app.stranger();
    expect(locationOf(await press(other, await other.get(link)))).toBe("/");
    expect(locationOf(await press(other, await other.get(link)))).toContain("Verification");
  });

  it("outlives a rotation of secrets", async () => {
    const adapter = createTestAdapter();
    const before = createMailApp({ adapter });
    const [kept, legacy] = [await before.ask(), "legacy"];
    const fresh = "a-new-secret-that-is-32-characters!";
    const secrets = [fresh, SECRET];
    // As Auth.js hashes with several secrets.
    const expires = new Date(Date.now() + 60_000);
    const joined = sha256(legacy + secrets.join(","));
    await adapter.createVerificationToken?.({ identifier: ADA, token: joined, expires });
    const after = createMailApp({ adapter, secret: secrets, provider: { confirm: "never" } });
    expect(locationOf(await after.browser.get(kept))).toBe("/");
    const path = `/auth/callback/mail?token=${legacy}&email=${ADA}`;
    expect(locationOf(await after.browser.get(path))).toBe("/");
    const dropped = createMailApp({ adapter, secret: fresh, provider: { confirm: "never" } });
    const later = await before.ask();
    expect(locationOf(await dropped.browser.get(later))).toContain("Verification");
  });

  it("is made under the provider's own secrets, where it has some", async () => {
    const adapter = createTestAdapter();
    const own = ["own-new", "own-old"];
    const old = createMailApp({ adapter, provider: { secret: "own-old" } });
    const link = await old.ask();
    expect([...adapter.tokens.values()][0]?.token).toBe(sha256(`${old.outbox[0]?.token}own-old`));
    const app = createMailApp({ adapter, provider: { secret: own, confirm: "never" } });
    expect(locationOf(await app.browser.get(link))).toBe("/");
    await app.ask();
    expect([...adapter.tokens.values()][0]?.token).toBe(sha256(`${app.outbox[0]?.token}own-new`));
  });

  it("works beside an older one", async () => {
    const app = createMailApp();
    const [first, second] = [await app.ask(), await app.ask()];
    expect(locationOf(await app.browser.get(first))).toBe("/");
    const other = app.stranger();
    expect(locationOf(await press(other, await other.get(second)))).toBe("/");
  });
});

describe("a program that looks at links", () => {
  const scans: [string, RequestInit][] = [
    ["GET from elsewhere", {}],
    ["GET with a browser's headers", { headers: { "sec-fetch-dest": "document" } }],
  ];
  it.each(scans)("does not use them up: %s", async (_, init) => {
    const app = createMailApp();
    const link = await app.ask();
    const scanner = app.stranger();
    for (let at = 0; at < 3; at++) expect((await scanner.get(link, init)).status).toBe(200);
    expect(app.adapter.tokens.size).toBe(1);
    expect(app.adapter.calls).not.toContain("useVerificationToken");
    expect(locationOf(await app.browser.get(link))).toBe("/");
  });

  it.each(["auto", "always", "never"] as const)(
    "does not by HEAD (confirm: %s)",
    async (confirm) => {
      const app = createMailApp({ provider: { confirm } });
      const link = await app.ask();
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
  ])("does not in the very browser that asked: %o", async (headers) => {
    const app = createMailApp();
    const link = await app.ask();
    expect((await app.browser.get(link, { headers })).status).toBe(200);
    expect(await app.browser.session()).toBeNull();
    expect(locationOf(await app.browser.get(link))).toBe("/");
  });

  it("is not stopped by a script of the application's own", async () => {
    const app = createMailApp();
    const headers = { "sec-fetch-dest": "empty", "sec-fetch-site": "same-origin" };
    expect(locationOf(await app.browser.get(await app.ask(), { headers }))).toBe("/");
  });

  it("uses them up where the application says `never`", async () => {
    const app = createMailApp({ provider: { confirm: "never" } });
    expect(locationOf(await app.stranger().get(await app.ask()))).toBe("/");
  });
});

describe("the page with the button", () => {
  it("is shown to other browsers, and lets in who presses", async () => {
    const app = createMailApp();
    await app.browser.signIn("mail", { email: ADA, callbackUrl: "/dashboard?a=1&b=2" });
    const link = app.outbox[0]?.url.slice(ORIGIN.length) ?? "";
    const other = app.stranger();
    const page = await other.get(link);
    expect(page.status).toBe(200);
    const html = await page.clone().text();
    expect(html).toContain(`Continue as ${ADA}.`);
    expect(html.match(/<button/g)).toHaveLength(1);
    const entered = await press(other, page);
    expect([entered.status, locationOf(entered)]).toEqual([302, "/dashboard?a=1&b=2"]);
    expect(await other.session()).toMatchObject({ user: { email: ADA } });
    expect(await app.browser.session()).toBeNull();
  });

  it("is shown to everybody where the application says `always`", async () => {
    const app = createMailApp({ provider: { confirm: "always" } });
    const page = await app.browser.get(await app.ask());
    expect(page.status).toBe(200);
    expect(locationOf(await press(app.browser, page))).toBe("/");
  });

  it("tells nobody its URL, and nobody keeps it", async () => {
    const app = createMailApp();
    const page = await app.stranger().get(await app.ask());
    expect(page.headers.get("referrer-policy")).toBe("no-referrer");
    expect(page.headers.get("cache-control")).toContain("no-store");
    expect(page.headers.get("content-security-policy")).toContain("frame-ancestors 'none'");
    expect(await page.text()).toContain('<meta name="referrer" content="strict-origin">');
    expect(await (await app.browser.get("/auth/signin")).text()).not.toContain('name="referrer"');
  });

  it("needs the CSRF token of its browser", async () => {
    const app = createMailApp();
    const link = await app.ask();
    const fields = Object.fromEntries(new URL(link, ORIGIN).searchParams);
    const bare = await app.stranger().post("/auth/callback/mail", fields);
    expect(locationOf(bare)).toBe("/auth/signin?error=MissingCSRF");
    const other = app.stranger();
    const foreign = { ...fields, csrfToken: await app.browser.csrfToken() };
    await other.csrfToken();
    const crossed = await other.post("/auth/callback/mail", foreign);
    expect(locationOf(crossed)).toBe("/auth/signin?error=MissingCSRF");
    expect(app.adapter.tokens.size).toBe(1);
  });

  it("is what a victim sees of a link that somebody else asked for (hijack)", async () => {
    const app = createMailApp();
    const attacker = app.stranger();
    const trap = await app.ask("attacker@example.com", attacker);
    // The victim has asked for a link too, to another address.
    const own = await app.ask(ADA);
    const page = await app.browser.get(trap);
    expect(page.status).toBe(200);
    expect(await page.text()).toContain("Continue as attacker@example.com.");
    expect(await app.browser.session()).toBeNull();
    expect(locationOf(await app.browser.get(own))).toBe("/");
  });

  it("is shown when the cookie is another provider's, broken or old", async () => {
    const app = createMailApp();
    const link = await app.ask();
    const { cookies } = app.browser;
    const good = cookies.get("authjs.email-check") ?? "";
    for (const value of ["x", good.slice(1), "ey.ey.ey.ey.ey"]) {
      cookies.set("authjs.email-check", value);
      expect((await app.browser.get(link)).status).toBe(200);
      expect(cookies.has("authjs.email-check")).toBe(false);
    }
    const twin = { id: "twin", name: "Twin", type: "email", sendVerificationRequest() {} } as const;
    const other = createMailApp({ adapter: app.adapter, providers: [twin] });
    other.browser.cookies.set("authjs.email-check", good);
    const elsewhere = await other.browser.get(link.replace("/mail?", "/twin?"));
    expect(elsewhere.status).toBe(200);

    cookies.set("authjs.email-check", good);
    vi.useFakeTimers({ now: Date.now() + 1_000_000, toFake: ["Date"] });
    try {
      expect((await app.browser.get(link)).status).toBe(200);
    } finally {
      vi.useRealTimers();
    }
    expect(locationOf(await press(app.browser, await app.browser.get(link)))).toBe("/");
  });
});

describe("who asks", () => {
  it("learns nothing about who is known", async () => {
    const adapter = createTestAdapter();
    adapter.users.set("1", { id: "1", email: ADA, emailVerified: new Date() });
    const app = createMailApp({ adapter });
    const known = await app.stranger().signIn("mail", { email: ADA });
    const unknown = await app.stranger().signIn("mail", { email: "eve@example.com" });
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
    expect(app.outbox).toHaveLength(2);
  });

  it("gets so many mails to one address, and the same answer afterwards", async () => {
    const app = createMailApp({ provider: { limits: { address: { max: 3, window: 60 } } } });
    const answers: string[] = [];
    for (let at = 0; at < 6; at++) {
      const spelling = at % 2 ? ADA.toUpperCase() : ADA;
      const response = await app.stranger().signIn("mail", { email: spelling });
      answers.push(`${response.status} ${locationOf(response)}`);
      expect(response.headers.getSetCookie().join()).toContain("authjs.email-check=ey");
    }
    expect(new Set(answers).size).toBe(1);
    expect(app.outbox).toHaveLength(3);
    expect(app.warnings).toEqual(["email-limit-address"]);
    await app.ask("other@example.com");
    expect(app.outbox).toHaveLength(4);
    vi.useFakeTimers({ now: Date.now() + 61_000, toFake: ["Date"] });
    try {
      await app.ask();
    } finally {
      vi.useRealTimers();
    }
    expect(app.outbox).toHaveLength(5);
  });

  it("gets so many mails from one network", async () => {
    const app = createMailApp({ provider: { limits: { network: { max: 2, window: 60 } } } });
    const ask = async (from: string) => {
      const browser = app.stranger();
      const csrfToken = await browser.csrfToken();
      const fields = { csrfToken, email: `${crypto.randomUUID()}@example.com` };
      const headers = { "x-forwarded-for": from };
      const response = await browser.post("/auth/signin/mail", fields, { headers });
      expect(locationOf(response)).toBe("/auth/verify-request?provider=mail&type=email");
    };
    const sent = async (...networks: string[]) => {
      app.outbox.length = 0;
      for (const network of networks) await ask(network);
      return app.outbox.length;
    };
    expect(await sent("192.0.2.1", "192.0.2.1, 10.0.0.1", "192.0.2.1:4711")).toBe(2);
    expect(await sent("192.0.2.2")).toBe(1);
    expect(await sent("2001:db8::1", "2001:0db8:0:0:ffff::", "[2001:db8::2]:443")).toBe(2);
    expect(await sent("2001:db8:0:1::1", "2001:db8:1::1")).toBe(2);
    expect(await sent("::ffff:192.0.2.2", "::ffff:192.0.2.2")).toBe(1);
    expect(await sent("nonsense", "nonsense", "nonsense", "<script>", "a".repeat(10_000))).toBe(5);
  });

  it("has bounds that can be named and dropped", async () => {
    const limits = {
      address: false,
      network: { max: 1, window: 60 },
      networkOf: (request: Request) => request.headers.get("x-client") ?? undefined,
    } as const;
    const app = createMailApp({ provider: { limits } });
    for (let at = 0; at < 15; at++) await app.ask();
    expect(app.outbox).toHaveLength(15);
    const csrfToken = await app.browser.csrfToken();
    for (let at = 0; at < 3; at++) {
      const headers = { "x-client": "one" };
      await app.browser.post("/auth/signin/mail", { csrfToken, email: ADA }, { headers });
    }
    expect(app.outbox).toHaveLength(16);
  });

  it("is counted in the store, by all who share it", async () => {
    const entries = new Map<string, unknown>();
    const limits = { address: { max: 2, window: 60 } };
    const make = () =>
      createMailApp({ provider: { limits }, plugins: [defineStore(memoryBackend(entries))] });
    const [one, other] = [make(), make()];
    for (const app of [one, other, one, other]) await app.ask();
    expect([one.outbox.length, other.outbox.length]).toEqual([1, 1]);
    expect([...entries.keys()].join()).not.toContain("ada@");
  });

  it("is counted in the process while the store is down", async () => {
    const backend = memoryBackend();
    backend.increment = () => Promise.reject(new Error("down"));
    const limits = { address: { max: 2, window: 60 } };
    const app = createMailApp({ provider: { limits }, plugins: [defineStore(backend)] });
    for (let at = 0; at < 4; at++) await app.ask();
    expect(app.outbox).toHaveLength(2);
    expect(app.errors[0]).toMatchObject({ type: "StoreError" });
  });

  it("cannot guess short tokens", async () => {
    const app = createMailApp({
      provider: { generateVerificationToken: () => "123456", confirm: "never" },
    });
    const link = await app.ask();
    const guess = (token: number) => link.replace("123456", String(token));
    const all = await Promise.all(
      Array.from({ length: 30 }, (_, at) => app.stranger().get(guess(100_000 + at))),
    );
    expect(new Set(all.map(locationOf))).toEqual(new Set(["/auth/error?error=Verification"]));
    expect(app.adapter.calls.filter((name) => name === "useVerificationToken")).toHaveLength(10);
    expect(locationOf(await app.browser.get(link))).toBe("/auth/error?error=Verification");
    expect(app.warnings).toEqual(["email-limit-attempts"]);
  });

  it("cannot guess them at another provider's door", async () => {
    const sendVerificationRequest = () => {};
    const base = { type: "email", sendVerificationRequest, confirm: "never" } as const;
    const app = createMailApp({
      providers: [
        { ...base, id: "code", name: "Code", generateVerificationToken: () => "123456" },
        { ...base, id: "link", name: "Link" },
      ],
    });
    await app.browser.signIn("code", { email: ADA });
    const tries = Array.from({ length: 30 }, (_, at) => {
      const id = at % 2 ? "link" : "code";
      return app.stranger().get(`/auth/callback/${id}?email=${ADA}&token=${100_000 + at}`);
    });
    await Promise.all(tries);
    expect(app.adapter.calls.filter((name) => name === "useVerificationToken")).toHaveLength(10);
  });

  it("is refused by the signIn callback before anything is stored", async () => {
    const app = createMailApp({ callbacks: { signIn: () => false } });
    const asked = await app.browser.signIn("mail", { email: ADA });
    expect(locationOf(asked)).toBe("/auth/error?error=AccessDenied");
    expect(app.adapter.calls).toEqual(["getUserByEmail"]);
    expect(app.outbox).toEqual([]);
    const elsewhere = createMailApp({ callbacks: { signIn: () => "/waiting-list" } });
    const led = await elsewhere.browser.signIn("mail", { email: ADA });
    expect(locationOf(led)).toBe("/waiting-list");
    expect(elsewhere.outbox).toEqual([]);
  });

  it("needs a CSRF token", async () => {
    const app = createMailApp();
    const asked = await app.browser.post("/auth/signin/mail", { email: ADA });
    expect(locationOf(asked)).toBe("/auth/signin?error=MissingCSRF");
    expect(app.outbox).toEqual([]);
  });
});

describe("a mail that cannot be sent", () => {
  it("leaves no token, is told, and can be tried again at once", async () => {
    let isDown = true;
    const app = createMailApp({
      provider: {
        limits: { address: { max: 1, window: 60 } },
        sendVerificationRequest(request) {
          if (isDown) throw new Error(`550 no such user <${ADA}>, ${request.url} ${SECRET}`);
          app.outbox.push(request);
        },
      },
    });
    for (let at = 0; at < 3; at++) {
      const asked = await app.browser.signIn("mail", { email: ADA });
      expect(locationOf(asked)).toBe("/auth/signin?error=EmailSignInError");
      expect(app.adapter.tokens.size).toBe(0);
    }
    const page = await app.browser.get("/auth/signin?error=EmailSignInError");
    expect(await page.text()).toContain("The email could not be sent.");
    const [error] = app.errors;
    expect(error).toMatchObject({ type: "EmailSignInError", status: 503 });
    const said = JSON.stringify([error?.message, error?.cause, error?.stack]);
    expect(error?.message).toContain("550 no such user");
    for (const secret of ["ada@", "ada%40", "token=", SECRET]) expect(said).not.toContain(secret);

    isDown = false;
    expect(locationOf(await app.browser.get(await app.ask()))).toBe("/");
  });

  it("is given up after ten seconds", async () => {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    try {
      const app = createMailApp({
        provider: { sendVerificationRequest: () => new Promise<void>(() => {}) },
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

  it("is not sent when the token cannot be stored", async () => {
    const app = createMailApp();
    app.adapter.createVerificationToken = () => Promise.reject(new Error("full"));
    const asked = await app.browser.signIn("mail", { email: ADA });
    expect(locationOf(asked)).toBe("/auth/error?error=Configuration");
    expect(app.outbox).toEqual([]);
  });

  it("is told although the token cannot be removed", async () => {
    const app = createMailApp({
      provider: { sendVerificationRequest: () => Promise.reject(new Error("down")) },
    });
    app.adapter.useVerificationToken = () => Promise.reject(new Error("down too"));
    const asked = await app.browser.signIn("mail", { email: ADA });
    expect(locationOf(asked)).toBe("/auth/signin?error=EmailSignInError");
    expect(app.errors).toHaveLength(2);
  });
});

describe("an address", () => {
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
    "<script>@example.com",
    "ada@<b>example.com",
    `${"a".repeat(65)}@example.com`,
    `ada@${"a".repeat(64)}.com`,
    `ada@${"a.".repeat(130)}com`,
    "a".repeat(60_000),
    `${"a@".repeat(10_000)}b`,
  ];
  it.each(refused.map((email) => [email.slice(0, 60), email]))("is none: %j", async (_, email) => {
    const app = createMailApp();
    const asked = await app.browser.signIn("mail", { email });
    expect(locationOf(asked)).toBe("/auth/signin?error=EmailSignInError");
    expect(app.outbox).toEqual([]);
    expect(app.adapter.calls).toEqual([]);
  });

  it.each([
    ["ada@example.com", "ada@example.com"],
    [" ADA@EXAMPLE.COM ", "ada@example.com"],
    ["ａｄａ@ｅｘａｍｐｌｅ.ｃｏｍ", "ada@example.com"],
    ["ada@example.com,eve@evil.example".split(",")[0] + ",evil.example", "ada@example.com"],
    ["o'brien+tag.x@mail.example.co.uk", "o'brien+tag.x@mail.example.co.uk"],
    ["jörg@bücher.example", "jörg@bücher.example"],
    ["用户@例子.example", "用户@例子.example"],
    ["root@localhost", "root@localhost"],
  ])("is one: %j", async (email, address) => {
    const app = createMailApp();
    await app.browser.signIn("mail", { email });
    expect(app.outbox.map(({ identifier, mail }) => [identifier, mail.to])).toEqual([
      [address, address],
    ]);
    expect(locationOf(await app.browser.get(app.outbox[0]!.url.slice(ORIGIN.length)))).toBe("/");
  });

  it("is no list and no object", async () => {
    const app = createMailApp();
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
      expect(locationOf(asked)).toBe("/auth/signin?error=EmailSignInError");
    }
  });

  it("may be normalised by the application, at every entry", async () => {
    const normalizeIdentifier = (text: string) => {
      if (text.includes("spam")) throw new Error(`no ${text}`);
      return text.toLowerCase().replace(/\+.*@/, "@");
    };
    const app = createMailApp({ provider: { normalizeIdentifier } });
    const link = await app.ask("ada+news@example.com");
    expect(app.outbox[0]?.identifier).toBe(ADA);
    expect(locationOf(await app.browser.get(link.replace("ada%40", "ADA%2Bx%40")))).toBe("/");
    const asked = await app.browser.signIn("mail", { email: "spam@example.com" });
    expect(locationOf(asked)).toBe("/auth/signin?error=EmailSignInError");
    expect(JSON.stringify(app.errors.map(({ message }) => message))).not.toContain("spam");
  });

  it("may be a telephone's number, where the application sends by itself", async () => {
    const app = createMailApp({
      provider: {
        normalizeIdentifier: (text) => text.replace(/\D/g, ""),
        generateVerificationToken: () => "123456",
      },
    });
    await app.browser.signIn("mail", { email: "+49 30 1234" });
    expect(app.outbox[0]?.identifier).toBe("49301234");
    const path = "/auth/callback/mail?email=49301234&token=123456";
    expect(locationOf(await app.browser.get(path))).toBe("/");
  });
});

describe("with the adapter on the store", () => {
  it("signs in, once, with sessions in the database", async () => {
    for (const confirm of ["auto", "never"] as const) {
      const backend = memoryBackend();
      const plugins = [defineStore(backend), storeAdapter()];
      const app = createMailApp({
        provider: { confirm },
        adapter: null,
        session: { strategy: "database" },
        plugins,
      });
      const link = await app.ask();
      const all = await Promise.all(Array.from({ length: 50 }, () => app.browser.get(link)));
      expect(all.map(locationOf).filter((end) => end === "/")).toHaveLength(1);
    }
  });
});

it("asks two providers of one address at the same moment: each sends its own", async () => {
  const sent: string[] = [];
  const sender = (id: string) => ({
    id,
    name: id,
    type: "email" as const,
    limits: { address: false as const, network: false as const },
    sendVerificationRequest: () => void sent.push(id),
  });
  const auth = createAuth({
    secret: SECRET,
    env: { AUTH_URL: ORIGIN },
    session: { strategy: "jwt" },
    adapter: createTestAdapter(),
    providers: [sender("mail"), sender("text")],
  });
  const browser = createBrowser(auth.fetch, { origin: ORIGIN });
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
