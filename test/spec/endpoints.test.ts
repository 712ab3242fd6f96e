import { describe, expect, it } from "vitest";
import {
  acme,
  createTestAuth,
  credentials,
  identityFlow,
  LOVELACE,
  ORIGIN,
  queryOf,
  setCookie,
  setCookieNames,
} from "../_app.ts";

describe("SPEC Endpoints", () => {
  it("all paths are relative to `{base_url}` plus the base path", async () => {
    const { browser } = createTestAuth({ basePath: "/api/auth" });
    expect((await browser.get("/api/auth/session")).status).toBe(200);
    expect((await browser.get("/auth/session")).status).toBe(404);
    expect(await (await browser.get("/api/auth/providers")).text()).toContain(
      `${ORIGIN}/api/auth/callback/credentials`,
    );
  });

  it("`<base_path>/session` returns the session as built by the session callback", async () => {
    const { browser } = createTestAuth({
      callbacks: { session: ({ session }) => ({ ...session, built: true }) },
    });
    await browser.signInWith("credentials", LOVELACE);
    expect(await (await browser.get("/auth/session")).json()).toMatchObject({ built: true });
  });

  it("`<base_path>/callback/<provider_id>` receives the provider's redirect, `<origin>` included", async () => {
    const { browser } = createTestAuth({ providers: [acme()], use: [identityFlow(() => ({}))] });
    const providers = (await (await browser.get("/auth/providers")).json()) as {
      acme: { callbackUrl: string };
    };
    expect(providers.acme.callbackUrl).toBe(`${ORIGIN}/auth/callback/acme`);
    await browser.get(new URL(providers.acme.callbackUrl).pathname);
    expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
  });

  it("GET, POST `<base_path>/*`: the route handlers handle every auth path", async () => {
    const { auth } = createTestAuth();
    for (const [method, path, status] of [
      ["GET", "/session", 200],
      ["GET", "/csrf", 200],
      ["GET", "/providers", 200],
      ["GET", "/signin", 200],
      ["GET", "/signout", 200],
      ["GET", "/error", 200],
      ["GET", "/verify-request", 200],
      ["POST", "/session", 403],
      ["POST", "/signin", 302],
      ["POST", "/signin/credentials", 302],
      ["POST", "/callback/credentials", 302],
      ["POST", "/signout", 302],
    ] as const) {
      const { log, auth: fresh } = createTestAuth();
      log.ignoreErrors();
      const request = new Request(`${ORIGIN}/auth${path}`, { method });
      const response = await fresh.handlers[method](request);
      expect(response.status, `${method} ${path}`).toBe(status);
    }
    expect(auth.handlers.GET).toBe(auth.handlers.POST);
  });

  it("every sign-in and sign-out request must have a CSRF token", async () => {
    const { browser, log } = createTestAuth();
    await browser.signInWith("credentials", LOVELACE);
    const refused = await browser.post("/auth/signout");
    expect(queryOf(refused)).toEqual({ error: "MissingCSRF" });
    // It redirects to the page that the request came from, because the sign-in page would suggest that the user is
    // signed out.
    const asked = await browser.get(refused.headers.get("location") ?? "");
    expect(await asked.text()).toMatch(/Sign out\?.*page expired/s);
    expect(await browser.session()).not.toBeNull();
    log.expectErrors("MissingCSRF");
  });

  it("the default sign-in page is at `<base_path>/signin`", async () => {
    const { browser } = createTestAuth();
    const response = await browser.get("/auth/signin");
    expect(response.status).toBe(200);
    expect(response.headers.get("content-type")).toMatch(/^text\/html/);
    expect(await response.text()).toContain("Username");
  });

  it("a credentials failure redirects to the sign-in page with `error=CredentialsSignin` and `code=<code>`", async () => {
    const { browser, log } = createTestAuth();
    const response = await browser.signInWith("credentials", { username: "x", password: "y" });
    const page = await browser.follow(response);
    expect(queryOf(response)).toEqual({ error: "CredentialsSignin", code: "credentials" });
    expect(page.status).toBe(200);
    expect(await page.text()).toContain("We couldn’t sign you in.");
    log.expectErrors("CredentialsSignin");
  });
});

describe("SPEC Resources: Account", () => {
  it("Account.providerAccountId: for credentials the id returned by authorize", async () => {
    let account: unknown;
    const { browser } = createTestAuth({
      providers: [credentials({ authorize: () => ({ id: "from-authorize" }) })],
      events: { signIn: (message) => void (account = message.account) },
    });
    await browser.signInWith("credentials", {});
    expect(account).toEqual({
      provider: "credentials",
      providerAccountId: "from-authorize",
      type: "credentials",
    });
  });
});

describe("cookies on the wire, as Auth.js sets them", () => {
  it("a sign-in sets cookies with the specified names, values and attributes", async () => {
    const { browser } = createTestAuth();
    const csrf = await browser.get("/auth/csrf");
    const entered = await browser.signInWith("credentials", { ...LOVELACE, callbackUrl: "/x" });
    expect(setCookieNames(csrf)).toEqual(["authjs.csrf-token"]);
    expect(setCookieNames(entered)).toEqual([
      "authjs.callback-url",
      "authjs.session-token",
      "authjs.csrf-token",
    ]);
    expect(setCookie(entered, "authjs.callback-url")).toBe(
      `authjs.callback-url=${encodeURIComponent(`${ORIGIN}/x`)}; Path=/; HttpOnly; SameSite=Lax`,
    );
    expect(setCookie(entered, "authjs.session-token")).toMatch(
      /; Path=\/; Expires=[A-Z][a-z]{2}, [^;]+ GMT; HttpOnly; SameSite=Lax$/,
    );
  });

  it("the callback-url cookie is set again only when it changes", async () => {
    const { browser } = createTestAuth();
    const at = async (callbackUrl: string) =>
      setCookieNames(await browser.signInWith("credentials", { ...LOVELACE, callbackUrl }));
    expect(await at("/x")).toContain("authjs.callback-url");
    expect(await at("/x")).not.toContain("authjs.callback-url");
    expect(await at("/y")).toContain("authjs.callback-url");
  });
});
