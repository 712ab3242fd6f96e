/** A browser in a test: sends requests with a cookie jar and follows no redirect on its own. */
export interface Browser {
  /** The cookie jar: values by cookie name. */
  readonly cookies: Map<string, string>;
  /** Sends a GET, as for a page. */
  get(path: string, init?: RequestInit): Promise<Response>;
  /** Posts a form from the page's own origin. */
  post(path: string, fields?: Record<string, string>, init?: RequestInit): Promise<Response>;
  /** Sends any request from the page's own origin, such as a `PUT` of JSON. */
  send(path: string, init?: RequestInit): Promise<Response>;
  /** Fetches the CSRF token of this browser. */
  csrfToken(): Promise<string>;
  /**
   * Follows the redirects of a response on the same origin, at most `limit` (default 10) of them.
   */
  follow(response: Response, limit?: number): Promise<Response>;
  /** Posts to the sign-in route of a provider, with the CSRF token. */
  signIn(provider: string, fields?: Record<string, string>): Promise<Response>;
  /** Posts credentials to the callback of their provider, with the CSRF token. */
  signInWith(provider: string, fields: Record<string, string>): Promise<Response>;
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
}

function isExpired(attributes: string): boolean {
  if (/;\s*max-age=0*(?:;|$)/i.test(attributes) || /;\s*max-age=-/i.test(attributes)) return true;
  if (/;\s*max-age=/i.test(attributes)) return false;
  const expires = /;\s*expires=([^;]+)/i.exec(attributes)?.[1];
  return expires !== undefined && Date.parse(expires) <= Date.now();
}

/**
 * Creates a headless browser for tests of an application. `fetch` handles its requests.
 * @example
 * const browser = createBrowser(auth.fetch);
 * await browser.signInWith("credentials", { username: "ada", password: "..." });
 * expect(await browser.session()).toMatchObject({ user: { name: "Ada" } });
 */
export function createBrowser(
  fetch: (request: Request) => Promise<Response>,
  { origin = "http://localhost:3000", basePath = "/auth" }: BrowserOptions = {},
): Browser {
  const cookies = new Map<string, string>();

  const send = async (path: string, init: RequestInit): Promise<Response> => {
    const headers = new Headers(init.headers);
    if (cookies.size && !headers.has("cookie")) {
      headers.set("cookie", [...cookies].map(([name, value]) => `${name}=${value}`).join("; "));
    }
    const response = await fetch(
      new Request(new URL(path, origin), { ...init, headers, redirect: "manual" }),
    );
    for (const cookie of response.headers.getSetCookie()) {
      const [pair = "", ...rest] = cookie.split(";");
      const at = pair.indexOf("=");
      const name = pair.slice(0, at);
      cookies.delete(name);
      if (!isExpired(`;${rest.join(";")}`)) cookies.set(name, pair.slice(at + 1));
    }
    return response;
  };

  const browser: Browser = {
    cookies,
    send(path, init = {}) {
      const headers = new Headers(init.headers);
      if (!headers.has("origin")) headers.set("origin", origin);
      return send(path, { ...init, headers });
    },
    get(path, init = {}) {
      const headers = new Headers(init.headers);
      if (!headers.has("accept")) headers.set("accept", "text/html");
      return send(path, { ...init, headers, method: "GET" });
    },
    post(path, fields = {}, init = {}) {
      const headers = new Headers(init.headers);
      if (!headers.has("origin")) headers.set("origin", origin);
      if (!headers.has("accept")) headers.set("accept", "text/html");
      return send(path, { body: new URLSearchParams(fields), ...init, headers, method: "POST" });
    },
    async csrfToken() {
      const response = await browser.get(`${basePath}/csrf`);
      return ((await response.json()) as { csrfToken: string }).csrfToken;
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
    async signInWith(provider, fields) {
      const csrfToken = await browser.csrfToken();
      return browser.post(`${basePath}/callback/${provider}`, { csrfToken, ...fields });
    },
    async signOut() {
      const csrfToken = await browser.csrfToken();
      return browser.post(`${basePath}/signout`, { csrfToken });
    },
    async session<T>() {
      const response = await browser.get(`${basePath}/session`, {
        headers: { accept: "application/json" },
      });
      return (await response.json()) as T | null;
    },
  };
  return browser;
}

export { testAdapter } from "./adapter/adapter.ts";
export type { AdapterSuiteOptions, AdapterTrait } from "./adapter/suite.ts";
export { ODD_TEXTS } from "./odd-texts.ts";
export type { TestRunner } from "./runner.ts";
export { testStore } from "./store/store.ts";
export type { StoreSuiteOptions } from "./store/suite.ts";
