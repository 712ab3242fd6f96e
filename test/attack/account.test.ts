import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { assert, asyncProperty, constantFrom, oneof, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { rateLimit } from "../../plugins/security/rate-limit.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { standardPreset } from "../../presets/index.ts";
import { type Browser, createBrowser, ODD_TEXTS } from "../../src/testing/testing.ts";
import type { Adapter, AdapterUser } from "../../src/types.ts";
import {
  createTestAuth,
  LOVELACE,
  ORIGIN,
  type TestAuth,
  type TestAuthOptions,
  unservedOAuth,
} from "../_app.ts";
import { adapterOn } from "../adapters/_namespace.ts";
import { expectSafe, givesSession, runs, watchRejections, wellFormed } from "./_attack.ts";

watchRejections();

const PAGE = `${ORIGIN}/auth/account`;
const ADA = "ada@example.com";
const EVE = "eve@example.com";

interface MailApp extends TestAuth {
  readonly adapter: Required<Adapter>;
  /** Signs a user in by e-mail. */
  signIn(email: string): Promise<{ browser: Browser; user: AdapterUser }>;
}

function createMailApp(options: TestAuthOptions = {}): MailApp {
  const adapter = adapterOn(memoryBackend()) as Required<Adapter>;
  const app = createTestAuth({
    preset: standardPreset,
    providers: [unservedOAuth("github"), unservedOAuth("google")],
    mail: {},
    use: [rateLimit(false)],
    ...options,
    adapter,
  });
  return Object.assign(app, {
    adapter,
    async signIn(email: string) {
      const browser = app.openBrowser();
      await app.requestLink(email, browser);
      await app.followLink(browser);
      return { browser, user: (await adapter.getUserByEmail(email))! };
    },
  });
}

/** Counts the sessions and the accounts of a user. */
async function countHoldings({ adapter }: MailApp, { id }: AdapterUser) {
  const [sessions, accounts] = await Promise.all([
    adapter.listSessionsByUserId(id),
    adapter.listAccountsByUserId(id),
  ]);
  return { sessions: sessions.length, accounts: accounts.length };
}

async function createAdaAndEve() {
  const app = createMailApp();
  const [ada, other, eve] = [await app.signIn(ADA), await app.signIn(ADA), await app.signIn(EVE)];
  for (const [{ user }, number] of [
    [ada, "1"],
    [eve, "2"],
  ] as const) {
    for (const provider of ["github", "google"]) {
      const account = { userId: user.id, provider, providerAccountId: number };
      await app.adapter.linkAccount({ ...account, type: "oauth" });
    }
  }
  const all = { sessions: 2, accounts: 2 };
  return { app, ada, other, eve, all };
}

const CHANGES: Record<string, string>[] = [
  { sessions: "others" },
  { provider: "github", account: "1" },
];

describe("POST /account from another site", () => {
  const foreign: Record<string, string>[] = [
    { origin: "https://evil.example" },
    { origin: "http://localhost:3001" },
    { origin: "http://evil.localhost:3000" },
    { "sec-fetch-site": "cross-site" },
    { origin: "null", "sec-fetch-site": "same-site" },
  ];

  it.each(CHANGES)(
    "POST /account rejects a change without the page's CSRF token and origin: %j",
    async (change) => {
      const { app, ada, eve, all } = await createAdaAndEve();
      const own = await ada.browser.csrfToken();
      const hers = await eve.browser.csrfToken();
      const tries: [string, RequestInit][] = [
        ["none", { body: new URLSearchParams(change) }],
        ["of another browser", { body: new URLSearchParams({ ...change, csrfToken: hers }) }],
        ["in the query", { body: new URLSearchParams(change) }],
        ["as text", { body: new URLSearchParams({ ...change, csrfToken: own }).toString() }],
        ["as JSON text", { body: JSON.stringify({ ...change, csrfToken: own }) }],
        ["a list", json({ ...change, csrfToken: [own] })],
        ["true", json({ ...change, csrfToken: true })],
        ["empty", json({ ...change, csrfToken: "" })],
        ...foreign.map((headers): [string, RequestInit] => [
          JSON.stringify(headers),
          { headers, body: new URLSearchParams({ ...change, csrfToken: own }) },
        ]),
      ];
      for (const [name, init] of tries) {
        const query = name === "in the query" ? `?csrfToken=${own}` : "";
        const response = await ada.browser.post(`/auth/account${query}`, {}, init);
        expect(response.headers.get("location"), name).toContain("error=MissingCSRF");
        expect(await countHoldings(app, ada.user), name).toEqual(all);
      }
      app.log.expectErrors(...tries.map(() => "MissingCSRF"));
    },
  );

  it.each(CHANGES)(
    "POST /account is the only method that changes an account: %j",
    async (change) => {
      const { app, ada, all } = await createAdaAndEve();
      const csrfToken = await ada.browser.csrfToken();
      const query = `/auth/account?${new URLSearchParams({ ...change, csrfToken, _method: "POST" })}`;
      await expectSafe(await ada.browser.get(query));
      await expectSafe(
        await ada.browser.get(query, { headers: { "x-http-method-override": "POST" } }),
      );
      for (const method of ["PUT", "PATCH", "DELETE"]) {
        const cookie = [...ada.browser.cookies].map((pair) => pair.join("=")).join("; ");
        const request = new Request(ORIGIN + query, {
          method,
          headers: { cookie, origin: ORIGIN },
        });
        expect((await app.auth.fetch(request)).status).toBe(405);
      }
      expect(await countHoldings(app, ada.user)).toEqual(all);
      app.log.ignoreErrors();
    },
  );

  function json(body: unknown): RequestInit {
    return { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  }
});

describe("GET /account", () => {
  it("GET /account forbids framing, caching and cross-origin referrers", async () => {
    const { ada } = await createAdaAndEve();
    for (const path of ["/auth/account", "/auth/account?done", "/auth/account?failed"]) {
      const response = await ada.browser.get(path);
      await expectSafe(response);
      const { headers } = response;
      expect(headers.get("content-security-policy")).toMatch(/frame-ancestors 'none'/);
      expect(headers.get("content-security-policy")).not.toMatch(/script-src|unsafe/);
      expect(headers.get("x-frame-options")).toBe("DENY");
      expect(headers.get("cache-control")).toBe("private, no-store");
      expect(headers.get("referrer-policy")).toBe("same-origin");
    }
    const csrfToken = await ada.browser.csrfToken();
    const changed = await ada.browser.post("/auth/account", { csrfToken, sessions: "others" });
    expect(changed.headers.get("cache-control")).toMatch(/private.*no-store/);
  });

  it("GET /account contains no session token and sets no session", async () => {
    const { ada, other } = await createAdaAndEve();
    const response = await ada.browser.get("/auth/account");
    const html = await response.text();
    for (const { browser } of [ada, other]) {
      const token = browser.cookies.get("authjs.session-token")!;
      expect(token.length).toBeGreaterThan(20);
      expect(html).not.toContain(token);
    }
    expect(givesSession(response)).toBe(false);
  });

  it("GET and POST /account redirect to the sign-in page for a forged or ended session cookie", async () => {
    const { app, ada, all } = await createAdaAndEve();
    const [listed] = await app.adapter.listSessionsByUserId(ada.user.id);
    const over = await app.signIn(ADA);
    const token = over.browser.cookies.get("authjs.session-token")!;
    await over.browser.signOut();
    for (const planted of [listed!.id, token, ada.user.id, "", "undefined", "null"]) {
      const browser = createBrowser(app.auth.fetch);
      const csrfToken = await browser.csrfToken();
      browser.cookies.set("authjs.session-token", planted);
      for (const response of [
        await browser.get("/auth/account"),
        await browser.post("/auth/account", { csrfToken, sessions: "others" }),
      ]) {
        expect(response.headers.get("location")).toMatch(/\/auth\/signin\?callbackUrl=/);
        expect(givesSession(response)).toBe(false);
      }
    }
    expect(await countHoldings(app, ada.user)).toEqual(all);
  });
});

describe("POST /account by another signed-in user", () => {
  it("POST /account does not end sessions of another user, or reveal whether they exist", async () => {
    const { app, ada, eve, all } = await createAdaAndEve();
    const csrfToken = await eve.browser.csrfToken();
    const listed = await app.adapter.listSessionsByUserId(ada.user.id);
    const tokens = [ada.browser.cookies.get("authjs.session-token")!, ada.user.id];
    for (const session of [...listed.map(({ id }) => id), ...tokens, "nobody's"]) {
      const response = await eve.browser.post("/auth/account", { csrfToken, session });
      expect(response.headers.get("location")).toBe(`${PAGE}?done`);
    }
    expect(await countHoldings(app, ada.user)).toEqual(all);
    expect(await ada.browser.session()).not.toBe(null);
  });

  it("POST /account does not unlink accounts of another user, or reveal whether they exist", async () => {
    const { app, ada, eve, all } = await createAdaAndEve();
    const csrfToken = await eve.browser.csrfToken();
    for (const [provider, account] of [
      ["github", "1"],
      ["github", "nobody's"],
      ["nothing", "1"],
      ["", ""],
      ["github ", "2"],
      ["GitHub", "2"],
      ["github", "2\u0000"],
    ] as const) {
      const response = await eve.browser.post("/auth/account", { csrfToken, provider, account });
      expect(response.headers.get("location"), `${provider} ${account}`).toBe(PAGE);
    }
    expect(await countHoldings(app, ada.user)).toEqual(all);
    expect(await countHoldings(app, eve.user)).toEqual({ sessions: 1, accounts: 2 });
  });

  it("POST /account changes nothing for malformed fields of any type", async () => {
    const { app, ada, eve, all } = await createAdaAndEve();
    const csrfToken = await eve.browser.csrfToken();
    // A body may be rejected because of its size.
    const texts = ODD_TEXTS.filter(({ length }) => length < 10_000);
    const odd = oneof(
      string({ unit: "binary", maxLength: 40 }).map(wellFormed),
      constantFrom(...texts.map(wellFormed), "__proto__", "constructor", "toString"),
      constantFrom<unknown[]>(null, 0, true, [], {}, ["1"], { $ne: null }, { toString: 1 }),
    );
    await assert(
      asyncProperty(odd, odd, async (one, two) => {
        for (const fields of [{ session: one }, { provider: one, account: two }]) {
          const response = await eve.browser.post(
            "/auth/account",
            {},
            {
              body: JSON.stringify({ ...fields, csrfToken }),
              headers: { "content-type": "application/json" },
            },
          );
          expect(response.status).toBe(302);
          expect(response.headers.get("location")).toMatch(/\/account(\?done|\?failed)?$/);
        }
      }),
      runs(60),
    );
    expect(await countHoldings(app, ada.user)).toEqual(all);
    expect(await countHoldings(app, eve.user)).toEqual({ sessions: 1, accounts: 2 });
  });
});

describe("POST /account and the last sign-in method", () => {
  it("POST /account keeps the last usable account when another belongs to a removed provider", async () => {
    const { app, ada } = await createAdaAndEve();
    await app.adapter.updateUser({ id: ada.user.id, emailVerified: null });
    const gone = { userId: ada.user.id, provider: "myspace", providerAccountId: "1" };
    await app.adapter.linkAccount({ ...gone, type: "oauth" });
    const csrfToken = await ada.browser.csrfToken();
    const remove = async (provider: string) => {
      const fields = { csrfToken, provider, account: "1" };
      return (await ada.browser.post("/auth/account", fields)).headers.get("location");
    };
    expect(await remove("github")).toBe(`${PAGE}?done`);
    // An account that no configured provider can sign in does not count as a sign-in method, and may be removed.
    expect(await (await ada.browser.get("/auth/account")).text()).toContain("myspace");
    expect(await remove("google")).toBe(`${PAGE}?failed=last`);
    expect(await remove("myspace")).toBe(`${PAGE}?done`);
    expect(await remove("google")).toBe(`${PAGE}?failed=last`);
  });

  it("POST /account keeps one account when all are removed concurrently", async () => {
    const { app, ada } = await createAdaAndEve();
    await app.adapter.updateUser({ id: ada.user.id, emailVerified: null });
    const csrfToken = await ada.browser.csrfToken();
    const ends = await Promise.all(
      ["github", "google", "github", "google"].map(async (provider) => {
        const fields = { csrfToken, provider, account: "1" };
        return (await ada.browser.post("/auth/account", fields)).headers.get("location");
      }),
    );
    expect(ends.filter((end) => end === `${PAGE}?done`)).toHaveLength(1);
    expect(await countHoldings(app, ada.user)).toMatchObject({ accounts: 1 });
  });
});

it("GET /account works when the session callback omits `expires`", async () => {
  const { browser } = createTestAuth({
    preset: standardPreset,
    callbacks: { session: ({ session }) => ({ user: session.user }) as typeof session },
  });
  await browser.signInWith("credentials", LOVELACE);
  const response = await browser.get("/auth/account");
  expect(response.status).toBe(200);
  expect(await response.text()).toContain("This browser");
});

it("POST /signout keeps no memory of session tokens that a visitor makes up", async () => {
  const { auth, log } = createMailApp();
  log.ignoreErrors();
  const stranger = createBrowser(auth.fetch);
  const csrfToken = await stranger.csrfToken();
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  const leave = async (count: number) => {
    for (let at = 0; at < count; at++) {
      stranger.cookies.set("authjs.session-token", `${at}`.padEnd(14_000, "x"));
      await stranger.post("/auth/signout", { csrfToken });
    }
    collect();
    return process.memoryUsage().heapUsed;
  };
  const before = await leave(50);
  expect((await leave(600)) - before).toBeLessThan(3_000_000);
});
