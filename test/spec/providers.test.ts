import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { OAuthProvider } from "../../plugins/flows/oauth/provider.ts";
import { gitlabPlugin } from "../../plugins/providers/gitlab.ts";
import { createAuth } from "../../presets/index.ts";
import { createClock } from "../../src/testing/testing.ts";
import type { Account, ProviderBase, User } from "../../src/types.ts";
import { createTestAuth, LOVELACE, ORIGIN, plainAdapter, queryOf, Rows, SECRET } from "../_app.ts";
import { CLIENT_ID, CLIENT_SECRET, type Op, startOp } from "../_op.ts";
import { createMailApp } from "../flows/_mail.ts";
import {
  attemptCookies,
  createOAuthApp,
  expectRefused,
  expectSignedIn,
  oauth,
  oidc,
} from "../flows/_oauth.ts";

const PROXY = "https://proxy.example/auth";
type Proxied = Pick<OAuthProvider, "checks" | "redirectProxyUrl">;

let op: Op;
beforeAll(async () => void (op = await startOp()));
afterAll(() => op.close());
beforeEach(() => op.reset());

const tokenRequest = () => op.received.find(({ path }) => path === "/token");
const listKeys = (account: object | undefined) => Object.keys(account ?? {}).sort();
const bootWith = (...providers: ProviderBase[]) =>
  createOAuthApp(op, providers, { errors: "allowed" }).auth.inspect();
const getPage = async (path: string, ...providers: ProviderBase[]) =>
  (await createOAuthApp(op, providers).browser.get(path)).text();

/** Returns the URL that the visitor is redirected to. */
async function asked(provider: ProviderBase, config: object = {}): Promise<URL> {
  return new URL(await createOAuthApp(op, [provider], config).startSignIn());
}

/** Lists the checks that the authorization request contains. */
async function listChecks(provider: ProviderBase, config: object = {}): Promise<string[]> {
  const { searchParams } = await asked(provider, config);
  const sent = { pkce: "code_challenge", state: "state", nonce: "nonce" };
  return Object.entries(sent).flatMap(([check, name]) => (searchParams.has(name) ? [check] : []));
}

/** Completes a sign-in, and returns the event's data and the stored records. */
async function signedIn(provider: ProviderBase) {
  const rows = new Rows();
  const signIn = vi.fn<(message: { user: User; account: Account | null }) => void>();
  const app = createOAuthApp(op, [provider], {
    adapter: plainAdapter(rows),
    session: { strategy: "jwt" },
    events: { signIn },
  });
  await expectSignedIn(app, await app.signIn(provider.id));
  const { user, account } = signIn.mock.calls[0]?.[0] ?? {};
  return { user, account, stored: rows.accounts[0], owner: rows.users[0] };
}

describe("SPEC Account", () => {
  const now = 1_780_000_000;
  const authorization_details = [{ type: "payment", actions: ["read"] }];
  let seen: Awaited<ReturnType<typeof signedIn>>;
  beforeAll(async () => {
    using _ = createClock(now * 1000);
    const more = { authorization_details, token_type: "BEARER" };
    op.script = { tokens: (answer) => ({ ...answer, ...more }) };
    seen = await signedIn(oidc(op, { profile: () => ({ id: "from-profile" }) }));
  });

  it.each<[field: string, value: unknown]>([
    ["provider: provider id of the account", "op"],
    ["providerAccountId: for oauth/oidc the id returned by the profile callback", "from-profile"],
    ["type: ProviderType", "oidc"],
    ["access_token", "access-token"],
    ["authorization_details: array of AuthorizationDetails", authorization_details],
    ["expires_in: as returned by the token endpoint", 3600],
    ["expires_at: absolute timestamp in seconds", now + 3600],
    ["id_token", expect.stringMatching(/^ey[^.]+\.[^.]+\.[^.]+$/)],
    ["refresh_token", "refresh-token"],
    ["scope", "openid profile email"],
    ["token_type: always returned lowercased", "bearer"],
  ])("Account %s", (field, value) => {
    expect(seen.account).toHaveProperty(field.split(":")[0] ?? "", value);
  });

  it("Account userId: id of the owning user", () => {
    expect(seen.owner?.id).toEqual(expect.any(String));
    expect(seen.stored?.userId).toBe(seen.owner?.id);
  });

  it("Account providerAccountId: for email the user's address, for credentials the id of authorize", async () => {
    const signIn = vi.fn<(message: { account: Account | null }) => void>();
    const mail = createMailApp({ events: { signIn } });
    await mail.browser.get(await mail.requestLink("ada@example.com"));
    await createTestAuth({ events: { signIn } }).browser.signInWith("credentials", LOVELACE);
    const ids = signIn.mock.calls.map(([message]) => message.account?.providerAccountId);
    expect(ids).toEqual(["ada@example.com", "1"]);
  });
});

describe("SPEC Provider configuration", () => {
  it("provider id: unique among configured providers", () => {
    expect(() => bootWith(oauth(op), oidc(op))).toThrow('the id "op"');
  });

  it("provider id: part of the URL, in a resolved provider's callbackUrl and signinUrl", async () => {
    const callbackUrl = `${ORIGIN}/auth/callback/my-id`;
    const urls = { callbackUrl, signinUrl: `${ORIGIN}/auth/signin/my-id` };
    const clientSecret = vi.fn(() => CLIENT_SECRET);
    const provider = oauth(op, { id: "my-id", clientSecret });
    expect(JSON.parse(await getPage("/auth/providers", provider))).toMatchObject({ "my-id": urls });
    await signedIn(provider);
    expect(clientSecret).toHaveBeenCalledWith(expect.objectContaining(urls));
    expect(tokenRequest()?.body.get("redirect_uri")).toBe(callbackUrl);
  });

  it("provider name: label on the button of the default sign-in page", async () => {
    const page = await getPage("/auth/signin", oauth(op, { name: "A <Name>" }));
    expect(page).toContain("Sign in with A &lt;Name&gt;");
  });

  it("provider type: `oidc`, `oauth`, ...; a type that no plugin handles is a fault", () => {
    const types = bootWith(oauth(op), oidc(op, { id: "b" })).providers.map(({ type }) => type);
    expect(types).toEqual(["oauth", "oidc"]);
    expect(() => bootWith({ id: "odd", name: "Odd", type: "odd" })).toThrow('type "odd"');
  });
});

describe("SPEC OAuth-type config", () => {
  const url = "https://op.example/in";
  const handler = { url, params: { scope: "read" } };

  it.each<[row: string, Partial<OAuthProvider>, sent: object]>([
    ["clientId", { clientId: "mine" }, { client_id: "mine" }],
    ["authorization: string, the URL the user is sent to", { authorization: url }, { url }],
    ["authorization: handler", { authorization: handler }, { url, scope: "read" }],
    [
      "redirectProxyUrl: override",
      { redirectProxyUrl: PROXY },
      { redirect_uri: `${PROXY}/callback/op` },
    ],
  ])("OAuth config %s", async (_, more, sent) => {
    const general = { redirectProxyUrl: "https://general.example" };
    const { origin, pathname, searchParams } = await asked(oauth(op, more), general);
    const query = Object.fromEntries(searchParams);
    expect({ ...query, url: origin + pathname }).toMatchObject(sent);
  });

  it("clientSecret: authenticates the token request", async () => {
    await signedIn(oauth(op, { clientSecret: "s3cret" }));
    expect(tokenRequest()?.headers.authorization).toBe(`Basic ${btoa(`${CLIENT_ID}:s3cret`)}`);
  });

  it("issuer: a response of another issuer is refused", async () => {
    op.script = { answer: (params) => params.set("iss", "https://other.example") };
    const app = createOAuthApp(op, [oauth(op, { issuer: op.issuer })]);
    await expectRefused(app, await app.signIn(), "signin?error=InvalidCheck");
  });

  it("jwks_endpoint: the keys are fetched from it", async () => {
    const keys = JSON.stringify({ keys: op.keys.map(({ jwk }) => jwk) });
    op.script = { takeover: { "/keys": (_, response) => void response.end(keys) } };
    await signedIn(oidc(op, { jwks_endpoint: `${op.issuer}/keys` }));
    expect([op.count("/keys"), op.count("/jwks")]).toEqual([1, 0]);
  });

  it("wellKnown: replaces separate authorization/token/userinfo settings", async () => {
    const { authorization: _, token: __, userinfo: ___, ...rest } = oauth(op);
    const wellKnown = `${op.issuer}/.well-known/openid-configuration`;
    await signedIn({ ...rest, wellKnown } as OAuthProvider);
    expect([op.count("/token"), op.count("/userinfo")]).toEqual([1, 1]);
  });

  it("token: a string or a handler", async () => {
    await signedIn(oauth(op, { token: `${op.issuer}/token` }));
    const request = () => ({ tokens: { access_token: "access-token", scope: "own" } });
    const { account } = await signedIn(oauth(op, { token: { request } }));
    expect([op.count("/token"), account?.scope]).toEqual([1, "own"]);
  });

  it("userinfo: a string or a handler", async () => {
    await signedIn(oauth(op, { userinfo: `${op.issuer}/userinfo` }));
    const { account } = await signedIn(oauth(op, { userinfo: { request: () => ({ id: "own" }) } }));
    expect([op.count("/userinfo"), account?.providerAccountId]).toEqual([1, "own"]);
  });

  const proxied = { redirectProxyUrl: PROXY };
  const atProxy = { redirectProxyUrl: `${ORIGIN}/auth` };

  it.each<[row: string, Proxied, config: object, checks: string[]]>([
    ["defaults to ['pkce'] (Authentication 8)", {}, {}, ["pkce"]],
    ["array of none, state, pkce", { checks: ["none", "state"] }, {}, ["state"]],
    ["`state` is added with a redirect proxy (Authentication 8)", {}, proxied, ["pkce", "state"]],
    ["`state` is added with a provider's own proxy", proxied, {}, ["pkce", "state"]],
    ["`state` is added at the proxy itself", {}, atProxy, ["pkce", "state"]],
  ])("checks: %s", async (_, more, config, checks) => {
    const discovered = { issuer: op.issuer, authorization: {} };
    expect(await listChecks(oauth(op, { ...discovered, ...more }), config)).toEqual(checks);
    expect(await listChecks(oidc(op, more), config)).toEqual(checks);
  });

  it("checks: the default adds `state`, and `nonce` for OIDC, unless metadata lists S256 (stricter than the row)", async () => {
    expect(await listChecks(oauth(op))).toEqual(["pkce", "state"]);
    const authorization = `${op.issuer}/authorize`;
    expect(await listChecks(oidc(op, { authorization }))).toEqual(["pkce", "state", "nonce"]);
    expect(await listChecks(oauth(op, { checks: ["pkce"] }))).toEqual(["pkce"]);
  });

  it("checks: `none` alone sends nothing", async () => {
    expect(await listChecks(oauth(op, { checks: ["none"] }))).toEqual([]);
    expect(await listChecks(oidc(op, { checks: ["none"] }))).toEqual([]);
  });

  it("account: stores seven fields of the token set by default", async () => {
    const more = { id_token: "e30.e30.c2ln", session_state: "s", secret: "x", scope: "a" };
    op.script = { tokens: (answer) => ({ ...answer, ...more }) };
    const kept = "access_token id_token refresh_token expires_at scope token_type session_state";
    const key = "provider providerAccountId type userId";
    expect(listKeys((await signedIn(oauth(op))).stored)).toEqual(
      `${kept} ${key}`.split(" ").sort(),
    );
  });

  it("account: callback(tokens) returns the subset of the token set to store", async () => {
    const account: OAuthProvider["account"] = ({ token_type: type }) => ({ scope: `of ${type}` });
    const { stored } = await signedIn(oauth(op, { account }));
    expect(listKeys(stored)).toEqual(["provider", "providerAccountId", "scope", "type", "userId"]);
    expect(stored?.scope).toBe("of bearer");
  });

  it("profile: defaults to id, email, name, image", async () => {
    op.script = {
      userinfo: (claims) => ({ ...claims, picture: "https://op.example/ada.png", locale: "en" }),
    };
    const { user, account, owner } = await signedIn(oauth(op));
    const ada = {
      email: "ada@example.com",
      name: "Ada Lovelace",
      image: "https://op.example/ada.png",
    };
    expect(account?.providerAccountId).toBe("subject-1");
    expect(user).toEqual({ ...ada, id: owner?.id, emailVerified: null });
  });

  it("profile: callback(profile, tokens) returns the User", async () => {
    const profile: OAuthProvider["profile"] = ({ sub }, tokens) => ({
      id: `${sub}`,
      name: `${sub} by ${tokens.access_token}`,
    });
    expect((await signedIn(oauth(op, { profile }))).user?.name).toBe("subject-1 by access-token");
  });

  // Authentication 11. Stricter than the row: links only by an address that the provider reports as verified.
  it.each<[flag: boolean | "unset", verified: boolean, linked: boolean]>([
    ["unset", true, false],
    [false, true, false],
    [true, true, true],
    [true, false, false],
  ])(
    "allowDangerousEmailAccountLinking: %j, verified %j, linked %j",
    async (flag, verified, linked) => {
      const rows = new Rows();
      rows.users = [{ id: "1", email: "ada@example.com", emailVerified: new Date() }];
      op.script = { userinfo: (claims) => ({ ...claims, email_verified: verified }) };
      const more = flag === "unset" ? {} : { allowDangerousEmailAccountLinking: flag };
      const config = { adapter: plainAdapter(rows), session: { strategy: "jwt" as const } };
      const response = await createOAuthApp(op, [oauth(op, more)], {
        ...config,
        errors: "allowed",
      }).signIn();
      expect(queryOf(response).error).toBe(linked ? undefined : "OAuthAccountNotLinked");
      expect(rows.accounts.map(({ userId }) => userId)).toEqual(linked ? ["1"] : []);
    },
  );

  it.each([[new Date()], [true], ["2026-01-01"], [1]])(
    "profile: a mapping with `emailVerified` %j does not verify an address",
    async (emailVerified) => {
      const profile = () => ({ id: "1", email: "ada@example.com", emailVerified }) as User;
      const { owner, user } = await signedIn(oauth(op, { profile }));
      expect(owner).toMatchObject({ email: "ada@example.com", emailVerified: null });
      expect(user).toMatchObject({ emailVerified: null });
    },
  );

  it("client: overrides options of the underlying OAuth library", async () => {
    await signedIn(oauth(op, { client: { token_endpoint_auth_method: "client_secret_post" } }));
    expect(tokenRequest()?.body.get("client_secret")).toBe(CLIENT_SECRET);
    expect(tokenRequest()?.headers.authorization).toBeUndefined();
  });

  it.each(["brandColor", "bg"])("style: %s is the color of the button", async (name) => {
    const page = await getPage("/auth/signin", oauth(op, { style: { [name]: "#a1b2c3" } }));
    expect(page).toContain("#a1b2c3");
  });
});

describe("SPEC OIDC-type config", () => {
  it("checks: may also contain nonce (Authentication 8)", async () => {
    expect(await listChecks(oidc(op, { checks: ["pkce", "nonce"] }))).toEqual(["pkce", "nonce"]);
    expect(() => bootWith(oauth(op, { checks: ["nonce"] }))).toThrow('"nonce"');
  });

  it("idToken: when false, user data is fetched from the userinfo endpoint", async () => {
    op.script = { userinfo: (claims) => ({ ...claims, name: "Of Userinfo" }) };
    expect((await signedIn(oidc(op))).user?.name).toBe("Ada Lovelace");
    expect((await signedIn(oidc(op, { idToken: false }))).user?.name).toBe("Of Userinfo");
  });

  it("idToken: when false, an id_token must still be returned", async () => {
    op.script = { tokens: ({ id_token: _, ...answer }) => answer };
    const app = createOAuthApp(op, [oidc(op, { idToken: false })]);
    const { message } = await expectRefused(app, await app.signIn());
    expect(message).toContain("no ID token");
  });
});

describe("SPEC Authentication for OAuth", () => {
  it("5. AUTH_<PROVIDER>_ID and _SECRET are read with the id in upper snake case", async () => {
    const env = { AUTH_MY_OWN_OP_ID: "from-env", AUTH_MY_OWN_OP_SECRET: "secret-of-env" };
    const { clientId: _, clientSecret: __, ...bare } = oauth(op, { id: "my-own-op" });
    const app = createOAuthApp(op, [bare as OAuthProvider], { env });
    await expectSignedIn(app, await app.signIn("my-own-op"));
    const credentials = btoa("from-env:secret-of-env");
    expect(tokenRequest()?.headers.authorization).toBe(`Basic ${credentials}`);
  });

  it("5. the options of a provider function override its defaults", async () => {
    const env = { AUTH_GITLAB_ID: "from-env", AUTH_GITLAB_SECRET: "s" };
    const auth = createAuth({ secret: SECRET, trustHost: true, env });
    auth.use(gitlabPlugin({ clientId: "given", authorization: "https://mine.example/authorize" }));
    const target = await auth.signIn(new Request(ORIGIN), "gitlab", { redirect: false });
    expect(target).toMatch(/^https:\/\/mine\.example\/authorize\?client_id=given&/);
  });

  it("8. a sign-in request without csrfToken in its body starts nothing", async () => {
    const app = createOAuthApp(op, [oauth(op)], { errors: "allowed" });
    const response = await app.browser.post("/auth/signin/op");
    expect(queryOf(response).error).toBe("MissingCSRF");
    expect(attemptCookies(app)).toEqual([]);
  });
});
