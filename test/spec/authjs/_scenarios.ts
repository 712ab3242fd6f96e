import { type Application, openOwn, sealOwn } from "./_application.ts";
import type { Scenario, Step } from "./_run.ts";

type Fields = Record<string, unknown>;

interface Params {
  token?: Fields;
  account?: Fields;
  user?: Fields;
  session: Fields & { user: object };
  trigger?: string;
}

const RETURN = { "x-auth-return-redirect": "1" };
const LOVELACE = { username: "ada", password: "lovelace" };

const signIn = (id: string, fields = {}): readonly Step[] => [
  ["post", `signin/${id}`, fields],
  ["consent"],
];
const READ: Step = ["get", "session"];
const OUT: Step = ["post", "signout"];

const apps: Record<string, Application> = {
  jwt: { strategy: "jwt" },
  stored: { strategy: "stored" },
  database: { strategy: "database" },
};
const https = { origin: "https://app.example" };

const routes: readonly Step[] = [
  READ,
  ["get", "csrf"],
  ["get", "providers"],
  ["get", "signin"],
  ["get", "signin?callbackUrl=/x&error=OAuthAccountNotLinked"],
  ["get", "signin/op"],
  ["get", "signin/none"],
  ["get", "signout"],
  ["get", "error"],
  ["get", "error?error=AccessDenied"],
  ["get", "error?error=Verification"],
  ["get", "error?error=Configuration"],
  ["get", "error?error=Whatever"],
  ["get", "verify-request?provider=mail&type=email"],
  ["get", "callback"],
  ["get", "callback/op"],
  ["get", "callback/github"],
  ["get", "callback/credentials"],
  ["get", "callback/none"],
  ["get", "nothing"],
  ["get", "session/op"],
  ["get", "session/"],
  ["get", "Session"],
  ["send", "HEAD", "session"],
  ["send", "OPTIONS", "session"],
  ["send", "PUT", "session"],
  ["send", "DELETE", "signout"],
  ["send", "POST", "session"],
  ["send", "POST", "session", "{", { "content-type": "application/json" }],
  ["send", "POST", "session", "{}", { "content-type": "application/json" }],
  ["send", "POST", "signout", "a=b", { "content-type": "application/x-www-form-urlencoded" }],
  ["send", "POST", "signin/op", "a=b", { "content-type": "application/x-www-form-urlencoded" }],
  ["send", "POST", "signin/op", "a=b", { "content-type": "text/plain" }],
  ["post", "signin/op", { csrfToken: "wrong" }],
  ["post", "signin/op", { csrfToken: "wrong" }, RETURN],
  ["post", "signout", { csrfToken: "wrong" }],
  ["post", "signout", { csrfToken: "wrong" }, RETURN],
  ["post", "session", { csrfToken: "wrong" }],
  ["post", "callback/credentials", { csrfToken: "wrong", ...LOVELACE }],
  ["post", "callback/credentials", { csrfToken: "wrong", ...LOVELACE }, RETURN],
  ["post", "csrf"],
  ["post", "providers"],
  ["post", "error"],
  ["post", "verify-request"],
  ["post", "callback"],
  ["post", "callback/none"],
  ["post", "signin"],
  ["post", "signin", {}, RETURN],
  ["post", "signin/none"],
  ["post", "signin/none", {}, RETURN],
  ["post", "signin/credentials"],
  ["post", "signin/undefined"],
  ["post", "signout"],
  ["post", "signout", {}, RETURN],
  ["json", "signout", {}],
  ["json", "signout", { callbackUrl: "/bye" }, RETURN],
  ["json", "session", { data: { name: "x" } }],
];

const TARGETS = [
  "",
  "/inside",
  "/inside?a=b&c=%20d#e",
  "http://localhost:3000/inside",
  "http://localhost:3000",
  "https://localhost:3000/other-scheme",
  "http://localhost:4000/other-port",
  "https://evil.example/x",
  "//evil.example/x",
  "/\\evil.example",
  "javascript:alert(1)",
  "inside",
  "http://LOCALHOST:3000/Case",
  "/a/../b",
  "/%2F%2Fevil.example",
  "/ü?ö=ä",
  "/white space",
  "http://localhost:3000@evil.example/",
  "?query",
  "#hash",
];

const targets: readonly Step[] = TARGETS.flatMap((target): Step[] => [
  ["post", "signout", { callbackUrl: target }, RETURN],
  ["post", `callback/credentials`, { ...LOVELACE, callbackUrl: target }],
  ["get", `signin?callbackUrl=${encodeURIComponent(target)}`],
  ["get", `session?callbackUrl=${encodeURIComponent(target)}`],
]);

const flows = Object.entries(apps).flatMap(([kind, app]): Scenario[] => [
  { name: `routes (${kind})`, app, steps: routes },
  {
    name: `github (${kind})`,
    app,
    steps: [...signIn("github", { callbackUrl: "/home" }), READ, READ, OUT, READ],
  },
  {
    name: `oidc (${kind})`,
    app,
    steps: [
      ...signIn("op", { callbackUrl: "/home" }),
      READ,
      ["wait", 3600],
      READ,
      ["wait", 90_000],
      READ,
      ["json", "session", { data: { user: { name: "Countess" } } }],
      READ,
      ["post", "session", { data: "text" }],
      ["wait", 40 * 86_400],
      READ,
      OUT,
    ],
  },
  {
    name: `credentials (${kind})`,
    app,
    steps: [
      ["post", "callback/credentials", { username: "ada", password: "wrong" }],
      ["post", "callback/credentials", { username: "ada", password: "wrong" }, RETURN],
      ["post", "callback/credentials", { username: "throw", password: "" }],
      ["post", "callback/credentials", { username: "bug", password: "" }],
      ["post", "callback/credentials", { username: "bug", password: "" }, RETURN],
      ["post", "callback/credentials", { ...LOVELACE, callbackUrl: "/in" }, RETURN],
      READ,
      ["json", "callback/credentials", { ...LOVELACE, callbackUrl: "/in" }, RETURN],
      READ,
      ["post", "signout", { callbackUrl: "/out" }],
      READ,
    ],
  },
  {
    name: `a token of one request, and its form (${kind})`,
    app,
    steps: [
      ["get", "csrf"],
      ["post", "signin/op", { csrfToken: "last" }],
      ["consent"],
      ["get", "csrf"],
      ["post", "signout", { csrfToken: "last" }],
      READ,
    ],
  },
  {
    name: `failures at the provider (${kind})`,
    app,
    steps: [
      ["post", "signin/op", { callbackUrl: "/home" }],
      ["refuse", "access_denied"],
      ["post", "signin/op", {}, RETURN],
      ["refuse", "server_error"],
      ["post", "signin/github"],
      ["refuse", "access_denied"],
      ["post", "signin/op?prompt=login&login_hint=ada&scope=openid&foo=bar"],
      ["tampered", (url) => url.searchParams.set("code", "wrong")],
      ["post", "signin/op"],
      ["tampered", (url) => url.searchParams.delete("code")],
      ["post", "signin/op"],
      ["wait", 1000],
      ["consent"],
      ["post", "signin/op"],
      ["cookie", "authjs.pkce.code_verifier", undefined],
      ["consent"],
      ["post", "signin/op"],
      ["cookie", "authjs.pkce.code_verifier", "junk"],
      ["consent"],
    ],
  },
  {
    name: `returning users (${kind})`,
    app,
    steps: [
      ...signIn("op"),
      READ,
      OUT,
      ["browser", "second"],
      ...signIn("op"),
      READ,
      OUT,
      ["post", "signin/op"],
      ["consent", { sub: "eve", email: "eve@example.com" }],
      READ,
    ],
  },
  {
    name: `an account of another user's address (${kind})`,
    app,
    steps: [...signIn("op"), OUT, ...signIn("github")],
  },
  {
    name: `another sign-in while signed in (${kind})`,
    app,
    steps: [...signIn("op"), ...signIn("github", { email: "eve@example.com" })],
  },
  {
    name: `a sign-in as another user (${kind})`,
    app,
    steps: [
      ...signIn("op"),
      ["browser", "second"],
      ["post", "signin/op"],
      ["consent", { sub: "eve", email: "eve@example.com" }],
      ...signIn("op"),
    ],
  },
  {
    name: `linking by address (${kind})`,
    app,
    steps: [
      ...signIn("op"),
      OUT,
      ...signIn("trusted"),
      READ,
      OUT,
      ...signIn("trusted"),
      READ,
      OUT,
      ["post", "signin/trusted"],
      ["consent", { sub: "other", email_verified: undefined }],
    ],
  },
  {
    name: `no address, no name (${kind})`,
    app,
    steps: [
      ["post", "signin/op"],
      ["consent", { email: undefined, email_verified: undefined, picture: undefined }],
      READ,
      OUT,
      ["post", "signin/github"],
      ["consent", { id: 7, name: null, email: null }],
      READ,
    ],
  },
  {
    name: `check cookies (${kind})`,
    app: { ...app, op: { checks: ["pkce", "state", "nonce"] } },
    steps: [...signIn("op"), READ],
  },
  {
    name: `https (${kind})`,
    app: { ...app, ...https },
    steps: [["get", "csrf"], ...signIn("op", { callbackUrl: "/home" }), READ, OUT],
  },
  {
    name: `posted response (${kind})`,
    app: {
      ...app,
      ...https,
      op: {
        checks: ["state", "nonce"],
        authorization: { params: { scope: "openid email", response_mode: "form_post" } },
      },
    },
    steps: [...signIn("op", { callbackUrl: "/home" }), READ],
  },
  {
    name: `custom cookies (${kind})`,
    app: {
      ...app,
      config: () => ({
        cookies: {
          sessionToken: { name: "sid", options: { sameSite: "strict", path: "/" } },
          csrfToken: { name: "csrf" },
          pkceCodeVerifier: { options: { maxAge: 300 } },
        },
        session: {
          strategy: app.strategy === "database" ? "database" : "jwt",
          maxAge: 3600,
          updateAge: 60,
        },
      }),
    },
    steps: [["get", "csrf"], ...signIn("op"), READ, ["wait", 120], READ, ["wait", 3700], READ],
  },
  ...([false, "", "/denied", "https://evil.example/", true, 1, undefined] as const).map(
    (answer): Scenario => ({
      name: `signIn callback returns ${JSON.stringify(answer)} (${kind})`,
      app: { ...app, answers: { signIn: () => answer } },
      steps: [
        ...signIn("op"),
        READ,
        ["post", "callback/credentials", LOVELACE],
        READ,
        ["post", "callback/credentials", LOVELACE, RETURN],
        ...(kind === "jwt" ? [] : ([["post", "signin/mail", { email: "a@example.com" }]] as const)),
      ],
    }),
  ),
  {
    name: `callbacks throw (${kind})`,
    app: {
      ...app,
      answers: {
        signIn: () => {
          throw new Error("no");
        },
      },
    },
    steps: [...signIn("op"), ["post", "callback/credentials", LOVELACE]],
  },
  ...(["jwt", "session", "redirect"] as const).flatMap((name) =>
    (["throws", "null"] as const).map((how): Scenario => ({
      name: `${name} callback: ${how} (${kind})`,
      app: {
        ...app,
        answers: {
          [name]: () => {
            if (how === "throws") throw new Error("a bug");
            return null;
          },
        },
      },
      steps: [...signIn("op", { callbackUrl: "/home" }), READ, OUT],
    })),
  ),
  {
    name: `callbacks add (${kind})`,
    app: {
      ...app,
      answers: {
        jwt: ({ token, account, user, trigger, session }: Params) => ({
          ...token,
          ...(account && { provider: account.provider, access: account.access_token }),
          ...(user && { uid: user.id }),
          ...(trigger && { trigger }),
          ...(session && { sent: session }),
        }),
        session: ({ session, token, user }: Params) => ({
          ...session,
          user: { ...session.user, id: user?.id ?? token?.sub },
          provider: token?.provider,
          sent: token?.sent,
        }),
        redirect: ({ url, baseUrl }: { url: string; baseUrl: string }) =>
          url.startsWith("/") ? `${baseUrl}/prefix${url}` : "https://other.example/x",
      },
    },
    steps: [
      ...signIn("op", { callbackUrl: "/home" }),
      READ,
      ["json", "session", { data: { user: { name: "Countess" } } }],
      READ,
      ["post", "signout", { callbackUrl: "http://localhost:3000/x" }],
    ],
  },
  {
    name: `redirect callback with one target (${kind})`,
    app: {
      ...app,
      answers: { redirect: ({ baseUrl }: { baseUrl: string }) => `${baseUrl}/dashboard` },
    },
    steps: [
      ...signIn("op"),
      OUT,
      ...signIn("op", { callbackUrl: "/home" }),
      OUT,
      ["browser", "second"],
      ["post", "callback/credentials", LOVELACE],
      ["post", "signout", {}, RETURN],
      ...(kind === "jwt"
        ? []
        : ([["post", "signin/mail", { email: "eve@example.com" }], ["mail"], OUT] as const)),
    ],
  },
  {
    name: `pages (${kind})`,
    app: {
      ...app,
      config: () => ({
        pages: {
          signIn: "/login",
          signOut: "/logout",
          error: "/oops",
          verifyRequest: "/look",
          newUser: "/welcome",
        },
      }),
    },
    steps: [
      ["get", "signin"],
      ["get", "signin?callbackUrl=/x&error=CredentialsSignin&code=c"],
      ["get", "signout"],
      ["get", "error?error=AccessDenied"],
      ["get", "error"],
      ["get", "verify-request?provider=mail&type=email"],
      ...signIn("op", { callbackUrl: "/home" }),
      OUT,
      ...signIn("op", { callbackUrl: "/home" }),
      OUT,
      ["post", "callback/credentials", { username: "x", password: "y" }],
      ["post", "callback/credentials", { username: "bug", password: "y" }],
      ["post", "signin"],
      ["post", "signin/op"],
      ["refuse", "access_denied"],
      ["get", "callback/op?code=x"],
    ],
  },
  {
    name: `pages with queries (${kind})`,
    app: {
      ...app,
      config: () => ({
        pages: { signIn: "/login?a=b", error: "/oops?a=b", newUser: "/welcome?a=b" },
      }),
    },
    steps: [
      ["get", "signin"],
      ["get", "signin?callbackUrl=/x&error=CredentialsSignin"],
      ["get", "error?error=AccessDenied"],
      ["post", "callback/credentials", { username: "x", password: "y" }],
      ...signIn("op"),
    ],
  },
  {
    name: `a profile, an account and a scope of the application (${kind})`,
    app: {
      ...app,
      op: {
        authorization: { params: { scope: "openid email", prompt: "login", audience: "api" } },
        profile: (profile: Fields) => ({
          id: `own-${String(profile.sub)}`,
          name: profile.name,
          email: profile.email,
          role: "admin",
          tags: ["a", "b"],
        }),
        account: ({ access_token }: Fields) => ({ access_token, own: "yes" }),
      },
    },
    steps: [...signIn("op"), READ, OUT, ...signIn("op"), READ],
  },
  {
    name: `endpoints and requests of the application (${kind})`,
    app: {
      ...app,
      op: {
        type: "oauth",
        checks: ["state"],
        authorization: "https://op.example/authorize?scope=email",
        token: "https://op.example/token",
        userinfo: {
          url: "https://op.example/userinfo",
          request: ({ tokens, provider }: Record<string, Fields>) => ({
            id: 9007,
            token: tokens?.access_token,
            of: provider?.id,
            email: "own@example.com",
          }),
        },
        profile: ({ id, email }: Fields) => ({ id: String(id), email }),
        client: { token_endpoint_auth_method: "client_secret_post" },
      },
    },
    steps: [...signIn("op"), READ],
  },
  {
    name: `checks: none (${kind})`,
    app: { ...app, op: { checks: ["none"] } },
    steps: [...signIn("op"), READ],
  },
  {
    name: `tokens and lifetimes of the application (${kind})`,
    app: {
      ...app,
      config: () => ({
        session: {
          strategy: app.strategy === "database" ? "database" : "jwt",
          maxAge: 3600,
          updateAge: 0,
          generateSessionToken: () => "a-session-token-of-the-application",
        },
        jwt: {
          maxAge: 7200,
          encode: ({ token }: { token: Fields }) => sealOwn(token),
          decode: ({ token }: { token: string }) => openOwn(token),
        },
      }),
    },
    steps: [...signIn("op"), READ, ["wait", 1800], READ, ["wait", 1900], READ, OUT],
  },
  {
    name: `secure cookies on http (${kind})`,
    app: { ...app, config: () => ({ useSecureCookies: true }) },
    steps: [["get", "csrf"], ...signIn("op"), READ, OUT],
  },
  {
    name: `another base path (${kind})`,
    app: { ...app, config: () => ({ basePath: "/api/auth" }) },
    steps: [["get", "providers"], ...signIn("op"), READ, OUT, ["get", "/auth/session"]],
  },
  {
    name: `two secrets (${kind})`,
    app: {
      ...app,
      config: () => ({
        secret: ["keyhook-test-secret-0123456789abcdef", "an older secret of 32 characters"],
      }),
    },
    steps: [["get", "csrf"], ...signIn("op"), READ],
  },
  {
    name: `large tokens (${kind})`,
    app: {
      ...app,
      answers: { jwt: ({ token }: { token: object }) => ({ ...token, big: "x".repeat(5000) }) },
    },
    steps: [...signIn("op"), READ, READ, OUT],
  },
  {
    name: `junk cookies (${kind})`,
    app,
    steps: [
      ["cookie", "authjs.session-token", "junk"],
      READ,
      ["cookie", "authjs.session-token.0", "junk"],
      ["cookie", "authjs.session-token.1", "junk"],
      READ,
      ["cookie", "authjs.callback-url", "javascript:alert(1)"],
      READ,
      ["get", "signin"],
      ["cookie", "authjs.csrf-token", "junk"],
      ["get", "csrf"],
      ...signIn("op"),
      READ,
    ],
  },
]);

const mails = (["stored", "database"] as const).flatMap((kind): Scenario[] => [
  {
    name: `mail (${kind})`,
    app: { strategy: kind },
    steps: [
      ["post", "signin/mail", { email: " Ada@Example.com ", callbackUrl: "/home" }],
      ["follow"],
      ["mail"],
      READ,
      ["mail"],
      OUT,
      ["post", "signin/mail", { email: "ada@example.com" }, RETURN],
      ["wait", 60],
      ["mail"],
      READ,
      ["post", "signin/mail", { email: "ada@example.com" }],
      ["mail", (url) => url.searchParams.set("token", "wrong")],
      ["mail", (url) => url.searchParams.set("email", "eve@example.com")],
      ["mail", (url) => url.searchParams.delete("token")],
      ["post", "signin/mail", { email: "ada@example.com" }],
      ["wait", 100_000],
      ["mail"],
      ["post", "signin/mail", { email: "no address" }],
      ["post", "signin/mail"],
    ],
  },
  {
    name: `mail as the application has it (${kind})`,
    app: {
      strategy: kind,
      mail: {
        maxAge: 60,
        generateVerificationToken: () => "a-token-of-32-characters-0123456",
        normalizeIdentifier: (text: string) => text.trim().toUpperCase().toLowerCase(),
      },
    },
    steps: [
      ["post", "signin/mail", { email: " Ada@Example.com", callbackUrl: "/home" }],
      ["mail"],
      READ,
      OUT,
      ["post", "signin/mail", { email: "ada@example.com" }],
      ["wait", 61],
      ["mail"],
    ],
  },
  {
    name: `mail, then a provider (${kind})`,
    app: { strategy: kind },
    steps: [
      ["post", "signin/mail", { email: "ada@example.com" }],
      ["mail"],
      OUT,
      ...signIn("op"),
      READ,
      ...signIn("trusted"),
      READ,
    ],
  },
]);

/** The scenarios that both libraries run. */
export const scenarios: readonly Scenario[] = [
  ...flows,
  ...mails,
  {
    name: "redirect proxy",
    app: {
      strategy: "jwt",
      origin: "https://preview.example",
      config: () => ({
        trustHost: ["app.example", "preview.example"],
        redirectProxyUrl: "https://app.example/auth",
      }),
    },
    steps: [["post", "signin/op"], ["consent"], ["follow"], READ],
  },
  { name: "targets", app: { strategy: "jwt" }, steps: targets },
  {
    name: "targets, without a redirect callback of the application",
    app: { strategy: "jwt", config: () => ({ callbacks: {} }) },
    steps: targets,
  },
  {
    name: "default callbacks",
    app: { strategy: "database", config: () => ({ callbacks: {} }) },
    steps: [...signIn("op", { callbackUrl: "/home" }), READ, OUT, READ],
  },
];

// Once Auth.js has seen an e-mail provider in a process, it requires an adapter in every configuration.
const hasAdapter = ({ app }: Scenario) => Number(app.strategy !== "jwt");

/** Sorts scenarios into an order in which Auth.js can run them in one process. */
export const inOrder = (list: readonly Scenario[]): Scenario[] =>
  list.toSorted((one, other) => hasAdapter(one) - hasAdapter(other));
