import { linkHome, PRIVATE_HEADERS, wantsPage } from "../../../src/_kit.ts";
import { type AuthContext, type Kernel, type Page, pageUrl } from "../../../src/kernel.ts";
import { CredentialsLocked, TooManyAttempts } from "./errors.ts";
import { ENGLISH } from "./messages.ts";

/** The `code` in URLs and JSON for credentials that a limit refused. */
const CODE = "rate_limited";
/** The parameter of the sign-in page's URL with the number of seconds to wait. */
const SECONDS = "retry_after";
const MINUTES_PER_HOUR = 60;

type Refusal = TooManyAttempts | CredentialsLocked;

async function describeWait(ctx: AuthContext, seconds: number): Promise<string> {
  const { language, t } = await ctx.translator();
  const minutes = Math.ceil(seconds / 60);
  const isLong = minutes > 2 * MINUTES_PER_HOUR;
  const format = { style: "unit", unit: isLong ? "hour" : "minute", unitDisplay: "long" } as const;
  const amount = isLong ? Math.ceil(minutes / MINUTES_PER_HOUR) : minutes;
  return t("limited.wait", { duration: new Intl.NumberFormat(language, format).format(amount) });
}

// As after wrong credentials, the sign-in page explains the error. Without that page there is no redirect target.
function getPage({ kernel, base, provider }: AuthContext): string | undefined {
  if (!provider) return undefined;
  return kernel.config.pages.signIn ?? (kernel.route("GET", "/signin") && `${base}/signin`);
}

// The client of an API follows no redirects and shows no page, whatever it accepts.
function isDataClient({ kernel, request }: AuthContext): boolean {
  if (kernel.sessionTransport) return true;
  const accept = request.headers.get("accept") ?? "";
  return accept.includes("json") && !accept.includes("text/html");
}

async function respond(error: Refusal, ctx: AuthContext): Promise<Response | undefined> {
  const { kernel, request, origin } = ctx;
  const { status, type, retryAfter } = error;
  const json = ctx.route?.json === true;
  const headers = { "retry-after": String(retryAfter), ...PRIVATE_HEADERS };
  const init = { status, headers };
  const query = { error: type, ...(error instanceof CredentialsLocked && { code: CODE }) };
  const page = json ? undefined : getPage(ctx);
  if (page !== undefined) {
    const url = pageUrl(page, origin, { ...query, [SECONDS]: String(retryAfter) });
    // Clients, including those of Auth.js, read the error from the URL whatever the status is.
    if (request.headers.has("x-auth-return-redirect")) return ctx.json({ url }, init);
    if (!isDataClient(ctx)) return ctx.redirect(url);
  } else if (!json && kernel.find("pages") && !isDataClient(ctx) && wantsPage(request)) {
    return showPage(error, ctx, headers);
  }
  const { message } = kernel.errors.get(TooManyAttempts.type) ?? {};
  return ctx.json({ ...query, message }, init);
}

// For a form of a plugin's page, no page could show the error.
async function showPage(
  { status, retryAfter }: Refusal,
  ctx: AuthContext,
  headers: Record<string, string>,
): Promise<Response> {
  const { t } = await ctx.translator();
  const response = await ctx.page({
    name: "failure",
    status,
    title: t("limited.title"),
    icon: "warning",
    message: { tone: "error", text: await describeWait(ctx, retryAfter) },
    blocks: [await linkHome(ctx)],
  });
  for (const [name, value] of Object.entries(headers)) response.headers.set(name, value);
  return response;
}

// Only this plugin's own codes change the page, because the parameters are the visitor's input.
async function explain(page: Page, ctx: AuthContext): Promise<Page | undefined> {
  const query = ctx.url.searchParams;
  const isLimited = query.get("code") === CODE || query.get("error") === TooManyAttempts.type;
  if (!isLimited) return undefined;
  const seconds = /^[1-9]\d{0,6}$/.exec(query.get(SECONDS) ?? "")?.[0];
  const { t } = await ctx.translator();
  const text =
    seconds === undefined ? t("signin.error.limited") : await describeWait(ctx, Number(seconds));
  return { ...page, message: { tone: "error", text } };
}

/** Registers the error, its texts, and the responses to refused requests. */
export function addRefusals(kernel: Kernel): void {
  const message = "Too many attempts. Try again later.";
  kernel.addMessages("en", ENGLISH);
  kernel.addError(TooManyAttempts, { text: "limited", message });
  kernel.hooks.page.for("signin").tap("rate-limit", explain);
  // This tap is late because a tap of the application may return its own response.
  kernel.hooks.error.tap({ name: "rate-limit", stage: "late" }, (error, ctx) =>
    error instanceof TooManyAttempts || error instanceof CredentialsLocked
      ? respond(error, ctx)
      : undefined,
  );
}
