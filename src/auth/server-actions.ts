import { didYouMean } from "../errors/did-you-mean.ts";
import { AuthError, CallbackRouteError, Refused } from "../errors/errors.ts";
import { checkCsrf } from "../request/csrf.ts";
import { logFailure } from "../request/failure.ts";
import { withCookies } from "../request/finish.ts";
import { pageUrl } from "../request/redirect.ts";
import { getSignInPage } from "../request/sign-in-redirect.ts";
import type { AuthorizationParams, SignInOptions, SignOutOptions } from "../types/auth.ts";
import type { AuthContext, Body } from "../types/kernel.ts";
import type { Session } from "../types/models.ts";
import type { RequestSource } from "../types/request-source.ts";
import {
  type ActionHandler,
  change,
  deliver,
  getRequest,
  getResponse,
  openPost,
  perform,
} from "./call.ts";

function parseOptions(options: SignInOptions | SignOutOptions = {}): {
  redirect: boolean;
  redirectTo?: string;
  fields: Body;
  /** Whether the fields come from a visitor's form, which any site can post to the application's own route. */
  isForm: boolean;
} {
  const isForm = options instanceof FormData;
  const entries: Record<string, unknown> = isForm ? Object.fromEntries(options) : { ...options };
  const { redirect, redirectTo, ...fields } = entries;
  return {
    // The application decides whether the method redirects; the visitor's form does not.
    redirect: isForm || redirect !== false,
    ...(typeof redirectTo === "string" && redirectTo && { redirectTo }),
    fields,
    isForm,
  };
}

// Returns the page that the visitor is on.
function getCurrentPage(request: Request): string {
  return request.headers.get("referer") ?? "/";
}

/** The response to a post, and whether it refuses: sent instead of the route's response, or with an error status. */
interface Posted {
  response: Response;
  isRefusal: boolean;
}

async function post(
  handler: ActionHandler,
  ctx: AuthContext,
  call: RequestSource,
  check?: (ctx: AuthContext) => Promise<void>,
): Promise<Posted> {
  try {
    await check?.(ctx);
    const refusal = await handler.guard(ctx);
    const response = refusal ?? (await handler.dispatch(ctx));
    return { response, isRefusal: refusal !== undefined || response.status >= 400 };
  } catch (thrown) {
    const error = thrown instanceof AuthError ? thrown : new CallbackRouteError(thrown as Error);
    // The error is logged here, because the caller may discard it.
    logFailure(ctx.log, error);
    deliver(handler, ctx, call);
    throw error;
  }
}

function refused(response: Response): Refused {
  return new Refused(
    `The call was refused with the status ${response.status}, by a tap of the \`request\` hook or by the route: see ` +
      "`response` of this error.",
    response,
  );
}

function toOutcome(
  handler: ActionHandler,
  ctx: AuthContext,
  call: RequestSource,
  { response, isRefusal, redirect }: Posted & { redirect: boolean },
): Response | string {
  deliver(handler, ctx, call);
  if (redirect) return getResponse(call) ? response : withCookies(ctx, response);
  if (isRefusal) throw refused(response);
  return response.headers.get("location") ?? ctx.url.href;
}

/**
 * Signs in on behalf of the visitor. Resolves to the Response, or with `redirect: false` to the target URL. The field
 * `link` of a `FormData`, or `link` as text, also requires the visitor's `csrfToken` (`MissingCSRF`), as the route does.
 * @throws AuthError as the route would; any other error is wrapped in `CallbackRouteError`. With `redirect: false` also
 * `Refused`.
 */
export async function signIn(
  handler: ActionHandler,
  call: RequestSource,
  providerId?: string,
  options?: SignInOptions,
  authorizationParams?: AuthorizationParams,
): Promise<Response | string> {
  const { kernel } = handler;
  const { redirect, redirectTo, fields, isForm } = parseOptions(options);
  const callbackUrl = redirectTo ?? getCurrentPage(getRequest(call));
  const provider = providerId === undefined ? undefined : kernel.providers.get(providerId);
  if (!provider) {
    const ctx = openPost(handler, call, "signIn", "/signin");
    // The name may come from a form, and visitors must not be able to fill a production log.
    if (providerId && !kernel.config.production) {
      const text = `auth.signIn(): there is no provider "${providerId.slice(0, 64)}".`;
      const hint = didYouMean(providerId, kernel.providers.keys());
      kernel.logger.warn("unknown-provider", text + hint);
    }
    return perform(ctx, async () => {
      const query = { callbackUrl: await ctx.safeRedirect(callbackUrl) };
      const response = ctx.redirect(pageUrl(getSignInPage(ctx), ctx.origin, query));
      return toOutcome(handler, ctx, call, { response, isRefusal: false, redirect });
    });
  }
  const action = kernel.flow(provider.type).direct ? "callback" : "signin";
  const query = new URLSearchParams(authorizationParams).toString();
  const path = `/${action}/${provider.id}${query && `?${query}`}`;
  const ctx = openPost(handler, call, "signIn", path, { ...fields, callbackUrl });
  // An attacker's page could post the field to link the attacker's account to the visitor (SECURITY.md R13). Form
  // fields are texts, even if the application has read the form itself.
  const isPosted = isForm || typeof fields.link === "string";
  const check = isPosted && fields.link !== undefined ? checkCsrf : undefined;
  return change(handler, call, ctx, async () => {
    const posted = await post(handler, ctx, call, check);
    return toOutcome(handler, ctx, call, { ...posted, redirect });
  });
}

/**
 * Signs out on behalf of the visitor. Resolves to the Response, or with `redirect: false` to the target URL.
 * @throws AuthError
 */
export async function signOut(
  handler: ActionHandler,
  call: RequestSource,
  options?: SignOutOptions | FormData,
): Promise<Response | string> {
  const { redirect, redirectTo } = parseOptions(options);
  const callbackUrl = redirectTo ?? getCurrentPage(getRequest(call));
  const ctx = openPost(handler, call, "signOut", "/signout", { callbackUrl });
  return change(handler, call, ctx, async () => {
    const posted = await post(handler, ctx, call);
    return toOutcome(handler, ctx, call, { ...posted, redirect });
  });
}

/**
 * Updates the session of a call with `data` and resolves to it; to `null` without a session.
 * @throws Refused when a tap of the `request` hook sent a Response.
 */
export function update(
  handler: ActionHandler,
  call: RequestSource,
  data: unknown,
): Promise<Session | null> {
  const ctx = openPost(handler, call, "update", "/session", { data });
  return change(handler, call, ctx, async () => {
    const refusal = await handler.guard(ctx);
    const session = refusal ? null : await ctx.kernel.strategy.update(ctx, data);
    deliver(handler, ctx, call);
    if (refusal) throw refused(refusal);
    return session;
  });
}
