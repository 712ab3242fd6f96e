import { describe, expect, it } from "vitest";
import { listPasskeys, removePasskey } from "../../plugins/flows/webauthn/passkeys.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import type { Adapter, AuthContext } from "../../src/types.ts";
import { locationOf } from "../_app.ts";
import { adapterOn } from "../adapters/_namespace.ts";
import { base64, base64url } from "./_authenticator.ts";
import { ADA, createPasskeyApp, OWN, type PasskeyApp } from "./_passkey.ts";

const BROKEN = "/auth/error?error=Configuration";
const LISTS: readonly (keyof Adapter)[] = ["listAccountsByUserId"];
const REFUSED = "/auth/error?error=WebAuthnVerificationError";

async function passkeys(app: PasskeyApp, id = ""): Promise<number> {
  return (await app.adapter.listAuthenticatorsByUserId?.(id))?.length ?? 0;
}

/** Creates an application in which calls of one adapter method can be made to fail. */
function failing(method: keyof Adapter, without: readonly (keyof Adapter)[] = []) {
  let left = 0;
  const app = createPasskeyApp({
    errors: "allowed",
    without,
    gate(name) {
      if (name !== method || left === 0) return;
      left--;
      throw new Error("The database is away.");
    },
  });
  return { app, fail: (times = 1) => void (left = times) };
}

describe("failed passkey registrations", () => {
  it.each([
    ["createUserWithAccount", []],
    ["getAuthenticator", []],
    ["createUser", OWN],
    ["linkAccount", OWN],
    ["createAuthenticator", OWN],
    ["createSession", []],
  ] as const)("leaves no records of a failed registration: %s", async (method, without) => {
    const { app, fail } = failing(method, without);
    fail();
    expect(locationOf(await app.register())).toBe(BROKEN);
    expect(await app.getUserId()).toBeUndefined();
    const user = await app.adapter.getUserByEmail?.(ADA);
    if (method === "createSession") {
      // The user is registered, but has no session yet.
      expect(locationOf(await app.signIn())).toBe("/");
      return;
    }
    expect(user).toBeNull();
    expect(app.events).toEqual([]);
    expect(locationOf(await app.register())).toBe("/");
    expect(await passkeys(app, await app.getUserId())).toBe(1);
  });

  it.each([
    ["linkAccount", []],
    ["createAuthenticator", []],
    ["createAuthenticator", OWN],
  ] as const)("leaves no records when adding a passkey fails: %s (%#)", async (method, without) => {
    const { app, fail } = failing(method, without);
    await app.register();
    const id = await app.getUserId();
    const { options } = await app.fetchOptions({ action: "register" });
    const answer = await app.authenticator.create(options);
    const credentialID = base64(answer.id);
    fail();
    expect(locationOf(await app.respond("register", answer))).toBe(BROKEN);
    expect(await app.getUserId()).toBe(id);
    expect(await passkeys(app, id)).toBe(1);
    expect(await app.adapter.getAccount?.(credentialID, "passkey")).toBeNull();
    expect(await app.adapter.getAuthenticator?.(credentialID)).toBeNull();
    expect(app.events.filter((name) => name === "linkAccount").length).toBe(1);
  });

  it("removes the account of a failed passkey by its key alone, because Prisma refuses other fields", async () => {
    const { app, fail } = failing("createAuthenticator", OWN);
    await app.register();
    const id = await app.getUserId();
    const { options } = await app.fetchOptions({ action: "register" });
    const answer = await app.authenticator.create(options);
    fail();
    expect(locationOf(await app.respond("register", answer))).toBe(BROKEN);
    const calls = app.steps.filter(([name]) => name === "unlinkAccount");
    const key = { provider: "passkey", providerAccountId: base64(answer.id) };
    expect(calls).toEqual([["unlinkAccount", key]]);
    expect(await passkeys(app, id)).toBe(1);
  });

  it("logs each failure when the records of a failed registration cannot be removed", async () => {
    let isDown = false;
    const app = createPasskeyApp({
      errors: "allowed",
      without: OWN,
      gate(name) {
        if (name === "createAuthenticator") isDown = true;
        if (isDown && /create|delete|unlink/.test(name)) throw new Error("The database is away.");
      },
    });
    expect(locationOf(await app.register())).toBe(BROKEN);
    expect(app.log.errors.map(({ type, cause }) => [type, cause?.method])).toEqual([
      ["AdapterError", "unlinkAccount"],
      ["AdapterError", "deleteUser"],
      ["AdapterError", "createAuthenticator"],
    ]);
    isDown = false;
    // Now the address is taken by the user that could not be removed.
    expect(locationOf(await app.register())).toBe("/auth/signin?error=AccountNotLinked");
    // That user has no passkey, so no one can sign in as that user.
    expect(locationOf(await app.signIn())).toBe(REFUSED);
  });
});

it("refuses the sign-in when the passkey's use cannot be recorded", async () => {
  const { app, fail } = failing("recordAuthenticatorUse");
  await app.register();
  const browser = app.openBrowser();
  fail();
  expect(locationOf(await app.signIn({}, browser))).toBe(BROKEN);
  expect(await app.getUserId(browser)).toBeUndefined();
  expect(locationOf(await app.signIn({}, browser))).toBe("/");
});

it("a passkey that is removed during the sign-in does not create a user", async () => {
  const removal: { run?(): Promise<unknown> } = {};
  const full = adapterOn(memoryBackend());
  const app = createPasskeyApp({
    errors: "allowed",
    adapter: {
      ...full,
      async recordAuthenticatorUse(...given) {
        const noted = await full.recordAuthenticatorUse(...given);
        await removal.run?.();
        return noted;
      },
    },
    passkey: {
      getUserInfo: (_, { query }) => ({ user: { name: query.name ?? "" }, exists: false }),
    },
  });
  // Without an address, nothing else would prevent a new user.
  const { options } = await app.fetchOptions({ action: "register", name: "Ada" });
  const answer = await app.authenticator.create(options);
  await app.respond("register", answer);
  const key = { provider: "passkey", providerAccountId: base64(answer.id) };
  removal.run = async () => full.unlinkAccount(key);
  const browser = app.openBrowser();
  const refused = await app.signIn({}, browser);
  expect(locationOf(refused)).toBe("/auth/signin?error=AccountNotLinked");
  expect(await app.getUserId(browser)).toBeUndefined();
  expect(app.events.filter((name) => name === "createUser").length).toBe(1);
});

it("exactly one of 8 concurrent registrations of an address succeeds", async () => {
  const app = createPasskeyApp({ errors: "allowed" });
  const browsers = Array.from({ length: 8 }, () => app.openBrowser());
  const answers = await Promise.all(
    browsers.map(async (browser) => {
      const { options } = await app.fetchOptions({ action: "register", email: ADA }, browser);
      return app.authenticator.create(options);
    }),
  );
  const ends = await Promise.all(
    browsers.map((browser, at) => app.respond("register", answers[at], browser)),
  );
  const targets = ends.map(locationOf);
  expect(targets.filter((target) => target === "/").length).toBe(1);
  const user = await app.adapter.getUserByEmail?.(ADA);
  expect(await passkeys(app, user?.id)).toBe(1);
});

it("exactly one of 8 concurrent registrations of a credential id succeeds", async () => {
  const app = createPasskeyApp({ errors: "allowed" });
  const credentialId = new Uint8Array(16).fill(3);
  const browsers = Array.from({ length: 8 }, () => app.openBrowser());
  const ends = await Promise.all(
    browsers.map((browser, at) => app.register(`p${at}@example.com`, { credentialId }, browser)),
  );
  expect(ends.filter((end) => locationOf(end) === "/").length).toBe(1);
  const owners = await Promise.all(browsers.map((browser) => app.getUserId(browser)));
  const [owner] = owners.filter(Boolean);
  const stored = await app.adapter.getAuthenticator?.(base64(base64url(credentialId)));
  expect(stored?.userId).toBe(owner);
  expect(owners.filter(Boolean).length).toBe(1);
});

describe("listPasskeys() and removePasskey()", () => {
  const list = (app: PasskeyApp) => app.runInRequest((ctx) => listPasskeys(ctx));
  const remove = (app: PasskeyApp, id: string) =>
    app.runInRequest((ctx: AuthContext) => removePasskey(ctx, id));

  async function withTwo(
    options: Parameters<typeof createPasskeyApp>[0] = {},
  ): Promise<PasskeyApp> {
    const app = createPasskeyApp({ ...options, errors: "allowed" });
    await app.register();
    const { options: given } = await app.fetchOptions({ action: "register" });
    await app.respond("register", await app.authenticator.create(given));
    return app;
  }

  it("listPasskeys() lists the signed-in user's passkeys only", async () => {
    const app = await withTwo();
    const shown = await list(app);
    expect(shown.map(({ id }) => id).sort()).toEqual(
      app.authenticator.held.map(({ id }) => base64(base64url(id))).sort(),
    );
    expect(shown[0]).toEqual({
      id: shown[0]?.id,
      deviceType: "multiDevice",
      backedUp: true,
      transports: ["internal", "hybrid"],
      created: expect.stringMatching(/^\d{4}-\d{2}-\d{2}T/),
    });
    expect(await app.runInRequest((ctx) => listPasskeys(ctx), app.openBrowser())).toEqual([]);
  });

  it.each(["database", "jwt"])(
    "removePasskey() removes a passkey, which then no longer signs in (%s)",
    async (strategy) => {
      const app = await withTwo({ strategy });
      const [first, second] = app.authenticator.held;
      const id = base64(base64url(first?.id ?? new Uint8Array()));
      expect(await remove(app, id)).toBe("removed");
      expect(await remove(app, id)).toBe("not-found");
      expect(await app.adapter.getAccount?.(id, "passkey")).toBeNull();
      const signIn = async (credential: typeof first) => {
        const browser = app.openBrowser();
        const { options } = await app.fetchOptions({}, browser);
        const answer = await app.authenticator.get(options, {}, credential);
        return locationOf(await app.respond("authenticate", answer, browser));
      };
      expect(await signIn(first)).toBe(REFUSED);
      expect(await signIn(second)).toBe("/");
    },
  );

  it("removePasskey() does not remove another user's passkey", async () => {
    const app = await withTwo();
    const other = app.openBrowser();
    await app.register("eve@example.com", {}, other);
    const id = base64(base64url(app.authenticator.held[0]?.id ?? new Uint8Array()));
    expect(await app.runInRequest((ctx) => removePasskey(ctx, id), other)).toBe("not-found");
    expect(await app.runInRequest((ctx) => removePasskey(ctx, id), app.openBrowser())).toBe(
      "not-found",
    );
    expect((await list(app)).length).toBe(2);
  });

  it("removePasskey() keeps the last sign-in method unless a verified e-mail remains", async () => {
    const app = createPasskeyApp();
    await app.register();
    const [only] = await list(app);
    expect(await remove(app, only?.id ?? "")).toBe("last");
    expect((await list(app)).length).toBe(1);

    const mail = { id: "mail", name: "Mail", type: "email" as const, sendVerificationRequest() {} };
    const other = createPasskeyApp({ providers: [mail] });
    await other.register();
    const [one] = await list(other);
    // An unverified address may be misspelled.
    expect(await remove(other, one?.id ?? "")).toBe("last");
    const id = (await other.getUserId()) ?? "";
    await other.adapter.updateUser?.({ id, emailVerified: new Date() });
    expect(await remove(other, one?.id ?? "")).toBe("removed");
  });

  it.each([
    ["the store's adapter", []] as const,
    ["an Auth.js adapter without listAccountsByUserId", OWN] as const,
  ])(
    "removePasskey() keeps the last of two passkeys that are removed in sequence (%s)",
    async (_, without) => {
      const own = without.filter((name) => name !== "deleteAuthenticator");
      const app = await withTwo({ without: [...own, ...(own.length ? LISTS : [])] });
      const [first, second] = await list(app);
      expect(await remove(app, first?.id ?? "")).toBe("removed");
      expect(await remove(app, second?.id ?? "")).toBe("last");
      expect((await list(app)).length).toBe(1);
    },
  );

  it("removePasskey() keeps one of two passkeys that are removed concurrently", async () => {
    for (let round = 0; round < 20; round++) {
      const app = await withTwo();
      const [first, second] = await list(app);
      const id = (await app.getUserId()) ?? "";
      const ends = await app.runInRequest(async (ctx) =>
        Promise.all([first, second].map((one) => removePasskey(ctx, one?.id ?? ""))),
      );
      expect(ends.toSorted()).toEqual(["last", "removed"]);
      expect((await app.adapter.listAccountsByUserId?.(id))?.length).toBe(1);
      expect((await list(app)).length).toBe(1);
    }
  });

  it("removePasskey() removes the last passkey when an account of a configured provider remains", async () => {
    const github = { id: "github", name: "GitHub", type: "oauth" as const, clientId: "id" };
    const urls = { authorization: "https://a.example/", token: "https://a.example/t" };
    const service = { ...github, ...urls, userinfo: "https://a.example/u", clientSecret: "s" };
    const app = createPasskeyApp({ providers: [service] });
    await app.register();
    const [only] = await list(app);
    const userId = (await app.getUserId()) ?? "";
    const account = { userId, type: "oauth" as const, providerAccountId: "1" };
    await app.adapter.linkAccount?.({ ...account, provider: "gone" });
    expect(await remove(app, only?.id ?? "")).toBe("last");
    await app.adapter.linkAccount?.({ ...account, provider: "github" });
    expect(await remove(app, only?.id ?? "")).toBe("removed");
  });

  it("removePasskey() throws MissingAdapterMethods when the adapter cannot delete passkeys", async () => {
    const app = await withTwo({ without: OWN });
    const [one] = await list(app);
    const fault = await app.runInRequest((ctx) =>
      removePasskey(ctx, one?.id ?? "").catch(({ type }: { type: string }) => type),
    );
    expect(fault).toBe("MissingAdapterMethods");
  });
});

describe("an adapter whose rows disagree about the owner", () => {
  it.each([
    ["of the passkey", "getAuthenticator"],
    ["of the account", "getUserByAccount"],
  ] as const)("a passkey signs no one in when the owner %s is another user", async (_, method) => {
    const full = adapterOn(memoryBackend());
    let isOther = false;
    const adapter: Adapter = {
      ...full,
      async [method](...given: never[]) {
        const found = await (full[method] as (...given: never[]) => Promise<object | null>)(
          ...given,
        );
        if (!isOther || !found) return found as never;
        const eve = await full.getUserByEmail("eve@example.com");
        return (method === "getUserByAccount" ? eve : { ...found, userId: eve?.id }) as never;
      },
    };
    const app = createPasskeyApp({ errors: "allowed", adapter });
    await app.register();
    await app.register("eve@example.com", {}, app.openBrowser());
    const browser = app.openBrowser();
    const [own] = app.authenticator.held;
    const { options } = await app.fetchOptions({}, browser);
    const answer = await app.authenticator.get(options, {}, own);
    isOther = true;
    expect(locationOf(await app.respond("authenticate", answer, browser))).toBe(REFUSED);
    expect(await app.getUserId(browser)).toBeUndefined();
  });

  it("removePasskey() unlinks no account that has moved to another user in the meantime", async () => {
    const full = adapterOn(memoryBackend());
    // The account moves after it was listed.
    let lookups = -Infinity;
    const { removeSignInMethod: _, ...rest } = full;
    const unlinked: object[] = [];
    const adapter: Adapter = {
      ...rest,
      getUserByAccount: async (key) =>
        ++lookups > 1 ? full.getUserByEmail("eve@example.com") : full.getUserByAccount(key),
      async getAccount(...key) {
        const account = await full.getAccount(...key);
        const eve = await full.getUserByEmail("eve@example.com");
        return lookups > 1 && account && eve ? { ...account, userId: eve.id } : account;
      },
      async unlinkAccount(key) {
        unlinked.push(key);
        return full.unlinkAccount(key);
      },
    };
    const app = createPasskeyApp({ errors: "allowed", adapter });
    await app.register();
    const { options } = await app.fetchOptions({ action: "register" });
    await app.respond("register", await app.authenticator.create(options));
    await app.register("eve@example.com", {}, app.openBrowser());
    const id = base64(base64url(app.authenticator.held[0]?.id ?? new Uint8Array()));
    lookups = 0;
    expect(await app.runInRequest((ctx) => removePasskey(ctx, id))).toBe("removed");
    expect([lookups, unlinked]).toEqual([2, []]);
    expect(await full.getAccount(id, "passkey")).not.toBeNull();
  });
});

it.each([["usb"], [7], [null]])(
  "a passkey whose transports are %j is stored without transports",
  async (transports) => {
    const app = createPasskeyApp();
    const json = (answer: { response: object }) => ({
      ...answer,
      response: { ...answer.response, transports },
    });
    expect(locationOf(await app.register(ADA, { json }))).toBe("/");
    const [stored] = await app.runInRequest((ctx) => listPasskeys(ctx));
    expect(stored?.transports).toEqual([]);
  },
);

it("a passkey is stored with at most eight transports, each a word", async () => {
  const app = createPasskeyApp();
  const { options } = await app.fetchOptions({ action: "register", email: ADA });
  const words = Array.from({ length: 50 }, (_, at) => `a-${"abcdefghij"[at % 10]!}`);
  const transports = [1, null, "a,b", "A", "x".repeat(21), ...words];
  const json = (answer: { response: object }) => ({
    ...answer,
    response: { ...answer.response, transports },
  });
  await app.respond("register", await app.authenticator.create(options, { json }));
  const [stored] = await app.runInRequest((ctx) => listPasskeys(ctx));
  expect(stored?.transports).toEqual(words.slice(0, 8));
});
