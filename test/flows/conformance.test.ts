import { CompactSign, exportJWK, generateKeyPair, calculateJwkThumbprint } from "jose";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { storeAdapter } from "../../plugins/adapters/store.ts";
import { blueskyPlugin } from "../../plugins/providers/bluesky.ts";
import { passkeyPlugin } from "../../plugins/providers/passkey.ts";
import { steamPlugin } from "../../plugins/providers/steam.ts";
import { memoryStore } from "../../plugins/stores/memory.ts";
import { createAuth } from "../../presets/index.ts";
import { customFetch } from "../../src/kernel.ts";
import {
  createIdentityProvider,
  createOutbox,
  createTestAuth,
  type FlowSuiteOptions,
  type FlowStart,
  type TestAuth,
  type TestAuthOptions,
  testFlow,
} from "../../src/testing.ts";
import {
  ADA,
  APP,
  type AtprotoNetwork,
  changeJson,
  ENTRYWAY,
  startAtprotoNetwork,
} from "./_atproto.ts";
import { createAuthenticator, type Credential } from "./_authenticator.ts";
import { keypairPlugin } from "./_challenge-response.ts";
import type { Given } from "./_passkey.ts";
import { postedPlugin } from "./_posted-flow.ts";
import { messengerPlugin, sign } from "./_signed-parameters.ts";
import { createSteam } from "./_steam.ts";

const runner = { describe, expect, it };
const STORED = () => ({ plugins: [memoryStore(), storeAdapter()] });

const consent: FlowSuiteOptions["begin"] = async ({ app, browser, user, provider, fields }) => {
  const started = await browser.signIn(provider, fields);
  const url = started.headers.get("location") ?? "";
  const response = await app.idp.authorize(url, { sub: user, name: user });
  return { account: user, site: app.idp.issuer, ...response };
};

const HTTPS = "https://app.example.com";
const POSTED = { authorization: { params: { response_mode: "form_post" } } };

const OAUTH: Record<string, [provider: object, config?: () => TestAuthOptions]> = {
  oidc: [{}, STORED],
  "oidc, without an adapter": [{}],
  "oidc, over https": [
    {},
    () => ({ ...STORED(), origin: HTTPS, env: { NODE_ENV: "test", AUTH_URL: HTTPS } }),
  ],
  "oidc, with a posted response": [POSTED, STORED],
  oauth: [{ type: "oauth" }, STORED],
  "oauth, with a posted response": [{ type: "oauth", ...POSTED }, STORED],
  "oauth, without a state": [{ type: "oauth", checks: ["pkce"] }, STORED],
  "oauth, without any check": [{ type: "oauth", checks: ["none"] }, STORED],
};

for (const [name, [provider, config]] of Object.entries(OAUTH)) {
  describe(`the flow ${name}`, () => {
    const make = (): TestAuth => {
      const idp = createIdentityProvider();
      const providers = [idp.provider(provider as { type: "oidc" })];
      return createTestAuth(createAuth, { idp, providers, ...config?.(), debug: true });
    };
    const without = name.includes("any check") ? (["state"] as const) : [];
    testFlow(make, runner, { begin: consent, without });
  });
}

const ADDRESSES = { ada: "ada@example.com", eve: "eve@example.com", bob: "bob@example.com" };

describe("the flow email", () => {
  const make = () => {
    const outbox = createOutbox();
    return {
      outbox,
      ...createTestAuth(createAuth, { providers: [outbox.provider()], ...STORED() }),
    };
  };
  testFlow(make, runner, {
    maxAge: 86_400,
    async begin({ app, browser, user, provider, fields }) {
      const email = ADDRESSES[user];
      await browser.signIn(provider, { email, ...fields });
      return { url: app.outbox.last(email).url, account: email };
    },
  });
});

describe("the flow email, by its code", () => {
  const make = () => {
    const outbox = createOutbox();
    const providers = [outbox.provider({ code: true })];
    return { outbox, ...createTestAuth(createAuth, { providers, ...STORED() }) };
  };
  testFlow(make, runner, {
    async begin({ app, browser, user, provider, fields }) {
      const email = ADDRESSES[user];
      await browser.signIn(provider, { email, ...fields });
      const { code = "" } = app.outbox.last(email);
      return { url: `/auth/signin/${provider}`, fields: { code }, account: email };
    },
  });
});

const PASSWORDS = { ada: "lovelace-1815", eve: "eavesdrop-1984", bob: "builder-1999" };

describe.each(["jwt", "database"])("the flow credentials, strategy %s", (strategy) => {
  const make = () =>
    createTestAuth(createAuth, {
      ...STORED(),
      session: { strategy },
      providers: [
        {
          id: "credentials",
          name: "Password",
          type: "credentials",
          credentials: { username: {}, password: { type: "password" } },
          authorize: ({ username, password }) =>
            password && PASSWORDS[username as "ada"] === password
              ? { id: `id-${username}`, name: username ?? null }
              : null,
        },
      ],
    });
  testFlow(make, runner, {
    without: ["attempt"],
    begin: ({ user, fields }) => ({
      fields: { ...fields, username: user, password: PASSWORDS[user] },
      account: `id-${user}`,
    }),
  });
});

/** An application with passkeys, and what each user's authenticator holds. */
function createPasskeyApp() {
  const app = createTestAuth(createAuth, {
    ...STORED(),
    providers: [passkeyPlugin({ enableConditionalUI: false })],
    experimental: { enableWebAuthn: true },
    env: { NODE_ENV: "test", AUTH_URL: "http://localhost:3000" },
  });
  return { ...app, authenticator: createAuthenticator(), held: new Map<string, Credential>() };
}

type PasskeyStart = FlowStart<ReturnType<typeof createPasskeyApp>>;

async function respond(
  { app, browser, user, provider, fields }: PasskeyStart,
  action: "register" | "authenticate",
) {
  const { authenticator, held } = app;
  const query = new URLSearchParams({ action, email: ADDRESSES[user] });
  const asked = await browser.get(`/auth/webauthn-options/${provider}?${query}`);
  const { options } = (await asked.json()) as Given;
  const isNew = action === "register";
  const data = isNew
    ? await authenticator.create(options)
    : await authenticator.get(options, {}, held.get(user));
  if (isNew) held.set(user, authenticator.held.at(-1) as Credential);
  return { fields: { ...fields, action, data: JSON.stringify(data) } };
}

describe("the flow webauthn", () => {
  testFlow(createPasskeyApp, runner, {
    async begin(start) {
      const { app, user, fields } = start;
      const isRegistration = fields.link !== undefined;
      if (!isRegistration && !app.held.has(user)) {
        const browser = app.openBrowser();
        const { fields: posted } = await respond({ ...start, browser, fields: {} }, "register");
        await browser.signInWith("passkey", posted);
      }
      return respond(start, isRegistration ? "register" : "authenticate");
    },
  });
});

const STEAM_IDS = {
  ada: "76561197960287930",
  eve: "76561197960287931",
  bob: "76561197960287932",
};

describe("the flow openid2", () => {
  const make = () => {
    const steam = createSteam();
    const providers = [steamPlugin({ [customFetch]: steam.fetch })];
    return { steam, ...createTestAuth(createAuth, { ...STORED(), providers }) };
  };
  testFlow(make, runner, {
    async begin({ app, browser, user, provider, fields }) {
      const started = await browser.signIn(provider, fields);
      const request = new URL(started.headers.get("location") ?? "");
      const account = STEAM_IDS[user];
      const claimed = `https://steamcommunity.com/openid/id/${account}`;
      const over = { "openid.claimed_id": claimed, "openid.identity": claimed };
      const url = new URL(request.searchParams.get("openid.return_to") ?? "");
      for (const [name, value] of Object.entries(app.steam.respond(request, over))) {
        url.searchParams.append(name, value);
      }
      return { url: url.href, account };
    },
  });
});

describe("the flow atproto", () => {
  let network: AtprotoNetwork;
  beforeAll(async () => {
    network = await startAtprotoNetwork();
  });
  afterAll(() => network.close());

  const account = (name: string) => ({
    ...ADA,
    did: `did:plc:${name}234567${name}234567${name}234`,
    handle: `${name}.bsky.social`,
  });
  const subjects = new Map<string, string>();
  const make = () => {
    network.accounts = ["ada", "eve", "bob"].map(account);
    network.changes = {
      [`${ENTRYWAY}/token`]: (response, request) => {
        const code = (request.init.body as URLSearchParams).get("code") ?? "";
        return changeJson((body) => (body.error ? body : { ...body, sub: subjects.get(code) }))(
          response,
          request,
        );
      },
    };
    const providers = [blueskyPlugin({ [customFetch]: network.fetch })];
    const app = createTestAuth(createAuth, { ...STORED(), origin: APP, providers });
    network.app = app as never;
    return app;
  };
  testFlow(make, runner, {
    async begin({ browser, user, provider, fields }) {
      const { handle, did } = account(user);
      const started = await browser.signIn(provider, { handle, ...fields });
      const { url } = await network.idp.visit(started.headers.get("location") ?? "");
      subjects.set(new URL(url).searchParams.get("code") ?? "", did);
      return { url, account: did };
    },
  });
});

describe("a flow with signed challenges", async () => {
  const open = async () => {
    const { publicKey, privateKey } = await generateKeyPair("EdDSA");
    const jwk = await exportJWK(publicKey);
    return { privateKey, jwk, account: await calculateJwkThumbprint(jwk) };
  };
  const keys = { ada: await open(), eve: await open(), bob: await open() };
  testFlow(
    () => createTestAuth(createAuth, { ...STORED(), providers: [keypairPlugin()] }),
    runner,
    {
      async begin({ browser, user, provider, fields }) {
        const page = await browser.follow(await browser.signIn(provider, fields));
        const challenge = /localhost:3000 [\w-]{22}/.exec(await page.text())?.[0];
        const { privateKey, jwk, account } = keys[user];
        const proof = await new CompactSign(new TextEncoder().encode(challenge))
          .setProtectedHeader({ alg: "EdDSA", jwk })
          .sign(privateKey);
        return { fields: { proof }, account };
      },
    },
  );
});

describe("a flow whose responses another site posts", () => {
  const make = () =>
    createTestAuth(createAuth, {
      providers: [],
      plugins: [memoryStore(), storeAdapter(), postedPlugin("RelayState")],
    });
  testFlow(make, runner, {
    async begin({ browser, user, provider, fields }) {
      const started = await browser.signIn(provider, fields);
      const { searchParams } = new URL(started.headers.get("location") ?? "");
      const RelayState = searchParams.get("RelayState") ?? "";
      return { fields: { RelayState, user }, site: "https://sso.example", account: user };
    },
  });
});

describe("a flow with signed parameters", () => {
  const key = "the key of the messenger";
  const make = () =>
    createTestAuth(createAuth, { ...STORED(), providers: [messengerPlugin({ key })] });
  testFlow(make, runner, {
    without: ["state"],
    async begin({ browser, user, provider, fields }) {
      const started = await browser.signIn(provider, fields);
      const { searchParams } = new URL(started.headers.get("location") ?? "");
      const id = `id-${user}-${crypto.randomUUID()}`.slice(0, 6);
      const parameters = {
        id,
        name: user,
        date: String(Math.floor(Date.now() / 1000)),
        nonce: crypto.randomUUID(),
      };
      const hash = sign(parameters, key).toString("hex");
      const url = `${searchParams.get("return_to")}?${new URLSearchParams({ ...parameters, hash })}`;
      return { url, account: id };
    },
  });
});
