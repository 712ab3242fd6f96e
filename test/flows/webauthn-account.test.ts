import { describe, expect, it } from "vitest";
import type { AccountPageData } from "../../plugins/pages/account.ts";
import { createAuthClient } from "../../src/client.ts";
import { definePlugin, type Plugin } from "../../src/kernel.ts";
import { locationOf } from "../_app.ts";
import { toFetch } from "../client/_page.ts";
import { all, parse } from "../pages/_parse.ts";
import { ADA, createPasskeyApp, type PasskeyApp } from "./_passkey.ts";

async function page({ browser }: PasskeyApp) {
  return parse(await (await browser.get("/auth/account")).text());
}

async function remove({ browser }: PasskeyApp, passkey: string): Promise<string> {
  const csrfToken = await browser.csrfToken();
  return locationOf(await browser.post("/auth/passkeys", { csrfToken, passkey }));
}

const listPasskeyIds = (markup: Awaited<ReturnType<typeof page>>) =>
  all(markup, "input").flatMap(({ name, value }) => (name === "passkey" ? [value!] : []));

const github = {
  id: "github",
  name: "GitHub",
  type: "oauth" as const,
  clientId: "id",
  clientSecret: "secret",
  authorization: "https://idp.example/authorize",
  token: "https://idp.example/token",
  userinfo: "https://idp.example/userinfo",
};

/** Creates Ada with a passkey, and with a linked GitHub account on request. */
async function ada({ linked = false, use = [] }: { linked?: boolean; use?: Plugin[] } = {}) {
  const app = createPasskeyApp({ errors: "allowed", providers: [github], use });
  await app.register();
  const user = (await app.adapter.getUserByEmail?.(ADA))!;
  const account = { userId: user.id, provider: "github", providerAccountId: "1" };
  if (linked) await app.adapter.linkAccount?.({ ...account, type: "oauth" });
  return { app, user };
}

describe("passkeys on the account page", () => {
  it("lists passkeys before the sessions, with a form to add one", async () => {
    const { app } = await ada({ linked: true });
    const markup = await page(app);
    expect(all(markup, "section").map((one) => one["data-section"])).toEqual([
      "accounts",
      "passkeys",
      "sessions",
    ]);
    expect(markup.texts).toEqual(expect.arrayContaining(["Passkey 1", "Add a passkey"]));
    expect(listPasskeyIds(markup)).toHaveLength(1);
    const actions = all(markup, "input").filter(({ name }) => name === "action");
    expect(actions.map(({ value }) => value)).toEqual(["register"]);
    expect(all(markup, "script")).toHaveLength(1);
    // The account rows of passkeys are not listed as linked accounts.
    expect(markup.texts).not.toContain("Remove Passkey");
  });

  it("removes a passkey when another sign-in method remains, and the passkey can no longer sign in", async () => {
    const { app, user } = await ada({ linked: true });
    const [id] = listPasskeyIds(await page(app));
    expect(await remove(app, id!)).toBe("/auth/account?done");
    expect(await app.adapter.listAuthenticatorsByUserId?.(user.id)).toEqual([]);
    expect(await app.adapter.listAccountsByUserId?.(user.id)).toHaveLength(1);
    expect(locationOf(await app.signIn({}, app.openBrowser()))).toContain("error=");
  });

  it("refuses to remove a passkey that is the last sign-in method", async () => {
    const { app, user } = await ada();
    const [id] = listPasskeyIds(await page(app));
    expect(await remove(app, id!)).toBe("/auth/account?failed=last");
    expect(await app.adapter.listAuthenticatorsByUserId?.(user.id)).toHaveLength(1);
    const shown = parse(await (await app.browser.get("/auth/account?failed=last")).text());
    expect(shown.texts.join()).toContain("This is your only sign-in method.");
  });

  it("the JSON of the account page contains passkeys, and a script cannot remove the last one", async () => {
    const { app } = await ada({ linked: true });
    const { call } = createAuthClient({ fetch: toFetch(app.browser) });
    const read = async () => (await call<AccountPageData>("/account")).data.passkeys;
    const [passkey] = (await read()) ?? [];
    expect(passkey).toEqual({
      id: expect.any(String),
      created: expect.stringMatching(/^\d{4}-.*Z$/),
      synced: true,
    });
    expect(await call("/passkeys", { passkey: passkey?.id })).toMatchObject({
      url: expect.stringContaining("/auth/account?done"),
    });
    expect(await read()).toEqual([]);

    const only = (await ada()).app;
    const other = createAuthClient({ fetch: toFetch(only.browser) });
    const { data } = await other.call<AccountPageData>("/account");
    const removal = other.call("/passkeys", { passkey: data.passkeys?.[0]?.id });
    await expect(removal).rejects.toMatchObject({ type: "LastSignInMethod", status: 409 });
  });

  it("lists passkeys whose dates an adapter returns as text", async () => {
    const asText = definePlugin({
      name: "dates-as-text",
      setup: (kernel) => {
        kernel.wrap("adapter", (adapter) => ({
          ...adapter,
          async listAuthenticatorsByUserId(userId) {
            const rows = await adapter.listAuthenticatorsByUserId!(userId);
            return rows.map((row) => ({ ...row, created: row.created?.toISOString() as never }));
          },
        }));
      },
    });
    const { app } = await ada({ use: [asText] });
    const { texts } = await page(app);
    expect(texts.find((one) => one.includes("Added on"))).toMatch(/UTC$/);
  });

  it("describes a passkey by its backup and its date", async () => {
    const { app } = await ada();
    const { texts } = await page(app);
    const year = new Date().getUTCFullYear();
    expect(texts).toContain("Synced");
    expect(texts.find((one) => one.includes("Added on"))).toMatch(
      new RegExp(`^Added on .* ${year}, .* UTC$`),
    );
  });

  it("removing an account or a passkey emits an event with the user and the account, and refused removals emit none", async () => {
    const removed: object[] = [];
    const listener = definePlugin({
      name: "listener",
      setup: ({ events }) =>
        void events.hook("unlinkAccount", (message) => void removed.push(message)),
    });
    const { app, user } = await ada({ linked: true, use: [listener] });
    const [id = ""] = listPasskeyIds(await page(app));
    const csrfToken = await app.browser.csrfToken();
    const unlink = (account: string) =>
      app.browser.post("/auth/account", { csrfToken, provider: "github", account });
    await unlink("nothing");
    await remove(app, "nothing");
    expect(removed).toEqual([]);
    await unlink("1");
    await unlink("1");
    // The last passkey cannot be removed.
    await remove(app, id);
    const account = { provider: "github", providerAccountId: "1" };
    expect(removed).toEqual([{ user: expect.objectContaining({ id: user.id }), account }]);

    await app.adapter.linkAccount?.({ ...account, userId: user.id, type: "oauth" });
    await remove(app, id);
    await remove(app, id);
    expect(removed.slice(1)).toEqual([
      {
        user: expect.objectContaining({ id: user.id }),
        account: { provider: "passkey", providerAccountId: id },
        credentialID: id,
      },
    ]);
  });

  it("an account can be unlinked when a passkey remains", async () => {
    const { app, user } = await ada({ linked: true });
    const csrfToken = await app.browser.csrfToken();
    const fields = { csrfToken, provider: "github", account: "1" };
    expect(locationOf(await app.browser.post("/auth/account", fields))).toBe("/auth/account?done");
    expect(await app.adapter.listAccountsByUserId?.(user.id)).toHaveLength(1);
  });

  it("exactly one of two concurrent requests to remove the passkey and the account succeeds", async () => {
    for (let round = 0; round < 10; round++) {
      const { app, user } = await ada({ linked: true });
      const [passkey] = listPasskeyIds(await page(app));
      const csrfToken = await app.browser.csrfToken();
      const ends = await Promise.all([
        app.browser.post("/auth/passkeys", { csrfToken, passkey: passkey! }),
        app.browser.post("/auth/account", { csrfToken, provider: "github", account: "1" }),
      ]);
      const targets = ends.map(locationOf).toSorted();
      expect(targets).toEqual(["/auth/account?done", "/auth/account?failed=last"]);
      expect(await app.adapter.listAccountsByUserId?.(user.id)).toHaveLength(1);
    }
  });

  it("only the owner can remove a passkey, with a CSRF token", async () => {
    const { app } = await ada({ linked: true });
    const [id] = listPasskeyIds(await page(app));
    const stranger = app.openBrowser();
    expect(await remove({ ...app, browser: stranger }, id!)).toBe("/auth/account");
    const response = await app.browser.post("/auth/passkeys", { passkey: id! });
    expect(locationOf(response)).toContain("MissingCSRF");
    expect(await remove(app, "nothing")).toBe("/auth/account");
    expect(listPasskeyIds(await page(app))).toHaveLength(1);
  });

  it("POST /account refuses to unlink a passkey's account, which would leave its key behind", async () => {
    const { app, user } = await ada({ linked: true });
    const listed = (await app.adapter.listAccountsByUserId?.(user.id)) ?? [];
    const passkey = listed.find(({ type }) => type === "webauthn")!;
    const csrfToken = await app.browser.csrfToken();
    const fields = { provider: passkey.provider, account: passkey.providerAccountId };
    const response = await app.browser.post("/auth/account", { csrfToken, ...fields });
    expect(locationOf(response)).toBe("/auth/account?failed");
  });
});
