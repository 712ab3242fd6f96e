import { describe, expect, it } from "vitest";
import { defineAdapter } from "../../src/kernel.ts";
import type {
  Adapter,
  AdapterAccount,
  AdapterSession,
  AdapterUser,
  VerificationToken,
} from "../../src/types.ts";
import {
  acme,
  createTestAuth,
  identityFlow,
  plainAdapter,
  Rows,
  locationOf,
  ORIGIN,
} from "../_app.ts";
import { createMailApp } from "../flows/_mail.ts";
import { createClaimsApp } from "../kernel/_claims-app.ts";

type AccountKey = Pick<AdapterAccount, "provider" | "providerAccountId">;

/** The shape that most adapters inherit: no method is an own property of the instance, and all of them need `this`. */
class BaseAdapter {
  readonly #users = new Map<string, AdapterUser>();
  readonly #accounts = new Map<string, string>();
  #key = ({ provider, providerAccountId }: AccountKey) => `${provider} ${providerAccountId}`;

  createUser(user: AdapterUser) {
    this.#users.set(user.id, user);
    return user;
  }
  async getUser(id: string) {
    return this.#users.get(id) ?? null;
  }
  async getUserByEmail(email: string) {
    return [...this.#users.values()].find((user) => user.email === email) ?? null;
  }
  async getUserByAccount(account: AccountKey) {
    return this.#users.get(this.#accounts.get(this.#key(account)) ?? "") ?? null;
  }
  async updateUser(changes: Partial<AdapterUser> & Pick<AdapterUser, "id">) {
    return this.createUser({ ...(this.#users.get(changes.id) as AdapterUser), ...changes });
  }
  async linkAccount(account: AdapterAccount) {
    this.#accounts.set(this.#key(account), account.userId);
  }
}

/** A class-based adapter with only the methods that Auth.js calls. */
class ClassAdapter extends BaseAdapter {
  readonly sessions = new Map<string, AdapterSession>();
  readonly tokens: VerificationToken[] = [];

  async createSession(session: AdapterSession) {
    this.sessions.set(session.sessionToken, session);
    return session;
  }
  async getSessionAndUser(token: string) {
    const session = this.sessions.get(token);
    const user = session && (await this.getUser(session.userId));
    return session && user ? { session, user } : null;
  }
  async updateSession(changes: Partial<AdapterSession> & Pick<AdapterSession, "sessionToken">) {
    const session = this.sessions.get(changes.sessionToken);
    return session ? Object.assign(session, changes) : null;
  }
  async deleteSession(token: string) {
    this.sessions.delete(token);
  }
  async createVerificationToken(token: VerificationToken) {
    this.tokens.push(token);
    return token;
  }
  async useVerificationToken({
    identifier,
    token,
  }: Pick<VerificationToken, "identifier" | "token">) {
    const at = this.tokens.findIndex(
      (known) => known.identifier === identifier && known.token === token,
    );
    return at < 0 ? null : (this.tokens.splice(at, 1)[0] ?? null);
  }
}

const ADA = { ...{ id: "1", name: "Ada", email: "ada@example.com", image: null } };

describe("SPEC Adapter contract: an adapter of any shape", () => {
  it("a class instance as adapter supports sign-ins by account", async () => {
    const adapter = new ClassAdapter();
    expect(Object.keys(adapter)).toEqual(["sessions", "tokens"]);
    const testApp = createTestAuth({
      adapter,
      providers: [acme()],
      session: { strategy: "jwt" },
      use: [identityFlow(() => ({}))],
    });
    for (const browser of [testApp.browser, testApp.openBrowser()]) {
      const response = await browser.get("/auth/callback/acme");
      expect(response.headers.get("location")).toBe(`${ORIGIN}/`);
      expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
    }
    const user = await adapter.getUserByEmail(ADA.email);
    const key = { provider: "acme", providerAccountId: "acme-1" };
    expect(await adapter.getUserByAccount(key)).toBe(user);
  });

  it("a class instance as adapter supports sign-ins by e-mail and stored sessions", async () => {
    const adapter = new ClassAdapter();
    const app = createMailApp({ adapter: null, session: { strategy: "database", updateAge: 0 } });
    app.auth.use(defineAdapter(adapter));
    const link = await app.requestLink();
    expect(adapter.tokens).toHaveLength(1);
    expect(locationOf(await app.browser.get(link))).toBe("/");
    expect(adapter.tokens).toEqual([]);
    expect(await app.browser.session()).toMatchObject({ user: { email: ADA.email } });
    // The adapter receives the token as the cookie contains it, so existing rows stay valid.
    expect([...adapter.sessions.keys()]).toEqual([app.browser.cookies.get("authjs.session-token")]);
    await app.browser.signOut();
    expect(adapter.sessions.size).toBe(0);
    expect(app.log.errors).toEqual([]);
  });

  it("a session row created by Auth.js is accepted", async () => {
    const adapter = new ClassAdapter();
    adapter.createUser({ ...ADA, emailVerified: null });
    const sessionToken = crypto.randomUUID();
    const expires = new Date(Date.now() + 3_600_000);
    await adapter.createSession({ sessionToken, userId: "1", expires });
    const app = createMailApp({ adapter: null, session: { strategy: "database" } });
    app.auth.use(defineAdapter(adapter));
    app.browser.cookies.set("authjs.session-token", sessionToken);
    expect(await app.browser.session()).toMatchObject({ user: { name: "Ada" } });
  });
});

describe("SPEC Adapter contract: a called method that is not implemented", () => {
  it("a missing adapter method fails the operation by its name, when boot cannot detect it", async () => {
    // Linking looks up the signed-in user; nothing else under `jwt` does.
    const testApp = createClaimsApp({ strategy: "jwt", without: ["getUser"] });
    expect((await testApp.signIn({ sub: "ada" })).headers.get("location")).toBe(`${ORIGIN}/`);
    expect(await testApp.getUserId()).toBeDefined();
    const response = await testApp.startSignIn(testApp.browser, true);
    expect(response.headers.get("location")).toBe(`${ORIGIN}/auth/error?error=Configuration`);
    expect(testApp.log.errors).toMatchObject([{ type: "MissingAdapterMethods" }]);
    expect(testApp.log.errors[0]?.message).toContain("`getUser`");
    // Everything else continues to work.
    expect(await testApp.getUserId()).toBeDefined();
  });

  it.each([
    ["createSession", "database", "database sessions"],
    ["getSessionAndUser", "database", "database sessions"],
    ["updateSession", "database", "database sessions"],
    ["deleteSession", "database", "database sessions"],
    ["getUserByAccount", "jwt", 'signing in with "acme"'],
    ["getUserByEmail", "jwt", "signing in with"],
    ["createUser", "jwt", "signing in with"],
    ["linkAccount", "jwt", 'signing in with "acme"'],
    ["createVerificationToken", "jwt", '"mail"'],
    ["useVerificationToken", "jwt", '"mail"'],
    ["updateUser", "jwt", 'signing in with "mail"'],
  ] as const)("a missing adapter method is a boot fault: %s (%s)", (method, strategy, what) => {
    const adapter: Adapter = new ClassAdapter();
    Object.defineProperty(adapter, method, { value: undefined });
    const app = createMailApp({ errors: "allowed", adapter: null, session: { strategy } });
    app.auth.use({
      name: "theirs",
      provides: ["adapter"],
      setup(kernel) {
        kernel.setAdapter(adapter);
        kernel.addProvider(
          acme({
            authorization: "https://op.example/a",
            token: "https://op.example/t",
            userinfo: "https://op.example/u",
            ...{ clientId: "1", clientSecret: "2" },
          }),
        );
      },
    });
    let messages = "";
    try {
      app.auth.inspect();
    } catch (error) {
      const { faults = [error as Error] } = error as { faults?: Error[] };
      messages = faults.map(({ name, message }) => `${name}: ${message}`).join("\n");
    }
    expect(messages).toContain(`\`${method}\``);
    expect(messages).toContain(what);
  });

  it("a missing adapter method is not a fault if no configured feature needs it", () => {
    const rows = plainAdapter(new Rows());
    const { auth } = createTestAuth({ adapter: rows, session: { strategy: "jwt" } });
    expect(auth.inspect().adapter?.methods).toHaveLength(6);
  });
});
