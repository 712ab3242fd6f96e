import { describe, expect, it } from "vitest";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { databaseStrategy } from "../../plugins/strategies/database.ts";
import { hybridStrategy } from "../../plugins/strategies/hybrid.ts";
import type { Adapter } from "../../src/kernel.ts";
import { createClock } from "../../src/testing/testing.ts";
import { createTestAuth, isSignedIn, LOVELACE, ORIGIN, type TestAuthOptions } from "../_app.ts";

const WINDOWS = "Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:140.0) Gecko/20100101 Firefox/140.0";
const IPHONE =
  "Mozilla/5.0 (iPhone; CPU iPhone OS 18_5 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.5 " +
  "Mobile/15E148 Safari/604.1";
const HOSTILE = `<script>alert("Firefox/1 Linux")</script> \u00e9 ${"Chrome/1 ".repeat(600)}`;

function open(options: TestAuthOptions & { strategy: string }) {
  const entries = new Map<string, unknown>();
  const app = createTestAuth({
    store: memoryBackend(entries),
    record: true,
    use: [databaseStrategy(), hybridStrategy()],
    ...options,
  });
  const signIn = async (userAgent?: string, browser = app.openBrowser()) => {
    const csrfToken = await browser.csrfToken();
    const headers = { ...(userAgent !== undefined && { "user-agent": userAgent }) };
    await browser.post("/auth/callback/credentials", { ...LOVELACE, csrfToken }, { headers });
    return browser;
  };
  const list = async () => {
    const account = { provider: "credentials", providerAccountId: "1" };
    const user = await app.adapter.getUserByAccount?.(account);
    const listed = await app.adapter.listSessionsByUserId?.(user?.id ?? "");
    return listed?.map(({ description }) => description) ?? [];
  };
  return { app, entries, signIn, list };
}

describe.each(["database", "hybrid"])("descriptions of sessions under %s", (strategy) => {
  it("each session is described only by the browser and the system of its sign-in", async () => {
    const { entries, signIn, list } = open({ strategy });
    await signIn(WINDOWS);
    await signIn(IPHONE);
    await signIn(HOSTILE);
    expect(await list()).toEqual(["Firefox, Linux", "Safari, iPhone", "Firefox, Windows"]);
    const stored = JSON.stringify([...entries]);
    for (const part of ["Mozilla", "Gecko", "rv:140", "OS 18", "Version/", "alert", "Chrome"]) {
      expect(stored).not.toContain(part);
    }
  });

  it("sessions of an unknown client, or one without the header, have no description", async () => {
    const { app, signIn, list } = open({ strategy });
    for (const header of [undefined, "", "curl/8.14.1"]) {
      expect(await isSignedIn(await signIn(header))).toBe(true);
    }
    expect(await list()).toEqual([undefined, undefined, undefined]);
    const options = app.steps
      .filter(([name]) => name === "createSession")
      .map(([, , given]) => given);
    expect(options).toEqual([{ maxPerUser: 100 }, { maxPerUser: 100 }, { maxPerUser: 100 }]);
  });

  it("a sign-in that replaces the browser's session describes the new one", async () => {
    const { signIn, list } = open({ strategy });
    const browser = await signIn(WINDOWS);
    await signIn(IPHONE, browser);
    expect(await list()).toEqual(["Safari, iPhone"]);
  });

  it("an extended session keeps its description, whatever browser sends it", async () => {
    using clock = createClock();
    const { signIn, list } = open({ strategy, session: { maxAge: 3600, updateAge: 60 } });
    const browser = await signIn(WINDOWS);
    clock.advance(1800);
    const read = { headers: { "user-agent": IPHONE } };
    expect(await (await browser.get("/auth/session", read)).json()).not.toBeNull();
    clock.advance(2400);
    expect(await browser.session()).not.toBeNull();
    expect(await list()).toEqual(["Firefox, Windows"]);
  });

  it("the session that the application and its callbacks see has no description", async () => {
    const seen: unknown[] = [];
    const { signIn } = open({
      strategy,
      callbacks: {
        session(params) {
          seen.push(params);
          return params.session;
        },
      },
    });
    const browser = await signIn(WINDOWS);
    expect(JSON.stringify(await browser.session())).not.toContain("Firefox");
    expect(seen).not.toHaveLength(0);
    expect(JSON.stringify(seen)).not.toContain("Firefox");
  });

  it("a sign-in by a server function is described by the browser of the request that it was called with", async () => {
    const { app, list } = open({ strategy });
    const call = (headers: HeadersInit) =>
      app.auth.signIn(new Request(`${ORIGIN}/login`, { headers }), "credentials", {
        ...LOVELACE,
        redirect: false,
      });
    await call({ "user-agent": WINDOWS });
    await call({});
    expect(await list()).toEqual([undefined, "Firefox, Windows"]);
  });

  it("the event `signIn` contains no description: listeners have the request", async () => {
    const { app, signIn } = open({ strategy });
    await signIn(WINDOWS);
    const [, message] = app.steps.find(([name]) => name === "signIn!") ?? [];
    expect(Object.keys(message as object).toSorted()).toEqual(["account", "isNewUser", "user"]);
  });

  const foreign: readonly (readonly [
    what: string,
    without: (keyof Adapter)[],
    options: unknown[],
  ])[] = [
    ["only methods of Auth.js", ["listSessionsByUserId", "limitSessions"], []],
    ["a limit and no list", ["listSessionsByUserId"], [{ maxPerUser: 100 }]],
    ["a list and no limit", ["limitSessions"], [{ description: "Firefox, Windows" }]],
  ];
  it.each(foreign)(
    "an adapter with %s gets no option for missing methods",
    async (_, without, options) => {
      const { app, signIn } = open({ strategy, without });
      expect(await isSignedIn(await signIn(WINDOWS))).toBe(true);
      const [, row, ...rest] = app.steps.find(([name]) => name === "createSession") ?? [];
      expect(Object.keys(row as object)).toEqual(["sessionToken", "userId", "expires"]);
      expect(rest).toEqual(options);
    },
  );
});
