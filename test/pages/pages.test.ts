import { describe, expect, it } from "vitest";
import { credentialsFlow } from "../../plugins/flows/credentials.ts";
import { addErrors as addEmailErrors } from "../../plugins/flows/email/errors.ts";
import { addErrors as addOAuthErrors } from "../../plugins/flows/oauth/errors.ts";
import { addErrors as addWebAuthnErrors } from "../../plugins/flows/webauthn/errors.ts";
import { errorPage } from "../../plugins/pages/error.ts";
import { signinPage } from "../../plugins/pages/signin.ts";
import { signoutPage } from "../../plugins/pages/signout.ts";
import { verifyRequestPage } from "../../plugins/pages/verify-request.ts";
import { signoutRoute } from "../../plugins/routes/signout.ts";
import { jwtStrategy } from "../../plugins/strategies/jwt.ts";
import { standardPreset } from "../../presets/standard.ts";
import { defineError } from "../../src/errors/auth-error.ts";
import * as errors from "../../src/errors/errors.ts";
import { definePlugin, definePreset } from "../../src/kernel.ts";
import type { AuthConfig, CredentialInput, Plugin, Provider } from "../../src/kernel.ts";
import { SECTION_STYLE, STYLE } from "../../src/page/style.ts";
import { createTestAuth, ORIGIN } from "../_app.ts";
import { all, only, parse } from "./_parse.ts";

/** Sign-in methods that need no network. */
const stubFlows = definePlugin({
  name: "test/flows",
  setup(kernel) {
    for (const addErrors of [addOAuthErrors, addEmailErrors, addWebAuthnErrors]) addErrors(kernel);
    kernel.addFlow("oauth", {
      finish: () => new Response(),
      form: ({ id, name, signinUrl, style }) => ({
        kind: "form",
        provider: id,
        form: {
          action: signinUrl,
          submit: `Sign in with ${name}`,
          ...(style?.brandColor && { color: style.brandColor }),
        },
      }),
    });
    kernel.addFlow("email", {
      finish: () => new Response(),
      form: ({ id, name, signinUrl }) => ({
        kind: "form",
        provider: id,
        form: {
          action: signinUrl,
          fields: [
            { name: "email", type: "email", label: "Email", attributes: { required: true } },
          ],
          submit: `Sign in with ${name}`,
        },
      }),
    });
  },
});

const github = { id: "github", name: "GitHub", type: "oauth" } as Provider;
const gitlab = { id: "gitlab", name: "GitLab", type: "oauth" } as Provider;
const email = { id: "email", name: "Email", type: "email" } as Provider;
const credentials = (fields: Record<string, CredentialInput> = { username: {} }): Provider => ({
  id: "credentials",
  name: "Credentials",
  type: "credentials",
  credentials: fields,
  authorize: () => null,
});

const preset = definePreset({
  name: "test",
  plugins: [
    ...[signinPage(), signoutPage(), errorPage(), verifyRequestPage()],
    ...[stubFlows, credentialsFlow(), jwtStrategy(), signoutRoute()],
  ],
});

function createPagesAuth(config: AuthConfig = {}, ...plugins: Plugin[]) {
  const trusted = { basePath: "/auth", trustHost: true, providers: [] };
  return createTestAuth({ preset, use: plugins, errors: "allowed", ...trusted, ...config }).auth;
}

async function get(path: string, config?: AuthConfig, headers: Record<string, string> = {}) {
  return createPagesAuth(config).fetch(new Request(`${ORIGIN}/auth${path}`, { headers }));
}

async function page(path: string, config?: AuthConfig, headers?: Record<string, string>) {
  const response = await get(path, config, headers);
  const text = await response.text();
  return { response, text, ...parse(text) };
}

async function location(path: string, config?: AuthConfig, headers?: Record<string, string>) {
  const response = await get(path, config, headers);
  expect(response.status).toBe(302);
  return response.headers.get("location");
}

describe.each(["/signin", "/signout", "/error", "/verify-request"])("page %s", (path) => {
  const config = { providers: [github, credentials()] };

  it(`${path}: has the security headers`, async () => {
    const { response, ...markup } = await page(path, config);
    const policy = response.headers.get("content-security-policy");
    const { nonce } = only(markup, "style");
    expect(nonce).toMatch(/^[\w-]{22}$/);
    expect(policy).toContain(`style-src 'nonce-${nonce}'`);
    expect(policy).toContain("frame-ancestors 'none'");
    expect(response.headers.get("content-type")).toBe("text/html; charset=utf-8");
    expect(response.headers.get("cache-control")).toBe("private, no-store");
    expect(response.headers.get("referrer-policy")).toBe("same-origin");
  });

  it(`${path}: the braces of the style sheet are balanced`, async () => {
    for (const theme of [{}, { brandColor: "#0a7d5a" }, { brandColor: "tomato" }] as const) {
      const { style } = await page(path, { ...config, theme });
      let depth = 0;
      for (const [brace] of style.matchAll(/[{}]/g)) {
        depth += brace === "{" ? 1 : -1;
        expect(depth).toBeGreaterThanOrEqual(0);
      }
      expect(depth).toBe(0);
    }
  });

  it(`${path}: has a new nonce for each response`, async () => {
    const [one, other] = [await page(path, config), await page(path, config)];
    expect(only(one, "style").nonce).not.toBe(only(other, "style").nonce);
  });

  it(`${path}: does not echo query parameters`, async () => {
    const names = ["error", "code", "provider", "type", "token", "theme", "providers", "csrfToken"];
    const query = names.map((name) => `${name}=MARKER${encodeURIComponent('"><b>')}`).join("&");
    const { text } = await page(`${path}?${query}`, config);
    expect(text).not.toContain("MARKER");
  });

  it(`${path}: the page hook can change the heading`, async () => {
    const shaping = definePlugin({
      name: "test/shape",
      setup(kernel) {
        kernel.hooks.page.for(path.slice(1)).tap("shape", (given) => ({
          ...given,
          heading: "Willkommen <b>",
        }));
      },
    });
    const auth = createPagesAuth(config, shaping);
    const response = await auth.fetch(new Request(`${ORIGIN}/auth${path}`));
    expect(parse(await response.text()).texts).toContain("Willkommen <b>");
  });
});

describe("built-in sign-in page", () => {
  it("the sign-in page shows every sign-in method in order, with CSRF token and callback URL", async () => {
    const markup = await page("/signin?callbackUrl=/inbox%3Fa%3D1", {
      providers: [github, credentials(), gitlab],
    });
    expect(all(markup, "form").map((form) => form.action)).toEqual([
      `${ORIGIN}/auth/signin/github`,
      `${ORIGIN}/auth/signin/gitlab`,
      // Forms with fields come after methods that need one press.
      `${ORIGIN}/auth/callback/credentials`,
    ]);
    const inputs = all(markup, "input");
    const tokens = inputs.filter(({ name }) => name === "csrfToken");
    expect(tokens).toHaveLength(3);
    expect(tokens[0]?.value).toMatch(/^[\da-f]{64}$/);
    expect(markup.response.headers.getSetCookie().join()).toContain(`${tokens[0]?.value}`);
    const targets = inputs.filter(({ name }) => name === "callbackUrl");
    expect(targets.map(({ value }) => value)).toEqual([1, 2, 3].map(() => `${ORIGIN}/inbox?a=1`));
    // Separators are rendered next to forms with fields, never between two buttons.
    expect(markup.texts.filter((text) => text === "or")).toHaveLength(1);
    expect(inputs.map(({ id }) => id)).toContain("input-username-for-credentials-provider");
  });

  it("separators are rendered next to forms, not between buttons", async () => {
    const ors = async (...providers: Provider[]) =>
      (await page("/signin", { providers })).texts.filter((text) => text === "or").length;
    expect(await ors(github, gitlab)).toBe(0);
    expect(await ors(github, gitlab, email)).toBe(1);
    expect(await ors(email, credentials())).toBe(1);
    expect(await ors(credentials())).toBe(0);
  });

  it("the sign-in form contains no callback URL when none was given", async () => {
    const markup = await page("/signin", { providers: [github] });
    expect(all(markup, "input").map(({ name }) => name)).toEqual(["csrfToken"]);
  });

  it("the sign-in form contains the callback URL from the cookie", async () => {
    const cookie = `authjs.callback-url=${encodeURIComponent(`${ORIGIN}/inbox`)}`;
    const markup = await page("/signin", { providers: [github] }, { cookie });
    expect(all(markup, "input").map(({ value }) => value)).toContain(`${ORIGIN}/inbox`);
  });

  it.each(["https://evil.example/x", "//evil.example", "javascript:alert(1)", "%00", "http://["])(
    "the sign-in page does not accept the callback URL %s",
    async (target) => {
      const { response, text } = await page(`/signin?callbackUrl=${encodeURIComponent(target)}`, {
        providers: [github],
      });
      expect(response.status).toBe(200);
      expect(text).not.toMatch(/"(https?:)?\/\/evil|javascript/);
    },
  );

  it("only e-mail fields are prefilled, with the address from the query", async () => {
    const providers = [
      email,
      credentials({ username: {}, email: { type: "email", value: "own" } }),
    ];
    const listValues = async (query: string) =>
      all(await page(`/signin?${query}`, { providers }), "input")
        .filter(({ type }) => type !== "hidden")
        .map(({ value }) => value);
    expect(await listValues('email=a"><b>@x.example')).toEqual([
      'a"><b>@x.example',
      undefined,
      "own",
    ]);
    for (const query of ["", "email=", "email=x", `email=${"x".repeat(254)}@x`]) {
      expect(await listValues(query)).toEqual([undefined, undefined, "own"]);
    }
  });

  it("a form with hidden fields and a second button keeps them, next to the callback URL and the address", async () => {
    const fields = [{ name: "address", type: "email" }];
    const other = { name: "action", value: "register", submit: "Register", fields };
    const flow = definePlugin({
      name: "test/two-buttons",
      setup(kernel) {
        kernel.addFlow("two-buttons" as never, {
          finish: () => new Response(),
          form: ({ id, signinUrl: action }) => ({
            kind: "form",
            provider: id,
            form: { action, submit: "Go", hidden: { step: "1" }, other },
          }),
        });
      },
    });
    const provider = { id: "two", name: "Two", type: "two-buttons" } as unknown as Provider;
    const path = "/signin?callbackUrl=/inbox&email=ada@example.com";
    const markup = await page(path, { providers: [provider], plugins: [flow] });
    const inputs = all(markup, "input").map(({ name, value }) => [name, value]);
    expect(markup.texts).toContain("Register");
    expect(inputs).toContainEqual(["step", "1"]);
    expect(inputs).toContainEqual(["callbackUrl", `${ORIGIN}/inbox`]);
    expect(inputs).toContainEqual(["address", "ada@example.com"]);
  });

  it("sign-in forms post to the host that shows the page", async () => {
    const auth = createPagesAuth({ providers: [github] });
    const show = async (origin: string) =>
      only(parse(await (await auth.fetch(new Request(`${origin}/auth/signin`))).text()), "form");
    for (const origin of [ORIGIN, "https://other.example"])
      expect((await show(origin)).action).toBe(`${origin}/auth/signin/github`);
  });

  it("shows a message when there are no sign-in methods", async () => {
    const dev = await page("/signin");
    expect(dev.texts.join()).toContain("providers");
    expect(all(dev, "form")).toEqual([]);
    const live = await page("/signin", {
      env: { AUTH_SECRET: "x".repeat(40), NODE_ENV: "production" },
      providers: [credentials({})],
    });
    expect(live.texts.join()).toContain("isn’t available yet");
    expect(live.texts.join()).not.toContain("configuration");
    const flow = definePlugin({
      name: "test/finish-only",
      setup: (kernel) => kernel.addFlow("finish-only" as never, { finish: () => new Response() }),
    });
    const provider = { id: "api", name: "API", type: "finish-only" } as unknown as Provider;
    const noStart = await page("/signin", { providers: [provider], plugins: [flow] });
    expect(noStart.texts).toEqual(dev.texts);
    // Nothing can be submitted, so no token is created.
    expect(live.response.headers.getSetCookie()).toEqual([]);
  });

  describe("error message on the sign-in page", () => {
    const getMessage = async (query: string) => {
      const markup = await page(`/signin${query}`, { providers: [github] });
      const role = all(markup, "p").find(({ id }) => id === "message")?.role;
      return role === undefined
        ? undefined
        : { role, text: markup.texts[markup.texts.lastIndexOf("Sign in") + 1] };
    };
    const generic = { role: "alert", text: "Something went wrong. Try again." };

    it("the sign-in page shows no message without an error", async () => {
      expect(await getMessage("")).toBeUndefined();
      expect(await getMessage("?error=")).toBeUndefined();
    });

    const known = Object.values(errors)
      .filter((made) => made.public && (made.kind === "signIn" || made.kind === "error"))
      .filter((made) => made !== errors.LastSignInMethod)
      .map((made) => made.type);

    it.each([
      ...new Set(known),
      ...["Signin", "OAuthSignin", "OAuthCreateAccount", "EmailCreateAccount", "Callback"],
      ...["EmailSignin", "Configuration", "OAuthSignInError", "InvalidCheck"],
    ])("the sign-in page explains the error %s", async (error) => {
      const message = await getMessage(`?error=${error}`);
      expect(message?.role).toBe(error.endsWith("SessionRequired") ? "status" : "alert");
      expect(message?.text).not.toBe(generic.text);
    });

    it("SessionRequired is a status, not an alert", async () => {
      expect((await getMessage("?error=SessionRequired"))?.role).toBe("status");
    });

    it.each(["toString", "__proto__", "constructor", "hasOwnProperty", "Nope", "<b>", "%00"])(
      "the sign-in page shows the general message for %s",
      async (error) => {
        expect(await getMessage(`?error=${encodeURIComponent(error)}`)).toEqual(generic);
      },
    );
  });

  describe("pages.signIn", () => {
    const cases: [string, string][] = [
      ["/login", `${ORIGIN}/login?`],
      ["/login?lang=de", `${ORIGIN}/login?lang=de&`],
      ["https://id.example/login", "https://id.example/login?"],
      ["https://id.example/login?a=b#top", "https://id.example/login?a=b&"],
    ];

    it.each(cases)("GET /signin redirects to pages.signIn %s", async (signIn, start) => {
      const target = await location("/signin?error=A%26b&code=c%3D1&callbackUrl=/x&other=1", {
        pages: { signIn },
      });
      expect(target?.startsWith(start)).toBe(true);
      const { searchParams, hash } = new URL(target!);
      expect(searchParams.get("callbackUrl")).toBe(`${ORIGIN}/x`);
      expect(searchParams.get("error")).toBe("A&b");
      expect(searchParams.get("code")).toBe("c=1");
      expect(searchParams.has("other")).toBe(false);
      expect(hash).toBe(signIn.includes("#") ? "#top" : "");
    });

    it("the redirect to pages.signIn always contains the callback URL, and an error only if there is one", async () => {
      const target = new URL((await location("/signin", { pages: { signIn: "/login" } }))!);
      expect([...target.searchParams]).toEqual([["callbackUrl", ORIGIN]]);
    });
  });
});

describe("errors on the pages", () => {
  const types = [...new Set(Object.values(errors).map((made) => made.type))];
  const leftovers = [
    "Signin",
    "OAuthSignin",
    "OAuthCallback",
    "EmailSignin",
    "Default",
    "nonsense",
  ];

  it.each([...types, ...leftovers])(
    "the error %s is explained in a sentence with a next step",
    async (error) => {
      const signin = await page(`/signin?error=${error}`, { providers: [github] });
      const { status } = signin.response;
      expect(status).toBe(200);
      const role = error.endsWith("SessionRequired") ? "status" : "alert";
      const messages = all(signin, "p").filter((one) => one.role === role);
      expect(messages).toHaveLength(1);
      expect(all(signin, "form")).toHaveLength(1);

      const shown = await page(`/error?error=${error}`);
      expect(all(shown, "p").filter(({ role }) => role === "alert")).toHaveLength(1);
      expect(all(shown, "a").map(({ href }) => href)).toContain(`${ORIGIN}/auth/signin`);
      for (const { texts } of [signin, shown]) {
        const sentences = texts.filter((text) => /^\p{Lu}.*[.?]$/u.test(text));
        expect(sentences.length, texts.join(" | ")).toBeGreaterThan(0);
        // The error's name means nothing to a visitor.
        expect(texts.join()).not.toContain(error);
      }
    },
  );

  it("every public error has its own text", async () => {
    for (const made of Object.values(errors).filter((one) => one.public)) {
      // Only scripts receive it.
      if (made === errors.LastSignInMethod) continue;
      const { texts } = await page(`/error?error=${made.type}`);
      expect(texts, made.type).not.toContain("Something went wrong");
    }
  });
});

describe("list of sign-in methods", () => {
  const providers = (count: number) =>
    Array.from(
      { length: count },
      (_, at) => ({ id: `p${at}`, name: `P${at}`, type: "oauth" }) as Provider,
    );

  it("up to eight sign-in methods are all visible", async () => {
    const markup = await page("/signin", { providers: providers(8) });
    expect(all(markup, "details")).toEqual([]);
    expect(all(markup, "form")).toHaveLength(8);
  });

  it("many sign-in methods are collapsed into one form, in order", async () => {
    const markup = await page("/signin?callbackUrl=/x", { providers: [...providers(90), email] });
    expect(markup.texts).toContain("Show 85 more");
    const actions = all(markup, "form").map(({ action }) => action);
    expect(actions).toHaveLength(7);
    const folded = all(markup, "button").flatMap(({ formaction }) => formaction ?? []);
    expect(folded).toEqual(
      Array.from({ length: 85 }, (_, at) => `${ORIGIN}/auth/signin/p${at + 5}`),
    );
    expect(all(markup, "input").filter(({ name }) => name === "csrfToken")).toHaveLength(7);
    expect(markup.text.length).toBeLessThan(24_000);
  });

  it("sign-in methods have inline icons", async () => {
    const markup = await page("/signin", { providers: [github, gitlab, ...providers(1)] });
    expect(all(markup, "svg")).toHaveLength(2);
    expect(all(markup, "svg").every((svg) => svg["aria-hidden"] === "true")).toBe(true);
    expect(all(markup, "path").length).toBeGreaterThan(3);
    expect(all(markup, "span").flatMap((span) => span["data-initial"] ?? [])).toEqual(["P"]);
  });
});

describe("built-in sign-out page", () => {
  it("the sign-out page posts with CSRF token and callback URL", async () => {
    const markup = await page("/signout?callbackUrl=/bye");
    expect(only(markup, "form")).toEqual({ action: `${ORIGIN}/auth/signout`, method: "post" });
    const inputs = all(markup, "input").map(({ type, name }) => `${type} ${name}`);
    expect(inputs.toSorted()).toEqual(["hidden callbackUrl", "hidden csrfToken"]);
    expect(all(markup, "input").map(({ value }) => value)).toContain(`${ORIGIN}/bye`);
    expect(only(markup, "button").id).toBe("submitButton");
    expect(only(markup, "a").href).toBe(`${ORIGIN}/bye`);
  });

  it("the sign-out route accepts the form of the sign-out page", async () => {
    const auth = createPagesAuth();
    const shown = await auth.fetch(new Request(`${ORIGIN}/auth/signout`));
    const cookie = shown.headers
      .getSetCookie()
      .map((line) => line.split(";")[0])
      .join("; ");
    const inputs = all(parse(await shown.text()), "input");
    const body = new URLSearchParams(inputs.map(({ name, value }) => [name!, value!]));
    const headers = { cookie, origin: ORIGIN };
    const request = new Request(`${ORIGIN}/auth/signout`, { method: "POST", body, headers });
    const response = await auth.fetch(request);
    expect(response.status).toBe(302);
    expect(response.headers.get("location")).not.toContain("error");
  });

  it("GET /signout redirects to pages.signOut without the query", async () => {
    const leads = (signOut: string) => location("/signout?a=b", { pages: { signOut } });
    expect(await leads("/bye?x=1")).toBe(`${ORIGIN}/bye?x=1`);
    expect(await leads("https://id.example/bye")).toBe("https://id.example/bye");
  });
});

describe("built-in error page", () => {
  it.each([
    ["Configuration", 500],
    ["AccessDenied", 403],
    ["Verification", 403],
    ["WebAuthnVerificationError", 401],
    ["OAuthAccountNotLinked", 409],
    ["BadRequest", 400],
  ])("the error page for %s has status %i", async (error, status) => {
    const { response, texts } = await page(`/error?error=${error}`);
    expect(response.status).toBe(status);
    expect(texts).not.toContain("Something went wrong");
  });

  it.each([
    "",
    "?error=",
    "?error=Default",
    "?error=toString",
    "?error=__proto__",
    "?error=%0d%0a",
  ])("the error page shows the general message for %j", async (query) => {
    const { response, ...markup } = await page(`/error${query}`);
    expect(response.status).toBe(200);
    expect(markup.texts).toContain("Something went wrong");
  });

  it("an error of a plugin has its status, and the plugin's text for it", async () => {
    const TeamFull = defineError("TeamFull", errors.AuthError, 409, "public");
    const messages = { en: "The team is full.", de: "Das Team ist voll." };
    const { browser } = createTestAuth({
      preset: standardPreset,
      providers: [],
      use: [{ name: "teams", setup: (kernel) => kernel.addError(TeamFull, { messages }) }],
    });
    const response = await browser.get("/auth/error?error=TeamFull");
    const markup = parse(await response.text());
    expect(response.status).toBe(409);
    expect(markup.texts).toContain("The team is full.");
    expect(markup.texts).toContain("Try again");
    expect(markup.texts.join(" ")).not.toMatch(/signing you in|error\./);
  });

  it("the error page links to the sign-in page with any query", async () => {
    const markup = await page("/error?error=AccessDenied&x=1");
    expect(all(markup, "a").map(({ href }) => href)).toEqual([`${ORIGIN}/auth/signin`, ORIGIN]);
    expect(all(markup, "p").find(({ id }) => id === "message")?.role).toBe("alert");
  });

  it("the error page mentions the log only in development", async () => {
    const getText = async (env: Record<string, string>) =>
      (await page("/error?error=Configuration", { env })).texts.join();
    const secret = { AUTH_SECRET: "x".repeat(40) };
    expect(await getText({ ...secret, NODE_ENV: "development" })).toContain("Developers");
    expect(await getText({ ...secret, NODE_ENV: "production" })).not.toContain("Developers");
  });

  it.each([
    ["/oops", `${ORIGIN}/oops?error=a%26b%3D%0D%0A`],
    ["/oops?x=1", `${ORIGIN}/oops?x=1&error=a%26b%3D%0D%0A`],
    ["https://id.example/oops", "https://id.example/oops?error=a%26b%3D%0D%0A"],
  ])("GET /error redirects to pages.error %s with the encoded error", async (error, expected) => {
    expect(await location("/error?error=a%26b%3D%0d%0a", { pages: { error } })).toBe(expected);
  });

  it("GET /error redirects to pages.error without a query when there is no error", async () => {
    expect(await location("/error", { pages: { error: "/oops" } })).toBe(`${ORIGIN}/oops`);
  });
});

describe("built-in verify-request page", () => {
  it("the verify-request page asks the visitor to check their e-mail", async () => {
    const markup = await page("/verify-request?provider=email&type=email");
    expect(markup.texts).toContain("Check your email");
    expect(all(markup, "a").map(({ href }) => href)).toEqual([`${ORIGIN}/auth/signin`, ORIGIN]);
  });

  it.each([
    ["/sent", `${ORIGIN}/sent?provider=email&type=email`],
    ["/sent?x=1", `${ORIGIN}/sent?x=1&provider=email&type=email`],
    ["https://id.example/sent", "https://id.example/sent?provider=email&type=email"],
  ])(
    "GET /verify-request redirects to pages.verifyRequest %s with the query",
    async (verifyRequest, expected) => {
      const target = await location("/verify-request?provider=email&type=email", {
        pages: { verifyRequest },
      });
      expect(target).toBe(expected);
    },
  );
});

describe("pages configured at their built-in path", () => {
  it.each([
    ["/signin", { signIn: "/auth/signin" }],
    ["/signout", { signOut: `${ORIGIN}/auth/signout/` }],
    ["/error?error=AccessDenied", { error: "/auth/error" }],
    ["/verify-request", { verifyRequest: "/auth/verify-request?x=1" }],
  ])("%s configured as its own page does not redirect to itself", async (path, pages) => {
    expect((await get(path, { pages })).status).toBeLessThan(500);
    expect((await get(path, { pages })).headers.get("location")).toBeNull();
  });

  it("a page with the same path on another host gets the redirect", async () => {
    const signIn = "https://accounts.example/auth/signin";
    expect(await location("/signin", { pages: { signIn } })).toContain(signIn);
  });
});

it("a medium weight is 500, because a font without it draws more than that in bold in Firefox", () => {
  const styles = [...Object.values(STYLE), SECTION_STYLE].join("");
  const weights = [...styles.matchAll(/font-weight:(\d+)/g)].map(([, weight]) => Number(weight));
  expect(weights).toContain(500);
  expect(weights.filter((weight) => weight > 500 && weight < 550)).toEqual([]);
});
