import { randomBase64url } from "../crypto/crypto.ts";
import { PluginError } from "../errors/errors.ts";
import { readBody } from "../http/body.ts";
import { createCookies } from "../http/cookies.ts";
import type { CookieTable } from "../http/cookies.ts";
import { publicOrigin } from "../http/origin.ts";
import { acceptedLanguages, isLanguageTag } from "../i18n/messages.ts";
import { callHook } from "../kernel/hooks.ts";
import { andThen } from "../platform/awaitable.ts";
import type { Cookies } from "../types/cookie.ts";
import type { AuthContext, Body, Kernel, Operation } from "../types/kernel.ts";
import type { Translator } from "../types/message.ts";
import type { Awaitable } from "../types/models.ts";
import type { Page } from "../types/page.ts";
import type { ProviderBase, ResolvedProvider } from "../types/provider.ts";
import { csrfTokenIn, newCsrfCookie } from "./csrf.ts";
import { safeRedirect } from "./redirect.ts";

/** Time limit of a request in milliseconds, including its calls of identity providers. */
export const REQUEST_TIMEOUT_MS = 10_000;

/** Maximum length of a URL that the `callbackUrl` cookie remembers; longer ones are in the form only. */
const MAX_REMEMBERED_URL_LENGTH = 1024;

// Private to this module: no header, option or plugin can set it.
const TRUSTED = Symbol("trusted");
const MADE = Symbol("made");

/** The headers of a response that no cache may store (SECURITY.md R10), as Auth.js sends them. */
export const NO_STORE: Readonly<Record<string, string>> = {
  "cache-control": "private, no-cache, no-store",
  expires: "0",
  pragma: "no-cache",
};

/** The path of a request below the base path: its first segment and the provider that it names. */
export interface RoutePath {
  action: string;
  provider?: ProviderBase;
}

/** Inputs of `createContext`. */
export interface ContextOptions {
  kernel: Kernel;
  /** Default `request`. */
  operation?: Operation;
  request: Request;
  url: URL;
  path: RoutePath;
  /** Cookie names and attributes for https and for http origins. */
  tables: { secure: CookieTable; plain: CookieTable };
  /** Replaces the request's body. */
  body?: Body;
}

/** Returns whether the application's own server code is the caller, and not a browser. */
export function isTrusted(ctx: AuthContext): boolean {
  return (ctx as RequestContext)[TRUSTED] === true;
}

/** Returns whether a response was created by this context, so that no other request can share it. */
export function isOwn(ctx: AuthContext, response: Response): boolean {
  return (ctx as RequestContext)[MADE] === response;
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

// A class, since every request creates one: an object with closures takes ten times as long.
class RequestContext implements AuthContext {
  readonly kernel: Kernel;
  readonly operation: Operation;
  readonly request: Request;
  readonly url: URL;
  readonly origin: string;
  readonly base: string;
  readonly action: string;
  readonly cookies: Cookies;
  declare readonly provider?: ResolvedProvider<ProviderBase>;
  readonly [TRUSTED]: boolean;
  [MADE]: Response | undefined;
  #body: Awaitable<Body> | undefined;
  #csrfToken: Awaitable<string | undefined> | undefined;
  #callbackUrl: Awaitable<string> | undefined;
  #languages: Awaitable<readonly string[]> | undefined;
  #nonce: string | undefined;
  #signal: AbortSignal | undefined;

  constructor(options: ContextOptions) {
    const { kernel, operation = "request", request, url, path, tables, body } = options;
    const { config } = kernel;
    const origin = publicOrigin(config, url, request.headers);
    const secure = config.useSecureCookies ?? origin.startsWith("https:");
    this.kernel = kernel;
    this.operation = operation;
    this.request = request;
    this.url = origin === url.origin ? url : new URL(origin + url.pathname + url.search);
    this.origin = origin;
    this.base = origin + config.basePath;
    this.action = path.action;
    const table = secure ? tables.secure : tables.plain;
    this.cookies = createCookies(request.headers.get("cookie"), table);
    if (path.provider) this.provider = providerAt(this, path.provider);
    this[TRUSTED] = operation !== "request";
    this.#body = body;
  }

  get signal(): AbortSignal {
    this.#signal ??= AbortSignal.any([
      this.request.signal,
      AbortSignal.timeout(REQUEST_TIMEOUT_MS),
    ]);
    return this.#signal;
  }

  get nonce(): string {
    this.#nonce ??= randomBase64url(16);
    return this.#nonce;
  }

  body(): Awaitable<Body> {
    this.#body ??= this.request.method === "POST" ? readBody(this.request, this.signal) : {};
    return this.#body;
  }

  csrfToken(): Awaitable<string | undefined> {
    this.#csrfToken ??= getCsrfToken(this);
    return this.#csrfToken;
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
    this[MADE] = new Response(JSON.stringify(value ?? null), {
      status,
      headers: { "content-type": "application/json", ...headers },
    });
    return this[MADE];
  }

  redirect(url: string): Response {
    const location = new URL(url, this.origin).href;
    const headers = { location, ...NO_STORE };
    if (this.request.headers.has("x-auth-return-redirect")) {
      return this.json({ url: location }, { headers });
    }
    this[MADE] = new Response(null, { status: 302, headers });
    return this[MADE];
  }

  languages(): Awaitable<readonly string[]> {
    this.#languages ??= getLanguages(this);
    return this.#languages;
  }

  translator(): Awaitable<Translator> {
    const { kernel } = this;
    if (kernel.languages.length === 1) return kernel.translator([]);
    return andThen(this.languages(), (wanted) => kernel.translator(wanted));
  }

  async page(page: Page): Promise<Response> {
    const { kernel, nonce, origin, base } = this;
    const { theme } = kernel.config;
    const render = kernel.pageRenderer;
    if (!render) {
      throw new PluginError(
        `No plugin renders pages, such as "${page.name}". Use a plugin of keyhook/pages, or the standard preset.`,
      );
    }
    const translator = await this.translator();
    const changed = await runPageHook(this, "*", await runPageHook(this, page.name, page));
    this[MADE] = await render(changed, { theme, nonce, origin, base, translator });
    return this[MADE];
  }

  waitUntil(promise: Promise<unknown>): void {
    const { request, kernel } = this;
    const settled = promise.catch((error: unknown) => kernel.logger.error(error as Error));
    const { waitUntil } = request as { waitUntil?: unknown };
    if (typeof waitUntil === "function") waitUntil.call(request, settled);
  }
}

// The error page needs the language too: a tap that throws must not prevent it.
async function getChosenLanguage(ctx: AuthContext): Promise<string[]> {
  try {
    const tag = await callHook(ctx.kernel.hooks.locale, ctx);
    return typeof tag === "string" && isLanguageTag(tag) ? [tag] : [];
  } catch (error) {
    ctx.kernel.logger.error(error as Error);
    return [];
  }
}

function getLanguages(ctx: AuthContext): Awaitable<readonly string[]> {
  const accepted = acceptedLanguages(ctx.request.headers.get("accept-language"));
  if (!ctx.kernel.hooks.locale.isUsed()) return accepted;
  return andThen(getChosenLanguage(ctx), (chosen) => [...chosen, ...accepted]);
}

function runPageHook(ctx: AuthContext, name: string, page: Page): Awaitable<Page> {
  const hook = ctx.kernel.hooks.page.for(name);
  return hook.isUsed() ? andThen(callHook(hook, page, ctx), (changed) => changed ?? page) : page;
}

async function getCsrfToken(ctx: AuthContext): Promise<string | undefined> {
  const { kernel, cookies } = ctx;
  const { skipCSRFCheck, secret } = kernel.config;
  if (skipCSRFCheck) return undefined;
  const known = await csrfTokenIn(ctx);
  if (known !== undefined) return known;
  const { name, attributes } = cookies.spec("csrfToken");
  const made = await newCsrfCookie(secret);
  cookies.set(name, made.cookie, attributes);
  return made.token;
}

async function getCallbackUrl(ctx: AuthContext): Promise<string> {
  const { name, attributes } = ctx.cookies.spec("callbackUrl");
  const remembered = ctx.cookies.get(name);
  const posted = ctx.request.method === "POST" ? (await ctx.body()).callbackUrl : undefined;
  const given = posted ?? ctx.url.searchParams.get("callbackUrl") ?? undefined;
  if (typeof given !== "string" || given === "") {
    return remembered ? safeRedirect(ctx, remembered) : ctx.origin;
  }
  const target = await safeRedirect(ctx, given);
  const isNew = target !== remembered && target.length <= MAX_REMEMBERED_URL_LENGTH;
  if (isNew) ctx.cookies.set(name, target, attributes);
  return target;
}

/**
 * Creates the context of a request.
 * @throws UntrustedHost when the request's host is malformed or not trusted.
 */
export function createContext(options: ContextOptions): AuthContext {
  return new RequestContext(options);
}
