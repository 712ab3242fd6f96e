import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { sweepStore } from "../../src/kernel.ts";
import { type Browser, createBrowser, testStore } from "../../src/testing/testing.ts";
import type { StoreBackend } from "../../src/types.ts";
import { locationOf, isSignedIn, ORIGIN, type TestAuth, toPath } from "../_app.ts";
import { type Op, startOp } from "../_op.ts";
import {
  ADA,
  requestLink,
  signIn,
  signInByLink,
  createCluster,
  DAY,
  MINUTE,
  listUsers,
  random,
  SESSION,
  startSignIn,
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
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(() => void vi.useRealTimers());

const pass = (milliseconds: number) => void vi.setSystemTime(Date.now() + milliseconds);
const SENT = "/auth/verify-request?provider=mail&type=email";

/**
 * Builds a request for a link that can be sent several times with the same bytes, as by a proxy.
 */
async function requestFor(browser: Browser, email = ADA): Promise<() => Request> {
  const csrfToken = await browser.csrfToken();
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const headers = { cookie, origin: ORIGIN, accept: "text/html" };
  const body = new URLSearchParams({ csrfToken, email });
  return () => new Request(`${ORIGIN}/auth/signin/mail`, { method: "POST", headers, body });
}

describe("F32: a request is delivered twice", () => {
  it("F32: a duplicate request for a link sends one e-mail and gets the same response, concurrently, in sequence and at two nodes", async () => {
    for (const together of [true, false]) {
      for (const nodes of [1, 2]) {
        const cluster = createCluster();
        const first = cluster.node();
        const second = nodes === 1 ? first : cluster.node();
        const request = await requestFor(openBrowser(first));
        const answers: Response[] = [];
        if (together) {
          const both = [first, second].map(({ auth }) => auth.fetch(request()));
          answers.push(...(await Promise.all(both)));
        } else {
          for (const { auth } of [first, second, first]) answers.push(await auth.fetch(request()));
        }
        expect(new Set(answers.map(locationOf)), `${nodes}`).toEqual(new Set([SENT]));
        expect(cluster.links).toHaveLength(1);
        expect(cluster.storage.store("adapter-token")).toHaveLength(1);
      }
    }
  });

  it("F32: a node that cannot read the store still detects duplicates of its own requests", async () => {
    const cluster = createCluster();
    const node = cluster.node({ errors: "allowed" });
    const request = await requestFor(openBrowser(node));
    cluster.storage.way = (call, go) =>
      call.key.startsWith("email-once") ? Promise.reject(new Error("down")) : go();
    const answers = await Promise.all([node.auth.fetch(request()), node.auth.fetch(request())]);
    expect(answers.map(locationOf)).toEqual([SENT, SENT]);
    await node.auth.fetch(request());
    expect(cluster.links).toHaveLength(1);
  });

  it("F32: a new request for a link sends another e-mail at once", async () => {
    const cluster = createCluster();
    const browser = openBrowser(cluster.node());
    for (let time = 1; time <= 3; time++) {
      expect((await requestLink(cluster, browser)).led).toBe(SENT);
      expect(cluster.links).toHaveLength(time);
    }
    // Another address and another user's browser do too.
    await requestLink(cluster, browser, "eve@example.com");
    await requestLink(cluster, openBrowser(cluster.node()));
    expect(cluster.links).toHaveLength(5);
  });

  it("F32: a user who has used the link and signed out gets another e-mail at once", async () => {
    const cluster = createCluster();
    const browser = openBrowser(cluster.node());
    for (let time = 1; time <= 2; time++) {
      expect(await signInByLink(cluster, browser)).toBe("/");
      expect(cluster.links).toHaveLength(time);
      await browser.signOut();
    }
  });

  it("F32: a duplicate of a failing request gets the same error, and the next request sends", async () => {
    const cluster = createCluster();
    let isDown = true;
    let attempts = 0;
    const node = cluster.node({
      errors: "allowed",
      mail: {
        async sendVerificationRequest({ url }) {
          attempts++;
          await new Promise((resolve) => setTimeout(resolve, 5));
          if (isDown) throw new Error("421 try later");
          cluster.links.push(toPath(url));
        },
      },
    });
    const browser = openBrowser(node);
    const request = await requestFor(browser);
    const clicks = await Promise.all([node.auth.fetch(request()), node.auth.fetch(request())]);
    expect(new Set(clicks.map(locationOf))).toEqual(
      new Set(["/auth/signin?error=EmailSignInError"]),
    );
    expect(attempts).toBe(1);
    isDown = false;
    expect(await signInByLink(cluster, browser)).toBe("/");
    expect(attempts).toBe(2);
  });

  it("F32: the signIn callback refuses both deliveries alike", async () => {
    const cluster = createCluster();
    const node = cluster.node({ callbacks: { signIn: () => "/waiting-list" } });
    const request = await requestFor(openBrowser(node));
    const answers = [await node.auth.fetch(request()), await node.auth.fetch(request())];
    expect(answers.map(locationOf)).toEqual(["/waiting-list", "/waiting-list"]);
    expect(cluster.links).toEqual([]);
  });

  it.each(["database", "jwt"])(
    "F32: a link that is delivered twice signs in once and is refused once (%s)",
    async (strategy) => {
      const cluster = createCluster({ strategy });
      const node = cluster.node();
      const browser = openBrowser(node);
      const { link } = await requestLink(cluster, browser);
      const twin = cloneBrowser(browser, cluster.node({ errors: "allowed" }));
      const answers = await Promise.all([browser.get(link), twin.get(link)]);
      expect(answers.map(locationOf).sort()).toEqual(["/", "/auth/error?error=Verification"]);
      expect(
        (await Promise.all([isSignedIn(browser), isSignedIn(twin)])).filter(Boolean),
      ).toHaveLength(1);
      expect(listUsers(cluster.storage)).toHaveLength(1);
      const sessions = strategy === "database" ? 1 : 0;
      expect(cluster.storage.store("adapter-session")).toHaveLength(sessions);
    },
  );

  it.each(["database", "jwt"])(
    "F32: an OAuth callback that is delivered twice creates one user and one session (%s)",
    async (strategy) => {
      const cluster = createCluster({ strategy, op });
      const browser = openBrowser(cluster.node({ errors: "allowed" }));
      const back = await startSignIn(op, browser);
      const twin = cloneBrowser(browser, cluster.node({ errors: "allowed" }));
      const answers = await Promise.all([browser.get(back), twin.get(back)]);
      const led = answers.map(locationOf);
      expect(led).toContain("/");
      expect(led.filter((one) => one !== "/")).toEqual(["/auth/signin?error=InvalidCheck"]);
      expect(
        (await Promise.all([isSignedIn(browser), isSignedIn(twin)])).filter(Boolean),
      ).toHaveLength(1);
      expect(listUsers(cluster.storage)).toHaveLength(1);
      expect(cluster.storage.store("adapter-account")).toHaveLength(1);
      const sessions = strategy === "database" ? 1 : 0;
      expect(cluster.storage.store("adapter-session")).toHaveLength(sessions);
      // Also in sequence.
      expect(
        locationOf(await cloneBrowser(browser, cluster.node({ errors: "allowed" })).get(back)),
      ).toContain("error=");
      expect(await isSignedIn(browser)).toBe(led[0] === "/");
    },
  );

  it("F32: both deliveries of a sign-out redirect, and the session has ended", async () => {
    const cluster = createCluster({ op });
    const browser = openBrowser(cluster.node());
    await signIn(op, browser);
    const twin = cloneBrowser(browser, cluster.node());
    const answers = await Promise.all([browser.signOut(), twin.signOut()]);
    expect(answers.map(locationOf)).toEqual(["/", "/"]);
    expect(await isSignedIn(browser)).toBe(false);
    expect(cluster.storage.store("adapter-session")).toEqual([]);
  });
});

describe("F33: the response is lost", () => {
  /** Creates a browser behind a proxy that can lose responses. */
  function behindProxy(node: TestAuth) {
    const proxy = { drops: false };
    const browser = createBrowser(
      async (request) => {
        const response = await node.auth.fetch(request);
        if (proxy.drops) throw new TypeError("socket hang up");
        return response;
      },
      { origin: ORIGIN },
    );
    const lose = async (work: Promise<unknown>) => {
      await expect(work).rejects.toThrow("socket hang up");
      proxy.drops = false;
    };
    return { proxy, browser, lose };
  }

  it("F33: after a lost OAuth callback response the next sign-in works and the stray session expires", async () => {
    const cluster = createCluster({ op });
    const node = cluster.node({ errors: "allowed", session: { maxAge: 3600 } });
    const { proxy, browser, lose } = behindProxy(node);
    const back = await startSignIn(op, browser);
    proxy.drops = true;
    await lose(browser.get(back));
    expect(await isSignedIn(browser)).toBe(false);
    expect(cluster.storage.store("adapter-session")).toHaveLength(1);
    // The browser repeats the request, then starts again.
    expect(locationOf(await browser.get(back))).toBe("/auth/signin?error=InvalidCheck");
    expect(await signIn(op, browser)).toBe("/");
    expect(await isSignedIn(browser)).toBe(true);
    expect(listUsers(cluster.storage)).toHaveLength(1);
    pass(3601 * 1000);
    expect(cluster.storage.store("adapter-session")).toEqual([]);
    await sweepStore(cluster.storage.backend);
    const left = [...cluster.storage.entries.keys()].filter((key) =>
      key.startsWith("adapter-session."),
    );
    expect(left).toEqual([]);
  });

  it("F33: after the lost response to a followed link, the link is used up and a new one works", async () => {
    const cluster = createCluster();
    const { proxy, browser, lose } = behindProxy(cluster.node({ errors: "allowed" }));
    const { link } = await requestLink(cluster, browser);
    proxy.drops = true;
    await lose(browser.get(link));
    expect(locationOf(await browser.get(link))).toBe("/auth/error?error=Verification");
    expect(await signInByLink(cluster, browser)).toBe("/");
    expect(listUsers(cluster.storage)).toHaveLength(1);
  });

  it("F33: after the lost response to a request for a link, the e-mail link works in the same browser", async () => {
    const cluster = createCluster();
    const { proxy, browser, lose } = behindProxy(cluster.node());
    const csrfToken = await browser.csrfToken();
    proxy.drops = true;
    await lose(browser.post("/auth/signin/mail", { csrfToken, email: ADA }));
    // The form is submitted again: a response arrives, and no second e-mail is sent.
    const again = await browser.post("/auth/signin/mail", { csrfToken, email: ADA });
    expect(locationOf(again)).toBe(SENT);
    expect(cluster.links).toHaveLength(1);
    expect(locationOf(await browser.get(cluster.links[0] ?? ""))).toBe("/");
  });

  it("F33: after the lost response of a session's renewal, the old cookie stays valid", async () => {
    for (const strategy of ["database", "jwt"]) {
      const cluster = createCluster({ strategy });
      const { proxy, browser, lose } = behindProxy(cluster.node());
      await signInByLink(cluster, browser);
      pass(2 * DAY);
      proxy.drops = true;
      await lose(browser.session());
      expect(await isSignedIn(browser), strategy).toBe(true);
    }
  });

  it("F33: after the lost response of a sign-out, the session has ended", async () => {
    const cluster = createCluster();
    const { proxy, browser, lose } = behindProxy(cluster.node());
    await signInByLink(cluster, browser);
    const csrfToken = await browser.csrfToken();
    proxy.drops = true;
    await lose(browser.post("/auth/signout", { csrfToken }));
    expect(browser.cookies.has(SESSION)).toBe(true);
    expect(await isSignedIn(browser)).toBe(false);
    expect(browser.cookies.has(SESSION)).toBe(false);
    pass(MINUTE);
  });
});

/** Runs the contract suite without a runner and lists the titles of failed tests. */
async function listFailures(make: () => StoreBackend): Promise<string[]> {
  const tests: [title: string, body: () => Promise<void>][] = [];
  const path: string[] = [];
  testStore(
    make,
    {
      describe(name, body) {
        path.push(name);
        body();
        path.pop();
      },
      it: (name, body) => void tests.push([[...path, name].join(" "), body]),
      expect,
    },
    { parallel: 10, rounds: 2, largest: 10_000 },
  );
  const failed: string[] = [];
  for (const [title, body] of tests) await body().catch(() => failed.push(title));
  return failed;
}

type Writes = Pick<StoreBackend, "put" | "putIfAbsent" | "compareAndSet" | "delete">;

/**
 * A durable backend with global scope over shared entries, as if all processes shared one memory.
 */
function shared(entries: Map<string, unknown>, over: Partial<StoreBackend> = {}): StoreBackend {
  const guarantees = {
    scope: "global",
    consistency: "strong",
    ttl: "sweep",
    durable: true,
  } as const;
  return { ...memoryBackend(entries), guarantees, ...over };
}

describe("F34: writes are acknowledged and lost", () => {
  it("F34: testStore() passes for a backend that keeps its guarantees", async () => {
    const entries = new Map<string, unknown>();
    const backend = shared(entries);
    expect(await listFailures(() => backend)).toEqual([]);
  });

  const draw = random(34);
  const loses = (name: keyof Writes, answer: unknown) => (backend: StoreBackend) => ({
    ...backend,
    [name]: async (...args: never[]) =>
      draw() < 0.3 ? answer : (backend[name] as (...args: never[]) => Promise<unknown>)(...args),
  });
  it.each([
    ["some `put` calls", loses("put", undefined)],
    ["some `putIfAbsent` calls", loses("putIfAbsent", true)],
    ["some `compareAndSet` calls", loses("compareAndSet", true)],
    ["some `delete` calls", loses("delete", true)],
    [
      "the deletion in `take`",
      (backend: StoreBackend) => ({ ...backend, take: (key: string) => backend.get(key) }),
    ],
    [
      "some `increment` calls",
      (backend: StoreBackend) => ({
        ...backend,
        increment: async (key: string, by: number, expires?: number) =>
          draw() < 0.3 ? 1 : backend.increment(key, by, expires),
      }),
    ],
  ] as const)("F34: testStore() fails for a backend that loses %s", async (_, lossy) => {
    const backend = lossy(shared(new Map())) as StoreBackend;
    expect(await listFailures(() => backend)).not.toEqual([]);
  });

  it("F34: testStore() fails for a region that is cut off from the others", async () => {
    const failed = await listFailures(() => shared(new Map()));
    expect(failed).toContain(
      "StoreBackend: shared records writes are visible to every backend over the same records",
    );
    expect(failed).toContain(
      "StoreBackend: shared records putIfAbsent, compareAndSet and take are atomic among backends over the same records",
    );
  });

  it("F34: testStore() fails for a durable backend whose last writes are lost with the process, for every scope", async () => {
    for (const scope of ["process", "host", "global"] as const) {
      const entries = new Map<string, unknown>();
      const guarantees = { scope, consistency: "strong", ttl: "sweep", durable: true } as const;
      // A new instance finds the entries written before the last flush.
      const failed = await listFailures(() => ({
        ...memoryBackend(new Map(entries)),
        guarantees,
      }));
      expect(failed, scope).toContain(
        "StoreBackend: shared records writes of a durable backend are visible to a backend opened later",
      );
    }
  });

  it("F34: testStore() fails for a backend whose one-time values reappear after a lost deletion", async () => {
    const backend = memoryBackend();
    const lossy = { ...backend, take: (key: string) => backend.get(key) };
    const failed = await listFailures(() => lossy);
    expect(failed).toContain(
      "createStore on a StoreBackend store.take returns a one-time value once",
    );
  });
});
