import { randomHex } from "../crypto/crypto.ts";
import {
  AuthError,
  BadRequest,
  CredentialsSignin,
  FreshSessionRequired,
  MethodNotAllowed,
  MissingCSRF,
  UnknownAction,
  UntrustedHost,
} from "../errors/errors.ts";
import { callHook } from "../hooks/hooks.ts";
import { wantsJson, wantsPage } from "../http/accept.ts";
import { toError } from "../platform/to-error.ts";
import type { AuthContext, Kernel, RequestLog } from "../types/kernel.ts";
import type { Awaitable } from "../types/models.ts";
import { JSON_HEADERS, NO_STORE } from "./context.ts";
import { describeError } from "./log.ts";
import { isHere, pageUrl } from "./redirect.ts";
import { findPageBefore, getSignInPage } from "./sign-in-redirect.ts";

/** The messages of JSON responses by status. Pages have their own in the visitor's language. */
const TEXTS: Readonly<Record<number, string>> = {
  400: "The request could not be understood.",
  401: "Authentication is required, or has failed.",
  403: "Access is denied.",
  404: "Not found.",
  405: "Method not allowed.",
  408: "The request did not arrive in time.",
  409: "The request conflicts with stored data.",
  410: "The requested resource is no longer available.",
  413: "The request is too large.",
  429: "There were too many requests. Try again later.",
};
const DEFAULT_TEXT = "The request failed; the server's log contains the details.";

/** Returns a JSON response with a fixed text and the id that is in the log. */
export function plainFailure(status: number, id?: string): Response {
  const body = { message: TEXTS[status] ?? DEFAULT_TEXT, id };
  return new Response(JSON.stringify(body), {
    status,
    headers: { ...JSON_HEADERS, ...NO_STORE },
  });
}

/** Returns a fixed page in English, for use when no kernel can render one. The texts must be valid HTML. */
export function plainPage(status: number, title: string, text: string): Response {
  const html =
    `<!DOCTYPE html>\n<html lang="en"><head><meta charset="utf-8"><title>${title}</title>` +
    `<meta name="viewport" content="width=device-width, initial-scale=1"></head>` +
    `<body><main><h1>${title}</h1><p>${text}</p></main></body></html>\n`;
  return new Response(html, {
    status,
    headers: {
      "content-type": "text/html; charset=utf-8",
      "content-security-policy": "default-src 'none'; base-uri 'none'; frame-ancestors 'none'",
      "x-content-type-options": "nosniff",
      ...NO_STORE,
    },
  });
}

// Sets the id of the response on the error, for the log.
function tagError(error: Error): string {
  const id = randomHex(6);
  if (Object.isExtensible(error)) {
    // Configurable: an application may throw the same error object again.
    Object.defineProperty(error, "id", { value: id, configurable: true });
  }
  return id;
}

/** Returns the query that tells pages what failed: the type of a public error, and its code. */
export function getErrorQuery(error: Error): { error: string; code?: string } {
  if (!(error instanceof AuthError) || !error.public) return { error: "Configuration" };
  const { code } = error;
  // A subclass in the application may have its own type, which pages do not know.
  const type = error instanceof CredentialsSignin ? CredentialsSignin.type : error.type;
  return { error: type, ...(code !== undefined && { code }) };
}

const isDebug = (error: Error): error is AuthError =>
  error instanceof AuthError && error.level === "debug";

const getStatus = (error: Error): number => (error instanceof AuthError ? error.status : 500);

async function respondInPlace(ctx: AuthContext, status: number, id: string): Promise<Response> {
  const pages = wantsPage(ctx.request) ? ctx.kernel.find("pages") : undefined;
  return pages ? ctx.page(await pages.explain(ctx, status)) : plainFailure(status, id);
}

const MAX_CAUSES = 5;

/** Returns whether a request failed because its client disconnected, which is not a fault of the server. */
export function isAbandoned({ request: { signal } }: AuthContext, error: unknown): boolean {
  let cause = error;
  for (let at = 0; signal.aborted && cause instanceof Error && at <= MAX_CAUSES; at++) {
    // The cause may be a redacted copy of the signal's reason, which keeps its name.
    if (cause === signal.reason || String(cause.name).startsWith("AbortError")) return true;
    cause = cause instanceof AuthError ? cause.cause?.err : cause.cause;
  }
  return false;
}

/** Logs an error that ended a request, at the level of its class. */
export function logFailure(logger: RequestLog, error: Error): void {
  if (isDebug(error)) logger.debug(error.message, { type: error.type });
  else logger.error(error);
}

// Returns the URL of the sign-in page, which leads back to what the visitor was doing.
async function getSignInUrl(ctx: AuthContext, error: FreshSessionRequired): Promise<string> {
  const query = { ...getErrorQuery(error), callbackUrl: await findPageBefore(ctx) };
  return pageUrl(getSignInPage(ctx), ctx.origin, query);
}

function hasSignInPage({ kernel }: AuthContext): boolean {
  return kernel.config.pages.signIn !== undefined || kernel.route("GET", "/signin") !== undefined;
}

/**
 * Returns what clients may learn about an error: its type and code, a fixed sentence, and the id of its log entry if
 * there is one.
 */
export function describePublicly(
  { errors }: Kernel,
  error: Error & { id?: string },
): { error: string; code?: string; message: string; id?: string } {
  const { message = TEXTS[getStatus(error)] ?? DEFAULT_TEXT } =
    (error instanceof AuthError && errors.get(error.type)) || {};
  // A frozen error cannot carry the response's id: any `id` on it is its own.
  const id = !isDebug(error) && Object.isExtensible(error) ? error.id : undefined;
  return { ...getErrorQuery(error), message, ...(id !== undefined && { id }) };
}

async function jsonFailure(
  ctx: AuthContext,
  error: Error,
  status: number,
  id: string,
): Promise<Response> {
  if (!(error instanceof AuthError) || !error.public) return plainFailure(status, id);
  const isStale = error instanceof FreshSessionRequired;
  const body = {
    ...describePublicly(ctx.kernel, error),
    ...(isStale && { url: await getSignInUrl(ctx, error) }),
  };
  return ctx.json(body, { status, headers: listHeaders(error) });
}

// A plugin's limit states when to retry, even if no rule of `rateLimit` has counted.
function listHeaders(error: Error): Record<string, string> {
  const { retryAfter } = (error instanceof AuthError ? error : {}) as { retryAfter?: unknown };
  const seconds = Number(retryAfter ?? 0);
  const isStated = seconds > 0 && Number.isFinite(seconds);
  return { ...NO_STORE, ...(isStated && { "retry-after": String(Math.ceil(seconds)) }) };
}

// Logs the error that ended a request, or that its client has disconnected.
function reportFailure(ctx: AuthContext, error: Error, id: string): void {
  if (isAbandoned(ctx, error)) {
    ctx.log.debug("The client has disconnected: the request ends without its response.");
    return;
  }
  logFailure(ctx.log, error);
  // A debug-level error has already been written as a debug line.
  if (!isDebug(error)) ctx.debug?.("the request failed", { ...describeError(error), id });
}

// A form that was open for too long is shown again at its own path, since nothing has happened yet.
function isExpiredForm({ kernel, route }: AuthContext, error: Error): boolean {
  if (!(error instanceof MissingCSRF) || route?.method !== "POST") return false;
  return !route.path.includes(":provider") && kernel.route("GET", route.path) !== undefined;
}

// Leads to the application's page or the built-in one, which reads the error from its URL.
function leadToErrorPage(ctx: AuthContext, error: Error, id: string): Awaitable<Response> {
  const { kernel } = ctx;
  const status = getStatus(error);
  const kind = error instanceof AuthError && error.kind === "signIn" ? "signIn" : "error";
  const builtIn = `/${kind.toLowerCase()}`;
  const page = kernel.config.pages[kind];
  const target = pageUrl(page ?? ctx.base + builtIn, ctx.origin, getErrorQuery(error));
  if (isHere(ctx, target)) return respondInPlace(ctx, status < 400 ? 500 : status, id);
  if (page === undefined && !kernel.route("GET", builtIn)) {
    return ctx.json(describePublicly(kernel, error), { status, headers: listHeaders(error) });
  }
  const response = ctx.redirect(target);
  // Clients, including those of Auth.js, read the error from the URL, whatever the status.
  const isData = response.status === 200 && status >= 500;
  return isData ? new Response(response.body, { status, headers: response.headers }) : response;
}

/** Turns a thrown error into a response: logs it, calls the `error` hook, and returns a page, a redirect or JSON. */
export async function respondToError(ctx: AuthContext, thrown: unknown): Promise<Response> {
  const { kernel, route } = ctx;
  const error = toError(thrown);
  const id = tagError(error);
  reportFailure(ctx, error, id);
  const replacement = await callHook(kernel.hooks.error, error, ctx);
  if (replacement instanceof Response) return replacement;

  const status = getStatus(error);
  // Clients of provider routes read the error from a URL's `error`, as with Auth.js.
  const isScript = route && !ctx.provider && wantsJson(ctx.request);
  if (route?.json || isScript) return jsonFailure(ctx, error, status, id);
  const isAboutRequest =
    error instanceof UnknownAction || error instanceof BadRequest || error instanceof UntrustedHost;
  if (isAboutRequest) {
    const response = await respondInPlace(ctx, status, id);
    if (error instanceof MethodNotAllowed) response.headers.set("allow", error.allow);
    return response;
  }
  if (isExpiredForm(ctx, error)) {
    return ctx.redirect(pageUrl(ctx.url.pathname, ctx.origin, getErrorQuery(error)));
  }
  if (error instanceof FreshSessionRequired && hasSignInPage(ctx)) {
    return ctx.redirect(await getSignInUrl(ctx, error));
  }
  return leadToErrorPage(ctx, error, id);
}
