import { describe, expect, it } from "vitest";
import { createAuth } from "../../presets/minimal.ts";
import { createBrowser } from "../../src/testing.ts";
import {
  acme,
  createHouse,
  createLog,
  credentials,
  ENV,
  identityFlow,
  ORIGIN,
  queryOf,
  SECRET,
} from "../_setup.ts";

describe("POST /signin", () => {
  it("leads to the page, and the target is remembered", async () => {
    const { browser } = createHouse();
    const csrfToken = await browser.csrfToken();
    const response = await browser.post("/auth/signin", { csrfToken, callbackUrl: "/deep" });
    expect(response.headers.get("location")).toBe(
      `${ORIGIN}/auth/signin?callbackUrl=${encodeURIComponent(`${ORIGIN}/deep`)}`,
    );
    expect(browser.cookies.get("authjs.callback-url")).toBe(encodeURIComponent(`${ORIGIN}/deep`));
  });

  it("leads to the application's own page, where there is no other (minimal preset)", async () => {
    const auth = createAuth({
      secret: SECRET,
      env: ENV,
      logger: createLog().logger,
      providers: [credentials()],
      pages: { signIn: "/login" },
    });
    const browser = createBrowser(auth.fetch);
    for (const path of ["/auth/signin", "/auth/signin/credentials"]) {
      const response = await browser.post(path, { csrfToken: await browser.csrfToken() });
      expect(response.headers.get("location")).toMatch(/^http:\/\/localhost:3000\/login\?/);
    }
  });

  it("is nobody's to say with the word `undefined`, which clients write for no provider", async () => {
    const { browser } = createHouse();
    const response = await browser.signIn("undefined");
    expect(response.headers.get("location")).toMatch(/\/auth\/signin\?callbackUrl=/);
  });
});

describe("POST /signin/:provider", () => {
  it("starts the provider's flow", async () => {
    const { browser } = createHouse(
      { providers: [acme()] },
      {
        use: [
          {
            name: "starts",
            setup: (kernel) =>
              kernel.addFlow("oauth", {
                start: (ctx) =>
                  ctx.redirect(`https://acme.example/?to=${ctx.provider.callbackUrl}`),
              }),
          },
        ],
      },
    );
    const response = await browser.signIn("acme");
    expect(response.headers.get("location")).toBe(
      `https://acme.example/?to=${ORIGIN}/auth/callback/acme`,
    );
  });

  it("lands somebody whose flow is at its end at once", async () => {
    const { browser } = createHouse(
      { providers: [acme()] },
      {
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
      },
    );
    await browser.signIn("acme");
    expect(await browser.session()).toMatchObject({ user: { name: "Quick" } });
  });

  it("leads to the page for a type that has no start", async () => {
    const { browser } = createHouse({ providers: [acme()] }, { use: [identityFlow(() => ({}))] });
    expect((await browser.signIn("acme")).headers.get("location")).toMatch(/\/auth\/signin\?/);
  });

  it("needs the CSRF token and a provider that is there", async () => {
    const { browser, log } = createHouse();
    expect(queryOf(await browser.post("/auth/signin/credentials"))).toEqual({
      error: "MissingCSRF",
    });
    log.expectErrors("MissingCSRF");
    expect(queryOf(await browser.signIn("nobody"))).toEqual({ error: "Configuration" });
    log.expectErrors("InvalidProvider");
  });

  it("is not to be had by GET: nobody is signed in by a link", async () => {
    const { browser } = createHouse();
    const response = await browser.get("/auth/signin/credentials");
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("POST");
  });
});
