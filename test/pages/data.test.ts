import { expect, it } from "vitest";
import { arabicPlugin } from "../../plugins/languages/ar.ts";
import { createAuth, standardPreset } from "../../presets/index.ts";
import type { Page, PageData, Plugin } from "../../src/kernel.ts";
import { createBrowser } from "../../src/testing/testing.ts";
import { createTestAuth, LOVELACE, ORIGIN } from "../_app.ts";
import { buildConfig } from "../bindings/_suite.ts";

it("an application's own page gets the sign-in page as data, whose form signs in", async () => {
  const { providers, secret, env, callbacks } = buildConfig();
  const config = { providers, secret, env, callbacks } as ReturnType<typeof buildConfig>;
  const auth = createAuth({ ...config, pages: { signIn: "/login" } });
  const browser = createBrowser((request) => auth.fetch(request), { origin: ORIGIN });
  const json = { headers: { accept: "application/json", "accept-language": "de" } };
  const path = "/auth/signin?callbackUrl=/x&error=CredentialsSignin";
  expect((await browser.get(path)).headers.get("location")).toContain("/login?");
  const response = await browser.get(path, json);
  expect(response.headers.get("cache-control")).toContain("private");
  expect(response.headers.get("content-type")).toBe("application/json");
  const page = (await response.json()) as PageData;
  expect(page).toMatchObject({ name: "signin", message: { tone: "error" } });
  expect(page.data).toEqual({ failure: "Something went wrong. Try again." });
  const block = page.blocks.find((one) => one.kind === "form" && one.form.fields?.length);
  const form = block?.kind === "form" ? block.form : undefined;
  const hidden = form?.hidden as Record<string, string>;
  expect(hidden.callbackUrl).toBe(`${ORIGIN}/x`);
  await browser.post(form?.action ?? "", { ...hidden, ...LOVELACE });
  expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
});

it("the data of a page has the language and direction of its texts, for an application's own page", async () => {
  const { browser } = createTestAuth({ preset: standardPreset, use: [arabicPlugin()] });
  const read = async (language: string) => {
    const headers = { accept: "application/json", "accept-language": language };
    return (await (await browser.get("/auth/signin", { headers })).json()) as PageData;
  };
  expect(await read("ar-EG")).toMatchObject({ language: "ar", direction: "rtl" });
  expect(await read("nl")).toMatchObject({ language: "en", direction: "ltr" });
});

it("the data of a page has its status, and no members that only serve rendering", async () => {
  const content: Page = { name: "gone", title: "Gone", blocks: [{ kind: "text", text: "Gone" }] };
  const policy = { "img-src": "https://cdn.example" };
  const page: Page = { ...content, status: 410, nonce: "bm9uY2U=", policy, secretUrl: true };
  const plugin: Plugin = {
    name: "test/gone",
    setup: (kernel) =>
      kernel.addRoute({ method: "GET", path: "/gone", handler: (ctx) => ctx.page(page) }),
  };
  const { browser } = createTestAuth({ preset: standardPreset, use: [plugin] });
  const response = await browser.get("/auth/gone", { headers: { accept: "application/json" } });
  expect(response.status).toBe(410);
  expect(await response.json()).toEqual({ ...content, language: "en", direction: "ltr" });
});
