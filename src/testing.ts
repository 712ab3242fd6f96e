/** What a browser can do in a test: requests with a cookie jar, no redirect followed by itself. */
export interface Browser {
  /** The jar: values by cookie name. */
  readonly cookies: Map<string, string>;
  /** A GET, as for a page. */
  get(path: string, init?: RequestInit): Promise<Response>;
  /** A form POST of the page's own origin. */
  post(path: string, fields?: Record<string, string>, init?: RequestInit): Promise<Response>;
  /** The CSRF token of this browser. */
  csrfToken(): Promise<string>;
  /** Follows a redirect of the last answer, at most `limit` (default 10) steps on the same origin. */
  follow(response: Response, limit?: number): Promise<Response>;
  /** Posts the sign-in of a provider, with the CSRF token. */
  signIn(provider: string, fields?: Record<string, string>): Promise<Response>;
  /** Posts credentials to their callback, with the CSRF token. */
  signInWith(provider: string, fields: Record<string, string>): Promise<Response>;
  signOut(): Promise<Response>;
  /** What `GET /session` answers. */
  session<T = unknown>(): Promise<T | null>;
}

/** What a browser in a test needs to know. */
export interface BrowserOptions {
  /** Default `http://localhost:3000`. */
  origin?: string;
  /** Default `/auth`. */
  basePath?: string;
}

function isExpired(attributes: string): boolean {
  if (/;\s*max-age=0*(?:;|$)/i.test(attributes) || /;\s*max-age=-/i.test(attributes)) return true;
  if (/;\s*max-age=/i.test(attributes)) return false;
  const expires = /;\s*expires=([^;]+)/i.exec(attributes)?.[1];
  return expires !== undefined && Date.parse(expires) <= Date.now();
}

/**
 * A browser without a window, for tests of an application: give it what answers its requests.
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

export { testAdapter } from "./testing/adapter/adapter.ts";
export type { AdapterSuiteOptions, AdapterTrait } from "./testing/adapter/suite.ts";
export { ODD_TEXTS } from "./testing/odd-texts.ts";
export type { TestRunner } from "./testing/runner.ts";
export { testStore } from "./testing/store/store.ts";
export type { StoreSuiteOptions } from "./testing/store/suite.ts";
