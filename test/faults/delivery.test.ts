import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { sweepStore } from "../../src/index.ts";
import { type Browser, createBrowser, testStore } from "../../src/testing.ts";
import type { StoreBackend } from "../../src/types.ts";
import { type Op, startOp } from "../_op.ts";
import { locationOf } from "../flows/_mail.ts";
import {
  ADA,
  ask,
  come,
  comeByLink,
  createWorld,
  DAY,
  isIn,
  MINUTE,
  type Node,
  ORIGIN,
  people,
  random,
  SESSION,
  setOut,
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
  vi.useFakeTimers({ toFake: ["Date"] });
});
afterEach(() => void vi.useRealTimers());

const pass = (milliseconds: number) => void vi.setSystemTime(Date.now() + milliseconds);
const SENT = "/auth/verify-request?provider=mail&type=email";

/** The very bytes of a request for a link, as a proxy may deliver them again. */
async function requestFor(browser: Browser, email = ADA): Promise<() => Request> {
  const csrfToken = await browser.csrfToken();
  const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
  const headers = { cookie, origin: ORIGIN, accept: "text/html" };
  const body = new URLSearchParams({ csrfToken, email });
  return () => new Request(`${ORIGIN}/auth/signin/mail`, { method: "POST", headers, body });
}

describe("F32: a request is delivered twice", () => {
  it("F32: at once, one after the other, and to two nodes: one mail, the same answer", async () => {
    for (const together of [true, false]) {
      for (const nodes of [1, 2]) {
        const world = createWorld();
        const first = world.node();
        const second = nodes === 1 ? first : world.node();
        const request = await requestFor(visit(first));
        const answers: Response[] = [];
        if (together) {
          const both = [first, second].map(({ auth }) => auth.fetch(request()));
          answers.push(...(await Promise.all(both)));
        } else {
          for (const { auth } of [first, second, first]) answers.push(await auth.fetch(request()));
        }
        expect(new Set(answers.map(locationOf)), `${nodes}`).toEqual(new Set([SENT]));
        expect(world.outbox).toHaveLength(1);
        expect(world.storage.shelf("adapter-token")).toHaveLength(1);
      }
    }
  });

  it("F32: a node that cannot ask the store knows what it was sent itself", async () => {
    const world = createWorld();
    const node = world.node();
    const request = await requestFor(visit(node));
    world.storage.way = (call, go) =>
      call.key.startsWith("email-once") ? Promise.reject(new Error("down")) : go();
    const answers = await Promise.all([node.auth.fetch(request()), node.auth.fetch(request())]);
    expect(answers.map(locationOf)).toEqual([SENT, SENT]);
    await node.auth.fetch(request());
    expect(world.outbox).toHaveLength(1);
  });

  it("F32: who asks again on purpose gets another mail, at once", async () => {
    const world = createWorld();
    const browser = visit(world.node());
    for (let time = 1; time <= 3; time++) {
      expect((await ask(world, browser)).led).toBe(SENT);
      expect(world.outbox).toHaveLength(time);
    }
    // Another address, and another person's browser, too.
    await ask(world, browser, "eve@example.com");
    await ask(world, visit(world.node()));
    expect(world.outbox).toHaveLength(5);
  });

  it("F32: who has used the link, and signed out, gets another mail at once", async () => {
    const world = createWorld();
    const browser = visit(world.node());
    for (let time = 1; time <= 2; time++) {
      expect(await comeByLink(world, browser)).toBe("/");
      expect(world.outbox).toHaveLength(time);
      await browser.signOut();
    }
  });

  it("F32: a second click during a failure is told of it, and the next try sends", async () => {
    const world = createWorld();
    let isDown = true;
    let attempts = 0;
    const node = world.node(
      {},
      {
        async sendVerificationRequest({ url }) {
          attempts++;
          await new Promise((resolve) => setTimeout(resolve, 5));
          if (isDown) throw new Error("421 try later");
          world.outbox.push(url.slice(ORIGIN.length));
        },
      },
    );
    const browser = visit(node);
    const request = await requestFor(browser);
    const clicks = await Promise.all([node.auth.fetch(request()), node.auth.fetch(request())]);
    expect(new Set(clicks.map(locationOf))).toEqual(
      new Set(["/auth/signin?error=EmailSignInError"]),
    );
    expect(attempts).toBe(1);
    isDown = false;
    expect(await comeByLink(world, browser)).toBe("/");
    expect(attempts).toBe(2);
  });

  it("F32: a refusal of the signIn hook is the same for both", async () => {
    const world = createWorld();
    const node = world.node({ callbacks: { signIn: () => "/waiting-list" } });
    const request = await requestFor(visit(node));
    const answers = [await node.auth.fetch(request()), await node.auth.fetch(request())];
    expect(answers.map(locationOf)).toEqual(["/waiting-list", "/waiting-list"]);
    expect(world.outbox).toEqual([]);
  });

  it.each(["database", "jwt"])(
    "F32: a link lets in once, a second time refuses cleanly (%s)",
    async (strategy) => {
      const world = createWorld({ strategy });
      const node = world.node();
      const browser = visit(node);
      const { link } = await ask(world, browser);
      const twin = twinOf(browser, world.node());
      const answers = await Promise.all([browser.get(link), twin.get(link)]);
      expect(answers.map(locationOf).sort()).toEqual(["/", "/auth/error?error=Verification"]);
      expect((await Promise.all([isIn(browser), isIn(twin)])).filter(Boolean)).toHaveLength(1);
      expect(people(world.storage)).toHaveLength(1);
      const sessions = strategy === "database" ? 1 : 0;
      expect(world.storage.shelf("adapter-session")).toHaveLength(sessions);
    },
  );

  it.each(["database", "jwt"])(
    "F32: an OAuth callback makes one user and one session (%s)",
    async (strategy) => {
      const world = createWorld({ strategy, op });
      const browser = visit(world.node());
      const back = await setOut(op, browser);
      const twin = twinOf(browser, world.node());
      const answers = await Promise.all([browser.get(back), twin.get(back)]);
      const led = answers.map(locationOf);
      expect(led).toContain("/");
      expect(led.filter((one) => one !== "/")).toEqual(["/auth/error?error=Configuration"]);
      expect((await Promise.all([isIn(browser), isIn(twin)])).filter(Boolean)).toHaveLength(1);
      expect(people(world.storage)).toHaveLength(1);
      expect(world.storage.shelf("adapter-account")).toHaveLength(1);
      const sessions = strategy === "database" ? 1 : 0;
      expect(world.storage.shelf("adapter-session")).toHaveLength(sessions);
      // One after the other, too.
      expect(locationOf(await twinOf(browser, world.node()).get(back))).toContain("error=");
      expect(await isIn(browser)).toBe(led[0] === "/");
    },
  );

  it("F32: a sign-out twice is signed out", async () => {
    const world = createWorld({ op });
    const browser = visit(world.node());
    await come(op, browser);
    const twin = twinOf(browser, world.node());
    const answers = await Promise.all([browser.signOut(), twin.signOut()]);
    expect(answers.map(locationOf)).toEqual(["/", "/"]);
    expect(await isIn(browser)).toBe(false);
    expect(world.storage.shelf("adapter-session")).toEqual([]);
  });
});

describe("F33: the answer never arrives", () => {
  /** A browser behind a proxy that can lose answers. */
  function behindProxy(node: Node) {
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

  it("F33: of an OAuth callback: the next sign-in works, the stray session expires", async () => {
    const world = createWorld({ op });
    const node = world.node({ session: { maxAge: 3600 } });
    const { proxy, browser, lose } = behindProxy(node);
    const back = await setOut(op, browser);
    proxy.drops = true;
    await lose(browser.get(back));
    expect(await isIn(browser)).toBe(false);
    expect(world.storage.shelf("adapter-session")).toHaveLength(1);
    // The browser tries the same again, then anew.
    expect(locationOf(await browser.get(back))).toBe("/auth/error?error=Configuration");
    expect(await come(op, browser)).toBe("/");
    expect(await isIn(browser)).toBe(true);
    expect(people(world.storage)).toHaveLength(1);
    pass(3601 * 1000);
    expect(world.storage.shelf("adapter-session")).toEqual([]);
    await sweepStore(world.storage.backend);
    const left = [...world.storage.entries.keys()].filter((key) =>
      key.startsWith("adapter-session."),
    );
    expect(left).toEqual([]);
  });

  it("F33: of a followed link: it is used up, and a new one works", async () => {
    const world = createWorld();
    const { proxy, browser, lose } = behindProxy(world.node());
    const { link } = await ask(world, browser);
    proxy.drops = true;
    await lose(browser.get(link));
    expect(locationOf(await browser.get(link))).toBe("/auth/error?error=Verification");
    expect(await comeByLink(world, browser)).toBe("/");
    expect(people(world.storage)).toHaveLength(1);
  });

  it("F33: of a request for a link: the mail came, and works in this browser", async () => {
    const world = createWorld();
    const { proxy, browser, lose } = behindProxy(world.node());
    const csrfToken = await browser.csrfToken();
    proxy.drops = true;
    await lose(browser.post("/auth/signin/mail", { csrfToken, email: ADA }));
    // The form is sent again: the answer comes, no second mail.
    const again = await browser.post("/auth/signin/mail", { csrfToken, email: ADA });
    expect(locationOf(again)).toBe(SENT);
    expect(world.outbox).toHaveLength(1);
    expect(locationOf(await browser.get(world.outbox[0] ?? ""))).toBe("/");
  });

  it("F33: of a session's extension: the cookie it has stays good", async () => {
    for (const strategy of ["database", "jwt"]) {
      const world = createWorld({ strategy });
      const { proxy, browser, lose } = behindProxy(world.node());
      await comeByLink(world, browser);
      pass(2 * DAY);
      proxy.drops = true;
      await lose(browser.session());
      expect(await isIn(browser), strategy).toBe(true);
    }
  });

  it("F33: of a sign-out: the session has ended", async () => {
    const world = createWorld();
    const { proxy, browser, lose } = behindProxy(world.node());
    await comeByLink(world, browser);
    const csrfToken = await browser.csrfToken();
    proxy.drops = true;
    await lose(browser.post("/auth/signout", { csrfToken }));
    expect(browser.cookies.has(SESSION)).toBe(true);
    expect(await isIn(browser)).toBe(false);
    expect(browser.cookies.has(SESSION)).toBe(false);
    pass(MINUTE);
  });
});

/** Runs the contract suite without a runner: the titles of what failed. */
async function failuresOf(make: () => StoreBackend): Promise<string[]> {
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

/** Records that all see, and last: what the memory's would be if there were one for everybody. */
function shared(entries: Map<string, unknown>, over: Partial<StoreBackend> = {}): StoreBackend {
  const guarantees = {
    scope: "global",
    consistency: "strong",
    ttl: "sweep",
    durable: true,
  } as const;
  return { ...memoryBackend(entries), guarantees, ...over };
}

describe("F34: writes are acknowledged, and lost", () => {
  it("F34: a backend that keeps its word passes the suite", async () => {
    const entries = new Map<string, unknown>();
    const backend = shared(entries);
    expect(await failuresOf(() => backend)).toEqual([]);
  });

  const draw = random(34);
  const loses = (name: keyof Writes, answer: unknown) => (backend: StoreBackend) => ({
    ...backend,
    [name]: async (...args: never[]) =>
      draw() < 0.3 ? answer : (backend[name] as (...args: never[]) => Promise<unknown>)(...args),
  });
  it.each([
    ["some puts", loses("put", undefined)],
    ["some first puts", loses("putIfAbsent", true)],
    ["some changes", loses("compareAndSet", true)],
    ["some deletions", loses("delete", true)],
    [
      "the deletion of what is taken",
      (backend: StoreBackend) => ({ ...backend, take: (key: string) => backend.get(key) }),
    ],
    [
      "some counts",
      (backend: StoreBackend) => ({
        ...backend,
        increment: async (key: string, by: number, expires?: number) =>
          draw() < 0.3 ? 1 : backend.increment(key, by, expires),
      }),
    ],
  ] as const)("F34: the suite catches a backend that loses %s", async (_, lossy) => {
    const backend = lossy(shared(new Map())) as StoreBackend;
    expect(await failuresOf(() => backend)).not.toEqual([]);
  });

  it("F34: the suite catches a region that is cut off from the others", async () => {
    const failed = await failuresOf(() => shared(new Map()));
    expect(failed).toContain("is shared by all who are made over the same records");
    expect(failed).toContain("is shared and atomic among them");
  });

  it("F34: the suite catches one whose last writes die with the process, whatever its scope", async () => {
    for (const scope of ["process", "host", "global"] as const) {
      const entries = new Map<string, unknown>();
      const guarantees = { scope, consistency: "strong", ttl: "sweep", durable: true } as const;
      // What another one of it finds is what was written before the last flush.
      const failed = await failuresOf(() => ({
        ...memoryBackend(new Map(entries)),
        guarantees,
      }));
      expect(failed, scope).toContain("is shared by who comes after, if it lasts");
    }
  });

  it("F34: a one-time value comes back where the deletion was lost, and the suite says so", async () => {
    const backend = memoryBackend();
    const lossy = { ...backend, take: (key: string) => backend.get(key) };
    const failed = await failuresOf(() => lossy);
    expect(failed).toContain("carries a plugin's shelf whose one-time values are used once");
  });
});
