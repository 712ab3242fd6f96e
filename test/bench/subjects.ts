import { Auth as authCore, type AuthConfig, customFetch as coreFetch } from "@auth/core";
import { encode as coreEncode } from "@auth/core/jwt";
import { betterAuth, type BetterAuthOptions } from "better-auth";
import { getMigrations } from "better-auth/db/migration";
import { genericOAuth } from "better-auth/plugins";
import { H3, useSession } from "h3";
import { getIronSession } from "iron-session";
import { createAuth, customFetch, type Plugin } from "keyhook";
import { encode, type JWT } from "keyhook/jwt";
import { type Fetch, post } from "./browser.ts";
import * as idp from "./provider.ts";

export const ORIGIN = "http://localhost:3000";
export const SECRET = "bench-secret-of-more-than-32-characters";
export const COOKIE = "authjs.session-token";

// Without `debug`, because its lines are only written where someone reads them.
const silent = { error() {}, warn() {} };
const ada = { id: "42", name: "Ada Lovelace", email: "ada@example.com" };

export const credentials = {
  id: "credentials",
  name: "Password",
  type: "credentials",
  credentials: { username: { label: "Name" }, password: { label: "Password", type: "password" } },
  authorize: ({ password }: { password?: unknown }) => (password === "right" ? { ...ada } : null),
} as const;

/** Creates `count` OAuth providers. */
export function many(count: number) {
  return Array.from({ length: count }, (_, at) => ({
    ...idp.providers.oauth,
    id: `idp${at}`,
    name: `Provider ${at}`,
  }));
}

type OAuth = (typeof idp.providers)[idp.Kind];

/** Providers that Keyhook and @auth/core accept unchanged. */
export type Providers = readonly (
  | typeof credentials
  | (Omit<OAuth, "id" | "name"> & { id: string; name: string })
)[];

/** Creates Keyhook. With a store and its adapter among the plugins, it stores sessions there. */
export function keyhook(
  providers: Providers = [idp.providers.oauth],
  plugins: readonly Plugin[] = [],
): Fetch {
  const all = providers.map((provider) => ({ ...provider, [customFetch]: idp.ask }));
  const settings = { secret: SECRET, trustHost: true, logger: silent, env: {} };
  return createAuth({ ...settings, providers: all, plugins: [...plugins] }).fetch;
}

const inline = () => ({
  secret: SECRET,
  trustHost: true,
  logger: silent,
  env: {},
  providers: [
    { ...idp.providers.oauth, [customFetch]: idp.ask },
    { ...credentials, authorize: () => null },
  ],
  callbacks: { jwt: ({ token }: { token: JWT }) => token },
});

/** Creates Keyhook with callbacks: once, or for each request as Auth.js applications often do. */
export function keyhookInline(isFunction: boolean): Fetch {
  return createAuth(isFunction ? () => inline() : inline()).fetch;
}

/** Creates @auth/core. With an adapter, it stores sessions there. */
export function core(
  providers: Providers = [idp.providers.oauth],
  adapter?: AuthConfig["adapter"],
): Fetch {
  const all = providers.map((provider) => ({ ...provider, [coreFetch]: idp.ask }));
  return (request) =>
    authCore(request, {
      secret: SECRET,
      trustHost: true,
      basePath: "/auth",
      logger: silent,
      providers: all,
      ...(adapter && { adapter, session: { strategy: "database" } }),
    });
}

/**
 * Creates better-auth without a database: it keeps sessions in encrypted cookies. It calls the
 * global `fetch`.
 */
export function better(kind: idp.Kind = "oauth"): Fetch {
  const auth = betterAuth(betterOptions(kind));
  return (request) => auth.handler(request);
}

/** Creates better-auth with a database, which stores its sessions. */
export async function betterWith(storage: BetterAuthOptions): Promise<Fetch> {
  const options = { ...betterOptions("oauth"), ...storage };
  if (typeof storage.database === "object") await (await getMigrations(options)).runMigrations();
  const auth = betterAuth(options);
  return (request) => auth.handler(request);
}

function betterOptions(kind: idp.Kind) {
  globalThis.fetch = idp.ask;
  return {
    secret: SECRET,
    baseURL: ORIGIN,
    basePath: "/auth",
    logger: { disabled: true },
    rateLimit: { enabled: false },
    user: { additionalFields: { claims: { type: "string", required: false } } },
    emailAndPassword: {
      enabled: true,
      // With the other libraries, hashing is the cost of the application.
      password: {
        hash: async (text) => text,
        verify: async ({ hash, password }) => hash === password,
      },
    },
    plugins: [genericOAuth({ config: [idp.generic[kind]] })],
  } satisfies BetterAuthOptions;
}

/** Creates a bare h3 route that returns a value. */
export function bare(path: string, value: unknown): Fetch {
  const app = new H3().get(path, () => value as object);
  return (request) => app.fetch(request);
}

const iron = { password: SECRET, cookieName: "iron" };

/** A session route with iron-session. */
export const ironSession: Fetch = async (request) => {
  const response = new Response();
  const session = await getIronSession<{ user?: object }>(request, response, iron);
  return Response.json({ user: session.user });
};

const sealed = { password: SECRET, name: "h3" };

/** Creates a session route with h3's own sessions. */
export function h3Session(): Fetch {
  const app = new H3().get("/auth/session", async (event) => {
    const session = await useSession<{ user?: object }>(event, sealed);
    return { user: session.data.user };
  });
  return (request) => app.fetch(request);
}

// --- session cookies -----------------------------------------------------------------------------

const claims = (bulk: number) => ({
  sub: ada.id,
  name: ada.name,
  email: ada.email,
  ...(bulk > 0 && { claims: "c".repeat(bulk) }),
});

// Longer values are split, as in all of them.
function toCookie(name: string, value: string): string {
  const parts = value.match(/.{1,3936}/g) ?? [];
  if (parts.length === 1) return `${name}=${value}`;
  return parts.map((part, at) => `${name}.${at}=${part}`).join("; ");
}

/** Creates a session cookie of Keyhook, a different one on each call. */
export async function keyhookCookie(bulk = 0): Promise<string> {
  return toCookie(COOKIE, await encode({ token: claims(bulk), secret: SECRET, salt: COOKIE }));
}

export async function coreCookie(bulk = 0): Promise<string> {
  return toCookie(COOKIE, await coreEncode({ token: claims(bulk), secret: SECRET, salt: COOKIE }));
}

export async function betterCookie(fetch: Fetch, bulk = 0): Promise<string> {
  const user = { ...ada, password: "long enough", ...(bulk > 0 && { claims: "c".repeat(bulk) }) };
  const response = await fetch(post(`${ORIGIN}/auth/sign-up/email`, user));
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";", 1)[0])
    .join("; ");
}

export async function h3Cookie(): Promise<string> {
  const app = new H3().get("/in", async (event) => {
    const session = await useSession(event, sealed);
    await session.update({ user: { ...ada } });
    return "in";
  });
  const response = await app.fetch(new Request(`${ORIGIN}/in`));
  return response.headers
    .getSetCookie()
    .map((cookie) => cookie.split(";", 1)[0])
    .join("; ");
}

export async function ironCookie(bulk = 0): Promise<string> {
  const response = new Response();
  const session = await getIronSession<Record<string, unknown>>(
    new Request(ORIGIN),
    response,
    iron,
  );
  session.user = claims(bulk);
  await session.save();
  return response.headers.getSetCookie()[0]?.split(";", 1)[0] ?? "";
}
