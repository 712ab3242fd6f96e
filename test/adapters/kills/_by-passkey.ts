import assert from "node:assert/strict";
import type { KillsApp } from "./_app.ts";
import { ADA, EMAIL, getUserId, type Journey } from "./_journey.ts";
import {
  addPasskey,
  assertIn,
  hasSession,
  register,
  storedId,
  signInWithPasskey,
} from "./_ways.ts";

const come = (app: KillsApp) => register(app, app.browser, EMAIL);

/** Registers Ada with two passkeys and leaves her signed in. */
async function comeWithTwo(app: KillsApp): Promise<void> {
  await come(app);
  await addPasskey(app, app.browser);
}

const first = (app: KillsApp) => storedId(app.authenticator.held[0] ?? { id: new Uint8Array() });

async function remove({ browser }: KillsApp, passkey: string): Promise<void> {
  await browser.post("/auth/passkeys", { csrfToken: await browser.csrfToken(), passkey });
}

// Each listed passkey signs in and no other passkey does. Each has its account, and there is no
// other account.
async function assertPasskeys(app: KillsApp, count: number): Promise<void> {
  const id = await getUserId(app);
  const listed = await app.adapter.listAuthenticatorsByUserId(id);
  assert.equal(listed.length, count, "passkeys");
  for (const key of app.authenticator.held) {
    const isListed = listed.some(({ credentialID }) => credentialID === storedId(key));
    const browser = app.openBrowser(isListed ? ADA : null);
    await signInWithPasskey(app, browser, storedId(key));
    assert.equal(await hasSession(browser), isListed, "a passkey signs in while it is listed");
  }
  const accounts = await app.adapter.listAccountsByUserId(id);
  const known = accounts.filter(({ type }) => type === "webauthn");
  const ids = listed.map(({ providerAccountId }) => providerAccountId);
  for (const one of ids) {
    assert.ok(
      known.some(({ providerAccountId }) => providerAccountId === one),
      "its account",
    );
  }
}

/** Sign-in by passkeys, and their removal. */
export const BY_PASSKEY: Record<string, Journey> = {
  "the first sign-in with a passkey": {
    person: ADA,
    act: come,
    async again(app) {
      // A user who saw an error may be registered nevertheless.
      const [user] = await app.people();
      if (user) await signInWithPasskey(app, app.browser);
      else await come(app);
      await assertIn(app.browser);
      await assertPasskeys(app, 1);
    },
    people: 1,
  },

  "a sign-in with a passkey": {
    person: ADA,
    before: (app) => register(app, app.openBrowser(ADA), EMAIL),
    act: (app) => signInWithPasskey(app, app.browser),
    async again(app) {
      await signInWithPasskey(app, app.browser);
      await assertIn(app.browser);
      await assertPasskeys(app, 1);
    },
    people: 1,
  },

  "another passkey": {
    person: ADA,
    before: come,
    act: (app) => addPasskey(app, app.browser),
    async again(app) {
      // If a process dies before its response, the browser has to sign in again.
      if (!(await hasSession(app.browser))) await signInWithPasskey(app, app.browser, first(app));
      const { length } = await app.adapter.listAuthenticatorsByUserId(await getUserId(app));
      await addPasskey(app, app.browser);
      await assertIn(app.browser);
      await assertPasskeys(app, length + 1);
    },
    people: 1,
    stays: "while answered",
  },

  "the removal of a passkey": {
    person: ADA,
    before: comeWithTwo,
    act: (app) => remove(app, first(app)),
    async again(app) {
      await remove(app, first(app));
      await assertIn(app.browser);
      await assertPasskeys(app, 1);
      const accounts = await app.adapter.listAccountsByUserId(await getUserId(app));
      assert.equal(accounts.length, 1, "accounts");
      // The last passkey cannot be removed.
      await remove(app, accounts[0]?.providerAccountId ?? "");
      await assertPasskeys(app, 1);
    },
    people: 1,
    stays: "always",
  },
};
