import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { defineStore, type StoreBackend } from "../../src/kernel.ts";
import { createClock } from "../../src/testing/testing.ts";
import { createTestAuth, isSignedIn, locationOf } from "../_app.ts";
import { type Op, startOp } from "../_op.ts";
import { createOAuthApp, oauth } from "../flows/_oauth.ts";
import { createPasskeyApp } from "../flows/_passkey.ts";

/** Returns a backend in which nothing can be marked as used while `isDown`. */
function createFragile() {
  const backend = memoryBackend();
  const state = { isDown: false };
  const putIfAbsent: StoreBackend["putIfAbsent"] = (key, ...rest) =>
    state.isDown && key.startsWith("single-use")
      ? Promise.reject(new Error("The store is down."))
      : backend.putIfAbsent(key, ...rest);
  return { state, store: () => defineStore({ ...backend, putIfAbsent }) };
}

const open = (...use: ReturnType<typeof defineStore>[]) => createTestAuth({ use }).kernel();

describe("kernel.useOnce()", () => {
  it("kernel.useOnce() tells the first use of a value, by purpose, from every later one", async () => {
    for (const kernel of [open(), open(defineStore(memoryBackend()))]) {
      expect(await kernel.useOnce("a", "x")).toBe(true);
      expect(await kernel.useOnce("a", "x")).toBe(false);
      expect(await kernel.useOnce("b", "x")).toBe(true);
      expect(await kernel.useOnce("a", "y")).toBe(true);
    }
  });

  it("kernel.useOnce() rejects while the store cannot mark values, in every process", async () => {
    const { state, store } = createFragile();
    state.isDown = true;
    for (const kernel of [open(store()), open(store())])
      await expect(kernel.useOnce("a", "x")).rejects.toMatchObject({ type: "StoreError" });
  });

  it.each<[string, () => ReturnType<typeof defineStore>[]]>([
    ["with a store", () => [defineStore(memoryBackend())]],
    ["without a store", () => []],
  ])("a used value stays used as long as a check's cookie is valid, %s", async (_, use) => {
    using clock = createClock();
    const kernel = open(...use());
    await kernel.useOnce("a", "x");
    // The cookie is valid for 15 minutes, with a tolerance of 15 seconds for clocks that differ.
    clock.advance("15.5 minutes");
    expect(await kernel.useOnce("a", "x")).toBe(false);
    // It is still valid in a process whose clock is 20 minutes behind.
    clock.advance("20 minutes");
    expect(await kernel.useOnce("a", "x")).toBe(false);
  });
});

describe("while the store is down", () => {
  let op: Op;
  beforeAll(async () => void (op = await startOp()));
  afterAll(() => op.close());

  it("no passkey signs in, and the next try succeeds once the store is back", async () => {
    const { state, store } = createFragile();
    const app = createPasskeyApp({ errors: "allowed", use: [store()] });
    await app.register();
    const browser = app.openBrowser();
    state.isDown = true;
    expect(locationOf(await app.signIn({}, browser))).toBe("/auth/error?error=Configuration");
    expect(await app.getUserId(browser)).toBeUndefined();
    state.isDown = false;
    expect(locationOf(await app.signIn({}, browser))).toBe("/");
  });

  it("no passkey is registered, and the next try succeeds once the store is back", async () => {
    const { state, store } = createFragile();
    const app = createPasskeyApp({ errors: "allowed", use: [store()] });
    state.isDown = true;
    expect(locationOf(await app.register())).toBe("/auth/error?error=Configuration");
    expect(await app.getUserId()).toBeUndefined();
    state.isDown = false;
    expect(locationOf(await app.register())).toBe("/");
  });

  it("no OAuth callback signs in or redeems its code, and the next sign-in succeeds once the store is back", async () => {
    const { state, store } = createFragile();
    const app = createOAuthApp(op, [oauth(op)], { errors: "allowed", use: [store()] });
    const callback = await op.authorize(await app.startSignIn());
    state.isDown = true;
    expect(locationOf(await app.finishSignIn(callback))).toContain("error=");
    expect(await isSignedIn(app.browser)).toBe(false);
    expect(op.count("/token")).toBe(0);
    state.isDown = false;
    expect(locationOf(await app.signIn())).toBe("/");
  });
});

it("a passkey's response is refused as long as a copy of its cookie is valid", async () => {
  using clock = createClock();
  const app = createPasskeyApp({ errors: "allowed" });
  await app.register();
  const browser = app.openBrowser();
  const { options } = await app.fetchOptions({}, browser);
  const answer = await app.authenticator.get(options);
  const copy = app.openBrowser();
  for (const [name, value] of browser.cookies) copy.cookies.set(name, value);
  expect(locationOf(await app.respond("authenticate", answer, browser))).toBe("/");
  clock.advance("14 minutes");
  expect(locationOf(await app.respond("authenticate", answer, copy))).toBe(
    "/auth/signin?error=InvalidCheck",
  );
  expect(await app.getUserId(copy)).toBeUndefined();
});
