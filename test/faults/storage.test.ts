import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { storeAdapter } from "../../plugins/adapters/store.ts";
import { standardPreset } from "../../presets/index.ts";
import { defineStore } from "../../src/kernel.ts";
import type { Browser } from "../../src/testing/testing.ts";
import { locationOf, isSignedIn, fetchSession, ORIGIN, createTestAuth } from "../_app.ts";
import { type Op, startOp } from "../_op.ts";
import { IS_QUICK } from "../_scale.ts";
import {
  ADA,
  requestLink,
  signIn,
  signInByLink,
  createStorage,
  createCluster,
  DAY,
  expectNoSecrets,
  getServerSession,
  MINUTE,
  listUsers,
  random,
  refused,
  SESSION,
  type Storage,
  straight,
  cloneBrowser,
  openBrowser,
  type Way,
  type Cluster,
} from "./_cluster.ts";

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

/** How often a thousand requests wait for a storage that hangs. */
const BURSTS = IS_QUICK ? 2 : 10;

const pass = (milliseconds: number) => void vi.setSystemTime(Date.now() + milliseconds);

/** Creates a user who is signed in by a link. */
async function signedIn(storage = createStorage()) {
  const cluster = createCluster({ storage });
  const node = cluster.node({ errors: "allowed" });
  const browser = openBrowser(node);
  expect(await signInByLink(cluster, browser)).toBe("/");
  storage.calls.length = 0;
  return { cluster, storage, node, browser };
}

/** Creates a `Way` on which the nth operation fails, before or after it is done. */
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
  it("F1: GET /session responds with 503 and an id, keeps the cookies, getSession() rejects, and the next request recovers", async () => {
    const { storage, node, browser } = await signedIn();
    const cookies = [...browser.cookies];
    storage.way = refused;
    for (let time = 0; time < 3; time++) {
      const response = await fetchSession(browser);
      expect(response.status).toBe(503);
      expect(response.headers.getSetCookie()).toEqual([]);
      const body = (await response.json()) as { id: string; message: string };
      expect(node.log.errors.at(-1)).toMatchObject({ id: body.id, type: "AdapterError" });
      expect(JSON.stringify(body)).not.toMatch(/ECONNREFUSED|10\.0\.0\.7/);
      await expect(getServerSession(node, browser)).rejects.toMatchObject({ type: "AdapterError" });
    }
    expect([...browser.cookies]).toEqual(cookies);
    expectNoSecrets(node, [browser.cookies.get(SESSION), ADA]);
    storage.way = straight;
    expect(await isSignedIn(browser)).toBe(true);
    expect(await getServerSession(node, browser)).toMatchObject({ user: { email: ADA } });
  });

  it("F1: a JWT session is read while the storage is down", async () => {
    const cluster = createCluster({ strategy: "jwt" });
    const browser = openBrowser(cluster.node());
    expect(await signInByLink(cluster, browser)).toBe("/");
    cluster.storage.way = refused;
    expect(await isSignedIn(browser)).toBe(true);
  });
});

describe("F2: the storage fails at a step of the first sign-in", () => {
  for (const strategy of ["database", "jwt"]) {
    for (const kind of ["error", "lost"] as const) {
      it(`F2: after a failure at any step of OAuth the next sign-in succeeds (${strategy}, ${kind})`, async () => {
        for (let at = 1; ; at++) {
          const cluster = createCluster({ strategy, op });
          const node = cluster.node();
          const browser = openBrowser(node);
          const { way, happened } = failing(at, kind);
          cluster.storage.way = way;
          const led = await signIn(op, browser);
          cluster.storage.way = straight;
          if (!happened()) {
            expect(at).toBeGreaterThan(5);
            break;
          }
          // I1: either signed in or reported as failed.
          expect(await isSignedIn(browser), `at ${at}: ${led}`).toBe(led === "/");
          if (led !== "/") {
            expect(led).toBe("/auth/error?error=Configuration");
            expect(node.log.errors.length).toBeGreaterThan(0);
          }
          // A failed cleanup after a sign-in is logged, and the next sign-in completes it.
          expect(node.log.errors.length).toBeLessThan(3);
          pass(MINUTE);
          expect(await signIn(op, browser), `again, at ${at}`).toBe("/");
          expect(listUsers(cluster.storage).map(({ email }) => email)).toEqual([ADA]);
        }
      });
    }
  }
});

describe("F3: the storage fails between the use of a link and the session", () => {
  for (const strategy of ["database", "jwt"]) {
    for (const without of [[], ["take"]] as const) {
      it(`F3: after a failure at any operation the link works again or a new one is offered (${strategy}, ${without[0] ? "without take" : "with take"})`, async () => {
        for (const kind of ["error", "lost"] as const) {
          for (let at = 1; ; at++) {
            const cluster = createCluster({ strategy, storage: createStorage(without) });
            const browser = openBrowser(cluster.node({ errors: "allowed" }));
            const { link } = await requestLink(cluster, browser);
            const { way, happened } = failing(at, kind);
            cluster.storage.way = way;
            const led = locationOf(await browser.get(link));
            const failed = cluster.storage.calls.at(-1);
            cluster.storage.way = straight;
            if (!happened()) break;
            const where = `${kind} at ${at} (${failed?.operation} ${failed?.key}): ${led}`;
            expect(await isSignedIn(browser), where).toBe(led === "/");
            pass(MINUTE);
            const used: string[] = [led];
            if (led === "/auth/error?error=Configuration") {
              // "Try again."
              used.push(locationOf(await browser.get(link)));
            }
            if (used.at(-1) === "/auth/error?error=Verification") {
              // "Request a new link."
              expect(await signInByLink(cluster, browser), where).toBe("/");
            } else {
              expect(used.at(-1), where).toBe("/");
              // I2: no link works twice.
              const thief = cloneBrowser(browser, cluster.node());
              expect(locationOf(await thief.get(link)), where).not.toBe("/");
            }
            expect(await isSignedIn(browser), where).toBe(true);
            expect(listUsers(cluster.storage), where).toHaveLength(1);
          }
        }
      });
    }
  }

  it("F3: the same browser can follow the link again after a failure that comes after its use", async () => {
    for (const failed of ["adapter-email", "adapter-user", "adapter-session"]) {
      const cluster = createCluster();
      const node = cluster.node();
      const browser = openBrowser(node);
      const { link } = await requestLink(cluster, browser);
      let once = true;
      cluster.storage.way = (call, go) => {
        if (!once || !call.key.startsWith(`${failed}.`) || call.operation === "get") return go();
        once = false;
        return Promise.reject(new Error("connection reset"));
      };
      expect(locationOf(await browser.get(link))).toBe("/auth/error?error=Configuration");
      expect(await isSignedIn(browser)).toBe(false);
      const { token } = Object.fromEntries(new URL(link, ORIGIN).searchParams);
      expectNoSecrets(node, [token, ADA]);
      pass(MINUTE);
      expect(locationOf(await browser.get(link)), failed).toBe("/");
      expect(listUsers(cluster.storage)).toHaveLength(1);
    }
  });

  it("F3: while the storage stays down, the error page offers a new link", async () => {
    const cluster = createCluster();
    const node = cluster.node({ errors: "allowed" });
    const browser = openBrowser(node);
    const { link } = await requestLink(cluster, browser);
    let isDown = false;
    cluster.storage.way = async (call, go) => {
      if (isDown) throw new Error("connection reset");
      const answer = await go();
      isDown = call.operation === "take";
      return answer;
    };
    expect(locationOf(await browser.get(link))).toBe("/auth/error?error=Verification");
    const page = await (await browser.get("/auth/error?error=Verification")).text();
    expect(page).toContain("Request a new link");
    expect(node.log.errors.map(({ name }) => name)).toContain("AdapterError");
    cluster.storage.way = straight;
    pass(MINUTE);
    expect(locationOf(await browser.get(link))).toBe("/auth/error?error=Verification");
    expect(await signInByLink(cluster, browser)).toBe("/");
  });
});

describe("F4: the storage is slow", () => {
  it("F4: reading a session waits for the storage once and writes nothing", async () => {
    const { storage, browser } = await signedIn();
    expect(await isSignedIn(browser)).toBe(true);
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
      const looked = isSignedIn(browser).finally(() => (isAnswered = true));
      // The second read starts before the first has returned.
      while (held.length < 2 && !isAnswered) {
        await new Promise((resolve) => setImmediate(resolve));
      }
      for (const release of held.splice(0)) release();
      expect(await looked).toBe(true);
      const asked = storage.calls.map(({ operation, key }) => `${operation} ${key.split(".")[0]}`);
      expect(asked.sort()).toEqual(["get adapter-session", "get adapter-user"]);
    }
    const cluster = createCluster({ strategy: "jwt" });
    const visitor = openBrowser(cluster.node());
    await signInByLink(cluster, visitor);
    cluster.storage.calls.length = 0;
    expect(await isSignedIn(visitor)).toBe(true);
    expect(cluster.storage.calls).toEqual([]);
  });

  it("F4: only the requests with a slow operation respond with 503, at the time limit", async () => {
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
      fetchSession(browser).then(({ status }) => {
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
    expect(node.log.errors).toHaveLength(pending.length);
    expect(vi.getTimerCount()).toBe(0);
  });
});

describe("F22: concurrent renewals over slow storage", () => {
  it("F22: twenty concurrent requests renew a session once and get the same expiry", async () => {
    const { storage, browser } = await signedIn();
    pass(2 * DAY);
    const order = random(20);
    storage.way = async (_, go) => {
      for (let turns = order() * 50; turns > 0; turns--) {
        await new Promise((resolve) => setImmediate(resolve));
      }
      return go();
    };
    const before = storage.store("adapter-session")[0]?.[1];
    const changes: unknown[] = [];
    const slow = storage.way;
    storage.way = async (call, go) => {
      const answer = await slow(call, go);
      if (call.operation === "compareAndSet" && answer === true) changes.push(call.key);
      return answer;
    };
    const answers = await Promise.all(
      Array.from({ length: 20 }, async () => (await fetchSession(browser)).json()),
    );
    expect(new Set(answers.map((one) => (one as { expires: string }).expires)).size).toBe(1);
    expect(changes).toHaveLength(1);
    expect(storage.store("adapter-session")[0]?.[1]).not.toBe(before);
  });
});

describe("F5: the storage hangs", () => {
  it(`F5: ${BURSTS} times 1,000 requests respond with 503 at the time limit and leave no timers or promises`, async () => {
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
    for (let round = 0; round < BURSTS; round++) {
      hanging = [];
      const all = Array.from({ length: 1000 }, () => fetchSession(browser));
      while (hanging.length < 1000) await new Promise((resolve) => setImmediate(resolve));
      let answered = 0;
      for (const one of all) void one.then(() => answered++);
      await vi.advanceTimersByTimeAsync(1999);
      expect(answered).toBe(0);
      await vi.advanceTimersByTimeAsync(1);
      const statuses = (await Promise.all(all)).map(({ status }) => status);
      expect(statuses.filter((status) => status !== 503)).toEqual([]);
      // Clients of databases that other files opened in this process set timers too.
      expect(vi.getTimerCount()).toBeLessThan(10);
      expect(node.log.errors.splice(0)).toHaveLength(1000);
      storage.calls.length = 0;
    }
    // A promise that is still referenced is not collected.
    await new Promise((resolve) => setImmediate(resolve));
    collect();
    expect(hanging.filter((one) => one.deref() !== undefined).length).toBeLessThan(10);
    storage.way = straight;
    expect(await isSignedIn(browser)).toBe(true);
  });

  it("F5: a sign-in fails at the time limit and succeeds afterwards", async () => {
    const cluster = createCluster();
    const node = cluster.node({ errors: "allowed" });
    const browser = openBrowser(node);
    const { link } = await requestLink(cluster, browser);
    vi.useRealTimers();
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
    cluster.storage.calls.length = 0;
    cluster.storage.way = () => new Promise(() => {});
    const followed = browser.get(link);
    while (!cluster.storage.calls.length) await new Promise((resolve) => setImmediate(resolve));
    await vi.advanceTimersByTimeAsync(2000);
    expect(locationOf(await followed)).toMatch(/error=Configuration$/);
    expect(vi.getTimerCount()).toBe(0);
    cluster.storage.way = straight;
    expect(await isSignedIn(browser)).toBe(false);
    expect(locationOf(await browser.get(link))).toBe("/");
  });
});

/** Creates a `Way` whose reads are `lag` milliseconds behind the writes. */
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

describe("F6: the storage returns stale reads", () => {
  it("F6: inspect() rejects an adapter on a store with eventual consistency", async () => {
    const { backend } = createStorage();
    const guarantees = { ...backend.guarantees, consistency: "eventual" } as const;
    const { auth } = createTestAuth({
      preset: standardPreset,
      env: { NODE_ENV: "test", AUTH_URL: ORIGIN },
      errors: "allowed",
      plugins: [defineStore({ ...backend, guarantees }), storeAdapter()],
    });
    expect(() => auth.inspect()).toThrow(/cannot guarantee/);
  });

  for (const without of [[], ["take"]] as const) {
    it(`F6: a link signs in once despite stale reads (${without[0] ? "without take" : "with take"})`, async () => {
      const storage = createStorage(without);
      const cluster = createCluster({ strategy: "jwt", storage });
      const node = cluster.node({ errors: "allowed" });
      const browser = openBrowser(node);
      const { link } = await requestLink(cluster, browser);
      pass(6000);
      storage.way = stale(storage, 5000);
      expect(locationOf(await browser.get(link))).toBe("/");
      for (const again of [
        cloneBrowser(browser, node),
        openBrowser(cluster.node({ errors: "allowed" })),
      ]) {
        const page = await again.get(link);
        const csrfToken = await again.csrfToken();
        const query = Object.fromEntries(new URL(link, ORIGIN).searchParams);
        const pressed = await again.post("/auth/callback/mail", { ...query, csrfToken });
        expect([page.status, locationOf(pressed)].join(" ")).toMatch(/error=Verification$/);
      }
    });

    it(`F6: a sign-out takes effect at once at its own node, and at all nodes when reads catch up (${without[0] ? "without take" : "with take"})`, async () => {
      const { cluster, storage, node, browser } = await signedIn(createStorage(without));
      pass(6000);
      storage.way = stale(storage, 5000);
      const thief = cloneBrowser(browser, node);
      const elsewhere = cloneBrowser(browser, cluster.node({ errors: "allowed" }));
      expect(await isSignedIn(thief)).toBe(true);
      await browser.signOut();
      expect(await isSignedIn(browser)).toBe(false);
      expect(await isSignedIn(thief)).toBe(false);
      pass(5001);
      expect(await isSignedIn(elsewhere)).toBe(false);
    });
  }
});

describe("F7: the storage is full", () => {
  for (const without of [[], ["take"]] as const) {
    it(`F7: sessions still work, and a sign-in fails with an error (${without[0] ? "without take" : "with take"})`, async () => {
      const { cluster, storage, node, browser } = await signedIn(createStorage(without));
      storage.way = ({ operation, key }, go) => {
        const grows = operation.startsWith("put") || operation === "increment";
        if (grows && !storage.entries.has(key)) return Promise.reject(new Error("disk full"));
        return go();
      };
      expect(await isSignedIn(browser)).toBe(true);
      pass(2 * DAY);
      expect(await isSignedIn(browser)).toBe(true);
      node.log.errors.length = 0;
      const stranger = openBrowser(node);
      expect((await requestLink(cluster, stranger, "eve@example.com")).led).toBe(
        "/auth/error?error=Configuration",
      );
      expect(cluster.links).toHaveLength(1);
      expect(node.log.errors.at(-1)).toMatchObject({ type: "AdapterError" });
      expect(await isSignedIn(browser)).toBe(true);
      await browser.signOut();
      expect(await isSignedIn(browser)).toBe(false);
    });
  }
});

/** Texts that are not a record, or not a record of their namespace. */
const CORRUPT: Record<string, (text: string) => string> = {
  "truncated text": (text) => text.slice(0, text.length >> 1),
  "an empty text": () => "",
  HTML: () => "<html></html>",
  "a JSON array": () => "[]",
  "JSON null": () => "null",
  "a JSON number": () => "5",
  "an envelope of a number": () => '{"v":1,"e":null,"d":5}',
  "an envelope of null": () => '{"v":1,"e":null,"d":null}',
  "an envelope of a string": () => '{"v":1,"e":null,"d":"text"}',
  "an envelope of an array": () => '{"v":1,"e":null,"d":[]}',
  "an envelope of another record": () => '{"v":1,"e":null,"d":{"userId":7,"what":{}}}',
  "an older version": () => '{"v":0,"e":null,"d":{}}',
};

describe("F8: a record is corrupt", () => {
  const corrupt = (storage: Storage, namespace: string, change: (text: string) => string) => {
    const [[key, text] = ["", ""]] = storage.store(namespace);
    expect(key).not.toBe("");
    const entry = storage.entries.get(key) as { value: string; expires: number };
    storage.entries.set(key, { ...entry, value: change(text) });
    return key;
  };
  const again = async (cluster: Cluster, browser: Browser, namespace: string) => {
    pass(MINUTE);
    // Without the account row, the address is not known to be the user's own, so the mailbox
    // verifies it.
    const isLost = namespace === "account";
    expect(await signIn(op, browser)).toBe(
      isLost ? "/auth/signin?error=OAuthAccountNotLinked" : "/",
    );
    if (isLost) expect(await signInByLink(cluster, browser)).toBe("/");
    expect(await isSignedIn(browser)).toBe(true);
    expect(listUsers(cluster.storage).filter(({ email }) => email === ADA)).toHaveLength(1);
  };

  for (const namespace of ["session", "user", "account", "email"]) {
    it.each(Object.entries(CORRUPT))(
      `F8: a ${namespace} record with %s counts as absent`,
      async (_, change) => {
        const cluster = createCluster({ op });
        const node = cluster.node();
        const browser = openBrowser(node);
        expect(await signIn(op, browser)).toBe("/");
        corrupt(cluster.storage, `adapter-${namespace}`, change);
        const isGone = namespace === "session" || namespace === "user";
        for (let time = 0; time < 3; time++) expect(await isSignedIn(browser)).toBe(!isGone);
        await again(cluster, browser, namespace);
        // Logged at most once.
        const logged = node.log.errors.filter(({ message }) => message.includes("unreadable"));
        expect(logged.length).toBeLessThanOrEqual(1);
        const others = node.log.errors.filter((error) => !logged.includes(error));
        expect(others.map(({ name }) => name)).toEqual(
          namespace === "account" ? ["OAuthAccountNotLinked"] : [],
        );
      },
    );
  }

  it.each(Object.entries(CORRUPT))(
    "F8: a token record with %s does not sign in",
    async (_, change) => {
      const cluster = createCluster();
      const browser = openBrowser(cluster.node({ errors: "allowed" }));
      const { link } = await requestLink(cluster, browser);
      corrupt(cluster.storage, "adapter-token", change);
      expect(locationOf(await browser.get(link))).toBe("/auth/error?error=Verification");
      expect(await signInByLink(cluster, browser)).toBe("/");
    },
  );

  it("F8: an unreadable record is logged once and moved to another namespace", async () => {
    const { storage, node, browser } = await signedIn();
    const key = corrupt(storage, "adapter-session", (text) => text.slice(0, 30));
    for (let time = 0; time < 3; time++) {
      const twin = cloneBrowser(browser, node);
      expect(await isSignedIn(twin)).toBe(false);
    }
    expect(node.log.errors).toHaveLength(1);
    expect(node.log.errors[0]).toMatchObject({ type: "StoreError" });
    expect(node.log.errors[0]?.message).toContain("unreadable");
    const aside = storage.store("adapter-session--unreadable");
    expect(aside).toHaveLength(1);
    expect(storage.store("adapter-session").map(([one]) => one)).not.toContain(key);
    expect(browser.cookies.has(SESSION)).toBe(true);
  });

  it("F8: a counter that is not a number blocks no request", async () => {
    const cluster = createCluster();
    const node = cluster.node();
    await requestLink(cluster, openBrowser(node));
    for (const [key] of cluster.storage.store("rate-limit")) {
      (cluster.storage.entries.get(key) as { value: string }).value = "many";
    }
    expect(await signInByLink(cluster, openBrowser(node))).toBe("/");
    expect(node.log.errors.every(({ name }) => name === "StoreError")).toBe(true);
  });
});
