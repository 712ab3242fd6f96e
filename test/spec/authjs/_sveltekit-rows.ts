import type { KitApp, KitRow } from "./_sveltekit.ts";

type Act = KitRow["act"];

const LOVELACE = { providerId: "credentials", username: "ada", password: "lovelace" };
const FROM = { referer: "http://localhost:5173/from?a=b" };

const page = () => new Response("the page", { headers: { "content-type": "text/plain" } });

const visit =
  (path: string, init?: RequestInit): Act =>
  async ({ event, show, handle }) => {
    const given = event(path, init);
    return show(given, () => handle({ event: given, resolve: page }));
  };

/** Reads the session in a page, and returns the result of `run`. */
const read =
  (
    run: (locals: { auth(): Promise<unknown>; getSession(): Promise<unknown> }) => Promise<unknown>,
    headers: Record<string, string> = {},
  ): Act =>
  async ({ event, show, handle }) => {
    const given = event("/page", { headers });
    return show(given, async () => {
      let found: unknown;
      await handle({
        event: given,
        resolve: async ({ locals }) => {
          found = await run(locals as never);
          return page();
        },
      });
      return found;
    });
  };

const act =
  (
    name: "signIn" | "signOut",
    fields: Record<string, string>,
    headers: Record<string, string> = FROM,
  ): Act =>
  async (app: KitApp) => {
    const given = app.event("/login", {
      method: "POST",
      headers,
      body: new URLSearchParams(fields),
    });
    return app.show(given, () => app[name](given));
  };

const form = (body: string): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/x-www-form-urlencoded", origin: "http://localhost:5173" },
  body,
});

const PATHS = [
  "/auth/providers",
  "/auth/session",
  "/auth/csrf",
  "/auth/signin",
  "/auth/signin?error=AccessDenied",
  "/auth/signout",
  "/auth/error?error=Configuration",
  "/auth/verify-request",
  "/auth/callback/none",
  "/auth/login",
  "/auth/nothing/more",
  "/auth",
  "/auth/",
  "/authors",
  "/page",
  "/shop/auth/providers",
];

const TARGETS = ["/in", "http://localhost:5173/in", "https://evil.example/", ""];

/** The rows. */
export const KIT_ROWS: readonly KitRow[] = [
  ...PATHS.map((path): KitRow => ({ name: `GET ${path}`, act: visit(path) })),
  ...["/shop/auth/providers", "/auth/providers", "/shop/auth/login"].map((path): KitRow => ({
    name: `GET ${path} below a base path`,
    base: "/shop",
    act: visit(path),
  })),
  {
    name: "POST /auth/signin/github without a CSRF token",
    act: visit("/auth/signin/github", form("callbackUrl=/in")),
  },
  {
    name: "GET /auth/providers with AUTH_URL",
    env: { AUTH_URL: "https://app.example" },
    act: visit("/auth/providers"),
  },
  {
    name: "GET /auth/providers with AUTH_URL with a path",
    env: { AUTH_URL: "https://app.example/own" },
    act: visit("/auth/providers"),
  },
  { name: "GET /auth/session while Kit builds", building: true, act: visit("/auth/session") },
  {
    name: "GET /auth/session with a secret of the environment",
    env: { AUTH_SECRET: "another secret of 32 characters.." },
    act: visit("/auth/session"),
  },
  {
    name: "GET /auth/session with a configuration function",
    source: true,
    act: visit("/auth/session"),
  },

  { name: "locals.auth() of a user", act: read(({ auth }) => auth()) },
  {
    name: "locals.auth() of a signed-out visitor",
    signedOut: true,
    act: read(({ auth }) => auth()),
  },
  {
    name: "locals.auth() with junk",
    signedOut: true,
    act: read(({ auth }) => auth(), { cookie: "authjs.session-token=junk" }),
  },
  { name: "locals.getSession()", act: read(({ getSession }) => getSession()) },
  {
    name: "locals.auth(), twice",
    act: read(async ({ auth }) => Promise.all([auth(), auth()])),
  },
  {
    name: "locals.auth() with a configuration function",
    source: true,
    act: read(({ auth }) => auth()),
  },
  { name: "locals.auth() while Kit builds", building: true, act: read(({ auth }) => auth()) },
  {
    name: "locals.auth() with AUTH_URL",
    env: { AUTH_URL: "https://app.example" },
    act: read(({ auth }) => auth()),
  },
  {
    name: "locals.auth() where the session callback throws",
    config: {
      callbacks: {
        session() {
          throw new Error("a bug");
        },
      },
    },
    act: read(({ auth }) => auth()),
  },
  {
    name: "locals.auth() where the session callback adds a role",
    config: {
      callbacks: {
        session: ({ session, token }: { session: { user: object }; token: { sub: string } }) => ({
          ...session,
          user: { ...session.user, id: token.sub, role: "x" },
        }),
      },
    },
    act: read(({ auth }) => auth()),
  },

  { name: "signIn with a password", signedOut: true, act: act("signIn", LOVELACE) },
  ...TARGETS.map((redirectTo): KitRow => ({
    name: `signIn to "${redirectTo}"`,
    signedOut: true,
    act: act("signIn", { ...LOVELACE, redirectTo }),
  })),
  { name: "signIn without a referer", signedOut: true, act: act("signIn", LOVELACE, {}) },
  {
    name: "signIn with a wrong password",
    signedOut: true,
    act: act("signIn", { ...LOVELACE, password: "no" }),
  },
  {
    name: "signIn where authorize throws",
    signedOut: true,
    act: act("signIn", { ...LOVELACE, username: "bug" }),
  },
  {
    name: "signIn where the callback refuses",
    signedOut: true,
    config: { callbacks: { signIn: () => false } },
    act: act("signIn", LOVELACE),
  },
  {
    name: "signIn that does not redirect",
    signedOut: true,
    act: act("signIn", { ...LOVELACE, redirect: "" }),
  },
  { name: "signIn without a provider", signedOut: true, act: act("signIn", { redirectTo: "/in" }) },
  {
    name: "signIn of an unknown provider",
    signedOut: true,
    act: act("signIn", { providerId: "none", redirectTo: "/in" }),
  },
  {
    name: "signIn with GitHub",
    signedOut: true,
    act: act("signIn", {
      providerId: "github",
      redirectTo: "/in",
      "authorizationParams-login": "ada",
    }),
  },
  {
    name: "signIn with a configuration function",
    source: true,
    signedOut: true,
    act: act("signIn", LOVELACE),
  },
  { name: "signIn while Kit builds", building: true, act: act("signIn", LOVELACE) },
  {
    name: "signIn with AUTH_URL",
    env: { AUTH_URL: "https://app.example" },
    signedOut: true,
    act: act("signIn", { ...LOVELACE, redirectTo: "/in" }),
  },
  {
    name: "signIn below a base path",
    base: "/shop",
    signedOut: true,
    act: act("signIn", { ...LOVELACE, redirectTo: "/shop/in" }),
  },
  { name: "signOut of a user", act: act("signOut", {}) },
  { name: "signOut to a page", act: act("signOut", { redirectTo: "/bye" }) },
  { name: "signOut that does not redirect", act: act("signOut", { redirect: "" }) },
  {
    name: "signOut of a signed-out visitor",
    signedOut: true,
    act: act("signOut", { redirectTo: "/bye" }),
  },
];
