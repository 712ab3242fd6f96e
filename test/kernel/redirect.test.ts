import { describe, expect, it } from "vitest";
import { pageUrl, sameOrigin } from "../../src/redirect.ts";
import { createHouse, LOVELACE, ORIGIN } from "../_setup.ts";

const at = (url: string) => sameOrigin(url, ORIGIN);

describe("the own-origin rule", () => {
  it.each([
    ["/", `${ORIGIN}/`],
    ["/a?b=c#d", `${ORIGIN}/a?b=c#d`],
    [ORIGIN, ORIGIN],
    [`${ORIGIN}/a`, `${ORIGIN}/a`],
    ["HTTP://LOCALHOST:3000/a", `${ORIGIN}/a`],
    ["/münchen?q=ü", `${ORIGIN}/m%C3%BCnchen?q=%C3%BC`],
    ["/a/../b", `${ORIGIN}/b`],
    ["/%2e%2e/b", `${ORIGIN}/b`],
  ])("lets %j through as %j", (url, expected) => {
    expect(at(url)).toBe(expected);
  });

  it("takes two slashes for a path of ours, never for a host", () => {
    expect(at("//evil.example/x")).toBe(`${ORIGIN}//evil.example/x`);
    expect(at("///evil.example")).toBe(`${ORIGIN}///evil.example`);
  });

  it.each([
    "https://evil.example",
    "https://localhost:3000",
    "http://localhost",
    "http://localhost:3001/",
    "http://localhost:3000.evil.example",
    "http://localhost:3000@evil.example",
    "http://user@localhost:3000/",
    "http://user:pass@localhost:3000/",
    "http:evil.example",
    "http:/evil.example",
    "http:\\\\evil.example",
    "\\\\evil.example",
    "/\\evil.example",
    "/\t/evil.example",
    "\t//evil.example",
    "/\n/evil.example",
    " //evil.example",
    "\u0000//evil.example",
    "javascript:alert(1)",
    "JaVaScRiPt:alert(1)",
    "java\nscript:alert(1)",
    "data:text/html,x",
    "blob:http://localhost:3000/1234",
    "filesystem:http://localhost:3000/x",
    "view-source:http://localhost:3000/",
    "mailto:a@localhost",
    "foo",
    "foo/bar",
    "?x",
    "#x",
    ".evil.example",
    "http://",
    "http://[::1",
    "",
  ])("does not let %j through", (url) => {
    expect(at(url)).toBe(ORIGIN);
  });
});

describe("a page's URL", () => {
  it("is relative to the origin or absolute", () => {
    expect(pageUrl("/login", ORIGIN, {})).toBe(`${ORIGIN}/login`);
    expect(pageUrl("https://help.example/x", ORIGIN, {})).toBe("https://help.example/x");
  });

  it("keeps its own query and adds values, escaped; undefined is left out", () => {
    expect(pageUrl("/login?from=auth", ORIGIN, { error: "a b&c", code: undefined })).toBe(
      `${ORIGIN}/login?from=auth&error=a+b%26c`,
    );
  });
});

describe("where a visitor goes in the end", () => {
  const target = async (
    callbackUrl: string | undefined,
    config: Parameters<typeof createHouse>[0] = {},
  ) => {
    const { browser } = createHouse(config);
    const fields = { ...LOVELACE, ...(callbackUrl !== undefined && { callbackUrl }) };
    const response = await browser.signInWith("credentials", fields);
    return response.headers.get("location");
  };

  it("is what the form says", async () => {
    expect(await target("/welcome")).toBe(`${ORIGIN}/welcome`);
  });

  it("is the origin when nothing or something foreign is said", async () => {
    expect(await target(undefined)).toBe(`${ORIGIN}/`);
    expect(await target("https://evil.example/")).toBe(`${ORIGIN}/`);
    expect(await target("")).toBe(`${ORIGIN}/`);
  });

  it("is remembered in a cookie from the sign-in page on", async () => {
    const { browser } = createHouse();
    await browser.get("/auth/signin?callbackUrl=/deep");
    expect(browser.cookies.get("authjs.callback-url")).toBe(encodeURIComponent(`${ORIGIN}/deep`));
    const response = await browser.signInWith("credentials", LOVELACE);
    expect(response.headers.get("location")).toBe(`${ORIGIN}/deep`);
  });

  it("is asked of the callback, which may allow another origin", async () => {
    const seen: unknown[] = [];
    const location = await target("https://partner.example/x", {
      callbacks: {
        redirect(params) {
          seen.push(params);
          return params.url;
        },
      },
    });
    expect(location).toBe("https://partner.example/x");
    expect(seen).toEqual([{ url: "https://partner.example/x", baseUrl: ORIGIN }]);
  });

  it.each([undefined, "", null, 42])(
    "is the own origin when the callback answers %j",
    async (it) => {
      const location = await target("https://evil.example/x", {
        callbacks: { redirect: () => it as never },
      });
      expect(location).toBe(`${ORIGIN}/`);
    },
  );

  it.each([
    "javascript:alert(1)",
    "data:text/html,x",
    "blob:http://localhost:3000/x",
    "//evil.example/",
    "/\\evil.example/",
    "not a url",
  ])(
    "is a path here or a URL that leads somewhere: %j from the callback is neither",
    async (it) => {
      const location = await target("/x", { callbacks: { redirect: () => it } });
      expect(new URL(location as string).origin).toBe(ORIGIN);
    },
  );

  it("is not believed from a cookie that was planted", async () => {
    const { browser } = createHouse();
    browser.cookies.set("authjs.callback-url", encodeURIComponent("https://evil.example/"));
    const response = await browser.signInWith("credentials", LOVELACE);
    expect(response.headers.get("location")).toBe(`${ORIGIN}/`);
  });
});
