import { describe, expect, it } from "vitest";
import { credentialsFlow } from "../../plugins/flows/credentials.ts";
import { errorPage } from "../../plugins/pages/error.ts";
import { signinPage } from "../../plugins/pages/signin.ts";
import { signoutPage } from "../../plugins/pages/signout.ts";
import { verifyRequestPage } from "../../plugins/pages/verify-request.ts";
import { signoutRoute } from "../../plugins/routes/signout.ts";
import { jwtStrategy } from "../../plugins/strategies/jwt.ts";
import { createAuthWith } from "../../src/auth.ts";
import { definePlugin } from "../../src/index.ts";
import * as errors from "../../src/errors.ts";
import { all, only, parse } from "./_parse.ts";
import type { AuthConfig, CredentialInput, Plugin, Provider } from "../../src/index.ts";

const ORIGIN = "http://localhost:3000";

/** Ways in that need no network. */
const stubFlows = definePlugin({
  name: "test/flows",
  setup(kernel) {
    kernel.addFlow("oauth", {
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

function authOf(config: AuthConfig = {}, ...more: Plugin[]) {
  const plugins = [
    ...[signinPage(), signoutPage(), errorPage(), verifyRequestPage()],
    ...[stubFlows, credentialsFlow(), jwtStrategy(), signoutRoute(), ...more],
  ];
  const logger = { error() {}, warn() {} };
  return createAuthWith(
    { name: "test", plugins },
    { env: { AUTH_SECRET: "x".repeat(40) }, basePath: "/auth", trustHost: true, logger, ...config },
  );
}

async function get(path: string, config?: AuthConfig, headers: Record<string, string> = {}) {
  return authOf(config).fetch(new Request(`${ORIGIN}/auth${path}`, { headers }));
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

describe.each(["/signin", "/signout", "/error", "/verify-request"])("every page: %s", (path) => {
  const config = { providers: [github, credentials()] };

  it("carries the headers that protect it", async () => {
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

  it("has a style sheet whose braces close", async () => {
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

  it("has a nonce of its own each time", async () => {
    const [one, other] = [await page(path, config), await page(path, config)];
    expect(only(one, "style").nonce).not.toBe(only(other, "style").nonce);
  });

  it("echoes nothing of the query", async () => {
    const names = ["error", "code", "provider", "type", "token", "theme", "providers", "csrfToken"];
    const query = names.map((name) => `${name}=MARKER${encodeURIComponent('"><b>')}`).join("&");
    const { text } = await page(`${path}?${query}`, config);
    expect(text).not.toContain("MARKER");
  });

  it("is shaped by its hook", async () => {
    const shaping = definePlugin({
      name: "test/shape",
      setup(kernel) {
        kernel.hooks.page.for(path.slice(1)).tap("shape", (given) => ({
          ...given,
          heading: "Willkommen <b>",
        }));
      },
    });
    const auth = authOf(config, shaping);
    const response = await auth.fetch(new Request(`${ORIGIN}/auth${path}`));
    expect(parse(await response.text()).texts).toContain("Willkommen <b>");
  });
});

describe("sign-in page", () => {
  it("shows every way in, in order, with its token and target", async () => {
    const markup = await page("/signin?callbackUrl=/inbox%3Fa%3D1", {
      providers: [github, credentials(), gitlab],
    });
    expect(all(markup, "form").map((form) => form.action)).toEqual([
      `${ORIGIN}/auth/signin/github`,
      `${ORIGIN}/auth/callback/credentials`,
      `${ORIGIN}/auth/signin/gitlab`,
    ]);
    const inputs = all(markup, "input");
    const tokens = inputs.filter(({ name }) => name === "csrfToken");
    expect(tokens).toHaveLength(3);
    expect(tokens[0]?.value).toMatch(/^[\da-f]{64}$/);
    expect(markup.response.headers.getSetCookie().join()).toContain(`${tokens[0]?.value}`);
    const targets = inputs.filter(({ name }) => name === "callbackUrl");
    expect(targets.map(({ value }) => value)).toEqual([1, 2, 3].map(() => `${ORIGIN}/inbox?a=1`));
    // Between a form to fill in and whatever stands beside it, never between two buttons.
    expect(markup.texts.filter((text) => text === "or")).toHaveLength(2);
    expect(inputs.map(({ id }) => id)).toContain("input-username-for-credentials-provider");
  });

  it("separates forms, not buttons", async () => {
    const ors = async (...providers: Provider[]) =>
      (await page("/signin", { providers })).texts.filter((text) => text === "or").length;
    expect(await ors(github, gitlab)).toBe(0);
    expect(await ors(github, gitlab, email)).toBe(1);
    expect(await ors(email, credentials())).toBe(1);
    expect(await ors(credentials())).toBe(0);
  });

  it("sends no target along when none was given", async () => {
    const markup = await page("/signin", { providers: [github] });
    expect(all(markup, "input").map(({ name }) => name)).toEqual(["csrfToken"]);
  });

  it("remembers the target of before", async () => {
    const cookie = `authjs.callback-url=${encodeURIComponent(`${ORIGIN}/inbox`)}`;
    const markup = await page("/signin", { providers: [github] }, { cookie });
    expect(all(markup, "input").map(({ value }) => value)).toContain(`${ORIGIN}/inbox`);
  });

  it.each(["https://evil.example/x", "//evil.example", "javascript:alert(1)", "%00", "http://["])(
    "leads nowhere else: %s",
    async (target) => {
      const { response, text } = await page(`/signin?callbackUrl=${encodeURIComponent(target)}`, {
        providers: [github],
      });
      expect(response.status).toBe(200);
      expect(text).not.toMatch(/"(https?:)?\/\/evil|javascript/);
    },
  );

  it("fills in the address it was given, in e-mail fields alone", async () => {
    const providers = [
      email,
      credentials({ username: {}, email: { type: "email", value: "own" } }),
    ];
    const valuesOf = async (query: string) =>
      all(await page(`/signin?${query}`, { providers }), "input")
        .filter(({ type }) => type !== "hidden")
        .map(({ value }) => value);
    expect(await valuesOf('email=a"><b>@x.example')).toEqual([
      'a"><b>@x.example',
      undefined,
      "own",
    ]);
    for (const query of ["", "email=", "email=x", `email=${"x".repeat(254)}@x`]) {
      expect(await valuesOf(query)).toEqual([undefined, undefined, "own"]);
    }
  });

  it("says so when there is no way in", async () => {
    const dev = await page("/signin");
    expect(dev.texts.join()).toContain("providers");
    expect(all(dev, "form")).toEqual([]);
    const live = await page("/signin", {
      env: { AUTH_SECRET: "x".repeat(40), NODE_ENV: "production" },
      providers: [credentials({})],
    });
    expect(live.texts.join()).toContain("come back later");
    expect(live.texts.join()).not.toContain("configuration");
    // Nothing to post, so no token is made.
    expect(live.response.headers.getSetCookie()).toEqual([]);
  });

  describe("its message", () => {
    const messageOf = async (query: string) => {
      const markup = await page(`/signin${query}`, { providers: [github] });
      const role = all(markup, "p").find(({ id }) => id === "message")?.role;
      return role === undefined
        ? undefined
        : { role, text: markup.texts[markup.texts.indexOf("Sign in") + 1] };
    };
    const generic = { role: "alert", text: "Something went wrong. Please try again." };

    it("is absent without an error", async () => {
      expect(await messageOf("")).toBeUndefined();
      expect(await messageOf("?error=")).toBeUndefined();
    });

    const known = Object.values(errors)
      .filter((made) => made.public && (made.kind === "signIn" || made.kind === "error"))
      .map((made) => made.type);

    it.each([
      ...new Set(known),
      ...["Signin", "OAuthSignin", "OAuthCreateAccount", "EmailCreateAccount", "Callback"],
      ...["EmailSignin", "Configuration", "OAuthSignInError", "InvalidCheck"],
    ])("explains %s", async (error) => {
      const message = await messageOf(`?error=${error}`);
      expect(message?.role).toBe("alert");
      expect(message?.text).not.toBe(generic.text);
    });

    it("only informs of a page that asks for a session", async () => {
      expect((await messageOf("?error=SessionRequired"))?.role).toBe("status");
    });

    it.each(["toString", "__proto__", "constructor", "hasOwnProperty", "Nope", "<b>", "%00"])(
      "is general for %s",
      async (error) => {
        expect(await messageOf(`?error=${encodeURIComponent(error)}`)).toEqual(generic);
      },
    );
  });

  describe("of the application", () => {
    const cases: [string, string][] = [
      ["/login", `${ORIGIN}/login?`],
      ["/login?lang=de", `${ORIGIN}/login?lang=de&`],
      ["https://id.example/login", "https://id.example/login?"],
      ["https://id.example/login?a=b#top", "https://id.example/login?a=b&"],
    ];

    it.each(cases)("%s is where it leads", async (signIn, start) => {
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

    it("is told the target always, an error only when there is one", async () => {
      const target = new URL((await location("/signin", { pages: { signIn: "/login" } }))!);
      expect([...target.searchParams]).toEqual([["callbackUrl", ORIGIN]]);
    });
  });
});

describe("every error there is", () => {
  const types = [...new Set(Object.values(errors).map((made) => made.type))];
  const leftovers = [
    "Signin",
    "OAuthSignin",
    "OAuthCallback",
    "EmailSignin",
    "Default",
    "nonsense",
  ];

  it.each([...types, ...leftovers])("%s is told in a sentence, with a way on", async (error) => {
    const signin = await page(`/signin?error=${error}`, { providers: [github] });
    const { status } = signin.response;
    expect(status).toBe(200);
    const alerts = all(signin, "p").filter(({ role }) => role === "alert");
    expect(alerts).toHaveLength(1);
    expect(all(signin, "form")).toHaveLength(1);

    const shown = await page(`/error?error=${error}`);
    expect(all(shown, "p").filter(({ role }) => role === "alert")).toHaveLength(1);
    expect(all(shown, "a").map(({ href }) => href)).toContain(`${ORIGIN}/auth/signin`);
    for (const { texts } of [signin, shown]) {
      const sentences = texts.filter((text) => /^\p{Lu}.*[.?]$/u.test(text));
      expect(sentences.length, texts.join(" | ")).toBeGreaterThan(0);
      // What it is called is nothing to a visitor.
      expect(texts.join()).not.toContain(error);
    }
  });

  it("has a text of its own for each that may be shown", async () => {
    for (const made of Object.values(errors).filter((one) => one.public)) {
      const { texts } = await page(`/error?error=${made.type}`);
      expect(texts, made.type).not.toContain("Something went wrong");
    }
  });
});

describe("the ways in", () => {
  const providers = (count: number) =>
    Array.from(
      { length: count },
      (_, at) => ({ id: `p${at}`, name: `P${at}`, type: "oauth" }) as Provider,
    );

  it("are all in sight while they are few", async () => {
    const markup = await page("/signin", { providers: providers(8) });
    expect(all(markup, "details")).toEqual([]);
    expect(all(markup, "form")).toHaveLength(8);
  });

  it("are folded when they are many: one form for the rest, in order", async () => {
    const markup = await page("/signin?callbackUrl=/x", { providers: [...providers(90), email] });
    expect(markup.texts).toContain("85 more ways to sign in");
    const actions = all(markup, "form").map(({ action }) => action);
    expect(actions).toHaveLength(7);
    const folded = all(markup, "button").flatMap(({ formaction }) => formaction ?? []);
    expect(folded).toEqual(
      Array.from({ length: 85 }, (_, at) => `${ORIGIN}/auth/signin/p${at + 5}`),
    );
    expect(all(markup, "input").filter(({ name }) => name === "csrfToken")).toHaveLength(7);
    expect(markup.text.length).toBeLessThan(24_000);
  });

  it("carry their marks, drawn in the page itself", async () => {
    const markup = await page("/signin", { providers: [github, gitlab, ...providers(1)] });
    expect(all(markup, "svg")).toHaveLength(2);
    expect(all(markup, "svg").every((svg) => svg["aria-hidden"] === "true")).toBe(true);
    expect(all(markup, "path").length).toBeGreaterThan(3);
    expect(all(markup, "span").flatMap((span) => span["data-initial"] ?? [])).toEqual(["P"]);
  });
});

describe("sign-out page", () => {
  it("asks, and posts with token and target", async () => {
    const markup = await page("/signout?callbackUrl=/bye");
    expect(only(markup, "form")).toEqual({ action: `${ORIGIN}/auth/signout`, method: "post" });
    const [token, target] = all(markup, "input");
    expect(token).toMatchObject({ type: "hidden", name: "csrfToken" });
    expect(target).toMatchObject({ type: "hidden", name: "callbackUrl", value: `${ORIGIN}/bye` });
    expect(only(markup, "button").id).toBe("submitButton");
    expect(only(markup, "a").href).toBe(`${ORIGIN}/bye`);
  });

  it("posts what the route accepts", async () => {
    const auth = authOf();
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

  it("of the application is where it leads, without the query", async () => {
    const leads = (signOut: string) => location("/signout?a=b", { pages: { signOut } });
    expect(await leads("/bye?x=1")).toBe(`${ORIGIN}/bye?x=1`);
    expect(await leads("https://id.example/bye")).toBe("https://id.example/bye");
  });
});

describe("error page", () => {
  it.each([
    ["Configuration", 500],
    ["AccessDenied", 403],
    ["Verification", 403],
    ["WebAuthnVerificationError", 401],
    ["OAuthAccountNotLinked", 409],
    ["BadRequest", 400],
  ])("answers %s with %i", async (error, status) => {
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
  ])("is general for %j", async (query) => {
    const { response, ...markup } = await page(`/error${query}`);
    expect(response.status).toBe(200);
    expect(markup.texts).toContain("Something went wrong");
  });

  it("leads back to the sign-in page, whatever its own address", async () => {
    const markup = await page("/error?error=AccessDenied&x=1");
    expect(all(markup, "a").map(({ href }) => href)).toEqual([`${ORIGIN}/auth/signin`, ORIGIN]);
    expect(all(markup, "p").find(({ id }) => id === "message")?.role).toBe("alert");
  });

  it("speaks of the log to developers alone", async () => {
    const textOf = async (env: Record<string, string>) =>
      (await page("/error?error=Configuration", { env })).texts.join();
    const secret = { AUTH_SECRET: "x".repeat(40) };
    expect(await textOf(secret)).toContain("Developers");
    expect(await textOf({ ...secret, NODE_ENV: "production" })).not.toContain("Developers");
  });

  it.each([
    ["/oops", `${ORIGIN}/oops?error=a%26b%3D%0D%0A`],
    ["/oops?x=1", `${ORIGIN}/oops?x=1&error=a%26b%3D%0D%0A`],
    ["https://id.example/oops", "https://id.example/oops?error=a%26b%3D%0D%0A"],
  ])("of the application at %s is told the error, encoded", async (error, expected) => {
    expect(await location("/error?error=a%26b%3D%0d%0a", { pages: { error } })).toBe(expected);
  });

  it("of the application is told nothing when there is nothing", async () => {
    expect(await location("/error", { pages: { error: "/oops" } })).toBe(`${ORIGIN}/oops`);
  });
});

describe("verify-request page", () => {
  it("tells to look for mail", async () => {
    const markup = await page("/verify-request?provider=email&type=email");
    expect(markup.texts).toContain("Check your email");
    expect(all(markup, "a").map(({ href }) => href)).toEqual([`${ORIGIN}/auth/signin`, ORIGIN]);
  });

  it.each([
    ["/sent", `${ORIGIN}/sent?provider=email&type=email`],
    ["/sent?x=1", `${ORIGIN}/sent?x=1&provider=email&type=email`],
    ["https://id.example/sent", "https://id.example/sent?provider=email&type=email"],
  ])("of the application at %s gets the query", async (verifyRequest, expected) => {
    const target = await location("/verify-request?provider=email&type=email", {
      pages: { verifyRequest },
    });
    expect(target).toBe(expected);
  });
});

describe("a page configured at our own address", () => {
  it.each([
    ["/signin", { signIn: "/auth/signin" }],
    ["/signout", { signOut: `${ORIGIN}/auth/signout/` }],
    ["/error?error=AccessDenied", { error: "/auth/error" }],
    ["/verify-request", { verifyRequest: "/auth/verify-request?x=1" }],
  ])("%s is ours, not a circle", async (path, pages) => {
    expect((await get(path, { pages })).status).toBeLessThan(500);
    expect((await get(path, { pages })).headers.get("location")).toBeNull();
  });
});
