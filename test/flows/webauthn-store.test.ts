import { describe, expect, it } from "vitest";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { passkeysOf, removePasskey } from "../../src/index.ts";
import type { Adapter, AuthContext } from "../../src/types.ts";
import { adapterOn } from "../adapters/_shelf.ts";
import { base64, base64url } from "./_authenticator.ts";
import { ADA, createPasskeyApp, locationOf, OWN, type PasskeyApp } from "./_passkey.ts";

const BROKEN = "/auth/error?error=Configuration";
const LISTS: readonly (keyof Adapter)[] = ["listAccountsByUserId"];
const REFUSED = "/auth/error?error=WebAuthnVerificationError";

async function passkeys(app: PasskeyApp, id = ""): Promise<number> {
  return (await app.adapter.listAuthenticatorsByUserId?.(id))?.length ?? 0;
}

/** An application of which one method fails, as often as is told. */
function failing(method: keyof Adapter, without: readonly (keyof Adapter)[] = []) {
  let left = 0;
  const app = createPasskeyApp({
    without,
    gate(name) {
      if (name !== method || left === 0) return;
      left--;
      throw new Error("The database is away.");
    },
  });
  return { app, fail: (times = 1) => void (left = times) };
}

describe("a registration that fails leaves nothing half done", () => {
  it.each([
    ["createUserWithAccount", []],
    ["getAuthenticator", []],
    ["createUser", OWN],
    ["linkAccount", OWN],
    ["createAuthenticator", OWN],
    ["createSession", []],
  ] as const)("%s", async (method, without) => {
    const { app, fail } = failing(method, without);
    fail();
    expect(locationOf(await app.register())).toBe(BROKEN);
    expect(await app.who()).toBeUndefined();
    const user = await app.adapter.getUserByEmail?.(ADA);
    if (method === "createSession") {
      // They are registered, and not in yet.
      expect(locationOf(await app.signIn())).toBe("/");
      return;
    }
    expect(user).toBeNull();
    expect(app.events).toEqual([]);
    expect(locationOf(await app.register())).toBe("/");
    expect(await passkeys(app, await app.who())).toBe(1);
  });

  it.each([
    ["linkAccount", []],
    ["createAuthenticator", []],
    ["createAuthenticator", OWN],
  ] as const)("%s, for who is signed in (%#)", async (method, without) => {
    const { app, fail } = failing(method, without);
    await app.register();
    const id = await app.who();
    const { options } = await app.ask({ action: "register" });
    const answer = await app.authenticator.create(options);
    const credentialID = base64(answer.id);
    fail();
    expect(locationOf(await app.answer("register", answer))).toBe(BROKEN);
    expect(await app.who()).toBe(id);
    expect(await passkeys(app, id)).toBe(1);
    expect(await app.adapter.getAccount?.(credentialID, "passkey")).toBeNull();
    expect(await app.adapter.getAuthenticator?.(credentialID)).toBeNull();
    expect(app.events.filter((name) => name === "linkAccount").length).toBe(1);
  });

  it("also when it cannot be taken back, and says so in the log", async () => {
    let isDown = false;
    const app = createPasskeyApp({
      without: OWN,
      gate(name) {
        if (name === "createAuthenticator") isDown = true;
        if (isDown && /create|delete|unlink/.test(name)) throw new Error("The database is away.");
      },
    });
    // Looked at once more, the address is taken: by what could not be removed.
    expect(locationOf(await app.register())).toBe("/auth/signin?error=AccountNotLinked");
    expect(app.errors.map(({ type, cause }) => [type, cause?.method])).toEqual([
      ["AdapterError", "unlinkAccount"],
      ["AdapterError", "deleteUser"],
      ["AccountNotLinked", undefined],
    ]);
    isDown = false;
    // Their account opens nothing: there is no passkey to it.
    expect(locationOf(await app.signIn())).toBe(REFUSED);
  });
});

it("a sign-in whose use cannot be noted lets nobody in", async () => {
  const { app, fail } = failing("useAuthenticator");
  await app.register();
  const browser = app.newBrowser();
  fail();
  expect(locationOf(await app.signIn({}, browser))).toBe(BROKEN);
  expect(await app.who(browser)).toBeUndefined();
  expect(locationOf(await app.signIn({}, browser))).toBe("/");
});

it("a passkey that is removed while it is used makes nobody new", async () => {
  const removal: { run?(): Promise<unknown> } = {};
  const full = adapterOn(memoryBackend());
  const app = createPasskeyApp({
    adapter: {
      ...full,
      async useAuthenticator(...given) {
        const noted = await full.useAuthenticator(...given);
        await removal.run?.();
        return noted;
      },
    },
    provider: {
      getUserInfo: (_, { query }) => ({ user: { name: query.name ?? "" }, exists: false }),
    },
  });
  // Without an address there is nothing that could hold them up.
  const { options } = await app.ask({ action: "register", name: "Ada" });
  const answer = await app.authenticator.create(options);
  await app.answer("register", answer);
  const key = { provider: "passkey", providerAccountId: base64(answer.id) };
  removal.run = async () => full.unlinkAccount(key);
  const browser = app.newBrowser();
  const refused = await app.signIn({}, browser);
  expect(locationOf(refused)).toBe("/auth/signin?error=AccountNotLinked");
  expect(await app.who(browser)).toBeUndefined();
  expect(app.events.filter((name) => name === "createUser").length).toBe(1);
});

it("one person registers of many who want an address at the same moment", async () => {
  const app = createPasskeyApp();
  const browsers = Array.from({ length: 8 }, () => app.newBrowser());
  const answers = await Promise.all(
    browsers.map(async (browser) => {
      const { options } = await app.ask({ action: "register", email: ADA }, browser);
      return app.authenticator.create(options);
    }),
  );
  const ends = await Promise.all(
    browsers.map((browser, at) => app.answer("register", answers[at], browser)),
  );
  const targets = ends.map(locationOf);
  expect(targets.filter((target) => target === "/").length).toBe(1);
  const user = await app.adapter.getUserByEmail?.(ADA);
  expect(await passkeys(app, user?.id)).toBe(1);
});

it("one person registers of many who bring the same credential's id", async () => {
  const app = createPasskeyApp();
  const credentialId = new Uint8Array(16).fill(3);
  const browsers = Array.from({ length: 8 }, () => app.newBrowser());
  const ends = await Promise.all(
    browsers.map((browser, at) => app.register(`p${at}@example.com`, { credentialId }, browser)),
  );
  expect(ends.filter((end) => locationOf(end) === "/").length).toBe(1);
  const owners = await Promise.all(browsers.map((browser) => app.who(browser)));
  const [owner] = owners.filter(Boolean);
  const stored = await app.adapter.getAuthenticator?.(base64(base64url(credentialId)));
  expect(stored?.userId).toBe(owner);
  expect(owners.filter(Boolean).length).toBe(1);
});

describe("whoever is signed in", () => {
  const list = (app: PasskeyApp) => app.within((ctx) => passkeysOf(ctx));
  const remove = (app: PasskeyApp, id: string, options?: { last?: boolean }) =>
    app.within((ctx: AuthContext) => removePasskey(ctx, id, options));

  async function withTwo(
    options: Parameters<typeof createPasskeyApp>[0] = {},
  ): Promise<PasskeyApp> {
    const app = createPasskeyApp(options);
    await app.register();
    const { options: given } = await app.ask({ action: "register" });
    await app.answer("register", await app.authenticator.create(given));
    return app;
  }

  it("sees their passkeys, and nobody else's", async () => {
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
    expect(await app.within((ctx) => passkeysOf(ctx), app.newBrowser())).toEqual([]);
  });

  it.each(["database", "jwt"])("removes one, which opens nothing then (%s)", async (strategy) => {
    const app = await withTwo({ strategy });
    const [first, second] = app.authenticator.held;
    const id = base64(base64url(first?.id ?? new Uint8Array()));
    expect(await remove(app, id)).toBe("removed");
    expect(await remove(app, id)).toBe("absent");
    expect(await app.adapter.getAccount?.(id, "passkey")).toBeNull();
    const signIn = async (credential: typeof first) => {
      const browser = app.newBrowser();
      const { options } = await app.ask({}, browser);
      const answer = await app.authenticator.get(options, {}, credential);
      return locationOf(await app.answer("authenticate", answer, browser));
    };
    expect(await signIn(first)).toBe(REFUSED);
    expect(await signIn(second)).toBe("/");
  });

  it("removes none of somebody else's", async () => {
    const app = await withTwo();
    const other = app.newBrowser();
    await app.register("eve@example.com", {}, other);
    const id = base64(base64url(app.authenticator.held[0]?.id ?? new Uint8Array()));
    expect(await app.within((ctx) => removePasskey(ctx, id), other)).toBe("absent");
    expect(await app.within((ctx) => removePasskey(ctx, id), app.newBrowser())).toBe("absent");
    expect((await list(app)).length).toBe(2);
  });

  it("keeps the last one, unless they were asked, or can come by mail", async () => {
    const app = createPasskeyApp();
    await app.register();
    const [only] = await list(app);
    expect(await remove(app, only?.id ?? "")).toBe("last");
    expect((await list(app)).length).toBe(1);
    expect(await remove(app, only?.id ?? "", { last: true })).toBe("removed");
    expect(await list(app)).toEqual([]);

    const mail = { id: "mail", name: "Mail", type: "email" as const, sendVerificationRequest() {} };
    const other = createPasskeyApp({ config: { providers: [mail] } });
    await other.register();
    const [one] = await list(other);
    // An address that nobody has proved may be misspelled.
    expect(await remove(other, one?.id ?? "")).toBe("last");
    const id = (await other.who()) ?? "";
    await other.adapter.updateUser?.({ id, emailVerified: new Date() });
    expect(await remove(other, one?.id ?? "")).toBe("removed");
  });

  it.each([["ours", []] as const, ["Auth.js's, which lists no accounts", OWN] as const])(
    "keeps the last one of two that go one after the other (%s)",
    async (_, without) => {
      const own = without.filter((name) => name !== "deleteAuthenticator");
      const app = await withTwo({ without: [...own, ...(own.length ? LISTS : [])] });
      const [first, second] = await list(app);
      expect(await remove(app, first?.id ?? "")).toBe("removed");
      expect(await remove(app, second?.id ?? "")).toBe("last");
      expect((await list(app)).length).toBe(1);
    },
  );

  it("keeps one of two that go at the same moment", async () => {
    for (let round = 0; round < 20; round++) {
      const app = await withTwo();
      const [first, second] = await list(app);
      const id = (await app.who()) ?? "";
      const ends = await app.within(async (ctx) =>
        Promise.all([first, second].map((one) => removePasskey(ctx, one?.id ?? ""))),
      );
      expect(ends.toSorted()).toEqual(["last", "removed"]);
      expect((await app.adapter.listAccountsByUserId?.(id))?.length).toBe(1);
      expect((await list(app)).length).toBe(1);
    }
  });

  it("may remove it where an account of a service is left that is there", async () => {
    const github = { id: "github", name: "GitHub", type: "oauth" as const, clientId: "id" };
    const urls = { authorization: "https://a.example/", token: "https://a.example/t" };
    const service = { ...github, ...urls, userinfo: "https://a.example/u", clientSecret: "s" };
    const app = createPasskeyApp({ config: { providers: [service] } });
    await app.register();
    const [only] = await list(app);
    const userId = (await app.who()) ?? "";
    const account = { userId, type: "oauth" as const, providerAccountId: "1" };
    await app.adapter.linkAccount?.({ ...account, provider: "gone" });
    expect(await remove(app, only?.id ?? "")).toBe("last");
    await app.adapter.linkAccount?.({ ...account, provider: "github" });
    expect(await remove(app, only?.id ?? "")).toBe("removed");
  });

  it("is told so where the adapter removes none", async () => {
    const app = await withTwo({ without: OWN });
    const [one] = await list(app);
    const fault = await app.within((ctx) =>
      removePasskey(ctx, one?.id ?? "").catch(({ type }: { type: string }) => type),
    );
    expect(fault).toBe("MissingAdapterMethods");
  });
});
