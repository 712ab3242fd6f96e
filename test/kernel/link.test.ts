import { describe, expect, it } from "vitest";
import { LINKING } from "../../src/link.ts";
import type { Adapter, AdapterUser, AuthConfig, Identity, LinkRule } from "../../src/index.ts";
import {
  acme,
  ADA,
  createHouse,
  credentials,
  identityFlow,
  LOVELACE,
  plainAdapter,
  queryOf,
  Rows,
} from "../_setup.ts";

const STORED: AdapterUser = { ...ADA, emailVerified: null };
const PROVED: AdapterUser = { ...ADA, emailVerified: new Date("2020-01-01") };
const EVE: AdapterUser = { id: "2", name: "Eve", email: "eve@example.com", emailVerified: null };

interface Scene {
  /** Who the store has. */
  users?: AdapterUser[];
  /** Whose the account `acme acme-1` is. */
  owner?: string;
  /** Ada is signed in in this browser, and was when this began. */
  signedIn?: boolean;
  identity?: Partial<Identity>;
  /** `allowDangerousEmailAccountLinking`. */
  flag?: boolean;
  links?: LinkRule;
  config?: AuthConfig;
}

/** Plays one sign-in over a store, and tells what was asked of it and announced. */
async function play(adapterOf: (rows: Rows) => Adapter, scene: Scene) {
  const { users = [], owner, signedIn, identity = {}, flag, links = "account", config } = scene;
  const type = links === "email" ? "email" : "oauth";
  const rows = new Rows();
  rows.users = users.map((user) => ({ ...user }));
  if (owner !== undefined) {
    rows.accounts = [{ provider: "acme", providerAccountId: "acme-1", type, userId: owner }];
  }
  const events: [string, object][] = [];
  const note = (name: string) => (message: object) => void events.push([name, message]);
  const house = createHouse(
    {
      adapter: adapterOf(rows),
      session: { strategy: "jwt" },
      providers: [
        credentials(),
        { ...acme({ allowDangerousEmailAccountLinking: flag ?? false }), type } as never,
      ],
      events: {
        createUser: note("createUser"),
        updateUser: note("updateUser"),
        linkAccount: note("linkAccount"),
        signIn: note("signIn"),
      },
      ...config,
    },
    {
      use: [
        identityFlow(() => ({ ...(signedIn && { startedBy: ADA.id as string }), ...identity }), {
          links,
          type,
        }),
      ],
    },
  );
  if (signedIn) await house.browser.signInWith("credentials", LOVELACE);
  rows.calls = [];
  events.length = 0;
  const response = await house.browser.get("/auth/callback/acme");
  const calls = [...rows.calls];
  const session = await house.browser.session<{ user: { name?: string; email?: string } }>();
  return { ...house, rows, calls, events, response, session };
}

const names = (events: [string, object][]) => events.map(([name]) => name);

describe.each([
  ["a plain object", plainAdapter],
  ["an instance of a class", (rows: Rows): Adapter => rows],
])("linking over %s", (_, adapterOf) => {
  const scene = (given: Scene) => play(adapterOf, given);

  it("C: credentials ask nothing of the store", async () => {
    const rows = new Rows();
    const { browser } = createHouse({
      adapter: adapterOf(rows),
      session: { strategy: "jwt" },
    });
    await browser.signInWith("credentials", LOVELACE);
    expect(rows.calls).toEqual([]);
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
  });

  it("M1: a stored address is proved, once", async () => {
    const first = await scene({ links: "email", users: [STORED] });
    expect(first.calls).toEqual(["getUserByEmail ada@example.com", "updateUser"]);
    expect(names(first.events)).toEqual(["updateUser", "signIn"]);
    expect(first.rows.users[0]?.emailVerified).toBeInstanceOf(Date);
    expect(first.events[0]?.[1]).toEqual({ user: first.rows.users[0] });

    const proved = new Date("2020-01-01");
    const again = await scene({ links: "email", users: [{ ...STORED, emailVerified: proved }] });
    expect(again.calls).toEqual(["getUserByEmail ada@example.com"]);
    expect(names(again.events)).toEqual(["signIn"]);
    expect(again.rows.users[0]?.emailVerified).toEqual(proved);
    expect(again.events[0]?.[1]).toMatchObject({ isNewUser: false });
  });

  it("M1: another person's session does not stand in the way", async () => {
    const { calls, session, events } = await scene({
      links: "email",
      users: [STORED, EVE],
      signedIn: true,
      identity: { user: { id: "x", name: "Eve", email: "eve@example.com" } },
    });
    expect(calls).toEqual(["getUserByEmail eve@example.com", "updateUser"]);
    expect(names(events)).toEqual(["updateUser", "signIn"]);
    expect(session?.user.name).toBe("Eve");
  });

  it("M3: an unknown address becomes a new user, proved", async () => {
    const { calls, events, rows } = await scene({ links: "email" });
    expect(calls).toEqual(["getUserByEmail ada@example.com", "createUser"]);
    expect(names(events)).toEqual(["createUser", "signIn"]);
    expect(rows.users[0]).toMatchObject({ email: "ada@example.com" });
    expect(rows.users[0]?.emailVerified).toBeInstanceOf(Date);
    expect(rows.users[0]?.id).toMatch(/^[0-9a-f-]{36}$/);
    expect(rows.accounts).toEqual([]);
    expect(events[1]?.[1]).toMatchObject({ isNewUser: true });
  });

  it("O1: the own account, signed in: nothing changes", async () => {
    const { calls, events, session } = await scene({ users: [STORED], owner: "1", signedIn: true });
    expect(calls).toEqual(["getUserByAccount acme acme-1", "getUser 1"]);
    expect(names(events)).toEqual(["signIn"]);
    expect(session?.user.name).toBe("Ada");
  });

  it("O2: another's account, signed in: refused, and the session stays", async () => {
    const { response, calls, events, session, rows, log } = await scene({
      users: [STORED, EVE],
      owner: "2",
      signedIn: true,
    });
    expect(queryOf(response)).toEqual({ error: "OAuthAccountNotLinked" });
    expect(calls).toEqual(["getUserByAccount acme acme-1", "getUser 1"]);
    expect(events).toEqual([]);
    expect(session?.user.name).toBe("Ada");
    expect(rows.accounts[0]?.userId).toBe("2");
    log.expectErrors("OAuthAccountNotLinked");
  });

  it("O3: a known account enters as its owner, as stored", async () => {
    const { calls, events, session } = await scene({
      users: [EVE],
      owner: "2",
      identity: { user: { id: "x", name: "Renamed", email: "other@example.com" } },
    });
    expect(calls).toEqual(["getUserByAccount acme acme-1"]);
    expect(names(events)).toEqual(["signIn"]);
    expect(events[0]?.[1]).toMatchObject({ user: EVE, isNewUser: false });
    expect(session?.user).toMatchObject({ name: "Eve", email: "eve@example.com" });
  });

  it("O4: a new account of somebody signed in is linked, whatever its address", async () => {
    const { calls, events, rows, session } = await scene({
      users: [STORED, EVE],
      signedIn: true,
      identity: {
        user: { id: "x", name: "Work", email: "eve@example.com" },
        storedTokens: { refresh_token: "rt", scope: "read" },
      },
    });
    expect(calls).toEqual(["getUserByAccount acme acme-1", "getUser 1", "linkAccount 1"]);
    expect(names(events)).toEqual(["linkAccount", "signIn"]);
    expect(rows.accounts).toEqual([
      {
        provider: "acme",
        providerAccountId: "acme-1",
        type: "oauth",
        userId: "1",
        refresh_token: "rt",
        scope: "read",
      },
    ]);
    expect(events[0]?.[1]).toMatchObject({
      user: { id: "1" },
      account: { provider: "acme", refresh_token: "rt" },
      profile: { name: "Work" },
    });
    expect(session?.user.name).toBe("Ada");
  });

  it.each([
    ["was signed in by nobody then", undefined],
    ["was begun by somebody else", "2"],
  ])("O4: a session there is not absorbed into when this %s (R13)", async (_why, startedBy) => {
    const { calls, rows, session } = await scene({
      users: [STORED],
      signedIn: true,
      identity: {
        user: { id: "x", name: "Work", email: "work@example.com" },
        startedBy: startedBy as never,
      },
    });
    expect(calls.filter((call) => call.startsWith("linkAccount"))).toEqual([
      `linkAccount ${rows.users[1]?.id}`,
    ]);
    expect(rows.accounts[0]?.userId).not.toBe("1");
    expect(session?.user.name).toBe("Work");
  });

  it.each([
    ["the flag is off", { flag: false, identity: { emailVerified: true } }],
    [
      "the stored address was never proved here (R5)",
      { flag: true, identity: { emailVerified: true }, users: [STORED] },
    ],
    ["the provider does not vouch for it", { flag: true, identity: { emailVerified: false } }],
    ["the provider says nothing of it", { flag: true, identity: {} }],
  ])("O5: a stored address refuses a new account when %s", async (_why, given) => {
    const { response, calls, events, session, rows, log } = await scene({
      users: [PROVED],
      ...given,
    });
    expect(queryOf(response)).toEqual({ error: "OAuthAccountNotLinked" });
    expect(calls).toEqual(["getUserByAccount acme acme-1", "getUserByEmail ada@example.com"]);
    expect(events).toEqual([]);
    expect(session).toBeNull();
    expect(rows.accounts).toEqual([]);
    log.expectErrors("OAuthAccountNotLinked");
  });

  it("O6: with flag and a vouched address the account is adopted; nobody is created", async () => {
    const { calls, events, rows, session } = await scene({
      users: [PROVED],
      flag: true,
      identity: { emailVerified: true },
    });
    expect(calls).toEqual([
      "getUserByAccount acme acme-1",
      "getUserByEmail ada@example.com",
      "linkAccount 1",
    ]);
    expect(names(events)).toEqual(["linkAccount", "signIn"]);
    expect(events[1]?.[1]).toMatchObject({ isNewUser: false });
    expect(rows.accounts[0]?.userId).toBe("1");
    expect(session?.user.name).toBe("Ada");
  });

  it("O7: somebody new is created, then linked", async () => {
    const { calls, events, rows } = await scene({ users: [EVE] });
    const id = rows.users[1]?.id;
    expect(calls).toEqual([
      "getUserByAccount acme acme-1",
      "getUserByEmail ada@example.com",
      "createUser",
      `linkAccount ${id}`,
    ]);
    expect(names(events)).toEqual(["createUser", "linkAccount", "signIn"]);
    expect(rows.users[1]).toEqual({ ...ADA, id, emailVerified: null });
    expect(id).not.toBe(ADA.id);
    expect(events[2]?.[1]).toMatchObject({ isNewUser: true, user: { id } });
  });

  it("O7: an address that the provider vouches for is proved from the start", async () => {
    const { rows } = await scene({ identity: { emailVerified: true } });
    expect(rows.users[0]?.emailVerified).toBeInstanceOf(Date);
  });

  it("O7: without an address nobody is asked for", async () => {
    const { calls, rows } = await scene({
      users: [STORED],
      identity: { user: { id: "x", name: "No mail" } },
    });
    expect(calls).toEqual([
      "getUserByAccount acme acme-1",
      "createUser",
      `linkAccount ${rows.users[1]?.id}`,
    ]);
  });

  it("takes a session whose user is gone for no session", async () => {
    const { events, calls } = await scene({ users: [], signedIn: true });
    expect(calls.slice(0, 3)).toEqual([
      "getUserByAccount acme acme-1",
      "getUser 1",
      "getUserByEmail ada@example.com",
    ]);
    expect(names(events)).toEqual(["createUser", "linkAccount", "signIn"]);
  });
});

describe("the linking table", () => {
  it("has every row that is tested here", () => {
    expect(LINKING.map(({ row }) => row)).toEqual([
      "C",
      "M1",
      "M3",
      "O1",
      "O2",
      "O3",
      "O4",
      "O5",
      "O6",
      "O7",
    ]);
  });

  it("decides every combination of facts: none falls through to a session", () => {
    const facts = ["signedIn", "known", "vouched"] as const;
    for (const links of ["account", "email", "none"] as const) {
      for (const account of ["free", "own", "taken"] as const) {
        for (let bits = 0; bits < 8; bits++) {
          const [signedIn, known, vouched] = facts.map((_, at) => Boolean(bits & (1 << at)));
          // Only somebody signed in can own an account here.
          if (account === "own" && !signedIn) continue;
          const is = { links, account, signedIn, known, vouched };
          const row = LINKING.find((one) =>
            (["links", "signedIn", "account", "known", "vouched"] as const).every(
              (fact) => one[fact] === undefined || one[fact] === is[fact],
            ),
          );
          expect(row, JSON.stringify(is)).toBeDefined();
        }
      }
    }
  });
});

describe("without an adapter", () => {
  it("N: everybody is who they say, and the store is not missed", async () => {
    const { browser } = createHouse({ providers: [acme()] }, { use: [identityFlow(() => ({}))] });
    await browser.get("/auth/callback/acme");
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
  });
});

describe("faults of the store", () => {
  it("a missing method fails the operation: SPEC Adapter contract", async () => {
    const adapterOf = (rows: Rows): Adapter => {
      const { linkAccount: _, ...rest } = plainAdapter(rows);
      return rest;
    };
    const { response, session, log } = await play(adapterOf, { users: [] });
    expect(queryOf(response)).toEqual({ error: "Configuration" });
    expect(session).toBeNull();
    const [error] = log.expectErrors("MissingAdapterMethods");
    expect(error?.message).toContain("`linkAccount`");
  });

  it.each(["getUserByAccount", "getUserByEmail", "createUser", "linkAccount"] as const)(
    "`%s` that throws lets nobody in, and is named in the log",
    async (method) => {
      const adapterOf = (rows: Rows): Adapter => ({
        ...plainAdapter(rows),
        [method]: () => {
          throw new Error("connection lost");
        },
      });
      const { response, session, log } = await play(adapterOf, {});
      expect(queryOf(response)).toEqual({ error: "Configuration" });
      expect(session).toBeNull();
      const [error] = log.expectErrors("AdapterError");
      expect(error?.cause).toMatchObject({ method, err: { message: "connection lost" } });
    },
  );

  it("`getUser` that throws is not taken for nobody being signed in", async () => {
    const adapterOf = (rows: Rows): Adapter => ({
      ...plainAdapter(rows),
      getUser: async () => {
        throw new Error("connection lost");
      },
    });
    const { response, events, log } = await play(adapterOf, { users: [STORED], signedIn: true });
    expect(queryOf(response)).toEqual({ error: "Configuration" });
    expect(events).toEqual([]);
    log.expectErrors("AdapterError");
  });
});

describe("what the adapter answers", () => {
  it("is authoritative: its user is signed in", async () => {
    const adapterOf = (rows: Rows): Adapter => ({
      ...plainAdapter(rows),
      createUser: (user) => rows.createUser({ ...user, id: "chosen", name: "Stored Ada" }),
    });
    const { session, rows, events } = await play(adapterOf, {});
    expect(session?.user.name).toBe("Stored Ada");
    expect(rows.accounts[0]?.userId).toBe("chosen");
    expect(events[0]?.[1]).toMatchObject({ user: { id: "chosen" } });
  });

  it("may be undefined for nobody", async () => {
    const adapterOf = (rows: Rows): Adapter => ({
      ...plainAdapter(rows),
      getUserByAccount: () => undefined as never,
      getUserByEmail: () => undefined as never,
    });
    const { session, events } = await play(adapterOf, {});
    expect(session?.user.name).toBe("Ada");
    expect(names(events)).toEqual(["createUser", "linkAccount", "signIn"]);
  });
});
