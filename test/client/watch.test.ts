import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { createAuthClient, type Session, type SessionWatch } from "../../src/client.ts";
import { openPage, serverOf, settle, tabsOf } from "./_page.ts";

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

// Channels of one name are one browser: each test has its own.
let browsers = 0;
const nextPath = () => `/auth-${++browsers}`;

/** Somebody listens, and notes each state. */
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
  const { asked, fetch } = serverOf(answer);
  const client = createAuthClient({ basePath: nextPath(), fetch });
  return { page, asked, client };
}

describe("a watched session", () => {
  it("asks when nothing is known, and says so meanwhile", async () => {
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
  ])("asks nobody when it is given %j", async (session, status) => {
    const { client, asked } = one(() => null);
    const watch = client.watchSession({ session });
    const seen = listen(watch);
    await settle();
    expect([watch.read().status, seen, asked]).toEqual([status, [], []]);
  });

  it("asks nobody before somebody listens, and nobody afterwards", async () => {
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

  it("asks once for a listener that comes, goes and comes again", async () => {
    const { client, asked } = one(() => ada());
    const watch = client.watchSession();
    watch.subscribe(() => {})();
    listen(watch);
    listen(watch);
    await settle();
    expect(asked).toHaveLength(1);
    expect(watch.read().status).toBe("authenticated");
  });

  it("looks when the page gets the focus, at most every 5 seconds", async () => {
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

  it("does not look at focus when it is told not to, or while hidden", async () => {
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

  it("looks at the session's end", async () => {
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

  it("is calm when this computer's clock is ahead", async () => {
    const { client, asked } = one(() => ada(-3_600_000));
    const watch = client.watchSession();
    listen(watch);
    await settle();
    await pass(10 * 60_000);
    expect(watch.read().status).toBe("authenticated");
    expect(asked.length).toBeLessThanOrEqual(11);
  });

  it("is calm about an end that no timer reaches, or that is none", async () => {
    for (const expires of [new Date(START + 400 * DAY).toISOString(), "never"]) {
      const { client, asked } = one(() => ({ expires }));
      listen(client.watchSession());
      await pass(20 * DAY);
      expect(asked).toHaveLength(1);
    }
  });

  it("looks as often as it is told to, while somebody is signed in", async () => {
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

  it("keeps what it knows through a fault, says so, and tries again ever more seldom", async () => {
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

  it("never takes a fault for nobody", async () => {
    const { client } = one(() => Promise.reject(new TypeError("fetch failed")));
    const watch = client.watchSession();
    const seen = listen(watch);
    await pass(60_000);
    expect(new Set(seen)).toEqual(new Set(["loading 0"]));
    const failing = expect(watch.refresh()).rejects.toMatchObject({ status: 0 });
    await pass(1000);
    await failing;
  });

  it("is quiet while offline, and looks when the network is back", async () => {
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

  it("looks again when the page comes back as it was left", async () => {
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

  it("is the same object until something changes", async () => {
    const session = ada();
    const { client, page } = one(() => structuredClone(session));
    const watch = client.watchSession();
    const seen = listen(watch);
    await settle();
    const state = watch.read();
    await pass(6000);
    page.focus();
    await settle();
    watch.take(structuredClone(session));
    expect(watch.read()).toBe(state);
    expect(seen).toHaveLength(1);
  });

  it("takes what the server says elsewhere", () => {
    const { client } = one(() => null);
    const watch = client.watchSession({ session: null });
    const seen = listen(watch);
    watch.take(ada());
    expect(seen).toEqual(["authenticated"]);
  });

  it("outlives a clock that is set back", async () => {
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

describe("sign-in and sign-out seen by a watched session", () => {
  const server = () => {
    let session: Session | null = null;
    return serverOf((path) => {
      if (path.endsWith("/csrf")) return { csrfToken: "t" };
      if (path.endsWith("/providers")) return { pw: { id: "pw", type: "credentials" } };
      if (path.endsWith("/session")) return session;
      session = path.endsWith("/signout") ? null : ada();
      return { url: "http://localhost:3000/next" };
    });
  };

  it("knows at once in this page, and soon in the others", async () => {
    openPage();
    const { asked, fetch } = server();
    const tabs = tabsOf(5, { basePath: nextPath(), fetch });
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

  it("does not flicker in a page that is being left, and tells the others", async () => {
    const page = openPage();
    const { fetch } = server();
    const tabs = tabsOf(2, { basePath: nextPath(), fetch });
    const [here, there] = tabs.map((tab) => listen(tab.watchSession({ session: null })));
    await tabs[0]?.signIn("pw");
    await tabs[0]?.signOut();
    await settle();
    expect(page.left).toHaveLength(2);
    expect(here).toEqual([]);
    expect(there).toEqual(["authenticated", "unauthenticated"]);
  });
});

describe("twenty tabs", () => {
  const open = (answer: () => unknown, locks = true) => {
    const page = openPage({ locks });
    const { asked, fetch } = serverOf(answer);
    const tabs = tabsOf(20, { basePath: nextPath(), fetch });
    return { page, asked, tabs };
  };
  const statuses = (watches: SessionWatch[]) => new Set(watches.map((it) => it.read().status));

  it("ask once when they start together", async () => {
    const { asked, tabs } = open(() => ada());
    const watches = tabs.map((tab) => tab.watchSession());
    for (const watch of watches) listen(watch);
    await settle(200);
    await pass(2000);
    expect(statuses(watches)).toEqual(new Set(["authenticated"]));
    expect(asked).toHaveLength(1);
  });

  it("ask once at the end, and at each turn of an interval", async () => {
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

  it("ask a server that fails as seldom as one would", async () => {
    const { asked, tabs } = open(() => new Response("busy", { status: 503 }));
    for (const tab of tabs) listen(tab.watchSession());
    for (let second = 0; second < 120; second++) await pass(1000);
    expect(asked.length).toBeLessThan(20);
  });

  it("ask once each where browsers have no turns, and agree", async () => {
    const { asked, tabs } = open(() => ada(), false);
    const watches = tabs.map((tab) => tab.watchSession());
    for (const watch of watches) listen(watch);
    await settle(100);
    expect(statuses(watches)).toEqual(new Set(["authenticated"]));
    expect(asked).toHaveLength(20);
  });
});

describe("answers out of order", () => {
  it("a sign-out is not undone by what was asked before it", async () => {
    openPage({ locks: false });
    const basePath = nextPath();
    let release: (session: Session) => void = () => {};
    const slow = createAuthClient({
      basePath,
      fetch: async () => Response.json(await new Promise((done) => (release = done))),
    });
    const quick = createAuthClient({
      basePath,
      fetch: serverOf((path) =>
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

  it("whatever the order, all tabs end with the last word", async () => {
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
        const { fetch } = serverOf(async (path) => {
          const wait = late;
          // A request takes time.
          vi.setSystemTime(Date.now() + 1);
          const said = session;
          if (path.endsWith("/csrf")) return { csrfToken: "t" };
          if (path.endsWith("/providers")) return { pw: { id: "pw", type: "credentials" } };
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
        const tabs = tabsOf(4, { basePath: nextPath(), fetch });
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
      { seed: 20261121, numRuns: 60 },
    );
  }, 60_000);
});
