import assert from "node:assert/strict";
import { ADA, EMAIL, GRACE, getUserId, type Journey, signIn, signInAndKnow } from "./_journey.ts";
import {
  addPasskey,
  requestLink,
  assertIn,
  assertOut,
  signInAtIdp,
  signInByEmail,
} from "./_ways.ts";

/** Changes and deletions of a user's records. */
export const OF_PEOPLE: Record<string, Journey> = {
  "a change of address": {
    person: ADA,
    before: signIn,
    act: async (app) =>
      app.adapter.updateUser({ id: await getUserId(app), email: "countess@example.com" }),
    async again(app) {
      const [id, email] = [await getUserId(app), "countess@example.com"];
      await app.adapter.updateUser({ id, email });
      assert.equal((await app.adapter.getUserByEmail(email))?.id, id);
      await assertIn(app.browser);
      // The old address is available.
      assert.equal(await app.adapter.getUserByEmail(EMAIL), null);
      const other = app.openBrowser(ADA);
      await signInByEmail(app, other, EMAIL);
      await assertIn(other, "the new owner of the address");
    },
    people: 2,
    stays: "always",
  },

  "a deletion of a user": {
    person: ADA,
    async before(app) {
      await signIn(app);
      await signInAtIdp(app, app.browser, GRACE, { link: true });
      await addPasskey(app, app.browser);
      await requestLink(app, app.openBrowser(ADA), EMAIL);
    },
    async act(app) {
      const [user] = await app.people();
      await app.adapter.deleteUser(user?.id ?? "");
    },
    async again(app) {
      // As a user who saw an error would: by the id in the record, which may be about to be
      // removed.
      await app.adapter.deleteUser(app.known[0] ?? "");
      await assertOut(app.browser);
      assert.deepEqual(await app.people(), []);
      assert.deepEqual(await app.left(), []);
      // All of the user's records can be claimed again.
      await signInAndKnow(app);
    },
    people: 1,
  },
};
