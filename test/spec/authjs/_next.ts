import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { createAuth } from "../../../presets/next.ts";
import { AuthError } from "../../../src/errors.ts";
import { inScope } from "../../bindings/_next.ts";
import { type Kind, loadLibraries, packages } from "./_libraries.ts";
import { createMapAdapter, createRows } from "./_map-adapter.ts";
import { NOW } from "./_run.ts";
import { showUrl, toShown } from "./_shown.ts";

type Config = Record<string, unknown>;

/** What `NextAuth(config)` returns. */
interface Members {
  handlers: Record<"GET" | "POST", (request: Request) => Promise<Response>>;
  auth(...args: unknown[]): unknown;
  signIn(...args: unknown[]): Promise<unknown>;
  signOut(...args: unknown[]): Promise<unknown>;
  unstable_update(data: unknown): Promise<unknown>;
}

/** A library's binding for Next.js. */
export interface NextKind {
  library: Kind;
  NextAuth(config: unknown): Members;
  AuthError: new () => Error;
  NextRequest: new (url: string, init?: RequestInit) => Request & { nextUrl: URL };
}

/** Loads both bindings. The caller must mock the modules of Next.js. */
export async function loadNext(): Promise<NextKind[]> {
  const load = (path: string) => import(/* @vite-ignore */ new URL(path, packages).href);
  const { NextRequest } = await load("next/server.js");
  const { default: NextAuth, AuthError: Theirs } = await load("next-auth/index.js");
  const { authjs, keyhook } = await loadLibraries();
  const withoutFolder = { name: "stores/development", setup() {} };
  const own = (config: never) => createAuth(config).use(withoutFolder);
  return [
    { library: authjs, NextAuth, AuthError: Theirs, NextRequest },
    { library: keyhook, NextAuth: own as never, AuthError, NextRequest },
  ];
}

/** What a case can use of an application. A user may be signed in. */
export interface NextApp extends Members {
  kind: NextKind;
  /** Runs code as an action or a component of a request. The result contains the cookies that it sets. */
  inside(run: () => unknown, headers?: Record<string, string>): Promise<unknown>;
  request(path: string, init?: RequestInit): Request & { nextUrl: URL };
  /** Runs code for a request of the Pages Router. The result contains the cookies that it sets. */
  onPage(run: (req: IncomingMessage, res: ServerResponse) => unknown): Promise<unknown>;
}

const ORIGIN = "http://localhost:3000";
const SECRET = "keyhook-test-secret-0123456789abcdef";
const NAME = "authjs.session-token";
const ADA = {
  id: "user-1",
  name: "Ada",
  email: "ada@example.com",
  emailVerified: null,
  role: "admin",
};

function showThrown(error: unknown): unknown {
  const { digest, type, code } = error as { digest?: string; type?: string; code?: string };
  const [kind, how, url, status] = digest?.split(";") ?? [];
  if (kind === "NEXT_REDIRECT") return { redirects: showUrl(url ?? null, ORIGIN), how, status };
  return { throws: type ?? String(error), ...(code && { code }) };
}

const showLines = (lines: readonly string[]): unknown =>
  Object.fromEntries(
    lines.map((line) => {
      const [pair = "", ...rest] = line.split("; ");
      const [name = "", value = ""] = pair.split("=");
      const hidden = value && "<value>";
      return [
        name,
        [hidden, ...rest.filter((one) => !/^(?:Expires|Max-Age)/.test(one)).sort()].join("; "),
      ];
    }),
  );

/** Shows a response, as plain data. */
export async function showResponse(response: Response | undefined): Promise<unknown> {
  if (!response) return response;
  const text = await response.clone().text();
  const { status, headers } = response;
  const isJson = headers.get("content-type")?.startsWith("application/json");
  const passes = headers.has("x-middleware-next");
  return {
    status,
    ...(passes && { passes }),
    ...(headers.has("location") && { location: showUrl(headers.get("location"), ORIGIN) }),
    ...(text && { body: isJson ? toShown(JSON.parse(text)) : text }),
    cookies: showLines(headers.getSetCookie()),
  };
}

/** Runs a case with the application of one library. */
export async function runNext(
  kind: NextKind,
  { strategy, session, config = {}, signedIn = true, source, isPublic = false }: NextCase,
): Promise<NextApp & { calls: unknown[] }> {
  const forwarded = isPublic
    ? { host: "app.example", "x-forwarded-host": "app.example", "x-forwarded-proto": "https" }
    : { host: "localhost:3000", "x-forwarded-proto": "http" };
  const name = isPublic ? `__Secure-${NAME}` : NAME;
  const rows = createRows();
  rows.users.push({ ...ADA });
  const calls: unknown[] = [];
  const { library } = kind;
  const build = () => ({
    secret: SECRET,
    trustHost: true,
    adapter: createMapAdapter(rows),
    session: { strategy, ...session },
    logger: { error() {}, warn() {}, debug() {} },
    providers: [
      library.credentials({
        credentials: { username: {}, password: { type: "password" } },
        authorize: async ({ username, password }: Record<string, unknown>) => {
          if (username === "bug") throw new Error("a bug");
          if (username === "own")
            throw Object.assign(new library.CredentialsSignin(), { code: "own" });
          return password === "lovelace" ? ADA : null;
        },
      }),
      {
        id: "op",
        type: "oauth",
        name: "OP",
        clientId: "c",
        clientSecret: "s",
        authorization: "https://op.example/authorize?a=b",
        token: "https://op.example/token",
        userinfo: "https://op.example/me",
      },
    ],
    ...config,
  });
  const made = kind.NextAuth(
    source
      ? async (given: { url?: string } | undefined) => {
          calls.push(given === undefined ? "nothing" : "a request");
          return build();
        }
      : build(),
  );
  let cookie = "";
  if (signedIn && strategy === "jwt") {
    const token = { sub: ADA.id, name: ADA.name, email: ADA.email, picture: null };
    const sealed = { token, secret: SECRET, salt: name, maxAge: 30 * 86_400 };
    cookie = `${name}=${await library.encode(sealed)}`;
  }
  if (signedIn && strategy === "database") {
    const sessionToken = "00000000-0000-4000-8000-000000000001";
    rows.sessions.push({
      sessionToken,
      userId: ADA.id,
      expires: new Date(NOW + 29.5 * 86_400_000),
    });
    cookie = `${name}=${sessionToken}`;
  }
  return {
    ...made,
    kind,
    calls,
    async onPage(run) {
      const req = new IncomingMessage(new Socket());
      req.headers = { ...forwarded, ...(cookie && { cookie }) };
      const res = new ServerResponse(req);
      const value = toShown(await run(req, res));
      return { value, cookies: showLines([res.getHeader("set-cookie") ?? []].flat() as string[]) };
    },
    request: (path, { headers, ...init } = {}) =>
      new kind.NextRequest(ORIGIN + path, {
        ...init,
        headers: {
          ...forwarded,
          accept: "text/html",
          cookie,
          ...(headers as object),
        },
      }),
    inside: (run, headers = {}) =>
      inScope({ ...forwarded, ...(cookie && { cookie }), ...headers }, async ({ last }) => {
        const done = await Promise.resolve()
          .then(run)
          .then(
            async (value) => ({
              value: value instanceof Response ? await showResponse(value) : toShown(value),
            }),
            (error: unknown) => showThrown(error) as object,
          );
        const cookies = Object.fromEntries(
          [...last].map(([name, { value, expires: _, maxAge: __, ...rest }]) => [
            name,
            { value: value && "<value>", ...(toShown(rest) as object) },
          ]),
        );
        return { ...done, cookies };
      }),
  };
}

/** An application of a case. */
export interface NextCase {
  strategy: "jwt" | "database";
  /** Further options of sessions. */
  session?: Config;
  /** Whether requests come from a proxy, for `https://app.example`. */
  isPublic?: boolean;
  config?: Config;
  signedIn?: boolean;
  /** Whether the configuration is a function. */
  source?: boolean;
}
