import type { ServerResponse } from "node:http";
import { generateKeyPair } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { oauthFlow, readDataUrl } from "../../plugins/flows/oauth.ts";
import type { OAuthProvider } from "../../plugins/flows/oauth/provider.ts";
import { customFetch } from "../../presets/index.ts";
import { minimalPreset } from "../../presets/minimal.ts";
import type { Account, Profile, User } from "../../src/types.ts";
import { CLIENT_ID, CLIENT_SECRET, type Op, type Script, startOp } from "../_op.ts";
import {
  type OAuthApp,
  createOAuthApp,
  expectRefused,
  expectSignedIn,
  oauth,
  oidc,
} from "./_oauth.ts";

type Json = Record<string, unknown>;

let op: Op;
beforeAll(async () => {
  op = await startOp();
});
afterAll(() => op.close());
beforeEach(() => op.reset());

const token = () => op.received.find(({ path }) => path === "/token");
const userinfo = () => op.received.find(({ path }) => path === "/userinfo");

interface Seen {
  user: User;
  account: Account | null;
  profile?: Profile;
}

/** Creates an application that records the parameters of its signIn events. */
function watch(provider: OAuthProvider): OAuthApp & { seen: Seen[] } {
  const seen: Seen[] = [];
  const signIn = (message: Seen) => void seen.push(message);
  return Object.assign(createOAuthApp(op, [provider], { events: { signIn } }), { seen });
}

describe("plain OAuth sign-in", () => {
  it("builds the identity from token response and userinfo", async () => {
    const app = watch(oauth(op));
    await expectSignedIn(app, await app.signIn());
    const [{ user, account, profile } = {} as Seen] = app.seen;
    expect(user).toEqual({
      id: expect.stringMatching(/^[\da-f]{8}-[\da-f]{4}-8/),
      name: "Ada Lovelace",
      email: "ada@example.com",
    });
    expect(account).toMatchObject({
      access_token: "access-token",
      token_type: "bearer",
      expires_in: 3600,
      expires_at: expect.any(Number),
      refresh_token: "refresh-token",
      provider: "op",
      type: "oauth",
      providerAccountId: "subject-1",
    });
    expect(profile).toMatchObject({ sub: "subject-1" });
  });

  it("lower-cases token_type and drops an invalid expires_at of a custom token request", async () => {
    const tokens = {
      access_token: "access-token",
      token_type: "Bearer",
      expires_at: "soon",
    } as never;
    const app = watch(oauth(op, { token: { request: () => ({ tokens }) } }));
    await expectSignedIn(app, await app.signIn());
    expect(app.seen[0]?.account?.token_type).toBe("bearer");
    expect(app.seen[0]?.account).not.toHaveProperty("expires_at");
  });

  it("the user id is the same at each sign-in without an adapter", async () => {
    const ids = new Set<string | undefined>();
    for (let i = 0; i < 2; i++) {
      const app = watch(oauth(op));
      await app.signIn();
      ids.add(app.seen[0]?.user.id);
    }
    expect(ids.size).toBe(1);
    op.script = { userinfo: (claims) => ({ ...claims, sub: "subject-2" }) };
    const other = watch(oauth(op));
    await other.signIn();
    expect(ids.has(other.seen[0]?.user.id)).toBe(false);
  });

  it("endpoints can be discovered for plain OAuth", async () => {
    const { authorization: _, token: __, userinfo: ___, ...rest } = oauth(op);
    const app = createOAuthApp(op, [{ ...rest, issuer: op.issuer } as OAuthProvider]);
    await expectSignedIn(app, await app.signIn());
  });

  it("ignores an ID token that cannot be verified without issuer and keys", async () => {
    op.script = { tokens: (answer) => ({ ...answer, id_token: "e30.e30.c2ln" }) };
    const app = watch(oauth(op));
    await expectSignedIn(app, await app.signIn());
    expect(app.seen[0]?.account?.id_token).toBe("e30.e30.c2ln");
  });

  it("verifies an ID token when issuer and keys are configured", async () => {
    op.script = { tokens: (answer) => ({ ...answer, id_token: "e30.e30.c2ln" }) };
    const app = createOAuthApp(op, [
      oauth(op, { issuer: op.issuer, jwks_endpoint: `${op.issuer}/jwks` }),
    ]);
    await expectRefused(app, await app.signIn());
  });

  it("ignores the callback's `iss` when no issuer is configured (RFC 9207)", async () => {
    op.script = { answer: (params) => params.set("iss", "https://op.example") };
    const app = createOAuthApp(op, [oauth(op)]);
    await expectSignedIn(app, await app.signIn());
    const strict = createOAuthApp(op, [oauth(op, { issuer: op.issuer })]);
    await expectRefused(strict, await strict.signIn(), "signin?error=InvalidCheck");
  });

  it("refuses a posted callback when the response mode is query", async () => {
    const app = createOAuthApp(op, [oauth(op)], { errors: "allowed" });
    const { url } = await op.authorize(await app.startSignIn());
    const fields = Object.fromEntries(new URL(url).searchParams);
    const response = await app.browser.post("/auth/callback/op", fields);
    expect(response.status).toBe(400);
    expect(op.count("/token")).toBe(0);
  });

  it.each(["code", "state", "iss", "error"])(
    "refuses a callback with two parameters %s",
    async (name) => {
      const app = createOAuthApp(op, [oauth(op, { checks: ["pkce", "state"] })], {
        errors: "allowed",
      });
      const { url } = await op.authorize(await app.startSignIn());
      const response = await app.finishSignIn({ url: `${url}&${name}=a&${name}=b` });
      expect(response.status).toBe(400);
      expect(op.count("/token")).toBe(0);
    },
  );

  it("refuses a callback without a code", async () => {
    op.script = { answer: (params) => params.delete("code") };
    const app = createOAuthApp(op, [oauth(op)]);
    await expectRefused(app, await app.signIn());
    expect(op.count("/token")).toBe(0);
  });
});

describe("token request", () => {
  const body = () => Object.fromEntries(token()?.body ?? []);
  const assertion = (part = 1) => {
    const encoded = (token()?.body.get("client_assertion") ?? "").split(".")[part] ?? "";
    return JSON.parse(Buffer.from(encoded, "base64url").toString()) as Json;
  };

  it("authenticates with client_secret_basic", async () => {
    const app = createOAuthApp(op, [oauth(op, { clientSecret: "a b/c+d:é" })]);
    await expectSignedIn(app, await app.signIn());
    const credentials = Buffer.from(`${CLIENT_ID}:a+b%2Fc%2Bd%3A%C3%A9`).toString("base64");
    expect(token()?.headers.authorization).toBe(`Basic ${credentials}`);
    expect(body()).toEqual({
      grant_type: "authorization_code",
      code: expect.any(String),
      redirect_uri: "http://localhost:3000/auth/callback/op",
      code_verifier: expect.stringMatching(/^[\w-]{43}$/),
    });
    expect(token()?.headers.accept).toBe("application/json");
  });

  it("authenticates with client_secret_post", async () => {
    const client = { token_endpoint_auth_method: "client_secret_post" } as const;
    const app = createOAuthApp(op, [oauth(op, { client })]);
    await expectSignedIn(app, await app.signIn());
    expect(body()).toMatchObject({ client_id: CLIENT_ID, client_secret: CLIENT_SECRET });
    expect(token()?.headers.authorization).toBeUndefined();
  });

  it("authenticates with client_secret_post when the metadata offers only that", async () => {
    op.script = {
      metadata: (document) => ({
        ...document,
        token_endpoint_auth_methods_supported: ["client_secret_post"],
      }),
    };
    const app = createOAuthApp(op, [oidc(op)]);
    await expectSignedIn(app, await app.signIn());
    expect(body()).toMatchObject({ client_secret: CLIENT_SECRET });
  });

  it("authenticates with client_secret_jwt", async () => {
    const client = { token_endpoint_auth_method: "client_secret_jwt" } as const;
    const app = createOAuthApp(op, [oauth(op, { client })]);
    await expectSignedIn(app, await app.signIn());
    expect(assertion()).toMatchObject({
      iss: CLIENT_ID,
      sub: CLIENT_ID,
      aud: `${op.issuer}/token`,
    });
    expect(body()).not.toHaveProperty("client_secret");
  });

  it("authenticates with private_key_jwt, with or without a key id", async () => {
    const client = { token_endpoint_auth_method: "private_key_jwt" } as const;
    const { privateKey } = await generateKeyPair("ES256");
    for (const clientPrivateKey of [
      privateKey,
      { key: privateKey },
      { key: privateKey, kid: "k" },
    ]) {
      op.received = [];
      const app = createOAuthApp(op, [
        oidc(op, { client, token: { clientPrivateKey: clientPrivateKey as CryptoKey } }),
      ]);
      await expectSignedIn(app, await app.signIn());
      expect(assertion()).toMatchObject({ iss: CLIENT_ID, aud: op.issuer });
      const { kid } = clientPrivateKey as { kid?: string };
      expect(assertion(0)).toEqual({ alg: "ES256", ...(kid !== undefined && { kid }) });
    }
  });

  it("a client assertion has the audience that the provider sets, for a server that does not accept its issuer", async () => {
    const { privateKey } = await generateKeyPair("ES256");
    const assertionAudience = `${op.issuer}/token`;
    for (const [method, more] of [
      ["private_key_jwt", { clientPrivateKey: privateKey }],
      ["client_secret_jwt", {}],
    ] as const) {
      op.received = [];
      const client = { token_endpoint_auth_method: method };
      const app = createOAuthApp(op, [oidc(op, { client, token: { assertionAudience, ...more } })]);
      await expectSignedIn(app, await app.signIn());
      expect(assertion()).toMatchObject({ iss: CLIENT_ID, aud: assertionAudience });
    }
  });

  it("sends no client authentication for a public client", async () => {
    for (const more of [
      { client: { token_endpoint_auth_method: "none" } as const },
      { clientSecret: "" },
    ]) {
      op.received = [];
      const app = createOAuthApp(op, [oauth(op, more)]);
      await expectSignedIn(app, await app.signIn());
      expect(body()).toMatchObject({ client_id: CLIENT_ID });
      expect(body()).not.toHaveProperty("client_secret");
      expect(token()?.headers.authorization).toBeUndefined();
    }
  });

  it("calls a clientSecret function once for the request", async () => {
    const clientSecret = vi.fn(async () => "made");
    const app = createOAuthApp(op, [oauth(op, { clientSecret })]);
    await expectSignedIn(app, await app.signIn());
    expect(clientSecret).toHaveBeenCalledOnce();
    expect(token()?.headers.authorization).toBe(`Basic ${btoa(`${CLIENT_ID}:made`)}`);
  });

  it("fails without details for the visitor when the clientSecret function throws", async () => {
    const app = createOAuthApp(op, [
      oauth(op, {
        clientSecret: () => {
          throw new Error("no key");
        },
      }),
    ]);
    const error = await expectRefused(app, await app.signIn());
    expect(error.message).toContain("no key");
  });

  it("sends token.params, token.headers and forwarded callback parameters", async () => {
    op.script = { answer: (params) => params.set("device_id", "device-1") };
    const app = createOAuthApp(op, [
      oauth(op, {
        token: {
          url: `${op.issuer}/token?appid={clientId}&key={clientSecret}`,
          params: {
            client_key: "{clientId}",
            nothing: undefined,
            code: "evil",
            redirect_uri: "evil",
            grant_type: "evil",
            code_verifier: "evil",
          },
          headers: { "x-client": "{clientId}" },
          forward: ["device_id", "missing"],
        },
      }),
    ]);
    await expectSignedIn(app, await app.signIn());
    expect(Object.fromEntries(token()?.query ?? [])).toEqual({
      appid: CLIENT_ID,
      key: CLIENT_SECRET,
    });
    expect(token()?.headers["x-client"]).toBe(CLIENT_ID);
    expect(body()).toMatchObject({ client_key: CLIENT_ID, device_id: "device-1" });
    expect(Object.values(body())).not.toContain("evil");
    expect(body()).not.toHaveProperty("missing");
  });

  it("token.request() replaces the token request", async () => {
    const request = vi.fn(async ({ params, checks, redirectUri, fetch: ask }) => {
      expect(checks.code_verifier).toMatch(/^[\w-]{43}$/);
      expect(redirectUri).toBe("http://localhost:3000/auth/callback/op");
      await expect(ask("http://op.example")).rejects.toThrow("https");
      return { tokens: { access_token: "access-token", code: params.code } };
    });
    const app = watch(oauth(op, { token: { request } }));
    await expectSignedIn(app, await app.signIn());
    expect(app.seen[0]?.account).toMatchObject({ access_token: "access-token" });
    expect(op.count("/token")).toBe(0);
  });
});

describe("return values of token.request()", () => {
  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["no tokens", {}],
    ["the error of the service as tokens", { tokens: { error: "invalid_grant" } }],
    ["an access token that is not text", { tokens: { access_token: 5 } }],
  ])("%s is refused, and the log says what is missing", async (_, returned) => {
    const app = createOAuthApp(op, [oauth(op, { token: { request: () => returned as never } })]);
    const response = await app.signIn();
    expect(response.headers.get("location")).toContain("error=Configuration");
    const [error] = app.log.expectErrors("CallbackRouteError");
    expect(error?.message).toContain("`token.request` returned no `tokens` with an `access_token`");
    expect(op.count("/userinfo")).toBe(0);
  });
});

describe("token response", () => {
  const answer = (body: unknown, status = 200, type = "application/json"): Script =>
    ({
      takeover: {
        "/token": (_, response) =>
          void response
            .writeHead(status, { "content-type": type })
            .end(typeof body === "string" ? body : JSON.stringify(body)),
      },
    }) satisfies Script;
  const good = { access_token: "access-token" };

  it.each<[string, Json, Partial<OAuthProvider>?]>([
    ["without token_type", good],
    ["with expires_in as a string", { ...good, expires_in: "3600" }],
    ["with expires_in 0", { ...good, expires_in: 0 }],
  ])("accepts a token response %s", async (_, body, more) => {
    op.script = answer(body);
    const app = createOAuthApp(op, [oauth(op, more)]);
    await expectSignedIn(app, await app.signIn());
  });

  it("accepts a token response labeled as text/plain", async () => {
    op.script = answer(good, 200, "text/plain");
    const app = createOAuthApp(op, [oauth(op)]);
    await expectSignedIn(app, await app.signIn());
  });

  it("token.transform() rewrites the token response", async () => {
    op.script = answer({ status: 0, body: { ...good, scope: ["a", "b"] } });
    const transform = ({ body }: Json): Json => {
      const inner = body as { scope: string[] };
      return { ...inner, scope: inner.scope.join(" ") };
    };
    const token = { url: `${op.issuer}/token`, transform, errorMember: "status" };
    const app = watch(oauth(op, { token }));
    await expectSignedIn(app, await app.signIn());
    expect(app.seen[0]?.account?.scope).toBe("a b");
  });

  it("token.root names the member that contains the tokens", async () => {
    op.script = answer({ status: 0, body: good });
    const token = { url: `${op.issuer}/token`, root: "body", errorMember: "status" };
    const app = createOAuthApp(op, [oauth(op, { token })]);
    await expectSignedIn(app, await app.signIn());
    for (const root of ["other", "status", "body.access_token"]) {
      const broken = createOAuthApp(op, [oauth(op, { token: { ...token, root } })]);
      const error = await expectRefused(broken, await broken.signIn());
      expect(error.message).toContain(`no object at "${root}"`);
    }
  });

  it("token.headers replace the default content type (form in UTF-8)", async () => {
    const type = "application/x-www-form-urlencoded";
    const headers = { "content-type": type };
    const app = createOAuthApp(op, [oauth(op, { token: { url: `${op.issuer}/token`, headers } })]);
    await expectSignedIn(app, await app.signIn());
    expect(token()?.headers["content-type"]).toBe(type);
  });

  it("token.conform() replaces the token response", async () => {
    op.script = answer({ nonsense: true });
    const conform = async (response: Response) => {
      expect(await response.json()).toEqual({ nonsense: true });
      return Response.json(good);
    };
    const app = createOAuthApp(op, [oauth(op, { token: { url: `${op.issuer}/token`, conform } })]);
    await expectSignedIn(app, await app.signIn());
    op.script = answer(good);
    const plain = createOAuthApp(op, [
      oauth(op, { token: { url: `${op.issuer}/token`, conform: () => undefined } }),
    ]);
    await expectSignedIn(plain, await plain.signIn());
  });

  it("the error for a token response that is a form names its content type, and how to convert it", async () => {
    const conform = () =>
      new Response("access_token=x", {
        headers: { "content-type": "application/x-www-form-urlencoded; charset=utf-8" },
      });
    const { describe: describeError } = await import("../../src/kernel/logger.ts");
    const app = createOAuthApp(op, [oauth(op, { token: { url: `${op.issuer}/token`, conform } })]);
    const error = await expectRefused(app, await app.signIn());
    expect(describeError(error)).toContain(
      'is not JSON (status 200, 14 bytes, type "application/x-www-form-urlencoded"). Convert it in `token.conform`',
    );
  });

  it.each<[string, unknown, number, RegExp]>([
    ["an OAuth error", { error: "invalid_grant" }, 400, /invalid_grant/],
    ["an unknown client", { error: "invalid_client" }, 401, /invalid_client/],
    ["a sentence", { error: "no", error_description: "It is late." }, 400, /no: It is late\.$/],
    ["an error with status 200", { error: "bad_verification_code" }, 200, /bad_verification_code/],
    ["an error next to a token", { ...good, error: "no" }, 200, /no/],
    ["an error that is an object", { error: { code: 190, message: "x" } }, 400, /190/],
    ["status 403 with an empty object", {}, 403, /status 403/],
    ["an empty object", {}, 200, /access_token/],
    ["an empty token", { access_token: "" }, 200, /access_token/],
    ["a token that is not a string", { access_token: { a: 1 } }, 200, /access_token/],
    ["an array", [good], 200, /object/],
  ])("refuses a token response: %s", async (_, body, status, message) => {
    op.script = answer(body, status);
    const app = createOAuthApp(op, [oauth(op)]);
    const error = await expectRefused(app, await app.signIn());
    expect(error.message).toMatch(message);
  });

  it("refuses a token response whose errorMember is set", async () => {
    op.script = answer({ ...good, errcode: 40_029, errmsg: "invalid code" });
    const token = { url: `${op.issuer}/token`, errorMember: "errcode" };
    const app = createOAuthApp(op, [oauth(op, { token })]);
    const error = await expectRefused(app, await app.signIn());
    expect(error.message).toContain("40029: invalid code");
  });

  it("the logged error contains neither code, verifier nor client secret when the response quotes them", async () => {
    const app = createOAuthApp(op, [oauth(op)]);
    const callback = await op.authorize(await app.startSignIn());
    const code = new URL(callback.url).searchParams.get("code") ?? "";
    let verifier = "";
    const refuse = async (request: AsyncIterable<Buffer>, response: ServerResponse) => {
      let body = "";
      for await (const chunk of request) body += String(chunk);
      verifier = new URLSearchParams(body).get("code_verifier") ?? "";
      const description = `${code} ${CLIENT_SECRET} ${verifier} is wrong`;
      response.writeHead(401, { "content-type": "application/json" });
      response.end(JSON.stringify({ error: "invalid_client", error_description: description }));
    };
    op.script = { takeover: { "/token": refuse } };
    const error = await expectRefused(app, await app.finishSignIn(callback));
    expect(verifier).toMatch(/^[\w-]{43}$/);
    const { inspect } = await import("node:util");
    const { describe: describeError } = await import("../../src/kernel/logger.ts");
    for (const text of [inspect(error, { depth: 9 }), describeError(error)]) {
      expect(text).toContain("invalid_client");
      expect(text).not.toContain(code);
      expect(text).not.toContain(CLIENT_SECRET);
      expect(text).not.toContain(verifier);
    }
  });

  it("members of the token response cannot override userId, provider or type", async () => {
    op.script = answer({ ...good, user_id: 7, userId: "victim", provider: "x", type: "email" });
    const app = watch(oauth(op));
    await expectSignedIn(app, await app.signIn());
    expect(app.seen[0]?.account).toMatchObject({ user_id: 7, provider: "op", type: "oauth" });
    expect(app.seen[0]?.account).not.toHaveProperty("userId", "victim");
  });
});

describe("userinfo request", () => {
  const url = () => `${op.issuer}/userinfo`;
  const open: Script = {
    takeover: {
      "/userinfo": (_, response) =>
        void response
          .writeHead(200, { "content-type": "application/json" })
          .end(JSON.stringify({ data: { user: [{ id: 7, name: "Inner" }] } })),
    },
  };
  const inner: Partial<OAuthProvider> = { profile: (profile) => profile as User };

  it("sends parameters, headers and placeholders", async () => {
    const app = createOAuthApp(op, [
      oauth(op, {
        userinfo: {
          url: `${url()}?{clientId}={tokens.token_type}`,
          params: {
            fields: "id,name",
            secret: "{missing}",
            scope: "{tokens.scope}",
            part: "of {tokens.openid}",
          },
          headers: { "X-Api-Key": "{clientId}", Accept: "application/vnd.heroku+json" },
        },
      }),
    ]);
    await expectSignedIn(app, await app.signIn());
    expect(Object.fromEntries(userinfo()?.query ?? [])).toEqual({
      [CLIENT_ID]: "bearer",
      fields: "id,name",
      secret: "{missing}",
    });
    expect(userinfo()?.headers).toMatchObject({
      authorization: "Bearer access-token",
      "x-api-key": CLIENT_ID,
      accept: "application/vnd.heroku+json",
    });
  });

  it.each<[string, string | undefined, string | undefined, string | null]>([
    ["as bearer token", undefined, "Bearer access-token", null],
    ["under another scheme", "OAuth", "OAuth access-token", null],
    ["in the query", "query:oauth_token", undefined, "access-token"],
    ["not at all", "none", undefined, null],
  ])("sends the access token to userinfo %s", async (_, token, header, query) => {
    op.script = open;
    const app = createOAuthApp(op, [
      oauth(op, {
        ...inner,
        userinfo: { url: url(), root: "data.user.0", ...(token && { token }) },
      }),
    ]);
    await expectSignedIn(app, await app.signIn());
    expect(userinfo()?.headers.authorization).toBe(header);
    expect(userinfo()?.query.get("oauth_token")).toBe(query);
    expect(await app.browser.session()).toMatchObject({ user: { name: "Inner" } });
  });

  it("encodes a token placeholder in the path as one segment", async () => {
    op.script = { tokens: (answer) => ({ ...answer, access_token: "../x/y?z" }) };
    const app = createOAuthApp(op, [oauth(op, { userinfo: `${op.issuer}/me/{access_token}` })], {
      errors: "allowed",
    });
    await app.signIn();
    expect(op.received.at(-1)?.path).toBe("/me/..%2Fx%2Fy%3Fz");
    op.script = { tokens: (answer) => ({ ...answer, access_token: ".." }) };
    await app.signIn();
    expect(op.received.at(-1)?.path).toMatch(/^\/me\/.+/);
  });

  it("refuses the sign-in without a userinfo request when a placeholder of its URL has no value", async () => {
    const app = createOAuthApp(op, [
      oauth(op, { userinfo: { url: `${url()}?openid={tokens.openid}` } }),
    ]);
    const error = await expectRefused(app, await app.signIn());
    expect(String(error)).toContain("A placeholder of the URL");
    expect(userinfo()).toBeUndefined();
  });

  it("sends userinfo as POST with a JSON body", async () => {
    let body = "";
    op.script = {
      takeover: {
        async "/userinfo"(request, response) {
          for await (const chunk of request) body += chunk;
          response.end(JSON.stringify({ data: { id: "7" } }));
        },
      },
    };
    const userinfo = {
      url: url(),
      method: "POST",
      body: { query: "{ me }" },
      root: "data",
    } as const;
    const app = createOAuthApp(op, [oauth(op, { userinfo })]);
    await expectSignedIn(app, await app.signIn());
    expect(JSON.parse(body)).toEqual({ query: "{ me }" });
  });

  it("userinfo.token puts the access token and the parameters into a form", async () => {
    const fields = { url: url(), token: "form:access_token", params: { client_id: "{clientId}" } };
    const app = createOAuthApp(op, [oauth(op, { userinfo: fields })]);
    let body = "";
    op.script = {
      takeover: {
        async "/userinfo"(request, response) {
          expect(request.method).toBe("POST");
          for await (const chunk of request) body += chunk;
          response.end(JSON.stringify({ id: "7" }));
        },
      },
    };
    await expectSignedIn(app, await app.signIn());
    expect(Object.fromEntries(new URLSearchParams(body))).toEqual({
      client_id: CLIENT_ID,
      access_token: "access-token",
    });
    expect(userinfo()?.headers.authorization).toBeUndefined();
    expect([...userinfo()!.query]).toEqual([]);
  });

  it("userinfo.from: the profile is the token response without its tokens", async () => {
    op.script = { tokens: (answer) => ({ ...answer, user_id: 7, secret: "s" }) };
    const profile = (found: Profile) => ({ id: String(found.user_id) });
    const app = watch(oauth(op, { userinfo: { from: "tokens" }, profile }));
    await expectSignedIn(app, await app.signIn());
    expect(app.seen[0]?.account?.providerAccountId).toBe("7");
    expect(Object.keys(app.seen[0]?.profile ?? {})).not.toContain("access_token");
    expect(Object.keys(app.seen[0]?.profile ?? {})).not.toContain("refresh_token");
    expect(userinfo()).toBeUndefined();
  });

  it("userinfo.request() replaces the userinfo request", async () => {
    const request = vi.fn(async ({ tokens }) => ({ id: tokens.access_token }));
    const app = watch(oauth(op, { userinfo: { request } }));
    await expectSignedIn(app, await app.signIn());
    expect(app.seen[0]?.account?.providerAccountId).toBe("access-token");
  });

  it.each<[string, unknown]>([
    ["undefined", undefined],
    ["null", null],
    ["a string", "profile"],
    ["an array", [{ id: 1 }]],
  ])("refuses %s from userinfo.request()", async (_, answer) => {
    const app = createOAuthApp(op, [oauth(op, { userinfo: { request: () => answer as Profile } })]);
    await expectRefused(app, await app.signIn());
  });

  it.each<[string, number, string]>([
    ["status 401 with a profile", 401, '{"sub":"subject-1","id":"1"}'],
    ["status 404 with a profile", 404, '{"sub":"subject-1"}'],
    ["an array", 200, '[{"sub":"subject-1"}]'],
    ["null", 200, "null"],
    ["a string", 200, '"subject-1"'],
    ["an empty body", 200, ""],
    ["an error envelope", 200, '{"ok":false,"error":"x"}'],
  ])("refuses a userinfo response: %s", async (_, status, body) => {
    op.script = {
      takeover: {
        "/userinfo": (__, response) =>
          void response.writeHead(status, { "content-type": "application/json" }).end(body),
      },
    };
    const app = createOAuthApp(op, [oauth(op)]);
    await expectRefused(app, await app.signIn());
  });

  it("refuses a userinfo response with status 200 whose errorMember is set", async () => {
    const failed = { sub: "subject-1", id: "1", errcode: 40_003 };
    op.script = {
      takeover: {
        "/userinfo": (_, response) =>
          void response
            .writeHead(200, { "content-type": "application/json" })
            .end(JSON.stringify(failed)),
      },
    };
    const userinfo = { url: url(), errorMember: "errcode" };
    const app = createOAuthApp(op, [oauth(op, { userinfo })]);
    await expectRefused(app, await app.signIn());
    failed.errcode = 0;
    const other = createOAuthApp(op, [oauth(op, { userinfo })]);
    await expectSignedIn(other, await other.signIn());
  });

  it("refuses a userinfo response without the member that `root` names", async () => {
    for (const root of ["data", "sub", "constructor", "__proto__"]) {
      const app = createOAuthApp(op, [oauth(op, { userinfo: { url: url(), root } })]);
      await expectRefused(app, await app.signIn());
    }
  });
});

describe("enrich requests", () => {
  const emails: Script["takeover"] = {
    "/emails": (_, response) => void response.end('[{"email":"a@b.example","primary":true}]'),
    "/photo": (_, response) =>
      void response.writeHead(200, { "content-type": "image/png; x=1" }).end("PNG"),
    "/page": (_, response) =>
      void response.writeHead(200, { "content-type": "text/html" }).end("<p>"),
    "/down": (_, response) => void response.writeHead(500).end("{}"),
  };

  it("adds the responses of enrich requests to the profile", async () => {
    op.script = { takeover: emails };
    const app = watch(
      oauth(op, {
        enrich: [
          { into: "emails", url: `${op.issuer}/emails?of={profile.sub}`, headers: { "x-y": "z" } },
          { into: "photo", url: `${op.issuer}/photo`, read: readDataUrl },
          { into: "never", url: `${op.issuer}/never`, when: () => false },
          { into: "seen", url: `${op.issuer}/emails`, when: ({ emails: known }) => Boolean(known) },
        ],
      }),
    );
    await expectSignedIn(app, await app.signIn());
    expect(app.seen[0]?.profile).toMatchObject({
      emails: [{ email: "a@b.example", primary: true }],
      photo: `data:image/png;base64,${btoa("PNG")}`,
      seen: expect.any(Array),
    });
    const asked = op.received.find(({ path }) => path === "/emails");
    expect(asked?.query.get("of")).toBe("subject-1");
    expect(asked?.headers).toMatchObject({ authorization: "Bearer access-token", "x-y": "z" });
    expect(op.count("/never")).toBe(0);
  });

  it("derives members of the profile, which mapping, hooks and callbacks see", async () => {
    op.script = { takeover: emails };
    const mapped: unknown[] = [];
    const app = watch(
      oauth(op, {
        enrich: [{ into: "emails", url: `${op.issuer}/emails` }],
        derive: ({ emails: known }) => ({ email: (known as { email: string }[])[0]!.email }),
        profile(profile) {
          mapped.push(profile.email);
          return { id: "1", email: profile.email! };
        },
      }),
    );
    await expectSignedIn(app, await app.signIn());
    expect(mapped).toEqual(["a@b.example"]);
    expect(app.seen[0]?.profile).toMatchObject({ email: "a@b.example" });
  });

  it("refuses the sign-in when derive() throws, with an error that names the provider", async () => {
    const app = createOAuthApp(op, [oauth(op, { derive: () => JSON.parse("{") as object })]);
    const error = await expectRefused(app, await app.signIn());
    expect(error).toMatchObject({ type: "OAuthProfileParseError" });
    expect(error.message).toContain('"op"');
  });

  it("omits enrich requests that fail, and logs each", async () => {
    op.script = { takeover: emails };
    const app = watch(
      oauth(op, {
        enrich: [
          { into: "a", url: `${op.issuer}/down` },
          { into: "b", url: `${op.issuer}/missing` },
          { into: "c", url: `${op.issuer}/page`, read: readDataUrl },
          { into: "d", url: `${op.issuer}/page` },
          { into: "e", url: `${op.issuer}/{profile.missing}` },
          {
            into: "f",
            url: `${op.issuer}/emails`,
            when: () => {
              throw new Error("no");
            },
          },
        ],
      }),
    );
    await expectSignedIn(app, await app.signIn());
    const { profile } = app.seen[0] ?? ({} as Seen);
    expect(Object.keys(profile ?? {}).sort()).toEqual(["email", "name", "sub"]);
    const logged = app.log.debugs.filter(([text]) => text.includes("the request for"));
    expect(logged.map(([text]) => /"(\w)" failed/.exec(text)?.[1])).toEqual([..."abdef"]);
    expect(logged[1]?.[1]).toEqual({ error: "Error: status 404" });
  });
});

describe("identity from profile()", () => {
  it.each<[string, unknown, string]>([
    ["a number", 42, "42"],
    ["zero", 0, "0"],
    ["a large number", Number.MAX_SAFE_INTEGER, "9007199254740991"],
    ["a string", "x y/z", "x y/z"],
  ])("accepts an id that is %s", async (_, id, expected) => {
    const app = watch(oauth(op, { profile: () => ({ id }) as User }));
    await expectSignedIn(app, await app.signIn());
    expect(app.seen[0]?.account?.providerAccountId).toBe(expected);
  });

  it.each<[string, unknown]>([
    ["undefined", undefined],
    ["null", null],
    ["empty", ""],
    ["blank", "  "],
    ["NaN", Number.NaN],
    ["infinite", Number.POSITIVE_INFINITY],
    ["beyond the safe integers", 2 ** 53],
    ["a fraction", 1.5],
    ["an object", {}],
    ["a list", ["1"]],
    ["a boolean", true],
    ["5000 characters long", "x".repeat(5000)],
  ])("refuses an id that is %s", async (_, id) => {
    const app = createOAuthApp(op, [oauth(op, { profile: () => ({ id }) as User })]);
    const error = await expectRefused(app, await app.signIn());
    expect(error).toMatchObject({ type: "OAuthProfileParseError" });
  });

  it.each<[string, () => unknown]>([
    ["throws", () => JSON.parse("{")],
    ["returns undefined", () => undefined],
    ["returns a string", () => "user"],
    ["rejects", () => Promise.reject(new Error("no"))],
  ])("refuses the sign-in when profile() %s", async (_, profile) => {
    const app = createOAuthApp(op, [
      oauth(op, { profile: profile as OAuthProvider["profile"] & object }),
    ]);
    const error = await expectRefused(app, await app.signIn());
    expect(error).toMatchObject({ type: "OAuthProfileParseError" });
  });

  it("refuses the sign-in when the standard claims have no id", async () => {
    op.script = { userinfo: () => ({ name: "Nobody" }) };
    const app = createOAuthApp(op, [oauth(op)]);
    await expectRefused(app, await app.signIn());
  });

  it("an e-mail address that is not a string is dropped", async () => {
    const app = watch(oauth(op, { profile: () => ({ id: "1", email: ["a@b.c"] }) as never }));
    await expectSignedIn(app, await app.signIn());
    expect(app.seen[0]?.user.email).toBeNull();
  });

  it("profile() may be asynchronous and receives the tokens", async () => {
    const profile = vi.fn(async (_: Profile, { access_token }) => ({
      id: "1",
      name: access_token,
    }));
    const app = watch(oauth(op, { profile }));
    await expectSignedIn(app, await app.signIn());
    expect(app.seen[0]?.user.name).toBe("access-token");
  });
});

describe("profileParams of a posted callback", () => {
  const apple = () =>
    oidc(op, {
      authorization: { params: { response_mode: "form_post" } },
      profileParams: ["user"],
      profile: (profile) => ({
        id: profile.sub ?? "",
        name: (profile.user as { name?: string } | undefined)?.name ?? "unnamed",
      }),
    });

  it.each<[string, string, string]>([
    ["is added to the profile", '{"name":"Posted"}', "Posted"],
    ["is ignored when it is not JSON", "{", "unnamed"],
    ["is ignored when it is nested too deep", "[".repeat(10_000), "unnamed"],
    ["cannot set the prototype", '{"__proto__":{"name":"x"}}', "unnamed"],
  ])("posted profile data %s", async (_, user, name) => {
    op.script = { answer: (params) => params.set("user", user) };
    const app = createOAuthApp(op, [apple()]);
    await expectSignedIn(app, await app.signIn());
    expect(await app.browser.session()).toMatchObject({ user: { name } });
  });

  it("posted profile data does not override the provider's claims", async () => {
    op.script = {
      answer: (params) => params.set("user", '{"name":"Posted"}'),
      claims: (claims) => ({ ...claims, user: { name: "Signed" } }),
    };
    const app = createOAuthApp(op, [apple()]);
    await expectSignedIn(app, await app.signIn());
    expect(await app.browser.session()).toMatchObject({ user: { name: "Signed" } });
  });
});

describe("customFetch", () => {
  it("customFetch is used for all requests to the provider", async () => {
    const paths: string[] = [];
    const own: typeof fetch = (input, init) => {
      paths.push(new URL(input as string).pathname);
      return fetch(input, init);
    };
    const app = createOAuthApp(op, [oidc(op, { idToken: false, [customFetch]: own })]);
    await expectSignedIn(app, await app.signIn());
    expect(paths).toEqual(["/.well-known/openid-configuration", "/token", "/jwks", "/userinfo"]);
  });
});

describe("userinfo responses that are not a profile", () => {
  const first = (profile: object) => ({ id: String(Object.values(profile)[0]) });

  it.each<[string, string, string]>([
    ["an array", "application/json", '["1"]'],
    ["a text", "application/json", '"1"'],
    ["null", "application/json", "null"],
    ["JSON that calls itself a web page", "text/html", '{"sub":"1"}'],
    ["JSON that calls itself XML", "application/xhtml+xml", '{"sub":"1"}'],
  ])("refuses %s, whatever the `profile` mapping makes of it", async (_, type, body) => {
    op.script.takeover = {
      "/userinfo": (_, response) =>
        void response.writeHead(200, { "content-type": type }).end(body),
    };
    const app = createOAuthApp(op, [oauth(op, { profile: first as never })]);
    await expectRefused(app, await app.signIn());
  });
});

describe("ID tokens of plain OAuth that nothing verifies", () => {
  it.each([
    ["refused where issuer and keys are known: without oidcFlow() no one looks at it", true],
    ["ignored where they are not", false],
  ])("an ID token is %s", async (_, isKnown) => {
    op.script = { tokens: (answer) => ({ ...answer, id_token: "e30.e30.c2ln" }) };
    const app = createOAuthApp(
      op,
      [oauth(op, isKnown ? { issuer: op.issuer, jwks_endpoint: `${op.issuer}/jwks` } : {})],
      { preset: minimalPreset, use: [oauthFlow()] },
    );
    const response = await app.signIn();
    if (!isKnown) return expectSignedIn(app, response);
    // The minimal preset has no error page.
    expect(response.status).toBe(500);
    const [error] = app.log.expectErrors("CallbackRouteError");
    expect(`${error?.message} ${error?.cause?.err?.message}`).toContain("oidcFlow()");
    expect(await app.browser.session()).toBeNull();
  });
});

describe("the secrets of an attempt", () => {
  it("state, nonce and verifier are 256 random bits, and no part of them repeats", async () => {
    const seen = new Set<string>();
    for (let round = 0; round < 20; round++) {
      op.reset();
      const app = createOAuthApp(op, [oidc(op, { checks: ["pkce", "state", "nonce"] })]);
      const { searchParams } = new URL(await app.startSignIn());
      await app.finishSignIn(await op.authorize(`${op.issuer}/authorize?${searchParams}`));
      const verifier = op.received.find(({ path }) => path === "/token")?.body.get("code_verifier");
      for (const secret of [verifier, searchParams.get("state"), searchParams.get("nonce")]) {
        expect(secret).toMatch(/^[\w-]{43}$/);
        expect(secret).not.toMatch(/^(.{4,21})\1/);
        seen.add(`${secret}`.slice(0, 6)).add(`${secret}`.slice(-6));
      }
    }
    // Of 120 parts of 36 random bits, two are equal once in 10 million runs.
    expect(seen.size).toBe(120);
  });
});
