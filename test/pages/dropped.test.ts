import { describe, expect, it } from "vitest";
import { githubPlugin } from "../../plugins/providers/github.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { standardPreset } from "../../presets/standard.ts";
import type { Block, Page, Theme } from "../../src/kernel.ts";
import { createTestAuth, credentials, type TestAuthOptions } from "../_app.ts";
import { parse } from "./_parse.ts";

const form = { action: "/auth/terms", submit: "Go" };

/** Serves blocks as the page `terms`, and returns the detail of each warning about it. */
async function show(blocks: readonly unknown[], options: TestAuthOptions = {}) {
  const details: string[] = [];
  const { browser, auth, log } = createTestAuth({
    ...options,
    logger: {
      warn: (code, detail = "") => void (code === "page-dropped" && details.push(detail)),
    },
    use: [
      {
        name: "test/terms",
        setup(kernel) {
          kernel.addRoute({
            method: "GET",
            path: "/terms",
            handler: (ctx) =>
              ctx.page({ name: "terms", title: "Terms", blocks } as unknown as Page),
          });
        },
      },
    ],
  });
  const read = async () => parse(await (await browser.get("/auth/terms")).text());
  return { details, read, auth, log, ...(await read()) };
}

describe("parts that a page omits, in development", () => {
  it.each<[what: string, block: unknown, detail: string]>([
    [
      "a link with an unknown scheme",
      { kind: "link", text: "Chat", href: "tg://resolve?domain=acme" },
      'the target of a link with the scheme "tg:": use http(s), otpauth or a relative URL',
    ],
    [
      "a link that is not a URL",
      { kind: "link", text: "Chat", href: " https://[" },
      "the target of a link with an invalid URL: use http(s), otpauth or a relative URL",
    ],
    [
      "a link without a URL",
      { kind: "link", text: "Chat" },
      "the target of a link with an invalid URL: use http(s), otpauth or a relative URL",
    ],
    [
      "a block of an unknown kind",
      { kind: "table", rows: [] },
      'a block of the kind "table", which does not exist',
    ],
    [
      "an attribute that is not allowed",
      { kind: "form", form: { ...form, fields: [{ name: "x", attributes: { onInput: "x()" } }] } },
      'the attribute "oninput" of an input: it is not on the list of safe ones',
    ],
    [
      "a form with an unsafe action",
      { kind: "form", form: { ...form, action: "javascript:alert(1)" } },
      'a form whose action has the scheme "javascript:": use http(s) or a relative URL',
    ],
    [
      "a provider's logo of another origin",
      {
        kind: "form",
        provider: "acme",
        form: { ...form, logo: "https://cdn.example/acme.svg" },
      },
      'the logo of "acme": use a data: URL or a path of this origin',
    ],
    [
      "a form whose script has another origin",
      {
        kind: "form",
        form: {
          ...form,
          script: { src: "https://cdn.example/x.js", integrity: "", fallback: "", failure: "" },
        },
      },
      "the script of a form, which stays hidden: use a URL below http://localhost:3000/auth/",
    ],
    [
      "an item whose form has an unsafe action",
      { kind: "list", items: [{ title: "One", form: { ...form, action: "mailto:x" } }] },
      'a form whose action has the scheme "mailto:": use http(s) or a relative URL',
    ],
    [
      "a block inside a section",
      { kind: "section", name: "s", heading: "S", blocks: [{ kind: "table" }] },
      'a block of the kind "table", which does not exist',
    ],
  ])("%s causes a warning with the page's name", async (_, block, detail) => {
    const { details } = await show([block]);
    expect(details).toEqual([`The page "terms" leaves out ${detail}.`]);
  });

  it.each<[what: string, theme: Theme, detail: string]>([
    [
      "a color without its #",
      { brandColor: "ff0000" },
      'the color "ff0000": use a hex color with its #, rgb(), hsl() or a name',
    ],
    [
      "a text color that is not allowed in a style sheet",
      { buttonText: "red;}" },
      'the color "red;}": use a hex color with its #, rgb(), hsl() or a name',
    ],
    [
      "a color that is not text",
      { brandColor: (() => "#f00") as never },
      "a color that is a function: use a hex color with its #, rgb(), hsl() or a name",
    ],
    [
      "a logo with an unsafe URL",
      { logo: "javascript:alert(1)" },
      'the logo of the theme, which has the scheme "javascript:": use http(s), a relative URL or data:image',
    ],
  ])("%s, of the theme, causes a warning", async (_, theme, detail) => {
    const { details } = await show([{ kind: "form", form }], { theme });
    expect(details).toEqual([`The page "terms" leaves out ${detail}.`]);
  });

  it("each part causes one warning, and different parts cause separate ones", async () => {
    const link = (href: string): Block => ({ kind: "link", text: "Chat", href });
    const { details, read } = await show([link("tg:a"), link("tg:b"), link("sms:1"), link("/ok")]);
    await read();
    expect(details).toHaveLength(2);
  });

  it("warnings are bounded, because visitors may control a part of a page", async () => {
    const blocks = Array.from({ length: 150 }, (_, at) => ({ kind: `kind-${at}` }));
    expect((await show(blocks)).details).toHaveLength(100);
  });

  it("a warning does not contain the URL, which may be private", async () => {
    const { details } = await show([{ kind: "link", text: "x", href: "tg://token=secret" }]);
    expect(details.join("")).not.toContain("secret");
  });

  it("production logs no warnings", async () => {
    const env = { NODE_ENV: "production", AUTH_URL: "http://localhost:3000" };
    const { details, tags } = await show([{ kind: "table" }, { kind: "text", text: "Hi" }], {
      env,
    });
    expect(details).toEqual([]);
    expect(tags.length).toBeGreaterThan(0);
  });

  it("the built-in pages omit nothing", async () => {
    const details: string[] = [];
    const { browser } = createTestAuth({
      logger: { warn: (code) => void (code === "page-dropped" && details.push(code)) },
      preset: standardPreset,
      providers: [githubPlugin({ clientId: "x", clientSecret: "y" }), credentials()],
      passkey: {},
      mail: {},
      store: memoryBackend(),
      experimental: { enableWebAuthn: true },
    });
    const headers = { accept: "text/html" };
    for (const path of ["signin", "signout", "error", "verify-request"]) {
      expect((await browser.get(`/auth/${path}`, { headers })).status).toBe(200);
    }
    expect(details).toEqual([]);
  });
});

describe("texts that a page requests, and that no plugin has added", () => {
  it.each([
    ["development", ['text-missing: No plugin has added the text "terms.titel".']],
    ["production", []],
  ] as const)("are reported once, and only in development: %s", async (NODE_ENV, expected) => {
    const warnings: string[] = [];
    const { browser } = createTestAuth({
      env: { NODE_ENV, AUTH_URL: "http://localhost:3000" },
      logger: {
        warn: (code, detail = "") => {
          if (code === "text-missing") warnings.push(`${code}: ${detail.split(" Add it")[0]}`);
        },
      },
      use: [
        {
          name: "test/terms",
          setup({ hooks, addMessages }) {
            addMessages("en", { "terms.title": "Terms" });
            hooks.page.for("signin").tap("test/terms", async (page, ctx) => {
              const { t } = await ctx.translator();
              return { ...page, title: t("terms.title"), heading: t("terms.titel") };
            });
          },
        },
      ],
    });
    for (const _ of [1, 2]) {
      expect(await (await browser.get("/auth/signin")).text()).toContain("terms.titel");
    }
    expect(warnings).toEqual(expected);
  });
});
