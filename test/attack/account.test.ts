import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { assert, asyncProperty, constantFrom, oneof, string } from "fast-check";
import { describe, expect, it } from "vitest";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { type AuthConfig, createAuth } from "../../presets/index.ts";
import { type Browser, createBrowser, ODD_TEXTS } from "../../src/testing.ts";
import type { Adapter, AdapterUser, Auth, Provider } from "../../src/types.ts";
import { adapterOn } from "../adapters/_shelf.ts";
import { createLog, credentials, ENV, LOVELACE, type Log, ORIGIN, SECRET } from "../_setup.ts";
import { expectSafe, givesSession, runs, watchRejections, wellFormed } from "./_attack.ts";

watchRejections();

const PAGE = `${ORIGIN}/auth/account`;
const ADA = "ada@example.com";
const EVE = "eve@example.com";

const oauth = (id: string) =>
  ({
    id,
    name: id,
    type: "oauth",
    clientId: "id",
    clientSecret: "secret",
    authorization: "https://idp.example/authorize",
    token: "https://idp.example/token",
    userinfo: "https://idp.example/userinfo",
  }) as Provider;

interface World {
  auth: Auth;
  log: Log;
  adapter: Required<Adapter>;
  /** Signs somebody in by a link. */
  enter(email: string): Promise<{ browser: Browser; user: AdapterUser }>;
}

function createWorld(config: AuthConfig = {}): World {
  const adapter = adapterOn(memoryBackend()) as Required<Adapter>;
  const log = createLog();
  let link = "";
  const mail = {
    id: "mail",
    name: "Mail",
    type: "email",
    limits: { address: false, network: false },
    sendVerificationRequest: ({ url }: { url: string }) => void (link = url),
  } as Provider;
  const auth = createAuth({
    secret: SECRET,
    env: ENV,
    logger: log.logger,
    providers: [oauth("github"), oauth("google"), mail],
    ...config,
    adapter,
  });
  return {
    auth,
    log,
    adapter,
    async enter(email) {
      const browser = createBrowser(auth.fetch);
      await browser.signIn("mail", { email });
      await browser.get(link);
      return { browser, user: (await adapter.getUserByEmail(email))! };
    },
  };
}

/** What somebody has, whose page it is. */
async function holdings({ adapter }: World, { id }: AdapterUser) {
  const [sessions, accounts] = await Promise.all([
    adapter.listSessionsByUserId(id),
    adapter.listAccountsByUserId(id),
  ]);
  return { sessions: sessions.length, accounts: accounts.length };
}

async function couple() {
  const world = createWorld();
  const [ada, other, eve] = [
    await world.enter(ADA),
    await world.enter(ADA),
    await world.enter(EVE),
  ];
  for (const [{ user }, number] of [
    [ada, "1"],
    [eve, "2"],
  ] as const) {
    for (const provider of ["github", "google"]) {
      const account = { userId: user.id, provider, providerAccountId: number };
      await world.adapter.linkAccount({ ...account, type: "oauth" });
    }
  }
  const all = { sessions: 2, accounts: 2 };
  return { world, ada, other, eve, all };
}

const CHANGES: Record<string, string>[] = [
  { sessions: "others" },
  { provider: "github", account: "1" },
];

describe("a change of an account, asked for by another site", () => {
  const foreign: Record<string, string>[] = [
    { origin: "https://evil.example" },
    { origin: "http://localhost:3001" },
    { origin: "http://evil.localhost:3000" },
    { "sec-fetch-site": "cross-site" },
    { origin: "null", "sec-fetch-site": "same-site" },
  ];

  it.each(CHANGES)("is refused, whatever it brings: %j", async (change) => {
    const { world, ada, eve, all } = await couple();
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
      expect(await holdings(world, ada.user), name).toEqual(all);
    }
    world.log.expectErrors(...tries.map(() => "MissingCSRF"));
  });

  it.each(CHANGES)("is no GET, and no other method: %j", async (change) => {
    const { world, ada, all } = await couple();
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
      expect((await world.auth.fetch(request)).status).toBe(405);
    }
    expect(await holdings(world, ada.user)).toEqual(all);
    world.log.ignoreErrors();
  });

  function json(body: unknown): RequestInit {
    return { body: JSON.stringify(body), headers: { "content-type": "application/json" } };
  }
});

describe("the account page", () => {
  it("is framed by nobody, kept by nobody, and tells no other site where it was", async () => {
    const { ada } = await couple();
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

  it("never has the token of a session in it, nor gives one", async () => {
    const { ada, other } = await couple();
    const response = await ada.browser.get("/auth/account");
    const html = await response.text();
    for (const { browser } of [ada, other]) {
      const token = browser.cookies.get("authjs.session-token")!;
      expect(token.length).toBeGreaterThan(20);
      expect(html).not.toContain(token);
    }
    expect(givesSession(response)).toBe(false);
  });

  it("shows nobody to who brings a session that is planted, over, or somebody's id", async () => {
    const { world, ada, all } = await couple();
    const [listed] = await world.adapter.listSessionsByUserId(ada.user.id);
    const over = await world.enter(ADA);
    const token = over.browser.cookies.get("authjs.session-token")!;
    await over.browser.signOut();
    for (const planted of [listed!.id, token, ada.user.id, "", "undefined", "null"]) {
      const browser = createBrowser(world.auth.fetch);
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
    expect(await holdings(world, ada.user)).toEqual(all);
  });
});

describe("Eve, who is signed in too", () => {
  it("ends none of Ada's sessions, and learns of none", async () => {
    const { world, ada, eve, all } = await couple();
    const csrfToken = await eve.browser.csrfToken();
    const listed = await world.adapter.listSessionsByUserId(ada.user.id);
    const tokens = [ada.browser.cookies.get("authjs.session-token")!, ada.user.id];
    for (const session of [...listed.map(({ id }) => id), ...tokens, "nobody's"]) {
      const response = await eve.browser.post("/auth/account", { csrfToken, session });
      expect(response.headers.get("location")).toBe(`${PAGE}?done`);
    }
    expect(await holdings(world, ada.user)).toEqual(all);
    expect(await ada.browser.session()).not.toBe(null);
  });

  it("takes none of Ada's accounts, and learns of none", async () => {
    const { world, ada, eve, all } = await couple();
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
      expect(response.headers.get("location"), `${provider} ${account}`).toBe(`${PAGE}?failed`);
    }
    expect(await holdings(world, ada.user)).toEqual(all);
    expect(await holdings(world, eve.user)).toEqual({ sessions: 1, accounts: 2 });
  });

  it("does nothing by odd fields, of any type", async () => {
    const { world, ada, eve, all } = await couple();
    const csrfToken = await eve.browser.csrfToken();
    // All of a body may be refused for its size.
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
          expect(response.headers.get("location")).toMatch(/\/account\?(done|failed)$/);
        }
      }),
      runs(60),
    );
    expect(await holdings(world, ada.user)).toEqual(all);
    expect(await holdings(world, eve.user)).toEqual({ sessions: 1, accounts: 2 });
  });
});

describe("the last way in", () => {
  it("stays, though there is an account of a provider that is gone", async () => {
    const { world, ada } = await couple();
    await world.adapter.updateUser({ id: ada.user.id, emailVerified: null });
    const gone = { userId: ada.user.id, provider: "myspace", providerAccountId: "1" };
    await world.adapter.linkAccount({ ...gone, type: "oauth" });
    const csrfToken = await ada.browser.csrfToken();
    const remove = async (provider: string) => {
      const fields = { csrfToken, provider, account: "1" };
      return (await ada.browser.post("/auth/account", fields)).headers.get("location");
    };
    expect(await remove("github")).toBe(`${PAGE}?done`);
    // What nobody can come by any more does not count, and may go.
    expect(await (await ada.browser.get("/auth/account")).text()).toContain("myspace");
    expect(await remove("google")).toBe(`${PAGE}?failed=last`);
    expect(await remove("myspace")).toBe(`${PAGE}?done`);
    expect(await remove("google")).toBe(`${PAGE}?failed=last`);
  });

  it("stays, whatever is removed at the same moment", async () => {
    const { world, ada } = await couple();
    await world.adapter.updateUser({ id: ada.user.id, emailVerified: null });
    const csrfToken = await ada.browser.csrfToken();
    const ends = await Promise.all(
      ["github", "google", "github", "google"].map(async (provider) => {
        const fields = { csrfToken, provider, account: "1" };
        return (await ada.browser.post("/auth/account", fields)).headers.get("location");
      }),
    );
    expect(ends.filter((end) => end === `${PAGE}?done`)).toHaveLength(1);
    expect(await holdings(world, ada.user)).toMatchObject({ accounts: 1 });
  });
});

it("is there though a callback of the application leaves the session's end out", async () => {
  const { logger } = createLog();
  const auth = createAuth({
    secret: SECRET,
    env: ENV,
    logger,
    callbacks: { session: ({ session }) => ({ user: session.user }) as typeof session },
    providers: [credentials()],
  });
  const browser = createBrowser(auth.fetch);
  await browser.signInWith("credentials", LOVELACE);
  const response = await browser.get("/auth/account");
  expect(response.status).toBe(200);
  expect(await response.text()).toContain("This device");
});

it("what ended takes no room that a stranger can choose", async () => {
  const { auth, log } = createWorld();
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
