import { describe, expect, it } from "vitest";
import { credentialsPlugin } from "../../plugins/providers/credentials.ts";
import { createAuth } from "../../presets/minimal.ts";
import { createBrowser } from "../../src/testing/testing.ts";
import {
  acme,
  createTestAuth,
  createLog,
  credentials,
  ENV,
  identityFlow,
  ORIGIN,
  queryOf,
  SECRET,
} from "../_app.ts";

describe("POST /signin", () => {
  it("POST /signin redirects to the sign-in page and stores the callbackUrl in a cookie", async () => {
    const { browser } = createTestAuth();
    const csrfToken = await browser.csrfToken();
    const response = await browser.post("/auth/signin", { csrfToken, callbackUrl: "/deep" });
    expect(response.headers.get("location")).toBe(
      `${ORIGIN}/auth/signin?callbackUrl=${encodeURIComponent(`${ORIGIN}/deep`)}`,
    );
    expect(browser.cookies.get("authjs.callback-url")).toBe(encodeURIComponent(`${ORIGIN}/deep`));
  });

  it("POST /signin redirects to pages.signIn without a built-in page (minimal preset)", async () => {
    const auth = createAuth({
      secret: SECRET,
      env: ENV,
      logger: createLog().logger,
      pages: { signIn: "/login" },
    }).use(credentialsPlugin(credentials()));
    const browser = createBrowser(auth.fetch);
    for (const path of ["/auth/signin", "/auth/signin/credentials"]) {
      const response = await browser.post(path, { csrfToken: await browser.csrfToken() });
      expect(response.headers.get("location")).toMatch(/^http:\/\/localhost:3000\/login\?/);
    }
  });

  it("POST /signin/undefined, which clients send without a provider, redirects to the sign-in page", async () => {
    const { browser } = createTestAuth();
    const response = await browser.signIn("undefined");
    expect(response.headers.get("location")).toMatch(/\/auth\/signin\?callbackUrl=/);
  });
});

describe("POST /signin/:provider", () => {
  it("POST /signin/:provider starts the provider's flow", async () => {
    const { browser } = createTestAuth({
      providers: [acme()],
      use: [
        {
          name: "starts",
          setup: (kernel) =>
            kernel.addFlow("oauth", {
              start: (ctx) => ctx.redirect(`https://acme.example/?to=${ctx.provider.callbackUrl}`),
            }),
        },
      ],
    });
    const response = await browser.signIn("acme");
    expect(response.headers.get("location")).toBe(
      `https://acme.example/?to=${ORIGIN}/auth/callback/acme`,
    );
  });

  it("POST /signin/:provider completes the sign-in when the flow's start() returns an identity", async () => {
    const { browser } = createTestAuth({
      providers: [acme()],
      use: [
        {
          name: "starts",
          setup: (kernel) =>
            kernel.addFlow("oauth", {
              start: () => ({
                user: { id: "1", name: "Quick" },
                account: { provider: "acme", providerAccountId: "1", type: "oauth" },
              }),
            }),
        },
      ],
    });
    await browser.signIn("acme");
    expect(await browser.session()).toMatchObject({ user: { name: "Quick" } });
  });

  it("POST /signin/:provider redirects to the sign-in page for a flow without start()", async () => {
    const { browser } = createTestAuth({ providers: [acme()], use: [identityFlow(() => ({}))] });
    expect((await browser.signIn("acme")).headers.get("location")).toMatch(/\/auth\/signin\?/);
  });

  it("POST /signin/:provider requires the CSRF token and a known provider", async () => {
    const { browser, log } = createTestAuth();
    expect(queryOf(await browser.post("/auth/signin/credentials"))).toEqual({
      error: "MissingCSRF",
    });
    log.expectErrors("MissingCSRF");
    expect(queryOf(await browser.signIn("nobody"))).toEqual({ error: "Configuration" });
    log.expectErrors("InvalidProvider");
  });

  it("GET /signin/:provider responds with 405, so that a link cannot sign a user in", async () => {
    const { browser } = createTestAuth();
    const response = await browser.get("/auth/signin/credentials");
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("POST");
  });
});
