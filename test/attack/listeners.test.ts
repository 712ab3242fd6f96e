import { afterEach, describe, expect, it, vi } from "vitest";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { standardPreset } from "../../presets/standard.ts";
import { createIdentityProvider } from "../../src/testing/testing.ts";
import type { EventsOptions } from "../../src/types.ts";
import { createTestAuth, type TestAuthOptions } from "../_app.ts";

const NAMES = [
  "createUser",
  "updateUser",
  "linkAccount",
  "session",
  "signIn",
  "signInFailed",
  "signOut",
] as const;

/** Overwrites every reachable text. */
function spoil(value: unknown): void {
  if (typeof value !== "object" || value === null) return;
  for (const [name, inner] of Object.entries(value)) {
    if (typeof inner === "object") spoil(inner);
    if (inner instanceof Date) inner.setTime(0);
    else if (typeof inner === "string") {
      Reflect.set(value, name, "spoilt");
      Reflect.deleteProperty(value, name);
    }
  }
  Reflect.set(value, "admin", true);
}

const listen = (listener: (message: unknown) => unknown) =>
  Object.fromEntries(NAMES.map((name) => [name, listener])) as EventsOptions;

function createApp(given: TestAuthOptions) {
  const idp = createIdentityProvider();
  const app = createTestAuth({
    preset: standardPreset,
    store: memoryBackend(),
    idp,
    providers: [idp.provider()],
    mail: {},
    ...given,
  } as never);
  return app;
}

describe("changes that a listener makes to its message", () => {
  it.each(["jwt", "database", "hybrid"])(
    "have no effect on what is stored or sent (%s)",
    async (strategy) => {
      const see = async (events?: EventsOptions) => {
        const app = createApp({ strategy, ...(events && { events }) });
        await app.browser.signInAs();
        const session = (await app.browser.session()) as { user: object } | null;
        const user = await app.adapter.getUserByEmail?.("ada@example.com");
        await app.browser.signOut();
        await app.requestLink("bob@example.com");
        await app.followLink();
        const mailed = (await app.browser.session()) as { user: object } | null;
        const { id: _, ...stored } = user ?? { id: "" };
        return { user: session?.user, mailed: mailed?.user, stored, isSignedIn: mailed !== null };
      };
      const honest = await see();
      expect(honest.isSignedIn).toBe(true);
      expect(await see(listen(spoil))).toEqual(honest);
      expect(await see(listen(async (message) => spoil(message)))).toEqual(honest);
    },
  );

  it("are logged if they throw, and later listeners get the original message", async () => {
    const seen: unknown[] = [];
    const app = createTestAuth({
      events: {
        signIn: ({ user }) => {
          user.name = "Mallory";
        },
      },
      use: [
        {
          name: "later",
          setup: ({ events }) =>
            void events.hook("signIn", ({ user }) => void seen.push(user.name)),
        },
      ],
    });
    await app.browser.signInWith("credentials", { username: "ada", password: "lovelace" });
    expect(((await app.browser.session()) as { user: { name: string } }).user.name).toBe("Ada");
    expect(seen).toEqual(["Ada"]);
    app.log.expectErrors("EventError");
  });
});

describe("the time that a request waits for listeners", () => {
  afterEach(() => void vi.useRealTimers());

  it("is one second for all listeners that hang", async () => {
    const app = createApp({ events: listen(() => new Promise(() => {})), errors: "allowed" });
    const start = performance.now();
    await app.browser.signInAs();
    expect(await app.browser.session()).not.toBeNull();
    // The callback emits three events, and the session one.
    expect(performance.now() - start).toBeLessThan(3500);
  }, 10_000);

  it("does not end a slow listener, and the platform is asked to wait for it", async () => {
    let isDone = false;
    const app = createTestAuth({
      events: {
        signIn: async () => {
          await new Promise((resolve) => setTimeout(resolve, 1300));
          isDone = true;
        },
      },
    });
    const waiting: Promise<unknown>[] = [];
    const csrfToken = await app.browser.csrfToken();
    const request = new Request("http://localhost:3000/auth/callback/credentials", {
      method: "POST",
      headers: {
        cookie: [...app.browser.cookies].map(([name, value]) => `${name}=${value}`).join("; "),
        "content-type": "application/x-www-form-urlencoded",
        origin: "http://localhost:3000",
      },
      body: new URLSearchParams({ csrfToken, username: "ada", password: "lovelace" }),
    });
    const response = await app.auth.handle(request, {
      waitUntil: (work) => void waiting.push(work),
    });
    expect(response?.status).toBe(302);
    expect(isDone).toBe(false);
    expect(waiting).toHaveLength(1);
    await Promise.all(waiting);
    expect(isDone).toBe(true);
  }, 10_000);
});
