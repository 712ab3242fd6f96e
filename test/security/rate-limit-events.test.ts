import { describe, expect, it } from "vitest";
import { rateLimit } from "../../plugins/security/rate-limit.ts";
import { createClock } from "../../src/testing/testing.ts";
import type { EventInfo, EventMessages } from "../../src/types.ts";
import { SECRET } from "../_app.ts";
import { client, createLimitApp, HERE, THERE } from "./_limits.ts";

describe("the event rateLimited", () => {
  it("is emitted once per lock, and not for every refused attempt", async () => {
    using clock = createClock("2026-01-01T00:00:00Z");
    const app = createLimitApp();
    const browser = app.from(HERE);
    await app.fail(browser, 5);
    expect(app.locks).toEqual([]);
    await app.fail(browser, 10);
    expect(app.locks).toEqual([
      {
        rule: "credentials",
        route: "POST /callback/:provider",
        provider: "credentials",
        by: "account+client",
        key: expect.stringMatching(/^[0-9a-f]{32}$/),
        until: new Date("2026-01-01T00:15:00Z"),
      },
    ]);
    clock.advance("15 minutes");
    await app.fail(browser, 10);
    expect(app.locks).toHaveLength(2);
    expect(app.locks[1]?.until).toEqual(new Date("2026-01-01T00:30:00Z"));
  });

  it("is emitted once for fifty concurrent attempts", async () => {
    const app = createLimitApp();
    const browser = app.from(HERE);
    const csrfToken = await browser.csrfToken();
    const fields = { csrfToken, username: "ada", password: "no" };
    await Promise.all(
      Array.from({ length: 50 }, () => browser.post("/auth/callback/credentials", fields)),
    );
    expect(app.locks).toHaveLength(1);
    expect(app.authorize).toHaveBeenCalledTimes(5);
  });

  it("has the same key for the same account and client, and different keys for others", async () => {
    using clock = createClock();
    const app = createLimitApp();
    const lock = async (ip: string, username: string) => {
      await app.fail(app.from(ip), 6, username);
      return app.locks.at(-1)?.key;
    };
    const first = await lock(HERE, "ada");
    const others = [await lock(HERE, "eve"), await lock(THERE, "ada"), await lock(THERE, "eve")];
    clock.advance("15 minutes");
    expect(await lock(HERE, "ADA")).toBe(first);
    expect(new Set([first, ...others]).size).toBe(4);
    const elsewhere = createLimitApp({ secret: `another ${SECRET}` });
    await elsewhere.fail(elsewhere.from(HERE), 6);
    expect(elsewhere.locks[0]?.key).not.toBe(first);
  });

  it("contains no names, addresses, passwords or secrets, nor does the log", async () => {
    const warnings: string[] = [];
    const app = createLimitApp({
      logger: { error() {}, warn: (code, detail) => void warnings.push(`${code}: ${detail}`) },
    });
    for (let at = 0; at < 6; at++) await app.fail(app.from(HERE), 1, "ada@example.com");
    for (let at = 0; at < 21; at++) await app.fail(app.from(client(at)), 1, "eve@example.com");
    for (let at = 0; at < 60; at++) await app.fail(app.from(THERE), 1, `user ${at}`);
    expect(app.locks.map(({ rule }) => rule)).toEqual([
      "credentials",
      "credentials-account",
      "credentials-client",
    ]);
    const said = JSON.stringify([app.locks, warnings]);
    for (const text of ["ada", "eve", "example.com", HERE, THERE, "wrong", SECRET])
      expect(said).not.toContain(text);
    const lines = warnings.filter((text) => text.startsWith("rate-limited: "));
    expect(lines).toHaveLength(3);
    expect(lines[0]).toMatch(
      /^rate-limited: The rule "credentials" has locked POST \/callback\/:provider by account\+client \([0-9a-f]{32}\) until \S+Z: more than 5 in 900 seconds\.$/,
    );
  });

  it("passes the request to a listener of a plugin, and a listener that throws affects nothing", async () => {
    const seen: EventInfo<"rateLimited">[] = [];
    const app = createLimitApp({
      use: [
        {
          name: "listener",
          setup: ({ events }) =>
            void events.hook("rateLimited", (_, info) => {
              seen.push(info);
              throw new Error("no");
            }),
        },
      ],
    });
    await app.fail(app.from(HERE), 6);
    expect(seen.map(({ ctx }) => ctx?.ip)).toEqual([HERE]);
    expect(app.locks).toHaveLength(1);
    expect(app.log.errors.at(-1)?.type).toBe("EventError");
  });

  it("is emitted without a provider for a rule without one", async () => {
    const rules = { out: { route: "POST /signout", by: "route", max: 1, window: 60 } } as const;
    const messages: EventMessages["rateLimited"][] = [];
    const app = createLimitApp({
      use: [rateLimit({ rules })],
      events: { rateLimited: (message) => void messages.push(message) },
    });
    for (let time = 0; time < 3; time++) await app.from(HERE).signOut();
    expect(messages).toHaveLength(1);
    expect(Object.keys(messages[0] ?? {})).toEqual(["rule", "route", "by", "key", "until"]);
  });

  it("does not count as a failed sign-in: signInFailed is only emitted for attempts that were made", async () => {
    const failures: string[] = [];
    const app = createLimitApp({
      events: { signInFailed: ({ error }) => void failures.push(error.name) },
    });
    await app.fail(app.from(HERE), 9);
    expect(failures).toHaveLength(5);
  });
});
