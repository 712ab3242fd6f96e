import { CompactSign, exportJWK, generateKeyPair, SignJWT } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import type { OIDCProvider } from "../../src/types.ts";
import { createBrowser } from "../../src/testing.ts";
import { CLIENT_ID, CLIENT_SECRET, type Op, type Script, startOp } from "../_op.ts";
import { createApp, expectRefused, expectSignedIn, isSignedIn, oidc } from "./_oauth.ts";

type Json = Record<string, unknown>;

let op: Op;
beforeAll(async () => {
  op = await startOp();
});
afterAll(() => op.close());
beforeEach(() => op.reset());

/** The two ways an answer comes; every module of the Basic plan is one of the Form-post plan, too. */
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

const base64url = (value: unknown) => Buffer.from(JSON.stringify(value)).toString("base64url");
const unsigned = (header: Json) => (claims: Json) => `${base64url(header)}.${base64url(claims)}.`;
const seconds = () => Math.floor(Date.now() / 1000);

/** What must go through. */
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
  "an audience of one in a list": { script: { claims: withClaim("aud", [CLIENT_ID]) } },
  "a second audience with us as authorized party": {
    script: {
      claims: (claims) => ({ ...claims, aud: [CLIENT_ID, "other"], azp: CLIENT_ID }),
    },
  },
  "an address without word of its proof": { script: { claims: without("email_verified") } },
  "another token type's spelling": { script: { tokens: withClaim("token_type", "bEARER") } },
  "a lifetime as text": { script: { tokens: withClaim("expires_in", "3600") } },
  "an issuer that speaks for itself (RFC 9207)": {
    script: {
      metadata: (document) => ({
        ...document,
        authorization_response_iss_parameter_supported: true,
      }),
      answer: (params) => params.set("iss", op.issuer),
    },
  },
};

/** What must not. */
const refused: Record<string, { script: Script; provider?: Partial<OIDCProvider> }> = {
  "oidcc-client-test-invalid-iss": { script: { claims: withClaim("iss", "https://evil.example") } },
  "an issuer with a slash more": { script: { claims: (c) => ({ ...c, iss: `${op.issuer}/` }) } },
  "oidcc-client-test-missing-iss": { script: { claims: without("iss") } },
  "oidcc-client-test-missing-sub": { script: { claims: without("sub") } },
  "an empty subject": { script: { claims: withClaim("sub", "") } },
  "a subject that is no text": { script: { claims: withClaim("sub", 42) } },
  "oidcc-client-test-invalid-aud": { script: { claims: withClaim("aud", "another-client") } },
  "oidcc-client-test-missing-aud": { script: { claims: without("aud") } },
  "a second audience": { script: { claims: withClaim("aud", [CLIENT_ID, "other"]) } },
  "another authorized party": { script: { claims: withClaim("azp", "other") } },
  "oidcc-client-test-missing-iat": { script: { claims: without("iat") } },
  "an iat a week old": { script: { claims: (c) => ({ ...c, iat: seconds() - 604_800 }) } },
  "an iat to come": { script: { claims: (c) => ({ ...c, iat: seconds() + 600 }) } },
  "an iat that is no number": { script: { claims: withClaim("iat", "now") } },
  "no exp": { script: { claims: without("exp") } },
  "an exp in the past": { script: { claims: (c) => ({ ...c, exp: seconds() - 120 }) } },
  "an nbf to come": { script: { claims: (c) => ({ ...c, nbf: seconds() + 600 }) } },
  "oidcc-client-test-nonce-invalid": {
    script: { claims: withClaim("nonce", "another") },
    provider: withNonce,
  },
  "a missing nonce": { script: { claims: without("nonce") }, provider: withNonce },
  "an empty nonce": { script: { claims: withClaim("nonce", "") }, provider: withNonce },
  "a nonce that was not sent": { script: { claims: withClaim("nonce", "another") } },
  "oidcc-client-test-idtoken-sig-none": { script: { idToken: unsigned({ alg: "none" }) } },
  "none, in capitals": { script: { idToken: unsigned({ alg: "NONE" }) } },
  "none, although the metadata offers it": {
    script: {
      idToken: unsigned({ alg: "none" }),
      metadata: withClaim("id_token_signing_alg_values_supported", ["none"]),
    },
  },
  "no alg": { script: { idToken: unsigned({ kid: "key-0" }) } },
  "oidcc-client-test-invalid-sig-rs256": {
    script: {
      async idToken(claims, { kid }) {
        const { privateKey } = await generateKeyPair("RS256");
        return new SignJWT(claims).setProtectedHeader({ alg: "RS256", kid }).sign(privateKey);
      },
    },
  },
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
  "oidcc-client-test-invalid-sig-hs256: the secret": {
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
  "a key that came with the token": {
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
  "no token at all": { script: { tokens: without("id_token") } },
  "a token that is none": { script: { tokens: withClaim("id_token", "nonsense") } },
  "a token that is no text": { script: { tokens: withClaim("id_token", { sub: "subject-1" }) } },
  "a logout token": { script: { header: withClaim("typ", "logout+jwt") } },
  "an access token": { script: { header: withClaim("typ", "at+JWT") } },
  "a payload that is no object": {
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
  "a userinfo without a subject": {
    provider: { idToken: false },
    script: { userinfo: without("sub") },
  },
  "no access token": { script: { tokens: without("access_token") } },
  "no token type": { script: { tokens: without("token_type") } },
  "another token type": { script: { tokens: withClaim("token_type", "mac") } },
  "a scope that is a list": { script: { tokens: withClaim("scope", ["openid"]) } },
  "a lifetime that is no number": { script: { tokens: withClaim("expires_in", "soon") } },
  "an auth_time that is missing": {
    provider: { client: { require_auth_time: true } },
    script: {},
  },
  "an auth_time that is too old": {
    provider: { client: { default_max_age: 60 } },
    script: { claims: (c) => ({ ...c, auth_time: seconds() - 300 }) },
  },
};

/** What must be refused before the token endpoint is asked. */
const refusedAtOnce: Record<string, { script: Script; provider?: Partial<OIDCProvider> }> = {
  "another issuer (RFC 9207)": {
    script: { answer: (params) => params.set("iss", "https://evil.example") },
  },
  "no issuer where one is announced": {
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

  describe(`${plan} plan accepts`, () => {
    it.each(Object.entries(accepted))("%s", async (_, { script, provider: more }) => {
      op.script = script ?? {};
      const wellKnown =
        more?.wellKnown === "" ? `${op.issuer}/.well-known/openid-configuration` : undefined;
      const app = createApp(op, [provider({ ...more, ...(wellKnown && { wellKnown }) })]);
      await expectSignedIn(app, await app.signIn());
      expect(op.count("/userinfo")).toBe(more?.idToken === false ? 1 : 0);
    });
  });

  describe(`${plan} plan refuses`, () => {
    it.each(Object.entries(refused))("%s", async (_, { script, provider: more }) => {
      op.script = script;
      const app = createApp(op, [provider(more)]);
      await expectRefused(app, await app.signIn());
    });

    it.each(Object.entries(refusedAtOnce))("%s", async (name, { script, provider: more }) => {
      op.script = script;
      const app = createApp(op, [provider(more)]);
      const response = await app.signIn();
      const error = name.startsWith("a state") ? app.errors[0] : undefined;
      if (!error) await expectRefused(app, response, "signin?error=InvalidCheck");
      expect(await isSignedIn(app)).toBe(false);
      expect(op.count("/token")).toBe(0);
    });

    it("oidcc-client-test-kid-absent-multiple-jwks: tries the keys", async () => {
      const [first] = op.keys;
      await op.rotate();
      op.keys.push(first!);
      op.script = { header: without("kid") };
      const app = createApp(op, [provider()]);
      await expectSignedIn(app, await app.signIn());
    });

    it("a token without kid that fits none of several keys", async () => {
      const signing = op.keys[0]!;
      await op.rotate();
      await op.rotate();
      const [one] = op.keys;
      op.script = {
        jwks: () => [one!.jwk, { ...one!.jwk, kid: "again" }],
        idToken: (claims) =>
          new SignJWT(claims).setProtectedHeader({ alg: "RS256" }).sign(signing.privateKey),
      };
      const app = createApp(op, [provider()]);
      await expectRefused(app, await app.signIn());
    });

    it("oidcc-client-test-form-post-error: shows the error", async () => {
      const app = createApp(op, [provider({ checks: ["state"] })]);
      const callback = await op.authorize(await app.start(), "access_denied");
      const error = await expectRefused(
        app,
        await app.finish(callback),
        "signin?error=OAuthCallbackError",
      );
      expect(error.cause).toMatchObject({ provider: "op", error: "access_denied" });
    });
  });
}

describe("what is asked for", () => {
  it("oidcc-client-test-scope-userinfo-claims: claims by scope, S256, no nonce", async () => {
    const app = createApp(op, [oidc(op)]);
    const url = new URL(await app.start());
    expect(Object.fromEntries(url.searchParams)).toEqual({
      response_type: "code",
      client_id: CLIENT_ID,
      redirect_uri: "http://localhost:3000/auth/callback/op",
      scope: "openid profile email",
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: "S256",
    });
  });

  it("oidcc-client-test-nonce-unless-code-flow: sends a nonce where configured", async () => {
    const app = createApp(op, [oidc(op, { checks: ["nonce"] })]);
    const url = new URL(await app.start());
    expect(url.searchParams.get("nonce")).toMatch(/^[\w-]{43}$/);
    expect(url.searchParams.has("code_challenge")).toBe(false);
    await expectSignedIn(app, await app.finish(await op.authorize(url.href)));
  });

  it("oidcc-client-test-distributed-claims: follows no endpoint of the claims", async () => {
    const source = { src: { endpoint: `${op.issuer}/claims`, access_token: "x" } };
    op.script = {
      claims: (c) => ({ ...c, _claim_names: { credit: "src" }, _claim_sources: source }),
    };
    const app = createApp(op, [oidc(op)]);
    await expectSignedIn(app, await app.signIn());
    expect(op.count("/claims")).toBe(0);
  });
});

describe("discovery", () => {
  const lies: Record<string, (document: Json) => Json> = {
    "oidcc-client-test-discovery-issuer-mismatch": withClaim("issuer", "https://evil.example"),
    "no issuer": without("issuer"),
    "an issuer that is no text": withClaim("issuer", 7),
    "no authorization endpoint": without("authorization_endpoint"),
    "an authorization endpoint that is a script": withClaim(
      "authorization_endpoint",
      "javascript:alert(1)",
    ),
    "an authorization endpoint without TLS": withClaim(
      "authorization_endpoint",
      "http://idp.example/authorize",
    ),
    "a token endpoint without TLS": withClaim("token_endpoint", "http://idp.example/token"),
  };
  it.each(Object.entries(lies))("refuses %s", async (_, metadata) => {
    op.script = { metadata };
    const app = createApp(op, [oidc(op)]);
    expect(await app.start()).toBe("http://localhost:3000/auth/signin?error=OAuthSignInError");
    expect(app.errors[0]).toMatchObject({ type: "OAuthSignInError" });
  });

  it("refuses metadata without keys, or a token endpoint", async () => {
    for (const name of ["jwks_uri", "token_endpoint"]) {
      op.script = { metadata: without(name) };
      const app = createApp(op, [oidc(op)]);
      await expectRefused(app, await app.signIn());
    }
  });

  it("takes the issuer from the document where only `wellKnown` is configured", async () => {
    const { issuer: _, ...rest } = oidc(op);
    const wellKnown = `${op.issuer}/.well-known/openid-configuration`;
    const app = createApp(op, [{ ...rest, wellKnown } as OIDCProvider]);
    await expectSignedIn(app, await app.signIn());
  });

  it("forgives the slash that Auth0 adds to its issuer", async () => {
    op.script = {
      metadata: (document) => ({ ...document, issuer: `${op.issuer}/` }),
      claims: (claims) => ({ ...claims, iss: `${op.issuer}/` }),
    };
    const app = createApp(op, [oidc(op)]);
    await expectSignedIn(app, await app.signIn());
  });

  it("takes a document rewritten by the provider", async () => {
    op.script = { metadata: withClaim("issuer", "https://login.example/{tenantid}/v2.0") };
    const discovery = (metadata: Json) => ({ ...metadata, issuer: op.issuer });
    const app = createApp(op, [oidc(op, { discovery })]);
    await expectSignedIn(app, await app.signIn());
  });

  it("is done once for many sign-ins, and so are the keys", async () => {
    const app = createApp(op, [oidc(op)]);
    for (let i = 0; i < 3; i++) await app.signIn();
    expect([op.count("/.well-known/openid-configuration"), op.count("/jwks")]).toEqual([1, 1]);
  });

  it("is done anew after an hour", async () => {
    vi.useFakeTimers({ toFake: ["Date"] });
    try {
      const app = createApp(op, [oidc(op)]);
      await app.start();
      vi.setSystemTime(Date.now() + 3_600_001);
      await app.start();
      expect(op.count("/.well-known/openid-configuration")).toBe(2);
    } finally {
      vi.useRealTimers();
    }
  });
});

describe("signing keys", () => {
  it("oidcc-client-test-signing-key-rotation-just-before-signing", async () => {
    const app = createApp(op, [oidc(op)]);
    await app.signIn();
    const url = await app.start();
    await op.rotate();
    await expectSignedIn(app, await app.finish(await op.authorize(url)));
    expect(op.count("/jwks")).toBe(2);
  });

  it("oidcc-client-test-signing-key-rotation: two sign-ins seconds apart, two rotations", async () => {
    const app = createApp(op, [oidc(op)]);
    await app.signIn();
    for (let i = 0; i < 3; i++) {
      await op.rotate();
      await expectSignedIn(app, await app.signIn());
    }
    expect(op.count("/jwks")).toBe(4);
  });

  it("a new key under the old name", async () => {
    const app = createApp(op, [oidc(op)]);
    await app.signIn();
    await op.rotate();
    op.script = { jwks: ([jwk]) => [{ ...jwk!, kid: "same" }], header: withClaim("kid", "same") };
    await expectSignedIn(app, await app.signIn());
    await op.rotate();
    await expectSignedIn(app, await app.signIn());
  });

  it("are asked for once by many sign-ins at the same time", async () => {
    const app = createApp(op, [oidc(op)]);
    await app.signIn();
    await op.rotate();
    await Promise.all(
      Array.from({ length: 20 }, async () => {
        const browser = createBrowser((request) => app.auth.fetch(request));
        const started = await browser.signIn("op");
        const callback = await op.authorize(started.headers.get("location") ?? "");
        await app.finish(callback, browser);
        expect(await browser.session()).not.toBeNull();
      }),
    );
    expect(op.count("/jwks")).toBe(2);
  });

  it("are not asked for again and again in vain", async () => {
    const app = createApp(op, [oidc(op)]);
    await app.signIn();
    op.script = { header: withClaim("kid", "unknown") };
    for (let i = 0; i < 5; i++) await app.signIn();
    expect(op.count("/jwks")).toBe(2);
    op.script = {};
    await app.signIn();
    expect(await isSignedIn(app)).toBe(true);
  });

  it("may be published at a configured place", async () => {
    op.script = { metadata: without("jwks_uri") };
    const app = createApp(op, [oidc(op, { jwks_endpoint: `${op.issuer}/jwks` })]);
    await expectSignedIn(app, await app.signIn());
  });

  it.each(["ES256", "EdDSA", "PS256", "ES512"])("may be of %s", async (alg) => {
    await op.rotate(alg);
    op.script = { metadata: withClaim("id_token_signing_alg_values_supported", [alg]) };
    const app = createApp(op, [oidc(op)]);
    await expectSignedIn(app, await app.signIn());
  });

  it("may be among broken and foreign ones", async () => {
    const odd = [null, 7, "x", {}, { kty: "oct", k: "c2VjcmV0" }, { kty: "EC", crv: "P-999" }];
    op.script = { jwks: (keys) => [...(odd as typeof keys), ...keys] };
    const app = createApp(op, [oidc(op)]);
    await expectSignedIn(app, await app.signIn());
  });

  it("is the client secret where HS256 is registered", async () => {
    op.script = {
      idToken: (claims) =>
        new SignJWT(claims)
          .setProtectedHeader({ alg: "HS256" })
          .sign(new TextEncoder().encode(CLIENT_SECRET)),
    };
    const client = { id_token_signed_response_alg: "HS256" };
    const app = createApp(op, [oidc(op, { client })]);
    await expectSignedIn(app, await app.signIn());
    expect(op.count("/jwks")).toBe(0);
  });
});

describe("a userinfo that is signed (oidcc-client-test-userinfo-signed)", () => {
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

  it("goes through", async () => {
    op.script = answer({ sub: "subject-1", name: "Signed", email: "a@b.example" });
    const app = createApp(op, [provider()]);
    await expectSignedIn(app, await app.signIn());
    expect(await app.browser.session()).toMatchObject({ user: { name: "Signed" } });
  });

  it.each([
    ["of another issuer", { sub: "subject-1", iss: "https://evil.example" }, "RS256"],
    ["for another client", { sub: "subject-1", aud: "another" }, "RS256"],
    ["about another subject", { sub: "another" }, "RS256"],
    ["without a signature", { sub: "subject-1" }, "none"],
  ])("is refused when it is %s", async (_, claims, alg) => {
    op.script = answer(claims, alg);
    const app = createApp(op, [provider()]);
    await expectRefused(app, await app.signIn());
  });

  it("is refused as plain JSON", async () => {
    const app = createApp(op, [provider()]);
    await expectRefused(app, await app.signIn());
  });

  it("is refused where none is registered", async () => {
    op.script = answer({ sub: "subject-1" });
    const app = createApp(op, [oidc(op, { idToken: false })]);
    await expectRefused(app, await app.signIn());
  });
});

describe("an issuer that depends on the token", () => {
  const tenant = "9f5c2f6e-3a52-4f7e-8f44-0a6f2f0f2b11";
  const provider = () => oidc(op, { issuerFromIdToken: `${op.issuer}/{tid}/v2.0` });

  it("is made of its claims", async () => {
    op.script = { claims: (c) => ({ ...c, tid: tenant, iss: `${op.issuer}/${tenant}/v2.0` }) };
    const app = createApp(op, [provider()]);
    await expectSignedIn(app, await app.signIn());
  });

  it.each([
    ["another tenant's", { tid: "another" }, tenant],
    ["no tenant's", {}, tenant],
    ["a tenant's that climbs", { tid: "../evil" }, "../evil"],
    ["a tenant's that is no text", { tid: 7 }, "7"],
    ["an empty tenant's", { tid: "" }, ""],
  ])("is refused when it is %s", async (_, claims, named) => {
    op.script = { claims: (c) => ({ ...c, ...claims, iss: `${op.issuer}/${named}/v2.0` }) };
    const app = createApp(op, [provider()]);
    await expectRefused(app, await app.signIn());
  });

  it("must be the callback's, too", async () => {
    const iss = `${op.issuer}/${tenant}/v2.0`;
    op.script = {
      claims: (c) => ({ ...c, tid: tenant, iss }),
      answer: (params) => params.set("iss", iss),
    };
    const app = createApp(op, [provider()]);
    await expectSignedIn(app, await app.signIn());
    op.script.answer = (params) => params.set("iss", op.issuer);
    const other = createApp(op, [provider()]);
    await expectRefused(other, await other.signIn());
  });
});

describe("a lenient nonce", () => {
  it("lets an empty one pass where none was sent, and no other", async () => {
    op.script = { claims: withClaim("nonce", "") };
    const lenient = createApp(op, [oidc(op, { lenientNonce: true })]);
    await expectSignedIn(lenient, await lenient.signIn());
    const strict = createApp(op, [oidc(op)]);
    await expectRefused(strict, await strict.signIn());
    op.script = { claims: withClaim("nonce", "x") };
    const other = createApp(op, [oidc(op, { lenientNonce: true })]);
    await expectRefused(other, await other.signIn());
    op.script = { claims: withClaim("nonce", "") };
    const sent = createApp(op, [oidc(op, { lenientNonce: true, checks: ["nonce"] })]);
    await expectRefused(sent, await sent.signIn());
  });
});
