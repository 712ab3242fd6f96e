import { createHash, createHmac } from "node:crypto";
import { CompactSign, exportJWK, generateKeyPair, type JWK, SignJWT } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { OIDCProvider } from "../../plugins/flows/oauth/provider.ts";
import { customFetch } from "../../presets/index.ts";
import { createBrowser, createClock } from "../../src/testing/testing.ts";
import { isSignedIn, ORIGIN } from "../_app.ts";
import { CLIENT_ID, CLIENT_SECRET, type Op, type Script, startOp } from "../_op.ts";
import { createOAuthApp, expectRefused, expectSignedIn, oidc } from "./_oauth.ts";

type Json = Record<string, unknown>;

let op: Op;
beforeAll(async () => {
  op = await startOp();
});
afterAll(() => op.close());
beforeEach(() => op.reset());

/** The two response modes. The Form Post plan includes every module of the Basic plan. */
const plans: Record<string, Partial<OIDCProvider>> = {
  Basic: {},
  "Form post": { authorization: { params: { response_mode: "form_post" } } },
};
const withNonce: Partial<OIDCProvider> = { checks: ["pkce", "state", "nonce"] };

const without =
  (name: string) =>
  (value: Json): Json =>
    Object.fromEntries(Object.entries(value).filter(([key]) => key !== name));
const withClaim =
  (name: string, claim: unknown) =>
  (claims: Json): Json => ({ ...claims, [name]: claim });

const down = (path: string): Script => ({
  takeover: { [path]: (_, response) => void response.writeHead(503).end() },
});

const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const unsigned = (header: Json) => (claims: Json) => `${base64url(header)}.${base64url(claims)}.`;
const signWithSecret = (claims: Json) =>
  new SignJWT(claims)
    .setProtectedHeader({ alg: "HS256" })
    .sign(new TextEncoder().encode(CLIENT_SECRET));
const seconds = () => Math.floor(Date.now() / 1000);

// The first half of the hash of the access token that the provider issues.
const atHash = (hash = "sha256", token = "access-token") => {
  const digest = createHash(hash).update(token).digest();
  return digest.subarray(0, digest.length / 2).toString("base64url");
};

/** Responses that must be accepted. */
const accepted: Record<string, { script?: Script; provider?: Partial<OIDCProvider> }> = {
  "oidcc-client-test": {},
  "oidcc-client-test with state and nonce": { provider: withNonce },
  "oidcc-client-test-kid-absent-single-jwks": { script: { header: without("kid") } },
  "oidcc-client-test-idtoken-sig-rs256": {
    provider: { client: { id_token_signed_response_alg: "RS256" } },
  },
  "oidcc-client-test-client-secret-basic": {
    provider: { client: { token_endpoint_auth_method: "client_secret_basic" } },
  },
  "oidcc-client-test-userinfo-bearer-header": { provider: { idToken: false } },
  "oidcc-client-test-discovery-openid-config": { provider: { wellKnown: "" } },
  "oidcc-client-test-mtls-endpoint-aliases": {
    script: {
      metadata: (document) => ({
        ...document,
        mtls_endpoint_aliases: { token_endpoint: "https://mtls.invalid/token" },
      }),
    },
  },
  "the hash of the access token": { script: { claims: withClaim("at_hash", atHash()) } },
  "a single audience in an array": { script: { claims: withClaim("aud", [CLIENT_ID]) } },
  "a second audience with us as authorized party": {
    script: {
      claims: (claims) => ({ ...claims, aud: [CLIENT_ID, "other"], azp: CLIENT_ID }),
    },
  },
  "claims without email_verified": { script: { claims: without("email_verified") } },
  "a token type in another letter case": { script: { tokens: withClaim("token_type", "bEARER") } },
  "a lifetime as a string": { script: { tokens: withClaim("expires_in", "3600") } },
  "an auth_time that the clock's difference excuses": {
    provider: { client: { default_max_age: 60 } },
    script: { claims: (c) => ({ ...c, auth_time: seconds() - 100 }) },
  },
  "an old auth_time where no age is demanded": {
    provider: { client: { require_auth_time: true } },
    script: { claims: (c) => ({ ...c, auth_time: seconds() - 300 }) },
  },
  "the issuer in the authorization response (RFC 9207)": {
    script: {
      metadata: (document) => ({
        ...document,
        authorization_response_iss_parameter_supported: true,
      }),
      answer: (params) => params.set("iss", op.issuer),
    },
  },
};

/** Responses that must be refused. */
const refused: Record<string, { script: Script; provider?: Partial<OIDCProvider> }> = {
  "oidcc-client-test-invalid-iss": { script: { claims: withClaim("iss", "https://evil.example") } },
  "an issuer with a trailing slash": {
    script: { claims: (c) => ({ ...c, iss: `${op.issuer}/` }) },
  },
  "oidcc-client-test-missing-iss": { script: { claims: without("iss") } },
  "oidcc-client-test-missing-sub": { script: { claims: without("sub") } },
  "an empty subject": { script: { claims: withClaim("sub", "") } },
  "a subject that is not a string": { script: { claims: withClaim("sub", 42) } },
  "oidcc-client-test-invalid-aud": { script: { claims: withClaim("aud", "another-client") } },
  "oidcc-client-test-missing-aud": { script: { claims: without("aud") } },
  "a second audience": { script: { claims: withClaim("aud", [CLIENT_ID, "other"]) } },
  "another authorized party": { script: { claims: withClaim("azp", "other") } },
  "oidcc-client-test-missing-iat": { script: { claims: without("iat") } },
  "an iat a week old": { script: { claims: (c) => ({ ...c, iat: seconds() - 604_800 }) } },
  "an iat in the future": { script: { claims: (c) => ({ ...c, iat: seconds() + 600 }) } },
  "an iat that is not a number": { script: { claims: withClaim("iat", "now") } },
  "an ID token without exp": { script: { claims: without("exp") } },
  "an exp in the past": { script: { claims: (c) => ({ ...c, exp: seconds() - 120 }) } },
  "an nbf in the future": { script: { claims: (c) => ({ ...c, nbf: seconds() + 600 }) } },
  "oidcc-client-test-nonce-invalid": {
    script: { claims: withClaim("nonce", "another") },
    provider: withNonce,
  },
  "a missing nonce": { script: { claims: without("nonce") }, provider: withNonce },
  "an empty nonce": { script: { claims: withClaim("nonce", "") }, provider: withNonce },
  "a nonce that was not sent": { script: { claims: withClaim("nonce", "another") } },
  "oidcc-client-test-idtoken-sig-none": { script: { idToken: unsigned({ alg: "none" }) } },
  "alg NONE in capitals": { script: { idToken: unsigned({ alg: "NONE" }) } },
  "alg none, although the metadata offers it": {
    script: {
      idToken: unsigned({ alg: "none" }),
      metadata: withClaim("id_token_signing_alg_values_supported", ["none"]),
    },
  },
  "a header without alg": { script: { idToken: unsigned({ kid: "key-0" }) } },
  "oidcc-client-test-invalid-sig-rs256": {
    script: {
      async idToken(claims, { kid }) {
        const { privateKey } = await generateKeyPair("RS256");
        return new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid }).sign(privateKey);
      },
    },
  },
  "oidcc-client-test-invalid-at-hash: the hash of another access token": {
    script: { claims: withClaim("at_hash", atHash("sha256", "another")) },
  },
  "the hash of the access token by another algorithm": {
    script: { claims: withClaim("at_hash", atHash("sha512")) },
  },
  "an empty hash of the access token": { script: { claims: withClaim("at_hash", "") } },
  "a hash of the access token that is not text": { script: { claims: withClaim("at_hash", 1) } },
  "a changed payload": {
    script: {
      async idToken(claims, { kid, privateKey }) {
        const token = await new SignJWT(claims)
          .setProtectedHeader({ alg: "RS256", kid })
          .sign(privateKey);
        const [header, , signature] = token.split(".");
        return `${header}.${base64url({ ...claims, sub: "another" })}.${signature}`;
      },
    },
  },
  "oidcc-client-test-invalid-sig-hs256: signed with the client secret": {
    script: {
      idToken: (claims, { kid }) =>
        new SignJWT(claims)
          .setProtectedHeader({ alg: "HS256", kid })
          .sign(new TextEncoder().encode(CLIENT_SECRET)),
    },
  },
  "HS256 with the public key as secret": {
    script: {
      metadata: withClaim("id_token_signing_alg_values_supported", ["RS256", "HS256"]),
      idToken: (claims, { kid, jwk }) =>
        new SignJWT(claims)
          .setProtectedHeader({ alg: "HS256", kid })
          .sign(new TextEncoder().encode(JSON.stringify(jwk))),
    },
  },
  "HS256 by the client secret, because the metadata lists it": {
    script: {
      metadata: withClaim("id_token_signing_alg_values_supported", ["HS256"]),
      idToken: (claims) =>
        new SignJWT(claims)
          .setProtectedHeader({ alg: "HS256" })
          .sign(new TextEncoder().encode(CLIENT_SECRET)),
    },
  },
  "HS256 by no secret, because the metadata of a public client lists it": {
    provider: { clientSecret: "", client: { token_endpoint_auth_method: "none" } },
    script: {
      metadata: withClaim("id_token_signing_alg_values_supported", ["HS256"]),
      async idToken(claims) {
        const parts = `${base64url({ alg: "HS256" })}.${base64url(claims)}`;
        return `${parts}.${createHmac("sha256", "").update(parts).digest("base64url")}`;
      },
    },
  },
  "HS256 by an empty secret, where it is registered": {
    provider: {
      clientSecret: () => "",
      client: {
        id_token_signed_response_alg: "HS256",
        token_endpoint_auth_method: "client_secret_post",
      },
    },
    script: {
      async idToken(claims) {
        const parts = `${base64url({ alg: "HS256" })}.${base64url(claims)}`;
        return `${parts}.${createHmac("sha256", "").update(parts).digest("base64url")}`;
      },
    },
  },
  "HS256 with another secret": {
    provider: { client: { id_token_signed_response_alg: "HS256" } },
    script: {
      idToken: (claims) =>
        new SignJWT(claims)
          .setProtectedHeader({ alg: "HS256" })
          .sign(new TextEncoder().encode("another secret of more than 32 characters")),
    },
  },
  "RS256 where HS256 is registered": {
    provider: { client: { id_token_signed_response_alg: "HS256" } },
    script: {},
  },
  "oidcc-client-test-invalid-sig-es256": {
    script: {
      metadata: withClaim("id_token_signing_alg_values_supported", ["RS256", "ES256"]),
      async idToken(claims, { kid }) {
        const { privateKey } = await generateKeyPair("ES256");
        return new SignJWT(claims).setProtectedHeader({ alg: "ES256", kid }).sign(privateKey);
      },
    },
  },
  "a key in the token's own header": {
    script: {
      async idToken(claims) {
        const { privateKey, publicKey } = await generateKeyPair("RS256", { extractable: true });
        return new SignJWT(claims)
          .setProtectedHeader({ alg: "RS256", jwk: await exportJWK(publicKey) })
          .sign(privateKey);
      },
    },
  },
  "an unknown critical header": {
    script: {
      idToken: (claims, { privateKey, kid }) =>
        new CompactSign(Buffer.from(JSON.stringify(claims)))
          .setProtectedHeader({ alg: "RS256", kid, crit: ["x"], x: 1 })
          .sign(privateKey, { crit: { x: true } }),
    },
  },
  "an encrypted token": { script: { idToken: () => "e30.e30.e30.e30.e30" } },
  "a token response without an ID token": { script: { tokens: without("id_token") } },
  "an ID token that is not a JWT": { script: { tokens: withClaim("id_token", "nonsense") } },
  "an ID token that is not a string": {
    script: { tokens: withClaim("id_token", { sub: "subject-1" }) },
  },
  "a logout token": { script: { header: withClaim("typ", "logout+jwt") } },
  "an access token": { script: { header: withClaim("typ", "at+JWT") } },
  "a payload that is not an object": {
    script: {
      idToken: (_, { privateKey, kid }) =>
        new CompactSign(Buffer.from("[]"))
          .setProtectedHeader({ alg: "RS256", kid })
          .sign(privateKey),
    },
  },
  "oidcc-client-test-userinfo-invalid-sub": {
    provider: { idToken: false },
    script: { userinfo: withClaim("sub", "another") },
  },
  "userinfo without a subject": {
    provider: { idToken: false },
    script: { userinfo: without("sub") },
  },
  "a token response without an access token": { script: { tokens: without("access_token") } },
  "a token response without a token type": { script: { tokens: without("token_type") } },
  "an unsupported token type": { script: { tokens: withClaim("token_type", "mac") } },
  "a scope that is an array": { script: { tokens: withClaim("scope", ["openid"]) } },
  "a lifetime that is not a number": { script: { tokens: withClaim("expires_in", "soon") } },
  "a missing auth_time": {
    provider: { client: { require_auth_time: true } },
    script: {},
  },
  "an auth_time that is too old": {
    provider: { client: { default_max_age: 60 } },
    script: { claims: (c) => ({ ...c, auth_time: seconds() - 300 }) },
  },
  "an auth_time that is older than the `max_age` that was sent": {
    provider: { authorization: { params: { max_age: 60 } }, client: { default_max_age: 900 } },
    script: { claims: (c) => ({ ...c, auth_time: seconds() - 300 }) },
  },
};

/** Responses that must be refused before the token request. */
const refusedAtOnce: Record<string, { script: Script; provider?: Partial<OIDCProvider> }> = {
  "another issuer (RFC 9207)": {
    script: { answer: (params) => params.set("iss", "https://evil.example") },
  },
  "no issuer although the metadata announces one": {
    script: {
      metadata: (document) => ({
        ...document,
        authorization_response_iss_parameter_supported: true,
      }),
    },
  },
  "an ID token in the front channel": {
    script: { answer: (params) => params.set("id_token", "e30.e30.e30") },
  },
  "a JARM response": { script: { answer: (params) => params.set("response", "e30.e30.e30") } },
  "a state that was not sent": { script: { answer: (params) => params.set("state", "x") } },
};

for (const [plan, extra] of Object.entries(plans)) {
  const provider = (more: Partial<OIDCProvider> = {}) => oidc(op, { ...extra, ...more });

  describe(`accepted responses, ${plan} plan`, () => {
    it.each(Object.entries(accepted))(
      `accepts %s (${plan} plan)`,
      async (_, { script, provider: more }) => {
        op.script = script ?? {};
        const wellKnown =
          more?.wellKnown === "" ? `${op.issuer}/.well-known/openid-configuration` : undefined;
        const app = createOAuthApp(op, [provider({ ...more, ...(wellKnown && { wellKnown }) })]);
        await expectSignedIn(app, await app.signIn());
        expect(op.count("/userinfo")).toBe(more?.idToken === false ? 1 : 0);
      },
    );
  });

  describe(`refused responses, ${plan} plan`, () => {
    it.each(Object.entries(refused))(
      `refuses %s (${plan} plan)`,
      async (_, { script, provider: more }) => {
        op.script = script;
        const app = createOAuthApp(op, [provider(more)]);
        await expectRefused(app, await app.signIn());
      },
    );

    it(`the error of an expired or early token mentions the clock (${plan} plan)`, async () => {
      for (const claims of [{ exp: seconds() - 120 }, { iat: seconds() + 600 }]) {
        op.script = { claims: (c) => ({ ...c, ...claims }) };
        const app = createOAuthApp(op, [provider()]);
        const response = await app.signIn();
        expect(app.log.errors[0]?.message).toMatch(/timestamp.*Check the clock of this server\.$/);
        await expectRefused(app, response);
      }
    });

    it.each(Object.entries(refusedAtOnce))(
      `refuses %s before the token request (${plan} plan)`,
      async (name, { script, provider: more }) => {
        op.script = script;
        const app = createOAuthApp(op, [provider(more)]);
        const response = await app.signIn();
        const error = name.startsWith("a state") ? app.log.errors[0] : undefined;
        if (!error) await expectRefused(app, response, "signin?error=InvalidCheck");
        expect(await isSignedIn(app.browser)).toBe(false);
        expect(op.count("/token")).toBe(0);
      },
    );

    it(`oidcc-client-test-kid-absent-multiple-jwks: tries all keys (${plan} plan)`, async () => {
      const [first] = op.keys;
      await op.rotate();
      op.keys.push(first!);
      op.script = { header: without("kid"), jwks: (keys) => keys.toReversed() };
      const app = createOAuthApp(op, [provider()]);
      await expectSignedIn(app, await app.signIn());
    });

    it(`refuses a token without kid that none of several keys verifies (${plan} plan)`, async () => {
      const signing = op.keys[0]!;
      await op.rotate();
      await op.rotate();
      const [one] = op.keys;
      op.script = {
        jwks: () => [one!.jwk, { ...one!.jwk, kid: "again" }],
        idToken: (claims) =>
          new SignJWT(claims).setProtectedHeader({ alg: "RS256" }).sign(signing.privateKey),
      };
      const app = createOAuthApp(op, [provider()]);
      await expectRefused(app, await app.signIn());
    });

    it(`oidcc-client-test-form-post-error: redirects with the provider's error (${plan} plan)`, async () => {
      const app = createOAuthApp(op, [provider({ checks: ["state"] })]);
      const callback = await op.authorize(await app.startSignIn(), "access_denied");
      const error = await expectRefused(
        app,
        await app.finishSignIn(callback),
        "signin?error=OAuthCallbackError",
      );
      expect(error.cause).toMatchObject({ provider: "op", error: "access_denied" });
    });
  });
}

describe("`max_age` in a call of auth.signIn()", () => {
  const signInWithin = async (
    maxAge: string,
    age: number,
    provider: Partial<OIDCProvider> = {},
  ) => {
    op.script = { claims: (c) => ({ ...c, auth_time: seconds() - age }) };
    const app = createOAuthApp(op, [oidc(op, provider)]);
    const call = { req: new Request(`${ORIGIN}/page`), res: { headers: new Headers() } };
    const url = new URL(
      await app.auth.signIn(call, "op", { redirect: false }, { max_age: maxAge }),
    );
    expect(url.searchParams.get("max_age")).toBe(maxAge);
    for (const cookie of call.res.headers.getSetCookie()) {
      const [name = "", value = ""] = cookie.split(";", 1)[0]?.split("=") ?? [];
      app.browser.cookies.set(name, value);
    }
    // The check applies even if the visitor removes the parameter from the URL.
    url.searchParams.delete("max_age");
    return { app, response: await app.finishSignIn(await op.authorize(url.href)) };
  };

  it("refuses an authentication that is too old", async () => {
    const { app, response } = await signInWithin("60", 300);
    const error = await expectRefused(app, response);
    expect(String(error)).toContain("older than `max_age`");
  });

  it("requires a new authentication with 0, whatever the provider's configuration", async () => {
    const { app, response } = await signInWithin("0", 300, { client: { default_max_age: 900 } });
    await expectRefused(app, response);
  });

  it("accepts an authentication that is recent enough", async () => {
    const { app, response } = await signInWithin("600", 300, { client: { default_max_age: 60 } });
    await expectSignedIn(app, response);
  });

  it("is not checked if only a visitor's browser requests it", async () => {
    op.script = { claims: (c) => ({ ...c, auth_time: seconds() - 300 }) };
    const app = createOAuthApp(op, [oidc(op)]);
    const url = await app.startSignIn("op", {}, "?max_age=60");
    await expectSignedIn(app, await app.finishSignIn(await op.authorize(url)));
  });
});

describe("`max_age` in the URL of the authorization endpoint", () => {
  const urls = {
    text: (url: string) => url,
    "an object": (url: string) => ({ url }),
  };

  it.each(Object.entries(urls))(
    "refuses an older authentication, whatever a visitor requests; the URL is %s",
    async (_, toEndpoint) => {
      op.script = { claims: (c) => ({ ...c, auth_time: seconds() - 300 }) };
      const authorization = toEndpoint(`${op.issuer}/authorize?max_age=60`);
      for (const query of ["", "?max_age=9999"]) {
        const app = createOAuthApp(op, [oidc(op, { authorization })]);
        const url = await app.startSignIn("op", {}, query);
        const error = await expectRefused(app, await app.finishSignIn(await op.authorize(url)));
        expect(String(error)).toContain("older than `max_age`");
      }
    },
  );

  it("is overridden by `params`", async () => {
    op.script = { claims: (c) => ({ ...c, auth_time: seconds() - 300 }) };
    const url = `${op.issuer}/authorize?max_age=60`;
    const app = createOAuthApp(op, [
      oidc(op, { authorization: { url, params: { max_age: 900 } } }),
    ]);
    await expectSignedIn(app, await app.signIn());
  });
});

describe("OpenID Connect authorization request", () => {
  it("oidcc-client-test-scope-userinfo-claims: requests claims by scope, with S256 and without nonce", async () => {
    const app = createOAuthApp(op, [oidc(op)]);
    const url = new URL(await app.startSignIn());
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: "code",
      client_id: CLIENT_ID,
      redirect_uri: "http://localhost:3000/auth/callback/op",
      scope: "openid profile email",
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: "S256",
    });
  });

  it("oidcc-client-test-nonce-unless-code-flow: sends a nonce when configured", async () => {
    const app = createOAuthApp(op, [oidc(op, { checks: ["nonce"] })]);
    const url = new URL(await app.startSignIn());
    expect(url.searchParams.get("nonce")).toMatch(/^[\w-]{43}$/);
    expect(url.searchParams.has("code_challenge")).toBe(false);
    await expectSignedIn(app, await app.finishSignIn(await op.authorize(url.href)));
  });

  it("oidcc-client-test-distributed-claims: does not request the endpoints of distributed claims", async () => {
    const source = { src: { endpoint: `${op.issuer}/claims`, access_token: "x" } };
    op.script = {
      claims: (c) => ({ ...c, _claim_names: { credit: "src" }, _claim_sources: source }),
    };
    const app = createOAuthApp(op, [oidc(op)]);
    await expectSignedIn(app, await app.signIn());
    expect(op.count("/claims")).toBe(0);
  });
});

describe("OpenID Connect discovery", () => {
  const lies: Record<string, (document: Json) => Json> = {
    "oidcc-client-test-discovery-issuer-mismatch": withClaim("issuer", "https://evil.example"),
    "metadata without an issuer": without("issuer"),
    "an issuer that is not a string": withClaim("issuer", 7),
    "metadata without an authorization endpoint": without("authorization_endpoint"),
    "a javascript: URL as authorization endpoint": withClaim(
      "authorization_endpoint",
      "javascript:alert(1)",
    ),
    "an authorization endpoint without TLS": withClaim(
      "authorization_endpoint",
      "http://idp.example/authorize",
    ),
    "a token endpoint without TLS": withClaim("token_endpoint", "http://idp.example/token"),
  };
  it.each(Object.entries(lies))("discovery refuses %s", async (_, metadata) => {
    op.script = { metadata };
    const app = createOAuthApp(op, [oidc(op)]);
    expect(await app.startSignIn()).toBe(
      "http://localhost:3000/auth/signin?error=OAuthSignInError",
    );
    expect(app.log.errors[0]).toMatchObject({ type: "OAuthSignInError" });
  });

  it.each([201, 206, 304, 400, 404])("discovery refuses metadata of status %i", async (status) => {
    const document = JSON.stringify({
      issuer: op.issuer,
      authorization_endpoint: `${op.issuer}/authorize`,
      token_endpoint: `${op.issuer}/token`,
      jwks_uri: `${op.issuer}/jwks`,
    });
    op.script.takeover = {
      "/.well-known/openid-configuration": (_, response) =>
        void response.writeHead(status, { "content-type": "application/json" }).end(document),
    };
    const app = createOAuthApp(op, [oidc(op)]);
    expect(await app.startSignIn()).toBe(
      "http://localhost:3000/auth/signin?error=OAuthSignInError",
    );
    expect(app.log.errors[0]).toMatchObject({ type: "OAuthSignInError" });
  });

  describe.each(["authorization_endpoint", "token_endpoint", "userinfo_endpoint", "jwks_uri"])(
    "metadata from the internet whose %s leads elsewhere",
    (name) => {
      it.each([
        "https://127.0.0.1/x",
        "https://127.1/x",
        "https://2130706433/x",
        "https://localhost/x",
        "https://LOCALHOST:8443/x",
        "https://a.localhost/x",
        "https://[::1]/x",
        "http://localhost/x",
        "http://far.example/x",
        "file:///etc/passwd",
        "x",
      ])("discovery refuses %s and requests nothing from it", async (endpoint) => {
        const issuer = "https://far.example";
        const seen: string[] = [];
        const document = {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `${issuer}/token`,
          userinfo_endpoint: `${issuer}/userinfo`,
          jwks_uri: `${issuer}/jwks`,
          [name]: endpoint,
        };
        const far: typeof fetch = async (input) => {
          seen.push(input instanceof Request ? input.url : `${input as string | URL}`);
          return Response.json(document);
        };
        const app = createOAuthApp(op, [oidc(op, { issuer, [customFetch]: far })]);
        expect(await app.startSignIn()).toBe(
          "http://localhost:3000/auth/signin?error=OAuthSignInError",
        );
        expect(app.log.errors[0]).toMatchObject({ type: "OAuthSignInError" });
        expect(seen).toEqual([`${issuer}/.well-known/openid-configuration`]);
      });
    },
  );

  it.each([
    "https://10.0.0.5/x",
    "https://172.16.0.1/x",
    "https://192.168.1.1/x",
    "https://169.254.169.254/latest",
    "https://[fd00::1]/x",
    "https://[::ffff:10.0.0.5]/x",
    "https://[::ffff:127.0.0.1]/x",
    "https://[64:ff9b::169.254.169.254]/x",
    "https://[2002:a9fe:a9fe::1]/x",
    "https://localhost/x",
    "https://metadata.internal/x",
    "https://intranet/x",
  ])("discovery of a public issuer never leads to %s", async (url) => {
    const issuer = "https://id.example.com";
    const fetched: string[] = [];
    for (const name of [
      "authorization_endpoint",
      "token_endpoint",
      "jwks_uri",
      "userinfo_endpoint",
    ]) {
      const document = {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
        [name]: url,
      };
      const send = async (input: unknown) => {
        fetched.push(new URL(String(input)).hostname);
        return Response.json(document);
      };
      const app = createOAuthApp(op, [oidc(op, { issuer, [customFetch]: send } as never)]);
      expect(await app.startSignIn()).toBe(
        "http://localhost:3000/auth/signin?error=OAuthSignInError",
      );
      expect(app.log.errors[0]).toMatchObject({ type: "OAuthSignInError" });
    }
    expect(new Set(fetched)).toEqual(new Set(["id.example.com"]));
  });

  it.each(["https://id.internal", "https://10.0.0.5"])(
    "discovery of %s, an issuer of the internal network, never leads to this machine",
    async (issuer) => {
      for (const host of ["localhost", "127.0.0.1", "[::1]"]) {
        const fetched: string[] = [];
        const document = {
          issuer,
          authorization_endpoint: `${issuer}/authorize`,
          token_endpoint: `https://${host}/token`,
          jwks_uri: `${issuer}/jwks`,
        };
        const send = async (input: unknown) => {
          fetched.push(new URL(String(input)).origin);
          return Response.json(document);
        };
        const app = createOAuthApp(op, [oidc(op, { issuer, [customFetch]: send } as never)]);
        expect(await app.startSignIn()).toBe(
          "http://localhost:3000/auth/signin?error=OAuthSignInError",
        );
        expect(app.log.errors[0]).toMatchObject({ type: "OAuthSignInError" });
        expect(fetched).toEqual([issuer]);
      }
    },
  );

  it("discovery refuses metadata without jwks_uri or token_endpoint", async () => {
    for (const name of ["jwks_uri", "token_endpoint"]) {
      op.script = { metadata: without(name) };
      const app = createOAuthApp(op, [oidc(op)]);
      await expectRefused(app, await app.signIn());
    }
  });

  it("discovery uses the issuer in the document when only `wellKnown` is configured", async () => {
    const { issuer: _, ...rest } = oidc(op);
    const wellKnown = `${op.issuer}/.well-known/openid-configuration`;
    const app = createOAuthApp(op, [{ ...rest, wellKnown } as OIDCProvider]);
    await expectSignedIn(app, await app.signIn());
  });

  it("discovery accepts the trailing slash that Auth0 adds to its issuer", async () => {
    op.script = {
      metadata: (document) => ({ ...document, issuer: `${op.issuer}/` }),
      claims: (claims) => ({ ...claims, iss: `${op.issuer}/` }),
    };
    const app = createOAuthApp(op, [oidc(op)]);
    await expectSignedIn(app, await app.signIn());
  });

  it("discovery() of the provider may rewrite the metadata", async () => {
    op.script = { metadata: withClaim("issuer", "https://login.example/{tenantid}/v2.0") };
    const discovery = (metadata: Json) => ({ ...metadata, issuer: op.issuer });
    const app = createOAuthApp(op, [oidc(op, { discovery })]);
    await expectSignedIn(app, await app.signIn());
  });

  it("metadata and keys are fetched once for several sign-ins", async () => {
    const app = createOAuthApp(op, [oidc(op)]);
    for (let i = 0; i < 3; i++) await app.signIn();
    expect([op.count("/.well-known/openid-configuration"), op.count("/jwks")]).toEqual([1, 1]);
  });

  it("known metadata stays in use while the issuer is down, when a failed sign-in causes a request for it", async () => {
    using clock = createClock();
    const app = createOAuthApp(op, [oidc(op)], { errors: "allowed" });
    await app.signIn();
    clock.advance(60_000);
    op.script = { claims: withClaim("iss", "https://other.example") };
    await app.signIn();
    op.script = down("/.well-known/openid-configuration");
    const response = await app.signIn();
    expect(response.headers.get("location")).not.toContain("error");
    expect(op.count("/.well-known/openid-configuration")).toBe(2);
  });

  it("metadata is fetched again after an hour", async () => {
    using clock = createClock();
    const app = createOAuthApp(op, [oidc(op)]);
    await app.startSignIn();
    clock.advance(3_600_001);
    await app.startSignIn();
    expect(op.count("/.well-known/openid-configuration")).toBe(2);
  });
});

describe("signing keys of an OpenID provider", () => {
  it("oidcc-client-test-signing-key-rotation-just-before-signing: fetches the keys again", async () => {
    const app = createOAuthApp(op, [oidc(op)]);
    await app.signIn();
    const url = await app.startSignIn();
    await op.rotate();
    await expectSignedIn(app, await app.finishSignIn(await op.authorize(url)));
    expect(op.count("/jwks")).toBe(2);
  });

  it("oidcc-client-test-signing-key-rotation: signs in after each of several rotations", async () => {
    const app = createOAuthApp(op, [oidc(op)]);
    await app.signIn();
    for (let i = 0; i < 3; i++) {
      await op.rotate();
      await expectSignedIn(app, await app.signIn());
    }
    expect(op.count("/jwks")).toBe(4);
  });

  it("verifies with a new key under the same kid", async () => {
    const app = createOAuthApp(op, [oidc(op)]);
    await app.signIn();
    await op.rotate();
    op.script = { jwks: ([jwk]) => [{ ...jwk!, kid: "same" }], header: withClaim("kid", "same") };
    await expectSignedIn(app, await app.signIn());
    await op.rotate();
    await expectSignedIn(app, await app.signIn());
  });

  it("concurrent sign-ins after a rotation fetch the keys once", async () => {
    const app = createOAuthApp(op, [oidc(op)]);
    await app.signIn();
    await op.rotate();
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        const browser = createBrowser((request) => app.auth.fetch(request));
        const started = await browser.signIn("op");
        const callback = await op.authorize(started.headers.get("location") ?? "");
        await app.finishSignIn(callback, browser);
        expect(await browser.session()).not.toBeNull();
      }),
    );
    expect(op.count("/jwks")).toBe(2);
  });

  it("an unknown kid does not cause a request for the keys each time", async () => {
    const app = createOAuthApp(op, [oidc(op)], { errors: "allowed" });
    await app.signIn();
    op.script = { header: withClaim("kid", "unknown") };
    for (let i = 0; i < 5; i++) await app.signIn();
    expect(op.count("/jwks")).toBe(2);
    op.script = {};
    await app.signIn();
    expect(await isSignedIn(app.browser)).toBe(true);
  });

  it("known keys stay in use while the issuer is down, when an unknown kid causes a request for them", async () => {
    const app = createOAuthApp(op, [oidc(op)], { errors: "allowed" });
    await app.signIn();
    op.script = { ...down("/jwks"), header: withClaim("kid", "unknown") };
    await app.signIn();
    const other = createBrowser((request) => app.auth.fetch(request));
    op.script = down("/jwks");
    const started = await other.signIn("op");
    await app.finishSignIn(await op.authorize(started.headers.get("location") ?? ""), other);
    expect(await other.session()).not.toBeNull();
    expect(op.count("/jwks")).toBe(2);
  });

  it("does not fetch the keys again for a token that a known key has signed", async () => {
    const app = createOAuthApp(op, [oidc(op)], { errors: "allowed" });
    await expectSignedIn(app, await app.signIn());
    op.script = { claims: withClaim("aud", "another-client") };
    for (let at = 0; at < 3; at++) await app.signIn();
    expect(op.count("/jwks")).toBe(1);
  });

  it("fetches the keys from the configured jwks_endpoint", async () => {
    op.script = { metadata: without("jwks_uri") };
    const app = createOAuthApp(op, [oidc(op, { jwks_endpoint: `${op.issuer}/jwks` })]);
    await expectSignedIn(app, await app.signIn());
  });

  it.each(["ES256", "EdDSA", "PS256", "ES512"])(
    "verifies an ID token signed with %s",
    async (alg) => {
      await op.rotate(alg);
      op.script = { metadata: withClaim("id_token_signing_alg_values_supported", [alg]) };
      const app = createOAuthApp(op, [oidc(op)]);
      await expectSignedIn(app, await app.signIn());
    },
  );

  it.each([
    ["RS256", "sha256"],
    ["ES384", "sha384"],
    ["PS512", "sha512"],
    ["EdDSA", "sha512"],
    // The name of RFC 9864.
    ["Ed25519", "sha512"],
  ])("compares the hash of the access token in an ID token signed with %s", async (alg, hash) => {
    await op.rotate(alg);
    const metadata = withClaim("id_token_signing_alg_values_supported", [alg]);
    op.script = { metadata, claims: withClaim("at_hash", atHash(hash)) };
    const app = createOAuthApp(op, [oidc(op)]);
    await expectSignedIn(app, await app.signIn());
    op.script = { metadata, claims: withClaim("at_hash", atHash(hash, "another")) };
    const other = createOAuthApp(op, [oidc(op)]);
    await expectRefused(other, await other.signIn());
  });

  it("expects RS256 if the server lists no algorithms", async () => {
    op.script = { metadata: without("id_token_signing_alg_values_supported") };
    const app = createOAuthApp(op, [oidc(op)]);
    await expectSignedIn(app, await app.signIn());
    await op.rotate("ES256");
    const other = createOAuthApp(op, [oidc(op)]);
    await expectRefused(other, await other.signIn());
  });

  it("refuses an ID token signed with another algorithm than the registered one, even if the server supports it", async () => {
    await op.rotate("ES256");
    op.script = {
      metadata: withClaim("id_token_signing_alg_values_supported", ["RS256", "ES256"]),
    };
    const client = { id_token_signed_response_alg: "RS256" };
    const app = createOAuthApp(op, [oidc(op, { client })]);
    await expectRefused(app, await app.signIn());
  });

  it("ignores malformed and unsupported keys in the key set", async () => {
    const odd = [null, 7, "x", {}, { kty: "oct", k: "c2VjcmV0" }, { kty: "EC", crv: "P-999" }];
    op.script = { jwks: (keys) => [...(odd as typeof keys), ...keys] };
    const app = createOAuthApp(op, [oidc(op)]);
    await expectSignedIn(app, await app.signIn());
  });

  it("verifies HS256 with the client secret and does not fetch keys", async () => {
    op.script = { idToken: signWithSecret };
    const client = { id_token_signed_response_alg: "HS256" };
    const app = createOAuthApp(op, [oidc(op, { client })]);
    await expectSignedIn(app, await app.signIn());
    expect(op.count("/jwks")).toBe(0);
  });

  it.each<[string, Script, Partial<OIDCProvider>]>([
    [
      "the client secret",
      { idToken: signWithSecret },
      { client: { id_token_signed_response_alg: "HS256" } },
    ],
    [
      "one of several keys",
      { header: without("kid"), jwks: (keys) => [...keys, { ...keys[0], kid: "again" } as JWK] },
      {},
    ],
  ])("checks the claims of an ID token that %s verifies", async (_, script, provider) => {
    op.script = script;
    const app = createOAuthApp(op, [oidc(op, provider)]);
    await expectSignedIn(app, await app.signIn());
    for (const wrong of [{ aud: "another-client" }, { exp: seconds() - 120 }, { iat: undefined }]) {
      op.script = { ...script, claims: (claims) => ({ ...claims, ...wrong }) };
      const other = createOAuthApp(op, [oidc(op, provider)]);
      await expectRefused(other, await other.signIn());
    }
  });
});

describe("signed userinfo (oidcc-client-test-userinfo-signed)", () => {
  const provider = () =>
    oidc(op, { idToken: false, client: { userinfo_signed_response_alg: "RS256" } });
  const answer = (claims: Json, alg = "RS256"): Script => ({
    takeover: {
      async "/userinfo"(_, response) {
        const { privateKey, kid } = op.keys[0]!;
        const token =
          alg === "none"
            ? unsigned({ alg })(claims)
            : await new SignJWT(claims).setProtectedHeader({ alg, kid }).sign(privateKey);
        response.writeHead(200, { "content-type": "application/jwt" }).end(token);
      },
    },
  });

  it("accepts a signed userinfo response", async () => {
    op.script = answer({ sub: "subject-1", name: "Signed", email: "a@b.example" });
    const app = createOAuthApp(op, [provider()]);
    await expectSignedIn(app, await app.signIn());
    expect(await app.browser.session()).toMatchObject({ user: { name: "Signed" } });
  });

  it.each([
    ["of another issuer", { sub: "subject-1", iss: "https://evil.example" }, "RS256"],
    ["for another client", { sub: "subject-1", aud: "another" }, "RS256"],
    ["about another subject", { sub: "another" }, "RS256"],
    ["without a signature", { sub: "subject-1" }, "none"],
  ])("refuses a signed userinfo response %s", async (_, claims, alg) => {
    op.script = answer(claims, alg);
    const app = createOAuthApp(op, [provider()]);
    await expectRefused(app, await app.signIn());
  });

  it("refuses plain JSON when userinfo_signed_response_alg is set", async () => {
    const app = createOAuthApp(op, [provider()]);
    await expectRefused(app, await app.signIn());
  });

  it("refuses a signed userinfo response when no algorithm is registered", async () => {
    op.script = answer({ sub: "subject-1" });
    const app = createOAuthApp(op, [oidc(op, { idToken: false })]);
    await expectRefused(app, await app.signIn());
  });
});

describe("issuerFromIdToken", () => {
  const tenant = "9f5c2f6e-3a52-4f7e-8f44-0a6f2f0f2b11";
  const provider = () => oidc(op, { issuerFromIdToken: `${op.issuer}/{tid}/v2.0` });

  it("accepts an issuer built from the claims of the ID token", async () => {
    op.script = { claims: (c) => ({ ...c, tid: tenant, iss: `${op.issuer}/${tenant}/v2.0` }) };
    const app = createOAuthApp(op, [provider()]);
    await expectSignedIn(app, await app.signIn());
  });

  it.each([
    ["of another tenant", { tid: "another" }, tenant],
    ["without a tenant claim", {}, tenant],
    ["with a tenant of path segments", { tid: "../evil" }, "../evil"],
    ["with a tenant that is not a string", { tid: 7 }, "7"],
    ["with an empty tenant", { tid: "" }, ""],
  ])("refuses an issuer %s", async (_, claims, named) => {
    op.script = { claims: (c) => ({ ...c, ...claims, iss: `${op.issuer}/${named}/v2.0` }) };
    const app = createOAuthApp(op, [provider()]);
    await expectRefused(app, await app.signIn());
  });

  it("the `iss` of the callback must be the issuer of the ID token", async () => {
    const iss = `${op.issuer}/${tenant}/v2.0`;
    op.script = {
      claims: (c) => ({ ...c, tid: tenant, iss }),
      answer: (params) => params.set("iss", iss),
    };
    const app = createOAuthApp(op, [provider()]);
    await expectSignedIn(app, await app.signIn());
    op.script.answer = (params) => params.set("iss", op.issuer);
    const other = createOAuthApp(op, [provider()]);
    await expectRefused(other, await other.signIn());
  });
});

describe("lenientNonce", () => {
  it("lenientNonce accepts an empty nonce only when none was sent", async () => {
    op.script = { claims: withClaim("nonce", "") };
    const lenient = createOAuthApp(op, [oidc(op, { lenientNonce: true })]);
    await expectSignedIn(lenient, await lenient.signIn());
    const strict = createOAuthApp(op, [oidc(op)]);
    await expectRefused(strict, await strict.signIn());
    op.script = { claims: withClaim("nonce", "x") };
    const other = createOAuthApp(op, [oidc(op, { lenientNonce: true })]);
    await expectRefused(other, await other.signIn());
    op.script = { claims: withClaim("nonce", "") };
    const sent = createOAuthApp(op, [oidc(op, { lenientNonce: true, checks: ["nonce"] })]);
    await expectRefused(sent, await sent.signIn());
  });
});
