import { afterEach, describe, expect, it, vi } from "vitest";
import { githubPlugin } from "../../plugins/providers/github.ts";
import { createAuth } from "../../presets/standard.ts";
import { getToken } from "../../src/jwt/jwt.ts";
import {
  acme,
  createTestAuth,
  createLog,
  ENV,
  identityFlow,
  LOVELACE,
  ORIGIN,
  plainAdapter,
  queryOf,
  Rows,
  SECRET,
} from "../_app.ts";

const NAME = "authjs.session-token";
const OTHER = "another-secret-0123456789abcdefghij";

afterEach(() => void vi.unstubAllEnvs());

describe("SPEC Authentication", () => {
  it("1. a missing secret throws in production, and every route responds with 500", async () => {
    const env = { NODE_ENV: "production", AUTH_URL: ORIGIN };
    const { browser, auth, log } = createTestAuth({ secret: "", env });
    const response = await browser.get("/auth/session", { headers: { accept: "*/*" } });
    expect(response.status).toBe(500);
    expect(JSON.stringify(await response.json())).not.toContain("SECRET");
    log.expectErrors("MissingSecret");
    await expect(auth.getSession(new Request(ORIGIN))).rejects.toThrow("AUTH_SECRET");
  });

  it("1. a secret of fewer than 32 characters is warned about", async () => {
    const { browser, log } = createTestAuth({ secret: "too short" });
    await browser.session();
    expect(log.warnings).toEqual(["secret-short"]);
  });

  it("2. a session is decrypted with any of the secrets, and new sessions use the first", async () => {
    const old = createTestAuth({ secret: SECRET });
    await old.browser.signInWith("credentials", LOVELACE);
    const { browser, openBrowser } = createTestAuth({ secret: [OTHER, SECRET] });
    browser.cookies.set(NAME, old.browser.cookies.get(NAME) as string);
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });

    const fresh = openBrowser();
    await fresh.signInWith("credentials", LOVELACE);
    const only = createTestAuth({ secret: OTHER });
    only.browser.cookies.set(NAME, fresh.cookies.get(NAME) as string);
    expect(await only.browser.session()).toMatchObject({ user: { name: "Ada" } });
  });

  it("3. AUTH_URL is the origin of every URL that is built", async () => {
    const { openBrowser } = createTestAuth({
      env: { ...ENV, AUTH_URL: "https://app.example/auth" },
    });
    const response = await openBrowser("http://10.0.0.1:8080").get("/auth/providers");
    expect(await response.text()).toContain("https://app.example/auth/callback/credentials");
  });

  it("4. the Host header is used only when it is trusted", async () => {
    const env = { NODE_ENV: "production", AUTH_TRUST_HOST: "true" };
    const { openBrowser } = createTestAuth({ env });
    const text = await (await openBrowser("https://app.example").get("/auth/providers")).text();
    expect(text).toContain("https://app.example/auth/callback/credentials");
    const strict = createTestAuth({ env: { NODE_ENV: "production" } });
    expect((await strict.openBrowser("https://app.example").get("/auth/providers")).status).toBe(
      500,
    );
    strict.log.expectErrors("UntrustedHost");
  });

  it("5. AUTH_<PROVIDER>_ID and AUTH_<PROVIDER>_SECRET supply clientId and clientSecret", async () => {
    const { logger } = createLog();
    const env = { ...ENV, AUTH_GITHUB_ID: "from-env", AUTH_GITHUB_SECRET: "s" };
    let seen: object | undefined;
    createAuth({ secret: SECRET, env, logger })
      .use(githubPlugin())
      .use({
        name: "look",
        setup: (kernel) =>
          kernel.hooks.ready.tap("look", (it) => void (seen = it.providers.get("github"))),
      })
      .inspect();
    expect(seen).toMatchObject({ clientId: "from-env", clientSecret: "s" });
  });

  it("5. the options of a provider function override its defaults", () => {
    const { logger } = createLog();
    const env = { ...ENV, AUTH_MINE_ID: "i", AUTH_MINE_SECRET: "s" };
    const auth = createAuth({ secret: SECRET, env, logger }).use(
      githubPlugin({ id: "mine", name: "My GitHub" }),
    );
    expect(auth.inspect().providers).toEqual([{ id: "mine", name: "My GitHub", type: "oauth" }]);
  });

  it("6. the session cookie holds an encrypted token (JWE, A256CBC-HS512 by default)", async () => {
    const { browser } = createTestAuth();
    await browser.signInWith("credentials", LOVELACE);
    const token = browser.cookies.get(NAME) ?? "";
    const header: unknown = JSON.parse(
      Buffer.from(token.split(".")[0] ?? "", "base64url").toString(),
    );
    expect(header).toMatchObject({ alg: "dir", enc: "A256CBC-HS512" });
    expect(Buffer.from(token, "base64url").toString("latin1")).not.toContain("ada@example.com");
  });

  it("7. getToken() with secureCookie reads the cookie with the secure prefix", async () => {
    const { openBrowser } = createTestAuth();
    const browser = openBrowser("https://app.example");
    await browser.signInWith("credentials", LOVELACE);
    const cookie = [...browser.cookies].map((pair) => pair.join("=")).join("; ");
    const req = new Request(ORIGIN, { headers: { cookie } });
    expect(await getToken({ req, secret: SECRET, secureCookie: true })).toMatchObject({ sub: "1" });
    expect(await getToken({ req, secret: SECRET, secureCookie: false })).toBeNull();
  });

  it("8. sign-in and sign-out requests require csrfToken in the body", async () => {
    const { browser, log } = createTestAuth();
    for (const path of [
      "/auth/signin/credentials",
      "/auth/callback/credentials",
      "/auth/signout",
    ]) {
      const response = await browser.post(path, LOVELACE);
      expect(queryOf(response), path).toEqual({ error: "MissingCSRF" });
    }
    log.expectErrors("MissingCSRF", "MissingCSRF", "MissingCSRF");
    expect(await browser.session()).toBeNull();
  });

  it("9. getToken() reads the token from cookies or the Authorization header", async () => {
    const { browser } = createTestAuth();
    await browser.signInWith("credentials", LOVELACE);
    const token = browser.cookies.get(NAME) as string;
    for (const headers of [{ cookie: `${NAME}=${token}` }, { authorization: `Bearer ${token}` }]) {
      expect(await getToken({ req: { headers }, secret: SECRET, salt: NAME })).toMatchObject({
        name: "Ada",
      });
    }
  });

  it("10. the `authorized` callback protects routes, and auth() returns the session to check in code", async () => {
    const { auth } = createTestAuth({ callbacks: { authorized: ({ auth: session }) => session } });
    const request = new Request(`${ORIGIN}/account`, { headers: { accept: "text/html" } });
    expect((await auth.authorize(request))?.status).toBe(302);
    expect(await auth.auth(request)).toBeNull();
    const response = await auth.auth(() => new Response("secret"))(request);
    expect(response.headers.get("location")).toContain("/auth/signin?callbackUrl=");
  });

  it.each([false, true])(
    "11. linking by e-mail address requires allowDangerousEmailAccountLinking: %j",
    async (flag) => {
      const rows = new Rows();
      rows.users = [{ id: "1", name: "Ada", email: "ada@example.com", emailVerified: new Date() }];
      const { browser, log } = createTestAuth({
        providers: [acme({ allowDangerousEmailAccountLinking: flag })],
        adapter: plainAdapter(rows),
        session: { strategy: "jwt" },
        use: [identityFlow(() => ({ emailVerified: true }))],
      });
      const response = await browser.get("/auth/callback/acme");
      expect((await browser.session()) !== null).toBe(flag);
      expect(queryOf(response).error).toBe(flag ? undefined : "OAuthAccountNotLinked");
      if (!flag) log.expectErrors("OAuthAccountNotLinked");
    },
  );

  it("12. the redirect URL contains the `code` of CredentialsSignin, but not its message", async () => {
    const { browser, log } = createTestAuth();
    const response = await browser.signInWith("credentials", { username: "eve", password: "x" });
    expect(response.headers.get("location")).toBe(
      `${ORIGIN}/auth/signin?error=CredentialsSignin&code=credentials`,
    );
    log.expectErrors("CredentialsSignin");
  });
});
