import { describe, expect, it } from "vitest";
import { definePlugin } from "../../src/kernel.ts";
import { createTestAuth } from "../_app.ts";

const COOKIE = "authjs.callback-url";

const open = (redirect?: (url: string) => string) =>
  createTestAuth({
    use: [
      definePlugin({
        name: "test/target",
        setup(kernel) {
          if (redirect) kernel.hooks.redirect.tap("test", ({ url }) => redirect(url));
          for (const method of ["GET", "POST"] as const) {
            kernel.addRoute({
              method,
              path: "/target",
              handler: async (ctx) => ctx.json(await ctx.callbackUrl()),
            });
          }
        },
      }),
    ],
  });

describe("ctx.callbackUrl()", () => {
  it("is the remembered target if the request contains an empty one", async () => {
    const { browser } = open();
    const target: unknown = await (await browser.get("/auth/target?callbackUrl=/here")).json();
    expect(target).toMatch(/\/here$/);
    expect(await (await browser.get("/auth/target?callbackUrl=")).json()).toBe(target);
    const fields = { csrfToken: await browser.csrfToken(), callbackUrl: "" };
    expect(await (await browser.post("/auth/target", fields)).json()).toBe(target);
  });

  it("forgets a remembered target that is not a URL", async () => {
    const { browser } = open();
    browser.cookies.set(COOKIE, "nonsense");
    const response = await browser.get("/auth/target");
    expect(await response.json()).toMatch(/^http:\/\/[^/]+$/);
    expect(browser.cookies.has(COOKIE)).toBe(false);
  });

  it("is the remembered target if a tap of `redirect` throws for the target of a link", async () => {
    const { browser } = open((url) => {
      if (url.endsWith("/refused")) throw new Error("no page of ours");
      return url;
    });
    const target: unknown = await (await browser.get("/auth/target?callbackUrl=/here")).json();
    const response = await browser.get("/auth/target?callbackUrl=/refused");
    expect([response.status, await response.json()]).toEqual([200, target]);
  });
});
