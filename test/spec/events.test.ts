import { describe, expect, it } from "vitest";
import type { AdapterUser, AuthConfig, EventName } from "../../src/index.ts";
import { acme, ADA, createHouse, identityFlow, LOVELACE, plainAdapter, Rows } from "../_setup.ts";

const NAMES: EventName[] = [
  "createUser",
  "updateUser",
  "linkAccount",
  "session",
  "signIn",
  "signOut",
];

/** A house whose events are noted. */
function listening(config: AuthConfig = {}, links: "account" | "email" = "account") {
  const heard: [string, object][] = [];
  const type = links === "email" ? "email" : "oauth";
  const house = createHouse(
    {
      events: Object.fromEntries(
        NAMES.map((name) => [name, (message: object) => void heard.push([name, message])]),
      ),
      ...config,
    },
    { use: [identityFlow(() => ({}), { links, type })] },
  );
  return { ...house, heard, of: (name: string) => heard.find(([one]) => one === name)?.[1] };
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
  it("createUser: `user` (User)", async () => {
    const { browser, of } = stored();
    await browser.get("/auth/callback/acme");
    expect(of("createUser")).toEqual({
      user: { ...ADA, id: expect.any(String), emailVerified: null },
    });
  });

  it("updateUser: `user` (User)", async () => {
    const { browser, of } = stored("email", [{ ...ADA, emailVerified: null }]);
    await browser.get("/auth/callback/acme");
    expect(of("updateUser")).toEqual({ user: { ...ADA, emailVerified: expect.any(Date) } });
  });

  it("linkAccount: `account`, `user`, `profile`", async () => {
    const { browser, of } = stored();
    await browser.get("/auth/callback/acme");
    expect(of("linkAccount")).toEqual({
      account: { provider: "acme", providerAccountId: "acme-1", type: "oauth" },
      user: { ...ADA, id: expect.any(String), emailVerified: null },
      profile: ADA,
    });
  });

  it("session: `session` and, under the jwt strategy, `token`", async () => {
    const { browser, of } = listening();
    await browser.signInWith("credentials", LOVELACE);
    const session = await browser.session();
    expect(of("session")).toEqual({
      session,
      token: expect.objectContaining({ sub: "1", name: "Ada", exp: expect.any(Number) }),
    });
  });

  it("signIn: `user`, `account`, `isNewUser?`, `profile?`", async () => {
    const { browser, of } = stored();
    await browser.get("/auth/callback/acme");
    expect(of("signIn")).toEqual({
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

  it("signIn: for credentials, the raw provider response", async () => {
    const { browser, of } = listening();
    await browser.signInWith("credentials", LOVELACE);
    expect(of("signIn")).toEqual({
      user: ADA,
      account: { provider: "credentials", providerAccountId: "1", type: "credentials" },
    });
  });

  it("signOut: `{token}` for the jwt strategy", async () => {
    const { browser, of } = listening();
    await browser.signInWith("credentials", LOVELACE);
    await browser.signOut();
    expect(of("signOut")).toEqual({ token: expect.objectContaining({ sub: "1", name: "Ada" }) });
  });

  it("come in the order in which things happened, and only what happened", async () => {
    const { browser, heard } = stored();
    await browser.get("/auth/callback/acme");
    await browser.session();
    await browser.signOut();
    await browser.session();
    await browser.signOut();
    expect(heard.map(([name]) => name)).toEqual([
      "createUser",
      "linkAccount",
      "signIn",
      "session",
      "signOut",
    ]);
  });

  it("a refused sign-in announces nothing", async () => {
    const { browser, heard, log } = listening();
    await browser.signInWith("credentials", { username: "eve", password: "x" });
    expect(heard).toEqual([]);
    log.expectErrors("CredentialsSignin");
  });

  it("asynchronous: a handler that rejects changes no answer", async () => {
    const { browser, log } = createHouse({
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
