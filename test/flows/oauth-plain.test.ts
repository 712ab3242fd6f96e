import { generateKeyPair } from "jose";
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from "vitest";
import { customFetch } from "../../presets/index.ts";
import type { Account, OAuthProvider, Profile, User } from "../../src/types.ts";
import { CLIENT_ID, CLIENT_SECRET, type Op, type Script, startOp } from "../_op.ts";
import { type App, createApp, expectRefused, expectSignedIn, oauth, oidc } from "./_oauth.ts";

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

/** An application that tells what it was told of a sign-in. */
function watch(provider: OAuthProvider): App & { seen: Seen[] } {
  const seen: Seen[] = [];
  const signIn = (message: Seen) => void seen.push(message);
  return Object.assign(createApp(op, [provider], { events: { signIn } }), { seen });
}

describe("plain OAuth", () => {
  it("makes an identity of token and userinfo", async () => {
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

  it("says the token's type in lower case and its end in seconds, whoever asked for it", async () => {
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

  it("knows the same person again without a store", async () => {
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

  it("can be discovered", async () => {
    const { authorization: _, token: __, userinfo: ___, ...rest } = oauth(op);
    const app = createApp(op, [{ ...rest, issuer: op.issuer } as OAuthProvider]);
    await expectSignedIn(app, await app.signIn());
  });

  it("ignores an ID token that nobody can verify", async () => {
    op.script = { tokens: (answer) => ({ ...answer, id_token: "e30.e30.c2ln" }) };
    const app = watch(oauth(op));
    await expectSignedIn(app, await app.signIn());
    expect(app.seen[0]?.account?.id_token).toBe("e30.e30.c2ln");
  });

  it("verifies an ID token where issuer and keys are known", async () => {
    op.script = { tokens: (answer) => ({ ...answer, id_token: "e30.e30.c2ln" }) };
    const app = createApp(op, [
      oauth(op, { issuer: op.issuer, jwks_endpoint: `${op.issuer}/jwks` }),
    ]);
    await expectRefused(app, await app.signIn());
  });

  it("skips the issuer of a callback when none is known (RFC 9207)", async () => {
    op.script = { answer: (params) => params.set("iss", "https://op.example") };
    const app = createApp(op, [oauth(op)]);
    await expectSignedIn(app, await app.signIn());
    const strict = createApp(op, [oauth(op, { issuer: op.issuer })]);
    await expectRefused(strict, await strict.signIn(), "signin?error=InvalidCheck");
  });

  it("takes no posted callback", async () => {
    const app = createApp(op, [oauth(op)]);
    const { url } = await op.authorize(await app.start());
    const fields = Object.fromEntries(new URL(url).searchParams);
    const response = await app.browser.post("/auth/callback/op", fields);
    expect(response.status).toBe(400);
    expect(op.count("/token")).toBe(0);
  });

  it.each(["code", "state", "iss", "error"])("takes no two parameters %s", async (name) => {
    const app = createApp(op, [oauth(op, { checks: ["pkce", "state"] })]);
    const { url } = await op.authorize(await app.start());
    const response = await app.finish({ url: `${url}&${name}=a&${name}=b` });
    expect(response.status).toBe(400);
    expect(op.count("/token")).toBe(0);
  });

  it("takes no callback without a code", async () => {
    op.script = { answer: (params) => params.delete("code") };
    const app = createApp(op, [oauth(op)]);
    await expectRefused(app, await app.signIn());
  });
});

describe("the token request", () => {
  const body = () => Object.fromEntries(token()?.body ?? []);
  const assertion = () => {
    const [, payload = ""] = (token()?.body.get("client_assertion") ?? "").split(".");
    return JSON.parse(Buffer.from(payload, "base64url").toString()) as Json;
  };

  it("authenticates by client_secret_basic", async () => {
    const app = createApp(op, [oauth(op, { clientSecret: "a b/c+d:é" })]);
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

  it("authenticates by client_secret_post", async () => {
    const client = { token_endpoint_auth_method: "client_secret_post" } as const;
    const app = createApp(op, [oauth(op, { client })]);
    await expectSignedIn(app, await app.signIn());
    expect(body()).toMatchObject({ client_id: CLIENT_ID, client_secret: CLIENT_SECRET });
    expect(token()?.headers.authorization).toBeUndefined();
  });

  it("authenticates by client_secret_post where the server knows no other", async () => {
    op.script = {
      metadata: (document) => ({
        ...document,
        token_endpoint_auth_methods_supported: ["client_secret_post"],
      }),
    };
    const app = createApp(op, [oidc(op)]);
    await expectSignedIn(app, await app.signIn());
    expect(body()).toMatchObject({ client_secret: CLIENT_SECRET });
  });

  it("authenticates by client_secret_jwt", async () => {
    const client = { token_endpoint_auth_method: "client_secret_jwt" } as const;
    const app = createApp(op, [oauth(op, { client })]);
    await expectSignedIn(app, await app.signIn());
    expect(assertion()).toMatchObject({
      iss: CLIENT_ID,
      sub: CLIENT_ID,
      aud: `${op.issuer}/token`,
    });
    expect(body()).not.toHaveProperty("client_secret");
  });

  it("authenticates by private_key_jwt, with or without a key id", async () => {
    const client = { token_endpoint_auth_method: "private_key_jwt" } as const;
    const { privateKey } = await generateKeyPair("ES256");
    for (const clientPrivateKey of [
      privateKey,
      { key: privateKey },
      { key: privateKey, kid: "k" },
    ]) {
      op.received = [];
      const app = createApp(op, [
        oidc(op, { client, token: { clientPrivateKey: clientPrivateKey as CryptoKey } }),
      ]);
      await expectSignedIn(app, await app.signIn());
      expect(assertion()).toMatchObject({ iss: CLIENT_ID, aud: op.issuer });
    }
  });

  it("does not authenticate a public client", async () => {
    for (const more of [
      { client: { token_endpoint_auth_method: "none" } as const },
      { clientSecret: "" },
    ]) {
      op.received = [];
      const app = createApp(op, [oauth(op, more)]);
      await expectSignedIn(app, await app.signIn());
      expect(body()).toMatchObject({ client_id: CLIENT_ID });
      expect(body()).not.toHaveProperty("client_secret");
      expect(token()?.headers.authorization).toBeUndefined();
    }
  });

  it("takes a secret that is made for it", async () => {
    const clientSecret = vi.fn(async () => "made");
    const app = createApp(op, [oauth(op, { clientSecret })]);
    await expectSignedIn(app, await app.signIn());
    expect(clientSecret).toHaveBeenCalledOnce();
    expect(token()?.headers.authorization).toBe(`Basic ${btoa(`${CLIENT_ID}:made`)}`);
  });

  it("fails when the secret cannot be made, and does not tell why to the visitor", async () => {
    const app = createApp(op, [
      oauth(op, {
        clientSecret: () => {
          throw new Error("no key");
        },
      }),
    ]);
    const error = await expectRefused(app, await app.signIn());
    expect(error.message).toContain("no key");
  });

  it("carries parameters, headers and what the callback brought", async () => {
    op.script = { answer: (params) => params.set("device_id", "device-1") };
    const app = createApp(op, [
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

  it("may be replaced", async () => {
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

describe("the token answer", () => {
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
    ["has no token type", good],
    ["has a lifetime as text", { ...good, expires_in: "3600" }],
    ["has a lifetime of nothing", { ...good, expires_in: 0 }],
  ])("may be one that %s", async (_, body, more) => {
    op.script = answer(body);
    const app = createApp(op, [oauth(op, more)]);
    await expectSignedIn(app, await app.signIn());
  });

  it("may be labelled as text", async () => {
    op.script = answer(good, 200, "text/plain");
    const app = createApp(op, [oauth(op)]);
    await expectSignedIn(app, await app.signIn());
  });

  it("is mended by the provider", async () => {
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

  it("is replaced by the provider", async () => {
    op.script = answer({ nonsense: true });
    const conform = async (response: Response) => {
      expect(await response.json()).toEqual({ nonsense: true });
      return Response.json(good);
    };
    const app = createApp(op, [oauth(op, { token: { url: `${op.issuer}/token`, conform } })]);
    await expectSignedIn(app, await app.signIn());
    op.script = answer(good);
    const plain = createApp(op, [
      oauth(op, { token: { url: `${op.issuer}/token`, conform: () => undefined } }),
    ]);
    await expectSignedIn(plain, await plain.signIn());
  });

  it.each<[string, unknown, number, RegExp]>([
    ["an OAuth error", { error: "invalid_grant" }, 400, /invalid_grant/],
    ["an unknown client", { error: "invalid_client" }, 401, /invalid_client/],
    ["an error with status 200", { error: "bad_verification_code" }, 200, /bad_verification_code/],
    ["an error with a token beside it", { ...good, error: "no" }, 200, /no/],
    ["an error that is an object", { error: { code: 190, message: "x" } }, 400, /190/],
    ["a refusal without a word", {}, 403, /status 403/],
    ["nothing", {}, 200, /access_token/],
    ["an empty token", { access_token: "" }, 200, /access_token/],
    ["a token that is no text", { access_token: { a: 1 } }, 200, /access_token/],
    ["a list", [good], 200, /object/],
  ])("is refused as %s", async (_, body, status, message) => {
    op.script = answer(body, status);
    const app = createApp(op, [oauth(op)]);
    const error = await expectRefused(app, await app.signIn());
    expect(error.message).toMatch(message);
  });

  it("is refused for the member that means failure", async () => {
    op.script = answer({ ...good, errcode: 40_029, errmsg: "invalid code" });
    const token = { url: `${op.issuer}/token`, errorMember: "errcode" };
    const app = createApp(op, [oauth(op, { token })]);
    const error = await expectRefused(app, await app.signIn());
    expect(error.message).toContain("40029: invalid code");
  });

  it("shows no secret in the log, whatever it quotes", async () => {
    const app = createApp(op, [oauth(op)]);
    const callback = await op.authorize(await app.start());
    const code = new URL(callback.url).searchParams.get("code") ?? "";
    op.script = answer(
      { error: "invalid_client", error_description: `${code} ${CLIENT_SECRET} is wrong` },
      401,
    );
    const error = await expectRefused(app, await app.finish(callback));
    const { inspect } = await import("node:util");
    const { describe: describeError } = await import("../../src/logger.ts");
    for (const text of [inspect(error, { depth: 9 }), describeError(error)]) {
      expect(text).toContain("invalid_client");
      expect(text).not.toContain(code);
      expect(text).not.toContain(CLIENT_SECRET);
    }
  });

  it("cannot name our own user", async () => {
    op.script = answer({ ...good, user_id: 7, userId: "victim", provider: "x", type: "email" });
    const app = watch(oauth(op));
    await expectSignedIn(app, await app.signIn());
    expect(app.seen[0]?.account).toMatchObject({ user_id: 7, provider: "op", type: "oauth" });
    expect(app.seen[0]?.account).not.toHaveProperty("userId", "victim");
  });
});

describe("the userinfo request", () => {
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

  it("carries parameters, headers and placeholders", async () => {
    const app = createApp(op, [
      oauth(op, {
        userinfo: {
          url: `${url()}?{clientId}={tokens.token_type}`,
          params: { fields: "id,name", secret: "{missing}", scope: "{tokens.scope}" },
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
  ])("carries the token %s", async (_, token, header, query) => {
    op.script = open;
    const app = createApp(op, [
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

  it("may have the token in a path, and never leaves it", async () => {
    op.script = { tokens: (answer) => ({ ...answer, access_token: "../x/y?z" }) };
    const app = createApp(op, [oauth(op, { userinfo: `${op.issuer}/me/{access_token}` })]);
    await app.signIn();
    expect(op.received.at(-1)?.path).toBe("/me/..%2Fx%2Fy%3Fz");
    op.script = { tokens: (answer) => ({ ...answer, access_token: ".." }) };
    await app.signIn();
    expect(op.received.at(-1)?.path).toMatch(/^\/me\/.+/);
  });

  it("may be a POST", async () => {
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
    const app = createApp(op, [oauth(op, { userinfo })]);
    await expectSignedIn(app, await app.signIn());
    expect(JSON.parse(body)).toEqual({ query: "{ me }" });
  });

  it("may be replaced", async () => {
    const request = vi.fn(async ({ tokens }) => ({ id: tokens.access_token }));
    const app = watch(oauth(op, { userinfo: { request } }));
    await expectSignedIn(app, await app.signIn());
    expect(app.seen[0]?.account?.providerAccountId).toBe("access-token");
  });

  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["null", null],
    ["text", "profile"],
    ["a list", [{ id: 1 }]],
  ])("may not be replaced by %s", async (_, answer) => {
    const app = createApp(op, [oauth(op, { userinfo: { request: () => answer as Profile } })]);
    await expectRefused(app, await app.signIn());
  });

  it.each<[string, number, string]>([
    ["a refusal that looks like a profile", 401, '{"sub":"subject-1","id":"1"}'],
    ["a page that looks like a profile", 404, '{"sub":"subject-1"}'],
    ["a list", 200, '[{"sub":"subject-1"}]'],
    ["null", 200, "null"],
    ["text", 200, '"subject-1"'],
    ["nothing", 200, ""],
    ["an envelope of a failure", 200, '{"ok":false,"error":"x"}'],
  ])("is not answered by %s", async (_, status, body) => {
    op.script = {
      takeover: {
        "/userinfo": (__, response) =>
          void response.writeHead(status, { "content-type": "application/json" }).end(body),
      },
    };
    const app = createApp(op, [oauth(op)]);
    await expectRefused(app, await app.signIn());
  });

  it("must be there where a root says", async () => {
    for (const root of ["data", "sub", "constructor", "__proto__"]) {
      const app = createApp(op, [oauth(op, { userinfo: { url: url(), root } })]);
      await expectRefused(app, await app.signIn());
    }
  });
});

describe("requests that follow", () => {
  const emails: Script["takeover"] = {
    "/emails": (_, response) => void response.end('[{"email":"a@b.example","primary":true}]'),
    "/photo": (_, response) =>
      void response.writeHead(200, { "content-type": "image/png; x=1" }).end("PNG"),
    "/page": (_, response) =>
      void response.writeHead(200, { "content-type": "text/html" }).end("<p>"),
    "/down": (_, response) => void response.writeHead(500).end("{}"),
  };

  it("lay their answers into the profile", async () => {
    op.script = { takeover: emails };
    const app = watch(
      oauth(op, {
        enrich: [
          { into: "emails", url: `${op.issuer}/emails?of={profile.sub}`, headers: { "x-y": "z" } },
          { into: "photo", url: `${op.issuer}/photo`, as: "data-url" },
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

  it("leave out what fails", async () => {
    op.script = { takeover: emails };
    const app = watch(
      oauth(op, {
        enrich: [
          { into: "a", url: `${op.issuer}/down` },
          { into: "b", url: `${op.issuer}/missing` },
          { into: "c", url: `${op.issuer}/page`, as: "data-url" },
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
  });
});

describe("the identity", () => {
  it.each<[string, unknown, string]>([
    ["a number", 42, "42"],
    ["zero", 0, "0"],
    ["a large number", Number.MAX_SAFE_INTEGER, "9007199254740991"],
    ["text", "x y/z", "x y/z"],
  ])("has an id that is %s", async (_, id, expected) => {
    const app = watch(oauth(op, { profile: () => ({ id }) as User }));
    await expectSignedIn(app, await app.signIn());
    expect(app.seen[0]?.account?.providerAccountId).toBe(expected);
  });

  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["null", null],
    ["empty", ""],
    ["blank", "  "],
    ["not a number", Number.NaN],
    ["infinite", Number.POSITIVE_INFINITY],
    ["rounded", 2 ** 53],
    ["a fraction", 1.5],
    ["an object", {}],
    ["a list", ["1"]],
    ["a flag", true],
    ["endless", "x".repeat(5000)],
  ])("is none with an id that is %s", async (_, id) => {
    const app = createApp(op, [oauth(op, { profile: () => ({ id }) as User })]);
    const error = await expectRefused(app, await app.signIn());
    expect(error).toMatchObject({ type: "OAuthProfileParseError" });
  });

  it.each<[string, () => unknown]>([
    ["throws", () => JSON.parse("{")],
    ["gives nothing", () => undefined],
    ["gives text", () => "user"],
    ["rejects", () => Promise.reject(new Error("no"))],
  ])("is none when the mapping %s", async (_, profile) => {
    const app = createApp(op, [
      oauth(op, { profile: profile as OAuthProvider["profile"] & object }),
    ]);
    const error = await expectRefused(app, await app.signIn());
    expect(error).toMatchObject({ type: "OAuthProfileParseError" });
  });

  it("is none when the standard claims have no id", async () => {
    op.script = { userinfo: () => ({ name: "Nobody" }) };
    const app = createApp(op, [oauth(op)]);
    await expectRefused(app, await app.signIn());
  });

  it("has no address that is no text", async () => {
    const app = watch(oauth(op, { profile: () => ({ id: "1", email: ["a@b.c"] }) as never }));
    await expectSignedIn(app, await app.signIn());
    expect(app.seen[0]?.user.email).toBeNull();
  });

  it("is mapped asynchronously, with the tokens", async () => {
    const profile = vi.fn(async (_: Profile, { access_token }) => ({
      id: "1",
      name: access_token,
    }));
    const app = watch(oauth(op, { profile }));
    await expectSignedIn(app, await app.signIn());
    expect(app.seen[0]?.user.name).toBe("access-token");
  });
});

describe("posted profile data", () => {
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
    ["is laid into the profile", '{"name":"Posted"}', "Posted"],
    ["is left out when it is no JSON", "{", "unnamed"],
    ["is left out when it is nested without end", "[".repeat(10_000), "unnamed"],
    ["is bounded in what it can pretend", '{"__proto__":{"name":"x"}}', "unnamed"],
  ])("%s", async (_, user, name) => {
    op.script = { answer: (params) => params.set("user", user) };
    const app = createApp(op, [apple()]);
    await expectSignedIn(app, await app.signIn());
    expect(await app.browser.session()).toMatchObject({ user: { name } });
  });

  it("never stands in for what the provider says", async () => {
    op.script = {
      answer: (params) => params.set("user", '{"name":"Posted"}'),
      claims: (claims) => ({ ...claims, user: { name: "Signed" } }),
    };
    const app = createApp(op, [apple()]);
    await expectSignedIn(app, await app.signIn());
    expect(await app.browser.session()).toMatchObject({ user: { name: "Signed" } });
  });
});

describe("a provider's own fetch", () => {
  it("is used for all requests", async () => {
    const paths: string[] = [];
    const own: typeof fetch = (input, init) => {
      paths.push(new URL(input as string).pathname);
      return fetch(input, init);
    };
    const app = createApp(op, [oidc(op, { idToken: false, [customFetch]: own })]);
    await expectSignedIn(app, await app.signIn());
    expect(paths).toEqual(["/.well-known/openid-configuration", "/token", "/jwks", "/userinfo"]);
  });
});
