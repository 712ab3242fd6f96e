import { describe, expect, it } from "vitest";
import { standardPreset } from "../../presets/standard.ts";
import { type Block, type Form, type Page, type Plugin, skipCSRFCheck } from "../../src/kernel.ts";
import { createTestAuth, ORIGIN, setCookieNames, type TestAuthOptions } from "../_app.ts";
import { all, parse } from "./_parse.ts";

const showing = (blocks: readonly Block[]): Plugin => ({
  name: "showing",
  setup(kernel) {
    const page: Page = { name: "shown", title: "Shown", blocks };
    kernel.addRoute({ method: "GET", path: "/shown/here", handler: (ctx) => ctx.page(page) });
    kernel.addRoute({ method: "POST", path: "/shown/here", handler: (ctx) => ctx.json("done") });
  },
});

const form = (over: Partial<Form> = {}): Block => ({
  kind: "form",
  form: { action: "/auth/shown/here", submit: "Go", ...over },
});

async function show(blocks: readonly Block[], options: TestAuthOptions = {}) {
  const app = createTestAuth({ use: [showing(blocks)], ...options });
  const response = await app.browser.get("/auth/shown/here");
  const inputs = all(parse(await response.text()), "input");
  const tokens = inputs.filter(({ name }) => name === "csrfToken").map(({ value }) => value);
  return { ...app, response, inputs, tokens };
}

describe("the CSRF token in forms of pages", () => {
  it("a form that posts to a plugin's route gets the token, which that route accepts", async () => {
    const { tokens, browser, response } = await show([form()]);
    expect(tokens).toEqual([await browser.csrfToken()]);
    expect(setCookieNames(response)).toEqual(["authjs.csrf-token"]);
    expect(response.headers.get("cache-control")).toContain("no-store");
    const posted = await browser.post("/auth/shown/here", { csrfToken: tokens[0] ?? "" });
    expect(await posted.json()).toBe("done");
  });

  it.each([
    `${ORIGIN}/auth/shown/here`,
    "/auth/shown/here",
    "here",
    "../shown/here?x=1",
    "?again",
    "/auth/signout",
  ])("the action %s is below the base path", async (action) => {
    expect((await show([form({ action })])).tokens).toHaveLength(1);
  });

  it.each([
    "https://evil.example/auth/shown/here",
    "//evil.example/auth/x",
    "https://localhost:3000/auth/x",
    "http://localhost:3000.evil.example/auth/x",
    "http://localhost:3000@evil.example/auth/x",
    "/authority",
    "/auth",
    "/elsewhere",
    "/auth/../elsewhere",
    "../../elsewhere",
    "javascript:alert(1)",
    "http://",
  ])(
    "the action %s is outside the base path: its form never gets the token, and no cookie is set",
    async (action) => {
      const { tokens, response } = await show([form({ action })]);
      expect(tokens).toEqual([]);
      expect(setCookieNames(response)).toEqual([]);
    },
  );

  const signOut: Form = { action: "/auth/signout", submit: "Go", hidden: { own: "1" } };
  const inner = { kind: "form", form: signOut } as const;
  const places: Block[] = [
    { kind: "grid", blocks: [inner] },
    { kind: "more", text: "More", blocks: [{ kind: "grid", blocks: [inner] }] },
    { kind: "section", name: "s", heading: "S", blocks: [inner] },
    { kind: "list", items: [{ title: "Row", form: signOut }, { title: "Other" }] },
  ];

  it("forms in every kind of block get the token, next to their own hidden fields", async () => {
    const { tokens, inputs } = await show(places);
    expect(tokens).toHaveLength(4);
    expect(inputs.filter(({ name }) => name === "own")).toHaveLength(4);
  });

  it.each(places)(
    "the only form of a page gets the token in a block of the kind $kind",
    async (place) => {
      expect((await show([place])).tokens).toHaveLength(1);
    },
  );

  it("a form gets the token even next to one that posts elsewhere and gets none", async () => {
    const elsewhere: Form = { action: "https://other.example/", submit: "Leave" };
    const blocks = [inner, { kind: "form", form: elsewhere } as const];
    const { tokens } = await show([{ kind: "section", name: "s", heading: "S", blocks }]);
    expect(tokens).toHaveLength(1);
  });

  it("buttons of a grid that share their hidden fields remain one form with one token", async () => {
    const hidden = { callbackUrl: "/x" };
    const button = (id: string): Block => ({
      kind: "form",
      provider: id,
      form: { action: `/auth/signin/${id}`, submit: id, hidden },
    });
    const { tokens } = await show([{ kind: "grid", blocks: [button("a"), button("b")] }]);
    expect(tokens).toHaveLength(1);
  });

  it("a form that already has a token keeps it", async () => {
    const { tokens } = await show([
      form({ hidden: { csrfToken: "own" } }),
      form({ fields: [{ name: "csrfToken", type: "hidden", value: "other" }] }),
    ]);
    expect(tokens).toEqual(["own", "other"]);
  });

  it("a form that a tap of the page hook adds gets the token too", async () => {
    const tap: Plugin = {
      name: "tap",
      setup: ({ hooks }) =>
        hooks.page.for("shown").tap("tap", (page) => ({ ...page, blocks: [form()] })),
    };
    expect((await show([], { use: [showing([]), tap] })).tokens).toHaveLength(1);
  });

  it("with skipCSRFCheck there is no token", async () => {
    const { tokens, response } = await show([form()], { skipCSRFCheck, use: [showing([form()])] });
    expect(tokens).toEqual([]);
    expect(setCookieNames(response)).toEqual([]);
  });

  it("the original page object is not changed", async () => {
    const block = form({ hidden: {} });
    await show([block]);
    expect(block).toEqual(form({ hidden: {} }));
  });

  it("a page at the root's base path gives the token to every form of its own origin", async () => {
    const app = createTestAuth({
      basePath: "/",
      use: [showing([form({ action: "/shown/here" })])],
    });
    const inputs = all(parse(await (await app.browser.get("/shown/here")).text()), "input");
    expect(inputs.map(({ name }) => name)).toEqual(["csrfToken"]);
  });

  it("every form of the built-in pages has the token once", async () => {
    const { browser } = createTestAuth({ preset: standardPreset });
    for (const path of ["/auth/signin", "/auth/signout"]) {
      const markup = parse(await (await browser.get(path)).text());
      const tokens = all(markup, "input").filter(({ name }) => name === "csrfToken");
      expect(tokens.length, path).toBe(all(markup, "form").length);
      expect(tokens.length, path).toBeGreaterThan(0);
    }
  });
});

describe("taps that return something other than a page", () => {
  it.each([[{}], ["text"], [5], [[]], [{ blocks: "x" }]])(
    "a tap that returns %j causes an error that names the hook",
    async (value) => {
      const tap: Plugin = {
        name: "tap",
        setup: ({ hooks }) => hooks.page.for("shown").tap("tap", () => value as never),
      };
      const { browser, log } = createTestAuth({ use: [showing([]), tap] });
      expect((await browser.get("/auth/shown/here")).status).toBe(302);
      const [error] = log.expectErrors("PluginError");
      expect(error?.message).toContain(
        'The tap "tap" (plugin tap) of the hook page:shown returned',
      );
    },
  );
});

describe("the image block", () => {
  const PNG = "data:image/png;base64,iVBORw0KGgo=";
  const image = (over: object = {}): Block =>
    ({ kind: "image", src: PNG, alt: "QR code", ...over }) as Block;
  const showImages = async (blocks: readonly Block[]) => {
    const { browser } = createTestAuth({ use: [showing(blocks)] });
    const response = await browser.get("/auth/shown/here");
    const policy = response.headers.get("content-security-policy") ?? "";
    return {
      images: all(parse(await response.text()), "img"),
      source: /img-src ([^;]*)/.exec(policy)?.[1],
    };
  };

  it("shows a data image with its description and its size", async () => {
    const { images } = await showImages([image({ width: 200, height: 200 })]);
    expect(images).toEqual([
      { class: "image", src: PNG, alt: "QR code", width: "200", height: "200" },
    ]);
  });

  it("is also shown inside other blocks", async () => {
    const section: Block = { kind: "section", name: "s", heading: "S", blocks: [image()] };
    expect((await showImages([section])).images).toHaveLength(1);
  });

  it.each([
    PNG,
    "data:image/svg+xml,%3Csvg/%3E",
    "data:image/svg+xml;utf8,%3Csvg/%3E",
    "data:image/webp;base64,AA==",
    "/qr.png",
    "./qr.png",
  ])("shows the image %s", async (src) => {
    expect((await showImages([image({ src })])).images).toMatchObject([{ src }]);
  });

  it.each([
    "https://evil.example/track.png",
    "//evil.example/track.png",
    "data:text/html,<script>alert(1)</script>",
    "data:image/svgx,x",
    "data:application/javascript,x",
    "javascript:alert(1)",
    "blob:http://localhost:3000/x",
    "\\\\evil.example",
    "",
    5,
    undefined,
  ])("does not show the image %s", async (src) => {
    expect((await showImages([image({ src })])).images).toEqual([]);
  });

  it("escapes the description, and omits invalid sizes", async () => {
    const alt = '"><script>alert(1)</script>';
    const sizes = { width: -1, height: '1" onload="x' };
    expect((await showImages([image({ alt, ...sizes })])).images).toEqual([
      { class: "image", src: PNG, alt },
    ]);
  });

  it("allows data images in the policy only on a page that has one", async () => {
    expect((await showImages([image()])).source).toBe("'self' data:");
    expect((await showImages([image({ src: "/qr.png" })])).source).toBe("'self'");
    expect((await showImages([{ kind: "text", text: 'src="data:image/png' }])).source).toBe(
      "'self'",
    );
    expect((await showImages([])).source).toBe("'self'");
  });
});
