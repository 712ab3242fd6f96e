import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { passkeyPlugin } from "../../plugins/providers/passkey.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { createAuth, definePlugin } from "../../presets/index.ts";
import { createBrowser } from "../../src/testing/testing.ts";
import type { AuthConfig, Page, Provider } from "../../src/types.ts";
import { credentials } from "../_app.ts";
import { type Op, startOp } from "../_op.ts";
import { adapterOn } from "../adapters/_namespace.ts";
import { createOAuthApp, oauth } from "../flows/_oauth.ts";
import { createPasskeyApp } from "../flows/_passkey.ts";
import { only, parse } from "./_parse.ts";

const env = { NODE_ENV: "test", AUTH_SECRET: "x".repeat(40) };
const logger = { error() {}, warn() {} };

/** Lists the headers of a response. Values that differ each time are replaced. */
function listHeaders({ status, headers }: Response): string[] {
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

describe("response headers of built-in routes", () => {
  it("built-in routes respond with the recorded headers", async () => {
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
      seen[`GET ${path}`] = listHeaders(await browser.get(`/auth${path}`));
    };
    for (const path of ["/signin", "/signout", "/error?error=AccessDenied", "/verify-request"]) {
      await get(path);
    }
    for (const path of ["/nowhere", "/account", "/session", "/csrf", "/providers"]) await get(path);
    seen["POST /signin/mail"] = listHeaders(
      await browser.signIn("mail", { email: "ada@example.com" }),
    );
    seen["GET /callback/mail, the page that asks"] = listHeaders(await browser.get(link));
    const csrfToken = await browser.csrfToken();
    const fields = Object.fromEntries(new URL(link).searchParams);
    seen["POST /callback/mail"] = listHeaders(
      await browser.post("/auth/callback/mail", { ...fields, csrfToken }),
    );
    const renewed = { csrfToken: await browser.csrfToken() };
    seen["GET /account, signed in"] = listHeaders(await browser.get("/auth/account"));
    seen["GET /session, signed in"] = listHeaders(await browser.get("/auth/session"));
    seen["POST /session"] = listHeaders(
      await browser.post("/auth/session", { ...renewed, data: "{}" }),
    );
    for (const [what, fields] of Object.entries({
      "all other sessions": { sessions: "others" },
      "one session": { session: "unknown" },
      "a way to sign in": { provider: "mail", account: "unknown" },
    })) {
      seen[`POST /account, ${what}`] = listHeaders(
        await browser.post("/auth/account", { ...renewed, ...fields }),
      );
    }
    seen["POST /signout"] = listHeaders(await browser.signOut());
    seen["POST /signin without a token"] = listHeaders(await browser.post("/auth/signin/mail"));
    expect(seen).toMatchSnapshot();
    // Responses that contain a user, a token or a cookie must not be cached (SECURITY.md R10).
    for (const [route, lines] of Object.entries(seen)) {
      if (route !== "GET /providers") expect(lines.join(), route).toContain("no-store");
    }
  });
});

describe("response headers of OAuth routes", () => {
  let op: Op;
  beforeAll(async () => {
    op = await startOp();
  });
  afterAll(() => op.close());

  it("OAuth routes respond with the recorded headers", async () => {
    const app = createOAuthApp(op, [oauth(op)], {
      errors: "allowed",
      adapter: adapterOn(memoryBackend()),
    });
    const seen: Record<string, string[]> = {};
    const start = async (name: string) => {
      const response = await app.browser.signIn("op");
      seen[name] = listHeaders(response);
      return response.headers.get("location") ?? "";
    };
    const back = await op.authorize(await start("POST /signin/op"));
    seen["GET /callback/op"] = listHeaders(await app.finishSignIn(back));
    expect(await app.browser.session()).not.toBe(null);
    seen["GET /callback/op, a second time"] = listHeaders(await app.finishSignIn(back));
    const state = new URL(await start("POST /signin/op, signed in")).searchParams.get("state");
    const query = new URLSearchParams({ error: "access_denied", ...(state && { state }) });
    seen["GET /callback/op, refused there"] = listHeaders(
      await app.browser.get(`/auth/callback/op?${query}`),
    );
    expect(seen).toMatchSnapshot();
    for (const [route, lines] of Object.entries(seen)) {
      expect(lines.join(), route).toContain("no-store");
    }
  });
});

describe("response headers of passkey routes", () => {
  it("passkey routes respond with the recorded headers", async () => {
    const auth = createAuth({
      env,
      logger,
      adapter: adapterOn(memoryBackend()),
      experimental: { enableWebAuthn: true },
    }).use(passkeyPlugin());
    const browser = createBrowser(auth.fetch);
    const seen: Record<string, string[]> = {};
    const page = await browser.get("/auth/signin");
    seen["GET /signin"] = listHeaders(page);
    const [, script = ""] = /src="[^"]*(\/auth\/passkey-[^"]+)"/.exec(await page.text()) ?? [];
    seen["GET /passkey-<hash>.js"] = listHeaders(await browser.get(script));
    const options = "/auth/webauthn-options/passkey";
    seen["GET /webauthn-options/passkey"] = listHeaders(await browser.get(options));
    seen["GET /webauthn-options/passkey, refused"] = listHeaders(
      await browser.get(`${options}?action=x`),
    );
    const fields = { csrfToken: await browser.csrfToken(), action: "authenticate", data: "{}" };
    seen["POST /callback/passkey"] = listHeaders(
      await browser.post("/auth/callback/passkey", fields),
    );
    seen["POST /passkeys without a token"] = listHeaders(await browser.post("/auth/passkeys"));
    const app = createPasskeyApp();
    await app.register();
    const account = await (await app.browser.get("/auth/account")).text();
    const [, passkey = ""] = /name="passkey" value="([^"]+)"/.exec(account) ?? [];
    expect(passkey).not.toBe("");
    const csrf = { csrfToken: await app.browser.csrfToken() };
    for (const [what, id] of Object.entries({ unknown: "unknown", "the last way": passkey })) {
      seen[`POST /passkeys, ${what}`] = listHeaders(
        await app.browser.post("/auth/passkeys", { ...csrf, passkey: id }),
      );
    }
    expect(seen).toMatchSnapshot();
  });
});

describe("where the forms of pages may redirect", () => {
  const getFormAction = async (config: AuthConfig) => {
    const auth = createAuth({ env, logger, ...config });
    const response = await auth.fetch(new Request("http://localhost:3000/auth/signin"));
    return /form-action ([^;]*)/.exec(response.headers.get("content-security-policy") ?? "")?.[1];
  };
  const abroad = {
    id: "abroad",
    name: "Abroad",
    type: "oauth",
    clientId: "x",
    clientSecret: "x",
    authorization: "https://id.example/authorize",
    token: "https://id.example/token",
    userinfo: "https://id.example/userinfo",
  };

  it.each([
    ["no provider", {}],
    ["credentials", { providers: [credentials()] }],
    ["a page of the application", { pages: { error: "/oops" } }],
  ] as [string, AuthConfig][])("only to the own origin with %s", async (_, config) => {
    expect(await getFormAction(config)).toBe("'self'");
  });

  it.each([
    ["an identity provider", { providers: [abroad] }],
    ["a `redirect` callback", { callbacks: { redirect: ({ url }) => url } }],
    ["a page of another origin", { pages: { error: "https://www.example/oops" } }],
  ] as [string, AuthConfig][])("also to other origins with %s", async (_, config) => {
    expect(await getFormAction(config)).toBe("'self' https: http:");
  });
});

describe("content security policy of a page hook", () => {
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

  it("`policy` adds sources to the default policy, on every page or on one", async () => {
    const change = { policy: { "img-src": "https://cdn.example", "script-src": "'self'" } };
    for (const name of ["*", "signout"]) {
      const { policy } = await shaped(change, name);
      expect(policy).toContain("img-src 'self' https://cdn.example;");
      expect(policy).toContain("; script-src 'self'");
      expect(policy).toContain("default-src 'none'");
    }
    expect((await shaped(change, "signin")).policy).not.toContain("cdn.example");
  });

  it("`policy` may contain every character of a source, and a directive of one word", async () => {
    const source = "'nonce-aB+/0==' https://*.cdn_1.example:8080/a~b%20?x=1&y=!$(@)[z]";
    const { policy } = await shaped({ policy: { "font-src": source, sandbox: "allow-forms" } });
    expect(policy).toContain(`; font-src ${source}; sandbox allow-forms`);
  });

  it("`policy` replaces 'none', which is invalid next to other sources", async () => {
    const { policy } = await shaped({ policy: { "frame-ancestors": "https://host.example" } });
    expect(policy).toContain("frame-ancestors https://host.example");
  });

  it("`nonce` sets the nonce of the policy and of the style element", async () => {
    const { response, policy } = await shaped({ nonce: "bWluZQ==" });
    expect(policy).toContain("style-src 'nonce-bWluZQ=='");
    expect(only(parse(await response.text()), "style").nonce).toBe("bWluZQ==");
  });

  it.each([
    { policy: { "img-src": "x; script-src *" } },
    { policy: { "img-src": "x\r\nset-cookie: a=b" } },
    { policy: { "img-src;x": "'self'" } },
    { policy: { "img-src": "" } },
    { policy: { "img-src": "x, y" } },
    { policy: { "-src": "x" } },
    { policy: { "img-": "x" } },
    { policy: { "Img-src": "x" } },
    { nonce: "x' *" },
  ])("refuses a policy or nonce that could inject directives or headers: %j", async (change) => {
    const { response, policy } = await shaped(change as Partial<Page>);
    expect(response.headers.get("location")).toContain("/auth/error?error=Configuration");
    expect(policy).toBe("");
    expect(response.headers.get("set-cookie") ?? "").not.toContain("a=b");
  });
});
