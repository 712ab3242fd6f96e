import { describe, expect, it } from "vitest";
import type { AdapterUser, AuthConfig, EventName } from "../../src/kernel.ts";
import { acme, ADA, createTestAuth, identityFlow, LOVELACE, plainAdapter, Rows } from "../_app.ts";

const NAMES: EventName[] = [
  "createUser",
  "updateUser",
  "linkAccount",
  "session",
  "signIn",
  "signOut",
];

/** Creates an application whose events are recorded. */
function listening(config: AuthConfig = {}, links: "account" | "email" = "account") {
  const emitted: [string, object][] = [];
  const type = links === "email" ? "email" : "oauth";
  const app = createTestAuth({
    events: Object.fromEntries(
      NAMES.map((name) => [name, (message: object) => void emitted.push([name, message])]),
    ),
    ...config,
    use: [identityFlow(() => ({}), { links, type })],
  });
  return {
    ...app,
    emitted,
    getMessage: (name: string) => emitted.find(([one]) => one === name)?.[1],
  };
}

function stored(links: "account" | "email" = "account", users: AdapterUser[] = []) {
  const rows = new Rows();
  rows.users = users;
  const provider = { ...acme(), type: links === "email" ? "email" : "oauth" } as never;
  return listening(
    { providers: [provider], adapter: plainAdapter(rows), session: { strategy: "jwt" } },
    links,
  );
}

describe("SPEC Events", () => {
  it("createUser event: `user` (User)", async () => {
    const { browser, getMessage } = stored();
    await browser.get("/auth/callback/acme");
    expect(getMessage("createUser")).toEqual({
      user: { ...ADA, id: expect.any(String), emailVerified: null },
    });
  });

  it("updateUser event: `user` (User)", async () => {
    const { browser, getMessage } = stored("email", [{ ...ADA, emailVerified: null }]);
    await browser.get("/auth/callback/acme");
    expect(getMessage("updateUser")).toEqual({ user: { ...ADA, emailVerified: expect.any(Date) } });
  });

  it("linkAccount event: `account`, `user`, `profile`", async () => {
    const { browser, getMessage } = stored();
    await browser.get("/auth/callback/acme");
    expect(getMessage("linkAccount")).toEqual({
      account: { provider: "acme", providerAccountId: "acme-1", type: "oauth" },
      user: { ...ADA, id: expect.any(String), emailVerified: null },
      profile: ADA,
    });
  });

  it("session event: `session` and, with the jwt strategy, `token`", async () => {
    const { browser, getMessage } = listening();
    await browser.signInWith("credentials", LOVELACE);
    const session = await browser.session();
    expect(getMessage("session")).toEqual({
      session,
      token: expect.objectContaining({ sub: "1", name: "Ada", exp: expect.any(Number) }),
    });
  });

  it("signIn event: `user`, `account`, `isNewUser?`, `profile?`", async () => {
    const { browser, getMessage } = stored();
    await browser.get("/auth/callback/acme");
    expect(getMessage("signIn")).toEqual({
      user: expect.objectContaining({ name: "Ada", emailVerified: null }),
      account: {
        provider: "acme",
        providerAccountId: "acme-1",
        type: "oauth",
        access_token: "at",
      },
      isNewUser: true,
      profile: { sub: "acme-1" },
    });
  });

  it("signIn event: `user` is the raw result of authorize for credentials", async () => {
    const { browser, getMessage } = listening();
    await browser.signInWith("credentials", LOVELACE);
    expect(getMessage("signIn")).toEqual({
      user: ADA,
      account: { provider: "credentials", providerAccountId: "1", type: "credentials" },
    });
  });

  it("signOut event: `token` with the jwt strategy", async () => {
    const { browser, getMessage } = listening();
    await browser.signInWith("credentials", LOVELACE);
    await browser.signOut();
    expect(getMessage("signOut")).toEqual({
      token: expect.objectContaining({ sub: "1", name: "Ada" }),
    });
  });

  it("events are emitted in the order in which things happen, and only when they happen", async () => {
    const { browser, emitted } = stored();
    await browser.get("/auth/callback/acme");
    await browser.session();
    await browser.signOut();
    await browser.session();
    await browser.signOut();
    expect(emitted.map(([name]) => name)).toEqual([
      "createUser",
      "linkAccount",
      "signIn",
      "session",
      "signOut",
    ]);
  });

  it("a refused sign-in emits no event", async () => {
    const { browser, emitted, log } = listening();
    await browser.signInWith("credentials", { username: "eve", password: "x" });
    expect(emitted).toEqual([]);
    log.expectErrors("CredentialsSignin");
  });

  it("an asynchronous event handler that rejects does not change the response", async () => {
    const { browser, log } = createTestAuth({
      events: {
        signIn: async () => {
          throw new Error("audit log is down");
        },
        session: async () => {
          throw new Error("audit log is down");
        },
        signOut: async () => {
          throw new Error("audit log is down");
        },
      },
    });
    await browser.signInWith("credentials", LOVELACE);
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
    expect((await browser.signOut()).status).toBe(302);
    expect(await browser.session()).toBeNull();
    log.expectErrors("EventError", "EventError", "EventError");
  });
});
