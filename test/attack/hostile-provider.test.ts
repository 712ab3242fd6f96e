// A provider, or a user of an honest one, who states more than a profile.
import { describe, expect, it } from "vitest";
import type { OAuthProvider } from "../../plugins/flows/oauth/provider.ts";
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

// The mapping that is written most: everything, and an id.
const spread = { profile: (claims: Profile) => ({ ...claims, id: String(claims.sub) }) };

describe("claims that are facts of the kernel", () => {
  it("a provider that says nothing of an address does not attest it by a claim of that name (R5)", async () => {
    const claims = { sub: "mallory", email: ADDRESS, emailAttested: true, emailVerified: "2020" };
    const app = createApp(claims, spread, memoryBackend());
    await enter(app);
    const attacker = await app.getUserId();
    expect(attacker).toBeDefined();

    const victim = createBrowser((request) => app.auth.fetch(request));
    const link = await app.requestLink(ADDRESS, victim);
    await victim.get(link);
    expect(await victim.session()).not.toBeNull();
    // Neither the session nor the account of before leads to the user of the victim.
    expect(await app.browser.session()).toBeNull();
    await enter(app);
    expect(await app.getUserId()).not.toBe(await app.getUserId(victim));
    app.log.expectErrors("OAuthAccountNotLinked");
  });

  it("a claim that an address is verified says nothing of another one that the mapping has chosen (R5)", async () => {
    // A user of an honest provider who may choose the user name.
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

  it("a token response says nothing of the address where the application stores all of it (R5)", async () => {
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
    // An account that is known has its tokens written at each sign-in.
    await enter(app);

    const victim = createBrowser((request) => app.auth.fetch(request));
    await victim.get(await app.requestLink(ADDRESS, victim));
    expect(await victim.session()).not.toBeNull();
    await enter(app);
    expect(await app.getUserId()).not.toBe(await app.getUserId(victim));
    app.log.expectErrors("OAuthAccountNotLinked");
  });

  it("without an adapter, the address is verified if the provider says so, not by a claim of the mapping", async () => {
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
  // The mapping of most providers with numbers as ids.
  const profile = ({ id }: Profile) => ({ id: (id as unknown as number).toString() });

  it.each([
    ["17841405793187217", "17841405793187218"],
    ["9007199254740992", "9007199254740993"],
    ["-9007199254740993", "-9007199254740992"],
  ])("the users %s and %s are two, whom the parser of JSON would round to one", async (...ids) => {
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

describe("claims that are no text", () => {
  it.each([{ $ne: null }, ["Ada"], 7, true, { length: 3 }])(
    "the name %j is not a user's name",
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
  it.each(["constructor", "__proto__", "toString", "\ud800", "\ud801", "a\u0000b"])(
    "the subject %j is a user of its own",
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
