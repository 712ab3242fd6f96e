import assert from "node:assert/strict";
import { ADA, EMAIL, idOf, type Journey } from "./_journey.ts";
import { addPasskey, assertIn, hasSession, register, storedId, unlock } from "./_ways.ts";
import type { World } from "./_world.ts";

const come = (world: World) => register(world, world.browser, EMAIL);

/** Ada, signed in, with two passkeys. */
async function comeWithTwo(world: World): Promise<void> {
  await come(world);
  await addPasskey(world, world.browser);
}

const first = (world: World) => storedId(world.authenticator.held[0] ?? { id: new Uint8Array() });

async function remove({ browser }: World, passkey: string): Promise<void> {
  await browser.post("/auth/passkeys", { csrfToken: await browser.csrfToken(), passkey });
}

// Each passkey that is listed lets in, each other one does not; each has its account, and no other.
async function assertPasskeys(world: World, count: number): Promise<void> {
  const id = await idOf(world);
  const listed = await world.adapter.listAuthenticatorsByUserId(id);
  assert.equal(listed.length, count, "passkeys");
  for (const key of world.authenticator.held) {
    const isListed = listed.some(({ credentialID }) => credentialID === storedId(key));
    const browser = world.visit(isListed ? ADA : null);
    await unlock(world, browser, storedId(key));
    assert.equal(await hasSession(browser), isListed, "a passkey lets in while it is listed");
  }
  const accounts = await world.adapter.listAccountsByUserId(id);
  const known = accounts.filter(({ type }) => type === "webauthn");
  const ids = listed.map(({ providerAccountId }) => providerAccountId);
  for (const one of ids) {
    assert.ok(
      known.some(({ providerAccountId }) => providerAccountId === one),
      "its account",
    );
  }
}

/** The ways in by passkeys, and their removal. */
export const BY_PASSKEY: Record<string, Journey> = {
  "the first sign-in with a passkey": {
    person: ADA,
    act: come,
    async again(world) {
      // Who is told that it failed may have been registered all the same.
      const [user] = await world.people();
      if (user) await unlock(world, world.browser);
      else await come(world);
      await assertIn(world.browser);
      await assertPasskeys(world, 1);
    },
    people: 1,
  },

  "a sign-in with a passkey": {
    person: ADA,
    before: (world) => register(world, world.visit(ADA), EMAIL),
    act: (world) => unlock(world, world.browser),
    async again(world) {
      await unlock(world, world.browser);
      await assertIn(world.browser);
      await assertPasskeys(world, 1);
    },
    people: 1,
  },

  "another passkey": {
    person: ADA,
    before: come,
    act: (world) => addPasskey(world, world.browser),
    async again(world) {
      // A process that dies before its answer leaves a browser that has to sign in again.
      if (!(await hasSession(world.browser))) await unlock(world, world.browser, first(world));
      const { length } = await world.adapter.listAuthenticatorsByUserId(await idOf(world));
      await addPasskey(world, world.browser);
      await assertIn(world.browser);
      await assertPasskeys(world, length + 1);
    },
    people: 1,
    stays: "while answered",
  },

  "the removal of a passkey": {
    person: ADA,
    before: comeWithTwo,
    act: (world) => remove(world, first(world)),
    async again(world) {
      await remove(world, first(world));
      await assertIn(world.browser);
      await assertPasskeys(world, 1);
      const accounts = await world.adapter.listAccountsByUserId(await idOf(world));
      assert.equal(accounts.length, 1, "accounts");
      // The last one stays.
      await remove(world, accounts[0]?.providerAccountId ?? "");
      await assertPasskeys(world, 1);
    },
    people: 1,
    stays: "always",
  },
};
