import { describe, expect, it } from "vitest";
import { secondFactor } from "../../plugins/security/second-factor.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { standardPreset } from "../../presets/index.ts";
import {
  defineStore,
  type Identity,
  type Login,
  type Plugin,
  resumeLogin,
  type StoreBackend,
  type User,
} from "../../src/kernel.ts";
import { type Browser, createClock } from "../../src/testing.ts";
import {
  acme,
  createTestAuth,
  credentials,
  identityFlow,
  locationOf,
  LOVELACE,
  type TestAuth,
} from "../_app.ts";
import { createClaimsApp } from "../kernel/_claims-app.ts";
import { CHALLENGE, SETUP, setUp } from "../security/_second-factor.ts";
import { watchRejections } from "./_attack.ts";

watchRejections();

// Pauses the logins of a provider type.
const gateOf = (type: string): Plugin => ({
  name: "gate",
  setup(kernel) {
    kernel.hooks.login.tap("gate", ({ account }, ctx) =>
      account.type === type ? `${ctx.base}/gate` : undefined,
    );
    kernel.addRoute({ method: "POST", path: "/gate", handler: (ctx) => resumeLogin(ctx, "gate") });
  },
});

function createApp(
  strategy: string,
  use: readonly Plugin[] = [],
  store: StoreBackend = memoryBackend(),
): TestAuth {
  return createTestAuth({
    preset: standardPreset,
    // Anyone who registers a name and a password can claim any address.
    providers: [credentials()],
    strategy,
    store,
    record: true,
    mail: {},
    use: [defineStore(store), ...use],
  });
}

const getId = async ({ adapter }: TestAuth) =>
  (await adapter.getUserByEmail?.("ada@example.com"))?.id ?? "";

async function prove(app: TestAuth, owner: Browser = app.openBrowser()): Promise<Browser> {
  await app.requestLink("ada@example.com", owner);
  await app.followLink(owner);
  return owner;
}

const resume = async (browser: Browser, path: string) =>
  browser.post(path, { csrfToken: await browser.csrfToken() });

describe.each(["database", "hybrid"])(
  "an attacker whose credentials claim another person's address (%s)",
  (strategy) => {
    it("cannot resume a paused login after the owner has proved it", async () => {
      const app = createApp(strategy, [gateOf("credentials")]);
      const attacker = app.browser;
      await attacker.signInWith("credentials", LOVELACE);
      const owner = await prove(app);

      expect(locationOf(await resume(attacker, "/auth/gate"))).toBe(
        "/auth/signin?error=InvalidCheck",
      );
      expect(await attacker.session()).toBeNull();
      expect(await owner.session()).toMatchObject({ user: { email: "ada@example.com" } });
      app.log.expectErrors("InvalidCheck");
    });

    it("cannot use a paused login to set up a second factor for the owner", async () => {
      const app = createApp(strategy, [secondFactor({ required: true })]);
      const attacker = app.browser;
      expect(locationOf(await attacker.signInWith("credentials", LOVELACE))).toBe(CHALLENGE);
      await prove(app);

      expect(locationOf(await attacker.get(CHALLENGE))).toBe("/auth/signin");
    });

    it("cannot pass a second factor that the attacker set up before", async () => {
      const app = createApp(strategy, [secondFactor()]);
      const attacker = app.browser;
      await attacker.signInWith("credentials", LOVELACE);
      await setUp(attacker);
      const paused = app.openBrowser();
      expect(locationOf(await paused.signInWith("credentials", LOVELACE))).toBe(CHALLENGE);
      await prove(app);

      expect(locationOf(await resume(paused, CHALLENGE))).toBe("/auth/signin?error=InvalidCheck");
      expect(await paused.session()).toBeNull();
      expect(await attacker.session()).toBeNull();
      app.log.expectErrors("InvalidCheck");
    });

    it.each([SETUP, CHALLENGE])(
      "cannot lock the owner out with a second factor whose set-up is in progress (%s)",
      async (path) => {
        const store = memoryBackend();
        const { putIfAbsent } = store;
        let meanwhile: (() => Promise<unknown>) | undefined;
        store.putIfAbsent = async (key, ...rest) => {
          const work = key.startsWith("second-factor.") ? meanwhile : undefined;
          meanwhile = work ? undefined : meanwhile;
          await work?.();
          return putIfAbsent(key, ...rest);
        };
        const required = path === CHALLENGE;
        const options = { required: ({ name }: User) => required && name === "Ada" };
        const app = createApp(strategy, [secondFactor(options)], store);
        const attacker = app.browser;
        await attacker.signInWith("credentials", LOVELACE);
        const owner = app.openBrowser();
        meanwhile = async () => {
          await app.adapter.updateUser?.({ id: await getId(app), name: "Owner" });
          await prove(app, owner);
        };
        await expect(setUp(attacker, path)).rejects.toThrow("no block of code");
        expect(await owner.session()).toMatchObject({ user: { email: "ada@example.com" } });
        const again = await prove(app);
        expect(await again.session()).toMatchObject({ user: { email: "ada@example.com" } });
        app.log.expectErrors(...(required ? ["InvalidCheck"] : []));
      },
    );

    it("gets no session if the sign-in began before the owner proved it", async () => {
      const app = createApp(strategy);
      const attacker = app.browser;
      app.gate = async (method) => {
        if (method !== "createSession") return;
        app.gate = () => {};
        await prove(app);
      };
      const response = await attacker.signInWith("credentials", LOVELACE);
      expect(locationOf(response)).toBe("/auth/signin?error=OAuthAccountNotLinked");
      expect(await attacker.session()).toBeNull();
      app.log.expectErrors("OAuthAccountNotLinked");
    });
  },
);

describe("an attacker who changes their own address while a link proves it", () => {
  const OWN = "mallory@evil.example";
  const VICTIM = "ada@example.com";

  it.each([
    ["claimed", undefined, "revokeUserAccess"],
    ["attested", true, "updateUser"],
  ] as const)("proves no other address (%s)", async (_, verified, method) => {
    const app = createClaimsApp();
    const session = app.openBrowser();
    await app.signIn({ sub: "mallory", email: OWN, email_verified: verified }, session);
    const id = (await app.getUserId(session)) ?? "";
    app.gate = async (called) => {
      if (called !== method) return;
      app.gate = () => {};
      // A page of the application on which users change their address.
      await app.adapter.updateUser?.({ id, email: VICTIM, emailVerified: null });
    };
    const response = await app.signInByEmail(OWN);
    expect(locationOf(response)).toBe("/auth/signin?error=OAuthAccountNotLinked");
    expect(await app.adapter.getUser?.(id)).toMatchObject({ email: VICTIM, emailVerified: null });

    const victim = app.openBrowser();
    await app.signInByEmail(VICTIM, victim);
    expect(await victim.session()).toMatchObject({ user: { email: VICTIM } });
    expect(await session.session()).toBeNull();
    app.log.expectErrors("OAuthAccountNotLinked");
  });
});

describe("a session in a cookie whose user had another verified address", () => {
  const DAY_MS = 86_400_000;

  it("ends when it is extended, after the owner of the present address has proved it", async () => {
    using clock = createClock();
    const app = createClaimsApp({
      strategy: "jwt",
      // An application that shows the new address at once.
      callbacks: { jwt: ({ token }) => ({ ...token, email: "ada@example.com" }) },
    });
    const attacker = app.openBrowser();
    const own = { sub: "mallory", email: "mallory@evil.example", email_verified: true };
    await app.signIn(own, attacker);
    const id = (await app.getUserId(attacker)) ?? "";
    await app.adapter.updateUser?.({ id, email: "ada@example.com", emailVerified: null });
    clock.advance(DAY_MS / 2);
    const owner = app.openBrowser();
    await app.signInByEmail("ada@example.com", owner);
    expect(await app.getUserId(owner)).toBe(id);

    clock.advance(DAY_MS / 2);
    expect(await attacker.session()).toBeNull();
    expect(await owner.session()).toMatchObject({ user: { email: "ada@example.com" } });
  });

  it("lasts if the address is the same, or no one has proved the other address", async () => {
    using clock = createClock();
    const app = createClaimsApp({ strategy: "jwt" });
    const [same, other] = [app.openBrowser(), app.openBrowser()];
    await app.signIn({ sub: "ada", email: "ada@example.com", email_verified: true }, same);
    await app.signIn({ sub: "bob", email: "bob@example.com", email_verified: true }, other);
    const id = (await app.getUserId(other)) ?? "";
    await app.adapter.updateUser?.({ id, email: "bob@example.org", emailVerified: null });
    await app.signInByEmail("ada@example.com");

    clock.advance(DAY_MS);
    expect(await same.session()).toMatchObject({ user: { email: "ada@example.com" } });
    expect(await app.getUserId(other)).toBe(id);
  });
});

it("a jwt session ends when its address is given to the owner, even if addresses do not open users", async () => {
  let identity: Partial<Identity> = {};
  const app = createTestAuth({
    preset: standardPreset,
    strategy: "jwt",
    store: memoryBackend(),
    providers: [acme()],
    use: [identityFlow(() => identity)],
  });
  const signIn = async (sub: string, emailVerified: boolean) => {
    const browser = app.openBrowser();
    identity = { account: { providerAccountId: sub }, emailVerified };
    await browser.get("/auth/callback/acme");
    return browser;
  };
  const squatter = await signIn("eve", false);
  expect(await squatter.session()).toMatchObject({ user: { email: "ada@example.com" } });
  const owner = await signIn("ada", true);
  expect(await owner.session()).toMatchObject({ user: { email: "ada@example.com" } });
  expect(await squatter.session()).toBeNull();
});

describe("a paused login whose user has changed the address", () => {
  it.each(["database", "jwt", "hybrid"])(
    "ends, because the previous address was verified (%s)",
    async (strategy) => {
      const seen: Login[] = [];
      const later: Plugin = {
        name: "later",
        setup: ({ hooks }) => hooks.login.tap("later", (login) => void seen.push(login)),
      };
      const app = createClaimsApp({ strategy, use: [gateOf("claims"), later] });
      const attacker = app.openBrowser();
      const own = { sub: "mallory", email: "mallory@evil.example", email_verified: true };
      await app.signIn(own, attacker);
      const user = await app.adapter.getUserByEmail?.("mallory@evil.example");
      // The user has a session in another browser, and changes the address there.
      await app.adapter.updateUser?.({
        ...{ id: user?.id ?? "", email: "ada@example.com" },
        emailVerified: null,
      });

      expect(locationOf(await resume(attacker, "/auth/gate"))).toBe(
        "/auth/signin?error=InvalidCheck",
      );
      expect(await attacker.session()).toBeNull();
      expect(seen).toEqual([]);
      app.log.expectErrors("InvalidCheck");
    },
  );
});
