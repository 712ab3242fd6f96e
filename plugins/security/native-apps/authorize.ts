import {
  getErrorMessage,
  getSignInPage,
  leadTo,
  randomBase64url,
  wantsJson,
} from "../../../src/_kit.ts";
import { BadRequest, MissingCSRF } from "../../../src/errors.ts";
import { type AuthContext, type Block, pageUrl, type Translator } from "../../../src/kernel.ts";
import { type App, isRedirectUri } from "./apps.ts";
import { takeConsent } from "./consent.ts";
import type { Parts } from "./parts.ts";

/** The parameters of the URL that an app opens in the browser (RFC 6749 section 4.1.1, RFC 7636 section 4.3). */
interface AppRequest {
  readonly app: App;
  readonly redirectUri: string;
  readonly state: string | undefined;
  readonly challenge: string;
  /** The reason for which the request is refused. */
  readonly error: string | undefined;
}

/** Lifetime of a code in seconds. The browser redirects to the app at once. */
const CODE_S = 60;
/** Maximum length of the URL. The cookie that leads back here after the sign-in cannot hold a longer one. */
const MAX_URL_LENGTH = 1024;
/** An S256 challenge: 32 bytes as base64url. */
const CHALLENGE = /^[\w-]{43}$/;

// A repeated parameter counts as absent, because something in front of this server may have checked the other value.
function readOne(params: URLSearchParams, name: string): string | undefined {
  const values = params.getAll(name);
  return values.length === 1 ? values[0] : undefined;
}

function findError({ href, searchParams: params }: URL): string | undefined {
  const isValid =
    href.length <= MAX_URL_LENGTH &&
    params.getAll("state").length < 2 &&
    params.getAll("response_type").length === 1 &&
    CHALLENGE.test(readOne(params, "code_challenge") ?? "") &&
    readOne(params, "code_challenge_method") === "S256";
  if (!isValid) return "invalid_request";
  return params.get("response_type") === "code" ? undefined : "unsupported_response_type";
}

// The parameters are always those of the URL, even when the form is posted. What the form shows is what it grants.
function readRequest({ apps }: Parts, { url }: AuthContext): AppRequest {
  const { searchParams: params } = url;
  const app = apps.get(readOne(params, "client_id") ?? "");
  const redirectUri = readOne(params, "redirect_uri");
  if (!app) throw new BadRequest("`client_id` is not an app of nativeApps().");
  if (redirectUri === undefined || !isRedirectUri(app, redirectUri)) {
    throw new BadRequest(`\`redirect_uri\` is not in the \`redirectUris\` of the app "${app.id}".`);
  }
  const state = readOne(params, "state");
  const challenge = params.get("code_challenge") ?? "";
  return { app, redirectUri, state, challenge, error: findError(url) };
}

// `iss` tells an app that uses several servers which one responded (RFC 9207).
function leadToApp(
  ctx: AuthContext,
  { redirectUri, state }: AppRequest,
  result: { code: string } | { error: string },
): Response {
  return leadTo(ctx, pageUrl(redirectUri, ctx.origin, { ...result, state, iss: ctx.base }));
}

/** Returns the name of the signed-in user for a page. */
export async function nameUser(ctx: AuthContext): Promise<string> {
  const { id, session } = await ctx.requireSession();
  return session.user?.email || session.user?.name || id;
}

/** Builds the form that asks whether an app may sign in. */
export function consentForm(
  { t }: Translator,
  action: string,
  hidden: Record<string, string> = {},
): Block {
  const other = { submit: t("app.deny"), name: "deny", value: "1" };
  const submit = t("app.allow");
  const form = { action, hidden: { ...hidden, allow: "1" }, submit, other, deliberate: true };
  return { kind: "form", form };
}

/** `GET /authorize`: asks the user for consent, after a sign-in. */
export async function showConsent(parts: Parts, ctx: AuthContext): Promise<Response> {
  const request = readRequest(parts, ctx);
  if (!wantsJson(ctx.request) && !(await ctx.session())) {
    const query = { callbackUrl: ctx.url.href };
    return ctx.redirect(pageUrl(getSignInPage(ctx), ctx.origin, query));
  }
  const user = await nameUser(ctx);
  // Only after the sign-in. Otherwise a link to this site with an invalid parameter would redirect any visitor to the
  // URI of an app (RFC 9700 section 4.11.2).
  if (request.error !== undefined) return leadToApp(ctx, request, { error: request.error });
  const { name } = request.app;
  const translator = await ctx.translator();
  const { t } = translator;
  return ctx.page({
    name: "authorize",
    title: t("app.title"),
    heading: t("app.heading", { name }),
    ...getErrorMessage(ctx, translator),
    // Chrome applies the policy to the redirect after the form too. An IPv6 address is not a valid source in a policy.
    policy: { "form-action": new URL(request.redirectUri).protocol },
    data: { app: name, user },
    blocks: [
      { kind: "text", text: t("app.text", { name, user }) },
      { kind: "text", text: t("app.warning") },
      consentForm(translator, `${ctx.base}/authorize${ctx.url.search}`),
    ],
  });
}

/** Asks again when the form was open for too long. The kernel's own response would drop the app's request. */
export function askAgain(error: Error, ctx: AuthContext): Response | undefined {
  const { route, url, request } = ctx;
  const isForm = route?.method === "POST" && route.path === "/authorize" && !wantsJson(request);
  if (!isForm || !(error instanceof MissingCSRF)) return undefined;
  return ctx.redirect(pageUrl(url.href, ctx.origin, { error: error.type }));
}

/** `POST /authorize`: redirects the browser to the app, with a code if the user allows it. */
export async function decideConsent(parts: Parts, ctx: AuthContext): Promise<Response> {
  const request = readRequest(parts, ctx);
  const { app, redirectUri, challenge, error } = request;
  if (error !== undefined) return leadToApp(ctx, request, { error });
  const { allow, deny } = await ctx.body();
  if (deny !== undefined || allow !== "1")
    return leadToApp(ctx, request, { error: "access_denied" });
  const consent = await takeConsent(parts.limiter, ctx);
  const code = randomBase64url(32);
  const grant = { app: app.id, challenge, redirectUri };
  await parts.grants.add(["code", ctx.base, code], grant, CODE_S, consent);
  ctx.debug?.("a user has allowed a native app", { app: app.id });
  return leadToApp(ctx, request, { code });
}
