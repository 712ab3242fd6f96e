import { describePublicly, NO_STORE, toPlainName } from "../../src/_kit.ts";
import { AuthError, InvalidConfig } from "../../src/errors.ts";
import {
  type AuthContext,
  type CookieToSet,
  definePlugin,
  type Kernel,
  type Plugin,
  type SessionTransport,
} from "../../src/kernel.ts";
import {
  hasBearerCredentials,
  joinCookie,
  readBearerToken,
  TOKEN_HEADER,
} from "./bearer/credentials.ts";

const NAME = "security/bearer";

// The session cookie has a name for each scheme of the origin.
function listSessionCookies({ cookies, config }: Kernel): string[] {
  const { name = "", prefix = "" } = cookies.get("sessionToken") ?? {};
  const { name: secure = prefix + name } = config.cookies.sessionToken ?? {};
  return [toPlainName(secure), secure];
}

function createTransport(kernel: Kernel): SessionTransport {
  const names = listSessionCookies(kernel);
  const findToken = (cookies: readonly CookieToSet[]): string | undefined => {
    for (const name of names) {
      const token = joinCookie(cookies, name);
      if (token !== undefined) return encodeURIComponent(token);
    }
    return undefined;
  };
  return {
    receive: readBearerToken,
    send(cookies) {
      const token = findToken(cookies);
      return token === undefined ? [] : [[TOKEN_HEADER, token]];
    },
    forward(headers, cookies) {
      const token = findToken(cookies);
      if (token !== undefined) headers.set("authorization", `Bearer ${token}`);
    },
    refuse: (ctx) =>
      challenge(
        ctx,
        ctx.json(
          { error: "SessionRequired", message: "Sign in first." },
          { status: 401, headers: NO_STORE },
        ),
        "SessionRequired",
      ),
  };
}

// Every other type of provider uses a cookie to remember data between two requests.
function checkProviders({ providers, flows }: Kernel): void {
  const names = [...providers.values()]
    .filter(({ type }) => !flows.get(type)?.direct)
    .map(({ id }) => `"${id}"`);
  if (!names.length) return;
  throw new InvalidConfig(
    `bearer() is used with ${names.join(", ")}, whose sign-ins take several requests linked by a cookie, but ` +
      "it reads no cookies. Configure these providers in an Auth without bearer(), at another `basePath`.",
  );
}

/** The `error` of the challenge, by the type of the error (RFC 6750 section 3.1, RFC 9470 section 3). */
const CHALLENGES: Readonly<Record<string, string>> = {
  SessionRequired: "invalid_token",
  FreshSessionRequired: "insufficient_user_authentication",
};

// A challenge has no `error` for a request without credentials, or after wrong credentials of a sign-in.
function challenge({ request }: AuthContext, response: Response, type = ""): Response {
  const error = hasBearerCredentials(request.headers) ? CHALLENGES[type] : undefined;
  response.headers.set("www-authenticate", error ? `Bearer error="${error}"` : "Bearer");
  return response;
}

// The client of an API follows no redirects, so the target is returned as data, as for the pages' scripts.
function toData(ctx: AuthContext, response: Response): Response {
  const target = response.headers.get("location");
  const isRedirect = response.status >= 300 && response.status < 400;
  if (target === null || !isRedirect) return response;
  return ctx.json({ url: target }, { headers: NO_STORE });
}

function toJsonError(ctx: AuthContext, error: Error): Response {
  const { status, kind, type } =
    error instanceof AuthError ? error : { status: 500, kind: "error", type: "" };
  const body = describePublicly(ctx.kernel, error);
  const { error: name, code } = body;
  const query = new URLSearchParams({ error: name, ...(code !== undefined && { code }) });
  // Clients of pages read the error from the URL of the page that explains it.
  const url = `${ctx.base}/${kind === "signIn" ? "signin" : "error"}?${query}`;
  const response = ctx.json({ ...body, url }, { status, headers: NO_STORE });
  return status === 401 ? challenge(ctx, response, type) : response;
}

/**
 * Reads the session token from `Authorization: Bearer <token>` (RFC 6750) instead of cookies, for native applications
 * and other API clients. A sign-in, and every response that renews the session, returns the next token in the header
 * `Set-Auth-Token`. An empty header says that the session has ended.
 *
 * Cookies are neither read nor set. No CSRF token is needed, because no site can make a browser send the header. The
 * Auth responds only with JSON. It shares its sessions with an Auth that uses cookies, at another `basePath`, if both
 * have the same `secret`, adapter and `cookies.sessionToken`.
 *
 * Boot throws `InvalidConfig` for a provider that needs cookies, which is every type except credentials.
 * @example
 * export const auth = createAuth({ providers, adapter });
 * export const api = createAuth({ basePath: "/api/auth", providers: [credentials], adapter }).use(bearer());
 */
export const bearer: () => Plugin = definePlugin(function bearer(): Plugin {
  return {
    name: NAME,
    conflicts: ["security/second-factor", "oauth/provider-logout"],
    setup(kernel) {
      kernel.setSessionTransport(createTransport(kernel));
      kernel.hooks.ready.tap(NAME, () => checkProviders(kernel));
      kernel.hooks.error.tap({ name: NAME, stage: "last" }, (error, ctx) =>
        toJsonError(ctx, error),
      );
      kernel.hooks.response.tap({ name: NAME, stage: "last" }, (response, ctx) => {
        const data = toData(ctx, response);
        // The headers of a response that the application fetched are immutable.
        const { body, status, statusText, headers } = data;
        const own = new Response(body, { status, statusText, headers });
        own.headers.append("vary", "authorization");
        return status === 401 && !own.headers.has("www-authenticate") ? challenge(ctx, own) : own;
      });
      kernel.addRoute({
        method: "GET",
        path: "/csrf",
        json: true,
        replaces: true,
        // Clients of pages request a token first.
        handler: (ctx) => ctx.json({ csrfToken: "" }, { headers: NO_STORE }),
      });
    },
  };
});
