import { readFileSync } from "node:fs";
import { CompactSign, exportJWK, generateKeyPair } from "jose";
import { describe, expect, it } from "vitest";
import { germanPlugin } from "../../plugins/languages/de.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { databaseStrategy } from "../../plugins/strategies/database.ts";
import { createAuthClient } from "../../src/client.ts";
import { encode } from "../../src/jwt/jwt.ts";
import { defineFlow, definePlugin, type ProviderBase } from "../../src/kernel.ts";
import { type Browser, ODD_TEXTS } from "../../src/testing.ts";
import {
  createTestAuth,
  locationOf,
  ORIGIN,
  queryOf,
  SECRET,
  type TestAuthOptions,
} from "../_app.ts";
import { keypairPlugin } from "./_challenge-response.ts";
import { messengerPlugin, sign } from "./_signed-parameters.ts";

const KEY = "bot-key";
const toDate = () => String(Math.floor(Date.now() / 1000));

function createApp(options: TestAuthOptions = {}) {
  return createTestAuth({
    store: memoryBackend(),
    use: [messengerPlugin({ key: KEY }), keypairPlugin(), germanPlugin(), databaseStrategy()],
    providers: [],
    ...options,
  });
}

/** Returns from the service with signed parameters. */
function comeBack(browser: Browser, over: Record<string, string> = {}, hash?: string) {
  const parameters = { id: "42", name: "Ada", date: toDate(), ...over };
  const signed = { ...parameters, hash: hash ?? sign(parameters, KEY).toString("hex") };
  return browser.get(`/auth/callback/messenger?${new URLSearchParams(signed)}`);
}

async function signInByMessenger(browser: Browser, over?: Record<string, string>) {
  await browser.signIn("messenger");
  return comeBack(browser, over);
}

/** Signs a challenge with a new key. */
async function prove(challenge: string): Promise<string> {
  const { publicKey, privateKey } = await generateKeyPair("EdDSA");
  return new CompactSign(new TextEncoder().encode(challenge))
    .setProtectedHeader({ alg: "EdDSA", jwk: await exportJWK(publicKey) })
    .sign(privateKey);
}

async function readChallenge(browser: Browser): Promise<string> {
  const page = await (await browser.get("/auth/keypair/keypair")).text();
  return /localhost:3000 [\w-]{22}/.exec(page)?.[0] ?? "";
}

/** Responds to the challenge that the provider's page shows. */
async function answer(browser: Browser): Promise<Response> {
  return browser.signInWith("keypair", { proof: await prove(await readChallenge(browser)) });
}

const METHODS = [
  {
    title: "signed parameters",
    id: "messenger",
    type: "signed",
    file: "_signed-parameters",
    complete: (browser: Browser) => comeBack(browser),
    target: /^https:\/\/messenger\.example\/login\?return_to=/,
  },
  {
    title: "a challenge and its response",
    id: "keypair",
    type: "keypair",
    file: "_challenge-response",
    complete: answer,
    target: /\/auth\/keypair\/keypair$/,
  },
];

describe.each(METHODS)("a provider type of another package: $title", (method) => {
  const { id, type, file, complete, target } = method;
  const [other] = METHODS.filter((one) => one !== method);

  it("signs in, stores user and account, and redirects to the target of the start", async () => {
    const { browser, adapter, getUserId } = createApp();
    await browser.signIn(id, { callbackUrl: "/inbox" });
    const response = await complete(browser);
    expect(locationOf(response)).toBe("/inbox");
    const userId = await getUserId();
    expect(await adapter.listAccountsByUserId?.(String(userId))).toMatchObject([
      { provider: id, type: type },
    ]);
  });

  it("is refused without an attempt of this browser", async () => {
    const { browser, log } = createApp();
    const response = await browser.signInWith(id, {});
    expect(queryOf(response)).toEqual({ error: "InvalidCheck" });
    log.expectErrors("InvalidCheck");
  });

  it("is accepted once: neither a copied cookie nor a second submission signs in again", async () => {
    const { browser, openBrowser, log } = createApp();
    await browser.signIn(id);
    const thief = openBrowser();
    for (const [cookie, value] of browser.cookies) thief.cookies.set(cookie, value);
    await complete(browser);
    const again = await complete(thief);
    expect(queryOf(again)).toEqual({ error: "InvalidCheck" });
    expect(await thief.session()).toBeNull();
    log.expectErrors("InvalidCheck");
  });

  it("is linked to the signed-in user who requests it", async () => {
    const { browser, adapter, getUserId } = createApp();
    await browser.signIn(other?.id ?? "");
    await other?.complete(browser);
    const before = await getUserId();
    await browser.signIn(id, { link: "true" });
    await complete(browser);
    expect(await getUserId()).toBe(before);
    expect(await adapter.listAccountsByUserId?.(String(before))).toHaveLength(2);
  });

  it("is a button with an icon on the sign-in page", async () => {
    const { browser } = createApp();
    const page = await (await browser.get("/auth/signin")).text();
    expect(page).toContain(`action="${ORIGIN}/auth/signin/${id}"`);
    expect(page.split('src="data:image/svg+xml,')).toHaveLength(1 + METHODS.length);
  });

  it("has its own cookie, which the application can rename", async () => {
    const { browser, auth } = createApp();
    await browser.signIn(id);
    expect([...browser.cookies.keys()]).toContain(`keyhook.${type}-attempt`);
    expect(auth.inspect().cookies[`${type}Attempt`]).toMatchObject({ attributes: { maxAge: 900 } });
  });

  it("starts from keyhook/client", async () => {
    const { auth, browser } = createApp();
    const client = createAuthClient({
      baseUrl: ORIGIN,
      fetch: async (input, init) => {
        const request = new Request(input, init);
        const isPost = request.method === "POST";
        const path = new URL(request.url).pathname;
        const headers = Object.fromEntries(request.headers);
        return isPost
          ? browser.post(path, Object.fromEntries(new URLSearchParams(await request.text())), {
              headers,
            })
          : browser.get(path, { headers });
      },
    });
    const result = await client.signIn(id, { redirect: false });
    expect(auth.inspect().providers.map((one) => one.id)).toContain(id);
    expect(result).toMatchObject({ ok: true });
    expect(result?.url).toMatch(target);
  });

  it("is defined in at most 30 lines", () => {
    const text = readFileSync(new URL(`./${file}.ts`, import.meta.url), "utf8");
    const [, body = ""] =
      /\n(export interface [\s\S]*?)\n(?:const logo|export const \w+Plugin)/.exec(text) ?? [];
    const lines = body.split("\n").filter((line) => line.trim() && !/^\s*\/\//.test(line));
    expect(lines.length).toBeGreaterThan(15);
    expect(lines.length).toBeLessThanOrEqual(30);
  });
});

describe("refusals of a provider type of another package", () => {
  it.each([
    ["a forged hash", {}, "00".repeat(32)],
    ["no hash", {}, ""],
    ["parameters of yesterday", { date: "1000000000" }, undefined],
  ])("%s is refused with the error's text in two languages", async (_, over, hash) => {
    const { browser, log } = createApp();
    await browser.signIn("messenger");
    const response = await comeBack(browser, over, hash);
    expect(queryOf(response)).toEqual({ error: "BadSignature" });
    const read = async (language: string) =>
      (
        await browser.get("/auth/signin?error=BadSignature", {
          headers: { "accept-language": language },
        })
      ).text();
    expect(await read("en")).toContain("The signature is wrong.");
    expect(await read("de")).toContain("Die Signatur ist falsch.");
    log.expectErrors("BadSignature");
  });

  it("the same signed parameters do not sign in twice, each in a separate attempt", async () => {
    const { browser, openBrowser, log } = createApp();
    const date = toDate();
    await signInByMessenger(browser, { date });
    const thief = openBrowser();
    expect(queryOf(await signInByMessenger(thief, { date }))).toEqual({ error: "BadSignature" });
    log.expectErrors("BadSignature");
  });

  it("a challenge of another browser is not accepted", async () => {
    const { browser, openBrowser, log } = createApp();
    const victim = openBrowser();
    await browser.signIn("keypair");
    await victim.signIn("keypair");
    const proof = await prove(await readChallenge(victim));
    const response = await browser.signInWith("keypair", { proof });
    expect(queryOf(response)).toEqual({ error: "BadProof" });
    log.expectErrors("BadProof");
  });

  it("no posted text causes a server error", async () => {
    const { browser, log } = createApp();
    for (const text of ODD_TEXTS) {
      await browser.signIn("keypair");
      const response = await browser.signInWith("keypair", { proof: text });
      expect(queryOf(response)).toEqual({ error: "BadProof" });
    }
    log.expectErrors(...ODD_TEXTS.map(() => "BadProof"));
  });

  it("an empty account id of a flow is refused", async () => {
    const { browser, log } = createApp();
    await browser.signIn("messenger");
    expect(queryOf(await comeBack(browser, { id: "" }))).toEqual({ error: "Configuration" });
    log.expectErrors("InvalidIdentity");
  });
});

describe("defineFlow()", () => {
  const wrong = { finish: () => ({ user: {}, account: { providerAccountId: "1" } }) };

  it("a flow without start and page is a fault at boot that names it", () => {
    const flow = defineFlow("idle", wrong);
    const { auth, log } = createTestAuth({ use: [flow()] });
    expect(() => auth.inspect()).toThrow('The flow "idle" needs `finish`, and `start` or `page`.');
    log.expectErrors("PluginError");
  });

  it("a start that returns nothing, of a flow without a page, is an error that names it", async () => {
    const flow = defineFlow("idle", { ...wrong, start: () => {} });
    const provider = {
      name: "idle",
      setup: (kernel: Parameters<ReturnType<typeof flow>["setup"]>[0]) =>
        kernel.addProvider({ id: "idle", name: "Idle", type: "idle" }),
    };
    const { browser, log } = createTestAuth({ use: [flow(), provider] });
    expect(queryOf(await browser.signIn("idle"))).toEqual({ error: "Configuration" });
    const [error] = log.expectErrors("PluginError");
    expect(error?.message).toContain('`start` of the flow "idle" must return a Response');
  });

  it("`linked`, `completed` and `failed` run around the sign-in, as in a flow without attempts", async () => {
    const calls: string[] = [];
    const flow = defineFlow<ProviderBase & { type: "idle" }>("idle", {
      ...wrong,
      start: (ctx) => ctx.redirect(ctx.provider.callbackUrl),
      linked: (_, { account }) => void calls.push(`linked ${account.providerAccountId}`),
      completed: (_, { account }) => void calls.push(`completed ${account.providerAccountId}`),
      failed: (_, error) => void calls.push(`failed ${(error as Error).name}`),
    });
    let isOpen = false;
    const provider = definePlugin({
      name: "idle",
      setup(kernel) {
        kernel.addProvider({ id: "idle", name: "Idle", type: "idle" });
        kernel.hooks.signIn.tap("idle", () => isOpen);
      },
    });
    const { browser, log } = createTestAuth({ use: [flow(), provider] });
    await browser.follow(await browser.signIn("idle"), 1);
    expect(calls.splice(0)).toEqual(["failed AccessDenied"]);
    log.expectErrors("AccessDenied");
    isOpen = true;
    await browser.follow(await browser.signIn("idle"), 1);
    expect(calls).toEqual(["linked 1", "completed 1"]);
  });

  it("a misspelled `failed` is a fault at boot", () => {
    const flow = defineFlow("idle", {
      ...wrong,
      start: () => {},
      faild: () => {},
    } as object as typeof wrong);
    const { auth, log } = createTestAuth({ use: [flow()] });
    expect(() => auth.inspect()).toThrow("failed");
    log.expectErrors("PluginError");
  });

  it("the page of an ended attempt explains that it is over", async () => {
    const { browser, log } = createApp();
    const response = await browser.get("/auth/keypair/keypair");
    expect(queryOf(response)).toEqual({ error: "InvalidCheck" });
    log.expectErrors("InvalidCheck");
  });
});

describe("an attempt of defineFlow()", () => {
  const COOKIE = "keyhook.signed-attempt";

  it("belongs to one provider: another one of the same type refuses it", async () => {
    const second = messengerPlugin({ key: KEY, id: "second" });
    const { browser, log } = createApp({
      use: [messengerPlugin({ key: KEY }), second, databaseStrategy()],
    });
    await browser.signIn("second");
    expect(queryOf(await comeBack(browser))).toEqual({ error: "InvalidCheck" });
    expect(await browser.session()).toBeNull();
    log.expectErrors("InvalidCheck");
  });

  it.each([{}, { value: "" }, { value: 1 }, { value: null }, { value: ["x"] }])(
    "is refused when its cookie contains %j instead of a value",
    async (token) => {
      const app = createApp();
      const salt = COOKIE;
      const sealed = { ...token, provider: "messenger" };
      app.browser.cookies.set(COOKIE, await encode({ token: sealed, secret: SECRET, salt }));
      expect(queryOf(await comeBack(app.browser))).toEqual({ error: "InvalidCheck" });
      expect(await app.browser.session()).toBeNull();
      app.log.expectErrors("InvalidCheck");
    },
  );

  it("is removed from the browser when it ends, after a success or a failure", async () => {
    for (const hash of [undefined, "00".repeat(32)]) {
      const { browser, log } = createApp();
      await browser.signIn("messenger");
      expect(browser.cookies.has(COOKIE)).toBe(true);
      await comeBack(browser, {}, hash);
      expect(browser.cookies.has(COOKIE)).toBe(false);
      if (hash) log.expectErrors("BadSignature");
    }
  });
});
