import { expect, it } from "vitest";
import { secondFactor } from "../../plugins/security/second-factor.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { standardPreset } from "../../presets/index.ts";
import { defineStore, type StoreBackend } from "../../src/kernel.ts";
import type { Browser } from "../../src/testing.ts";
import { createTestAuth, credentials, locationOf, LOVELACE } from "../_app.ts";
import {
  CHALLENGE,
  codeOf,
  createAdasApp,
  enterPassword,
  open,
  setUp,
  SETUP,
  submit,
  type UserFactor,
} from "../security/_second-factor.ts";
import { watchRejections } from "./_attack.ts";

watchRejections();

const REMOVE = `${CHALLENGE}/remove`;

/** An in-memory store that runs something else after its next write of a second factor. */
function createSlowStore(method: "putIfAbsent" | "compareAndSet") {
  const store = memoryBackend();
  const write = store[method] as (...args: unknown[]) => Promise<boolean>;
  let meanwhile: (() => Promise<unknown>) | undefined;
  const slow = async (...args: unknown[]) => {
    const isDone = await write.apply(store, args);
    const work = String(args[0]).startsWith("second-factor.") ? meanwhile : undefined;
    if (work && isDone) {
      meanwhile = undefined;
      await work();
    }
    return isDone;
  };
  return {
    store: Object.assign(store, { [method]: slow }) as StoreBackend,
    afterwards: (work: () => Promise<unknown>) => void (meanwhile = work),
  };
}

// Anyone who registers a name and a password can claim any address.
function createClaimedApp(store: StoreBackend) {
  return createTestAuth({
    preset: standardPreset,
    providers: [credentials()],
    strategy: "database",
    store,
    mail: {},
    use: [defineStore(store), secondFactor()],
  });
}

type ClaimedApp = ReturnType<typeof createClaimedApp>;

async function prove(app: ClaimedApp, owner: Browser): Promise<Response> {
  await app.requestLink("ada@example.com", owner);
  return app.followLink(owner);
}

it("when a proof of the address ends an attacker's set-up, the owner's factor stays", async () => {
  const { store, afterwards } = createSlowStore("putIfAbsent");
  const app = createClaimedApp(store);
  const owner = app.openBrowser();
  await app.browser.signInWith("credentials", LOVELACE);
  afterwards(async () => {
    await prove(app, owner);
    await setUp(owner);
  });
  await expect(setUp(app.browser)).rejects.toThrow("no block of code");
  expect(await app.browser.session()).toBeNull();
  expect(await owner.session()).not.toBeNull();
  expect(locationOf(await prove(app, app.openBrowser()))).toBe(CHALLENGE);
});

it("when a proof of the address ends an attacker's set-up, a factor that was used since is removed", async () => {
  const { store, afterwards } = createSlowStore("putIfAbsent");
  const app = createClaimedApp(store);
  await app.browser.signInWith("credentials", LOVELACE);
  const page = await open(app.browser, SETUP);
  const [, spaced = ""] = /<pre class="code" dir="ltr">([^<]*)</.exec(page) ?? [];
  const key = spaced.replaceAll(" ", "");
  afterwards(async () => {
    // A newer code of the same app, in another browser of the attacker.
    const other = app.openBrowser();
    await other.signInWith("credentials", LOVELACE);
    const challenge = await open(other, CHALLENGE);
    await submit(other, challenge, CHALLENGE, { code: codeOf({ key }, Date.now() + 30_000) });
    expect(await other.session()).not.toBeNull();
    const { adapter } = app;
    const { id = "" } = (await adapter.getUserByEmail?.("ada@example.com")) ?? {};
    // The proof removed the factor before it was stored.
    await adapter.revokeUserAccess?.(id, { emailVerified: new Date() });
  });
  await submit(app.browser, page, SETUP, { code: codeOf({ key }) });
  const owner = app.openBrowser();
  expect(locationOf(await prove(app, owner))).not.toBe(CHALLENGE);
  expect(await owner.session()).not.toBeNull();
});

it("removing a second factor does not remove one that was set up in the meantime", async () => {
  const { store, afterwards } = createSlowStore("compareAndSet");
  const { app, factor } = await createAdasApp({ store });
  const [other, page] = [app.openBrowser(), await open(app.browser, SETUP)];
  const [, first = "", second = ""] = factor.recoveryCodes;
  await enterPassword(other);
  await submit(other, await open(other, CHALLENGE), CHALLENGE, {
    code: factor.recoveryCodes[0] ?? "",
  });
  const management = await open(other, SETUP);
  let renewed: UserFactor | undefined;
  afterwards(async () => {
    await submit(other, management, REMOVE, { code: second });
    renewed = await setUp(other);
  });
  await submit(app.browser, page, REMOVE, { code: first });
  expect(renewed?.key).toMatch(/^[A-Z2-7]{32}$/);
  expect(locationOf(await enterPassword(app.openBrowser()))).toBe(CHALLENGE);
});
