import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { storeAdapter } from "../../plugins/adapters/store/store.ts";
import memoryStore from "../../plugins/stores/memory.ts";
import { createAuth } from "../../presets/index.ts";
import { sha256Base64url } from "../../src/index.ts";
import { encode } from "../../src/jwt.ts";
import { recordKey } from "../../src/record.ts";
import type { StoreKey } from "../../src/types.ts";
import { type Op, startOp } from "../_op.ts";
import { locationOf, press } from "../flows/_mail.ts";
import {
  ADA,
  ask,
  come,
  comeByLink,
  createStorage,
  createWorld,
  DAY,
  isIn,
  look,
  MINUTE,
  type Node,
  people,
  random,
  SECRET,
  SESSION,
  setOut,
  type Storage,
  twinOf,
  visit,
} from "./_world.ts";

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
  ["the new one is known here and there, and not yet used", [OLD], [OLD, NEW]],
  ["it is used here, and there not yet", [OLD, NEW], [NEW, OLD]],
  ["the old one is dropped here, and not yet there", [NEW], [NEW, OLD]],
];

describe.each(STRATEGIES)("F23: secrets rotate (%s)", (strategy) => {
  it.each(PAIRS)(
    "F23: while %s, all that begins at one node ends at the other",
    async (_, one, other) => {
      for (const [first, second] of [
        [one, other],
        [other, one],
      ]) {
        const world = createWorld({ strategy, op });
        const begin = world.node({ secret: first as string[] });
        const end = world.node({ secret: second as string[] });
        let at = begin;
        const browser = visit(() => at);

        const back = await setOut(op, browser);
        at = end;
        expect(locationOf(await browser.get(back))).toBe("/");
        at = begin;
        expect(await isIn(browser)).toBe(true);

        const { link } = await ask(world, browser);
        const { link: shown } = await ask(world, browser);
        at = end;
        expect(locationOf(await browser.get(link))).toBe("/");
        at = begin;
        expect(await isIn(browser)).toBe(true);

        const stranger = visit(() => at);
        const page = await stranger.get(shown);
        at = end;
        expect(locationOf(await press(stranger, page))).toBe("/");

        at = begin;
        const csrfToken = await browser.csrfToken();
        at = end;
        const out = await browser.post("/auth/signout", { csrfToken });
        expect(locationOf(out)).toBe("/");
        expect(browser.cookies.has(SESSION)).toBe(false);

        expect([...begin.errors, ...end.errors]).toEqual([]);
        expect(people(world.storage)).toHaveLength(1);
      }
    },
  );

  it("F23: a visitor tossed between the nodes through all steps is never signed out", async () => {
    const world = createWorld({ strategy, op });
    const draw = random(23);
    const node = (secret: string[]): Node =>
      world.node({ secret, session: { maxAge: 1200, updateAge: 60 } });
    const errors: Error[] = [];
    let pair: Node[] = [node([OLD])];
    const toss = () => pair[Math.floor(draw() * pair.length)] as Node;
    const browser = visit(toss);
    const reader = visit(toss);
    expect(await come(op, browser)).toBe("/");
    expect(await comeByLink(world, reader, "eve@example.com")).toBe("/");
    const steps = [[[OLD]], ...PAIRS.slice(0, 2).map(([, one, other]) => [one, other])];
    const last = [[NEW, OLD], [NEW]];
    for (const lists of [...steps, [[NEW, OLD]], last, [[NEW]]]) {
      pair = lists.map(node);
      for (let minute = 0; minute < 20; minute++) {
        vi.setSystemTime(Date.now() + 30_000);
        expect(await isIn(browser), JSON.stringify(lists)).toBe(true);
        expect(await isIn(reader), JSON.stringify(lists)).toBe(true);
        if (minute % 7 === 3) expect(await come(op, browser)).toBe("/");
        if (minute % 7 === 5) {
          expect(await comeByLink(world, reader, "eve@example.com")).toBe("/");
        }
      }
      errors.push(...pair.flatMap((one) => one.errors));
    }
    expect(errors).toEqual([]);
    expect(people(world.storage)).toHaveLength(2);
  });

  it("F23: what a dropped secret made is refused cleanly, and all can be begun anew", async () => {
    const world = createWorld({ strategy, op });
    const before = world.node({ secret: OLD });
    const after = world.node({ secret: NEW });
    let at = before;
    const browser = visit(() => at);
    expect(await come(op, browser)).toBe("/");
    const leaving = visit(() => at);
    const back = await setOut(op, leaving);
    const { link } = await ask(world, leaving);
    const csrfToken = await leaving.csrfToken();
    at = after;
    // A token in the database is no secret's: it goes on.
    expect(await isIn(browser)).toBe(strategy === "database");
    expect(locationOf(await leaving.get(back))).toBe("/auth/signin?error=InvalidCheck");
    const page = await leaving.get(link);
    expect(locationOf(await press(leaving, page))).toBe("/auth/error?error=Verification");
    const posted = await twinOf(leaving, after).post("/auth/signin/mail", {
      csrfToken,
      email: ADA,
    });
    expect(locationOf(posted)).toBe("/auth/signin?error=MissingCSRF");
    expect(await come(op, leaving)).toBe("/");
    expect(await isIn(leaving)).toBe(true);
    expect(await comeByLink(world, visit(after))).not.toBe("");
  });

  it("F23: in the wrong order, used before it is known: refused without a fault, and safe", async () => {
    const world = createWorld({ strategy, op });
    const behind = world.node({ secret: OLD });
    const ahead = world.node({ secret: [NEW, OLD] });
    let at = ahead;
    const browser = visit(() => at);
    expect(await come(op, browser)).toBe("/");
    at = behind;
    const response = await look(browser);
    expect(response.status).toBe(200);
    expect((await response.json()) !== null).toBe(strategy === "database");
    // The other way round all is good.
    expect(await come(op, browser)).toBe("/");
    at = ahead;
    expect(await isIn(browser)).toBe(true);
  });
});

describe.each(STRATEGIES)("F24: the server starts anew (%s)", (strategy) => {
  it("F24: in the middle of OAuth", async () => {
    const world = createWorld({ strategy, op });
    let at = world.node();
    const browser = visit(() => at);
    const tabs = [await setOut(op, browser), await setOut(op, browser)];
    at = world.node();
    for (const back of tabs) expect(locationOf(await browser.get(back))).toBe("/");
    at = world.node();
    expect(await isIn(browser)).toBe(true);
    expect(at.errors).toEqual([]);
    expect(people(world.storage)).toHaveLength(1);
  });

  it("F24: between the request for a link, the link and the button", async () => {
    const world = createWorld({ strategy });
    let at = world.node();
    const browser = visit(() => at);
    const [first, second] = [await ask(world, browser), await ask(world, browser)];
    at = world.node();
    expect(locationOf(await browser.get(first.link))).toBe("/");
    const other = visit(() => at);
    const page = await other.get(second.link);
    at = world.node();
    expect(locationOf(await press(other, page))).toBe("/");
    expect(await isIn(browser)).toBe(true);
    expect(at.errors).toEqual([]);
  });

  it("F24: a page that was open: its form is taken, and a sign-out goes through", async () => {
    const world = createWorld({ strategy });
    let at = world.node();
    const browser = visit(() => at);
    const csrfToken = await browser.csrfToken();
    at = world.node();
    await browser.post("/auth/signin/mail", { csrfToken, email: ADA });
    expect(locationOf(await browser.get(world.outbox[0] ?? ""))).toBe("/");
    at = world.node();
    await browser.post("/auth/signout", { csrfToken });
    expect(await isIn(browser)).toBe(false);
  });
});

describe("F24: records that end with the process", () => {
  it("F24: are refused in production", () => {
    const production = createAuth({
      secret: SECRET,
      env: { AUTH_URL: "https://acme.example", NODE_ENV: "production" },
      logger: { error() {}, warn() {}, debug() {} },
      plugins: [memoryStore(), storeAdapter()],
    });
    expect(() => production.inspect()).toThrow(/outlive the process/);
  });

  it("F24: in development: a link is refused cleanly, a session is over, all begins anew", async () => {
    const first = createWorld({ op });
    const second = createWorld({ op });
    let at = first.node();
    const browser = visit(() => at);
    expect(await come(op, browser)).toBe("/");
    const { link } = await ask(first, browser);
    at = second.node();
    expect(await isIn(browser)).toBe(false);
    expect(locationOf(await browser.get(link))).toBe("/auth/error?error=Verification");
    expect(await come(op, browser)).toBe("/");
  });
});

/** Rows as version 1 writes them: a release that changes them must read these all the same. */
async function rowsOfVersion1(token: string, link: string, subject: string) {
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
      `{"v":1,"e":${end},"d":{"userId":"u-1","epoch":2,"listed":${end},"what":{"data":` +
        '{"userId":"u-1","expires":"2026-05-31T12:00:00.000Z"},"dates":["expires"]}}}',
      end,
    ],
    ["adapter-sessions-of", ["u-1", hash], `{"v":1,"e":${end},"d":["${hash}"]}`, end],
    [
      "adapter-token",
      [ADA, linkHash],
      `{"v":1,"e":${end},"d":{"hash":"${linkHash}","what":{"data":{"identifier":"${ADA}",` +
        '"expires":"2026-05-31T12:00:00.000Z"},"dates":["expires"]}}}',
      end,
    ],
  ];
  return Promise.all(
    rows.map(async ([namespace, key, text, expires = Infinity]) => ({
      key: await recordKey(namespace, key),
      entry: { value: text, expires },
    })),
  );
}

/** The members of a record, whatever is in them. */
function shapeOf(text: string): unknown {
  const shape = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(() => "item");
    if (typeof value !== "object" || value === null) return value === null ? "null" : typeof value;
    return Object.fromEntries(Object.entries(value).map(([name, one]) => [name, shape(one)]));
  };
  return shape(JSON.parse(text));
}

describe("F25: another version is at work beside this one", () => {
  const TOKEN = "0f0e0d0c-0b0a-4908-8706-050403020100";
  const LINK = "a".repeat(64);
  const SUBJECT = "subject-1";

  async function older(): Promise<Storage> {
    const storage = createStorage();
    // As the flow hashes it before the adapter does.
    const { sha256Hex } = await import("../../src/index.ts");
    const rows = await rowsOfVersion1(TOKEN, await sha256Hex(LINK + SECRET), SUBJECT);
    for (const { key, entry } of rows) storage.entries.set(key, entry);
    return storage;
  }

  it("F25: rows that it wrote are read: session, account, address and link", async () => {
    const storage = await older();
    const world = createWorld({ storage, op });
    const node = world.node();
    const browser = visit(node);
    browser.cookies.set(SESSION, TOKEN);
    expect(await browser.session()).toMatchObject({
      user: { name: "Ada", email: ADA },
      expires: "2026-05-31T12:00:00.000Z",
    });
    vi.setSystemTime(Date.now() + 2 * DAY);
    expect(await isIn(browser)).toBe(true);
    expect(await come(op, visit(node))).toBe("/");
    const other = visit(node);
    const page = await other.get(`/auth/callback/mail?email=${ADA}&token=${LINK}`);
    expect(locationOf(await press(other, page))).toBe("/");
    expect(people(storage)).toMatchObject([{ id: "u-1", role: "admin" }]);
    expect(node.errors).toEqual([]);
  });

  it("F25: rows that this one writes have the members which that one knows", async () => {
    const world = createWorld({ op });
    const browser = visit(world.node());
    await come(op, browser);
    await ask(world, browser);
    const old = await older();
    for (const namespace of [
      ...["adapter-email", "adapter-account", "adapter-accounts-of", "adapter-session"],
      ...["adapter-sessions-of", "adapter-token"],
    ]) {
      const [written, known] = [world.storage, old].map(
        (one) => one.shelf(namespace)[0]?.[1] ?? "",
      );
      expect(shapeOf(written ?? ""), namespace).toMatchObject(shapeOf(known ?? "") as object);
    }
    const user = JSON.parse(world.storage.shelf("adapter-user")[0]?.[1] ?? "") as object;
    expect(user).toMatchObject({ v: 1, e: null, d: { rev: 0, epoch: 0, generation: 0 } });
  });

  it("F25: cookies of Auth.js and of this library are read", async () => {
    const world = createWorld({ strategy: "jwt" });
    const browser = visit(world.node());
    const token = { sub: "u-1", name: "Ada", email: ADA, picture: null };
    browser.cookies.set(SESSION, await encode({ token, secret: SECRET, salt: SESSION }));
    expect(await browser.session()).toMatchObject({ user: { name: "Ada", email: ADA } });
  });

  it("F25: a cookie of an unknown kind is dropped, and a sign-in replaces it", async () => {
    const header = Buffer.from('{"alg":"dir","enc":"A512FUTURE","v":2}').toString("base64url");
    for (const strategy of STRATEGIES) {
      const world = createWorld({ strategy });
      const node = world.node();
      const browser = visit(node);
      browser.cookies.set(SESSION, `${header}..AAAA.AAAA.AAAA`);
      expect(await isIn(browser)).toBe(false);
      browser.cookies.set(SESSION, `${header}..AAAA.AAAA.AAAA`);
      expect(await comeByLink(world, browser)).toBe("/");
      expect(await isIn(browser)).toBe(true);
      expect(node.errors).toEqual([]);
    }
  });

  it.each(["user", "email", "account", "session", "token"])(
    "F25: a %s row of a newer version is left alone, told of, and nobody is doubled",
    async (kind) => {
      const storage = await older();
      const [[key, text] = ["", ""]] = storage.shelf(`adapter-${kind}`);
      const newer = text.replace('{"v":1', '{"v":2');
      expect(newer).not.toBe(text);
      storage.entries.set(key, { ...storage.entries.get(key), value: newer, expires: Infinity });
      const world = createWorld({ storage, op });
      const node = world.node();
      const browser = visit(node);
      browser.cookies.set(SESSION, TOKEN);
      const isKnown = kind !== "user" && kind !== "session";
      expect(await isIn(browser)).toBe(isKnown);

      vi.setSystemTime(Date.now() + MINUTE);
      const led = await come(op, visit(node));
      const outcomes: Record<string, string> = {
        user: "/auth/error?error=Configuration",
        account: "/auth/signin?error=OAuthAccountNotLinked",
      };
      expect(led).toBe(outcomes[kind] ?? "/");

      const byMail = visit(node);
      const page = await byMail.get(`/auth/callback/mail?email=${ADA}&token=${LINK}`);
      const pressed = locationOf(await press(byMail, page));
      const refusals: Record<string, string> = {
        user: "/auth/error?error=Configuration",
        email: "/auth/error?error=Configuration",
        token: "/auth/error?error=Verification",
      };
      expect(pressed).toBe(refusals[kind] ?? "/");

      if (kind !== "token") expect(storage.entries.get(key)?.value).toBe(newer);
      const others = people(storage).filter(({ id }) => id !== "u-1");
      expect(others).toEqual([]);
      const told = node.errors.filter(({ message }) => message.includes("newer version"));
      expect(told).toHaveLength(1);
    },
  );
});
