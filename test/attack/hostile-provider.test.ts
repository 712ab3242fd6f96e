// A provider, or a user of an honest provider, that sends more than a profile.
import { createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import type { OAuthProvider, OIDCProvider } from "../../plugins/flows/oauth/provider.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { standardPreset } from "../../presets/index.ts";
import { customFetch, type Login, type Profile, type StoreBackend } from "../../src/kernel.ts";
import { createBrowser } from "../../src/testing/testing.ts";
import { createTestAuth, unservedOAuth } from "../_app.ts";

const ADDRESS = "victim@corp.example";

function createApp(claims: Profile, more: Partial<OAuthProvider> = {}, store?: StoreBackend) {
  const logins: Login[] = [];
  const provider: OAuthProvider = {
    ...unservedOAuth("acme"),
    [customFetch]: async (input) => {
      const { pathname } = new URL(input instanceof Request ? input.url : input);
      const tokens = { access_token: "access", token_type: "bearer" };
      return Response.json(pathname.endsWith("/token") ? tokens : claims);
    },
    ...more,
  };
  const app = createTestAuth({
    preset: standardPreset,
    errors: "read",
    providers: [provider],
    use: [
      {
        name: "test/logins",
        setup: (kernel) =>
          kernel.hooks.login.tap("test/logins", (login) => void logins.push(login)),
      },
    ],
    ...(store && { store, mail: {}, strategy: "database" }),
  });
  return { ...app, logins };
}

async function enter({ browser }: ReturnType<typeof createApp>): Promise<Response> {
  const started = await browser.signIn("acme");
  const state = new URL(started.headers.get("location") ?? "").searchParams.get("state") ?? "";
  return browser.get(`/auth/callback/acme?${new URLSearchParams({ code: "code", state })}`);
}

// The most common mapping: all claims, and an id.
const spread = { profile: (claims: Profile) => ({ ...claims, id: String(claims.sub) }) };

describe("provider claims with the names of the kernel's own facts", () => {
  it("a provider that reports nothing about an address cannot attest it with such a claim (R5)", async () => {
    const claims = { sub: "mallory", email: ADDRESS, emailAttested: true, emailVerified: "2020" };
    const app = createApp(claims, spread, memoryBackend());
    await enter(app);
    const attacker = await app.getUserId();
    expect(attacker).toBeDefined();

    const victim = createBrowser((request) => app.auth.fetch(request));
    const link = await app.requestLink(ADDRESS, victim);
    await victim.get(link);
    expect(await victim.session()).not.toBeNull();
    // Neither the earlier session nor the earlier account leads to the victim's user.
    expect(await app.browser.session()).toBeNull();
    await enter(app);
    expect(await app.getUserId()).not.toBe(await app.getUserId(victim));
    app.log.expectErrors("OAuthAccountNotLinked");
  });

  it("a verified address does not verify another one that the mapping has chosen (R5)", async () => {
    // A user of an honest provider who may choose a user name.
    const claims = { sub: "mallory", email: "mallory@evil.example", email_verified: true };
    const byName = {
      profile: ({ sub, preferred_username: email }: Profile) => ({ id: String(sub), email }),
    } as Partial<OAuthProvider>;
    const app = createApp({ ...claims, preferred_username: ADDRESS }, byName, memoryBackend());
    await enter(app);
    expect(await app.getUserId()).toBeDefined();

    const victim = createBrowser((request) => app.auth.fetch(request));
    await victim.get(await app.requestLink(ADDRESS, victim));
    expect(await victim.session()).not.toBeNull();
    expect(await app.browser.session()).toBeNull();
    await enter(app);
    expect(await app.getUserId()).not.toBe(await app.getUserId(victim));
    app.log.expectErrors("OAuthAccountNotLinked");
  });

  it("a token response reports nothing about the address, even if the application stores all of it (R5)", async () => {
    const claims = { sub: "mallory", email: ADDRESS };
    const tokens = { access_token: "access", token_type: "bearer", verifiedEmail: ADDRESS };
    const app = createApp(
      claims,
      {
        account: (given) => given,
        [customFetch]: async (input) => {
          const { pathname } = new URL(input instanceof Request ? input.url : input);
          return Response.json(pathname.endsWith("/token") ? tokens : claims);
        },
      },
      memoryBackend(),
    );
    await enter(app);
    // Each sign-in writes the tokens of a known account.
    await enter(app);

    const victim = createBrowser((request) => app.auth.fetch(request));
    await victim.get(await app.requestLink(ADDRESS, victim));
    expect(await victim.session()).not.toBeNull();
    await enter(app);
    expect(await app.getUserId()).not.toBe(await app.getUserId(victim));
    app.log.expectErrors("OAuthAccountNotLinked");
  });

  it("without an adapter, the provider's report verifies the address, and a claim of the mapping does not", async () => {
    const forged = { sub: "mallory", email: ADDRESS, emailVerified: "2020-01-01" };
    const app = createApp(forged, spread);
    await enter(app);
    expect(app.logins.map(({ emailVerified }) => emailVerified)).toEqual([undefined]);

    const honest = createApp({ sub: "ada", email: ADDRESS, email_verified: true }, spread);
    await enter(honest);
    expect(honest.logins.map(({ emailVerified }) => emailVerified)).toEqual([true]);
  });
});

describe("ids beyond the safe integers", () => {
  // The mapping of most providers whose ids are numbers.
  const profile = ({ id }: Profile) => ({ id: (id as unknown as number).toString() });

  it.each([
    ["17841405793187217", "17841405793187218"],
    ["9007199254740992", "9007199254740993"],
    ["-9007199254740993", "-9007199254740992"],
  ])("%s and %s are two users, although a JSON parser would round them to one", async (...ids) => {
    const users: unknown[] = [];
    const store = memoryBackend();
    for (const id of ids) {
      const app = createApp(
        {},
        {
          profile,
          [customFetch]: async (input) => {
            const { pathname } = new URL(input instanceof Request ? input.url : input);
            const tokens = `{"access_token":"access","token_type":"bearer","user_id":${id}}`;
            return new Response(pathname.endsWith("/token") ? tokens : `{"id":${id}}`);
          },
        },
        store,
      );
      await enter(app);
      users.push(await app.getUserId());
      expect(app.logins.map(({ account }) => account.providerAccountId)).toEqual([id]);
    }
    expect(users).not.toContain(undefined);
    expect(new Set(users).size).toBe(2);
  });
});

describe("claims of tokens that the provider signed", () => {
  const ISSUER = "https://idp.example";
  const encode = (text: string) => Buffer.from(text).toString("base64url");

  // Signed with the client's secret, and with members that `JSON.stringify` does not write.
  const sign = (claims: string, more: object) => {
    const now = Math.floor(Date.now() / 1000);
    const own = { iss: ISSUER, aud: "id", sub: "mallory", iat: now, exp: now + 60, ...more };
    const payload = `${JSON.stringify(own).slice(0, -1)},${claims}}`;
    const signed = `${encode('{"alg":"HS256"}')}.${encode(payload)}`;
    return `${signed}.${createHmac("sha256", "secret").update(signed).digest("base64url")}`;
  };

  async function signIn(claims: string, where: "ID token" | "userinfo", store?: StoreBackend) {
    const profiles: unknown[] = [];
    const app = createTestAuth({
      preset: standardPreset,
      errors: "read",
      ...(store && { store, strategy: "database" }),
      callbacks: {
        jwt({ token, profile }) {
          if (profile) profiles.push(profile);
          // Many applications do this.
          return Object.assign(token, profile);
        },
        signIn: ({ profile }) => profiles.push(profile) > 0,
      },
      providers: [
        {
          ...{ id: "acme", name: "Acme", type: "oidc", issuer: ISSUER },
          ...{ clientId: "id", clientSecret: "secret", idToken: where === "ID token" },
          client: {
            id_token_signed_response_alg: "HS256",
            userinfo_signed_response_alg: "HS256",
          },
          profile: ({ uid = "none", email }: Profile) => ({
            id: String(uid),
            email: email as string,
          }),
          [customFetch]: async (input) => {
            const { pathname } = new URL(input instanceof Request ? input.url : input);
            if (pathname.endsWith("/token")) {
              const nonce = asked.searchParams.get("nonce") ?? undefined;
              const idToken = sign(where === "ID token" ? claims : '"x":1', { nonce });
              return Response.json({ access_token: "a", token_type: "bearer", id_token: idToken });
            }
            if (pathname.endsWith("/userinfo")) {
              const headers = { "content-type": "application/jwt" };
              return new Response(sign(claims, {}), { headers });
            }
            return Response.json({
              issuer: ISSUER,
              authorization_endpoint: `${ISSUER}/authorize`,
              token_endpoint: `${ISSUER}/token`,
              userinfo_endpoint: `${ISSUER}/userinfo`,
              jwks_uri: `${ISSUER}/jwks`,
            });
          },
        } as OIDCProvider,
      ],
    });
    const started = await app.browser.signIn("acme");
    const asked = new URL(started.headers.get("location") ?? "");
    const state = asked.searchParams.get("state") ?? "";
    const back = new URLSearchParams({ code: "code", state, iss: ISSUER });
    await app.browser.get(`/auth/callback/acme?${back}`);
    expect(app.log.errors).toEqual([]);
    expect(await app.browser.session()).not.toBeNull();
    return { app, profiles };
  }

  it.each(["ID token", "userinfo"] as const)(
    "ids in the %s beyond the safe integers are two users, although a JSON parser would round them to one",
    async (where) => {
      const store = memoryBackend();
      const users: unknown[] = [];
      for (const id of ["9007199254740992", "9007199254740993"]) {
        const { app } = await signIn(`"uid":${id}`, where, store);
        users.push(await app.getUserId());
      }
      expect(users).not.toContain(undefined);
      expect(new Set(users).size).toBe(2);
    },
  );

  it.each(["ID token", "userinfo"] as const)(
    "no member of the %s becomes the prototype of an object that the application assigns it to",
    async (where) => {
      const { profiles } = await signIn('"__proto__":{"admin":true},"a":{"__proto__":{}}', where);
      expect(profiles.length).toBeGreaterThan(0);
      for (const profile of profiles) expect(JSON.stringify(profile)).not.toContain("__proto__");
    },
  );
});

describe("claims that are not text", () => {
  it.each([{ $ne: null }, ["Ada"], 7, true, { length: 3 }])(
    "the name %j is not stored as the user's name",
    async (name) => {
      const app = createApp({ sub: "mallory", name: name as string }, {}, memoryBackend());
      await enter(app);
      expect(await app.browser.session()).toMatchObject({ user: { name: null } });
      const user = await app.adapter.getUser?.((await app.getUserId()) ?? "");
      expect(user?.name).toBeNull();
    },
  );
});

describe("members of Object.prototype", () => {
  it.each(["constructor", "__proto__", "toString", "\u0001"])(
    "the subject %j is a separate user",
    async (sub) => {
      const store = memoryBackend();
      const ids: unknown[] = [];
      for (const one of [sub, "\ufffd", "ab"]) {
        const app = createApp({ sub: one }, {}, store);
        await enter(app);
        ids.push(await app.getUserId());
      }
      expect(new Set(ids).size).toBe(3);
      expect(ids).not.toContain(undefined);
    },
  );
});

it.each(["\ud800", "a\u0000b"])(
  "the subject %j, which not every database can hold, signs no one in",
  async (sub) => {
    const app = createApp({ sub }, {}, memoryBackend());
    await enter(app);
    expect(await app.getUserId()).toBeUndefined();
  },
);

it("the query of an authorization endpoint does not replace what binds the response", async () => {
  const endpoint = new URL("https://idp.example/authorize");
  endpoint.search = String(
    new URLSearchParams({
      client_id: "another",
      redirect_uri: "https://evil.example/",
      state: "fixed",
      code_challenge: "fixed",
      code_challenge_method: "plain",
    }),
  );
  const app = createApp({ sub: "ada" }, { authorization: endpoint.href });
  const started = await app.browser.signIn("acme");
  const { searchParams } = new URL(started.headers.get("location") ?? "");
  expect(Object.fromEntries(searchParams)).toMatchObject({
    client_id: "id",
    redirect_uri: "http://localhost:3000/auth/callback/acme",
    code_challenge_method: "S256",
  });
  expect(searchParams.getAll("state")).not.toContain("fixed");
  expect(searchParams.getAll("code_challenge")).not.toContain("fixed");
});
