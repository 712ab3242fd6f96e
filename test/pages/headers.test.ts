import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { createAuth, definePlugin } from "../../presets/index.ts";
import { passkeyPlugin } from "../../plugins/providers/passkey.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { createBrowser } from "../../src/testing.ts";
import { adapterOn } from "../adapters/_shelf.ts";
import { type Op, startOp } from "../_op.ts";
import { createApp, oauth } from "../flows/_oauth.ts";
import { createPasskeyApp } from "../flows/_passkey.ts";
import { only, parse } from "./_parse.ts";
import type { AuthConfig, Page, Provider } from "../../src/types.ts";

const env = { NODE_ENV: "test", AUTH_SECRET: "x".repeat(40) };
const logger = { error() {}, warn() {} };

/** The headers of an answer, what differs from one to the next left out. */
function headersOf({ status, headers }: Response): string[] {
  const lines = [...headers].map(([name, value]) => {
    const text =
      name === "set-cookie"
        ? value.replace(/=[^;]*/, "=...").replace(/Expires=[^;]*/i, "Expires=...")
        : value
            .replace(/'nonce-[^']+'/g, "'nonce-...'")
            .replace(/token=[^&]+/, "token=...")
            .replaceAll(/\b(state|nonce|code_challenge)=[^&]+/g, "$1=...")
            .replace(/^http:\/\/(127\.0\.0\.1|localhost):(?!3000\b)\d+/, "<provider>");
    return `${name}: ${text}`;
  });
  return [String(status), ...lines.toSorted((one, other) => one.localeCompare(other))];
}

describe("the headers of every route", () => {
  it("are these", async () => {
    let link = "";
    const mail = {
      id: "mail",
      name: "Mail",
      type: "email",
      confirm: "always",
      sendVerificationRequest: ({ url }: { url: string }) => void (link = url),
    } as Provider;
    const password = {
      id: "password",
      name: "password",
      type: "credentials",
      credentials: { name: {} },
      authorize: () => null,
    } as Provider;
    const adapter = adapterOn(memoryBackend());
    const auth = createAuth({ env, logger, adapter, providers: [mail, password] });
    const browser = createBrowser(auth.fetch);
    const seen: Record<string, string[]> = {};
    const get = async (path: string) => {
      seen[`GET ${path}`] = headersOf(await browser.get(`/auth${path}`));
    };
    for (const path of ["/signin", "/signout", "/error?error=AccessDenied", "/verify-request"]) {
      await get(path);
    }
    for (const path of ["/nowhere", "/account", "/session", "/csrf", "/providers"]) await get(path);
    seen["POST /signin/mail"] = headersOf(
      await browser.signIn("mail", { email: "ada@example.com" }),
    );
    seen["GET /callback/mail, the page that asks"] = headersOf(await browser.get(link));
    const csrfToken = await browser.csrfToken();
    const fields = Object.fromEntries(new URL(link).searchParams);
    seen["POST /callback/mail"] = headersOf(
      await browser.post("/auth/callback/mail", { ...fields, csrfToken }),
    );
    seen["GET /account, signed in"] = headersOf(await browser.get("/auth/account"));
    seen["GET /session, signed in"] = headersOf(await browser.get("/auth/session"));
    seen["POST /session"] = headersOf(
      await browser.post("/auth/session", { csrfToken, data: "{}" }),
    );
    for (const [what, fields] of Object.entries({
      "all other sessions": { sessions: "others" },
      "one session": { session: "unknown" },
      "a way to sign in": { provider: "mail", account: "unknown" },
    })) {
      seen[`POST /account, ${what}`] = headersOf(
        await browser.post("/auth/account", { csrfToken, ...fields }),
      );
    }
    seen["POST /signout"] = headersOf(await browser.signOut());
    seen["POST /signin without a token"] = headersOf(await browser.post("/auth/signin/mail"));
    expect(seen).toMatchSnapshot();
    // Whoever shows a person, a token or a cookie may be kept by nobody (SECURITY.md R10).
    for (const [route, lines] of Object.entries(seen)) {
      if (route !== "GET /providers") expect(lines.join(), route).toContain("no-store");
    }
  });
});

describe("the headers of OAuth's routes", () => {
  let op: Op;
  beforeAll(async () => {
    op = await startOp();
  });
  afterAll(() => op.close());

  it("are these", async () => {
    const app = createApp(op, [oauth(op)], { adapter: adapterOn(memoryBackend()) });
    const seen: Record<string, string[]> = {};
    const start = async (name: string) => {
      const response = await app.browser.signIn("op");
      seen[name] = headersOf(response);
      return response.headers.get("location") ?? "";
    };
    const back = await op.authorize(await start("POST /signin/op"));
    seen["GET /callback/op"] = headersOf(await app.finish(back));
    expect(await app.browser.session()).not.toBe(null);
    seen["GET /callback/op, a second time"] = headersOf(await app.finish(back));
    const state = new URL(await start("POST /signin/op, signed in")).searchParams.get("state");
    const query = new URLSearchParams({ error: "access_denied", ...(state && { state }) });
    seen["GET /callback/op, refused there"] = headersOf(
      await app.browser.get(`/auth/callback/op?${query}`),
    );
    expect(seen).toMatchSnapshot();
    for (const [route, lines] of Object.entries(seen)) {
      expect(lines.join(), route).toContain("no-store");
    }
  });
});

describe("the headers of passkeys' routes", () => {
  it("are these", async () => {
    const auth = createAuth({
      env,
      logger,
      adapter: adapterOn(memoryBackend()),
      experimental: { enableWebAuthn: true },
    }).use(passkeyPlugin());
    const browser = createBrowser(auth.fetch);
    const seen: Record<string, string[]> = {};
    const page = await browser.get("/auth/signin");
    seen["GET /signin"] = headersOf(page);
    const [, script = ""] = /src="[^"]*(\/auth\/passkey-[^"]+)"/.exec(await page.text()) ?? [];
    seen["GET /passkey-<hash>.js"] = headersOf(await browser.get(script));
    const options = "/auth/webauthn-options/passkey";
    seen["GET /webauthn-options/passkey"] = headersOf(await browser.get(options));
    seen["GET /webauthn-options/passkey, refused"] = headersOf(
      await browser.get(`${options}?action=x`),
    );
    const fields = { csrfToken: await browser.csrfToken(), action: "authenticate", data: "{}" };
    seen["POST /callback/passkey"] = headersOf(
      await browser.post("/auth/callback/passkey", fields),
    );
    seen["POST /passkeys without a token"] = headersOf(await browser.post("/auth/passkeys"));
    const app = createPasskeyApp();
    await app.register();
    const account = await (await app.browser.get("/auth/account")).text();
    const [, passkey = ""] = /name="passkey" value="([^"]+)"/.exec(account) ?? [];
    expect(passkey).not.toBe("");
    const csrf = { csrfToken: await app.browser.csrfToken() };
    for (const [what, id] of Object.entries({ unknown: "unknown", "the last way": passkey })) {
      seen[`POST /passkeys, ${what}`] = headersOf(
        await app.browser.post("/auth/passkeys", { ...csrf, passkey: id }),
      );
    }
    expect(seen).toMatchSnapshot();
  });
});

describe("a policy of the application's", () => {
  const shaped = async (change: Partial<Page>, name = "*", config: AuthConfig = {}) => {
    const plugin = definePlugin({
      name: "test/policy",
      setup({ hooks }) {
        hooks.page.for(name).tap("policy", (page) => ({ ...page, ...change }));
      },
    });
    const auth = createAuth({ env, logger, ...config, plugins: [plugin] });
    const response = await auth.fetch(new Request("http://localhost:3000/auth/signout"));
    return { response, policy: response.headers.get("content-security-policy") ?? "" };
  };

  it("adds sources to ours, on every page or on one", async () => {
    const change = { policy: { "img-src": "https://cdn.example", "script-src": "'self'" } };
    for (const name of ["*", "signout"]) {
      const { policy } = await shaped(change, name);
      expect(policy).toContain("img-src 'self' data: https://cdn.example;");
      expect(policy).toContain("; script-src 'self'");
      expect(policy).toContain("default-src 'none'");
    }
    expect((await shaped(change, "signin")).policy).not.toContain("cdn.example");
  });

  it("replaces 'none', which means nothing beside other sources", async () => {
    const { policy } = await shaped({ policy: { "frame-ancestors": "https://host.example" } });
    expect(policy).toContain("frame-ancestors https://host.example");
  });

  it("gives the nonce that a policy of its own lets pass", async () => {
    const { response, policy } = await shaped({ nonce: "bWluZQ==" });
    expect(policy).toContain("style-src 'nonce-bWluZQ=='");
    expect(only(parse(await response.text()), "style").nonce).toBe("bWluZQ==");
  });

  it.each([
    { policy: { "img-src": "x; script-src *" } },
    { policy: { "img-src": "x\r\nset-cookie: a=b" } },
    { policy: { "img-src;x": "'self'" } },
    { policy: { "img-src": "" } },
    { nonce: "x' *" },
  ])("is refused when it could say something else: %j", async (change) => {
    const { response, policy } = await shaped(change as Partial<Page>);
    expect(response.headers.get("location")).toContain("/auth/error?error=Configuration");
    expect(policy).toBe("");
    expect(response.headers.get("set-cookie") ?? "").not.toContain("a=b");
  });
});
