import { describe, expect, it } from "vitest";
import { storeAdapter } from "../../plugins/adapters/store.ts";
import { memoryStore } from "../../plugins/stores/memory.ts";
import { createAuth } from "../../presets/index.ts";
import { createTestAuth, credentials, LOVELACE, SECRET } from "../_app.ts";

const ENV = { NODE_ENV: "test" };

describe("auth.getAdapter()", () => {
  it("the application's own code creates a user, who signs in by a password, and ends all sessions of the user", async () => {
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

  it("it is the adapter as wraps of plugins have left it, when `init` of all plugins is done", async () => {
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

  it("without an adapter it rejects with MissingAdapter, and of a configuration function with MissingRequest", async () => {
    const config = { secret: SECRET, env: ENV, providers: [] };
    await expect(createAuth(config).getAdapter()).rejects.toMatchObject({
      type: "MissingAdapter",
      message: expect.stringContaining("storeAdapter()"),
    });
    await expect(createAuth(() => config).getAdapter()).rejects.toMatchObject({
      type: "MissingRequest",
    });
  });
});
