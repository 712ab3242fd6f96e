import { describe, expect, it } from "vitest";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { callAdapter } from "../../src/kernel.ts";
import { testAdapter } from "../../src/testing/testing.ts";
import type { Adapter, AdapterAccount, AdapterUser } from "../../src/types.ts";
import { adapterOn } from "../adapters/_namespace.ts";
import { createPasskeyApp } from "../flows/_passkey.ts";
import { type Claims, createClaimsApp } from "../kernel/_claims-app.ts";

const collator = new Intl.Collator("en", { sensitivity: "base" });

/** Compares like the collation of a database, which ignores case, accents, width and trailing blanks. */
const isLike = (one: unknown, other: unknown) =>
  collator.compare(
    String(one).normalize("NFKC").trimEnd(),
    String(other).normalize("NFKC").trimEnd(),
  ) === 0;

/** Wraps an adapter so that keys are compared loosely: each is replaced by a known key that resembles it. */
function compareLoosely(adapter: Adapter): Adapter {
  const known: string[] = [];
  const find = (text: string): string => {
    const found = known.find((one) => isLike(one, text));
    if (found === undefined) known.push(text);
    return found ?? text;
  };
  const KEYS = new Set([
    "email",
    "providerAccountId",
    "credentialID",
    "sessionToken",
    "identifier",
    "id",
    "userId",
  ]);
  const replace = (value: unknown): unknown => {
    if (typeof value === "string") return find(value);
    if (typeof value !== "object" || value === null || value instanceof Date) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, inner]) => [
        name,
        KEYS.has(name) && typeof inner === "string" ? find(inner) : inner,
      ]),
    );
  };
  // Values are stored unchanged. Only look-ups compare loosely.
  const LOOK_UPS = /^(?:get|list|use|update|extend|unlink|delete)/;
  return Object.fromEntries(
    Object.entries(adapter).map(([name, method]) => [
      name,
      (...args: unknown[]) => {
        const isLookUp = LOOK_UPS.test(name);
        const given = args.map((arg) => {
          if (isLookUp) return replace(arg);
          replace(arg);
          return arg;
        });
        return (method as (...args: unknown[]) => unknown)(...given);
      },
    ]),
  );
}

const createLoose = () => compareLoosely(adapterOn(memoryBackend()));

const VARIANTS: [what: string, text: string][] = [
  ["case", "VICTIM"],
  ["an accent", "víctim"],
  ["a combining accent", "vi\u0301ctim"],
  ["width", "ｖictim"],
  ["a trailing blank", "victim "],
];

describe.each(["jwt", "database", "hybrid"])(
  "a database that compares loosely, %s strategy",
  (strategy) => {
    const create = (adapter: Adapter = createLoose()) => createClaimsApp({ strategy, adapter });
    const victim: Claims = { sub: "victim", email: "victim@corp.example" };

    it.each(VARIANTS)("an account whose id differs in %s is another account", async (_, sub) => {
      const app = create();
      await app.signIn(victim);
      const thief = app.openBrowser();
      await app.signIn({ sub }, thief);
      expect(await app.getUserId(thief)).toBeUndefined();
      app.log.expectErrors("AdapterError");
      // The owner still signs in.
      await app.signIn(victim);
      expect(await app.getUserId()).toBeDefined();
    });

    it.each([
      ["an accent in the local part", "víctim@corp.example"],
      ["an accent in the host", "victim@córp.example"],
    ])("a link for an address with %s does not open another user", async (_, email) => {
      const app = create();
      await app.signInByEmail(victim.email as string);
      const id = await app.getUserId();
      const thief = app.openBrowser();
      await app.signInByEmail(email, thief);
      expect(await app.getUserId(thief)).toBeUndefined();
      app.log.expectErrors("AdapterError");
      await app.signInByEmail(victim.email as string, thief);
      expect(await app.getUserId(thief)).toBe(id);
    });

    it("the provider's flag does not link an address that differs in an accent", async () => {
      const app = create();
      await app.signInByEmail(victim.email as string);
      const thief = app.openBrowser();
      const claims = { sub: "thief", email: "víctim@corp.example", email_verified: true };
      await app.signIn(claims, thief, false, "trusted");
      expect(await app.getUserId(thief)).toBeUndefined();
      app.log.expectErrors("AdapterError");
    });

    it("the error names the method and the fix, and no address", async () => {
      const app = create();
      await app.signIn(victim);
      await app.signIn({ sub: "other", email: "víctim@corp.example" }, app.openBrowser());
      const [error] = app.log.expectErrors("AdapterError");
      expect(error?.message).toMatch(
        /`getUserByEmail` returned a row with a different key.*binary collation/,
      );
      expect(error?.message).not.toContain("corp");
    });

    it("a passkey whose id differs in case is another passkey", async () => {
      const adapter = createLoose();
      const app = createPasskeyApp({ adapter, strategy });
      await app.register("ada@example.com");
      const key = app.authenticator.held[0];
      const browser = app.openBrowser();
      const { options } = await app.fetchOptions({ action: "authenticate" }, browser);
      const answer = await app.authenticator.get(options, {}, key);
      const id = answer.id as string;
      const other = id.replace(/[a-z]/i, (letter) =>
        letter === letter.toLowerCase() ? letter.toUpperCase() : letter.toLowerCase(),
      );
      await app.respond("authenticate", { ...answer, id: other, rawId: other }, browser);
      expect(await app.getUserId(browser)).toBeUndefined();
      app.log.expectErrors("AdapterError");
    });
  },
);

it("a session token that differs in case opens no session", async () => {
  const app = createClaimsApp({ strategy: "database", adapter: createLoose() });
  await app.signIn({ sub: "ada" });
  const [name = "", token = ""] =
    [...app.browser.cookies].find(([key]) => key.includes("session-token")) ?? [];
  const thief = app.openBrowser();
  thief.cookies.set(name, token.toUpperCase());
  const response = await thief.get("/auth/session", { headers: { accept: "application/json" } });
  expect(response.status).toBe(503);
  expect(await response.text()).not.toContain("Ada");
  app.log.expectErrors("AdapterError");
});

it("a user that an adapter finds for another id is not used", async () => {
  const base = adapterOn(memoryBackend());
  const users: AdapterUser[] = [];
  const adapter: Adapter = {
    ...base,
    async createUserWithAccount(user, account: AdapterAccount) {
      const created = (await base.createUserWithAccount?.(user, account)) as AdapterUser;
      users.push(created);
      return created;
    },
    getUser: () => users[0] ?? null,
  };
  const app = createClaimsApp({ strategy: "jwt", adapter });
  await app.signIn({ sub: "eve" });
  const ada = app.openBrowser();
  await app.signIn({ sub: "ada" }, ada);
  // Asking to link looks up the signed-in user.
  const response = await app.startSignIn(ada, true);
  expect(response.headers.get("location")).toContain("error=");
  app.log.expectErrors("AdapterError");
});

describe("rows that an adapter returns from a write", () => {
  // Like `insert ... on conflict ... returning` with a column that compares loosely.
  const create = (over: (adapter: Adapter) => Adapter) => {
    const adapter = adapterOn(memoryBackend());
    return createClaimsApp({ strategy: "database", adapter: { ...adapter, ...over(adapter) } });
  };

  it.each([
    ["user", { userId: "victim" }],
    ["token", { sessionToken: "a token of the victim's" }],
  ])("a new session with another %s signs no one in", async (_, row) => {
    const app = create(({ createSession }) => ({
      createSession: async (session) => ({ ...(await createSession?.(session)), ...row }) as never,
    }));
    const response = await app.signIn({ sub: "eve" });
    expect(response.headers.get("location")).toContain("error=");
    expect(await app.browser.session()).toBeNull();
    app.log.expectErrors("AdapterError");
  });

  it("a new session whose row has no keys, or ids of another type, is used", async () => {
    for (const returned of [undefined, {}, { expires: new Date(Date.now() + 60_000) }]) {
      const app = create(({ createSession }) => ({
        createSession: async (session) => (await createSession?.(session), returned) as never,
      }));
      await app.signIn({ sub: "ada" });
      expect(await app.browser.session()).not.toBeNull();
    }
    const app = create(({ createSession }) => ({
      createSession: async (session) =>
        ({
          ...(await createSession?.(session)),
          userId: { toString: () => session.userId },
        }) as never,
    }));
    await app.signIn({ sub: "ada" });
    expect(await app.browser.session()).not.toBeNull();
  });

  it("a row of another session is not reported as the session that ended", async () => {
    const ended: unknown[] = [];
    const adapter = adapterOn(memoryBackend());
    const app = createClaimsApp({
      strategy: "database",
      adapter: {
        ...adapter,
        deleteSession: async (token) =>
          ({ ...(await adapter.deleteSession?.(token)), sessionToken: "another" }) as never,
      },
      events: { signOut: (message) => void ended.push(message) },
    });
    await app.signIn({ sub: "ada" });
    await app.browser.signOut();
    expect(await app.browser.session()).toBeNull();
    expect(JSON.stringify(ended)).not.toContain("another");
    app.log.expectErrors("SignOutError");
  });

  const ACCOUNT = { provider: "claims", providerAccountId: "victim" };
  it.each([
    ["linkAccount", ACCOUNT],
    ["linkAccount", { userId: "victim" }],
    ["updateAccount", ACCOUNT],
    ["updateAccount", { userId: "victim" }],
    ["unlinkAccount", ACCOUNT],
    ["createAuthenticator", { credentialID: "other" }],
    ["createAuthenticator", { userId: "victim" }],
    ["updateAuthenticatorCounter", { credentialID: "other" }],
    ["recordAuthenticatorUse", { credentialID: "other" }],
    ["updateSession", { sessionToken: "other" }],
    ["updateSession", { userId: "victim" }],
    ["createVerificationToken", { identifier: "other" }],
    ["createVerificationToken", { token: "other" }],
  ] as const)("%s refuses a row with %j of another", async (method, row) => {
    const own = {
      provider: "claims",
      providerAccountId: "own",
      userId: "own",
      credentialID: "own",
      sessionToken: "own",
      identifier: "own",
      token: "own",
    };
    const args = {
      updateAuthenticatorCounter: ["own", 1],
      recordAuthenticatorUse: ["own", 1, { counter: 2 }],
    }[method as string] ?? [own];
    const call = (returned: object | undefined) =>
      callAdapter(
        { [method]: () => returned } as Adapter,
        method,
        ...(args as [never, never, never]),
      );
    await expect(call({ ...own, ...row })).rejects.toThrow("a different key than requested");
    await expect(call({ ...own })).resolves.toEqual(own);
    await expect(call(undefined)).resolves.toBeUndefined();
  });
});

describe("testAdapter()", () => {
  it("testAdapter() notices a database that compares loosely", async () => {
    const failed: string[] = [];
    const runs: (() => Promise<void>)[] = [];
    testAdapter(
      createLoose,
      {
        describe: (_, body) => body(),
        it: (title, body) =>
          void runs.push(async () => {
            try {
              await body();
            } catch {
              failed.push(title);
            }
          }),
        expect: expect as never,
      },
      { rounds: 1, parallel: 2 },
    );
    for (const run of runs) await run();
    expect(failed).toEqual(
      expect.arrayContaining([
        expect.stringContaining("addresses"),
        expect.stringContaining("account"),
      ]),
    );
  });
});
