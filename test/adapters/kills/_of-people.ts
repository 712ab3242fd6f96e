import assert from "node:assert/strict";
import { ADA, EMAIL, GRACE, idOf, type Journey, signIn, signInAndKnow } from "./_journey.ts";
import { ask, assertIn, assertOut, come, letter } from "./_ways.ts";
import type { World } from "./_world.ts";

/** What people have, and its end. */
export const OF_PEOPLE: Record<string, Journey> = {
  "a change of address": {
    person: ADA,
    before: signIn,
    act: async (world) =>
      world.adapter.updateUser({ id: await idOf(world), email: "countess@example.com" }),
    async again(world) {
      const [id, email] = [await idOf(world), "countess@example.com"];
      await world.adapter.updateUser({ id, email });
      assert.equal((await world.adapter.getUserByEmail(email))?.id, id);
      await assertIn(world.browser);
      // The old one is free.
      assert.equal(await world.adapter.getUserByEmail(EMAIL), null);
      const other = world.visit(ADA);
      await letter(world, other, EMAIL);
      await assertIn(other, "who has the address now");
    },
    people: 2,
    stays: "always",
  },

  "the registration of a passkey": {
    person: ADA,
    before: signIn,
    act: async (world) => world.adapter.createAuthenticator(passkey(await idOf(world))),
    async again(world) {
      const made = passkey(await idOf(world));
      // Refused where it is there already: an id is registered once.
      const there = await world.adapter.getAuthenticator("key");
      if (!there) await world.adapter.createAuthenticator(made);
      assert.equal((await world.adapter.getAuthenticator("key"))?.userId, made.userId);
      const list = await world.adapter.listAuthenticatorsByUserId(made.userId);
      assert.equal(list.length, 1);
    },
    people: 1,
    stays: "always",
  },

  "a sign-in with a passkey": {
    person: ADA,
    async before(world) {
      await signIn(world);
      await world.adapter.createAuthenticator(passkey(await idOf(world)));
    },
    act: (world) => usePasskey(world, 2),
    async again(world) {
      // The authenticator has counted on.
      await usePasskey(world, 3);
      assert.equal((await world.adapter.getAuthenticator("key"))?.counter, 3);
    },
    people: 1,
    stays: "always",
  },

  "a deletion": {
    person: ADA,
    async before(world) {
      await signIn(world);
      await come(world, world.browser, GRACE, { link: true });
      await world.adapter.createAuthenticator(passkey(await idOf(world)));
      await ask(world, world.visit(ADA), EMAIL);
    },
    async act(world) {
      const [user] = await world.people();
      await world.adapter.deleteUser(user?.id ?? "");
    },
    async again(world) {
      // As a person who was told that it failed: by way of the record, which may be on its way out.
      await world.adapter.deleteUser(world.known[0] ?? "");
      await assertOut(world.browser);
      assert.deepEqual(await world.people(), []);
      assert.deepEqual(await world.left(), []);
      // All of it can be had again.
      await signInAndKnow(world);
    },
    people: 1,
  },
};

const DAY = 24 * 60 * 60 * 1000;

const passkey = (userId: string) => ({
  credentialID: "key",
  userId,
  providerAccountId: "key",
  credentialPublicKey: "",
  counter: 1,
  credentialDeviceType: "singleDevice",
  credentialBackedUp: false,
});

// There is no flow of it yet: the order of writes is that of SECURITY.md, part 3.
async function usePasskey(world: World, counter: number): Promise<void> {
  const userId = await idOf(world);
  world.proofs++;
  await world.adapter.updateAuthenticatorCounter("key", counter);
  const expires = new Date(Date.now() + DAY);
  await world.adapter.createSession({ sessionToken: crypto.randomUUID(), userId, expires });
}
