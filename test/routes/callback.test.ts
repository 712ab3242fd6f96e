import { describe, expect, it } from "vitest";
import type { Plugin } from "../../src/index.ts";
import { acme, createHouse, ORIGIN, queryOf } from "../_setup.ts";

const flow = (over: object): Plugin => ({
  name: "test/flow",
  setup: (kernel) => kernel.addFlow("oauth", over as never),
});

const visit = (over: object, config = {}) =>
  createHouse({ providers: [acme()], ...config }, { use: [flow(over)] });

describe("/callback/:provider", () => {
  it("answers with the flow's Response as it is", async () => {
    const { browser } = visit({ finish: () => new Response("mine", { status: 418 }) });
    const response = await browser.get("/auth/callback/acme");
    expect([response.status, await response.text()]).toEqual([418, "mine"]);
  });

  it("takes GET and POST unless the flow says otherwise", async () => {
    const both = visit({ csrf: false, finish: () => new Response("mine") });
    expect(await (await both.browser.get("/auth/callback/acme")).text()).toBe("mine");
    expect(await (await both.browser.post("/auth/callback/acme")).text()).toBe("mine");
    const one = visit({ csrf: false, methods: ["GET"], finish: () => new Response("mine") });
    expect(queryOf(await one.browser.post("/auth/callback/acme"))).toEqual({
      error: "Configuration",
    });
    one.log.expectErrors("InvalidProvider");
  });

  it("asks a POST for its CSRF token unless the flow protects it otherwise", async () => {
    const { browser, log } = visit({ finish: () => new Response("mine") });
    expect(queryOf(await browser.post("/auth/callback/acme"))).toEqual({ error: "MissingCSRF" });
    log.expectErrors("MissingCSRF");
    const csrfToken = await browser.csrfToken();
    expect((await browser.post("/auth/callback/acme", { csrfToken })).status).toBe(200);
  });

  it.each(["nobody", "__proto__", "constructor", "ACME", "acme%20", "%61cme"])(
    "of %s is nobody's",
    async (id) => {
      const { browser, log } = visit({ csrf: false, finish: () => new Response("mine") });
      const response = await browser.get(`/auth/callback/${id}`);
      expect(queryOf(response)).toEqual({ error: "Configuration" });
      log.expectErrors("InvalidProvider");
    },
  );

  it("needs a provider in the path", async () => {
    const { browser } = visit({ finish: () => new Response("mine") });
    expect((await browser.get("/auth/callback")).status).toBe(404);
    expect((await browser.get("/auth/callback/undefined")).status).toBe(404);
    expect((await browser.get("/auth/callback/acme/more")).status).toBe(404);
  });

  it("of a flow without an end is nobody's", async () => {
    const { browser, log } = visit({});
    expect(queryOf(await browser.get("/auth/callback/acme"))).toEqual({ error: "Configuration" });
    log.expectErrors("InvalidProvider");
  });

  it("names the provider in the log when the flow throws, and the cause", async () => {
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
