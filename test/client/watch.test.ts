import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createAuthClient, type Session, type SessionWatch } from "../../src/client.ts";
import { rounds } from "../_scale.ts";
import { openPage, createTestServer, settle, openTabs } from "./_page.ts";

const DAY = 86_400_000;
const START = Date.parse("2030-01-01T00:00:00Z");

const ada = (rest = DAY): Session => ({
  user: { name: "Ada" },
  expires: new Date(Date.now() + rest).toISOString(),
});

beforeEach(() => {
  vi.useFakeTimers({ now: START, toFake: ["setTimeout", "clearTimeout", "Date"] });
});

let ends: (() => void)[] = [];
afterEach(() => {
  for (const end of ends) end();
  ends = [];
  vi.useRealTimers();
});

// Channels with one name are one browser, so each test has its own name.
let browsers = 0;
const nextPath = () => `/auth-${++browsers}`;

/** Subscribes to a watch and records each state. */
function listen(watch: SessionWatch): string[] {
  const seen: string[] = [];
  const end = watch.subscribe(() => {
    const { status, error } = watch.read();
    seen.push(status + (error ? ` ${error.status}` : ""));
  });
  ends.push(end);
  return seen;
}

async function pass(time: number): Promise<void> {
  await vi.advanceTimersByTimeAsync(time);
  await settle();
}

function one(answer: (path: string) => unknown) {
  const page = openPage();
  const { asked, fetch } = createTestServer(answer);
  const client = createAuthClient({ basePath: nextPath(), fetch });
  return { page, asked, client };
}

/** Replaces a constructor that a browser refuses. */
function refuse(): never {
  throw new DOMException("The operation is insecure.", "SecurityError");
}

describe("watchSession", () => {
  it("without channels between tabs, as with blocked storage, the session is read nevertheless", async () => {
    const { client } = one(() => ada());
    for (const channel of [undefined, refuse]) {
      vi.stubGlobal("BroadcastChannel", channel);
      const seen = listen(client.watchSession());
      await settle();
      expect(seen).toEqual(["authenticated"]);
    }
  });

  it("watchSession is loading until the first response", async () => {
    const { client, asked } = one(() => ada());
    const watch = client.watchSession();
    expect(watch.read()).toEqual({ status: "loading", data: null, error: null });
    const seen = listen(watch);
    await settle();
    expect(seen).toEqual(["authenticated"]);
    expect(watch.read().data?.user?.name).toBe("Ada");
    expect(asked).toHaveLength(1);
  });

  it.each([
    [ada(), "authenticated"],
    [null, "unauthenticated"],
  ])("watchSession sends no request when it is given %j", async (session, status) => {
    const { client, asked } = one(() => null);
    const watch = client.watchSession({ session });
    const seen = listen(watch);
    await settle();
    expect([watch.read().status, seen, asked]).toEqual([status, [], []]);
  });

  it("watchSession sends no request before the first or after the last subscriber", async () => {
    const { client, asked, page } = one(() => ada(10_000));
    const watch = client.watchSession();
    await pass(DAY);
    expect(asked).toEqual([]);
    const end = watch.subscribe(() => {});
    await settle();
    end();
    page.focus();
    await pass(DAY);
    expect(asked).toHaveLength(1);
  });

  it("watchSession is silent and closes its channel after the last subscriber has gone, whatever happens", async () => {
    const channels = { opened: 0, closed: 0 };
    const { BroadcastChannel: Real } = globalThis;
    vi.stubGlobal(
      "BroadcastChannel",
      class extends Real {
        constructor(name: string) {
          super(name);
          channels.opened++;
        }
        override close() {
          super.close();
          channels.closed++;
        }
      },
    );
    const { client, asked, page } = one(() => ada(20_000));
    const watch = client.watchSession();
    const end = watch.subscribe(() => {});
    await settle();
    end();
    expect(channels.opened).toBeGreaterThan(0);
    expect(channels.closed).toBe(channels.opened);
    await pass(10_000);
    watch.set(ada(20_000));
    await pass(10_000);
    page.focus();
    page.back();
    page.network("offline");
    page.network("online");
    await pass(DAY);
    expect(asked).toHaveLength(1);
  });

  it("watchSession shows a session with changed data, and a session of another user", async () => {
    let answer = ada();
    const { client, page } = one(() => answer);
    const watch = client.watchSession();
    const seen = listen(watch);
    await settle();
    for (const name of ["Ada Lovelace", "Bob"]) {
      answer = { ...ada(), user: { name } };
      await pass(6000);
      page.focus();
      await settle();
      expect(watch.read().data?.user?.name).toBe(name);
    }
    expect(seen).toHaveLength(3);
  });

  it("watchSession shows what `update` has changed without another request", async () => {
    const { client, asked } = one((path) =>
      path.endsWith("/csrf")
        ? { csrfToken: "t" }
        : { ...ada(), user: { name: `Ada ${path.length}` } },
    );
    const watch = client.watchSession({ session: ada() });
    const seen = listen(watch);
    await client.update({ name: "x" });
    expect(seen).toHaveLength(1);
    expect(watch.read().data?.user?.name).toMatch(/^Ada \d/);
    expect(asked.map((request) => request.split(" ")[0])).toEqual(["GET", "POST"]);
  });

  it("watchSession refreshes when its tab is shown again, but not when the page has loaded", async () => {
    const { client, asked, page } = one(() => ada());
    listen(client.watchSession());
    await settle();
    page.load();
    await settle();
    expect(asked).toHaveLength(1);
    page.show("hidden");
    await pass(10_000);
    page.show("visible");
    await settle();
    expect(asked).toHaveLength(2);
  });

  it("watchSession reads at once when the network returns, if a read has failed or is old", async () => {
    let fails = false;
    const { client, asked, page } = one(() =>
      fails ? new Response("busy", { status: 503 }) : ada(),
    );
    const watch = client.watchSession();
    listen(watch);
    await settle();
    page.network("offline");
    await pass(10_000);
    page.network("online");
    await settle();
    expect(asked).toHaveLength(2);
    fails = true;
    await pass(10_000);
    page.focus();
    await settle();
    expect(watch.read().error?.status).toBe(503);
    const failed = asked.length;
    fails = false;
    page.network("offline");
    await pass(100);
    page.network("online");
    await settle();
    expect(asked).toHaveLength(failed + 1);
  });

  it("watchSession sends nothing at refetchInterval while offline", async () => {
    const { client, asked, page } = one(() => ada());
    listen(client.watchSession({ refetchInterval: 10 }));
    await settle();
    page.network("offline");
    await pass(60_000);
    expect(asked).toHaveLength(1);
  });

  it("watchSession retries within two seconds of a failure, and stops after a success", async () => {
    let fails = true;
    const { client, asked } = one(() => (fails ? new Response("busy", { status: 503 }) : ada()));
    const watch = client.watchSession();
    listen(watch);
    await settle();
    expect(asked).toHaveLength(1);
    fails = false;
    await pass(2000);
    expect(watch.read()).toMatchObject({ status: "authenticated", error: null });
    await pass(DAY / 2);
    expect(asked).toHaveLength(2);
  });

  it("watchSession sends one request for a subscriber that unsubscribes and subscribes again", async () => {
    const { client, asked } = one(() => ada());
    const watch = client.watchSession();
    watch.subscribe(() => {})();
    listen(watch);
    listen(watch);
    await settle();
    expect(asked).toHaveLength(1);
    expect(watch.read().status).toBe("authenticated");
  });

  it("watchSession refreshes on focus, at most every 5 seconds", async () => {
    const { client, asked, page } = one(() => ada());
    listen(client.watchSession());
    await settle();
    for (let second = 0; second < 20; second++) {
      page.focus();
      page.show("hidden");
      page.show("visible");
      await pass(1000);
    }
    expect(asked).toHaveLength(4);
  });

  it("watchSession does not refresh on focus when the option is off or the page is hidden", async () => {
    const { client, asked, page } = one(() => ada());
    listen(client.watchSession({ session: ada(), refetchOnWindowFocus: false }));
    await pass(10_000);
    page.focus();
    await settle();
    expect(asked).toEqual([]);
    listen(client.watchSession({ session: ada() }));
    await pass(10_000);
    page.show("hidden");
    page.focus();
    await settle();
    expect(asked).toEqual([]);
  });

  it("watchSession refreshes when the session expires", async () => {
    let answer: Session | null = ada(60_000);
    const { client, asked } = one(() => answer);
    const watch = client.watchSession();
    listen(watch);
    await settle();
    answer = null;
    await pass(60_000);
    expect(watch.read().status).toBe("authenticated");
    await pass(1000);
    expect(watch.read().status).toBe("unauthenticated");
    await pass(DAY);
    expect(asked).toHaveLength(2);
  });

  it("watchSession does not poll when the computer's clock is ahead", async () => {
    const { client, asked } = one(() => ada(-3_600_000));
    const watch = client.watchSession();
    listen(watch);
    await settle();
    await pass(10 * 60_000);
    expect(watch.read().status).toBe("authenticated");
    expect(asked.length).toBeLessThanOrEqual(11);
  });

  it("watchSession does not poll for an expiry beyond the range of timers or an invalid one", async () => {
    for (const expires of [new Date(START + 400 * DAY).toISOString(), "never"]) {
      const { client, asked } = one(() => ({ expires }));
      listen(client.watchSession());
      await pass(20 * DAY);
      expect(asked).toHaveLength(1);
    }
  });

  it("watchSession refreshes at refetchInterval while there is a session", async () => {
    let answer: Session | null = ada(DAY);
    const { client, asked } = one(() => answer);
    listen(client.watchSession({ refetchInterval: 10 }));
    await settle();
    for (let turn = 0; turn < 6; turn++) await pass(10_000);
    expect(asked).toHaveLength(7);
    answer = null;
    for (let turn = 0; turn < 6; turn++) await pass(10_000);
    expect(asked).toHaveLength(8);
  });

  it("watchSession keeps the session after a failure, reports the failure and backs off", async () => {
    let fails = false;
    const { client, asked, page } = one(() =>
      fails ? new Response("busy", { status: 503 }) : ada(),
    );
    const watch = client.watchSession();
    const seen = listen(watch);
    await pass(10_000);
    const known = watch.read().data;
    fails = true;
    page.focus();
    await settle();
    expect(seen).toEqual(["authenticated", "authenticated 503"]);
    expect(watch.read().data).toBe(known);
    for (let second = 0; second < 600; second++) await pass(1000);
    expect(asked.length).toBeGreaterThan(10);
    expect(asked.length).toBeLessThan(30);
    fails = false;
    for (let second = 0; second < 61; second++) await pass(1000);
    expect(watch.read()).toMatchObject({ status: "authenticated", error: null });
  });

  // Firefox aborts requests as soon as the page is being left, however long the next page takes,
  // and when the user stops loading.
  it("watchSession reports no failure, here or in other tabs, when the browser has aborted its request", async () => {
    let isAborted = false;
    const { page, client, asked } = one(() => {
      if (!isAborted) return ada();
      isAborted = false;
      return Promise.reject(new TypeError("NetworkError when attempting to fetch resource."));
    });
    const watch = client.watchSession();
    const seen = [listen(watch), listen(client.watchSession())];
    await pass(10_000);
    isAborted = true;
    page.focus();
    await pass(1000);
    expect(new Set(seen.flat())).toEqual(new Set(["authenticated"]));
    expect(asked).toHaveLength(3);
    isAborted = true;
    const read = watch.refresh();
    await pass(1000);
    await expect(read).resolves.toMatchObject({ user: { name: "Ada" } });
  });

  it("a read that exceeded its time limit is not repeated at once", async () => {
    const { client, asked } = one(() => Promise.reject(new DOMException("", "TimeoutError")));
    listen(client.watchSession());
    await pass(900);
    expect(asked).toHaveLength(1);
  });

  it("watchSession never treats a failure as no session", async () => {
    const { client } = one(() => Promise.reject(new TypeError("fetch failed")));
    const watch = client.watchSession();
    const seen = listen(watch);
    await pass(60_000);
    expect(new Set(seen)).toEqual(new Set(["loading 0"]));
    const failing = expect(watch.refresh()).rejects.toMatchObject({ status: 0 });
    await pass(1000);
    await failing;
  });

  it("watchSession logs the first failure of a page without a known session, if the server has responded", async () => {
    const log = vi.spyOn(console, "error").mockImplementation(() => {});
    try {
      const { client } = one(() => new Response("<h1>Not found</h1>", { status: 404 }));
      listen(client.watchSession());
      await pass(60_000);
      expect(log).toHaveBeenCalledExactlyOnceWith(
        expect.objectContaining({
          status: 404,
          message: expect.stringMatching(
            /^\/auth-\d+\/session responded with the status 404, .*`basePath`/,
          ),
        }),
      );
      listen(client.watchSession({ session: ada() }));
      await pass(60_000);
      expect(log).toHaveBeenCalledOnce();
    } finally {
      log.mockRestore();
    }
  });

  it("watchSession sends no request while offline and refreshes when online", async () => {
    let fails = true;
    const { client, asked, page } = one(() => (fails ? Promise.reject(new Error()) : ada()));
    const watch = client.watchSession();
    listen(watch);
    await settle();
    page.network("offline");
    await pass(DAY);
    const before = asked.length;
    await pass(DAY);
    expect(asked).toHaveLength(before);
    fails = false;
    page.network("online");
    await settle();
    expect(watch.read().status).toBe("authenticated");
  });

  it("watchSession keeps reading at refetchInterval after a brief loss of the network", async () => {
    const { client, asked, page } = one(() => ada());
    listen(client.watchSession({ refetchInterval: 10 }));
    await settle();
    page.network("offline");
    await pass(1000);
    page.network("online");
    expect(asked).toHaveLength(1);
    for (let turn = 0; turn < 6; turn++) await pass(10_000);
    expect(asked).toHaveLength(7);
  });

  it("watchSession reads a session that expired while the computer slept within a minute", async () => {
    let answer: Session | null = ada(3_600_000);
    const { client } = one(() => answer);
    const watch = client.watchSession({ refetchOnWindowFocus: false });
    listen(watch);
    await pass(90_000);
    answer = null;
    // Browser timers are suspended then, unlike the clock.
    vi.setSystemTime(START + DAY);
    expect(watch.read().status).toBe("authenticated");
    await pass(60_000);
    expect(watch.read().status).toBe("unauthenticated");
  });

  it("watchSession reads at refetchInterval although the clock is set back", async () => {
    const { client, asked } = one(() => ada());
    listen(client.watchSession({ refetchInterval: 300 }));
    await settle();
    vi.setSystemTime(START - DAY);
    await pass(300_000);
    expect(asked).toHaveLength(2);
  });

  it("watchSession refreshes when the page is restored from the back/forward cache", async () => {
    let answer: Session | null = ada();
    const { client, page } = one(() => answer);
    const watch = client.watchSession();
    listen(watch);
    await settle();
    answer = null;
    page.back();
    await settle();
    expect(watch.read().status).toBe("unauthenticated");
  });

  it("watchSession returns the same state object until something changes", async () => {
    const session = ada();
    const { client, page } = one(() => structuredClone(session));
    const watch = client.watchSession();
    const seen = listen(watch);
    await settle();
    const state = watch.read();
    await pass(6000);
    page.focus();
    await settle();
    watch.set(structuredClone(session));
    expect(watch.read()).toBe(state);
    expect(seen).toHaveLength(1);
  });

  it("watchSession.set replaces the state", () => {
    const { client } = one(() => null);
    const watch = client.watchSession({ session: null });
    const seen = listen(watch);
    watch.set(ada());
    expect(seen).toEqual(["authenticated"]);
  });

  it("watchSession works after the clock is set back", async () => {
    let answer: Session | null = ada();
    const { client, page } = one(() => answer);
    const watch = client.watchSession();
    listen(watch);
    await settle();
    vi.setSystemTime(START - DAY);
    answer = null;
    page.focus();
    await settle();
    expect(watch.read().status).toBe("unauthenticated");
  });
});

describe("watchSession during sign-in and sign-out", () => {
  const server = () => {
    let session: Session | null = null;
    return createTestServer((path) => {
      if (path.endsWith("/csrf")) return { csrfToken: "t" };
      if (path.endsWith("/providers"))
        return { pw: { id: "pw", type: "credentials", direct: true } };
      if (path.endsWith("/session")) return session;
      session = path.endsWith("/signout") ? null : ada();
      return { url: "http://localhost:3000/next" };
    });
  };

  it("watchSession updates this page first and the other tabs soon after", async () => {
    openPage();
    const { asked, fetch } = server();
    const tabs = openTabs(5, { basePath: nextPath(), fetch });
    const watches = tabs.map((tab) => tab.watchSession({ session: null }));
    const all = watches.map(listen);
    await tabs[0]?.signIn("pw", { redirect: false });
    expect(watches[0]?.read().status).toBe("authenticated");
    await settle();
    await tabs[1]?.signOut({ redirect: false });
    expect(watches[1]?.read().status).toBe("unauthenticated");
    await settle();
    expect(all).toEqual(all.map(() => ["authenticated", "unauthenticated"]));
    expect(asked.filter((request) => request.includes("/session"))).toHaveLength(1);
  });

  it("watchSession does not change in a page that navigates away, but changes in the other tabs", async () => {
    const page = openPage();
    const { fetch } = server();
    const tabs = openTabs(2, { basePath: nextPath(), fetch });
    const [here, there] = tabs.map((tab) => listen(tab.watchSession({ session: null })));
    await tabs[0]?.signIn("pw");
    await tabs[0]?.signOut();
    await settle();
    expect(page.left).toHaveLength(2);
    expect(here).toEqual([]);
    expect(there).toEqual(["authenticated", "unauthenticated"]);
  });
});

describe("watchSession in twenty tabs", () => {
  const open = (answer: () => unknown, locks = true) => {
    const page = openPage({ locks });
    const { asked, fetch } = createTestServer(answer);
    const tabs = openTabs(20, { basePath: nextPath(), fetch });
    return { page, asked, tabs };
  };
  const statuses = (watches: SessionWatch[]) => new Set(watches.map((it) => it.read().status));

  it("twenty tabs that start together send one request", async () => {
    const { asked, tabs } = open(() => ada());
    const watches = tabs.map((tab) => tab.watchSession());
    for (const watch of watches) listen(watch);
    await settle(200);
    await pass(2000);
    expect(statuses(watches)).toEqual(new Set(["authenticated"]));
    expect(asked).toHaveLength(1);
  });

  it("twenty tabs send one request at the session's expiry and at each refetchInterval", async () => {
    let answer: Session | null = ada(3_600_000);
    const { asked, tabs } = open(() => answer);
    const watches = tabs.map((tab) => tab.watchSession({ session: answer, refetchInterval: 60 }));
    for (const watch of watches) listen(watch);
    for (let turn = 1; turn <= 3; turn++) {
      await pass(60_000);
      await settle(200);
      await pass(1000);
      expect(asked.length).toBe(turn);
    }
    answer = null;
    await pass(60_000);
    await settle(200);
    expect(statuses(watches)).toEqual(new Set(["unauthenticated"]));
  });

  it("twenty tabs back off from a failing server like one tab", async () => {
    const { asked, tabs } = open(() => new Response("busy", { status: 503 }));
    for (const tab of tabs) listen(tab.watchSession());
    for (let second = 0; second < 120; second++) await pass(1000);
    expect(asked.length).toBeLessThan(20);
  });

  it("twenty tabs without Web Locks send one request each and agree", async () => {
    const { asked, tabs } = open(() => ada(), false);
    const watches = tabs.map((tab) => tab.watchSession());
    for (const watch of watches) listen(watch);
    await settle(100);
    expect(statuses(watches)).toEqual(new Set(["authenticated"]));
    expect(asked).toHaveLength(20);
  });
});

describe("watchSession with responses out of order", () => {
  it("a sign-out in another tab is not undone by an earlier request", async () => {
    openPage({ locks: false });
    const basePath = nextPath();
    let release: (session: Session) => void = () => {};
    const slow = createAuthClient({
      basePath,
      fetch: async () => Response.json(await new Promise((done) => (release = done))),
    });
    const quick = createAuthClient({
      basePath,
      fetch: createTestServer((path) =>
        path.endsWith("/csrf") ? { csrfToken: "t" } : { url: "http://localhost:3000/" },
      ).fetch,
    });
    const watches = [slow, quick].map((tab) => tab.watchSession({ session: ada() }));
    const [here, there] = watches.map(listen);
    const session = ada();
    await pass(10_000);
    const read = watches[0]?.refresh();
    await pass(20);
    await quick.signOut({ redirect: false });
    await settle();
    release(session);
    await read;
    await settle();
    expect([here, there]).toEqual([["unauthenticated"], ["unauthenticated"]]);
  });

  it("all tabs end with the last state, whatever the order of responses", async () => {
    const word = fc.record({
      tab: fc.nat(3),
      act: fc.constantFrom("sign in", "sign out", "look", "focus"),
      pause: fc.nat(8000),
      late: fc.nat(3),
    });
    await fc.assert(
      fc.asyncProperty(fc.array(word, { minLength: 1, maxLength: 12 }), async (words) => {
        const page = openPage();
        let session: Session | null = null;
        let count = 0;
        let late = 0;
        const { fetch } = createTestServer(async (path) => {
          const wait = late;
          // A request is slow.
          vi.setSystemTime(Date.now() + 1);
          const said = session;
          if (path.endsWith("/csrf")) return { csrfToken: "t" };
          if (path.endsWith("/providers"))
            return { pw: { id: "pw", type: "credentials", direct: true } };
          if (path.endsWith("/session")) {
            await settle(wait * 3);
            return said;
          }
          session = path.endsWith("/signout")
            ? null
            : { user: { name: `visit ${++count}` }, expires: new Date(START + DAY).toISOString() };
          await settle(wait * 3);
          return { url: "http://localhost:3000/" };
        });
        const tabs = openTabs(4, { basePath: nextPath(), fetch });
        const watches = tabs.map((tab) => tab.watchSession());
        const stops = watches.map((watch) => watch.subscribe(() => {}));
        const work: Promise<unknown>[] = [];
        for (const { tab, act, pause, ...how } of words) {
          late = how.late;
          const client = tabs[tab];
          if (act === "sign in") work.push(client!.signIn("pw", { redirect: false }));
          else if (act === "sign out") work.push(client!.signOut({ redirect: false }));
          else if (act === "look") work.push(client!.getSession());
          else page.focus();
          await vi.advanceTimersByTimeAsync(pause);
        }
        let done = false;
        void Promise.all(work).finally(() => (done = true));
        for (let turn = 0; turn < 400 && !done; turn++) await pass(60);
        expect(done).toBe(true);
        await settle(50);
        const expected = (session as Session | null)?.user?.name;
        for (const watch of watches) {
          expect(watch.read().status).not.toBe("loading");
          expect(watch.read().data?.user?.name).toBe(expected);
        }
        for (const stop of stops) stop();
      }),
      { seed: 20261121, numRuns: rounds(60) },
    );
  }, 60_000);
});
