import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Adapter, AdapterUser } from "../../src/types.ts";
import { type Claims, createHouse, type House, ORIGIN, type Step } from "../kernel/_house.ts";

const COOKIE = "authjs.session-token";
const NOW = new Date("2026-06-01T12:00:00.000Z");
const MONTH = 30 * 86_400_000;
const END = new Date(NOW.getTime() + MONTH);

const ADA: Claims = { sub: "ada", name: "Ada", email: "ada@example.com", email_verified: true };
const EVE: Claims = { sub: "eve", name: "Eve", email: "eve@example.com", email_verified: true };

beforeEach(() => void vi.useFakeTimers({ toFake: ["Date"], now: NOW }));
afterEach(() => void vi.useRealTimers());

type Strategy = "jwt" | "database";
const STRATEGIES: readonly Strategy[] = ["jwt", "database"];

const where = (response: Response) => response.headers.get("location");

/** What a row finds: who is stored, and what the browser under test holds. */
class Scene {
  readonly strategy: Strategy;
  readonly house: House;
  readonly ids: Record<string, string> = {};

  constructor(strategy: Strategy, without: readonly (keyof Adapter)[]) {
    this.strategy = strategy;
    this.house = createHouse({ strategy, without });
  }
  get token(): string | undefined {
    return this.house.browser.cookies.get(COOKIE);
  }
  /** Somebody who is stored, and signed in elsewhere or here. */
  async knows(name: string, claims: Claims, here = false, provider = "claims"): Promise<void> {
    const from = here ? this.house.browser : this.house.newBrowser();
    await this.house.come(claims, from, false, provider);
    this.ids[name] = (await this.house.who(from)) ?? "nobody";
  }
  /** Somebody who has proved their address. */
  async read(name: string, email: string, here = false): Promise<void> {
    const from = here ? this.house.browser : this.house.newBrowser();
    await this.house.letter(email, from);
    this.ids[name] = (await this.house.who(from)) ?? "nobody";
  }
}

/** What a step may speak of, as it was before the row's turn came. */
interface Before {
  /** The strategy's look at who is signed in. */
  current: Step[];
  /** The strategy's new session, what comes between, and the end of the browser's old one. */
  session(userId: unknown, ...between: Step[]): Step[];
  users: Record<string, AdapterUser>;
}

interface Row {
  row: string;
  title: string;
  without?: readonly (keyof Adapter)[];
  given?(scene: Scene): Promise<void>;
  when(house: House): Promise<Response>;
  /** Calls of the adapter and events (`!`), in order, with what they are told. */
  steps(before: Before): Step[];
  outcome: "in" | "refused";
  /** Who is signed in afterwards. */
  who: string | undefined;
}

const key = ({ sub }: Claims, provider = "claims") => ({ provider, providerAccountId: sub });
const type = (provider: string) => (provider === "key" ? "webauthn" : "oauth");
/** An account as it is stored and announced: with what the provider stores of its tokens. */
const kept = (claims: Claims, provider = "claims") => ({
  ...key(claims, provider),
  type: type(provider),
  access_token: claims.access_token ?? "access",
});
const mapped = ({ name, email }: Claims) => ({
  id: "from-provider",
  name,
  ...(email && { email }),
});
const mailed = ({ email }: Claims) => ({
  provider: "letter",
  type: "email",
  providerAccountId: email,
});

const signIn = (claims: Claims, user: unknown, isNewUser: boolean, provider = "claims"): Step => [
  "signIn!",
  {
    user,
    account: { ...kept(claims, provider), scope: "all" },
    profile: { sub: claims.sub, name: claims.name },
    isNewUser,
  },
];
const signInByLetter = (claims: Claims, user: unknown, isNewUser: boolean): Step => [
  "signIn!",
  { user, account: mailed(claims), isNewUser },
];
const byAccount = (claims: Claims, provider = "claims"): Step => [
  "getUserByAccount",
  key(claims, provider),
];
const byEmail = ({ email }: Claims): Step => ["getUserByEmail", email];
const update = (claims: Claims, userId: unknown, provider = "claims"): Step => [
  "updateAccount",
  { ...kept(claims, provider), userId },
];
const link = (claims: Claims, user: AdapterUser | undefined, provider = "claims"): Step[] => [
  ["linkAccount", { ...kept(claims, provider), userId: user?.id }],
  ["linkAccount!", { user, account: kept(claims, provider), profile: mapped(claims) }],
];
const ID: unknown = expect.any(String);
const fresh = ({ name, email }: Claims) => ({
  ...{ id: ID, name, emailVerified: null },
  ...(email && { email }),
});
const create = (claims: Claims, provider = "claims"): Step[] => [
  ["createUserWithAccount", fresh(claims), { ...kept(claims, provider), userId: ID }],
  ["createUser!", { user: fresh(claims) }],
  [
    "linkAccount!",
    { user: fresh(claims), account: kept(claims, provider), profile: mapped(claims) },
  ],
];

/** The rows that are alike for accounts at providers (O) and for passkeys (W). */
function accountRows(letter: "O" | "W", provider: string): Row[] {
  const ada = { ...ADA, sub: `${letter}-ada` };
  const eve = { ...EVE, sub: `${letter}-eve` };
  const come =
    (claims: Claims, asks = false) =>
    (house: House) =>
      house.come(claims, house.browser, asks, provider);
  return [
    {
      row: `${letter}1`,
      title: "an account that is theirs already is no news",
      given: (scene) => scene.knows("ada", ada, true, provider),
      when: come(ada, true),
      steps: ({ current, session, users }) => [
        ...[...current, byAccount(ada, provider), ...current, update(ada, users.ada?.id, provider)],
        ...session(users.ada?.id, byAccount(ada, provider)),
        signIn(ada, users.ada, false, provider),
      ],
      outcome: "in",
      who: "ada",
    },
    {
      row: `${letter}2`,
      title: "an account of somebody else's is not linked",
      async given(scene) {
        await scene.knows("eve", eve, false, provider);
        await scene.knows("ada", ada, true, provider);
      },
      when: come(eve, true),
      steps: ({ current }) => [...current, byAccount(eve, provider), ...current],
      outcome: "refused",
      who: "ada",
    },
    {
      row: `${letter}3`,
      title: "a known account signs its owner in; its tokens are stored anew (mends fault 23)",
      given: (scene) => scene.knows("ada", ada, false, provider),
      when: come({ ...ada, access_token: "newer" }),
      steps: ({ session, users }) => [
        byAccount(ada, provider),
        update({ ...ada, access_token: "newer" }, users.ada?.id, provider),
        ...session(users.ada?.id, byAccount(ada, provider)),
        signIn({ ...ada, access_token: "newer" }, users.ada, false, provider),
      ],
      outcome: "in",
      who: "ada",
    },
    {
      row: `${letter}4`,
      title: "who is signed in and asked for it gets the account linked, whatever its address",
      given: (scene) => scene.knows("ada", ada, true, provider),
      when: come(eve, true),
      steps: ({ current, session, users }) => [
        ...[...current, byAccount(eve, provider), ...current],
        ...[...link(eve, users.ada, provider), ...current],
        ...session(users.ada?.id, byAccount(eve, provider)),
        signIn(eve, users.ada, false, provider),
      ],
      outcome: "in",
      who: "ada",
    },
    {
      row: `${letter}4`,
      title: "who is signed in and did not ask is another person now (mends fault 5)",
      given: (scene) => scene.knows("ada", ada, true, provider),
      when: come(eve),
      steps: ({ session }) => [
        ...[byAccount(eve, provider), byEmail(eve), ...create(eve, provider)],
        ...session(ID, byAccount(eve, provider)),
        signIn(eve, fresh(eve), true, provider),
      ],
      outcome: "in",
      who: "somebody new",
    },
    {
      row: `${letter}5`,
      title: "an address that is a stored user's does not sign in as them",
      given: (scene) => scene.read("ada", "ada@example.com"),
      when: come(ada),
      steps: () => [byAccount(ada, provider), byEmail(ada), byAccount(ada, provider)],
      outcome: "refused",
      who: undefined,
    },
    {
      row: letter === "O" ? "O7" : "W6",
      title: "nobody known is a new person with an account",
      when: come(ada),
      steps: ({ session }) => [
        ...[byAccount(ada, provider), byEmail(ada), ...create(ada, provider)],
        ...session(ID, byAccount(ada, provider)),
        signIn(ada, fresh(ada), true, provider),
      ],
      outcome: "in",
      who: "somebody new",
    },
    {
      row: letter === "O" ? "O7" : "W6",
      title: "without an address nobody is looked up by one",
      when: come({ sub: "nobody", name: "Nobody" }),
      steps: ({ session }) => {
        const nobody = { sub: "nobody", name: "Nobody" };
        return [
          ...[byAccount(nobody, provider), ...create(nobody, provider)],
          ...session(ID, byAccount(nobody, provider)),
          signIn(nobody, fresh(nobody), true, provider),
        ];
      },
      outcome: "in",
      who: "somebody new",
    },
  ];
}

const letter = (house: House) => house.letter("ada@example.com");
const proved = { emailVerified: NOW };

const ROWS: readonly Row[] = [
  {
    row: "M1",
    title: "a known address signs in; when it was first proved stays (mends fault 25)",
    given: (scene) => scene.read("ada", "ada@example.com"),
    when: letter,
    steps: ({ session, users }) => [
      ...[byEmail(ADA), ...session(users.ada?.id)],
      signInByLetter(ADA, users.ada, false),
    ],
    outcome: "in",
    who: "ada",
  },
  {
    row: "M1",
    title: "the session that this browser had as the same user ends (mends fault 26)",
    given: (scene) => scene.read("ada", "ada@example.com", true),
    when: letter,
    steps: ({ session, users }) => [
      ...[byEmail(ADA), ...session(users.ada?.id)],
      signInByLetter(ADA, users.ada, false),
    ],
    outcome: "in",
    who: "ada",
  },
  {
    row: "M1",
    title: "a first proof takes away what an unproved registration had, and is announced",
    given: (scene) => scene.knows("ada", ADA),
    when: letter,
    steps: ({ session, users }) => [
      ...[byEmail(ADA), ["resetUser", users.ada?.id, proved] as Step],
      ["updateUser!", { user: { ...users.ada, ...proved } }],
      ...session(users.ada?.id),
      signInByLetter(ADA, { ...users.ada, ...proved }, false),
    ],
    outcome: "in",
    who: "ada",
  },
  {
    row: "M1",
    title: "a first proof with an adapter of Auth.js updates the user",
    without: ["resetUser"],
    given: (scene) => scene.knows("ada", ADA),
    when: letter,
    steps: ({ session, users }) => [
      ...[byEmail(ADA), ["updateUser", { id: users.ada?.id, ...proved }] as Step],
      ["updateUser!", { user: { ...users.ada, ...proved } }],
      ...session(users.ada?.id),
      signInByLetter(ADA, { ...users.ada, ...proved }, false),
    ],
    outcome: "in",
    who: "ada",
  },
  {
    row: "M2",
    title: "a browser that was somebody else's changes hands; the other's session ends",
    async given(scene) {
      await scene.read("ada", "ada@example.com");
      await scene.knows("eve", EVE, true);
    },
    when: letter,
    steps: ({ session, users }) => [
      ...[byEmail(ADA), ...session(users.ada?.id)],
      signInByLetter(ADA, users.ada, false),
    ],
    outcome: "in",
    who: "ada",
  },
  {
    row: "M2",
    title: "a cookie that nobody knows is not taken over",
    async given(scene) {
      await scene.read("ada", "ada@example.com");
      scene.house.browser.cookies.set(COOKIE, "planted");
    },
    when: letter,
    steps: ({ session, users }) => [
      ...[byEmail(ADA), ...session(users.ada?.id)],
      signInByLetter(ADA, users.ada, false),
    ],
    outcome: "in",
    who: "ada",
  },
  {
    row: "M3",
    title: "an unknown address is a new person who has proved it",
    when: letter,
    steps: ({ session }) => [
      byEmail(ADA),
      ["createUser", { id: ID, email: ADA.email, ...proved }],
      ["createUser!", { user: { id: ID, email: ADA.email, ...proved } }],
      ...session(ID),
      signInByLetter(ADA, { id: ID, email: ADA.email, ...proved }, true),
    ],
    outcome: "in",
    who: "somebody new",
  },
  {
    row: "M3",
    title: "the session that this browser had as somebody else ends (mends fault 26)",
    given: (scene) => scene.knows("eve", EVE, true),
    when: letter,
    steps: ({ session }) => [
      byEmail(ADA),
      ["createUser", { id: ID, email: ADA.email, ...proved }],
      ["createUser!", { user: { id: ID, email: ADA.email, ...proved } }],
      ...session(ID),
      signInByLetter(ADA, { id: ID, email: ADA.email, ...proved }, true),
    ],
    outcome: "in",
    who: "somebody new",
  },
  ...accountRows("O", "claims"),
  {
    row: "O5",
    title: "the provider's flag does not link an address that the provider does not vouch for",
    given: (scene) => scene.read("ada", "ada@example.com"),
    when: (house) => house.come({ ...ADA, email_verified: false }, house.browser, false, "trusted"),
    steps: () => [byAccount(ADA, "trusted"), byEmail(ADA), byAccount(ADA, "trusted")],
    outcome: "refused",
    who: undefined,
  },
  {
    row: "O5",
    title: "the provider's flag does not link an address that was never proved here",
    given: (scene) => scene.knows("ada", ADA),
    when: (house) => house.come(ADA, house.browser, false, "trusted"),
    steps: () => [byAccount(ADA, "trusted"), byEmail(ADA), byAccount(ADA, "trusted")],
    outcome: "refused",
    who: undefined,
  },
  {
    row: "O6",
    title: "the flag and two proofs link; nobody is said to be created (mends fault 24)",
    given: (scene) => scene.read("ada", "ada@example.com"),
    when: (house) => house.come(ADA, house.browser, false, "trusted"),
    steps: ({ session, users }) => [
      ...[byAccount(ADA, "trusted"), byEmail(ADA), byAccount(ADA, "trusted")],
      ...link(ADA, users.ada, "trusted"),
      ...session(users.ada?.id),
      signIn(ADA, users.ada, false, "trusted"),
    ],
    outcome: "in",
    who: "ada",
  },
  {
    row: "O7",
    title: "an adapter of Auth.js is asked for the person, then for the account",
    without: ["createUserWithAccount", "resetUser"],
    when: (house) => house.come(ADA),
    steps: ({ session }) => [
      ...[byAccount(ADA), byEmail(ADA), ["createUser", fresh(ADA)] as Step],
      ["linkAccount", { ...kept(ADA), userId: ID }],
      ...create(ADA).slice(1),
      ...[...session(ID), signIn(ADA, fresh(ADA), true)],
    ],
    outcome: "in",
    who: "somebody new",
  },
  ...accountRows("W", "key"),
];

async function look({ house, strategy, token, ids }: Scene): Promise<Before> {
  const users: Record<string, AdapterUser> = {};
  for (const [name, id] of Object.entries(ids)) {
    users[name] = (await house.adapter.getUser?.(id)) as AdapterUser;
  }
  const signedIn = await house.who();
  const isStored = strategy === "database";
  return {
    users,
    current: [isStored ? ["getSessionAndUser", token] : ["getUser", signedIn]],
    session: (userId, ...between) =>
      isStored
        ? [
            ["createSession", { sessionToken: ID, userId, expires: END }],
            ...between,
            ...(token === undefined ? [] : [["deleteSession", token] as Step]),
          ]
        : between,
  };
}

for (const strategy of STRATEGIES) {
  describe(`BEHAVIOUR section 8, ${strategy}`, () => {
    it.each(ROWS)("$row: $title", async ({ without = [], given, when, steps, outcome, who }) => {
      const scene = new Scene(strategy, without);
      const { house } = scene;
      await given?.(scene);
      const { token } = scene;
      const before = await look(scene);
      // Looking for a planted one has dropped it.
      if (token !== undefined) house.browser.cookies.set(COOKIE, token);
      house.steps.length = 0;
      house.errors.length = 0;

      const response = await when(house);
      expect(house.steps.splice(0)).toEqual(steps(before));

      expect(response.status).toBe(302);
      const set = response.headers.getSetCookie().filter((cookie) => cookie.startsWith(COOKIE));
      const left = [...house.browser.cookies.keys()].filter((name) =>
        /state|pkce|nonce/.test(name),
      );
      expect(left).toEqual([]);
      if (outcome === "in") {
        expect(where(response)).toBe(`${ORIGIN}/`);
        expect(house.errors).toEqual([]);
        expect(set).toHaveLength(1);
        expect(set[0]).toMatch(/; Path=\/;/);
        expect(set[0]).toContain(`Expires=${END.toUTCString()}`);
        expect(set[0]).toMatch(/; HttpOnly; SameSite=Lax$/);
        expect(scene.token).not.toBe(token);
        if (strategy === "database" && token !== undefined) {
          expect(await house.adapter.getSessionAndUser?.(token)).toBeNull();
        }
      } else {
        expect(where(response)).toBe(`${ORIGIN}/auth/signin?error=OAuthAccountNotLinked`);
        expect(house.errors).toMatchObject([{ type: "OAuthAccountNotLinked" }]);
        expect(set).toEqual([]);
        expect(scene.token).toBe(token);
      }

      const session = await house.browser.session<{ userId: string; expires: string }>();
      if (who === undefined) expect(session).toBeNull();
      else if (who !== "somebody new") expect(session?.userId).toBe(scene.ids[who]);
      else {
        expect(session?.userId).toMatch(/^[0-9a-f-]{36}$/);
        expect(Object.values(scene.ids)).not.toContain(session?.userId);
      }
      if (session) expect(session.expires).toBe(END.toISOString());
    });
  });
}
