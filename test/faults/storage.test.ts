import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { storeAdapter } from "../../plugins/adapters/store/store.ts";
import { createAuth } from "../../presets/index.ts";
import { defineStore } from "../../src/index.ts";
import type { Browser } from "../../src/testing.ts";
import { type Op, startOp } from "../_op.ts";
import { locationOf } from "../flows/_mail.ts";
import {
  ADA,
  ask,
  come,
  comeByLink,
  createStorage,
  createWorld,
  DAY,
  expectNoSecrets,
  getterOf,
  isIn,
  look,
  MINUTE,
  ORIGIN,
  people,
  random,
  refused,
  SECRET,
  SESSION,
  type Storage,
  straight,
  twinOf,
  visit,
  type Way,
  type World,
} from "./_world.ts";

let op: Op;
beforeAll(async () => {
  op = await startOp();
});
afterAll(() => op.close());
beforeEach(() => {
  op.reset();
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(() => void vi.useRealTimers());

const pass = (milliseconds: number) => void vi.setSystemTime(Date.now() + milliseconds);

/** Somebody who is signed in by a link. */
async function signedIn(storage = createStorage()) {
  const world = createWorld({ storage });
  const node = world.node();
  const browser = visit(node);
  expect(await comeByLink(world, browser)).toBe("/");
  storage.calls.length = 0;
  return { world, storage, node, browser };
}

/** A way on which the k-th operation fails: before it is done, or after. */
function failing(at: number, kind: "error" | "lost") {
  let count = 0;
  const way: Way = async (_, go) => {
    if (++count !== at) return go();
    if (kind === "lost") await go();
    throw new Error("connection reset");
  };
  return { way, happened: () => count >= at };
}

describe("F1: the storage is down when a session is read", () => {
  it("F1: 503 with an id, no cookie touched, the getter rejects, the next request recovers", async () => {
    const { storage, node, browser } = await signedIn();
    const cookies = [...browser.cookies];
    storage.way = refused;
    for (let time = 0; time < 3; time++) {
      const response = await look(browser);
      expect(response.status).toBe(503);
      expect(response.headers.getSetCookie()).toEqual([]);
      const body = (await response.json()) as { id: string; message: string };
      expect(node.errors.at(-1)).toMatchObject({ id: body.id, type: "AdapterError" });
      expect(JSON.stringify(body)).not.toMatch(/ECONNREFUSED|10\.0\.0\.7/);
      await expect(getterOf(node, browser)).rejects.toMatchObject({ type: "AdapterError" });
    }
    expect([...browser.cookies]).toEqual(cookies);
    expectNoSecrets(node, [browser.cookies.get(SESSION), ADA]);
    storage.way = straight;
    expect(await isIn(browser)).toBe(true);
    expect(await getterOf(node, browser)).toMatchObject({ user: { email: ADA } });
  });

  it("F1: a session that is in its cookie is read all the same", async () => {
    const world = createWorld({ strategy: "jwt" });
    const browser = visit(world.node());
    expect(await comeByLink(world, browser)).toBe("/");
    world.storage.way = refused;
    expect(await isIn(browser)).toBe(true);
  });
});

describe("F2: the storage fails at a step of the first sign-in", () => {
  for (const strategy of ["database", "jwt"]) {
    for (const kind of ["error", "lost"] as const) {
      it(`F2: at every step of OAuth, the next try succeeds (${strategy}, ${kind})`, async () => {
        for (let at = 1; ; at++) {
          const world = createWorld({ strategy, op });
          const node = world.node();
          const browser = visit(node);
          const { way, happened } = failing(at, kind);
          world.storage.way = way;
          const led = await come(op, browser);
          world.storage.way = straight;
          if (!happened()) {
            expect(at).toBeGreaterThan(5);
            break;
          }
          // I1: in, or told that it did not work; never half of it.
          expect(await isIn(browser), `at ${at}: ${led}`).toBe(led === "/");
          if (led !== "/") {
            expect(led).toBe("/auth/error?error=Configuration");
            expect(node.errors.length).toBeGreaterThan(0);
          }
          pass(MINUTE);
          expect(await come(op, browser), `again, at ${at}`).toBe("/");
          expect(people(world.storage).map(({ email }) => email)).toEqual([ADA]);
        }
      });
    }
  }
});

describe("F3: the storage fails between a link's end and the session", () => {
  for (const strategy of ["database", "jwt"]) {
    for (const without of [[], ["take"]] as const) {
      it(`F3: at one operation: the link works again, or a new one is asked for (${strategy}, ${without[0] ? "without take" : "with take"})`, async () => {
        for (const kind of ["error", "lost"] as const) {
          for (let at = 1; ; at++) {
            const world = createWorld({ strategy, storage: createStorage(without) });
            const browser = visit(world.node());
            const { link } = await ask(world, browser);
            const { way, happened } = failing(at, kind);
            world.storage.way = way;
            const led = locationOf(await browser.get(link));
            const failed = world.storage.calls.at(-1);
            world.storage.way = straight;
            if (!happened()) break;
            const where = `${kind} at ${at} (${failed?.operation} ${failed?.key}): ${led}`;
            expect(await isIn(browser), where).toBe(led === "/");
            pass(MINUTE);
            const used: string[] = [led];
            if (led === "/auth/error?error=Configuration") {
              // "Please try again."
              used.push(locationOf(await browser.get(link)));
            }
            if (used.at(-1) === "/auth/error?error=Verification") {
              // "Ask for a new link."
              expect(await comeByLink(world, browser), where).toBe("/");
            } else {
              expect(used.at(-1), where).toBe("/");
              // I2: no link works twice.
              const thief = twinOf(browser, world.node());
              expect(locationOf(await thief.get(link)), where).not.toBe("/");
            }
            expect(await isIn(browser), where).toBe(true);
            expect(people(world.storage), where).toHaveLength(1);
          }
        }
      });
    }
  }

  it("F3: whatever fails after the link is used up, the same browser can follow it again", async () => {
    for (const failed of ["adapter-email", "adapter-user", "adapter-session"]) {
      const world = createWorld();
      const node = world.node();
      const browser = visit(node);
      const { link } = await ask(world, browser);
      let once = true;
      world.storage.way = (call, go) => {
        if (!once || !call.key.startsWith(`${failed}.`) || call.operation === "get") return go();
        once = false;
        return Promise.reject(new Error("connection reset"));
      };
      expect(locationOf(await browser.get(link))).toBe("/auth/error?error=Configuration");
      expect(await isIn(browser)).toBe(false);
      const { token } = Object.fromEntries(new URL(link, ORIGIN).searchParams);
      expectNoSecrets(node, [token, ADA]);
      pass(MINUTE);
      expect(locationOf(await browser.get(link)), failed).toBe("/");
      expect(people(world.storage)).toHaveLength(1);
    }
  });

  it("F3: while the storage stays down, the visitor is told to ask for a new link", async () => {
    const world = createWorld();
    const node = world.node();
    const browser = visit(node);
    const { link } = await ask(world, browser);
    let isDown = false;
    world.storage.way = async (call, go) => {
      if (isDown) throw new Error("connection reset");
      const answer = await go();
      isDown = call.operation === "take";
      return answer;
    };
    expect(locationOf(await browser.get(link))).toBe("/auth/error?error=Verification");
    const page = await (await browser.get("/auth/error?error=Verification")).text();
    expect(page).toContain("Ask for a new link");
    expect(node.errors.map(({ name }) => name)).toContain("AdapterError");
    world.storage.way = straight;
    pass(MINUTE);
    expect(locationOf(await browser.get(link))).toBe("/auth/error?error=Verification");
    expect(await comeByLink(world, browser)).toBe("/");
  });
});

describe("F4: the storage is slow", () => {
  it("F4: a session's common read waits for the storage once, and writes nothing", async () => {
    const { storage, browser } = await signedIn();
    expect(await isIn(browser)).toBe(true);
    const held: (() => void)[] = [];
    storage.way = async (_, go) => {
      await new Promise<void>((resolve) => {
        held.push(resolve);
      });
      return go();
    };
    for (let time = 0; time < 3; time++) {
      storage.calls.length = 0;
      let isAnswered = false;
      const looked = isIn(browser).finally(() => (isAnswered = true));
      // The second is asked for before the first has answered.
      while (held.length < 2 && !isAnswered) {
        await new Promise((resolve) => setImmediate(resolve));
      }
      for (const release of held.splice(0)) release();
      expect(await looked).toBe(true);
      const asked = storage.calls.map(({ operation, key }) => `${operation} ${key.split(".")[0]}`);
      expect(asked.sort()).toEqual(["get adapter-session", "get adapter-user"]);
    }
    const world = createWorld({ strategy: "jwt" });
    const visitor = visit(world.node());
    await comeByLink(world, visitor);
    world.storage.calls.length = 0;
    expect(await isIn(visitor)).toBe(true);
    expect(world.storage.calls).toEqual([]);
  });

  it("F4: who meets a slow operation is told at the budget, and nobody else waits", async () => {
    const { storage, node, browser } = await signedIn();
    const draw = random(4);
    const pending: Promise<unknown>[] = [];
    vi.useRealTimers();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    storage.way = (_, go) => {
      if (draw() >= 0.05) return go();
      const late = new Promise((resolve) => setTimeout(resolve, 3000)).then(go);
      pending.push(late);
      return late;
    };
    let answered = 0;
    const all = Array.from({ length: 200 }, () =>
      look(browser).then(({ status }) => {
        answered++;
        return status;
      }),
    );
    while (answered + pending.length < 200) await new Promise((resolve) => setImmediate(resolve));
    expect(answered).toBeGreaterThan(150);
    await vi.advanceTimersByTimeAsync(2000);
    const statuses = await Promise.all(all);
    expect(statuses.filter((status) => status === 503)).toHaveLength(pending.length);
    expect(statuses.filter((status) => status === 200)).toHaveLength(200 - pending.length);
    await vi.advanceTimersByTimeAsync(1000);
    expect(storage.calls.filter(({ operation }) => operation !== "get")).toEqual([]);
    expect(node.errors).toHaveLength(pending.length);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("F22: tabs renew side by side over slow storage", () => {
  it("F22: twenty of them extend a session once, and agree", async () => {
    const { storage, browser } = await signedIn();
    pass(2 * DAY);
    const order = random(20);
    storage.way = async (_, go) => {
      for (let turns = order() * 50; turns > 0; turns--) {
        await new Promise((resolve) => setImmediate(resolve));
      }
      return go();
    };
    const before = storage.shelf("adapter-session")[0]?.[1];
    const changes: unknown[] = [];
    const slow = storage.way;
    storage.way = async (call, go) => {
      const answer = await slow(call, go);
      if (call.operation === "compareAndSet" && answer === true) changes.push(call.key);
      return answer;
    };
    const answers = await Promise.all(
      Array.from({ length: 20 }, async () => (await look(browser)).json()),
    );
    expect(new Set(answers.map((one) => (one as { expires: string }).expires)).size).toBe(1);
    expect(changes).toHaveLength(1);
    expect(storage.shelf("adapter-session")[0]?.[1]).not.toBe(before);
  });
});

describe("F5: the storage hangs", () => {
  it("F5: 10,000 requests are answered at the budget with 503, and nothing of them stays", async () => {
    const { storage, node, browser } = await signedIn();
    vi.useRealTimers();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    setFlagsFromString("--expose-gc");
    const collect = runInNewContext("gc") as () => void;
    let hanging: WeakRef<Promise<unknown>>[] = [];
    storage.way = () => {
      const never = new Promise<unknown>(() => {});
      hanging.push(new WeakRef(never));
      return never;
    };
    for (let round = 0; round < 10; round++) {
      hanging = [];
      const all = Array.from({ length: 1000 }, () => look(browser));
      while (hanging.length < 1000) await new Promise((resolve) => setImmediate(resolve));
      let answered = 0;
      for (const one of all) void one.then(() => answered++);
      await vi.advanceTimersByTimeAsync(1999);
      expect(answered).toBe(0);
      await vi.advanceTimersByTimeAsync(1);
      const statuses = (await Promise.all(all)).map(({ status }) => status);
      expect(statuses.filter((status) => status !== 503)).toEqual([]);
      expect(vi.getTimerCount()).toBe(0);
      expect(node.errors.splice(0)).toHaveLength(1000);
      storage.calls.length = 0;
    }
    // A promise that is held by somebody is not collected.
    await new Promise((resolve) => setImmediate(resolve));
    collect();
    expect(hanging.filter((one) => one.deref() !== undefined).length).toBeLessThan(10);
    storage.way = straight;
    expect(await isIn(browser)).toBe(true);
  });

  it("F5: a sign-in is given up at the budget, and goes through afterwards", async () => {
    const world = createWorld();
    const node = world.node();
    const browser = visit(node);
    const { link } = await ask(world, browser);
    vi.useRealTimers();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    world.storage.calls.length = 0;
    world.storage.way = () => new Promise(() => {});
    const followed = browser.get(link);
    while (!world.storage.calls.length) await new Promise((resolve) => setImmediate(resolve));
    await vi.advanceTimersByTimeAsync(2000);
    expect(locationOf(await followed)).toMatch(/error=Configuration$/);
    expect(vi.getTimerCount()).toBe(0);
    world.storage.way = straight;
    expect(await isIn(browser)).toBe(false);
    expect(locationOf(await browser.get(link))).toBe("/");
  });
});

/** Reads that are so many milliseconds behind the writes. */
function stale(storage: Storage, lag: number): Way {
  const history = new Map<string, [at: number, text: string | null][]>();
  const now = (key: string) => storage.entries.get(key)?.value ?? null;
  for (const key of storage.entries.keys()) history.set(key, [[0, now(key)]]);
  return async ({ operation, key }, go) => {
    if (operation === "get") {
      const seen = history.get(key)?.findLast(([at]) => at <= Date.now() - lag);
      return seen?.[1] ?? null;
    }
    const answer = await go();
    if (operation !== "scan") {
      history.set(key, [...(history.get(key) ?? []), [Date.now(), now(key)]]);
    }
    return answer;
  };
}

describe("F6: the storage reads what was", () => {
  it("F6: one that says so is refused at boot", async () => {
    const { backend } = createStorage();
    const guarantees = { ...backend.guarantees, consistency: "eventual" } as const;
    const logger = { error() {}, warn() {}, debug() {} };
    const auth = createAuth({
      secret: SECRET,
      env: { AUTH_URL: ORIGIN },
      logger,
      plugins: [defineStore({ ...backend, guarantees }), storeAdapter()],
    });
    expect(() => auth.inspect()).toThrow(/cannot promise/);
  });

  for (const without of [[], ["take"]] as const) {
    it(`F6: a link is used once even so (${without[0] ? "without take" : "with take"})`, async () => {
      const storage = createStorage(without);
      const world = createWorld({ strategy: "jwt", storage });
      const node = world.node();
      const browser = visit(node);
      const { link } = await ask(world, browser);
      pass(6000);
      storage.way = stale(storage, 5000);
      expect(locationOf(await browser.get(link))).toBe("/");
      for (const again of [twinOf(browser, node), visit(world.node())]) {
        const page = await again.get(link);
        const csrfToken = await again.csrfToken();
        const query = Object.fromEntries(new URL(link, "http://localhost:3000").searchParams);
        const pressed = await again.post("/auth/callback/mail", { ...query, csrfToken });
        expect([page.status, locationOf(pressed)].join(" ")).toMatch(/error=Verification$/);
      }
    });

    it(`F6: a sign-out is seen at once by its own server, and by all when reads catch up (${without[0] ? "without take" : "with take"})`, async () => {
      const { world, storage, node, browser } = await signedIn(createStorage(without));
      pass(6000);
      storage.way = stale(storage, 5000);
      const thief = twinOf(browser, node);
      const elsewhere = twinOf(browser, world.node());
      expect(await isIn(thief)).toBe(true);
      await browser.signOut();
      expect(await isIn(browser)).toBe(false);
      expect(await isIn(thief)).toBe(false);
      pass(5001);
      expect(await isIn(elsewhere)).toBe(false);
    });
  }
});

describe("F7: the storage is full", () => {
  for (const without of [[], ["take"]] as const) {
    it(`F7: sessions still work, and a sign-in says that it did not (${without[0] ? "without take" : "with take"})`, async () => {
      const { world, storage, node, browser } = await signedIn(createStorage(without));
      storage.way = ({ operation, key }, go) => {
        const grows = operation.startsWith("put") || operation === "increment";
        if (grows && !storage.entries.has(key)) return Promise.reject(new Error("disk full"));
        return go();
      };
      expect(await isIn(browser)).toBe(true);
      pass(2 * DAY);
      expect(await isIn(browser)).toBe(true);
      node.errors.length = 0;
      const stranger = visit(node);
      expect((await ask(world, stranger, "eve@example.com")).led).toBe(
        "/auth/error?error=Configuration",
      );
      expect(world.outbox).toHaveLength(1);
      expect(node.errors.at(-1)).toMatchObject({ type: "AdapterError" });
      expect(await isIn(browser)).toBe(true);
      await browser.signOut();
      expect(await isIn(browser)).toBe(false);
    });
  }
});

/** Texts that are no record, or not one of what lies there. */
const CORRUPT: Record<string, (text: string) => string> = {
  "half of it": (text) => text.slice(0, text.length >> 1),
  nothing: () => "",
  "another format": () => "<html></html>",
  "a list": () => "[]",
  null: () => "null",
  "a number": () => "5",
  "an envelope of a number": () => '{"v":1,"e":null,"d":5}',
  "an envelope of null": () => '{"v":1,"e":null,"d":null}',
  "an envelope of a text": () => '{"v":1,"e":null,"d":"text"}',
  "an envelope of a list": () => '{"v":1,"e":null,"d":[]}',
  "an envelope of something else": () => '{"v":1,"e":null,"d":{"userId":7,"what":{}}}',
  "an older version": () => '{"v":0,"e":null,"d":{}}',
};

describe("F8: a record is corrupt", () => {
  const corrupt = (storage: Storage, namespace: string, change: (text: string) => string) => {
    const [[key, text] = ["", ""]] = storage.shelf(namespace);
    expect(key).not.toBe("");
    const entry = storage.entries.get(key) as { value: string; expires: number };
    storage.entries.set(key, { ...entry, value: change(text) });
    return key;
  };
  const again = async (world: World, browser: Browser, namespace: string) => {
    pass(MINUTE);
    // Without the account, nobody vouches that the address is theirs: the mailbox does.
    const isLost = namespace === "account";
    expect(await come(op, browser)).toBe(isLost ? "/auth/signin?error=OAuthAccountNotLinked" : "/");
    if (isLost) expect(await comeByLink(world, browser)).toBe("/");
    expect(await isIn(browser)).toBe(true);
    expect(people(world.storage).filter(({ email }) => email === ADA)).toHaveLength(1);
  };

  for (const namespace of ["session", "user", "account", "email"]) {
    it.each(Object.entries(CORRUPT))(
      `F8: a ${namespace} that is %s counts as absent`,
      async (_, change) => {
        const world = createWorld({ op });
        const node = world.node();
        const browser = visit(node);
        expect(await come(op, browser)).toBe("/");
        corrupt(world.storage, `adapter-${namespace}`, change);
        const isGone = namespace === "session" || namespace === "user";
        for (let time = 0; time < 3; time++) expect(await isIn(browser)).toBe(!isGone);
        await again(world, browser, namespace);
        // Logged once, if at all.
        const told = node.errors.filter(({ message }) => message.includes("unreadable"));
        expect(told.length).toBeLessThanOrEqual(1);
        const others = node.errors.filter((error) => !told.includes(error));
        expect(others.map(({ name }) => name)).toEqual(
          namespace === "account" ? ["OAuthAccountNotLinked"] : [],
        );
      },
    );
  }

  it.each(Object.entries(CORRUPT))(
    "F8: a link's token that is %s opens nothing",
    async (_, change) => {
      const world = createWorld();
      const browser = visit(world.node());
      const { link } = await ask(world, browser);
      corrupt(world.storage, "adapter-token", change);
      expect(locationOf(await browser.get(link))).toBe("/auth/error?error=Verification");
      expect(await comeByLink(world, browser)).toBe("/");
    },
  );

  it("F8: what is unreadable is logged once, kept aside, and its place is free", async () => {
    const { storage, node, browser } = await signedIn();
    const key = corrupt(storage, "adapter-session", (text) => text.slice(0, 30));
    for (let time = 0; time < 3; time++) {
      const twin = twinOf(browser, node);
      expect(await isIn(twin)).toBe(false);
    }
    expect(node.errors).toHaveLength(1);
    expect(node.errors[0]).toMatchObject({ type: "StoreError" });
    expect(node.errors[0]?.message).toContain("unreadable");
    const aside = storage.shelf("adapter-session--unreadable");
    expect(aside).toHaveLength(1);
    expect(storage.shelf("adapter-session").map(([one]) => one)).not.toContain(key);
    expect(browser.cookies.has(SESSION)).toBe(true);
  });

  it("F8: a counter that is none keeps nobody out", async () => {
    const world = createWorld();
    const node = world.node();
    await ask(world, visit(node));
    for (const [key] of world.storage.shelf("email-limits")) {
      (world.storage.entries.get(key) as { value: string }).value = "many";
    }
    expect(await comeByLink(world, visit(node))).toBe("/");
    expect(node.errors.every(({ name }) => name === "StoreError")).toBe(true);
  });
});
