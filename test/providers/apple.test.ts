import { decodeProtectedHeader, exportPKCS8, generateKeyPair, jwtVerify } from "jose";
import { describe, expect, it } from "vitest";
import { applePlugin } from "../../plugins/providers/apple.ts";
import { createAuth } from "../../presets/index.ts";
import { createClock } from "../../src/testing/testing.ts";
import { resolve } from "./_provider.ts";
import { testProvider } from "./_suite.ts";
import type { Way } from "./_vendor.ts";
import { setUp } from "./_way.ts";

const claims = {
  sub: "001999.3b8ac7b1a3f1474cb2d6a8c1f2ad0000.1234",
  email: "x2k9@privaterelay.appleid.com",
  email_verified: "true",
  is_private_email: "true",
  nonce_supported: true,
};
const user = {
  id: claims.sub,
  name: "Ada Lovelace",
  email: "x2k9@privaterelay.appleid.com",
  image: null,
};
const posted = (name: unknown) => ({ user: JSON.stringify({ name, email: "not@proved.example" }) });

const way: Way = {
  metadata: {
    url: "https://appleid.apple.com/.well-known/openid-configuration",
    document: {
      issuer: "https://appleid.apple.com",
      authorization_endpoint: "https://appleid.apple.com/auth/authorize",
      token_endpoint: "https://appleid.apple.com/auth/token",
      jwks_uri: "https://appleid.apple.com/auth/keys",
      response_modes_supported: ["query", "fragment", "form_post"],
      id_token_signing_alg_values_supported: ["RS256"],
      token_endpoint_auth_methods_supported: ["client_secret_post"],
    },
  },
  authorize: {
    url: "https://appleid.apple.com/auth/authorize",
    query: { scope: "name email", response_mode: "form_post" },
  },
  token: {
    url: "https://appleid.apple.com/auth/token",
    answer: {
      access_token: "adg61.######670r9",
      token_type: "Bearer",
      expires_in: 3600,
      refresh_token: "rca7.#####.IABoQ",
    },
  },
  refusal: {
    status: 400,
    body: { error: "invalid_grant", error_description: "The code has expired." },
  },
};

testProvider(applePlugin, {
  id: "apple",
  name: "Apple",
  type: "oidc",
  brandColor: "#000",
  issuer: "https://appleid.apple.com",
  authorization: { params: { scope: "name email", response_mode: "form_post" } },
  auth: "client_secret_post",
  checks: ["pkce", "state", "nonce"],
  way,
  users: [
    {
      about: "a user at the first consent",
      answer: claims,
      posted: posted({ firstName: "Ada", lastName: "Lovelace" }),
      user,
    },
    {
      about: "a returning user without a name",
      answer: { ...claims, email_verified: true },
      user: { ...user, name: user.email },
    },
    {
      about: "a user with one name and an unverified address",
      answer: { ...claims, email_verified: "false" },
      posted: posted({ firstName: "Ada", lastName: "" }),
      user: { ...user, name: "Ada" },
    },
    {
      about: "a user whose posted data is invalid",
      answer: { sub: claims.sub },
      posted: { user: "null" },
      user: { ...user, name: null, email: null },
    },
  ],
});

it("apple: the check cookies are SameSite=None because Apple posts the callback", async () => {
  const checks = ["pkce", "state", "nonce"] as const;
  const walk = { id: "apple", checks, formPost: true, way };
  const { browser } = setUp(applePlugin, walk, { about: "a user", answer: claims, user });
  const cookies = (await browser.signIn("apple")).headers
    .getSetCookie()
    .filter((cookie) => /pkce|state|nonce/i.test(cookie.split("=")[0]!));
  expect(cookies).toHaveLength(3);
  for (const cookie of cookies) expect(cookie).toMatch(/; SameSite=None/i);
  for (const cookie of cookies) expect(cookie).toMatch(/; Secure/i);
});

describe("apple: generated client secret", () => {
  async function makeKey() {
    const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
    return { pem: await exportPKCS8(privateKey), publicKey };
  }

  async function createSecret(options: Parameters<typeof applePlugin>[0]) {
    const provider = resolve(applePlugin({ clientId: "com.example.web", ...options }));
    if (typeof provider.clientSecret !== "function") throw new Error("no secret is made");
    return provider.clientSecret(provider);
  }

  it("apple: the generated client secret is a JWT of the team that expires in five minutes", async () => {
    const { pem, publicKey } = await makeKey();
    const secret = await createSecret({
      teamId: "TEAM123456",
      keyId: "KEY1234567",
      privateKey: pem,
    });
    expect(decodeProtectedHeader(secret)).toEqual({ alg: "ES256", kid: "KEY1234567" });
    const { payload } = await jwtVerify(secret, publicKey, { algorithms: ["ES256"] });
    expect(payload).toEqual({
      iss: "TEAM123456",
      sub: "com.example.web",
      aud: "https://appleid.apple.com",
      iat: expect.any(Number),
      exp: payload.iat! + 300,
    });
  });

  it("apple: the token request contains the generated client secret", async () => {
    const { pem, publicKey } = await makeKey();
    const parts = { teamId: "T", keyId: "K", privateKey: pem, clientSecret: undefined };
    const checks = ["pkce", "state", "nonce"] as const;
    const walk = { id: "apple", checks, formPost: true, way: { ...way, options: parts } };
    const { vendor, startSignIn, finishSignIn, signedIn } = setUp(applePlugin, walk, {
      about: "a user",
      answer: claims,
      user,
    });
    await finishSignIn(vendor.consent(await startSignIn()));
    expect(signedIn).toHaveLength(1);
    const { payload } = await jwtVerify(vendor.asked[0]!.body.client_secret!, publicKey);
    expect(payload).toMatchObject({ iss: "T", sub: "client-id" });
  });

  it("apple: accepts a private key with escaped line breaks", async () => {
    const { pem, publicKey } = await makeKey();
    const privateKey = pem.replaceAll("\n", "\\n");
    const secret = await createSecret({ teamId: "T", keyId: "K", privateKey });
    await jwtVerify(secret, publicKey);
  });

  it("apple: renews the client secret a minute before it expires, and after the clock was set back", async () => {
    using clock = createClock(1_800_000_000_000);
    const { pem } = await makeKey();
    const provider = resolve(
      applePlugin({ clientId: "app", teamId: "T", keyId: "K", privateKey: pem }),
    );
    const ask = async () => {
      if (typeof provider.clientSecret !== "function") throw new Error("no secret is made");
      return provider.clientSecret(provider);
    };
    const first = await ask();
    clock.set(1_800_000_239_000);
    expect(await ask()).toBe(first);
    clock.set(1_800_000_240_000);
    const second = await ask();
    expect(second).not.toBe(first);
    clock.set(1_799_999_000_000);
    expect(await ask()).not.toBe(second);
  });

  it("apple: retries after a failure, whose error does not contain the key", async () => {
    const privateKey = "-----BEGIN PRIVATE KEY-----\nc2VjcmV0\n-----END PRIVATE KEY-----";
    const provider = resolve(applePlugin({ clientId: "app", teamId: "T", keyId: "K", privateKey }));
    const ask = async () => {
      if (typeof provider.clientSecret !== "function") throw new Error("no secret is made");
      return provider.clientSecret(provider);
    };
    const fault = await ask().catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(Error);
    expect(String(fault)).not.toContain("c2VjcmV0");
    const again = await ask().catch((error: unknown) => error);
    expect(again).toBeInstanceOf(Error);
    expect(again).not.toBe(fault);
  });

  it("apple: inspect() rejects an incomplete set of secret parts", async () => {
    const plugin = applePlugin({ clientId: "app", teamId: "T", keyId: "K" });
    const env = { AUTH_SECRET: "a secret for the tests, long enough" };
    const boot = async () => createAuth({ env }).use(plugin).inspect();
    await expect(boot()).rejects.toThrow(/clientSecret/);
  });

  it("apple: an explicit client secret, or an incomplete set of parts, is not replaced", () => {
    expect(resolve(applePlugin({ teamId: "T", keyId: "K" }))).not.toHaveProperty("clientSecret");
    const given = { teamId: "T", keyId: "K", privateKey: "P" };
    expect(resolve(applePlugin({ ...given, clientSecret: "own" })).clientSecret).toBe("own");
    const env = { AUTH_APPLE_SECRET: "from-env" };
    expect(resolve(applePlugin(given), env).clientSecret).toBe("from-env");
  });
});
