import { exportJWK, generateKeyPair, SignJWT, UnsecuredJWT } from "jose";
import { beforeAll, describe, expect, it } from "vitest";
import { storeAdapter } from "../../plugins/adapters/store.ts";
import { backchannelLogout } from "../../plugins/oauth/backchannel-logout.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { standardPreset } from "../../presets/index.ts";
import { defineStore } from "../../src/kernel.ts";
import { createIdentityProvider } from "../../src/testing/testing.ts";
import { createTestAuth, credentials, ORIGIN } from "../_app.ts";
import { ADA_AT_IDP } from "./_tokens.ts";

const EVENT = "http://schemas.openid.net/event/backchannel-logout";
const PATH = "/auth/backchannel-logout/idp";
const FORM = { "content-type": "application/x-www-form-urlencoded" };
const CLIENT_SECRET = "the client secret of a test, of more than 32 characters";

/** An application with a user, and a view of everything in its store. */
async function createApp(strategy: "jwt" | "database") {
  const records = new Map<string, { expires: number | null }>();
  const idp = createIdentityProvider({ clientSecret: CLIENT_SECRET });
  const other = createIdentityProvider({ issuer: "https://other.example" });
  idp.tamper.idToken = (claims) => ({ ...claims, sid: "sid-1" });
  const app = createTestAuth({
    preset: standardPreset,
    idp,
    providers: [
      idp.provider(),
      other.provider({ id: "other" }),
      idp.provider({ id: "plain", type: "oauth" }),
      credentials(),
    ],
    use: [
      defineStore(memoryBackend(records)),
      ...(strategy === "database" ? [storeAdapter()] : []),
      backchannelLogout({ checkAge: 0, frontchannel: true }),
    ],
  });
  await app.browser.signInAs(ADA_AT_IDP);
  const iat = Math.floor(Date.now() / 1000);
  const claims = {
    ...{ iss: idp.issuer, aud: "client", iat, exp: iat + 120, jti: "jti-1" },
    ...{ sub: "ada-1", sid: "sid-1", events: { [EVENT]: {} } },
  };
  return {
    ...app,
    ...{ idp, other, claims },
    sign: () => idp.sign(claims, { typ: "logout+jwt" }),
    send: (init: RequestInit & { path?: string }) =>
      app.auth.fetch(
        new Request(ORIGIN + (init.path ?? PATH), {
          method: "POST",
          ...init,
          headers: { "x-forwarded-for": "203.0.113.1", ...init.headers },
        }),
      ),
    // Expired records are removed at random.
    read: () =>
      JSON.stringify(
        [...records]
          .filter(([, { expires }]) => expires === null || expires > Date.now())
          .toSorted(([one], [two]) => (one < two ? -1 : 1)),
      ),
  };
}

type App = Awaited<ReturnType<typeof createApp>>;

const toForm = (token: string) => ({
  headers: FORM,
  body: new URLSearchParams({ logout_token: token }).toString(),
});

const encode = (value: object) => Buffer.from(JSON.stringify(value)).toString("base64url");

/** Tokens that are not signed as the provider signs its ID tokens. */
const FORGED: Readonly<Record<string, (app: App) => Promise<string> | string>> = {
  "without a signature": ({ claims }) => new UnsecuredJWT(claims).encode(),
  "with alg none in other letter case": ({ claims }) =>
    `${encode({ alg: "nOnE" })}.${encode(claims)}.`,
  "signed with the client secret (HS256)": ({ claims }) =>
    new SignJWT(claims)
      .setProtectedHeader({ alg: "HS256", typ: "logout+jwt" })
      .sign(new TextEncoder().encode(CLIENT_SECRET)),
  "signed with the provider's public key as a secret (HS256)": async ({ claims, idp }) => {
    const response = await idp.fetch(idp.endpoints.jwks);
    const { keys } = (await response.json()) as { keys: object[] };
    return new SignJWT(claims)
      .setProtectedHeader({ alg: "HS256", typ: "logout+jwt" })
      .sign(new TextEncoder().encode(JSON.stringify(keys[0])));
  },
  "signed with another key": async ({ claims }) => {
    const { privateKey } = await generateKeyPair("ES256");
    return new SignJWT(claims).setProtectedHeader({ alg: "ES256" }).sign(privateKey);
  },
  "signed with the key in its header": async ({ claims }) => {
    const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
    const jwk = await exportJWK(publicKey);
    return new SignJWT(claims).setProtectedHeader({ alg: "ES256", jwk }).sign(privateKey);
  },
  "signed by another provider of the application": ({ claims, other }) =>
    other.sign(claims, { typ: "logout+jwt" }),
  "of another provider, exactly as issued": ({ claims, other }) =>
    other.sign({ ...claims, iss: other.issuer }, { typ: "logout+jwt" }),
  "whose claims were changed": async (app) => {
    const [header, , signature] = (await app.sign()).split(".");
    return `${header}.${encode({ ...app.claims, sub: "bob-1" })}.${signature}`;
  },
  "with an endless `sub`": ({ claims, idp }) =>
    idp.sign({ ...claims, sub: "x".repeat(1025) }, { typ: "logout+jwt" }),
  "with an endless `jti`": ({ claims, idp }) =>
    idp.sign({ ...claims, jti: "x".repeat(1025) }, { typ: "logout+jwt" }),
  "with more than 8,192 characters": ({ claims, idp }) =>
    idp.sign({ ...claims, pad: "x".repeat(8192) }, { typ: "logout+jwt" }),
};

/** Requests that do not follow the standard, with a valid token. */
const MALFORMED: Readonly<Record<string, (token: string) => RequestInit & { path?: string }>> = {
  "as JSON": (token) => ({
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ logout_token: token }),
  }),
  "as a multipart form": (token) => {
    const body = new FormData();
    body.set("logout_token", token);
    return { body };
  },
  "as text": (token) => ({ headers: { "content-type": "text/plain" }, body: token }),
  "without a content type": (token) => ({
    body: new TextEncoder().encode(toForm(token).body),
  }),
  "twice in a form": (token) => ({
    headers: FORM,
    body: `logout_token=${token}&logout_token=${token}`,
  }),
  "in the query": (token) => ({
    headers: FORM,
    body: "a=b",
    path: `${PATH}?logout_token=${token}`,
  }),
  "under another name": (token) => ({ headers: FORM, body: `token=${token}` }),
  "in a form of more than 64 kB": (token) => ({
    headers: FORM,
    body: `pad=${"x".repeat(70_000)}&logout_token=${token}`,
  }),
  "without a body": () => ({}),
  "to a provider of plain OAuth": (token) => ({
    ...toForm(token),
    path: "/auth/backchannel-logout/plain",
  }),
  "to a provider without an issuer": (token) => ({
    ...toForm(token),
    path: "/auth/backchannel-logout/credentials",
  }),
  "to another provider of the application": (token) => ({
    ...toForm(token),
    path: "/auth/backchannel-logout/other",
  }),
};

describe.each(["jwt", "database"] as const)("a logout request (strategy %s)", (strategy) => {
  let app: App;
  beforeAll(async () => {
    app = await createApp(strategy);
  });

  // Section 2.8 of the standard: status 400, and no cache stores the response.
  async function expectRefused(response: Response, before: string): Promise<void> {
    expect(response.status).toBe(400);
    expect(response.headers.get("content-type")).toContain("application/json");
    expect(await response.json()).toMatchObject({ error: "invalid_request" });
    expect(response.headers.get("cache-control")).toContain("no-store");
    expect(response.headers.getSetCookie()).toEqual([]);
    expect(app.read()).toBe(before);
    expect(await app.browser.session()).not.toBeNull();
  }

  it.each(Object.entries(FORGED))(
    "with a forged token, %s, is refused, and changes nothing",
    async (_, forge) => {
      const before = app.read();
      await expectRefused(await app.send(toForm(await forge(app))), before);
    },
  );

  it.each(Object.entries(MALFORMED))(
    "with a token %s is refused, and changes nothing",
    async (_, build) => {
      const before = app.read();
      await expectRefused(await app.send(build(await app.sign())), before);
    },
  );

  it.each(["GET", "HEAD", "PUT", "DELETE", "PATCH"])(
    "by %s is refused with status 405, and changes nothing",
    async (method) => {
      const before = app.read();
      const path = `${PATH}?logout_token=${await app.sign()}`;
      const response = await app.send({ method, path });
      expect(response.status).toBe(405);
      expect(response.headers.get("allow")).toBe("POST");
      expect(response.headers.get("cache-control")).toContain("no-store");
      expect(app.read()).toBe(before);
    },
  );

  it("to a provider that is not configured is refused with status 404, and changes nothing", async () => {
    const before = app.read();
    const path = "/auth/backchannel-logout/none";
    const response = await app.send({ ...toForm(await app.sign()), path });
    expect(response.status).toBe(404);
    expect(response.headers.get("cache-control")).toContain("no-store");
    expect(app.read()).toBe(before);
  });

  it.each([
    ["another issuer", { iss: "https://other.example", sid: "sid-1" }, 400],
    ["an issuer that is a prefix of the other", { iss: "https://idp.example/", sid: "sid-1" }, 400],
    ["no issuer", { sid: "sid-1" }, 400],
    ["no session", { iss: "https://idp.example" }, 400],
    [
      "a session id of excessive length",
      { iss: "https://idp.example", sid: "x".repeat(2000) },
      400,
    ],
    ["an unknown session", { iss: "https://idp.example", sid: "sid-2" }, 200],
  ])("of the front channel with %s changes nothing", async (_, query, status) => {
    const before = app.read();
    const path = `/auth/frontchannel-logout/idp?${new URLSearchParams(query as Record<string, string>)}`;
    const response = await app.send({ method: "GET", path });
    expect(response.status).toBe(status);
    expect(response.headers.get("cache-control")).toContain("no-store");
    expect(app.read()).toBe(before);
    expect(await app.browser.session()).not.toBeNull();
  });

  it("that is valid ends the session once, even after all these refused requests", async () => {
    const { headers, body } = toForm(await app.sign());
    const type = `${FORM["content-type"]};charset=UTF-8`;
    const response = await app.send({ headers: { ...headers, "content-type": type }, body });
    expect(response.status).toBe(200);
    expect(await response.text()).toBe("");
    expect(response.headers.get("cache-control")).toContain("no-store");
    expect(await app.browser.session()).toBeNull();
    const before = app.read();
    expect((await app.send({ headers, body })).status).toBe(400);
    expect(app.read()).toBe(before);
  });
});
