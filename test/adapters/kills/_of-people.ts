import assert from "node:assert/strict";
import { ADA, EMAIL, GRACE, idOf, type Journey, signIn, signInAndKnow } from "./_journey.ts";
import { addPasskey, ask, assertIn, assertOut, come, letter } from "./_ways.ts";

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

  "a deletion": {
    person: ADA,
    async before(world) {
      await signIn(world);
      await come(world, world.browser, GRACE, { link: true });
      await addPasskey(world, world.browser);
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
