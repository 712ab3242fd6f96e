import { randomHex, randomUUID } from "../../crypto/crypto.ts";
import { ODD_TEXTS } from "../odd-texts.ts";
import { inHours, shown, toTime } from "./rows.ts";
import type { AdapterSuite, AdapterWith } from "./suite.ts";

/** Tests that sessions are found, extended and ended. */
export function testSessions({
  describe,
  test,
  expect,
  fails,
  each,
  enroll,
  parallel,
}: AdapterSuite): void {
  describe("Adapter: sessions", () => {
    const begin = async (adapter: AdapterWith<"createSession">, expires = inHours(1)) => {
      const user = await enroll(adapter);
      const sessionToken = randomUUID();
      await adapter.createSession({ sessionToken, userId: user.id, expires });
      return { user, sessionToken, expires };
    };

    test(
      "getSessionAndUser returns the session and its user",
      ["createSession", "getSessionAndUser"],
      async (adapter) => {
        const { user, sessionToken, expires } = await begin(adapter);
        const found = await adapter.getSessionAndUser(sessionToken);
        expect(shown(found?.user)).toEqual(shown(user));
        expect(found?.session.sessionToken).toBe(sessionToken);
        expect(String(found?.session.userId)).toBe(user.id);
        expect(toTime(found?.session.expires)).toBe(expires.getTime());
        expect((await adapter.getSessionAndUser(randomUUID())) ?? null).toBe(null);
      },
    );

    test(
      "createSession and getSessionAndUser keep session tokens with odd characters apart",
      ["odd-text", "createSession", "getSessionAndUser", "deleteSession"],
      async (adapter) => {
        const start = randomHex(4);
        const tokens = [...new Set(ODD_TEXTS)].map((text) => `${text}${start}`);
        const user = await enroll(adapter);
        await each(tokens, async (sessionToken) =>
          adapter.createSession({ sessionToken, userId: user.id, expires: inHours(1) }),
        );
        await each(tokens, async (sessionToken) => {
          const found = await adapter.getSessionAndUser(sessionToken);
          expect(found?.session.sessionToken).toBe(sessionToken);
          await adapter.deleteSession(sessionToken);
          expect((await adapter.getSessionAndUser(sessionToken)) ?? null).toBe(null);
        });
      },
    );

    test(
      "updateSession changes when a session expires",
      ["updateSession", "getSessionAndUser", "createSession"],
      async (adapter) => {
        const { user, sessionToken } = await begin(adapter);
        const expires = inHours(5);
        await adapter.updateSession({ sessionToken, expires });
        const found = await adapter.getSessionAndUser(sessionToken);
        expect(toTime(found?.session.expires)).toBe(expires.getTime());
        expect(String(found?.session.userId)).toBe(user.id);
      },
    );

    test(
      "updateSession does not bring a deleted session back",
      ["deleteSession", "getSessionAndUser", "updateSession", "createSession"],
      async (adapter) => {
        const { sessionToken } = await begin(adapter);
        await adapter.deleteSession(sessionToken);
        expect((await adapter.getSessionAndUser(sessionToken)) ?? null).toBe(null);
        await fails(() => adapter.updateSession({ sessionToken, expires: inHours(5) }));
        expect((await adapter.getSessionAndUser(sessionToken)) ?? null).toBe(null);
      },
    );

    test(
      "extendSession is atomic: N concurrent callers extend the session once",
      ["extendSession", "getSessionAndUser", "deleteSession", "createSession"],
      async (adapter) => {
        const { sessionToken, expires } = await begin(adapter);
        const ends = await Promise.all(
          Array.from({ length: parallel }, (_, at) =>
            adapter.extendSession(sessionToken, expires, inHours(2 + at)),
          ),
        );
        expect(new Set(ends.map((session) => session?.expires.getTime())).size).toBe(1);
        const found = await adapter.getSessionAndUser(sessionToken);
        expect(found?.session.expires.getTime()).toBe(ends[0]?.expires.getTime());
        await adapter.deleteSession(sessionToken);
        expect(await adapter.extendSession(sessionToken, expires, inHours(9))).toBe(null);
      },
    );

    test(
      "listSessionsByUserId lists the user's sessions without tokens, and deleteSessionById ends one",
      ["listSessionsByUserId", "deleteSessionById", "getSessionAndUser", "createSession"],
      async (adapter) => {
        const { user, sessionToken, expires } = await begin(adapter);
        const other = randomUUID();
        const stranger = await begin(adapter);
        await adapter.createSession({ sessionToken: other, userId: user.id, expires });
        const listed = await adapter.listSessionsByUserId(user.id, sessionToken);
        expect(listed.length).toBe(2);
        expect(listed.filter(({ isCurrent }) => isCurrent).length).toBe(1);
        expect(listed.every((one) => toTime(one.expires) === expires.getTime())).toBe(true);
        expect(JSON.stringify(listed).includes(other)).toBe(false);
        const { id } = listed.find(({ isCurrent }) => !isCurrent) as { id: string };
        // Only the owner can end the session.
        expect((await adapter.deleteSessionById(stranger.user.id, id)) === true).toBe(false);
        expect((await adapter.getSessionAndUser(other)) !== null).toBe(true);
        expect((await adapter.deleteSessionById(user.id, id)) === false).toBe(false);
        expect((await adapter.getSessionAndUser(other)) ?? null).toBe(null);
        const left = await adapter.listSessionsByUserId(user.id, sessionToken);
        expect(left.map(({ isCurrent }) => isCurrent)).toEqual([true]);
        expect(await adapter.listSessionsByUserId(randomUUID(), sessionToken)).toEqual([]);
      },
    );

    test(
      "listSessionsByUserId returns a session's description or none, and getSessionAndUser returns none",
      ["listSessionsByUserId", "getSessionAndUser", "updateSession", "createSession"],
      async (adapter) => {
        const { user, sessionToken, expires } = await begin(adapter);
        const other = randomUUID();
        const description = 'Zoë’s Gerät 电 & <b>"1"</b>';
        const row = { sessionToken: other, userId: user.id, expires };
        await adapter.createSession(row, { description });
        await adapter.updateSession({ sessionToken: other, expires: inHours(5) });
        const listed = await adapter.listSessionsByUserId(user.id, sessionToken);
        const here = listed.find(({ isCurrent }) => isCurrent);
        const there = listed.find(({ isCurrent }) => !isCurrent);
        expect(here?.description ?? null).toBe(null);
        expect([description, null].includes(there?.description ?? null)).toBe(true);
        const found = await adapter.getSessionAndUser(other);
        expect(Object.values(found?.session ?? {}).includes(description)).toBe(false);
      },
    );

    test(
      "listSessionsByUserId lists every session once, the current one first, in pages or all at once",
      ["listSessionsByUserId", "createSession"],
      async (adapter) => {
        const { user, sessionToken, expires } = await begin(adapter);
        for (let at = 0; at < 4; at++) {
          await adapter.createSession({ sessionToken: randomUUID(), userId: user.id, expires });
        }
        const seen = new Set<string>();
        let after: string | undefined;
        for (;;) {
          const page = await adapter.listSessionsByUserId(user.id, sessionToken, {
            limit: 2,
            ...(after !== undefined && { after }),
          });
          const fresh = page.filter(({ id }) => !seen.has(id));
          if (page.length <= 2) {
            // The adapter has pages, which must not overlap.
            expect(fresh.length).toBe(page.length);
            if (after === undefined) expect(page[0]?.isCurrent).toBe(true);
          }
          if (!fresh.length) break;
          for (const { id } of fresh) seen.add(id);
          after = page.at(-1)?.id;
        }
        expect(seen.size).toBe(5);
      },
    );

    test(
      "deleteOtherSessions ends every session of that user except one, and no session of other users",
      ["deleteOtherSessions", "getSessionAndUser", "createSession"],
      async (adapter) => {
        const { user, sessionToken, expires } = await begin(adapter);
        const stranger = await begin(adapter);
        const isLive = async (token: string) => Boolean(await adapter.getSessionAndUser(token));
        const add = async () => {
          const other = randomUUID();
          await adapter.createSession({ sessionToken: other, userId: user.id, expires });
          return other;
        };
        for (const other of [await add(), await add()]) {
          await adapter.deleteOtherSessions(user.id, sessionToken);
          expect(await isLive(other)).toBe(false);
          expect(await isLive(sessionToken)).toBe(true);
        }
        const other = await add();
        expect(await isLive(other)).toBe(true);
        // A session of another user protects nothing.
        await adapter.deleteOtherSessions(user.id, stranger.sessionToken);
        expect(await isLive(other)).toBe(false);
        expect(await isLive(sessionToken)).toBe(false);
        expect(await isLive(stranger.sessionToken)).toBe(true);
        // A session that has ended does not come back.
        await adapter.deleteOtherSessions(user.id, sessionToken);
        expect(await isLive(sessionToken)).toBe(false);
      },
    );

    test(
      "limitSessions ends the oldest sessions beyond the limit, only of that user",
      ["limitSessions", "getSessionAndUser", "createSession"],
      async (adapter) => {
        const { user, sessionToken, expires } = await begin(adapter);
        const stranger = await begin(adapter);
        const tokens = [sessionToken];
        for (let at = 0; at < 4; at++) {
          const token = randomUUID();
          tokens.push(token);
          await adapter.createSession({ sessionToken: token, userId: user.id, expires });
        }
        await adapter.limitSessions(user.id, 5);
        await adapter.limitSessions(user.id, 3);
        const found = await Promise.all(tokens.map((token) => adapter.getSessionAndUser(token)));
        expect(found.map(Boolean)).toEqual([false, false, true, true, true]);
        expect(Boolean(await adapter.getSessionAndUser(stranger.sessionToken))).toBe(true);
      },
    );

    test(
      "createSession with a limit ends only the oldest sessions, as many as it reports",
      ["limitSessions", "getSessionAndUser", "createSession"],
      async (adapter) => {
        const { user, sessionToken, expires } = await begin(adapter);
        const stranger = await begin(adapter);
        const tokens = [sessionToken, randomUUID(), randomUUID(), randomUUID()];
        const create = async (at: number) => {
          const row = { sessionToken: tokens[at] ?? "", userId: user.id, expires };
          return adapter.createSession(row, { maxPerUser: 2 });
        };
        let ended = 0;
        for (const at of [1, 2, 3]) {
          const { endedCount = 0, sessionCount = Infinity } = await create(at);
          ended += endedCount;
          const found = await Promise.all(tokens.map((token) => adapter.getSessionAndUser(token)));
          const isLive = found.slice(0, at + 1).map(Boolean);
          expect(isLive).toEqual(isLive.map((_, place) => place >= ended));
          expect(isLive.filter(Boolean).length <= sessionCount).toBe(true);
        }
        expect(Boolean(await adapter.getSessionAndUser(stranger.sessionToken))).toBe(true);
      },
    );

    test(
      "getSessionStart returns when a session was created, also after it was extended",
      ["getSessionStart", "updateSession", "createSession"],
      async (adapter) => {
        const before = Date.now();
        const { sessionToken } = await begin(adapter);
        const after = Date.now();
        await adapter.updateSession({ sessionToken, expires: inHours(5) });
        const start = new Date((await adapter.getSessionStart(sessionToken)) ?? 0).getTime();
        // Some adapters keep whole seconds.
        expect(start >= before - 1000 && start <= after).toBe(true);
        expect((await adapter.getSessionStart(randomUUID())) ?? null).toBe(null);
      },
    );

    test(
      "deleteSessionsByUserId ends every session of that user and no other",
      ["deleteSessionsByUserId", "getSessionAndUser", "createSession"],
      async (adapter) => {
        const { user, sessionToken } = await begin(adapter);
        const another = await begin(adapter);
        await adapter.deleteSessionsByUserId(user.id);
        expect(await adapter.getSessionAndUser(sessionToken)).toBe(null);
        expect((await adapter.getSessionAndUser(another.sessionToken)) !== null).toBe(true);
        const later = randomUUID();
        await adapter.createSession({ sessionToken: later, userId: user.id, expires: inHours(1) });
        expect((await adapter.getSessionAndUser(later))?.user.id).toBe(user.id);
      },
    );
  });
}
