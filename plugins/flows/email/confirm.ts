import { markSession, isOwnSession, openChecks, timingSafeEqual } from "../../../src/_kit.ts";
import { clearCheck, sealCheck } from "../../../src/kernel.ts";
import type { EmailContext } from "./types.ts";

/** The parameters of a link that was opened. */
export interface Link {
  email: string;
  token: string;
}

/**
 * Sets a cookie in this browser with the address for which it requested a link, and the session at that time. If the
 * e-mail has a code, the cookie also has the hash of its token and the redirect target, so that the code can be entered
 * in this browser.
 */
export async function rememberBrowser(
  ctx: EmailContext,
  address: string,
  token: string | undefined,
): Promise<void> {
  const check = { value: address, session: await markSession(ctx) };
  const withCode = token !== undefined && { token, callbackUrl: await ctx.callbackUrl() };
  await sealCheck(ctx, "emailCheck", { ...check, ...withCode });
}

/** Clears the cookie of `rememberBrowser`. */
export function forgetBrowser(ctx: EmailContext): void {
  clearCheck(ctx, "emailCheck");
}

// A link that was requested in another session needs a confirmation: a sibling host may have set the cookie of its own
// request.
async function isRequestingBrowser(ctx: EmailContext, address: string): Promise<boolean> {
  const checks = await openChecks(ctx, "emailCheck");
  if (!checks.length) forgetBrowser(ctx);
  const own = checks.filter(
    ({ value, provider }) => provider === ctx.provider.id && timingSafeEqual(value, address),
  );
  const isOwn = await Promise.all(own.map(({ session }) => isOwnSession(ctx, session)));
  return isOwn.includes(true);
}

// The standard header, and those of older browsers.
const PURPOSES = ["sec-purpose", "purpose", "x-purpose", "x-moz"];

// Returns whether a user navigates to the link. HEAD requests, prefetching browsers, images and frames do not count.
function isNavigation({ method, headers }: Request): boolean {
  if (method !== "GET") return false;
  const purposes = PURPOSES.map((name) => headers.get(name) ?? "").join();
  if (/prefetch|prerender|preview/i.test(purposes)) return false;
  const target = headers.get("sec-fetch-dest") ?? "document";
  const isOwnScript = target === "empty" && headers.get("sec-fetch-site") === "same-origin";
  return target === "document" || isOwnScript;
}

/** Returns whether this request may redeem the link without a confirmation. */
export async function mayRedeem(ctx: EmailContext, { email }: Link): Promise<boolean> {
  const { request, provider } = ctx;
  // A POST carries this browser's CSRF token, so the user pressed the button.
  if (request.method === "POST") return true;
  if (!isNavigation(request) || provider.confirm === "always") return false;
  return provider.confirm === "never" || isRequestingBrowser(ctx, email);
}

/** Returns the page with the button that redeems the link. Programs that scan e-mails do not press it. */
export async function confirmPage(ctx: EmailContext, { email, token }: Link): Promise<Response> {
  const [csrfToken, callbackUrl] = await Promise.all([ctx.csrfToken(), ctx.callbackUrl()]);
  const { t } = await ctx.translator();
  return ctx.page({
    name: "email-confirm",
    title: t("confirm.title"),
    heading: t("confirm.heading"),
    icon: "mail",
    secretUrl: true,
    blocks: [
      { kind: "text", text: t("confirm.text", { email }) },
      {
        kind: "form",
        form: {
          action: ctx.provider.callbackUrl,
          hidden: { csrfToken, callbackUrl, email, token },
          submit: t("confirm.submit"),
          deliberate: true,
        },
      },
      { kind: "text", text: t("confirm.notice") },
    ],
  });
}
