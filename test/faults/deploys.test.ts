import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { storeAdapter } from "../../plugins/adapters/store.ts";
import { memoryBackend, memoryStore } from "../../plugins/stores/memory.ts";
import { standardPreset } from "../../presets/index.ts";
import { sha256Base64url } from "../../src/crypto/crypto.ts";
import { encode } from "../../src/jwt/jwt.ts";
import { recordKey } from "../../src/storage/record.ts";
import type { StoreKey } from "../../src/types.ts";
import {
  locationOf,
  isSignedIn,
  fetchSession,
  SECRET,
  type TestAuth,
  createTestAuth,
} from "../_app.ts";
import { type Op, startOp } from "../_op.ts";
import { spaceOf } from "../_space.ts";
import { press } from "../flows/_mail.ts";
import {
  ADA,
  requestLink,
  signIn,
  signInByLink,
  createStorage,
  createCluster,
  DAY,
  MINUTE,
  listUsers,
  random,
  SESSION,
  startSignIn,
  type Storage,
  cloneBrowser,
  openBrowser,
} from "./_cluster.ts";

let op: Op;
beforeAll(async () => {
  op = await startOp();
});
afterAll(() => op.close());
beforeEach(() => {
  op.reset();
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-05-01T12:00:00.000Z") });
});
afterEach(() => void vi.useRealTimers());

const STRATEGIES = ["database", "jwt"];
const OLD = "old-secret-0123456789abcdefghijklmnop";
const NEW = "new-secret-0123456789abcdefghijklmnop";

const PAIRS: readonly [step: string, one: string[], other: string[]][] = [
  ["one node knows the new secret and neither uses it", [OLD], [OLD, NEW]],
  ["both nodes know both secrets and one uses the new one", [OLD, NEW], [NEW, OLD]],
  ["one node has dropped the old secret", [NEW], [NEW, OLD]],
];

describe.each(STRATEGIES)("F23: secrets rotate (%s)", (strategy) => {
  it.each(PAIRS)(
    "F23: flows that begin at one node end at the other while %s",
    async (_, one, other) => {
      for (const [first, second] of [
        [one, other],
        [other, one],
      ]) {
        const cluster = createCluster({ strategy, op });
        const begin = cluster.node({ secret: first as string[] });
        const end = cluster.node({ secret: second as string[] });
        let at = begin;
        const browser = openBrowser(() => at);

        const back = await startSignIn(op, browser);
        at = end;
        expect(locationOf(await browser.get(back))).toBe("/");
        at = begin;
        expect(await isSignedIn(browser)).toBe(true);

        const { link } = await requestLink(cluster, browser);
        const { link: shown } = await requestLink(cluster, browser);
        at = end;
        expect(locationOf(await browser.get(link))).toBe("/");
        at = begin;
        expect(await isSignedIn(browser)).toBe(true);

        const stranger = openBrowser(() => at);
        const page = await stranger.get(shown);
        at = end;
        expect(locationOf(await press(stranger, page))).toBe("/");

        at = begin;
        const csrfToken = await browser.csrfToken();
        at = end;
        const out = await browser.post("/auth/signout", { csrfToken });
        expect(locationOf(out)).toBe("/");
        expect(browser.cookies.has(SESSION)).toBe(false);

        expect([...begin.log.errors, ...end.log.errors]).toEqual([]);
        expect(listUsers(cluster.storage)).toHaveLength(1);
      }
    },
  );

  it("F23: a session survives all steps of a rotation when requests go to random nodes", async () => {
    const cluster = createCluster({ strategy, op });
    const draw = random(23);
    const node = (secret: string[]): TestAuth =>
      cluster.node({ secret, session: { maxAge: 1200, updateAge: 60 } });
    const errors: Error[] = [];
    let pair: TestAuth[] = [node([OLD])];
    const toss = () => pair[Math.floor(draw() * pair.length)] as TestAuth;
    const browser = openBrowser(toss);
    const reader = openBrowser(toss);
    expect(await signIn(op, browser)).toBe("/");
    expect(await signInByLink(cluster, reader, "eve@example.com")).toBe("/");
    const steps = [[[OLD]], ...PAIRS.slice(0, 2).map(([, one, other]) => [one, other])];
    const last = [[NEW, OLD], [NEW]];
    for (const lists of [...steps, [[NEW, OLD]], last, [[NEW]]]) {
      pair = lists.map(node);
      for (let minute = 0; minute < 20; minute++) {
        vi.setSystemTime(Date.now() + 30_000);
        expect(await isSignedIn(browser), JSON.stringify(lists)).toBe(true);
        expect(await isSignedIn(reader), JSON.stringify(lists)).toBe(true);
        if (minute % 7 === 3) expect(await signIn(op, browser)).toBe("/");
        if (minute % 7 === 5) {
          expect(await signInByLink(cluster, reader, "eve@example.com")).toBe("/");
        }
      }
      errors.push(...pair.flatMap((one) => one.log.errors));
    }
    expect(errors).toEqual([]);
    expect(listUsers(cluster.storage)).toHaveLength(2);
  });

  it("F23: refuses tokens of a dropped secret without errors, and new flows work", async () => {
    const cluster = createCluster({ strategy, op });
    const before = cluster.node({ secret: OLD });
    const after = cluster.node({ errors: "allowed", secret: NEW });
    let at = before;
    const browser = openBrowser(() => at);
    expect(await signIn(op, browser)).toBe("/");
    const leaving = openBrowser(() => at);
    const back = await startSignIn(op, leaving);
    const { link } = await requestLink(cluster, leaving);
    const csrfToken = await leaving.csrfToken();
    at = after;
    // Without the old secret, the application is another one, whose store is empty.
    expect(await isSignedIn(browser)).toBe(false);
    expect(locationOf(await leaving.get(back))).toBe("/auth/signin?error=InvalidCheck");
    const page = await leaving.get(link);
    expect(locationOf(await press(leaving, page))).toBe("/auth/error?error=Verification");
    const posted = await cloneBrowser(leaving, after).post("/auth/signin/mail", {
      csrfToken,
      email: ADA,
    });
    expect(locationOf(posted)).toBe("/auth/signin?error=MissingCSRF");
    expect(await signIn(op, leaving)).toBe("/");
    expect(await isSignedIn(leaving)).toBe(true);
    expect(await signInByLink(cluster, openBrowser(after))).not.toBe("");
  });

  it("F23: a node that does not know the new secret yet ignores its session cookie without an error", async () => {
    const cluster = createCluster({ strategy, op });
    const behind = cluster.node({ secret: OLD });
    const ahead = cluster.node({ secret: [NEW, OLD] });
    let at = ahead;
    const browser = openBrowser(() => at);
    expect(await signIn(op, browser)).toBe("/");
    at = behind;
    const response = await fetchSession(browser);
    expect(response.status).toBe(200);
    expect((await response.json()) !== null).toBe(strategy === "database");
    // The reverse order works.
    expect(await signIn(op, browser)).toBe("/");
    at = ahead;
    expect(await isSignedIn(browser)).toBe(true);
  });
});

describe.each(STRATEGIES)("F24: the server restarts (%s)", (strategy) => {
  it("F24: an OAuth sign-in continues after a restart", async () => {
    const cluster = createCluster({ strategy, op });
    let at = cluster.node();
    const browser = openBrowser(() => at);
    const tabs = [await startSignIn(op, browser), await startSignIn(op, browser)];
    at = cluster.node();
    for (const back of tabs) expect(locationOf(await browser.get(back))).toBe("/");
    at = cluster.node();
    expect(await isSignedIn(browser)).toBe(true);
    expect(at.log.errors).toEqual([]);
    expect(listUsers(cluster.storage)).toHaveLength(1);
  });

  it("F24: an e-mail link and its confirmation work after restarts", async () => {
    const cluster = createCluster({ strategy });
    let at = cluster.node();
    const browser = openBrowser(() => at);
    const [first, second] = [
      await requestLink(cluster, browser),
      await requestLink(cluster, browser),
    ];
    at = cluster.node();
    expect(locationOf(await browser.get(first.link))).toBe("/");
    const other = openBrowser(() => at);
    const page = await other.get(second.link);
    at = cluster.node();
    expect(locationOf(await press(other, page))).toBe("/");
    expect(await isSignedIn(browser)).toBe(true);
    expect(at.log.errors).toEqual([]);
  });

  it("F24: a page from before a restart can still be submitted, for sign-in and sign-out", async () => {
    const cluster = createCluster({ strategy });
    let at = cluster.node();
    const browser = openBrowser(() => at);
    const csrfToken = await browser.csrfToken();
    at = cluster.node();
    await browser.post("/auth/signin/mail", { csrfToken, email: ADA });
    expect(locationOf(await browser.get(cluster.links[0] ?? ""))).toBe("/");
    const renewed = await browser.csrfToken();
    at = cluster.node();
    await browser.post("/auth/signout", { csrfToken: renewed });
    expect(await isSignedIn(browser)).toBe(false);
  });
});

describe("F24: records that end with the process", () => {
  it("F24: inspect() rejects an adapter on a memory store in production", () => {
    const { auth } = createTestAuth({
      preset: standardPreset,
      env: { AUTH_URL: "https://acme.example", NODE_ENV: "production" },
      errors: "allowed",
      plugins: [memoryStore(), storeAdapter()],
    });
    expect(() => auth.inspect()).toThrow(/outlive the process/);
  });

  it("F24: in development a restart refuses links and ends sessions cleanly, and new sign-ins work", async () => {
    const first = createCluster({ op });
    const second = createCluster({ op });
    let at = first.node();
    const browser = openBrowser(() => at);
    expect(await signIn(op, browser)).toBe("/");
    const { link } = await requestLink(first, browser);
    at = second.node({ errors: "allowed" });
    expect(await isSignedIn(browser)).toBe(false);
    expect(locationOf(await browser.get(link))).toBe("/auth/error?error=Verification");
    expect(await signIn(op, browser)).toBe("/");
  });
});

/** Builds rows as version 1 writes them; every later release must be able to read them. */
async function buildVersion1Rows(token: string, link: string, subject: string) {
  const end = Date.parse("2026-05-31T12:00:00.000Z");
  const hash = await sha256Base64url(JSON.stringify(token));
  const linkHash = await sha256Base64url(JSON.stringify(link));
  const rows: [namespace: string, key: StoreKey, text: string, expires?: number][] = [
    [
      "adapter-user",
      "u-1",
      '{"v":1,"e":null,"d":{"rev":3,"epoch":2,"generation":1,"user":{"data":{"id":"u-1",' +
        '"name":"Ada","email":"ada@example.com","emailVerified":"2026-04-01T00:00:00.000Z",' +
        '"role":"admin"},"dates":["emailVerified"]}}}',
    ],
    [
      "adapter-email",
      ADA,
      '{"v":1,"e":null,"d":{"userId":"u-1","at":1700000000000,"nonce":"0123456789abcdef"}}',
    ],
    [
      "adapter-account",
      ["op", subject],
      '{"v":1,"e":null,"d":{"userId":"u-1","generation":1,"at":1700000000000,"what":{"data":' +
        `{"provider":"op","type":"oidc","providerAccountId":"${subject}","userId":"u-1"}}}}`,
    ],
    ["adapter-accounts-of", ["u-1", "op", subject], `{"v":1,"e":null,"d":["op","${subject}"]}`],
    [
      "adapter-session",
      hash,
      `{"v":1,"e":${end},"d":{"userId":"u-1","epoch":2,"what":{"data":` +
        '{"userId":"u-1","expires":"2026-05-31T12:00:00.000Z"},"dates":["expires"]}}}',
      end,
    ],
    [
      "adapter-sessions-of",
      "u-1",
      `{"v":1,"e":null,"d":{"sessions":[["${hash}",1700000000000,${end},2]]}}`,
    ],
    [
      "adapter-token",
      [ADA, linkHash],
      `{"v":1,"e":${end},"d":{"hash":"${linkHash}","what":{"data":{"identifier":"${ADA}",` +
        '"expires":"2026-05-31T12:00:00.000Z"},"dates":["expires"]}}}',
      end,
    ],
  ];
  const space = await spaceOf(SECRET)(memoryBackend());
  return Promise.all(
    rows.map(async ([namespace, key, text, expires = Infinity]) => ({
      key: await recordKey(namespace, key, space),
      entry: { value: text, expires },
    })),
  );
}

/** Maps a record to the names and types of its members. */
function toShape(text: string): unknown {
  const shape = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(() => "item");
    if (typeof value !== "object" || value === null) return value === null ? "null" : typeof value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shape(one)]));
  };
  return shape(JSON.parse(text));
}

describe("F25: another version runs at the same time", () => {
  const TOKEN = "0f0e0d0c-0b0a-4908-8706-050403020100";
  const LINK = "a".repeat(64);
  const SUBJECT = "subject-1";

  async function older(): Promise<Storage> {
    const storage = createStorage();
    // The flow hashes the token before the adapter hashes it again.
    const { sha256Hex } = await import("../../src/crypto/crypto.ts");
    const rows = await buildVersion1Rows(TOKEN, await sha256Hex(LINK + SECRET), SUBJECT);
    for (const { key, entry } of rows) storage.entries.set(key, entry);
    return storage;
  }

  it("F25: reads the session, account, address and token rows of version 1", async () => {
    const storage = await older();
    const cluster = createCluster({ storage, op });
    const node = cluster.node();
    const browser = openBrowser(node);
    browser.cookies.set(SESSION, TOKEN);
    expect(await browser.session()).toMatchObject({
      user: { name: "Ada", email: ADA },
      expires: "2026-05-31T12:00:00.000Z",
    });
    vi.setSystemTime(Date.now() + 2 * DAY);
    expect(await isSignedIn(browser)).toBe(true);
    expect(await signIn(op, openBrowser(node))).toBe("/");
    const other = openBrowser(node);
    const page = await other.get(`/auth/callback/mail?email=${ADA}&token=${LINK}`);
    expect(locationOf(await press(other, page))).toBe("/");
    expect(listUsers(storage)).toMatchObject([{ id: "u-1", role: "admin" }]);
    expect(node.log.errors).toEqual([]);
  });

  it("F25: writes rows with the members that version 1 reads", async () => {
    const cluster = createCluster({ op });
    const browser = openBrowser(cluster.node());
    await signIn(op, browser);
    await requestLink(cluster, browser);
    const old = await older();
    for (const namespace of [
      ...["adapter-email", "adapter-account", "adapter-accounts-of", "adapter-session"],
      ...["adapter-sessions-of", "adapter-token"],
    ]) {
      const [written, known] = [cluster.storage, old].map(
        (one) => one.store(namespace)[0]?.[1] ?? "",
      );
      expect(toShape(written ?? ""), namespace).toMatchObject(toShape(known ?? "") as object);
    }
    const user = JSON.parse(cluster.storage.store("adapter-user")[0]?.[1] ?? "") as object;
    expect(user).toMatchObject({ v: 1, e: null, d: { rev: 0, epoch: 0, generation: 0 } });
  });

  it("F25: reads session cookies of Auth.js", async () => {
    const cluster = createCluster({ strategy: "jwt" });
    const browser = openBrowser(cluster.node());
    const token = { sub: "u-1", name: "Ada", email: ADA, picture: null };
    browser.cookies.set(SESSION, await encode({ token, secret: SECRET, salt: SESSION }));
    expect(await browser.session()).toMatchObject({ user: { name: "Ada", email: ADA } });
  });

  it("F25: ignores a session cookie of an unknown format, and a sign-in replaces it", async () => {
    const header = Buffer.from('{"alg":"dir","enc":"A512FUTURE","v":2}').toString("base64url");
    for (const strategy of STRATEGIES) {
      const cluster = createCluster({ strategy });
      const node = cluster.node();
      const browser = openBrowser(node);
      browser.cookies.set(SESSION, `${header}..AAAA.AAAA.AAAA`);
      expect(await isSignedIn(browser)).toBe(false);
      browser.cookies.set(SESSION, `${header}..AAAA.AAAA.AAAA`);
      expect(await signInByLink(cluster, browser)).toBe("/");
      expect(await isSignedIn(browser)).toBe(true);
      expect(node.log.errors).toEqual([]);
    }
  });

  it.each(["user", "email", "account", "session", "token"])(
    "F25: a %s row of a newer version is not overwritten, is logged once, and no user is duplicated",
    async (kind) => {
      const storage = await older();
      const [[key, text] = ["", ""]] = storage.store(`adapter-${kind}`);
      const newer = text.replace('{"v":1', '{"v":2');
      expect(newer).not.toBe(text);
      storage.entries.set(key, { ...storage.entries.get(key), value: newer, expires: Infinity });
      const cluster = createCluster({ storage, op });
      const node = cluster.node();
      const browser = openBrowser(node);
      browser.cookies.set(SESSION, TOKEN);
      const isKnown = kind !== "user" && kind !== "session";
      expect(await isSignedIn(browser)).toBe(isKnown);

      vi.setSystemTime(Date.now() + MINUTE);
      const led = await signIn(op, openBrowser(node));
      const outcomes: Record<string, string> = {
        user: "/auth/error?error=Configuration",
        account: "/auth/signin?error=OAuthAccountNotLinked",
      };
      expect(led).toBe(outcomes[kind] ?? "/");

      const byMail = openBrowser(node);
      const page = await byMail.get(`/auth/callback/mail?email=${ADA}&token=${LINK}`);
      const pressed = locationOf(await press(byMail, page));
      const refusals: Record<string, string> = {
        user: "/auth/error?error=Configuration",
        email: "/auth/error?error=Configuration",
        token: "/auth/error?error=Verification",
      };
      expect(pressed).toBe(refusals[kind] ?? "/");

      if (kind !== "token") expect(storage.entries.get(key)?.value).toBe(newer);
      const others = listUsers(storage).filter(({ id }) => id !== "u-1");
      expect(others).toEqual([]);
      const logged = node.log.errors.filter(({ message }) => message.includes("newer version"));
      expect(logged).toHaveLength(1);
    },
  );
});
