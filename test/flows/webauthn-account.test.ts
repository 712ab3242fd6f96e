import { describe, expect, it } from "vitest";
import { all, parse } from "../pages/_parse.ts";
import { ADA, createPasskeyApp, locationOf, type PasskeyApp } from "./_passkey.ts";

async function page({ browser }: PasskeyApp) {
  return parse(await (await browser.get("/auth/account")).text());
}

async function remove({ browser }: PasskeyApp, passkey: string): Promise<string> {
  const csrfToken = await browser.csrfToken();
  return locationOf(await browser.post("/auth/passkeys", { csrfToken, passkey }));
}

const idsOf = (markup: Awaited<ReturnType<typeof page>>) =>
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

/** Ada with a passkey, and with an account of somebody else's making where that is asked for. */
async function ada({ linked = false } = {}) {
  const app = createPasskeyApp({ config: { providers: [github] } });
  await app.register();
  const user = (await app.adapter.getUserByEmail?.(ADA))!;
  const account = { userId: user.id, provider: "github", providerAccountId: "1" };
  if (linked) await app.adapter.linkAccount?.({ ...account, type: "oauth" });
  return { app, user };
}

describe("passkeys on the account page", () => {
  it("are listed before the sessions, with a form to add one", async () => {
    const { app } = await ada({ linked: true });
    const markup = await page(app);
    expect(all(markup, "section").map((one) => one["data-section"])).toEqual([
      "accounts",
      "passkeys",
      "sessions",
    ]);
    expect(markup.texts).toEqual(expect.arrayContaining(["Passkey 1", "Add a passkey"]));
    expect(idsOf(markup)).toHaveLength(1);
    const actions = all(markup, "input").filter(({ name }) => name === "action");
    expect(actions.map(({ value }) => value)).toEqual(["register"]);
    expect(all(markup, "script")).toHaveLength(1);
    // Their account rows are not shown as ways beside.
    expect(markup.texts).not.toContain("Remove Passkey");
  });

  it("are removed when there is another way in, and then let nobody in", async () => {
    const { app, user } = await ada({ linked: true });
    const [id] = idsOf(await page(app));
    expect(await remove(app, id!)).toBe("/auth/account?done");
    expect(await app.adapter.listAuthenticatorsByUserId?.(user.id)).toEqual([]);
    expect(await app.adapter.listAccountsByUserId?.(user.id)).toHaveLength(1);
    expect(locationOf(await app.signIn({}, app.newBrowser()))).toContain("error=");
  });

  it("stay when they are the last way in", async () => {
    const { app, user } = await ada();
    const [id] = idsOf(await page(app));
    expect(await remove(app, id!)).toBe("/auth/account?failed=last");
    expect(await app.adapter.listAuthenticatorsByUserId?.(user.id)).toHaveLength(1);
    const told = parse(await (await app.browser.get("/auth/account?failed=last")).text());
    expect(told.texts.join()).toContain("This is your last way to sign in.");
  });

  it("are told apart by how they are kept and reached, and since when", async () => {
    const { app } = await ada();
    const text = (await page(app)).texts.find((one) => one.includes("Added on")) ?? "";
    const year = new Date().getUTCFullYear();
    const parts = ["Kept on several devices", "Built in", "Phone", `Added on .* ${year}, .* UTC`];
    expect(text).toMatch(new RegExp(`^${parts.join(" · ")}$`));
  });

  it("are a way in: an account may be removed beside one", async () => {
    const { app, user } = await ada({ linked: true });
    const csrfToken = await app.browser.csrfToken();
    const fields = { csrfToken, provider: "github", account: "1" };
    expect(locationOf(await app.browser.post("/auth/account", fields))).toBe("/auth/account?done");
    expect(await app.adapter.listAccountsByUserId?.(user.id)).toHaveLength(1);
  });

  it("and an account that go at the same moment do not both go", async () => {
    for (let round = 0; round < 10; round++) {
      const { app, user } = await ada({ linked: true });
      const [passkey] = idsOf(await page(app));
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

  it("are removed by their owner alone, with the token of the form", async () => {
    const { app } = await ada({ linked: true });
    const [id] = idsOf(await page(app));
    const stranger = app.newBrowser();
    expect(await remove({ ...app, browser: stranger }, id!)).toBe("/auth/account?failed");
    const response = await app.browser.post("/auth/passkeys", { passkey: id! });
    expect(locationOf(response)).toContain("MissingCSRF");
    expect(await remove(app, "nothing")).toBe("/auth/account?failed");
    expect(idsOf(await page(app))).toHaveLength(1);
  });

  it("are not unlinked as an account: the key would be left behind", async () => {
    const { app, user } = await ada({ linked: true });
    const listed = (await app.adapter.listAccountsByUserId?.(user.id)) ?? [];
    const passkey = listed.find(({ type }) => type === "webauthn")!;
    const csrfToken = await app.browser.csrfToken();
    const fields = { provider: passkey.provider, account: passkey.providerAccountId };
    const response = await app.browser.post("/auth/account", { csrfToken, ...fields });
    expect(locationOf(response)).toBe("/auth/account?failed");
  });
});
