import { chain } from "./awaitable.ts";
import { readBody } from "./body.ts";
import { createCookies } from "./cookies.ts";
import { csrfTokenIn, newCsrfCookie } from "./csrf.ts";
import { randomBase64url } from "./crypto.ts";
import { ask } from "./hooks.ts";
import { acceptedLanguages, isLanguageTag } from "./messages.ts";
import { publicOrigin } from "./origin.ts";
import { safeRedirect } from "./redirect.ts";
import type { AuthContext, Body, Cookies, Kernel } from "./types/kernel.ts";
import type { Awaitable } from "./types/models.ts";
import type { Reading } from "./types/message.ts";
import type { Page } from "./types/page.ts";
import type { ProviderBase, ResolvedProvider } from "./types/provider.ts";
import type { CookieTable } from "./cookies.ts";

/** Milliseconds a request may take, identity provider included. */
export const REQUEST_TIMEOUT = 10_000;

/** Longest target that a cookie remembers; longer ones travel in the form alone. */
const MAX_TARGET = 1024;

// Known to this module alone: no header, option or plugin can claim it.
const TRUSTED = Symbol("trusted");
const MADE = Symbol("made");

/** Headers of an answer that nobody may keep (SECURITY.md R10), as Auth.js sends them. */
export const NO_STORE: Readonly<Record<string, string>> = {
  "cache-control": "private, no-cache, no-store",
  expires: "0",
  pragma: "no-cache",
};

/** Path of a request below the base path. */
export interface Place {
  action: string;
  provider?: ProviderBase;
}

/** What draws pages. */
export type PageMaker = typeof import("./page/respond.ts");

/** What makes a context. */
export interface ContextOptions {
  kernel: Kernel;
  request: Request;
  url: URL;
  place: Place;
  /** Cookie names and attributes for secure and for plain origins. */
  tables: { secure: CookieTable; plain: CookieTable };
  /** Loads what draws pages: an application with its own pages never needs it. */
  pages: () => Promise<PageMaker>;
  /** The application's own server code asks: no CSRF token is needed. */
  trusted?: boolean;
  /** Stands in for the request's body. */
  body?: Body;
}

/** Whether the application's own server code asks. */
export function isTrusted(ctx: AuthContext): boolean {
  return (ctx as RequestContext)[TRUSTED] === true;
}

/** Whether a response was made by this very context: no other request's answer. */
export function isOwn(ctx: AuthContext, response: Response): boolean {
  return (ctx as RequestContext)[MADE] === response;
}

/** A provider with its two URLs on the request's origin. */
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

// A class, since every request makes one: an object with closures takes ten times as long.
class RequestContext implements AuthContext {
  readonly kernel: Kernel;
  readonly request: Request;
  readonly url: URL;
  readonly origin: string;
  readonly base: string;
  readonly action: string;
  readonly cookies: Cookies;
  declare readonly provider?: ResolvedProvider<ProviderBase>;
  readonly [TRUSTED]: boolean;
  [MADE]: Response | undefined;
  readonly #pages: () => Promise<PageMaker>;
  #body: Awaitable<Body> | undefined;
  #csrfToken: Awaitable<string | undefined> | undefined;
  #callbackUrl: Awaitable<string> | undefined;
  #languages: Awaitable<readonly string[]> | undefined;
  #nonce: string | undefined;
  #signal: AbortSignal | undefined;

  constructor(options: ContextOptions) {
    const { kernel, request, url, place, tables, pages, trusted = false, body } = options;
    const { config } = kernel;
    const origin = publicOrigin(config, url, request.headers);
    const secure = config.useSecureCookies ?? origin.startsWith("https:");
    this.kernel = kernel;
    this.request = request;
    this.url = origin === url.origin ? url : new URL(origin + url.pathname + url.search);
    this.origin = origin;
    this.base = origin + config.basePath;
    this.action = place.action;
    const table = secure ? tables.secure : tables.plain;
    this.cookies = createCookies(request.headers.get("cookie"), table);
    if (place.provider) this.provider = providerAt(this, place.provider);
    this[TRUSTED] = trusted;
    this.#pages = pages;
    this.#body = body;
  }

  get signal(): AbortSignal {
    this.#signal ??= AbortSignal.any([this.request.signal, AbortSignal.timeout(REQUEST_TIMEOUT)]);
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
    this.#csrfToken ??= csrfTokenOf(this);
    return this.#csrfToken;
  }

  callbackUrl(): Awaitable<string> {
    this.#callbackUrl ??= callbackUrlOf(this);
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
    this.#languages ??= languagesOf(this);
    return this.#languages;
  }

  reading(): Awaitable<Reading> {
    const { kernel } = this;
    if (kernel.languages.length === 1) return kernel.reading([]);
    return chain(this.languages(), (wanted) => kernel.reading(wanted));
  }

  async page(page: Page): Promise<Response> {
    const { kernel, nonce, origin, base } = this;
    const { theme } = kernel.config;
    const { respondWithPage } = await this.#pages();
    const reading = await this.reading();
    const shaped = await shapedBy(this, "*", await shapedBy(this, page.name, page));
    this[MADE] = respondWithPage(shaped, { theme, nonce, origin, base, reading });
    return this[MADE];
  }
}

// The page that tells of an error asks too: a tap that throws must not take that away.
async function chosenLanguage(ctx: AuthContext): Promise<string[]> {
  try {
    const tag = await ask(ctx.kernel.hooks.locale, ctx);
    return typeof tag === "string" && isLanguageTag(tag) ? [tag] : [];
  } catch (error) {
    ctx.kernel.logger.error(error as Error);
    return [];
  }
}

function languagesOf(ctx: AuthContext): Awaitable<readonly string[]> {
  const accepted = acceptedLanguages(ctx.request.headers.get("accept-language"));
  if (!ctx.kernel.hooks.locale.isUsed()) return accepted;
  return chain(chosenLanguage(ctx), (chosen) => [...chosen, ...accepted]);
}

function shapedBy(ctx: AuthContext, name: string, page: Page): Awaitable<Page> {
  const hook = ctx.kernel.hooks.page.for(name);
  return hook.isUsed() ? chain(ask(hook, page, ctx), (shaped) => shaped ?? page) : page;
}

async function csrfTokenOf(ctx: AuthContext): Promise<string | undefined> {
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

async function callbackUrlOf(ctx: AuthContext): Promise<string> {
  const { name, attributes } = ctx.cookies.spec("callbackUrl");
  const remembered = ctx.cookies.get(name);
  const posted = ctx.request.method === "POST" ? (await ctx.body()).callbackUrl : undefined;
  const given = posted ?? ctx.url.searchParams.get("callbackUrl") ?? undefined;
  if (typeof given !== "string" || given === "") {
    return remembered ? safeRedirect(ctx, remembered) : ctx.origin;
  }
  const target = await safeRedirect(ctx, given);
  const isNew = target !== remembered && target.length <= MAX_TARGET;
  if (isNew) ctx.cookies.set(name, target, attributes);
  return target;
}

/**
 * Makes the one object that a request is handed on as.
 * @throws UntrustedHost
 */
export function createContext(options: ContextOptions): AuthContext {
  return new RequestContext(options);
}
