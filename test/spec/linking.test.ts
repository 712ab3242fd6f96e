import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import type { Adapter, AdapterUser } from "../../src/types.ts";
import { ORIGIN, type Step } from "../_app.ts";
import { type Claims, createClaimsApp, type ClaimsApp } from "../kernel/_claims-app.ts";

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

/** The setting of a row: the stored users, and the session of the browser under test. */
class Scene {
  readonly strategy: Strategy;
  readonly testApp: ClaimsApp;
  readonly ids: Record<string, string> = {};

  constructor(strategy: Strategy, without: readonly (keyof Adapter)[]) {
    this.strategy = strategy;
    this.testApp = createClaimsApp({ strategy, without });
  }
  get token(): string | undefined {
    return this.testApp.browser.cookies.get(COOKIE);
  }
  /** Adds a user with an account, signed in in another browser or in this one. */
  async addUser(name: string, claims: Claims, here = false, provider = "claims"): Promise<void> {
    const from = here ? this.testApp.browser : this.testApp.openBrowser();
    await this.testApp.signIn(claims, from, false, provider);
    this.ids[name] = (await this.testApp.getUserId(from)) ?? "nobody";
  }
  /** Adds a user who has verified their address. */
  async addVerifiedUser(name: string, email: string, here = false): Promise<void> {
    const from = here ? this.testApp.browser : this.testApp.openBrowser();
    await this.testApp.signInByEmail(email, from);
    this.ids[name] = (await this.testApp.getUserId(from)) ?? "nobody";
  }
}

/** The state before the row's sign-in, from which its expected steps are built. */
interface Before {
  /** The adapter calls with which the strategy looks up the signed-in user. */
  current: Step[];
  /** The look-ups when a link is requested: the signed-in user, and the time of the sign-in. */
  begun: Step[];
  /** The calls that create the new session, `between`, and the end of the browser's old session. */
  session(userId: unknown, ...between: Step[]): Step[];
  users: Record<string, AdapterUser>;
}

interface Row {
  row: string;
  title: string;
  without?: readonly (keyof Adapter)[];
  given?(scene: Scene): Promise<void>;
  when(testApp: ClaimsApp): Promise<Response>;
  /** The adapter's calls and the events (`!`), in order, with their arguments. */
  steps(before: Before): Step[];
  outcome: "in" | "refused";
  /** The user of the session afterwards. */
  who: string | undefined;
}

const key = ({ sub }: Claims, provider = "claims") => ({ provider, providerAccountId: sub });
/** Returns the provider's type, which equals its id except for `trusted`. */
const type = (provider: string) => (provider === "trusted" ? "claims" : provider);
/** An account as it is stored and emitted, with the tokens that the provider stores. */
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
  provider: "link",
  type: "link",
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
const signInByEmail = (claims: Claims, user: unknown, isNewUser: boolean): Step => [
  "signIn!",
  { user, account: mailed(claims), isNewUser },
];
const byAccount = (claims: Claims, provider = "claims"): Step => [
  "getUserByAccount",
  key(claims, provider),
];
const byEmail = ({ email }: Claims): Step => ["getUserByEmail", email];
/**
 * The user is read again if the address is not verified yet, because the application's listeners may have verified it.
 */
const readAgain = (claims: Claims, user: Partial<AdapterUser> | undefined, provider: string) =>
  user?.email && !user.emailVerified ? [byAccount(claims, provider)] : [];
const update = (claims: Claims, userId: unknown, provider = "claims"): Step => [
  "updateAccount",
  { ...kept(claims, provider), userId },
];
const link = (claims: Claims, user: AdapterUser | undefined, provider = "claims"): Step[] => [
  ["linkAccount", { ...kept(claims, provider), ...facts(claims), userId: user?.id }],
  ["linkAccount!", { user, account: kept(claims, provider), profile: mapped(claims) }],
];
const ID: unknown = expect.any(String);
const fresh = ({ name, email, email_verified: emailAttested }: Claims) => ({
  ...{ id: ID, name, emailVerified: null },
  ...(email && { email }),
  ...(email && emailAttested !== undefined && { emailAttested }),
});
/** What the adapter stores of the provider's report. */
const facts = ({ email, email_verified: verified }: Claims) =>
  email && verified !== undefined ? { verifiedEmail: verified && email } : {};
const create = (claims: Claims, provider = "claims"): Step[] => [
  [
    "createUserWithAccount",
    fresh(claims),
    { ...kept(claims, provider), ...facts(claims), userId: ID },
  ],
  ["createUser!", { user: fresh(claims) }],
  [
    "linkAccount!",
    { user: fresh(claims), account: kept(claims, provider), profile: mapped(claims) },
  ],
  ...readAgain(claims, claims, provider),
];

/** The rows that are the same for accounts at providers (O) and for passkeys (W). */
function accountRows(letter: "O" | "W", provider: string): Row[] {
  const ada = { ...ADA, sub: `${letter}-ada` };
  const eve = { ...EVE, sub: `${letter}-eve` };
  const come =
    (claims: Claims, asks = false) =>
    (testApp: ClaimsApp) =>
      testApp.signIn(claims, testApp.browser, asks, provider);
  return [
    {
      row: `${letter}1`,
      title: "an account that the user has already linked signs in again",
      given: (scene) => scene.addUser("ada", ada, true, provider),
      when: come(ada, true),
      steps: ({ begun, current, session, users }) => [
        ...[...begun, byAccount(ada, provider), ...current, update(ada, users.ada?.id, provider)],
        ...session(users.ada?.id, byAccount(ada, provider)),
        signIn(ada, users.ada, false, provider),
      ],
      outcome: "in",
      who: "ada",
    },
    {
      row: `${letter}2`,
      title: "another user's account is not linked",
      async given(scene) {
        await scene.addUser("eve", eve, false, provider);
        await scene.addUser("ada", ada, true, provider);
      },
      when: come(eve, true),
      steps: ({ begun, current }) => [...begun, byAccount(eve, provider), ...current],
      outcome: "refused",
      who: "ada",
    },
    {
      row: `${letter}3`,
      title: "a known account signs its user in and its tokens are updated (fixes fault 23)",
      given: (scene) => scene.addUser("ada", ada, false, provider),
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
      title: "a signed-in user who requests a link gets the account, whatever its address",
      given: (scene) => scene.addUser("ada", ada, true, provider),
      when: come(eve, true),
      steps: ({ begun, current, session, users }) => [
        ...[...begun, byAccount(eve, provider), ...current],
        ...[...link(eve, users.ada, provider), ...current, ...readAgain(eve, users.ada, provider)],
        ...session(users.ada?.id, byAccount(eve, provider)),
        signIn(eve, users.ada, false, provider),
      ],
      outcome: "in",
      who: "ada",
    },
    {
      row: `${letter}4`,
      title: "a signed-in browser that requests no link becomes another user's (fixes fault 5)",
      given: (scene) => scene.addUser("ada", ada, true, provider),
      when: come(eve),
      steps: ({ session }) => [
        ...[byAccount(eve, provider), byEmail(eve), ...create(eve, provider)],
        ...session(ID, byAccount(eve, provider)),
        signIn(eve, fresh(eve), true, provider),
      ],
      outcome: "in",
      who: "new user",
    },
    {
      row: `${letter}5`,
      title: "the address of a stored user does not sign in as that user",
      given: (scene) => scene.addVerifiedUser("ada", "ada@example.com"),
      when: come(ada),
      steps: () => [byAccount(ada, provider), byEmail(ada), byAccount(ada, provider)],
      outcome: "refused",
      who: undefined,
    },
    {
      row: letter === "O" ? "O7" : "W6",
      title: "an unknown account creates a user with the account",
      when: come(ada),
      steps: ({ session }) => [
        ...[byAccount(ada, provider), byEmail(ada), ...create(ada, provider)],
        ...session(ID, byAccount(ada, provider)),
        signIn(ada, fresh(ada), true, provider),
      ],
      outcome: "in",
      who: "new user",
    },
    {
      row: letter === "O" ? "O7" : "W6",
      title: "an account without an address is not looked up by address",
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
      who: "new user",
    },
  ];
}

/** Claims of a provider that reports nothing about the address. */
const SILENT: Claims = { sub: "ada", name: "Ada", email: "ada@example.com" };
const signInWithEmail = (testApp: ClaimsApp) => testApp.signInByEmail("ada@example.com");
const verified = { emailVerified: NOW };

const ROWS: readonly Row[] = [
  {
    row: "M1",
    title: "a known address signs in, and emailVerified keeps its first date (fixes fault 25)",
    given: (scene) => scene.addVerifiedUser("ada", "ada@example.com"),
    when: signInWithEmail,
    steps: ({ session, users }) => [
      ...[byEmail(ADA), ...session(users.ada?.id)],
      signInByEmail(ADA, users.ada, false),
    ],
    outcome: "in",
    who: "ada",
  },
  {
    row: "M1",
    title: "the browser's previous session of the same user ends (fixes fault 26)",
    given: (scene) => scene.addVerifiedUser("ada", "ada@example.com", true),
    when: signInWithEmail,
    steps: ({ session, users }) => [
      ...[byEmail(ADA), ...session(users.ada?.id)],
      signInByEmail(ADA, users.ada, false),
    ],
    outcome: "in",
    who: "ada",
  },
  {
    row: "M2",
    title:
      "the first verification revokes the access of an unverified registration and emits updateUser",
    given: (scene) => scene.addUser("ada", { ...ADA, email_verified: false }),
    when: signInWithEmail,
    steps: ({ session, users }) => [
      ...[byEmail(ADA), ["revokeUserAccess", users.ada?.id, verified] as Step],
      ["updateUser!", { user: { ...users.ada, ...verified } }],
      ...session(users.ada?.id),
      signInByEmail(ADA, { ...users.ada, ...verified }, false),
    ],
    outcome: "in",
    who: "ada",
  },
  {
    row: "M2",
    title: "the first verification with an adapter of Auth.js updates the user",
    without: ["revokeUserAccess", "createUserWithAccount"],
    given: (scene) => scene.addUser("ada", ADA),
    when: signInWithEmail,
    steps: ({ session, users }) => [
      ...[byEmail(ADA), ["updateUser", { id: users.ada?.id, ...verified }] as Step],
      ["updateUser!", { user: { ...users.ada, ...verified } }],
      ...session(users.ada?.id),
      signInByEmail(ADA, { ...users.ada, ...verified }, false),
    ],
    outcome: "in",
    who: "ada",
  },
  {
    row: "M1b",
    title: "the first verification of an address that a provider has attested ends nothing",
    given: (scene) => scene.addUser("ada", ADA),
    when: signInWithEmail,
    steps: ({ session, users }) => [
      ...[byEmail(ADA), ["updateUser", { id: users.ada?.id, ...verified }] as Step],
      ["updateUser!", { user: { ...users.ada, ...verified } }],
      ...session(users.ada?.id),
      signInByEmail(ADA, { ...users.ada, ...verified }, false),
    ],
    outcome: "in",
    who: "ada",
  },
  {
    row: "M1",
    title:
      "a browser with another user's session becomes the new user's, and the other session ends",
    async given(scene) {
      await scene.addVerifiedUser("ada", "ada@example.com");
      await scene.addUser("eve", EVE, true);
    },
    when: signInWithEmail,
    steps: ({ session, users }) => [
      ...[byEmail(ADA), ...session(users.ada?.id)],
      signInByEmail(ADA, users.ada, false),
    ],
    outcome: "in",
    who: "ada",
  },
  {
    row: "M1",
    title: "a planted session cookie is not adopted",
    async given(scene) {
      await scene.addVerifiedUser("ada", "ada@example.com");
      scene.testApp.browser.cookies.set(COOKIE, "planted");
    },
    when: signInWithEmail,
    steps: ({ session, users }) => [
      ...[byEmail(ADA), ...session(users.ada?.id)],
      signInByEmail(ADA, users.ada, false),
    ],
    outcome: "in",
    who: "ada",
  },
  {
    row: "M3",
    title: "an unknown address creates a user with a verified address",
    when: signInWithEmail,
    steps: ({ session }) => [
      byEmail(ADA),
      ["createUser", { id: ID, email: ADA.email, ...verified }],
      ["createUser!", { user: { id: ID, email: ADA.email, ...verified } }],
      ...session(ID),
      signInByEmail(ADA, { id: ID, email: ADA.email, ...verified }, true),
    ],
    outcome: "in",
    who: "new user",
  },
  {
    row: "M3",
    title: "the browser's previous session of another user ends (fixes fault 26)",
    given: (scene) => scene.addUser("eve", EVE, true),
    when: signInWithEmail,
    steps: ({ session }) => [
      byEmail(ADA),
      ["createUser", { id: ID, email: ADA.email, ...verified }],
      ["createUser!", { user: { id: ID, email: ADA.email, ...verified } }],
      ...session(ID),
      signInByEmail(ADA, { id: ID, email: ADA.email, ...verified }, true),
    ],
    outcome: "in",
    who: "new user",
  },
  ...accountRows("O", "claims"),
  {
    row: "O5",
    title:
      "the provider's flag does not link an address that the provider does not report as verified",
    given: (scene) => scene.addVerifiedUser("ada", "ada@example.com"),
    when: (testApp) =>
      testApp.signIn({ ...ADA, email_verified: false }, testApp.browser, false, "trusted"),
    steps: () => [byAccount(ADA, "trusted"), byEmail(ADA), byAccount(ADA, "trusted")],
    outcome: "refused",
    who: undefined,
  },
  {
    row: "O5c",
    title:
      "the provider's flag does not link an address that its user only claims, if the provider reports nothing",
    given: (scene) => scene.addUser("ada", { ...ADA, email_verified: false }),
    when: (testApp) => testApp.signIn(SILENT, testApp.browser, false, "trusted"),
    steps: () => [byAccount(ADA, "trusted"), byEmail(ADA), byAccount(ADA, "trusted")],
    outcome: "refused",
    who: undefined,
  },
  ...["claims", "trusted"].map((provider): Row => ({
    row: "O5b",
    title: `an address that its user only claims goes to a new user for whom the provider ${provider} has verified it`,
    given: (scene) => scene.addUser("mallory", { ...ADA, sub: "mallory", email_verified: false }),
    when: (testApp) => testApp.signIn(ADA, testApp.browser, false, provider),
    steps: ({ session, users }) => [
      ...[byAccount(ADA, provider), byEmail(ADA), byAccount(ADA, provider)],
      ["updateUser", { id: users.mallory?.id, email: null }],
      ["updateUser!", { user: expect.objectContaining({ id: users.mallory?.id, email: null }) }],
      ...create(ADA, provider),
      ...session(ID, byAccount(ADA, provider)),
      signIn(ADA, fresh(ADA), true, provider),
    ],
    outcome: "in",
    who: "new user",
  })),
  {
    row: "O6",
    title: "the flag links two accounts of the same address, if the provider does not deny it",
    given: (scene) => scene.addUser("ada", { ...ADA, sub: "first", email_verified: undefined }),
    when: (testApp) => testApp.signIn(SILENT, testApp.browser, false, "trusted"),
    steps: ({ session, users }) => [
      ...[byAccount(ADA, "trusted"), byEmail(ADA), byAccount(ADA, "trusted")],
      ...link(SILENT, users.ada, "trusted"),
      ...readAgain(SILENT, users.ada, "trusted"),
      ...session(users.ada?.id, byAccount(ADA, "trusted")),
      signIn(SILENT, users.ada, false, "trusted"),
    ],
    outcome: "in",
    who: "ada",
  },
  {
    row: "O6",
    title: "the flag links, and no createUser event is emitted (fixes fault 24)",
    given: (scene) => scene.addVerifiedUser("ada", "ada@example.com"),
    when: (testApp) => testApp.signIn(ADA, testApp.browser, false, "trusted"),
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
    title: "an adapter of Auth.js is called for the user, then for the account",
    without: ["createUserWithAccount", "revokeUserAccess"],
    when: (testApp) => testApp.signIn(ADA),
    steps: ({ session }) => [
      ...[byAccount(ADA), byEmail(ADA), ["createUser", fresh(SILENT)] as Step],
      ["linkAccount", { ...kept(ADA), userId: ID }],
      ...create(SILENT).slice(1),
      ...[...session(ID), signIn(ADA, fresh(SILENT), true)],
    ],
    outcome: "in",
    who: "new user",
  },
  ...accountRows("W", "key"),
];

async function look({ testApp, strategy, token, ids }: Scene): Promise<Before> {
  const users: Record<string, AdapterUser> = {};
  for (const [name, id] of Object.entries(ids)) {
    users[name] = (await testApp.adapter.getUser?.(id)) as AdapterUser;
  }
  const signedIn = await testApp.getUserId();
  const isStored = strategy === "database";
  const current: Step = isStored ? ["getSessionAndUser", token] : ["getUser", signedIn];
  return {
    users,
    current: [current],
    // A tap of the hook `session`, which may return no session, receives a session that was read for it.
    begun: isStored ? [current, current, ["getSessionStart", token]] : [current],
    session: (userId, ...between) =>
      isStored
        ? [
            // If an old session ends, the count does not grow, so the adapter receives no `maxPerUser`.
            [
              "createSession",
              { sessionToken: ID, userId, expires: END },
              ...(token === undefined ? [{ maxPerUser: 100 }] : []),
            ],
            ...between,
            ...(token === undefined ? [] : [["deleteSession", token] as Step]),
          ]
        : between,
  };
}

for (const strategy of STRATEGIES) {
  describe(`callbacks and events of every sign-in, ${strategy} strategy`, () => {
    it.each(ROWS)("$row: $title", async ({ without = [], given, when, steps, outcome, who }) => {
      const scene = new Scene(strategy, without);
      const { testApp } = scene;
      await given?.(scene);
      const { token } = scene;
      const before = await look(scene);
      // Looking up a planted cookie has cleared it.
      if (token !== undefined) testApp.browser.cookies.set(COOKIE, token);
      testApp.steps.length = 0;
      testApp.log.errors.length = 0;

      const response = await when(testApp);
      // The row that proves the key of an account that was found (`findUserByAccount`).
      const seen = testApp.steps.splice(0).filter(([name]) => name !== "getAccount");
      expect(seen).toEqual(steps(before));

      expect(response.status).toBe(302);
      const set = response.headers.getSetCookie().filter((cookie) => cookie.startsWith(COOKIE));
      const left = [...testApp.browser.cookies.keys()].filter((name) =>
        /state|pkce|nonce/.test(name),
      );
      expect(left).toEqual([]);
      if (outcome === "in") {
        expect(where(response)).toBe(`${ORIGIN}/`);
        expect(testApp.log.errors).toEqual([]);
        expect(set).toHaveLength(1);
        expect(set[0]).toMatch(/; Path=\/;/);
        expect(set[0]).toContain(`Expires=${END.toUTCString()}`);
        expect(set[0]).toMatch(/; HttpOnly; SameSite=Lax$/);
        expect(scene.token).not.toBe(token);
        if (strategy === "database" && token !== undefined) {
          expect(await testApp.adapter.getSessionAndUser?.(token)).toBeNull();
        }
      } else {
        expect(where(response)).toBe(`${ORIGIN}/auth/signin?error=OAuthAccountNotLinked`);
        expect(testApp.log.errors).toMatchObject([{ type: "OAuthAccountNotLinked" }]);
        expect(set).toEqual([]);
        expect(scene.token).toBe(token);
      }

      const session = await testApp.browser.session<{ userId: string; expires: string }>();
      if (who === undefined) expect(session).toBeNull();
      else if (who !== "new user") expect(session?.userId).toBe(scene.ids[who]);
      else {
        expect(session?.userId).toMatch(/^[0-9a-f-]{36}$/);
        expect(Object.values(scene.ids)).not.toContain(session?.userId);
      }
      if (session) expect(session.expires).toBe(END.toISOString());
    });
  });
}
