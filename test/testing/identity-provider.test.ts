import * as oauth from "oauth4webapi";
import { describe, expect, it } from "vitest";
import type { Check, OIDCProvider } from "../../plugins/flows/oauth/provider.ts";
import { githubPlugin } from "../../plugins/providers/github.ts";
import { googlePlugin } from "../../plugins/providers/google.ts";
import { tiktokPlugin } from "../../plugins/providers/tiktok.ts";
import { createAuth } from "../../presets/index.ts";
import {
  createClock,
  createIdentityProvider,
  createTestAuth,
  type IdentityProvider,
  type Tamper,
} from "../../src/testing/testing.ts";

const CALLBACK = "http://localhost:3000/auth/callback/idp";
const GRACE = { sub: "7", name: "Grace", email: "grace@example.com", email_verified: true };

/**
 * Runs the code flow up to the code with only oauth4webapi, which makes the checks that the RFCs
 * require of a client.
 */
async function startStrictly(idp: IdentityProvider) {
  const http = { [oauth.customFetch]: (url: string, init: object) => idp.fetch(url, init) };
  const issuer = new URL(idp.issuer);
  const discovered = await oauth.discoveryRequest(issuer, http);
  const server = await oauth.processDiscoveryResponse(issuer, discovered);
  const client = {
    client_id: idp.client.clientId,
    id_token_signed_response_alg: String(server.id_token_signing_alg_values_supported),
    require_auth_time: true,
  };
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const nonce = oauth.generateRandomNonce();
  const query = new URLSearchParams({
    client_id: client.client_id,
    redirect_uri: CALLBACK,
    response_type: "code",
    scope: "openid profile email",
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    state,
    nonce,
  });
  const redirected = await idp.fetch(`${server.authorization_endpoint}?${query}`);
  const target = new URL(redirected.headers.get("location") ?? "");
  const params = oauth.validateAuthResponse(server, client, target, state);
  const authentication = oauth.ClientSecretBasic(idp.client.clientSecret);
  const redeem = (
    { by = authentication, to = CALLBACK, proof = verifier } = {} as {
      by?: oauth.ClientAuth;
      to?: string;
      proof?: string;
    },
  ) => oauth.authorizationCodeGrantRequest(server, client, by, params, to, proof, http);
  const readTokens = (response: Response) =>
    oauth.processAuthorizationCodeResponse(server, client, response, {
      expectedNonce: nonce,
      maxAge: 60,
      requireIdToken: true,
    });
  return { server, client, authentication, http, redeem, readTokens };
}

describe("createIdentityProvider() as a server that conforms to the RFCs", () => {
  it.each(["ES256", "RS256"] as const)(
    "a strict client accepts discovery, code, PKCE, nonce, the ID token signed with %s, and userinfo",
    async (alg) => {
      const { server, client, http, redeem, readTokens } = await startStrictly(
        createIdentityProvider({ alg, user: GRACE }),
      );
      const response = await redeem();
      expect(response.headers.get("cache-control")).toBe("no-store");
      const tokens = await readTokens(response);
      await oauth.validateApplicationLevelSignature(server, response, http);
      const claims = oauth.getValidatedIdTokenClaims(tokens);
      expect(claims).toMatchObject(GRACE);
      const answer = await oauth.userInfoRequest(server, client, tokens.access_token, http);
      const userinfo = await oauth.processUserInfoResponse(server, client, "7", answer);
      expect(userinfo).toEqual(GRACE);
    },
  );

  it("a strict client accepts refreshed tokens, and each refresh token works once", async () => {
    const idp = createIdentityProvider();
    const { server, client, authentication, http, redeem, readTokens } = await startStrictly(idp);
    const first = await readTokens(await redeem());
    const refresh = () =>
      oauth.refreshTokenGrantRequest(
        server,
        client,
        authentication,
        first.refresh_token ?? "",
        http,
      );
    const second = await oauth.processRefreshTokenResponse(server, client, await refresh());
    expect(second.access_token).not.toBe(first.access_token);
    expect(second.refresh_token).not.toBe(first.refresh_token);
    expect(oauth.getValidatedIdTokenClaims(second)).toMatchObject({ sub: "1" });
    expect(await (await refresh()).json()).toMatchObject({ error: "invalid_grant" });
  });

  it.each<
    [string, string, number, Parameters<Awaited<ReturnType<typeof startStrictly>>["redeem"]>]
  >([
    ["another code_verifier", "invalid_grant", 400, [{ proof: "x".repeat(43) }]],
    ["another redirect_uri", "invalid_grant", 400, [{ to: `${CALLBACK}/other` }]],
    ["a wrong secret", "invalid_client", 401, [{ by: oauth.ClientSecretBasic("wrong") }]],
    ["no secret", "invalid_client", 401, [{ by: oauth.None() }]],
  ])("a token request with %s is refused with %s", async (_, error, status, given) => {
    const { redeem } = await startStrictly(createIdentityProvider());
    const response = await redeem(...given);
    expect(response.status).toBe(status);
    expect(await response.json()).toMatchObject({ error, error_description: expect.any(String) });
    expect(response.headers.has("www-authenticate")).toBe(status === 401);
  });

  it("a code works once and for ten minutes, and a secret in the body is accepted", async () => {
    const idp = createIdentityProvider();
    const post = oauth.ClientSecretPost(idp.client.clientSecret);
    const { redeem } = await startStrictly(idp);
    expect((await redeem({ by: post })).status).toBe(200);
    expect(await (await redeem()).json()).toMatchObject({ error: "invalid_grant" });

    using clock = createClock();
    const late = await startStrictly(idp);
    clock.advance("10 minutes");
    expect(await (await late.redeem()).json()).toMatchObject({ error: "invalid_grant" });
  });

  it("an access token works for an hour", async () => {
    using clock = createClock();
    const idp = createIdentityProvider();
    const { redeem, readTokens } = await startStrictly(idp);
    const { access_token, expires_in } = await readTokens(await redeem());
    expect(expires_in).toBe(3600);
    const headers = { authorization: `Bearer ${access_token}` };
    clock.advance("59 minutes");
    expect((await idp.fetch(idp.endpoints.userinfo, { headers })).status).toBe(200);
    clock.advance("1 minute");
    expect((await idp.fetch(idp.endpoints.userinfo, { headers })).status).toBe(401);
  });

  it("userinfo refuses unknown access tokens with a challenge", async () => {
    const idp = createIdentityProvider();
    const headers = { authorization: "Bearer unknown" };
    const response = await idp.fetch(idp.endpoints.userinfo, { headers });
    expect(response.status).toBe(401);
    expect(response.headers.get("www-authenticate")).toBe('Bearer error="invalid_token"');
  });

  it("a token request by GET and one of another grant type are refused", async () => {
    const idp = createIdentityProvider({ clientSecret: "" });
    expect((await idp.fetch(idp.endpoints.token)).status).toBe(405);
    const body = new URLSearchParams({ grant_type: "password" });
    const response = await idp.fetch(idp.endpoints.token, { method: "POST", body });
    expect(await response.json()).toMatchObject({ error: "unsupported_grant_type" });
  });
});

describe("createIdentityProvider() with Keyhook's own flow", () => {
  const checks: Check[] = ["pkce", "state", "nonce"];
  const signIn = async (make: (idp: IdentityProvider) => object, user = GRACE) => {
    const idp = createIdentityProvider();
    const app = createTestAuth(createAuth, { idp, providers: [make(idp) as OIDCProvider] });
    await app.browser.signInAs(user);
    return app;
  };

  it.each<[string, (idp: IdentityProvider) => object]>([
    ["type oidc", (idp) => idp.provider()],
    ["type oidc and all checks", (idp) => idp.provider({ checks })],
    ["userinfo instead of the ID token", (idp) => idp.provider({ checks, idToken: false })],
    [
      "all checks and a posted response",
      (idp) => idp.provider({ checks, authorization: { params: { response_mode: "form_post" } } }),
    ],
    ["type oauth", (idp) => idp.provider({ type: "oauth", checks: ["pkce", "state"] })],
    [
      "type oauth and PKCE with the method plain",
      (idp) => idp.provider({ type: "oauth", authorization: { codeChallengeMethod: "plain" } }),
    ],
    [
      "the secret in the body",
      (idp) => idp.provider({ client: { token_endpoint_auth_method: "client_secret_post" } }),
    ],
    [
      "a query token at the userinfo endpoint",
      (idp) => idp.provider({ type: "oauth", userinfo: { token: "query:access_token" } }),
    ],
  ])("a provider with %s signs the given user in", async (_, make) => {
    const { browser, log } = await signIn(make);
    expect(log.errors).toEqual([]);
    expect(await browser.session()).toMatchObject({
      user: { name: "Grace", email: "grace@example.com" },
    });
  });

  it("a public client signs in without a secret", async () => {
    const idp = createIdentityProvider({ clientSecret: "" });
    const client = { token_endpoint_auth_method: "none" } as const;
    const { browser } = createTestAuth(createAuth, { idp, providers: [idp.provider({ client })] });
    await browser.signInAs(GRACE);
    expect(await browser.session()).toMatchObject({ user: { name: "Grace" } });
  });

  it("options of idp.provider() are merged over the entry, and keep the URLs of the endpoints", () => {
    const idp = createIdentityProvider({ issuer: "https://id.example/tenant/" });
    expect(idp.provider({ id: "acme", name: "Acme", checks })).toMatchObject({
      id: "acme",
      name: "Acme",
      type: "oidc",
      issuer: "https://id.example/tenant/",
      checks,
    });
    const params = { scope: "read" };
    expect(idp.provider({ type: "oauth", authorization: { params } })).toMatchObject({
      type: "oauth",
      authorization: { url: "https://id.example/tenant/authorize", params },
      token: { url: "https://id.example/tenant/token" },
    });
  });

  it("idp.client serves a provider of the catalog whose endpoints are discovered", async () => {
    const idp = createIdentityProvider({ issuer: "https://accounts.google.com", alg: "RS256" });
    const { browser } = createTestAuth(createAuth, { idp, providers: [googlePlugin(idp.client)] });
    await browser.signInAs({ ...GRACE, picture: "https://images.example/g" }, "google");
    expect(await browser.session()).toMatchObject({
      user: { name: "Grace", image: "https://images.example/g" },
    });
    expect(idp.requests.map(({ url }) => url.pathname)).toEqual([
      "/.well-known/openid-configuration",
      "/token",
      "/jwks",
    ]);
  });

  it("endpoints and resources replace an API at another origin", async () => {
    const emails = [{ email: "octo@example.com", primary: true, verified: true }];
    const idp = createIdentityProvider({
      issuer: "https://github.com/login/oauth",
      endpoints: {
        authorization: "https://github.com/login/oauth/authorize",
        token: "https://github.com/login/oauth/access_token",
        userinfo: "https://api.github.com/user",
      },
      resources: { "https://api.github.com/user/emails": emails },
    });
    const { browser } = createTestAuth(createAuth, { idp, providers: [githubPlugin(idp.client)] });
    await browser.signInAs({ id: "42", name: "Octo", email: null }, "github");
    expect(await browser.session()).toMatchObject({
      user: { name: "Octo", email: "octo@example.com" },
    });
  });

  it("a user without `sub` is identified by id, address or name", async () => {
    const idp = createIdentityProvider();
    const seen: unknown[] = [];
    const { openBrowser } = createTestAuth(createAuth, {
      idp,
      events: { signIn: ({ account }) => void seen.push(account?.providerAccountId) },
    });
    for (const user of [{ id: "9" }, { email: "a@example.com" }, { name: "Ada" }, {}])
      await openBrowser().signInAs(user);
    expect(seen).toEqual(["9", "a@example.com", "Ada", "1"]);
  });

  it("idp.user consents if no user is given, and a given user applies once", async () => {
    const { idp, openBrowser } = createTestAuth(createAuth);
    const [first, second] = [openBrowser(), openBrowser()];
    idp.user = GRACE;
    await Promise.all([first.signInAs({ name: "Eve" }), second.signInAs()]);
    expect(await first.session()).toMatchObject({ user: { name: "Eve" } });
    expect(await second.session()).toMatchObject({ user: { name: "Grace" } });
  });

  it("idp.requests contains the requests of the application", async () => {
    const { idp, browser } = createTestAuth(createAuth);
    await browser.signInAs();
    const sent = idp.requests.find(({ method }) => method === "POST");
    expect(sent?.url.href).toBe("https://idp.example/token");
    expect(sent?.headers.get("authorization")).toMatch(/^Basic /);
    expect(sent?.body.get("redirect_uri")).toBe(CALLBACK);
  });
});

describe("an identity provider that refuses or misbehaves", () => {
  it.each<[string, Tamper | ((idp: IdentityProvider) => Tamper), string, RegExp]>([
    [
      "another audience",
      { idToken: (claims) => ({ ...claims, aud: "x" }) },
      "Configuration",
      /aud/,
    ],
    [
      "a changed claim",
      { idToken: (claims) => void (claims.nonce = "x") },
      "Configuration",
      /nonce/,
    ],
    ["an invalid ID token", { idToken: () => "no token" }, "Configuration", /invalid/],
    [
      "an ID token that another provider has signed",
      ({ issuer }) => {
        const other = createIdentityProvider({ issuer });
        return { idToken: (claims) => other.sign(claims) };
      },
      "Configuration",
      /key/,
    ],
    [
      "no ID token",
      { token: ({ id_token: _, ...body }) => body },
      "Configuration",
      /ID token|id_token/,
    ],
    [
      "another status",
      { token: () => Response.json({ error: "invalid_grant" }, { status: 400 }) },
      "Configuration",
      /invalid_grant/,
    ],
    ["a server that is down", { token: () => new Response("", { status: 503 }) }, "OAuth", /503/],
    [
      "a network error",
      {
        token: () => {
          throw new TypeError("fetch failed");
        },
      },
      "OAuth",
      /cannot be reached/,
    ],
    ["no keys", { jwks: () => ({ keys: [] }) }, "Configuration", /key/],
    [
      "another issuer in the metadata",
      { discovery: (document) => ({ ...document, issuer: "https://evil.example" }) },
      "OAuthSignInError",
      /issuer/,
    ],
    ["a wrong state", { authorization: (params) => params.set("state", "x") }, "InvalidCheck", /./],
    [
      "another issuer in the response",
      { authorization: (params) => params.set("iss", "https://evil.example") },
      "InvalidCheck",
      /iss/,
    ],
  ])("tamper: %s is refused, and the log explains why", async (_, tamper, error, reason) => {
    const idp = createIdentityProvider();
    idp.tamper = typeof tamper === "function" ? tamper(idp) : tamper;
    const checks: Check[] = ["pkce", "state", "nonce"];
    const { browser, log } = createTestAuth(createAuth, {
      idp,
      providers: [idp.provider({ checks })],
    });
    await expect(browser.signInAs(GRACE)).rejects.toThrow(`?error=${error}`);
    expect(await browser.session()).toBeNull();
    const text = log.errors.map((one) => `${one.message} ${JSON.stringify(one.cause)}`).join();
    expect(text).toMatch(reason);

    idp.tamper = {};
    const again = createTestAuth(createAuth, { idp }).browser;
    await again.signInAs(GRACE);
    expect(await again.session()).toMatchObject({ user: { name: "Grace" } });
  });

  it("tamper.userinfo changes the profile of plain OAuth 2", async () => {
    const idp = createIdentityProvider();
    const providers = [idp.provider({ type: "oauth" })];
    const { browser } = createTestAuth(createAuth, { idp, providers });
    idp.tamper = { userinfo: (claims) => ({ ...claims, name: "Mallory" }) };
    await browser.signInAs(GRACE);
    expect(await browser.session()).toMatchObject({ user: { name: "Mallory" } });
    idp.tamper = { userinfo: () => new Response("no", { status: 403 }) };
    await expect(browser.signInAs(GRACE)).rejects.toThrow("?error=Configuration");
  });

  it("an access token that tamper changed is the one that is accepted", async () => {
    const idp = createIdentityProvider();
    idp.tamper = { token: (body) => void (body.access_token = "mine") };
    const providers = [idp.provider({ type: "oauth" })];
    const { browser } = createTestAuth(createAuth, { idp, providers });
    await browser.signInAs(GRACE);
    expect(idp.requests.at(-1)?.headers.get("authorization")).toBe("Bearer mine");
  });

  it("tamper.token as a Response that is not JSON: its tokens are accepted", async () => {
    const idp = createIdentityProvider();
    idp.tamper = {
      token: ({ access_token: token }) => new Response(`access_token=${String(token)}`),
    };
    const conform = async (response: Response) =>
      Response.json({
        ...Object.fromEntries(new URLSearchParams(await response.text())),
        token_type: "bearer",
      });
    const token = { url: idp.endpoints.token, conform };
    const providers = [idp.provider({ type: "oauth", token })];
    const { browser } = createTestAuth(createAuth, { idp, providers });
    await browser.signInAs(GRACE);
    expect(await browser.session()).toMatchObject({ user: { name: "Grace" } });
  });

  it("clientIdParam: a provider of the catalog with another name for the client id signs in", async () => {
    const idp = createIdentityProvider({
      clientIdParam: "client_key",
      endpoints: {
        authorization: "https://www.tiktok.com/v2/auth/authorize/",
        token: "https://open.tiktokapis.com/v2/oauth/token/",
        userinfo: "https://open.tiktokapis.com/v2/user/info/",
      },
    });
    idp.tamper = {
      userinfo: ({ sub, name }) => ({ data: { user: { open_id: sub, display_name: name } } }),
    };
    const providers = [tiktokPlugin(idp.client)];
    const { browser } = createTestAuth(createAuth, { idp, providers });
    await browser.signInAs(GRACE, "tiktok");
    expect(await browser.session()).toMatchObject({ user: { name: "Grace" } });
  });

  it("idp.refuse makes authorization requests fail with an error until it is unset", async () => {
    const { idp, browser, log } = createTestAuth(createAuth);
    idp.refuse = "access_denied";
    await expect(browser.signInAs(GRACE)).rejects.toThrow("?error=OAuthCallbackError");
    expect(log.errors[0]?.cause).toMatchObject({ error: "access_denied" });
    idp.refuse = undefined;
    await browser.signInAs(GRACE);
    expect(await browser.session()).toMatchObject({ user: { name: "Grace" } });
  });

  it("authorize() throws for a request that a real provider would not redirect", async () => {
    const idp = createIdentityProvider();
    const at = (query: object) =>
      idp.authorize(`${idp.endpoints.authorization}?${new URLSearchParams({ ...query })}`);
    await expect(at({ client_id: "x" })).rejects.toThrow(
      'has the client_id "x", but only "client" is registered',
    );
    await expect(at({ client_id: "client" })).rejects.toThrow("has no redirect_uri");
    const asked = { client_id: "client", redirect_uri: CALLBACK, response_type: "token" };
    const refused = new URL((await at(asked)).url);
    expect(refused.searchParams.get("error")).toBe("unsupported_response_type");
  });

  it("a URL that the provider does not have fails like an unknown host, and names the fix", async () => {
    const idp = createIdentityProvider();
    await expect(idp.fetch("https://idp.example/other?x=1")).rejects.toThrow(
      "The identity provider https://idp.example has nothing at https://idp.example/other. Add it to `endpoints` or `resources`.",
    );
  });

  it("resources need a valid access token", async () => {
    const url = "https://api.example/me";
    const idp = createIdentityProvider({ resources: { [url]: { secret: true } } });
    expect((await idp.fetch(url)).status).toBe(401);
  });

  it("the authorization endpoint posts a form automatically if the response mode is a POST", async () => {
    const idp = createIdentityProvider();
    const query = new URLSearchParams({
      client_id: "client",
      redirect_uri: CALLBACK,
      response_type: "code",
      response_mode: "form_post",
      state: '"><script>',
    });
    const response = await idp.fetch(`${idp.endpoints.authorization}?${query}`);
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const text = await response.text();
    expect(text).toContain(`<form method="post" action="${CALLBACK}">`);
    expect(text).toContain('name="state" value="&#34;&#62;&#60;script&#62;"');
  });
});

describe("an identity provider of a service that accepts JSON", () => {
  it("reads the fields of a token request from a JSON object", async () => {
    const idp = createIdentityProvider();
    const provider = idp.provider({
      type: "oauth",
      token: {
        url: idp.endpoints.token,
        async request({
          provider: { clientId, clientSecret },
          params,
          checks,
          redirectUri,
          fetch,
        }) {
          const response = await fetch(idp.endpoints.token, {
            method: "POST",
            headers: { "content-type": "application/json" },
            body: JSON.stringify({
              grant_type: "authorization_code",
              code: params.code,
              redirect_uri: redirectUri,
              client_id: clientId,
              client_secret: clientSecret,
              ...checks,
            }),
          });
          return { tokens: (await response.json()) as { access_token: string } };
        },
      },
    });
    const { browser } = createTestAuth(createAuth, { idp, providers: [provider] });
    await browser.signInAs(GRACE);
    expect(await browser.session()).toMatchObject({ user: { name: "Grace" } });
    expect(
      idp.requests.find(({ url }) => url.pathname === "/token")?.body.get("code"),
    ).toBeTruthy();
  });
});
