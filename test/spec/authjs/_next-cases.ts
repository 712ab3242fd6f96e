import { type NextApp, type NextCase, showResponse } from "./_next.ts";

type Act = (app: NextApp) => Promise<unknown>;

/** A case that both bindings for Next.js run. */
export interface NextRow {
  name: string;
  app?: Partial<NextCase>;
  env?: Record<string, string>;
  act: Act;
}

const LOVELACE = { username: "ada", password: "lovelace" };
const OUT = { signedIn: false };
const FROM = { referer: "http://localhost:3000/from?a=b" };
const EVENT = { waitUntil() {} };
const CONTEXT = { params: Promise.resolve({ id: "1" }) };

const form = (fields: Record<string, string>) => {
  const data = new FormData();
  for (const [name, value] of Object.entries(fields)) data.set(name, value);
  return data;
};

const callbacks = (given: object) => ({ config: { callbacks: given } });
const proxy =
  (path: string, init: RequestInit = {}): Act =>
  async (app) =>
    showResponse((await app.auth(app.request(path, init), EVENT)) as Response);
const wrapped =
  (
    handler: (request: never, context: never) => unknown,
    init: RequestInit = {},
    context: unknown = CONTEXT,
  ): Act =>
  async ({ auth, request, inside }) => {
    const route = auth(handler) as (request: Request, context: unknown) => Promise<Response>;
    const given = request("/api/me?a=b", init);
    return inside(() => route(given, context), Object.fromEntries(given.headers));
  };

const SESSION: Record<string, object> = {
  "adds a role": {
    session: ({ session }: { session: { user: object } }) => ({
      ...session,
      user: { ...session.user, role: "x" },
    }),
  },
  "returns nothing": { session: () => undefined },
  "returns no user": {
    session: ({ session }: { session: { expires: string } }) => ({ expires: session.expires }),
  },
  "returns a user alone": { session: () => ({ user: { name: "own" } }) },
  throws: {
    session: () => {
      throw new Error("a bug");
    },
  },
};

const AUTHORIZED: Record<string, object> = {
  true: { authorized: () => true },
  false: { authorized: () => false },
  null: { authorized: () => null },
  nothing: { authorized: () => undefined },
  "whether there is a session": { authorized: ({ auth }: { auth: unknown }) => Boolean(auth) },
  "a Response": {
    authorized: () => new Response("own", { status: 418, headers: { "x-own": "1" } }),
  },
  "a redirect": {
    authorized: ({ request }: { request: { nextUrl: URL } }) =>
      Response.redirect(new URL("/login", request.nextUrl)),
  },
};

const redirects = [undefined, "/in", "http://localhost:3000/in", "https://evil.example/", ""];

/** The rows. */
export const ROWS: readonly NextRow[] = [
  // auth()
  {
    name: "auth() of a signed-out visitor",
    app: OUT,
    act: ({ inside, auth }) => inside(() => auth()),
  },
  { name: "auth() of a user", act: ({ inside, auth }) => inside(() => auth()) },
  {
    name: "auth() with junk",
    app: OUT,
    act: ({ inside, auth }) => inside(() => auth(), { cookie: "authjs.session-token=junk" }),
  },
  {
    name: "auth() with a configuration function",
    app: { source: true },
    act: ({ inside, auth }) => inside(() => auth()),
  },
  ...Object.entries(SESSION).map(([name, given]): NextRow => ({
    name: `auth() where the session callback ${name}`,
    app: callbacks(given),
    act: ({ inside, auth }) => inside(() => auth()),
  })),
  { name: "auth(req, res)", act: ({ auth, onPage }) => onPage((req, res) => auth(req, res)) },
  { name: "auth(context)", act: ({ auth, onPage }) => onPage((req, res) => auth({ req, res })) },
  {
    name: "auth(context) of a signed-out visitor",
    app: OUT,
    act: ({ auth, onPage }) => onPage((req, res) => auth({ req, res })),
  },
  {
    name: "auth(context) with a configuration function",
    app: { source: true },
    act: ({ auth, onPage }) => onPage((req, res) => auth({ req, res })),
  },

  ...[
    { name: "of a public address", app: { isPublic: true } },
    { name: "that renews the session", app: { session: { updateAge: 0 } } },
  ].flatMap(({ name, app }): NextRow[] => [
    { name: `auth() ${name}`, app, act: ({ inside, auth }) => inside(() => auth()) },
    {
      name: `auth(context) ${name}`,
      app,
      act: ({ auth, onPage }) => onPage((req, res) => auth({ req, res })),
    },
    { name: `a proxy ${name}`, app, act: proxy("/page") },
    {
      name: `a route handler ${name}`,
      app,
      act: wrapped(({ auth }: { auth: unknown }) => Response.json(auth)),
    },
  ]),
  {
    name: "a proxy of a public address that refuses",
    app: { ...OUT, isPublic: true, ...callbacks(AUTHORIZED.false as object) },
    act: proxy("/page"),
  },
  {
    name: "signIn of a public address",
    app: { ...OUT, isPublic: true },
    act: ({ inside, signIn }) => inside(() => signIn("credentials", LOVELACE)),
  },
  {
    name: "signOut of a public address",
    app: { isPublic: true },
    act: ({ inside, signOut }) => inside(() => signOut()),
  },
  {
    name: "auth() of a host that is not trusted",
    app: { config: { trustHost: false } },
    act: ({ inside, auth }) => inside(() => auth()),
  },

  // auth(handler)
  { name: "a route handler", act: wrapped(({ auth }: { auth: unknown }) => Response.json(auth)) },
  {
    name: "a route handler of a signed-out visitor",
    app: OUT,
    act: wrapped(({ auth }: { auth: unknown }) => Response.json(auth)),
  },
  {
    name: "a route handler with a configuration function",
    app: { source: true },
    act: wrapped(({ auth }: { auth: unknown }) => Response.json(auth)),
  },
  {
    name: "a route handler's parameters",
    act: wrapped(async (_, { params }: { params: Promise<object> }) => Response.json(await params)),
  },
  {
    name: "a route handler's body",
    act: wrapped(
      async (request: Request) => Response.json([request.method, await request.json()]),
      { method: "POST", body: "{}", headers: { "content-type": "application/json" } },
    ),
  },
  {
    name: "a route handler's URL",
    act: wrapped(({ url, nextUrl }: { url: string; nextUrl: URL }) =>
      Response.json([url, nextUrl.href, nextUrl.origin]),
    ),
  },
  {
    name: "a route handler's URL with AUTH_URL",
    env: { AUTH_URL: "https://app.example" },
    act: wrapped(({ url, nextUrl }: { url: string; nextUrl: URL }) =>
      Response.json([url, nextUrl.href, nextUrl.origin]),
    ),
  },
  {
    name: "a route handler's body with AUTH_URL",
    env: { AUTH_URL: "https://app.example" },
    act: wrapped(
      async (request: Request) => Response.json([request.method, await request.text()]),
      { method: "POST", body: "a body" },
    ),
  },
  {
    name: "a route handler's redirect with AUTH_URL",
    env: { AUTH_URL: "https://app.example" },
    act: wrapped(({ url }: { url: string }) => Response.redirect(new URL("/next", url))),
  },
  { name: "a route handler that returns nothing", act: wrapped(() => undefined) },
  {
    name: "a route handler that throws",
    act: wrapped(() => {
      throw new Error("a bug");
    }),
  },
  {
    name: "a route handler that authorized refuses",
    app: callbacks({ authorized: () => false }),
    act: wrapped(() => Response.json("reached")),
  },
  {
    name: "a route handler that authorized responds for",
    app: callbacks(AUTHORIZED["a Response"] as object),
    act: wrapped(() => Response.json("reached")),
  },

  // The proxy.
  ...Object.entries(AUTHORIZED).flatMap(([name, given]): NextRow[] =>
    [true, false].map((signedIn) => ({
      name: `a proxy where authorized returns ${name}, signed ${signedIn ? "in" : "out"}`,
      app: { ...callbacks(given), signedIn },
      act: proxy("/page?a=b"),
    })),
  ),
  { name: "a proxy without authorized", app: OUT, act: proxy("/page") },
  {
    name: "a proxy at the sign-in page",
    app: { ...OUT, ...callbacks(AUTHORIZED["false"] as object) },
    act: proxy("/api/auth/signin"),
  },
  {
    name: "a proxy at a route of the library",
    app: { ...OUT, ...callbacks(AUTHORIZED["false"] as object) },
    act: proxy("/api/auth/session"),
  },
  {
    name: "a proxy at the application's sign-in page",
    app: {
      ...OUT,
      config: { pages: { signIn: "/login" }, ...callbacks(AUTHORIZED["false"] as object).config },
    },
    act: proxy("/login?x=1"),
  },
  {
    name: "a proxy with a sign-in page of the application",
    app: {
      ...OUT,
      config: { pages: { signIn: "/login" }, ...callbacks(AUTHORIZED["false"] as object).config },
    },
    act: proxy("/page?a=b"),
  },
  {
    name: "a proxy with AUTH_URL",
    env: { AUTH_URL: "https://app.example" },
    app: { ...OUT, ...callbacks(AUTHORIZED["false"] as object) },
    act: proxy("/page?a=b"),
  },
  {
    name: "a proxy whose redirect leads to itself",
    app: {
      ...OUT,
      config: {
        pages: { signIn: "/login" },
        ...callbacks({
          authorized: ({ request }: { request: { nextUrl: URL } }) =>
            Response.redirect(new URL("/login", request.nextUrl)),
        }).config,
      },
    },
    act: proxy("/login"),
  },
  {
    name: "a proxy for a request of a script",
    app: { ...OUT, ...callbacks(AUTHORIZED["false"] as object) },
    act: proxy("/page", { headers: { accept: "application/json" } }),
  },
  {
    name: "a proxy for a posted form",
    app: { ...OUT, ...callbacks(AUTHORIZED["false"] as object) },
    act: proxy("/page", { method: "POST", body: "a=b" }),
  },
  {
    name: "a proxy with a configuration function",
    app: { ...OUT, ...callbacks(AUTHORIZED["false"] as object), source: true },
    act: proxy("/page"),
  },
  {
    name: "a wrapped proxy",
    act: wrapped(({ auth }: { auth: unknown }) => Response.json(auth), {}, EVENT),
  },
  { name: "a wrapped proxy that returns nothing", act: wrapped(() => undefined, {}, EVENT) },
  {
    name: "a wrapped proxy that authorized refuses",
    app: { ...OUT, ...callbacks(AUTHORIZED["false"] as object) },
    act: wrapped(() => Response.json("reached"), {}, EVENT),
  },
  {
    name: "a wrapped proxy's URL with AUTH_URL",
    env: { AUTH_URL: "https://app.example" },
    act: wrapped(
      ({ url, nextUrl }: { url: string; nextUrl: URL }) => Response.json([url, nextUrl.href]),
      {},
      EVENT,
    ),
  },

  // Routes.
  {
    name: "the session's route",
    act: async ({ handlers, request }) =>
      showResponse(await handlers.GET(request("/api/auth/session"))),
  },
  {
    name: "the route of providers",
    act: async ({ handlers, request }) =>
      showResponse(await handlers.GET(request("/api/auth/providers"))),
  },
  {
    name: "the route of providers with AUTH_URL",
    env: { AUTH_URL: "https://app.example" },
    act: async ({ handlers, request }) =>
      showResponse(await handlers.GET(request("/api/auth/providers"))),
  },
  {
    name: "the route of providers with a path in AUTH_URL",
    env: { AUTH_URL: "https://app.example/own" },
    act: async ({ handlers, request }) =>
      showResponse(await handlers.GET(request("/own/providers"))),
  },
  {
    name: "the route of providers with NEXTAUTH_URL",
    env: { NEXTAUTH_URL: "https://app.example" },
    act: async ({ handlers, request }) =>
      showResponse(await handlers.GET(request("/api/auth/providers"))),
  },
  {
    name: "the route of providers with a base path",
    app: { config: { basePath: "/auth" } },
    act: async ({ handlers, request }) =>
      showResponse(await handlers.GET(request("/auth/providers"))),
  },

  // signIn
  { name: "signIn()", app: OUT, act: ({ inside, signIn }) => inside(() => signIn(), FROM) },
  {
    name: "signIn() that does not redirect",
    app: OUT,
    act: ({ inside, signIn }) => inside(() => signIn(undefined, { redirect: false }), FROM),
  },
  {
    name: "signIn of a provider that is unknown",
    app: OUT,
    act: ({ inside, signIn }) => inside(() => signIn("none", { redirectTo: "/in" })),
  },
  {
    name: "signIn of a provider that is unknown, that does not redirect",
    app: OUT,
    act: ({ inside, signIn }) => inside(() => signIn("none", { redirect: false })),
  },
  {
    name: "signIn of a provider",
    app: OUT,
    act: ({ inside, signIn }) =>
      inside(() => signIn("op", { redirectTo: "/in" }, { prompt: "login" })),
  },
  {
    name: "signIn of a provider with a configuration function",
    app: { ...OUT, source: true },
    act: ({ inside, signIn }) => inside(() => signIn("op", { redirect: false })),
  },
  ...redirects.map((redirectTo): NextRow => ({
    name: `signIn to ${redirectTo}`,
    app: OUT,
    act: ({ inside, signIn }) =>
      inside(
        () =>
          signIn("credentials", { ...LOVELACE, ...(redirectTo !== undefined && { redirectTo }) }),
        FROM,
      ),
  })),
  {
    name: "signIn by a form",
    app: OUT,
    act: ({ inside, signIn }) =>
      inside(() => signIn("credentials", form({ ...LOVELACE, redirectTo: "/in" }))),
  },
  {
    name: "signIn by a form that names redirect",
    app: OUT,
    act: ({ inside, signIn }) =>
      inside(() => signIn("credentials", form({ ...LOVELACE, redirect: "false" }))),
  },
  {
    name: "signIn that does not redirect",
    app: OUT,
    act: ({ inside, signIn }) =>
      inside(() => signIn("credentials", { ...LOVELACE, redirect: false, redirectTo: "/in" })),
  },
  {
    name: "signIn without a referer",
    app: OUT,
    act: ({ inside, signIn }) => inside(() => signIn("credentials", LOVELACE)),
  },
  ...["no", "own", "bug"].map((username): NextRow => ({
    name: `signIn of ${username}`,
    app: OUT,
    act: ({ inside, signIn }) => inside(() => signIn("credentials", { username, password: "no" })),
  })),
  {
    name: "signIn of no that does not redirect",
    app: OUT,
    act: ({ inside, signIn }) =>
      inside(() => signIn("credentials", { username: "no", redirect: false })),
  },
  {
    name: "signIn that the callback refuses",
    app: { ...OUT, ...callbacks({ signIn: () => false }) },
    act: ({ inside, signIn }) => inside(() => signIn("credentials", LOVELACE)),
  },
  {
    name: "signIn that the callback redirects",
    app: { ...OUT, ...callbacks({ signIn: () => "/welcome" }) },
    act: ({ inside, signIn }) => inside(() => signIn("credentials", LOVELACE)),
  },
  {
    name: "signIn with AUTH_URL",
    env: { AUTH_URL: "https://app.example" },
    app: OUT,
    act: ({ inside, signIn }) =>
      inside(() => signIn("credentials", { ...LOVELACE, redirectTo: "/in" })),
  },
  {
    name: "signIn() with AUTH_URL",
    env: { AUTH_URL: "https://app.example" },
    app: OUT,
    act: ({ inside, signIn }) => inside(() => signIn()),
  },
  {
    name: "an error of signIn",
    app: OUT,
    act: async ({ inside, signIn, kind }) =>
      inside(async () =>
        signIn("credentials", { username: "no" }).catch((error: unknown) => [
          error instanceof kind.AuthError,
          error instanceof kind.library.CredentialsSignin,
          (error as Error).name,
        ]),
      ),
  },

  // signOut
  { name: "signOut()", act: ({ inside, signOut }) => inside(() => signOut(), FROM) },
  {
    name: "signOut to a page",
    act: ({ inside, signOut }) => inside(() => signOut({ redirectTo: "/bye" })),
  },
  {
    name: "signOut that does not redirect",
    act: ({ inside, signOut }) => inside(() => signOut({ redirect: false })),
  },
  {
    name: "signOut by a form",
    act: ({ inside, signOut }) => inside(() => signOut(form({ redirectTo: "/bye" }))),
  },
  {
    name: "signOut of a signed-out visitor",
    app: OUT,
    act: ({ inside, signOut }) => inside(() => signOut({ redirectTo: "/bye" })),
  },
  {
    name: "signOut to another site",
    act: ({ inside, signOut }) => inside(() => signOut({ redirectTo: "https://evil.example/" })),
  },

  // unstable_update
  {
    name: "unstable_update",
    app: callbacks({
      jwt: ({ token, session, trigger }: { token: object; session?: object; trigger?: string }) =>
        trigger === "update" ? { ...token, ...session } : token,
    }),
    act: ({ inside, unstable_update }) => inside(() => unstable_update({ name: "Countess" })),
  },
  {
    name: "unstable_update of a signed-out visitor",
    app: OUT,
    act: ({ inside, unstable_update }) => inside(() => unstable_update({ name: "x" })),
  },
];
