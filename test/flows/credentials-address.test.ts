import { describe, expect, it } from "vitest";
import type { CredentialsProvider } from "../../plugins/flows/credentials/provider.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { standardPreset } from "../../presets/index.ts";
import type { Adapter } from "../../src/types.ts";
import { createTestAuth, credentials, LOVELACE, locationOf, type TestAuth } from "../_app.ts";
import { adapterOn } from "../adapters/_namespace.ts";

const EMAIL = "ada@example.com";
const REFUSED = "/auth/signin?error=OAuthAccountNotLinked";

interface AddressApp extends TestAuth {
  adapter: Required<Adapter>;
  byPassword(): Promise<string>;
  byLink(): Promise<string>;
}

function createAddressApp(over: Partial<CredentialsProvider> = {}): AddressApp {
  const adapter = adapterOn(memoryBackend()) as Required<Adapter>;
  const authorize: CredentialsProvider["authorize"] = ({ password }) =>
    password === LOVELACE.password ? { id: "app-ada", name: "Ada", email: EMAIL } : null;
  const app = createTestAuth({
    preset: standardPreset,
    errors: "read",
    adapter,
    session: { strategy: "database" },
    providers: [credentials({ authorize, ...over })],
    mail: {},
  });
  return Object.assign(app, {
    adapter,
    async byPassword() {
      const browser = app.openBrowser();
      return locationOf(await browser.signInWith("credentials", LOVELACE));
    },
    async byLink() {
      const browser = app.openBrowser();
      await app.requestLink(EMAIL, browser);
      return locationOf(await app.followLink(browser));
    },
  });
}

const verified = { emailVerified: () => true };

describe("the address of a credentials user in a database with links by e-mail", () => {
  it("a verified address belongs to one user, by password and by link, in any order", async () => {
    for (const order of [
      ["byPassword", "byLink", "byPassword"],
      ["byLink", "byPassword", "byLink", "byPassword"],
    ] as const) {
      const app = createAddressApp(verified);
      const ids = new Set<string>();
      for (const way of order) {
        expect(await app[way]()).toBe("/");
        ids.add(String((await app.adapter.getUserByEmail(EMAIL))?.id));
      }
      expect(ids.size).toBe(1);
      expect(app.log.errors).toEqual([]);
    }
  });

  it("an unverified address belongs to the link's user from then on, and the log says how to fix it", async () => {
    const app = createAddressApp();
    expect(await app.byPassword()).toBe("/");
    expect(await app.byLink()).toBe("/");
    expect(await app.byPassword()).toBe(REFUSED);
    expect(app.log.errors.map(({ message }) => message)).toEqual([
      expect.stringContaining("set `emailVerified` of the provider"),
    ]);
  });

  it.each([
    ["nothing is reported", {}],
    ["it is reported as unverified", { emailVerified: () => false }],
    [
      "only the user of `authorize` has `emailVerified`",
      {
        authorize: () => ({ id: "app-eve", email: EMAIL, emailVerified: new Date() }) as never,
      },
    ],
  ])("is refused if it is a stored user's address and %s", async (_, over) => {
    const app = createAddressApp(over);
    expect(await app.byLink()).toBe("/");
    expect(await app.byPassword()).toBe(REFUSED);
    expect(app.log.errors).toHaveLength(1);
  });

  it.each([
    ["text", "true"],
    ["a date", new Date()],
    ["a promise", Promise.resolve(true)],
  ])(
    "a return value of `emailVerified` that is not a boolean is a fault of the application: %s",
    async (_, stated) => {
      const app = createAddressApp({ emailVerified: () => stated as never });
      expect(await app.byPassword()).toBe("/auth/error?error=Configuration");
      expect(app.log.errors).toHaveLength(1);
    },
  );

  it("a tap of `signIn` receives the stored user of the address", async () => {
    const app = createAddressApp(verified);
    await app.byLink();
    const seen: unknown[] = [];
    const { id } = (await app.adapter.getUserByEmail(EMAIL))!;
    const again = createTestAuth({
      preset: standardPreset,
      adapter: app.adapter,
      session: { strategy: "database" },
      use: [
        {
          name: "banned",
          setup: ({ hooks }) =>
            hooks.signIn.tap("banned", ({ storedUser }) => (seen.push(storedUser?.id), false)),
        },
      ],
      providers: [credentials({ authorize: () => ({ id: "app-ada", email: EMAIL }), ...verified })],
      errors: "allowed",
    });
    await again.browser.signInWith("credentials", LOVELACE);
    expect(seen).toEqual([id]);
  });

  it("an unverified address is refused if the adapter could not remove its account later", async () => {
    const {
      revokeUserAccess: _,
      createUserWithAccount: __,
      ...adapter
    } = adapterOn(memoryBackend()) as Required<Adapter>;
    const app = createTestAuth({
      preset: standardPreset,
      errors: "read",
      adapter,
      session: { strategy: "database" },
      providers: [
        credentials({
          authorize: () => ({ id: "app-eve", email: EMAIL }),
          emailVerified: () => false,
        }),
      ],
      mail: {},
    });
    const refused = await app.browser.signInWith("credentials", LOVELACE);
    expect(locationOf(refused)).toBe("/auth/signin?error=EmailNotVerified");
    expect(await adapter.getUserByEmail(EMAIL)).toBeNull();
    expect(app.log.errors).toHaveLength(1);
  });

  it("a verified address does not take over a stored user whose own address is unverified", async () => {
    const app = createAddressApp(verified);
    await app.adapter.createUser({ id: "other", email: EMAIL, emailVerified: null });
    expect(await app.byPassword()).toBe(REFUSED);
    expect(app.log.errors).toHaveLength(1);
  });

  it("many concurrent first sign-ins by password belong to one stored user", async () => {
    const app = createAddressApp(verified);
    await app.byLink();
    const targets = await Promise.all(Array.from({ length: 8 }, () => app.byPassword()));
    expect(targets).toEqual(Array.from({ length: 8 }, () => "/"));
    const user = await app.adapter.getUserByEmail(EMAIL);
    const accounts = await app.adapter.listAccountsByUserId(String(user?.id));
    expect(accounts.map(({ provider }) => provider)).toEqual(["credentials"]);
  });
});
