import { describe, expect, it } from "vitest";
import { arabicPlugin } from "../../plugins/languages/ar.ts";
import { japanesePlugin } from "../../plugins/languages/ja.ts";
import { githubPlugin } from "../../plugins/providers/github.ts";
import { standardPreset } from "../../presets/standard.ts";
import { type Page, type Plugin, skipCSRFCheck } from "../../src/kernel.ts";
import { createBrowser } from "../../src/testing/testing.ts";
import {
  createTestAuth,
  credentials,
  type TestAuth,
  type TestAuthOptions,
  unservedOAuth,
} from "../_app.ts";

/** Changes a page as the application's own taps do. */
const tapping = (name: string, change: (page: Page, url: URL) => Page): Plugin => ({
  name: "test/page",
  setup: (kernel) => kernel.hooks.page.for(name).tap("test", (page, ctx) => change(page, ctx.url)),
});

/** Has every page rendered for its response alone. */
const drawingAnew = tapping("*", ({ reusable: _, ...page }) => page);

function createSite(options: TestAuthOptions = {}): TestAuth {
  return createTestAuth({
    preset: standardPreset,
    errors: "allowed",
    ...options,
    providers: [credentials(), unservedOAuth("gitlab", "GitLab"), unservedOAuth("x", "<X & Y>")],
    use: [
      githubPlugin({ clientId: "id", clientSecret: "secret" }),
      arabicPlugin(),
      japanesePlugin(),
      ...(options.use ?? []),
    ],
  });
}

const NONCE = /nonce-([\w-]+)/;

/** Reads a page as a visitor, without its nonce and CSRF token. */
async function look({ auth }: TestAuth, path: string, language = "en") {
  const browser = createBrowser(auth.fetch);
  const headers = { "accept-language": language };
  const response = await browser.get(`/auth${path}`, { headers });
  const text = await response.text();
  const policy = response.headers.get("content-security-policy") ?? "";
  const nonce = NONCE.exec(policy)?.[1] ?? "";
  const token = /name="csrfToken" value="([0-9a-f]{64})"/.exec(text)?.[1];
  const neutral = (value: string) =>
    value.replaceAll(nonce, "NONCE").replaceAll(token ?? "no token", "TOKEN");
  const kept = [...response.headers].filter(([name]) => name !== "set-cookie");
  return {
    browser,
    nonce,
    token,
    text,
    status: response.status,
    page: neutral(text),
    headers: Object.fromEntries(kept.map(([name, value]) => [name, neutral(value)])),
  };
}

describe("pages whose rendering is cached", () => {
  it.each([
    "/signin",
    "/signin?error=AccessDenied",
    "/signin?error=%3Cb%3E",
    "/signin?email=ada@example.com",
    "/signin?callbackUrl=/a",
    "/signin?callbackUrl=/%3Cscript%3E",
    "/signout",
    "/error",
    "/error?error=Configuration",
    "/error?error=Verification",
  ])(
    "%s is the same as when it is rendered again, at each visit and in every language",
    async (path) => {
      const looks: TestAuthOptions[] = [
        {},
        { theme: { brandColor: "#123456", colorScheme: "dark", logo: "/logo.svg" } },
        { skipCSRFCheck },
      ];
      for (const settings of looks) {
        const keeping = createSite(settings);
        const anew = createSite({ ...settings, use: [drawingAnew] });
        for (const language of ["en", "ar", "ja", "en", "ar"]) {
          const [one, other] = [
            await look(keeping, path, language),
            await look(anew, path, language),
          ];
          expect(one.page).toBe(other.page);
          expect(one.page).toContain(`<html lang="${language}"`);
          expect(one.headers).toEqual(other.headers);
          expect(one.status).toBe(other.status);
          expect(one.token === undefined).toBe(other.token === undefined);
        }
      }
    },
  );

  it("each response has its own nonce and CSRF token, and the token is that of the visitor's cookie", async () => {
    const site = createSite();
    const seen = new Set<string>();
    for (let at = 0; at < 5; at++) {
      const { browser, nonce, token = "" } = await look(site, "/signin");
      seen.add(nonce).add(token);
      expect(browser.cookies.get("authjs.csrf-token")).toContain(token);
      const response = await browser.post("/auth/callback/credentials", {
        csrfToken: token,
        username: "ada",
        password: "lovelace",
      });
      expect(response.headers.get("set-cookie")).toContain("session-token");
    }
    expect(seen.size).toBe(10);
  });

  it("the responses of two visitors share no random text, so that visitors cannot guess a placeholder", async () => {
    const site = createSite();
    const random = /[0-9a-f]{32,}|nonce="[^"]+"/g;
    const [one, other] = [await look(site, "/signin"), await look(site, "/signin")];
    const texts = new Set(one.text.match(random));
    expect(texts.size).toBeGreaterThan(1);
    expect((other.text.match(random) ?? []).filter((text) => texts.has(text))).toEqual([]);
  });

  it("a tap's change for one visitor is not shown to others", async () => {
    const greet = tapping("signin", (page, url) => ({
      ...page,
      heading: `Hello ${url.searchParams.get("name")}`,
    }));
    const site = createSite({ use: [greet] });
    for (const name of ["Ada", "Grace", "Ada", "Linus"]) {
      const { text } = await look(site, `/signin?name=${name}`);
      expect(text).toContain(`<h1>Hello ${name}</h1>`);
    }
  });

  it("a page with the same texts in every language has the language of its response", async () => {
    const page: Page = { name: "signin", title: "Keyhook", reusable: true, blocks: [] };
    const site = createSite({ use: [tapping("signin", () => page)] });
    for (const [language, tag] of [
      ["en", '<html lang="en">'],
      ["ar", '<html lang="ar" dir="rtl">'],
      ["en", '<html lang="en">'],
    ] as const)
      expect((await look(site, "/signin", language)).text).toContain(tag);
  });

  it("a nonce that the application sets is used in its response, and must be base64", async () => {
    const own = tapping("signin", (page, url) => ({
      ...page,
      nonce: url.searchParams.get("nonce") ?? "",
    }));
    const site = createSite({ use: [own] });
    for (const nonce of ["b25l", "dHdv", "b25l"]) {
      const seen = await look(site, `/signin?nonce=${nonce}`);
      expect(seen.nonce).toBe(nonce);
      expect(seen.text).toContain(`<style nonce="${nonce}">`);
    }
    expect((await look(site, "/signin?nonce=%22%3E%3Cscript%3E")).status).toBe(302);
  });
});
