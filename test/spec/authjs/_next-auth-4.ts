import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { packages } from "./_libraries.ts";

type Config = Record<string, unknown>;
type Fields = Record<string, string>;

/** `next-auth` 4. */
export const oldRoom: URL = new URL("next-auth-4/", packages);

/** Whether `next-auth` 4 is installed. */
export const hasNextAuth4: boolean = existsSync(oldRoom);

/** What an application imports from `next-auth` 4. */
export interface NextAuth4 {
  /** Creates an application at `/api/auth`. `NEXTAUTH_URL` is its origin. */
  create(config: Config): (request: Request) => Promise<Response>;
  credentials(options: Config): unknown;
  email(options: Config): unknown;
  github(options: Config): unknown;
}

interface Internals {
  AuthHandler(params: { req: Config; options: Config }): Promise<Config & { redirect?: string }>;
  toResponse(internal: Config): Response;
}

function readCookies(request: Request): Fields {
  const pairs = request.headers.get("cookie")?.split("; ") ?? [];
  return Object.fromEntries(
    pairs.map((pair) => {
      const at = pair.indexOf("=");
      return [pair.slice(0, at), decodeURIComponent(pair.slice(at + 1))];
    }),
  );
}

async function readBody(request: Request): Promise<Config> {
  const text = await request.text();
  if (request.headers.get("content-type")?.includes("json")) return JSON.parse(text) as Config;
  return Object.fromEntries(new URLSearchParams(text));
}

// What its Next.js route handler does, which reads the request through `next/headers`.
async function handle(
  { AuthHandler, toResponse }: Internals,
  options: Config,
  request: Request,
): Promise<Response> {
  const { pathname, searchParams } = new URL(request.url);
  const [action, providerId] = pathname.split("/").slice(3);
  const query = Object.fromEntries(searchParams);
  const body = request.method === "POST" ? await readBody(request) : undefined;
  const internal = await AuthHandler({
    options: { ...options },
    req: {
      action,
      providerId,
      method: request.method,
      query: { ...query, nextauth: [action, providerId] },
      cookies: readCookies(request),
      headers: Object.fromEntries(request.headers),
      body,
      error: query.error ?? providerId,
    },
  });
  return toResponse(internal);
}

/** Loads a module of `next-auth` 4, which is CommonJS. */
export const loadOld = createRequire(oldRoom) as <T>(path: string) => T;

/** Loads `next-auth` 4. */
export function loadNextAuth4(): NextAuth4 {
  type Provider = { default(options: Config): unknown };
  const internals = {
    ...loadOld<Pick<Internals, "AuthHandler">>("./core/index.js"),
    ...loadOld<Pick<Internals, "toResponse">>("./next/utils.js"),
  };
  return {
    create: (config) => (request) => handle(internals, config, request),
    credentials: loadOld<Provider>("./providers/credentials.js").default,
    // The package's own e-mail provider requires nodemailer.
    email: (options) => ({ id: "email", type: "email", name: "Email", ...options, options }),
    github: loadOld<Provider>("./providers/github.js").default,
  };
}
