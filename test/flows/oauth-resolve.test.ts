import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { oauthFlow } from "../../plugins/flows/oauth.ts";
import type { OAuthProvider, OIDCProvider } from "../../plugins/flows/oauth/provider.ts";
import { standardPreset } from "../../presets/index.ts";
import { minimalPreset } from "../../presets/minimal.ts";
import { AuthError, BootError } from "../../src/errors/errors.ts";
import type { AuthConfig, Preset } from "../../src/types.ts";
import { createTestAuth } from "../_app.ts";

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

function listFaults(provider: object, config: AuthConfig & { preset?: Preset } = {}): AuthError[] {
  const { auth } = createTestAuth({
    preset: standardPreset,
    trustHost: true,
    env: {},
    errors: "allowed",
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

describe("boot faults of OAuth providers", () => {
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
      "an unknown client authentication method",
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
    ["an empty list of checks", { ...plain, checks: [] }, "InvalidConfig", /empty list/],
    ["an unknown check", { ...plain, checks: ["pkcs"] }, "InvalidConfig", /"pkcs"/],
    [
      "the nonce check without an ID token",
      { ...plain, checks: ["nonce"] },
      "InvalidConfig",
      /"oidc"/,
    ],
    ["no issuer", { ...oidc, issuer: undefined }, "InvalidEndpoints", /AUTH_MY_OP_ISSUER/],
    [
      "no authorization URL",
      { ...plain, authorization: undefined },
      "InvalidEndpoints",
      /authorization/,
    ],
    ["no token URL", { ...plain, token: {} }, "InvalidEndpoints", /token/],
    ["no userinfo URL", { ...plain, userinfo: { params: {} } }, "InvalidEndpoints", /userinfo/],
    ["a relative token URL", { ...plain, token: "/token" }, "InvalidConfig", /absolute/],
    [
      "a token URL without TLS",
      { ...plain, token: "http://op.example/token" },
      "InvalidConfig",
      /https/,
    ],
    [
      "a token URL without TLS on a private network",
      { ...plain, token: "http://10.0.0.7/token" },
      "InvalidConfig",
      /unsafe `token.url`; it must be https/,
    ],
    [
      "a logout URL without TLS",
      { ...plain, endSession: "http://op.example/logout" },
      "InvalidConfig",
      /"my-op" has an unsafe `endSession.url`; it must be https/,
    ],
    [
      "a relative logout URL",
      { ...plain, endSession: { url: "/logout" } },
      "InvalidConfig",
      /`endSession.url`; it must be an absolute URL/,
    ],
    [
      "a logout URL that is not text",
      { ...plain, endSession: { url: 1 } },
      "InvalidConfig",
      /`endSession.url`; it must be a URL/,
    ],
    [
      "a revocation URL without TLS",
      { ...plain, revocation: { url: "http://op.example/revoke" } },
      "InvalidConfig",
      /"my-op" has an unsafe `revocation.url`; it must be https/,
    ],
    [
      "a URL for refreshes without TLS",
      { ...plain, refresh: { url: "http://op.example/token" } },
      "InvalidConfig",
      /an unsafe `refresh.url`; it must be https/,
    ],
    ["an issuer without TLS", { ...oidc, issuer: "http://op.example" }, "InvalidConfig", /https/],
    [
      "a javascript: URL",
      { ...plain, authorization: "javascript:alert(1)" },
      "InvalidConfig",
      /https/,
    ],
    [
      "an unset option in an issuer",
      { ...oidc, issuer: "https://undefined" },
      "InvalidConfig",
      /unfilled/,
    ],
    [
      "an unset option in a token URL",
      { ...plain, token: "undefined/token" },
      "InvalidConfig",
      /unfilled/,
    ],
    [
      "an issuer that contains a template placeholder",
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
    [
      "a user name in a URL",
      { ...plain, token: "https://op.example@other.example/token" },
      "InvalidConfig",
      /credentials in `token.url`/,
    ],
    [
      "a password in a URL",
      { ...plain, token: "https://:secret@op.example/token" },
      "InvalidConfig",
      /credentials in `token.url`/,
    ],
    [
      "an issuer of ID tokens without TLS",
      { ...oidc, issuerFromIdToken: "http://op.example/{tid}/v2.0" },
      "InvalidConfig",
      /unsafe `issuerFromIdToken`; it must be https/,
    ],
    ["an issuer that is not a string", { ...oidc, issuer: 7 }, "InvalidConfig", /issuer/],
    [
      "a key set URL that is not https",
      { ...oidc, jwks_endpoint: "ftp://op.example" },
      "InvalidConfig",
      /jwks_endpoint/,
    ],
    [
      "an `enrich` request with a relative URL",
      { ...plain, enrich: [{ into: "emails", url: "emails" }] },
      "InvalidConfig",
      /"emails"/,
    ],
    [
      "a redirectProxyUrl without TLS on a public host",
      { ...plain, redirectProxyUrl: "http://proxy.example/auth/" },
      "InvalidConfig",
      /unsafe `redirectProxyUrl`; it must be https/,
    ],
    [
      "a redirectProxyUrl by another protocol on a private network",
      { ...plain, redirectProxyUrl: "ftp://10.0.0.7/auth/" },
      "InvalidConfig",
      /unsafe `redirectProxyUrl`; it must be https/,
    ],
    [
      "a redirectProxyUrl with a query",
      { ...plain, redirectProxyUrl: "https://proxy.example/auth?to=app" },
      "InvalidConfig",
      /has a query or fragment in `redirectProxyUrl`/,
    ],
    [
      "a redirectProxyUrl with a fragment",
      { ...plain, redirectProxyUrl: "http://10.0.0.7/auth#app" },
      "InvalidConfig",
      /has a query or fragment in `redirectProxyUrl`/,
    ],
    [
      "a relative redirectProxyUrl",
      { ...plain, redirectProxyUrl: "proxy" },
      "InvalidConfig",
      /redirectProxyUrl/,
    ],
    [
      "a field that is misspelled by a letter",
      { ...plain, tokens: "https://op.example/token" },
      "InvalidConfig",
      /`tokens`.*did you mean `token`/,
    ],
    [
      "a `profile` that is not a function",
      { ...plain, profile: { id: "sub" } },
      "InvalidConfig",
      /`profile` to an object; it must be a function/,
    ],
    [
      "an `idToken` that is text",
      { ...oidc, idToken: "false" },
      "InvalidConfig",
      /`idToken`.*must be a boolean/,
    ],
    [
      "no value for an option that it requires",
      { ...plain, settings: { domain: { required: true, example: "acme.op.example" } } },
      "InvalidConfig",
      /no `domain`; set it to a string such as acme\.op\.example/,
    ],
    [
      "no issuer, although it requires one",
      { ...plain, settings: { issuer: { required: true, example: "https://op.example" } } },
      "InvalidEndpoints",
      /no `issuer`; set it, or AUTH_MY_OP_ISSUER, to a string such as https:\/\/op\.example/,
    ],
    [
      "an option with an unknown value",
      { ...plain, region: "mars", settings: { region: { example: "eu", oneOf: ["eu", "us"] } } },
      "InvalidConfig",
      /unusable `region`; set it to one of eu, us/,
    ],
    [
      "an option of its own that is misspelled",
      { ...plain, regoin: "eu", settings: { region: { example: "eu" } } },
      "InvalidConfig",
      /`regoin`.*did you mean `region`/,
    ],
    [
      "a service that has ended",
      { ...plain, retired: "The service has ended. Use another one." },
      "InvalidConfig",
      /cannot be used: The service has ended/,
    ],
  ])("inspect() rejects a provider with %s", (_, provider, type, message) => {
    const [fault, ...others] = listFaults(provider);
    expect(others).toEqual([]);
    expect(fault).toMatchObject({ type });
    expect(fault?.message).toMatch(message);
    expect(fault?.message).toContain("my-op");
  });

  it.each<[string, object]>([
    ["an assertion", { client: { token_endpoint_auth_method: "client_secret_jwt" } }],
    ["discovery", { token: undefined, issuer: "https://op.example" }],
  ])("inspect() refuses a provider that needs %s if oidcFlow() is not used", (_, fields) => {
    const config = { preset: minimalPreset, plugins: [oauthFlow()] };
    const faults = listFaults({ ...plain, ...fields }, config);
    expect(faults).toHaveLength(1);
    expect(faults[0]?.message).toContain("oidcFlow() of keyhook/flows/oauth");
    expect(listFaults({ ...plain, ...fields })).toEqual([]);
  });

  it("boot warns of a deprecated service, and accepts it", () => {
    const warnings: unknown[] = [];
    const logger = { warn: (...all: unknown[]) => void warnings.push(all.join(" ")) };
    expect(listFaults({ ...plain, deprecated: "Use the successor." }, { logger })).toEqual([]);
    expect(warnings).toEqual([
      expect.stringMatching(/provider-deprecated.*"my-op": Use the successor\./),
    ]);
  });

  it("inspect() reports all faults of a provider at once", () => {
    const faults = listFaults({ ...plain, clientId: "", checks: [], token: undefined });
    expect(faults.map(({ type }) => type)).toEqual([
      "InvalidConfig",
      "InvalidConfig",
      "InvalidEndpoints",
    ]);
  });

  it("inspect() reports a missing client id together with a missing issuer", () => {
    const settings = { issuer: { required: true, example: "https://op.example" } };
    const faults = listFaults({ ...plain, clientId: "", settings });
    expect(faults.map(({ message }) => message)).toEqual([
      expect.stringContaining("AUTH_MY_OP_ISSUER"),
      expect.stringContaining("AUTH_MY_OP_ID"),
    ]);
  });
});

describe("libraries of the OAuth flow", () => {
  it("jose and oauth4webapi are imported at the first callback, not with the application", () => {
    const pending = [new URL("../../plugins/flows/oauth.ts", import.meta.url).href];
    const loaded = new Set<string>();
    for (const file of pending) {
      if (loaded.has(file)) continue;
      loaded.add(file);
      const text = readFileSync(new URL(file), "utf8");
      expect(text, file).not.toMatch(/^(?:import|export) (?!type ).*from "(?:jose|oauth4webapi)"/m);
      const found = text.matchAll(/^(?:import|export) (?!type )[^;]*?from "([.][^"]+)"/gm);
      for (const [, path = ""] of found) pending.push(new URL(path, file).href);
    }
    expect(loaded.size).toBeGreaterThan(20);
  });
});

describe("valid OAuth provider configurations", () => {
  it.each<[string, object]>([
    ["with plain OAuth endpoints", plain],
    ["with a discovered issuer", oidc],
    [
      "discovered through `wellKnown` without an issuer",
      { ...oidc, issuer: undefined, wellKnown: "https://op.example/x" },
    ],
    [
      "with plain OAuth endpoints that are discovered",
      {
        ...plain,
        authorization: undefined,
        token: undefined,
        userinfo: undefined,
        issuer: "https://op.example",
      },
    ],
    ["on localhost without TLS", { ...oidc, issuer: "http://localhost:9000/realms/undefined-not" }],
    [
      "with `request` functions for token and userinfo",
      { ...plain, token: { request() {} }, userinfo: { request() {} } },
    ],
    ["with the check `none` among others", { ...plain, checks: ["none", "state"] }],
    ["with only the check `none`", { ...plain, checks: ["none"] }],
    ["without a client secret", { ...plain, clientSecret: undefined }],
    [
      "with placeholders in the userinfo URL",
      { ...plain, userinfo: "https://op.example/{tokens.openid}/{access_token}" },
    ],
    [
      "behind a redirect proxy without TLS on a private network",
      { ...plain, redirectProxyUrl: "http://10.0.0.7/auth/" },
    ],
  ])("inspect() accepts a provider %s", (_, provider) => {
    expect(listFaults(provider)).toEqual([]);
  });

  it("reads client id, client secret and issuer from the environment", () => {
    const { clientId: _, clientSecret: __, issuer: ___, ...bare } = oidc;
    const env = {
      AUTH_MY_OP_ID: "from-env",
      AUTH_MY_OP_SECRET: "from-env",
      AUTH_MY_OP_ISSUER: "https://env.example",
    };
    expect(listFaults(bare, { env })).toEqual([]);
    expect(listFaults(bare)).toHaveLength(2);
  });

  it("points at a misspelled variable where one is missing, also one that the provider requires", () => {
    const { clientId: _, clientSecret: __, issuer: ___, ...bare } = oidc;
    const required = { issuer: { required: true, example: "https://op.example" } };
    const env = {
      AUTH_MY_OP_DI: "from-env",
      AUTH_MY_OP_SECERT: "from-env",
      AUTH_MY_OP_ISUER: "https://env.example",
    };
    const faults = listFaults(bare, { env }).map(String).join("\n");
    expect(faults).toContain("AUTH_MY_OP_ID (AUTH_MY_OP_DI is set: check its spelling)");
    const settings = listFaults({ ...bare, settings: required }, { env })
      .map(String)
      .join("\n");
    expect(settings).toContain("AUTH_MY_OP_ISSUER (AUTH_MY_OP_ISUER is set: check its spelling)");
  });
});

describe("options of other libraries", () => {
  it.each([
    ["scope", "Set `authorization.params.scope`."],
    ["scopes", "Set `authorization.params.scope`."],
    ["redirectURL", "Remove or correct it."],
  ])("boot warns of `%s`, and names the option to set here", (name, fix) => {
    const warned: unknown[] = [];
    const logger = { warn: (_: string, text?: string) => void warned.push(text) };
    const provider = { ...plain, [name]: "x" } as OAuthProvider;
    createTestAuth({
      preset: standardPreset,
      providers: [provider],
      env: {},
      trustHost: true,
      logger,
    }).auth.inspect();
    expect(warned).toContain(`\`${name}\` is not an option of the provider "my-op". ${fix}`);
  });
});
