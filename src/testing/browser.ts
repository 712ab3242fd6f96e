import type { Profile } from "../types/models.ts";
import type { IdentityProvider } from "./identity-provider/types.ts";
import type { TestLog } from "./log.ts";

/** Options of `browser.send`, in addition to those of `fetch`. A `body` is sent as it is, without a token. */
export interface JsonInit extends RequestInit {
  /** The body as JSON. Default: none, or an object with only the CSRF token. */
  json?: unknown;
  /** `false` leaves the CSRF token out. Default: it is added, except for GET, HEAD and lists. */
  csrf?: boolean;
}

/** A browser in a test. It sends requests with a cookie jar and follows no redirect on its own. */
export interface Browser {
  /** The cookie jar: values by cookie name. */
  readonly cookies: Map<string, string>;
  /**
   * Returns the request for a page with this browser's cookies, without sending it, for server functions of the Auth.
   * @example expect(await auth.requireSession(browser.request("/admin"))).toMatchObject({ role: "admin" });
   */
  request(path: string, init?: RequestInit): Request;
  /** Sends a GET, as for a page. */
  get(path: string, init?: RequestInit): Promise<Response>;
  /** Posts a form from the page's own origin. */
  post(path: string, fields?: Record<string, string>, init?: RequestInit): Promise<Response>;
  /**
   * Posts a form from another site, such as an identity provider's. As in browsers, only `SameSite=None` cookies are
   * sent.
   * @example await browser.postFrom("https://sso.example", "/auth/callback/sso", { SAMLResponse, RelayState });
   */
  postFrom(site: string, path: string, fields?: Record<string, string>): Promise<Response>;
  /**
   * Sends JSON from the page's own origin, as a script does, by `POST` or another `method`. The CSRF token is the
   * body's field `csrfToken`.
   * @example await browser.send("/auth/notes/1", { method: "DELETE" });
   */
  send(path: string, init?: JsonInit): Promise<Response>;
  /** Fetches the CSRF token of this browser. */
  csrfToken(): Promise<string>;
  /** Follows the redirects of a response within the same origin, at most `limit` of them (default 10). */
  follow(response: Response, limit?: number): Promise<Response>;
  /** Posts to the sign-in route of a provider, with the CSRF token. */
  signIn(provider: string, fields?: Record<string, string>): Promise<Response>;
  /**
   * Signs in at the identity provider: posts to the sign-in route of `provider` (default `idp`), lets the user consent
   * (default: `idp.user`), and delivers the response to the callback, whose response it returns. If the sign-in leads
   * to a page of the application without an error, that response is returned instead.
   * @throws Error when the sign-in leads to another identity provider, or was refused. The message contains the
   * `?error=`, or the status and the text. Its `cause` is the error that the application has logged, if the log is
   * known.
   */
  signInAs(user?: Profile, provider?: string, fields?: Record<string, string>): Promise<Response>;
  /** Posts credentials to the callback of their provider, with the CSRF token. */
  signInWith(provider: string, fields: Record<string, string>): Promise<Response>;
  /** Posts to the sign-out route, with the CSRF token. */
  signOut(): Promise<Response>;
  /** Fetches `GET /session` and returns its JSON. */
  session<T = unknown>(): Promise<T | null>;
}

/** Options of `createBrowser`. */
export interface BrowserOptions {
  /** Origin of the application. Default `http://localhost:3000`. */
  origin?: string;
  /** Path of the auth routes. Default `/auth`. */
  basePath?: string;
  /** The identity provider that `signInAs` visits. */
  idp?: IdentityProvider;
  /** The application's log, for the errors of `signInAs`. */
  log?: Pick<TestLog, "errors">;
}

function isExpired(attributes: string): boolean {
  if (/;\s*max-age=0*(?:;|$)/i.test(attributes) || /;\s*max-age=-/i.test(attributes)) return true;
  if (/;\s*max-age=/i.test(attributes)) return false;
  const expires = /;\s*expires=([^;]+)/i.exec(attributes)?.[1];
  return expires !== undefined && Date.parse(expires) <= Date.now();
}

function createRequest(
  url: URL,
  init: RequestInit,
  cookies: readonly (readonly [name: string, value: string])[],
): Request {
  const headers = new Headers(init.headers);
  if (cookies.length && !headers.has("cookie")) {
    headers.set("cookie", cookies.map(([name, value]) => `${name}=${value}`).join("; "));
  }
  return new Request(url, { ...init, headers, redirect: "manual" });
}

/** Returns a function that sends requests with the cookies of a jar, and stores those of the responses. */
function withCookies(
  fetch: (request: Request) => Promise<Response>,
  origin: string,
  cookies: Map<string, string>,
) {
  // Names of the cookies that browsers send with a POST from another site.
  const crossSite = new Set<string>();
  return async (path: string, init: RequestInit, isCrossSite = false): Promise<Response> => {
    const sent = [...cookies].filter(([name]) => !isCrossSite || crossSite.has(name));
    const response = await fetch(createRequest(new URL(path, origin), init, sent));
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = "", ...rest] = cookie.split(";");
      const at = pair.indexOf("=");
      const name = pair.slice(0, at);
      cookies.delete(name);
      if (/;\s*samesite=none/i.test(cookie)) crossSite.add(name);
      else crossSite.delete(name);
      if (!isExpired(`;${rest.join(";")}`)) cookies.set(name, pair.slice(at + 1));
    }
    return response;
  };
}

// A refused sign-in leads to a page with `?error=`. Some responses are errors themselves.
async function findRefusal(response: Response): Promise<string | undefined> {
  const { status, headers } = response;
  const location = headers.get("location") ?? "";
  const error = /[?&]error=[^&#]*/.exec(location)?.[0].slice(1);
  if (error !== undefined) return `?${error} (status ${status}, to ${location})`;
  if (status < 400) return undefined;
  return `status ${status}: ${(await response.clone().text()).slice(0, 200)}`;
}

// If the configuration is broken, every route responds with a page.
async function readJson(response: Response, path: string, log: BrowserOptions["log"]) {
  const text = await response.text();
  try {
    return JSON.parse(text) as unknown;
  } catch {
    const cause = log?.errors.at(-1);
    const shown = cause?.message ?? text.slice(0, 200);
    const message = `GET ${path} responded with status ${response.status} and no JSON: ${shown}`;
    throw new Error(message, cause && { cause });
  }
}

/**
 * Creates a headless browser for tests of an application. `fetch` handles its requests: `auth.fetch`, a framework's, or
 * the global one for a server that runs at `origin`.
 * @example
 * const browser = createBrowser(auth.fetch);
 * await browser.signInWith("credentials", { username: "ada", password: "..." });
 * expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
 */
export function createBrowser(
  fetch: (request: Request) => Promise<Response>,
  { origin = "http://localhost:3000", basePath = "/auth", idp, log }: BrowserOptions = {},
): Browser {
  const cookies = new Map<string, string>();

  const request = withCookies(fetch, origin, cookies);

  // Follows a redirect to the identity provider and back.
  const visit = async (
    started: Response,
    provider: string,
    user: Profile | undefined,
  ): Promise<Response> => {
    if (!idp)
      throw new Error("No identity provider is known. Pass it: createBrowser(fetch, { idp }).");
    const location = started.headers.get("location") ?? "";
    if (location.split("?")[0] !== idp.endpoints.authorization) {
      const { origin: place, pathname } = new URL(location, origin);
      if (place === new URL(origin).origin) return started;
      throw new Error(
        `The sign-in with "${provider}" leads to ${place}${pathname}, but the identity provider of this browser is at ` +
          `${idp.endpoints.authorization}. Give the provider the options \`idp.client\`, and createIdentityProvider() its ` +
          "`issuer` or `endpoints`.",
      );
    }
    const { url, fields } = await idp.authorize(location, user);
    if (!fields) return browser.get(url);
    const response = await browser.postFrom(location, url, fields);
    // The callback may redirect to itself, to receive the cookies that a POST from another site lacks.
    const isAgain = response.headers.get("location") === url;
    return isAgain ? browser.follow(response, 1) : response;
  };

  const asPage = (init: RequestInit): RequestInit => {
    const headers = new Headers(init.headers);
    if (!headers.has("accept")) headers.set("accept", "text/html");
    return { method: "GET", ...init, headers };
  };

  const browser: Browser = {
    cookies,
    request: (path, init = {}) => createRequest(new URL(path, origin), asPage(init), [...cookies]),
    get: (path, init = {}) => request(path, { ...asPage(init), method: "GET" }),
    post(path, fields = {}, init = {}) {
      const headers = new Headers(init.headers);
      if (!headers.has("origin")) headers.set("origin", origin);
      if (!headers.has("accept")) headers.set("accept", "text/html");
      return request(path, { body: new URLSearchParams(fields), ...init, headers, method: "POST" });
    },
    postFrom(site, path, fields = {}) {
      const headers = { origin: new URL(site).origin, accept: "text/html" };
      return request(path, { method: "POST", headers, body: new URLSearchParams(fields) }, true);
    },
    async send(path, { json, csrf = true, method = "POST", ...init } = {}) {
      const headers = new Headers(init.headers);
      const isObject = json === undefined || (typeof json === "object" && !Array.isArray(json));
      const isSafe = method === "GET" || method === "HEAD";
      const isTokened = csrf && isObject && !isSafe && init.body == null;
      const token = isTokened && { csrfToken: await browser.csrfToken() };
      const body = token ? { ...token, ...(json as object) } : json;
      if (!headers.has("origin") && !isSafe) headers.set("origin", origin);
      if (!headers.has("accept")) headers.set("accept", "application/json");
      if (body === undefined) return request(path, { ...init, method, headers });
      if (!headers.has("content-type")) headers.set("content-type", "application/json");
      return request(path, { ...init, method, headers, body: JSON.stringify(body) });
    },
    async csrfToken() {
      const path = `${basePath}/csrf`;
      const token = await readJson(await browser.get(path), path, log);
      return (token as { csrfToken: string }).csrfToken;
    },
    async follow(response, limit = 10) {
      let current = response;
      for (let step = 0; step < limit; step++) {
        const location = current.headers.get("location");
        if (current.status < 300 || current.status > 399 || !location) break;
        const target = new URL(location, origin);
        if (target.origin !== new URL(origin).origin) break;
        current = await browser.get(target.pathname + target.search);
      }
      return current;
    },
    async signIn(provider, fields = {}) {
      const csrfToken = await browser.csrfToken();
      return browser.post(`${basePath}/signin/${provider}`, { csrfToken, ...fields });
    },
    async signInAs(user, provider = "idp", fields = {}) {
      const logged = log?.errors.length ?? 0;
      const started = await browser.signIn(provider, fields);
      const response = await visit(started, provider, user);
      const refusal = await findRefusal(response);
      if (refusal === undefined) return response;
      const [cause] = log?.errors.slice(logged) ?? [];
      throw new Error(`The sign-in with "${provider}" was refused: ${refusal}`, cause && { cause });
    },
    async signInWith(provider, fields) {
      const csrfToken = await browser.csrfToken();
      return browser.post(`${basePath}/callback/${provider}`, { csrfToken, ...fields });
    },
    async signOut() {
      const csrfToken = await browser.csrfToken();
      return browser.post(`${basePath}/signout`, { csrfToken });
    },
    async session<T>() {
      const path = `${basePath}/session`;
      const response = await browser.get(path, { headers: { accept: "application/json" } });
      return (await readJson(response, path, log)) as T | null;
    },
  };
  return browser;
}
