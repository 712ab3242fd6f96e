import { randomBase64url } from "../crypto/crypto.ts";
import { MissingUserId, PluginError, SessionRequired } from "../errors/errors.ts";
import { readBody } from "../http/body.ts";
import { createCookies } from "../http/cookies.ts";
import type { CookieTable } from "../http/cookies.ts";
import { getClientIp } from "../http/ip.ts";
import { createKnownResponse } from "../http/known-response.ts";
import { toRequest } from "../http/lazy-request.ts";
import { isSafeMethod } from "../http/method.ts";
import { getPublicOrigin } from "../http/origin.ts";
import type { RequestUrl } from "../http/request-url.ts";
import { CSRF_TOKEN, SESSION, type SessionKeeper } from "../kernel/strategy.ts";
import { type BoundSignal, boundSignal } from "../platform/timeout.ts";
import type { Cookies } from "../types/cookie.ts";
import type {
  AuthContext,
  Body,
  Kernel,
  Operation,
  RegisteredRoute,
  RequestLog,
} from "../types/kernel.ts";
import type { Translator } from "../types/message.ts";
import type { Awaitable } from "../types/models.ts";
import type { Page } from "../types/page.ts";
import type { ProviderBase, ResolvedProvider } from "../types/provider.ts";
import type { Connection, LazyRequest } from "../types/request-source.ts";
import type { CurrentSession } from "../types/session.ts";
import { getCallbackUrl } from "./callback-url.ts";
import { CSRF_COOKIES, type CsrfCookies, issueCsrfToken } from "./csrf.ts";
import { checkFreshness } from "./fresh-session.ts";
import { createDebug, createRequestLog } from "./log.ts";
import type { Pages } from "./pages.ts";
import { safeRedirect } from "./redirect.ts";
import type { Target } from "./router.ts";

/** Time limit of a request in milliseconds, including its calls of identity providers. */
export const REQUEST_TIMEOUT_MS = 10_000;

// Private to this module, so that no header, option or plugin can set them.
const TRUSTED = Symbol("trusted");
const REQUEST = Symbol("request");
const TARGET = Symbol("target");
const OWN = Symbol("own");
const UNCACHED = Symbol("uncached");
const END = Symbol("end");
const BODY = Symbol("body");

/** The headers of a response that no cache may store (SECURITY.md R10), as Auth.js sends them. */
export const NO_STORE: Readonly<Record<string, string>> = {
  "cache-control": "private, no-cache, no-store",
  expires: "0",
  pragma: "no-cache",
};

/** The headers of a JSON response: browsers must not treat it as a page or a script. */
export const JSON_HEADERS: Readonly<Record<string, string>> = {
  "content-type": "application/json",
  "x-content-type-options": "nosniff",
};

const JSON_NO_STORE: Readonly<Record<string, string>> = { ...JSON_HEADERS, ...NO_STORE };

const NO_PARAMS: Readonly<Record<string, string>> = Object.freeze({});

/** Inputs of `createContext`. */
export interface ContextOptions {
  kernel: Kernel;
  operation: Operation;
  request: Request | LazyRequest;
  url: RequestUrl;
  target: Target;
  /** Cookie names and attributes for https and for http origins. */
  tables: { secure: CookieTable; plain: CookieTable };
  csrf: CsrfCookies;
  /** Replaces the request's body. */
  body?: Body;
  /** What the server knows about the request's connection. */
  connection?: Connection | undefined;
}

/** Returns whether the caller is the application's own server code rather than a browser. */
export function isTrusted(ctx: AuthContext): boolean {
  return (ctx as RequestContext)[TRUSTED] === true;
}

/** Returns the method of a context's request. */
export function getMethod(ctx: AuthContext): string {
  return (ctx as RequestContext)[REQUEST].method;
}

/** Returns the target of a context's request. */
export function getTarget(ctx: AuthContext): Target {
  return (ctx as RequestContext)[TARGET];
}

/** Returns whether a response was created by this context, so that no other request can share it. */
export function isOwn(ctx: AuthContext, response: Response): boolean {
  return (ctx as RequestContext)[OWN] === response;
}

/** Returns whether a response was created by this context with `NO_STORE` as its headers. */
export function isUncached(ctx: AuthContext, response: Response): boolean {
  return (ctx as RequestContext)[UNCACHED] === response;
}

/** Returns whether a request has read its session, so that its response may depend on it. */
export function hasReadSession(ctx: AuthContext): boolean {
  return (ctx as RequestContext)[SESSION] !== undefined;
}

/** Ends what lasts as long as the request: its signal is no longer aborted. */
export function endContext(ctx: AuthContext): void {
  (ctx as RequestContext)[END]();
}

/** Replaces the body of a request with fields. */
export function setBody(ctx: AuthContext, fields: Body): void {
  (ctx as RequestContext)[BODY](fields);
}

/** Returns a provider with its sign-in and callback URLs on the request's public origin. */
export function providerAt<P extends ProviderBase>(
  ctx: Pick<AuthContext, "base">,
  provider: P,
): ResolvedProvider<P> {
  return {
    ...provider,
    signinUrl: `${ctx.base}/signin/${provider.id}`,
    callbackUrl: `${ctx.base}/callback/${provider.id}`,
  };
}

// With a session transport, only its token is read, as the session cookie.
function getCookieHeader(
  { kernel: { sessionTransport }, target }: ContextOptions,
  headers: Pick<Headers, "get">,
  table: CookieTable,
): string | null {
  if (target.route?.cookies === false) return null;
  if (!sessionTransport) return headers.get("cookie");
  const token = sessionTransport.receive(headers);
  return token === undefined ? null : `${table.sessionToken.name}=${token}`;
}

// A class, because every request creates one, and an object with closures takes ten times as long.
class RequestContext implements AuthContext, SessionKeeper {
  readonly kernel: Kernel;
  readonly operation: Operation;
  readonly origin: string;
  readonly base: string;
  readonly action: string;
  readonly params: Readonly<Record<string, string>>;
  readonly cookies: Cookies;
  readonly route: RegisteredRoute | undefined;
  declare readonly provider?: ResolvedProvider<ProviderBase>;
  readonly [TRUSTED]: boolean;
  readonly [REQUEST]: Request | LazyRequest;
  readonly [TARGET]: Target;
  readonly [CSRF_COOKIES]: CsrfCookies;
  [OWN]: Response | undefined;
  [UNCACHED]: Response | undefined;
  [SESSION]: Awaitable<CurrentSession | null> | undefined;
  [CSRF_TOKEN]: Awaitable<string | undefined> | undefined;
  readonly #connection: Connection | undefined;
  readonly #requestUrl: RequestUrl;
  #request: Request | undefined;
  #url: URL | undefined;
  #body: Awaitable<Body> | undefined;
  #callbackUrl: Awaitable<string> | undefined;
  #languages: Awaitable<readonly string[]> | undefined;
  #nonce: string | undefined;
  #bound: BoundSignal | undefined;
  #log: RequestLog | undefined;
  #fields: Body | undefined;
  readonly debug: AuthContext["debug"];

  constructor(options: ContextOptions) {
    const { kernel, operation, request, url, target, tables, body } = options;
    const { connection = request as Connection } = options;
    const { config } = kernel;
    const origin = getPublicOrigin(config, url, request.headers);
    const secure = config.useSecureCookies ?? origin.startsWith("https:");
    this.kernel = kernel;
    this.operation = operation;
    this[REQUEST] = request;
    this[TARGET] = target;
    this[CSRF_COOKIES] = options.csrf;
    this.#requestUrl = url;
    this.origin = origin;
    this.base = origin + config.basePath;
    this.action = target.action;
    this.params = target.params ?? NO_PARAMS;
    this.route = target.route;
    const table = secure ? tables.secure : tables.plain;
    this.cookies = createCookies(getCookieHeader(options, request.headers, table), table);
    const { providerId } = target;
    const provider = providerId === undefined ? undefined : kernel.providers.get(providerId);
    if (provider) this.provider = providerAt(this, provider);
    this[TRUSTED] = operation !== "request";
    this.#body = body;
    this.#connection = connection;
    this.#fields = body;
    this.debug = createDebug(this);
  }

  get request(): Request {
    this.#request ??= toRequest(this[REQUEST], this.#connection);
    return this.#request;
  }

  get url(): URL {
    if (this.#url) return this.#url;
    const { href, origin } = this.#requestUrl;
    const url = new URL(href);
    this.#url = origin === this.origin ? url : new URL(this.origin + url.pathname + url.search);
    return this.#url;
  }

  get log(): RequestLog {
    this.#log ??= createRequestLog(this, () => this.#fields);
    return this.#log;
  }

  get ip(): string | undefined {
    const { trustProxy } = this.kernel.config;
    const { headers } = this[REQUEST];
    return getClientIp({ connection: this.#connection?.ip, headers, trustProxy });
  }

  get signal(): AbortSignal {
    this.#bound ??= boundSignal([this.request.signal], REQUEST_TIMEOUT_MS);
    return this.#bound.signal;
  }

  [END](): void {
    this.#bound?.release();
  }

  get nonce(): string {
    this.#nonce ??= randomBase64url(16);
    return this.#nonce;
  }

  session(): Awaitable<CurrentSession | null> {
    return this.kernel.strategy.read(this);
  }

  async requireSession(): Promise<CurrentSession> {
    const current = await this.session();
    if (!current) throw new SessionRequired("The request has no session. Sign in first.");
    // A strategy of another package may have returned no id.
    if (!current.id) {
      const { strategy } = this.kernel.config.session;
      throw new MissingUserId(
        `The strategy "${strategy}" returned a session without the user's id. Return \`id\` from \`read\`.`,
      );
    }
    return current;
  }

  async requireFreshSession(): Promise<CurrentSession> {
    const current = await this.requireSession();
    await checkFreshness(this);
    return current;
  }

  [BODY](fields: Body): void {
    this.#body = fields;
    this.#fields = fields;
  }

  body(): Awaitable<Body> {
    this.#body ??= isSafeMethod(this[REQUEST].method) ? {} : this.#readBody();
    return this.#body;
  }

  async #readBody(): Promise<Body> {
    this.#fields = await readBody(this.request, this.signal);
    return this.#fields;
  }

  csrfToken(): Awaitable<string | undefined> {
    this[CSRF_TOKEN] ??= issueCsrfToken(this);
    return this[CSRF_TOKEN];
  }

  callbackUrl(): Awaitable<string> {
    this.#callbackUrl ??= getCallbackUrl(this);
    return this.#callbackUrl;
  }

  safeRedirect(url: string): Awaitable<string> {
    return safeRedirect(this, url);
  }

  json(
    value: unknown,
    { status = 200, headers }: { status?: number; headers?: Record<string, string> } = {},
  ): Response {
    // Compared by identity for speed: equivalent headers are not detected.
    const isUncached = headers === NO_STORE;
    const init = { status, headers: isUncached ? JSON_NO_STORE : { ...JSON_HEADERS, ...headers } };
    const text: string | undefined = JSON.stringify(value ?? null);
    const isKnown = this.#connection?.runtime?.name === "node" && text !== undefined;
    this[OWN] = isKnown
      ? createKnownResponse(text, init, isUncached && status === 200)
      : new Response(text, init);
    if (isUncached) this[UNCACHED] = this[OWN];
    return this[OWN];
  }

  redirect(url: string): Response {
    const location = new URL(url, this.origin).href;
    // The URL of a callback contains a code or a token, which must not reach the next page as a referrer.
    const policy = this.action === "callback" && { "referrer-policy": "no-referrer" };
    const headers = { location, ...NO_STORE, ...policy };
    if (this.request.headers.has("x-auth-return-redirect")) {
      return this.json({ url: location }, { headers });
    }
    // Browsers turn a POST into a GET after a 302. Only 303 does that for other methods (RFC 9110).
    const { method } = this.request;
    const status = isSafeMethod(method) || method === "POST" ? 302 : 303;
    this[OWN] = new Response(null, { status, headers });
    return this[OWN];
  }

  // The plugin that renders pages also brings the texts that visitors read.
  #expectPages(): Pages {
    const pages = this.kernel.find("pages");
    if (pages) return pages;
    throw new PluginError(
      `No plugin renders pages, which /${this.action} needs. Use a plugin of keyhook/pages, or the standard preset.`,
    );
  }

  languages(): Awaitable<readonly string[]> {
    this.#languages ??= this.#expectPages().listLanguages(this);
    return this.#languages;
  }

  translator(): Awaitable<Translator> {
    return this.#expectPages().translate(this);
  }

  waitUntil(work: Promise<unknown>): void {
    const { log } = this;
    const settled = work.catch((error: unknown) => log.error(error as Error));
    this.#connection?.waitUntil?.(settled);
  }

  async page(page: Page): Promise<Response> {
    this[OWN] = await this.#expectPages().render(this, page);
    return this[OWN];
  }
}

/**
 * Creates the context of a request.
 * @throws UntrustedHost when the request's host is malformed or not trusted.
 */
export function createContext(options: ContextOptions): AuthContext {
  return new RequestContext(options);
}
