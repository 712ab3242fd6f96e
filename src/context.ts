import { readBody } from "./body.ts";
import { createCookies } from "./cookies.ts";
import { newCsrfCookie, readCsrfCookie } from "./csrf.ts";
import { randomBase64url } from "./crypto.ts";
import { ask } from "./hooks.ts";
import { publicOrigin } from "./origin.ts";
import { safeRedirect } from "./redirect.ts";
import type { AuthContext, Body, Kernel } from "./types/kernel.ts";
import type { Awaitable } from "./types/models.ts";
import type { ProviderBase, ResolvedProvider } from "./types/provider.ts";
import type { CookieTable } from "./cookies.ts";

/** Milliseconds a request may take, identity provider included. */
export const REQUEST_TIMEOUT = 10_000;

// Known to this module alone: no header, option or plugin can claim it.
const TRUSTED = Symbol("trusted");

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

/** What makes a context. */
export interface ContextOptions {
  kernel: Kernel;
  request: Request;
  url: URL;
  place: Place;
  /** Cookie names and attributes for secure and for plain origins. */
  tables: { secure: CookieTable; plain: CookieTable };
  /** The application's own server code asks: no CSRF token is needed. */
  trusted?: boolean;
  /** Stands in for the request's body. */
  body?: Body;
}

/** Whether the application's own server code asks. */
export function isTrusted(ctx: AuthContext): boolean {
  return (ctx as AuthContext & { [TRUSTED]?: boolean })[TRUSTED] === true;
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

/**
 * Makes the one object that a request is handed on as.
 * @throws UntrustedHost
 */
export function createContext(options: ContextOptions): AuthContext {
  const { kernel, request, place, tables } = options;
  const { config } = kernel;
  const origin = publicOrigin(config, options.url, request.headers);
  const secure = config.useSecureCookies ?? origin.startsWith("https:");
  const url =
    origin === options.url.origin
      ? options.url
      : new URL(origin + options.url.pathname + options.url.search);

  let body: Awaitable<Body> | undefined = options.body;
  let csrf: Awaitable<string | undefined> | undefined;
  let callbackUrl: Awaitable<string> | undefined;
  let nonce: string | undefined;
  let signal: AbortSignal | undefined;

  const csrfToken = async (): Promise<string | undefined> => {
    if (config.skipCSRFCheck) return undefined;
    const { name, attributes } = ctx.cookies.spec("csrfToken");
    const known = await readCsrfCookie(ctx.cookies.get(name), config.secret);
    if (known !== undefined) return known;
    const made = await newCsrfCookie(config.secret);
    ctx.cookies.set(name, made.cookie, attributes);
    return made.token;
  };

  const resolveCallbackUrl = async (): Promise<string> => {
    const { name, attributes } = ctx.cookies.spec("callbackUrl");
    const remembered = ctx.cookies.get(name);
    const posted = request.method === "POST" ? (await ctx.body()).callbackUrl : undefined;
    const given = posted ?? url.searchParams.get("callbackUrl") ?? undefined;
    if (typeof given !== "string" || given === "") {
      return remembered ? safeRedirect(ctx, remembered) : origin;
    }
    const target = await safeRedirect(ctx, given);
    if (target !== remembered) ctx.cookies.set(name, target, attributes);
    return target;
  };

  const ctx: AuthContext & { [TRUSTED]?: boolean } = {
    kernel,
    request,
    url,
    origin,
    base: origin + config.basePath,
    action: place.action,
    cookies: createCookies(request.headers.get("cookie"), secure ? tables.secure : tables.plain),
    get signal() {
      signal ??= AbortSignal.any([request.signal, AbortSignal.timeout(REQUEST_TIMEOUT)]);
      return signal;
    },
    get nonce() {
      nonce ??= randomBase64url(16);
      return nonce;
    },
    body: () => (body ??= request.method === "POST" ? readBody(request, ctx.signal) : {}),
    csrfToken: () => (csrf ??= csrfToken()),
    callbackUrl: () => (callbackUrl ??= resolveCallbackUrl()),
    safeRedirect: (target) => safeRedirect(ctx, target),
    json(value, init = {}) {
      return new Response(JSON.stringify(value ?? null), {
        status: init.status ?? 200,
        headers: { "content-type": "application/json", ...init.headers },
      });
    },
    redirect(target) {
      const location = new URL(target, origin).href;
      if (!request.headers.has("x-auth-return-redirect")) {
        return new Response(null, { status: 302, headers: { location, ...NO_STORE } });
      }
      return ctx.json({ url: location }, { headers: { location, ...NO_STORE } });
    },
    async page(page) {
      // Rendering is loaded with the first page: an application with its own pages never needs it.
      const { respondWithPage } = await import("./page/respond.ts");
      const shaped = await ask(kernel.hooks.page.for(page.name), page, ctx);
      const { nonce: ownNonce, base } = ctx;
      return respondWithPage(shaped ?? page, {
        theme: config.theme,
        nonce: ownNonce,
        origin,
        base,
      });
    },
  };
  if (place.provider) Object.assign(ctx, { provider: providerAt(ctx, place.provider) });
  if (options.trusted) ctx[TRUSTED] = true;
  return ctx;
}
