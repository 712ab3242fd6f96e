import { describe, expect, it } from "vitest";
import type { Plugin } from "../../src/kernel.ts";
import { acme, createTestAuth, ORIGIN, queryOf } from "../_app.ts";

const flow = (over: object): Plugin => ({
  name: "test/flow",
  setup: (kernel) => kernel.addFlow("oauth", over as never),
});

const visit = (over: object, config = {}) =>
  createTestAuth({ providers: [acme()], ...config, use: [flow(over)] });

describe("/callback/:provider", () => {
  it("sends the Response of the flow's finish() unchanged", async () => {
    const { browser } = visit({ finish: () => new Response("mine", { status: 418 }) });
    const response = await browser.get("/auth/callback/acme");
    expect([response.status, await response.text()]).toEqual([418, "mine"]);
  });

  it("accepts GET and POST unless the flow restricts its methods", async () => {
    const both = visit({ csrf: false, finish: () => new Response("mine") });
    expect(await (await both.browser.get("/auth/callback/acme")).text()).toBe("mine");
    expect(await (await both.browser.post("/auth/callback/acme")).text()).toBe("mine");
    const one = visit({ csrf: false, methods: ["GET"], finish: () => new Response("mine") });
    expect(queryOf(await one.browser.post("/auth/callback/acme"))).toEqual({
      error: "Configuration",
    });
    one.log.expectErrors("InvalidProvider");
  });

  it("a POST to the callback requires the CSRF token unless the flow sets `csrf: false`", async () => {
    const { browser, log } = visit({ finish: () => new Response("mine") });
    expect(queryOf(await browser.post("/auth/callback/acme"))).toEqual({ error: "MissingCSRF" });
    log.expectErrors("MissingCSRF");
    const csrfToken = await browser.csrfToken();
    expect((await browser.post("/auth/callback/acme", { csrfToken })).status).toBe(200);
  });

  it.each(["nobody", "__proto__", "constructor", "ACME", "acme%20", "%61cme"])(
    "rejects the callback of the unknown provider %s",
    async (id) => {
      const { browser, log } = visit({ csrf: false, finish: () => new Response("mine") });
      const response = await browser.get(`/auth/callback/${id}`);
      expect(queryOf(response)).toEqual({ error: "Configuration" });
      log.expectErrors("InvalidProvider");
    },
  );

  it("responds with 404 to a callback without exactly one provider in its path", async () => {
    const { browser } = visit({ finish: () => new Response("mine") });
    expect((await browser.get("/auth/callback")).status).toBe(404);
    expect((await browser.get("/auth/callback/undefined")).status).toBe(404);
    expect((await browser.get("/auth/callback/acme/more")).status).toBe(404);
  });

  it("rejects the callback of a flow without finish()", async () => {
    const { browser, log } = visit({ start: () => new Response() });
    expect(queryOf(await browser.get("/auth/callback/acme"))).toEqual({ error: "Configuration" });
    log.expectErrors("InvalidProvider");
  });

  it("logs the provider and the cause when the flow throws", async () => {
    const { browser, log } = visit({
      finish: async () => {
        throw new RangeError("broken");
      },
    });
    const response = await browser.get("/auth/callback/acme");
    expect(response.headers.get("location")).toBe(`${ORIGIN}/auth/error?error=Configuration`);
    const [error] = log.expectErrors("CallbackRouteError");
    expect(error?.cause).toMatchObject({ provider: "acme", err: { message: "broken" } });
  });
});
