import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { StoreAdapter } from "../../plugins/adapters/store.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import type { AdapterAccount, AdapterUser, StoreBackend } from "../../src/types.ts";
import { rounds as scaled } from "../_scale.ts";
import { adapterOn } from "./_namespace.ts";

const ROUNDS = scaled(1000);

// Every operation waits for its turn, drawn from the seed, so that a failed schedule can be
// repeated.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "Date"] });
});
afterEach(() => {
  vi.useRealTimers();
});

// A seeded random number generator (mulberry32).
function random(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}

interface Drawn {
  entries: Map<string, unknown>;
  draw: () => number;
  /** Creates the adapter of a new process, which dies after `lives` operations. */
  process(lives?: number): StoreAdapter;
  /** Runs all tasks to completion. */
  run(works: readonly unknown[]): Promise<PromiseSettledResult<unknown>[]>;
}

function drawn(seed: number): Drawn {
  const draw = random(seed);
  const entries = new Map<string, unknown>();
  const records = memoryBackend(entries);
  const waiting: (() => void)[] = [];

  const backend = (lives: number): StoreBackend => {
    let left = lives;
    const turns: Record<string, unknown> = { ...records };
    for (const name of ["get", "put", "putIfAbsent", "take", "compareAndSet", "delete", "scan"]) {
      const work = records[name as "get"] as (...args: unknown[]) => Promise<unknown>;
      turns[name] = async (...args: unknown[]) => {
        await new Promise<void>((resolve) => {
          waiting.push(resolve);
        });
        if (left-- > 0) return work(...args);
        return new Promise(() => {});
      };
    }
    return turns as unknown as StoreBackend;
  };

  return {
    entries,
    draw,
    process: (lives = Infinity) => adapterOn(backend(lives), () => {}),
    async run(works) {
      let isOver = false;
      const all = Promise.allSettled(works).finally(() => (isOver = true));
      while (!isOver) {
        for (let turn = 0; turn < 8; turn++) await Promise.resolve();
        await new Promise((resolve) => setImmediate(resolve));
        const [next] = waiting.splice(Math.floor(draw() * waiting.length), 1);
        if (next) next();
        else if (!isOver) await vi.advanceTimersToNextTimerAsync();
      }
      return all;
    },
  };
}

const wins = (outcomes: readonly PromiseSettledResult<unknown>[]) =>
  outcomes.filter(({ status }) => status === "fulfilled").length;

const user = (id: string, email: string | null): AdapterUser =>
  ({ id, email, emailVerified: null, name: id }) as AdapterUser;

const account = (userId: string, providerAccountId = "one"): AdapterAccount => ({
  userId,
  provider: "github",
  providerAccountId,
  type: "oauth",
});

/** Lists all users, read from the records. */
function people(entries: Map<string, unknown>): { id: string; email: string | null }[] {
  return [...entries].flatMap(([key, entry]) => {
    const { value, expires } = entry as { value: string; expires: number };
    if (!key.startsWith("adapter-user.") || expires <= Date.now()) return [];
    const { d } = JSON.parse(value) as { d: { gone?: true; user?: { data: AdapterUser } } };
    return d.user && !d.gone ? [{ id: d.user.data.id, email: d.user.data.email }] : [];
  });
}

async function consistent({ entries, process, run }: Drawn, emails: readonly string[]) {
  const there = people(entries);
  const adapter = process();
  for (const email of emails) {
    const holders = there.filter((one) => one.email === email);
    expect(holders.length, `users with ${email}`).toBeLessThanOrEqual(1);
    const [found] = await run([adapter.getUserByEmail(email)]);
    const { value } = found as PromiseFulfilledResult<AdapterUser | null>;
    expect(value?.id, `user found by ${email}`).toBe(holders[0]?.id);
  }
  return there;
}

// Runs `body` for every seed, and names the seed of a failed schedule.
async function rounds(body: (seed: number) => Promise<void>): Promise<void> {
  for (let seed = 1; seed <= ROUNDS; seed++) {
    try {
      await body(seed);
    } catch (error) {
      (error as Error).message = `seed ${seed}: ${(error as Error).message}`;
      throw error;
    }
  }
}

describe(
  "storeAdapter under random schedules of concurrent operations",
  { timeout: 120_000 },
  () => {
    it("F19: concurrent sign-ins with one account create one user", () =>
      rounds(async (seed) => {
        const world = drawn(seed);
        const works = ["a", "b", "c", "d"].map((id) =>
          world.process().createUserWithAccount(user(id, "ada@example.com"), account(id)),
        );
        expect(wins(await world.run(works))).toBe(1);
        const [one, ...others] = await consistent(world, ["ada@example.com"]);
        expect(others).toEqual([]);
        const key = { provider: "github", providerAccountId: "one" };
        const [found] = await world.run([world.process().getUserByAccount(key)]);
        expect(found).toMatchObject({ value: { id: one?.id } });
      }));

    it("F19: concurrent sign-ins with one account without an address create one user", () =>
      rounds(async (seed) => {
        const world = drawn(seed);
        const works = ["a", "b", "c", "d"].map((id) =>
          world.process().createUserWithAccount(user(id, null), account(id)),
        );
        expect(wins(await world.run(works))).toBe(1);
        expect(people(world.entries).length).toBe(1);
      }));

    it("F19: concurrent sign-ins with one address create one user, whatever their accounts", () =>
      rounds(async (seed) => {
        const world = drawn(seed);
        const email = "ada@example.com";
        const works = [
          ...["a", "b"].map((id) =>
            world.process().createUserWithAccount(user(id, email), account(id, id)),
          ),
          ...["c", "d"].map((id) => world.process().createUser(user(id, email))),
        ];
        expect(wins(await world.run(works))).toBe(1);
        expect((await consistent(world, [email])).length).toBe(1);
      }));

    it("F18: processes that die during a sign-in do not block the address and the account", () =>
      rounds(async (seed) => {
        const world = drawn(seed);
        const email = "ada@example.com";
        const enter = (id: string, lives?: number) =>
          world.process(lives).createUserWithAccount(user(id, email), account(id));
        const dying = ["a", "b", "c"].map((id) => enter(id, Math.floor(world.draw() * 9)));
        await world.run([...dying, enter("d")]);
        const there = await consistent(world, [email]);
        expect(there.length).toBeLessThanOrEqual(1);
        vi.setSystemTime(Date.now() + 60_000);
        const outcome = await world.run([enter("e")]);
        expect(wins(outcome)).toBe(there.length ? 0 : 1);
        expect((await consistent(world, [email])).length).toBe(1);
        const key = { provider: "github", providerAccountId: "one" };
        const [found] = await world.run([world.process().getUserByAccount(key)]);
        expect(found).toMatchObject({ value: { email } });
      }));

    it("concurrent changes of addresses leave each address with one user", () =>
      rounds(async (seed) => {
        const world = drawn(seed);
        const emails = ["x@example.com", "y@example.com", "z@example.com"];
        const some = () => emails[Math.floor(world.draw() * emails.length)] ?? "";
        await world.run(
          ["a", "b", "c"].map((id, at) => world.process().createUser(user(id, emails[at] ?? ""))),
        );
        const move = (id: string, lives?: number) =>
          world.process(lives).updateUser({ id, email: some() });
        await world.run([
          ...["a", "a", "b", "c"].map((id) => move(id)),
          move("b", Math.floor(world.draw() * 9)),
          world.process().deleteUser("c"),
          world.process().createUser(user("d", some())),
        ]);
        await consistent(world, emails);
        vi.setSystemTime(Date.now() + 60_000);
        await world.run([world.process().deleteUser("a"), world.process().deleteUser("b")]);
        await consistent(world, emails);
        // A free address can be claimed.
        for (const email of emails) {
          const isTaken = people(world.entries).some((one) => one.email === email);
          const outcome = await world.run([world.process().createUser(user(email, email))]);
          expect(wins(outcome)).toBe(isTaken ? 0 : 1);
        }
      }));

    it("concurrent links leave an account with one user, and revokeUserAccess unlinks it", () =>
      rounds(async (seed) => {
        const world = drawn(seed);
        await world.run(["a", "b", "c"].map((id) => world.process().createUser(user(id, null))));
        const outcomes = await world.run([
          ...["a", "b", "c"].map((id) => world.process().linkAccount(account(id))),
          world.process().revokeUserAccess("a"),
          world.process().deleteUser("b"),
        ]);
        const key = { provider: "github", providerAccountId: "one" };
        const [found] = await world.run([world.process().getUserByAccount(key)]);
        const { value: owner } = found as PromiseFulfilledResult<AdapterUser | null>;
        expect(owner?.id).not.toBe("b");
        const linked = outcomes.slice(0, 3).map(({ status }) => status === "fulfilled");
        if (owner) expect(linked["abc".indexOf(owner.id)]).toBe(true);
        // No record of the deleted user is left.
        const left = JSON.stringify([...world.entries].filter(([key]) => key.includes("account")));
        expect(left).not.toContain('\\"userId\\":\\"b\\"');
      }));

    it("F21: a deleted session stays deleted under concurrent extensions", () =>
      rounds(async (seed) => {
        const world = drawn(seed);
        await world.run([world.process().createUser(user("a", null))]);
        const from = new Date(Date.now() + 60_000);
        const to = new Date(Date.now() + 120_000);
        const sessionToken = "token";
        await world.run([
          world.process().createSession({ sessionToken, userId: "a", expires: from }),
        ]);
        await world.run([
          world.process().extendSession(sessionToken, from, to),
          world.process().updateSession({ sessionToken, expires: to }),
          seed % 2
            ? world.process().deleteSession(sessionToken)
            : world.process().deleteSessionsByUserId("a"),
        ]);
        const [found] = await world.run([world.process().getSessionAndUser(sessionToken)]);
        expect(found).toMatchObject({ value: null });
      }));
  },
);
