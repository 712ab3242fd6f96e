import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { passkeyPlugin } from "../../plugins/providers/passkey.ts";
import type { StoreAdapter } from "../../plugins/adapters/store/store.ts";
import type { AdapterUser } from "../../src/types.ts";
import { createHouse, type House } from "../kernel/_house.ts";
import type { Browser } from "../../src/testing.ts";
import { type Authenticator, createAuthenticator } from "../flows/_authenticator.ts";
import { type Accident, createAccident, type Fault } from "./_faults.ts";
import { adapterOn } from "./_shelf.ts";

// The clock stands still unless it is moved: claims then stay "under way", and are waited for.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ["Date"], now: new Date("2026-01-01T00:00:00.000Z") });
});
afterEach(() => {
  vi.useRealTimers();
});

const ADA = { sub: "ada", name: "Ada", email: "ada@example.com" };
const GITHUB = { sub: "github" };
const DAY = 24 * 60 * 60 * 1000;

/** The application over one store; it can be started anew. */
interface World {
  accident: Accident;
  house: House;
  adapter: StoreAdapter;
  authenticator: Authenticator;
  /** Another process over the same records. */
  restart(): void;
  /** A visitor whose cookies outlive the process. */
  visit(): Browser;
}

function createWorld(without: readonly "take"[] = []): World {
  const accident = createAccident(without);
  const make = () => {
    const adapter = adapterOn(accident.backend(), () => {});
    const config = {
      experimental: { enableWebAuthn: true },
      providers: [passkeyPlugin()],
      logger: { error() {}, warn() {}, debug() {} },
    };
    return { adapter, house: createHouse({ adapter, config }) };
  };
  const world: World = {
    accident,
    authenticator: createAuthenticator({ counts: true }),
    ...make(),
    restart() {
      Object.assign(world, make());
    },
    visit() {
      const jar = new Map<string, string>();
      // The browser of a house that is gone keeps its cookies.
      const browser = (): Browser => {
        const fresh = world.house.newBrowser();
        for (const [name, value] of jar) fresh.cookies.set(name, value);
        return fresh;
      };
      return new Proxy({} as Browser, {
        get(_, name: keyof Browser) {
          const current = browser();
          const member = current[name];
          if (typeof member !== "function") return member;
          return async (...args: unknown[]) => {
            const answer = await (member as (...args: unknown[]) => unknown)(...args);
            jar.clear();
            for (const [cookie, value] of current.cookies) jar.set(cookie, value);
            return answer;
          };
        },
      });
    },
  };
  return world;
}

/** Something that people do, and what must hold after it was cut short anywhere. */
interface Journey {
  /** What was there before. */
  before?(world: World, browser: Browser): Promise<unknown>;
  act(world: World, browser: Browser): Promise<unknown>;
  /** After the fault is over: does it, or finds it done; fails if that is impossible. */
  again(world: World, browser: Browser): Promise<unknown>;
}

async function usersIn({ accident }: World): Promise<AdapterUser[]> {
  const found: AdapterUser[] = [];
  for (const [key, entry] of accident.entries) {
    if (!key.startsWith("adapter-user.")) continue;
    const { value, expires } = entry as { value: string; expires: number };
    if (expires <= Date.now()) continue;
    const { d } = JSON.parse(value) as { d: { gone?: true; user?: { data: AdapterUser } } };
    if (d.user && !d.gone) found.push(d.user.data);
  }
  return found;
}

/** I3, and that nothing secret stands in the store (R14, I7). */
async function invariants(world: World, browsers: readonly Browser[]): Promise<void> {
  const users = await usersIn(world);
  const emails = users.flatMap(({ email }) => email ?? []);
  expect(new Set(emails).size, "one user per address").toBe(emails.length);
  for (const email of emails) {
    expect((await world.adapter.getUserByEmail(email))?.email, "who has an address").toBe(email);
  }
  const stored = JSON.stringify([...world.accident.entries]);
  for (const browser of browsers) {
    const token = browser.cookies.get("authjs.session-token");
    if (token) expect(stored).not.toContain(token);
  }
}

// A request to a process that died is never answered; the browser gives up.
async function survive(work: Promise<unknown>, accident: Accident, fault: Fault): Promise<void> {
  if (fault !== "kill") return void (await work.catch(() => {}));
  let done = false;
  const ended = work.then(
    () => (done = true),
    () => (done = true),
  );
  while (!done && !accident.happened()) {
    await Promise.race([ended, new Promise((resolve) => setImmediate(resolve))]);
  }
}

const hasSession = async (browser: Browser) => (await browser.session()) !== null;

async function come(world: World, browser: Browser, claims: typeof GITHUB, link = false) {
  await world.house.start(browser, link);
  return world.house.finish(claims, browser);
}

async function optionsOf(browser: Browser, query: string) {
  const response = await browser.get(`/auth/webauthn-options/passkey?${query}`);
  const { action, options } = (await response.json()) as { action: string; options?: never };
  return { action, options };
}

// A fault may have been told instead of options: then nothing is posted.
async function registerPasskey({ authenticator }: World, browser: Browser): Promise<void> {
  const { action, options } = await optionsOf(browser, `action=register&email=${ADA.email}`);
  if (!options) return;
  const data = JSON.stringify(await authenticator.create(options));
  await browser.signInWith("passkey", { action, data });
}

async function signInByPasskey({ authenticator }: World, browser: Browser, at = -1): Promise<void> {
  const { action, options } = await optionsOf(browser, "action=authenticate");
  if (!options) return;
  const data = JSON.stringify(await authenticator.get(options, {}, authenticator.held.at(at)));
  await browser.signInWith("passkey", { action, data });
}

const journeys: Record<string, Journey> = {
  "the first sign-in": {
    act: (world, browser) => come(world, browser, ADA),
    async again(world, browser) {
      await come(world, browser, ADA);
      expect(await hasSession(browser)).toBe(true);
      expect((await usersIn(world)).length).toBe(1);
    },
  },

  "the first sign-in without an address": {
    act: (world, browser) => come(world, browser, GITHUB),
    async again(world, browser) {
      await come(world, browser, GITHUB);
      expect(await hasSession(browser)).toBe(true);
      expect((await usersIn(world)).length).toBe(1);
    },
  },

  "the first sign-in by letter": {
    act: (world, browser) => world.house.letter(ADA.email, browser),
    async again(world, browser) {
      await world.house.letter(ADA.email, browser);
      expect(await hasSession(browser)).toBe(true);
      expect((await usersIn(world)).length).toBe(1);
    },
  },

  "a return": {
    before: (world) => come(world, world.visit(), ADA),
    act: (world, browser) => come(world, browser, ADA),
    async again(world, browser) {
      await come(world, browser, ADA);
      expect(await hasSession(browser)).toBe(true);
      expect((await usersIn(world)).length).toBe(1);
    },
  },

  "the owner's arrival at a registered address": {
    before: (world) => come(world, world.visit(), { ...ADA, sub: "attacker" }),
    act: (world, browser) => world.house.letter(ADA.email, browser),
    async again(world, browser) {
      await world.house.letter(ADA.email, browser);
      expect(await hasSession(browser)).toBe(true);
      const attacker = world.visit();
      await come(world, attacker, { ...ADA, sub: "attacker" });
      expect(await hasSession(attacker), "the attacker").toBe(false);
    },
  },

  "the link of an account": {
    before: (world, browser) => come(world, browser, ADA),
    act: (world, browser) => come(world, browser, GITHUB, true),
    async again(world, browser) {
      if (!(await hasSession(browser))) await come(world, browser, ADA);
      await come(world, browser, GITHUB, true);
      const other = world.visit();
      await come(world, other, GITHUB);
      expect(await other.session()).toMatchObject({ user: { name: "Ada" } });
      expect((await usersIn(world)).length).toBe(1);
    },
  },

  "the registration of a passkey": {
    act: (world, browser) => registerPasskey(world, browser),
    async again(world, browser) {
      // Whoever was let in is; the others start again, with the address they had.
      if (!(await hasSession(browser))) {
        const isThere = (await usersIn(world)).length > 0;
        await (isThere ? signInByPasskey(world, browser) : registerPasskey(world, browser));
      }
      expect(await hasSession(browser)).toBe(true);
      const users = await usersIn(world);
      expect(users.length).toBe(1);
      const id = users[0]?.id ?? "";
      expect((await world.adapter.listAuthenticatorsByUserId(id)).length).toBe(1);
      const other = world.visit();
      await signInByPasskey(world, other);
      expect(await hasSession(other)).toBe(true);
    },
  },

  "another passkey": {
    before: (world, browser) => registerPasskey(world, browser),
    act: (world, browser) => registerPasskey(world, browser),
    async again(world, browser) {
      if (!(await hasSession(browser))) await signInByPasskey(world, browser, 0);
      const id = (await usersIn(world))[0]?.id ?? "";
      const count = async () => (await world.adapter.listAuthenticatorsByUserId(id)).length;
      if ((await count()) < 2) await registerPasskey(world, browser);
      expect(await count()).toBe(2);
      for (const at of [0, -1]) {
        const other = world.visit();
        await signInByPasskey(world, other, at);
        expect(await hasSession(other)).toBe(true);
      }
    },
  },

  "a sign-in with a passkey": {
    before: (world) => registerPasskey(world, world.visit()),
    act: (world, browser) => signInByPasskey(world, browser),
    async again(world, browser) {
      await signInByPasskey(world, browser);
      expect(await hasSession(browser)).toBe(true);
      expect((await usersIn(world)).length).toBe(1);
    },
  },

  "the removal of a passkey": {
    before: (world, browser) => registerPasskey(world, browser),
    async act(world) {
      const id = (await usersIn(world))[0]?.id ?? "";
      const [passkey] = await world.adapter.listAuthenticatorsByUserId(id);
      await world.adapter.deleteAuthenticator(passkey?.credentialID ?? "", id);
    },
    async again(world) {
      const id = (await usersIn(world))[0]?.id ?? "";
      for (const { credentialID } of await world.adapter.listAuthenticatorsByUserId(id)) {
        await world.adapter.deleteAuthenticator(credentialID, id);
      }
      expect(await world.adapter.listAuthenticatorsByUserId(id)).toEqual([]);
      const other = world.visit();
      await signInByPasskey(world, other);
      expect(await hasSession(other)).toBe(false);
    },
  },

  "a sign-out": {
    before: (world, browser) => come(world, browser, ADA),
    act: (_, browser) => browser.signOut(),
    async again(_, browser) {
      await browser.signOut();
      expect(await hasSession(browser)).toBe(false);
    },
  },

  "a session's extension": {
    async before(world, browser) {
      await come(world, browser, ADA);
      vi.setSystemTime(Date.now() + 2 * DAY);
    },
    act: (_, browser) => browser.session(),
    async again(_, browser) {
      // I6: nobody is signed out by it.
      expect(await hasSession(browser)).toBe(true);
    },
  },

  "a change of address": {
    before: (world, browser) => come(world, browser, ADA),
    async act(world) {
      const [user] = await usersIn(world);
      await world.adapter.updateUser({ id: user?.id ?? "", email: "countess@example.com" });
    },
    async again(world, browser) {
      const [user] = await usersIn(world);
      const email = "countess@example.com";
      await world.adapter.updateUser({ id: user?.id ?? "", email });
      expect((await world.adapter.getUserByEmail(email))?.id).toBe(user?.id);
      expect(await world.adapter.getUserByEmail(ADA.email)).toBeNull();
      await world.adapter.createUser({ id: "", email: ADA.email, emailVerified: null });
      expect(await hasSession(browser)).toBe(true);
    },
  },

  "a deletion": {
    async before(world, browser) {
      await come(world, browser, ADA);
      await come(world, browser, GITHUB, true);
      const [user] = await usersIn(world);
      const { id = "", email = "" } = user ?? {};
      await world.adapter.createAuthenticator({
        credentialID: "key",
        userId: id,
        providerAccountId: "key",
        credentialPublicKey: "",
        counter: 0,
        credentialDeviceType: "singleDevice",
        credentialBackedUp: false,
      });
      const expires = new Date(Date.now() + DAY);
      await world.adapter.createVerificationToken({ identifier: email, token: "t", expires });
      world.house.steps.push(["id", id]);
    },
    async act(world) {
      const [user] = await usersIn(world);
      await world.adapter.deleteUser(user?.id ?? "");
    },
    async again(world, browser) {
      const id = idOf(world);
      await world.adapter.deleteUser(id);
      expect(await hasSession(browser)).toBe(false);
      const left = [...world.accident.entries].filter(
        ([key, entry]) =>
          (entry as { expires: number }).expires > Date.now() && !key.includes("--burnt"),
      );
      expect(left).toEqual([]);
      // All of it can be had again.
      await come(world, browser, ADA);
      expect(await hasSession(browser)).toBe(true);
    },
  },
};

const ids = new WeakMap<World, string>();
const idOf = (world: World) => ids.get(world) ?? "";

describe.each([
  ["with take", []],
  ["without take", ["take"]],
] as const)("cut short at every operation, %s", (_, without) => {
  for (const [name, journey] of Object.entries(journeys)) {
    for (const fault of ["error", "lost", "kill"] as const) {
      it(`${name}: ${fault}`, { timeout: 60_000 }, async () => {
        let steps = Infinity;
        for (let at = 1; at <= steps; at++) {
          const world = createWorld(without);
          const browser = world.visit();
          await journey.before?.(world, browser);
          ids.set(world, (await usersIn(world))[0]?.id ?? "");
          // Prepared: the request itself is what is cut short.
          world.accident.arm(at, fault);
          const work = journey.act(world, browser);
          await survive(work, world.accident, fault);
          if (!world.accident.happened()) {
            steps = world.accident.count();
            break;
          }
          world.accident.arm(0, fault);
          if (fault === "kill") world.restart();
          await invariants(world, [browser]);
          // A minute later, nobody is under way any more.
          vi.setSystemTime(Date.now() + 60_000);
          try {
            await journey.again(world, browser);
            await invariants(world, [browser]);
          } catch (error) {
            (error as Error).message = `at operation ${at}: ${(error as Error).message}`;
            throw error;
          }
        }
        if (process.env.OPS) console.log(`${name}: ${steps}`);
        expect(steps).toBeGreaterThan(0);
        expect(steps).toBeLessThan(100);
      });
    }
  }
});

describe("one-time tokens", () => {
  it("are never taken twice, wherever the taking is cut short", async () => {
    for (const without of [[], ["take"]] as const) {
      for (const fault of ["error", "lost", "kill"] as const) {
        for (let at = 1; at < 12; at++) {
          const world = createWorld(without);
          const token = { identifier: "ada@example.com", token: "t" };
          const expires = new Date(Date.now() + DAY);
          await world.adapter.createVerificationToken({ ...token, expires });
          world.accident.arm(at, fault);
          let taken = 0;
          const use = async () => {
            if (await world.adapter.useVerificationToken(token)) taken++;
          };
          await survive(use(), world.accident, fault);
          const { happened } = world.accident;
          if (!happened()) break;
          world.accident.arm(0, fault);
          world.restart();
          await use().catch(() => {});
          await use().catch(() => {});
          expect(taken).toBeLessThanOrEqual(1);
        }
      }
    }
  });
});
