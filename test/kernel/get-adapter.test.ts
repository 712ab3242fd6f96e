import { describe, expect, it } from "vitest";
import { storeAdapter } from "../../plugins/adapters/store.ts";
import { memoryStore } from "../../plugins/stores/memory.ts";
import { createAuth } from "../../presets/index.ts";
import { createTestAuth, credentials, LOVELACE, SECRET } from "../_app.ts";

const ENV = { NODE_ENV: "test" };

describe("auth.getAdapter()", () => {
  it("the application's own code creates a user, who signs in with a password, and ends all of the user's sessions", async () => {
    const app = createTestAuth({
      plugins: [memoryStore(), storeAdapter()],
      session: { strategy: "database" },
      providers: [credentials({ authorize: () => ({ id: "app-ada" }) })],
    });
    const adapter = await app.auth.getAdapter();
    const email = "ada@example.com";
    await adapter.createUser?.({ id: "app-ada", email, emailVerified: new Date() });
    const browsers = [app.openBrowser(), app.openBrowser()];
    for (const browser of browsers) {
      await browser.signInWith("credentials", LOVELACE);
      expect(await browser.session()).toMatchObject({ user: { email } });
    }
    await adapter.deleteSessionsByUserId?.("app-ada");
    for (const browser of browsers) expect(await browser.session()).toBeNull();
  });

  it("it resolves to the wrapped adapter, after `init` of all plugins", async () => {
    const steps: string[] = [];
    const adapter = { getUser: () => null };
    const auth = createAuth({
      secret: SECRET,
      env: ENV,
      adapter,
      session: { strategy: "jwt" },
    }).use({
      name: "wrapping",
      setup: (kernel) =>
        kernel.wrap("adapter", (given) => ({ ...given, getUser: () => ({ id: "1" }) as never })),
      init: async () => void steps.push("init"),
    });
    expect(await (await auth.getAdapter()).getUser?.("1")).toEqual({ id: "1" });
    expect(steps).toEqual(["init"]);
  });

  it.each([2, 5])(
    "with a `storageTimeout` of %s the adapter keeps its own members, such as methods for the tables of a plugin",
    async (storageTimeout) => {
      class Teams {
        #names = ["Analysts"];
        readonly table = "teams";
        getUser() {
          return null;
        }
        listTeams() {
          return this.#names;
        }
      }
      const auth = createAuth({
        secret: SECRET,
        env: ENV,
        adapter: new Teams(),
        session: { strategy: "jwt" },
        storageTimeout,
      });
      const adapter = (await auth.getAdapter()) as unknown as Teams;
      expect(adapter.listTeams()).toEqual(["Analysts"]);
      expect(adapter.table).toBe("teams");
    },
  );

  it("without an adapter it rejects with MissingAdapter, and with a configuration function it rejects with MissingRequest", async () => {
    const config = { secret: SECRET, env: ENV, providers: [] };
    await expect(createAuth(config).getAdapter()).rejects.toMatchObject({
      type: "MissingAdapter",
      message: expect.stringContaining("storeAdapter()"),
    });
    await expect(createAuth(() => config).getAdapter()).rejects.toMatchObject({
      type: "MissingRequest",
      message: expect.stringContaining("server function of a plugin (`extend`)"),
    });
  });
});
