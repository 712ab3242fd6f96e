import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it, vi } from "vitest";
import { createAuth } from "../../presets/index.ts";
import { AuthError, BootError } from "../../src/errors.ts";
import type { AuthConfig, OAuthProvider, OIDCProvider } from "../../src/types.ts";
import { SECRET } from "./_oauth.ts";

const plain: OAuthProvider = {
  id: "my-op",
  name: "Mine",
  type: "oauth",
  authorization: "https://op.example/authorize",
  token: "https://op.example/token",
  userinfo: "https://op.example/userinfo",
  clientId: "client",
  clientSecret: "secret",
};
const oidc: OIDCProvider = {
  id: "my-op",
  name: "Mine",
  type: "oidc",
  issuer: "https://op.example",
  clientId: "client",
  clientSecret: "secret",
};

function faultsOf(provider: object, config: AuthConfig = {}): AuthError[] {
  const auth = createAuth({
    secret: SECRET,
    trustHost: true,
    env: {},
    logger: { error: vi.fn(), warn: vi.fn() },
    ...config,
    providers: [provider as OAuthProvider],
  });
  let fault: unknown;
  try {
    auth.inspect();
    return [];
  } catch (error) {
    fault = error;
  }
  if (fault instanceof BootError) return [...fault.faults];
  expect(fault).toBeInstanceOf(AuthError);
  return [fault as AuthError];
}

describe("a provider is refused at boot", () => {
  it.each<[string, object, string, RegExp]>([
    ["no client id", { ...plain, clientId: undefined }, "InvalidConfig", /AUTH_MY_OP_ID/],
    ["an empty client id", { ...plain, clientId: "" }, "InvalidConfig", /AUTH_MY_OP_ID/],
    [
      "no secret for a method that needs one",
      {
        ...plain,
        clientSecret: undefined,
        client: { token_endpoint_auth_method: "client_secret_post" },
      },
      "InvalidConfig",
      /AUTH_MY_OP_SECRET/,
    ],
    [
      "no secret for HS256",
      { ...oidc, clientSecret: undefined, client: { id_token_signed_response_alg: "HS256" } },
      "InvalidConfig",
      /AUTH_MY_OP_SECRET/,
    ],
    [
      "no private key",
      { ...oidc, client: { token_endpoint_auth_method: "private_key_jwt" } },
      "InvalidConfig",
      /clientPrivateKey/,
    ],
    [
      "an unknown client authentication",
      { ...oidc, client: { token_endpoint_auth_method: "tls" } },
      "InvalidConfig",
      /client_secret_basic/,
    ],
    [
      "unsigned ID tokens",
      { ...oidc, client: { id_token_signed_response_alg: "none" } },
      "InvalidConfig",
      /"none"/,
    ],
    ["no checks", { ...plain, checks: ["none"] }, "InvalidConfig", /no check/],
    ["an empty list of checks", { ...plain, checks: [] }, "InvalidConfig", /no check/],
    ["an unknown check", { ...plain, checks: ["pkcs"] }, "InvalidConfig", /"pkcs"/],
    ["a nonce without ID token", { ...plain, checks: ["nonce"] }, "InvalidConfig", /"oidc"/],
    ["no issuer", { ...oidc, issuer: undefined }, "InvalidEndpoints", /AUTH_MY_OP_ISSUER/],
    [
      "no authorization URL",
      { ...plain, authorization: undefined },
      "InvalidEndpoints",
      /authorization/,
    ],
    ["no token URL", { ...plain, token: {} }, "InvalidEndpoints", /token/],
    ["no userinfo URL", { ...plain, userinfo: { params: {} } }, "InvalidEndpoints", /userinfo/],
    ["a relative URL", { ...plain, token: "/token" }, "InvalidConfig", /absolute/],
    ["a URL without TLS", { ...plain, token: "http://op.example/token" }, "InvalidConfig", /https/],
    ["an issuer without TLS", { ...oidc, issuer: "http://op.example" }, "InvalidConfig", /https/],
    ["a script", { ...plain, authorization: "javascript:alert(1)" }, "InvalidConfig", /https/],
    ["an unset option", { ...oidc, issuer: "https://undefined" }, "InvalidConfig", /unfilled/],
    ["another", { ...plain, token: "undefined/token" }, "InvalidConfig", /unfilled/],
    [
      "a forgotten template",
      { ...oidc, issuer: "https://{tenant}.op.example" },
      "InvalidConfig",
      /unfilled/,
    ],
    [
      "credentials in a URL",
      { ...oidc, issuer: "https://a:b@op.example" },
      "InvalidConfig",
      /credentials/,
    ],
    ["a URL that is none", { ...oidc, issuer: 7 }, "InvalidConfig", /issuer/],
    [
      "a bad key set",
      { ...oidc, jwks_endpoint: "ftp://op.example" },
      "InvalidConfig",
      /jwks_endpoint/,
    ],
    [
      "a bad request beside",
      { ...plain, enrich: [{ into: "emails", url: "emails" }] },
      "InvalidConfig",
      /"emails"/,
    ],
    ["a bad proxy", { ...plain, redirectProxyUrl: "proxy" }, "InvalidConfig", /redirectProxyUrl/],
  ])("for %s", (_, provider, type, message) => {
    const [fault, ...others] = faultsOf(provider);
    expect(others).toEqual([]);
    expect(fault).toMatchObject({ type });
    expect(fault?.message).toMatch(message);
    expect(fault?.message).toContain("my-op");
  });

  it("with all its faults at once", () => {
    const faults = faultsOf({ ...plain, clientId: "", checks: ["none"], token: undefined });
    expect(faults.map(({ type }) => type)).toEqual([
      "InvalidConfig",
      "InvalidConfig",
      "InvalidEndpoints",
    ]);
  });
});

describe("the libraries", () => {
  it("are loaded with the first sign-in, not with the application", () => {
    const room = new URL("../../plugins/flows/oauth/", import.meta.url);
    for (const file of readdirSync(room)) {
      const text = readFileSync(new URL(file, room), "utf8");
      expect(text).not.toMatch(/^import (?!type ).* from "(?:jose|oauth4webapi)"/m);
    }
  });
});

describe("a provider may", () => {
  it.each<[string, object]>([
    ["be plain", plain],
    ["be discovered", oidc],
    [
      "be discovered at a place of its own",
      { ...oidc, issuer: undefined, wellKnown: "https://op.example/x" },
    ],
    [
      "be plain OAuth and discovered",
      {
        ...plain,
        authorization: undefined,
        token: undefined,
        userinfo: undefined,
        issuer: "https://op.example",
      },
    ],
    ["be on this machine", { ...oidc, issuer: "http://localhost:9000/realms/undefined-not" }],
    ["have requests of its own", { ...plain, token: { request() {} }, userinfo: { request() {} } }],
    ["say none among other checks", { ...plain, checks: ["none", "state"] }],
    ["have no secret", { ...plain, clientSecret: undefined }],
    [
      "have placeholders",
      { ...plain, userinfo: "https://op.example/{tokens.openid}/{access_token}" },
    ],
    ["be behind a proxy without TLS", { ...plain, redirectProxyUrl: "http://proxy.example/auth/" }],
  ])("%s", (_, provider) => {
    expect(faultsOf(provider)).toEqual([]);
  });

  it("take its credentials from the environment", () => {
    const { clientId: _, clientSecret: __, issuer: ___, ...bare } = oidc;
    const env = {
      AUTH_MY_OP_ID: "from-env",
      AUTH_MY_OP_SECRET: "from-env",
      AUTH_MY_OP_ISSUER: "https://env.example",
    };
    expect(faultsOf(bare, { env })).toEqual([]);
    expect(faultsOf(bare)).toHaveLength(2);
  });
});
