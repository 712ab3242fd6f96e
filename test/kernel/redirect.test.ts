import { describe, expect, it, vi } from "vitest";
import { pageUrl, toSameOrigin } from "../../src/request/redirect.ts";
import { createTestAuth, LOVELACE, ORIGIN } from "../_app.ts";

const at = (url: string) => toSameOrigin(url, ORIGIN);

describe("toSameOrigin()", () => {
  it.each([
    ["/", `${ORIGIN}/`],
    ["/a?b=c#d", `${ORIGIN}/a?b=c#d`],
    [ORIGIN, ORIGIN],
    [`${ORIGIN}/a`, `${ORIGIN}/a`],
    ["HTTP://LOCALHOST:3000/a", `${ORIGIN}/a`],
    ["/münchen?q=ü", `${ORIGIN}/m%C3%BCnchen?q=%C3%BC`],
    ["/a/../b", `${ORIGIN}/b`],
    ["/%2e%2e/b", `${ORIGIN}/b`],
  ])("toSameOrigin() accepts %j as %j", (url, expected) => {
    expect(at(url)).toBe(expected);
  });

  it("toSameOrigin() reads a path with two slashes as a path, never as a host", () => {
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
  ])("toSameOrigin() replaces %j with the origin", (url) => {
    expect(at(url)).toBe(ORIGIN);
  });
});

describe("pageUrl()", () => {
  it("pageUrl() accepts a path on the origin and an absolute URL", () => {
    expect(pageUrl("/login", ORIGIN, {})).toBe(`${ORIGIN}/login`);
    expect(pageUrl("https://help.example/x", ORIGIN, {})).toBe("https://help.example/x");
  });

  it("pageUrl() keeps the query and adds escaped values, without undefined ones", () => {
    expect(pageUrl("/login?from=auth", ORIGIN, { error: "a b&c", code: undefined })).toBe(
      `${ORIGIN}/login?from=auth&error=a+b%26c`,
    );
  });
});

describe("callbackUrl of a sign-in", () => {
  const target = async (
    callbackUrl: string | undefined,
    config: Parameters<typeof createTestAuth>[0] = {},
  ) => {
    const { browser } = createTestAuth(config);
    const fields = { ...LOVELACE, ...(callbackUrl !== undefined && { callbackUrl }) };
    const response = await browser.signInWith("credentials", fields);
    return response.headers.get("location");
  };

  it("redirects to the callbackUrl of the form", async () => {
    expect(await target("/welcome")).toBe(`${ORIGIN}/welcome`);
  });

  it("redirects to the origin when the callbackUrl is missing, empty or foreign", async () => {
    expect(await target(undefined)).toBe(`${ORIGIN}/`);
    expect(await target("https://evil.example/")).toBe(`${ORIGIN}/`);
    expect(await target("")).toBe(`${ORIGIN}/`);
  });

  it("the sign-in page stores the callbackUrl in a cookie, and the sign-in redirects to it", async () => {
    const { browser } = createTestAuth();
    await browser.get("/auth/signin?callbackUrl=/deep");
    expect(browser.cookies.get("authjs.callback-url")).toBe(encodeURIComponent(`${ORIGIN}/deep`));
    const response = await browser.signInWith("credentials", LOVELACE);
    expect(response.headers.get("location")).toBe(`${ORIGIN}/deep`);
  });

  it("redirects to the origin when the callbackUrl has more than 8192 characters", async () => {
    const { browser } = createTestAuth();
    for (const [length, isKept] of [
      [8192, true],
      [8193, false],
    ] as const) {
      const callbackUrl = `/${"x".repeat(length - 1)}`;
      const response = await browser.signInWith("credentials", { ...LOVELACE, callbackUrl });
      const expected = isKept ? ORIGIN + callbackUrl : ORIGIN;
      expect(response.headers.get("location")?.replace(/\/$/, "")).toBe(expected);
    }
  });

  it("the redirect callback may allow another origin", async () => {
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

  it("the redirect callback decides where a sign-in and a sign-out without a target lead", async () => {
    const redirect = vi.fn(({ baseUrl }: { url: string; baseUrl: string }) => `${baseUrl}/home`);
    const { browser } = createTestAuth({ callbacks: { redirect } });
    const signedIn = await browser.signInWith("credentials", LOVELACE);
    expect(signedIn.headers.get("location")).toBe(`${ORIGIN}/home`);
    expect(redirect).toHaveBeenCalledWith({ url: ORIGIN, baseUrl: ORIGIN });
    const signedOut = await browser.signOut();
    expect(signedOut.headers.get("location")).toBe(`${ORIGIN}/home`);
  });

  it("redirects to the origin when there is no target, and the redirect callback throws", async () => {
    const redirect = () => {
      throw new Error("There is no such page.");
    };
    expect(await target(undefined, { callbacks: { redirect } })).toBe(`${ORIGIN}/`);
  });

  it.each([undefined, "", null, 42])(
    "redirects to the origin when the redirect callback returns %j",
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
    "redirects to the origin when the redirect callback returns %j, neither a path nor an http(s) URL",
    async (it) => {
      const location = await target("/x", { callbacks: { redirect: () => it } });
      expect(new URL(location as string).origin).toBe(ORIGIN);
    },
  );

  it.each(
    ["javascript", "data", "vbscript", "blob", "file", "about"].flatMap((scheme) => [
      `${scheme}:x`,
      `${scheme}:${ORIGIN}/x`,
      `${scheme.toUpperCase()}:x`,
      `${scheme.slice(0, 2)}\t${scheme.slice(2)}:x`,
      `${scheme.slice(0, 2)}\n${scheme.slice(2)}:x`,
      ` ${scheme}:x`,
      `\u0000${scheme}:x`,
    ]),
  )(
    "redirects to the origin when the redirect callback returns the active content %j",
    async (it) => {
      const location = await target("/x", { callbacks: { redirect: () => it } });
      expect(location).toBe(`${ORIGIN}/`);
    },
  );

  it("ignores a foreign callbackUrl in a planted cookie", async () => {
    const { browser } = createTestAuth();
    browser.cookies.set("authjs.callback-url", encodeURIComponent("https://evil.example/"));
    const response = await browser.signInWith("credentials", LOVELACE);
    expect(response.headers.get("location")).toBe(`${ORIGIN}/`);
  });

  describe.each([
    ["throws", () => new URL("there is none")],
    ["rejects", () => Promise.reject(new Error("There is no such page."))],
  ])("a sign-out whose target makes a `redirect` tap %s", (_, refuse) => {
    const createApp = async () => {
      const redirect = ({ url }: { url: string }) => (url === "/gone" ? refuse() : url) as string;
      const app = createTestAuth({ callbacks: { redirect }, errors: "read" });
      await app.browser.signInWith("credentials", LOVELACE);
      return app;
    };

    it("ends the session, and reports the error", async () => {
      const app = await createApp();
      const csrfToken = await app.browser.csrfToken();
      const fields = { csrfToken, callbackUrl: "/gone" };
      const response = await app.browser.post("/auth/signout", fields);
      expect(response.headers.get("location")).toBe(`${ORIGIN}/auth/error?error=Configuration`);
      expect(await app.browser.session()).toBeNull();
      expect(app.log.errors).toHaveLength(1);
    });

    it("ends the session by auth.signOut(), which rejects", async () => {
      const { auth, browser, log } = await createApp();
      const cookie = [...browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const req = new Request(ORIGIN, { headers: { cookie } });
      const res = { headers: new Headers() };
      await expect(auth.signOut({ req, res }, { redirectTo: "/gone" })).rejects.toThrow();
      expect(res.headers.getSetCookie().join()).toContain("authjs.session-token=;");
      expect(log.errors).toHaveLength(1);
    });
  });

  describe.each([
    ["a text that is not a URL", "not a url", undefined],
    ["a URL without a host", "http://", undefined],
    ["a port that does not exist", "http://localhost:99999/", undefined],
    ["half of an escape", "http://%zz/", undefined],
    ["a target at which a `redirect` tap throws", `${ORIGIN}/gone`, /gone/],
    ["a target at which a `redirect` tap rejects", `${ORIGIN}/later`, /later/],
  ])("a remembered target that is %s", (_, remembered, refused) => {
    const NAME = "authjs.callback-url";
    const createApp = () =>
      createTestAuth({
        callbacks: {
          redirect({ url }) {
            // Like the callback of many applications.
            new URL(url, url.startsWith("/") ? ORIGIN : undefined);
            if (refused?.test(url) && url.includes("gone"))
              throw new Error("There is no such page.");
            return refused?.test(url) ? Promise.reject(new Error("There is no such page.")) : url;
          },
        },
      });
    const plant = (app: ReturnType<typeof createTestAuth>) =>
      app.browser.cookies.set(NAME, encodeURIComponent(remembered));

    it("is dropped and cleared by a sign-in, which succeeds", async () => {
      const app = createApp();
      plant(app);
      const response = await app.browser.signInWith("credentials", LOVELACE);
      expect(new URL(response.headers.get("location") ?? "").href).toBe(`${ORIGIN}/`);
      expect(await app.browser.session()).not.toBeNull();
      expect(app.browser.cookies.has(NAME)).toBe(false);
      expect(app.log.errors).toEqual([]);
    });

    it("is dropped and cleared by a sign-out, which ends the session", async () => {
      const app = createApp();
      await app.browser.signInWith("credentials", LOVELACE);
      plant(app);
      const response = await app.browser.signOut();
      expect(new URL(response.headers.get("location") ?? "").href).toBe(`${ORIGIN}/`);
      expect(await app.browser.session()).toBeNull();
      expect(app.browser.cookies.has(NAME)).toBe(false);
    });

    it.each(["/auth/signin", "/auth/signout"])(
      "does not hide %s from its visitor",
      async (path) => {
        const app = createApp();
        plant(app);
        expect((await app.browser.get(path)).status).toBe(200);
        expect(app.browser.cookies.has(NAME)).toBe(false);
      },
    );

    it("is ignored if there is another cookie with its name, or a target in the form", async () => {
      const app = createApp();
      const csrfToken = await app.browser.csrfToken();
      const jar = [...app.browser.cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const cookie = `${jar}; ${NAME}=${encodeURIComponent(remembered)}; ${NAME}=${encodeURIComponent(`${ORIGIN}/deep`)}`;
      const fields = { ...LOVELACE, csrfToken };
      const init = { headers: { cookie } };
      const response = await app.browser.post("/auth/callback/credentials", fields, init);
      expect(response.headers.get("location")).toBe(`${ORIGIN}/deep`);

      plant(app);
      const given = { ...LOVELACE, callbackUrl: "/welcome" };
      const posted = await app.browser.signInWith("credentials", given);
      expect(posted.headers.get("location")).toBe(`${ORIGIN}/welcome`);
      expect(app.browser.cookies.get(NAME)).toBe(encodeURIComponent(`${ORIGIN}/welcome`));
    });
  });
});
