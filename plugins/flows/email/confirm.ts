import { clearCheck, equal, openCheck, sealCheck } from "../../../src/index.ts";
import type { EmailContext } from "./types.ts";

/** A link as it was followed. */
export interface Link {
  email: string;
  token: string;
}

/** Remembers in this browser that it asked for a link to an address. */
export function rememberAsker(ctx: EmailContext, address: string): Promise<void> {
  return sealCheck(ctx, "emailCheck", { value: address });
}

/** Forgets it again. */
export function forgetAsker(ctx: EmailContext): void {
  clearCheck(ctx, "emailCheck");
}

async function isAsker(ctx: EmailContext, address: string): Promise<boolean> {
  try {
    const { value, provider } = await openCheck(ctx, "emailCheck");
    return provider === ctx.provider.id && equal(value, address);
  } catch {
    forgetAsker(ctx);
    return false;
  }
}

// Whether somebody is looking: no HEAD, no browser that loads ahead of a click, no image or frame.
function isVisit({ method, headers }: Request): boolean {
  if (method !== "GET") return false;
  const purpose = headers.get("sec-purpose") ?? headers.get("purpose") ?? headers.get("x-moz");
  if (/prefetch|prerender|preview/i.test(purpose ?? "")) return false;
  const target = headers.get("sec-fetch-dest") ?? "document";
  const isOwnScript = target === "empty" && headers.get("sec-fetch-site") === "same-origin";
  return target === "document" || isOwnScript;
}

/** Whether the link may be used up by this very request. */
export async function mayUse(ctx: EmailContext, { email }: Link): Promise<boolean> {
  const { request, provider } = ctx;
  // A POST has the CSRF token of this browser: somebody pressed the button.
  if (request.method === "POST") return true;
  if (!isVisit(request) || provider.confirm === "always") return false;
  return provider.confirm === "never" || isAsker(ctx, email);
}

/** The page with one button that uses up the link: no program presses it. */
export async function confirmPage(ctx: EmailContext, { email, token }: Link): Promise<Response> {
  const [csrfToken, callbackUrl] = await Promise.all([ctx.csrfToken(), ctx.callbackUrl()]);
  const { say } = await ctx.reading();
  return ctx.page({
    name: "email-confirm",
    title: say("confirm.title"),
    heading: say("confirm.heading"),
    sign: "mail",
    secretUrl: true,
    blocks: [
      { kind: "text", text: say("confirm.text", { email }) },
      {
        kind: "form",
        form: {
          action: ctx.provider.callbackUrl,
          hidden: { csrfToken, callbackUrl, email, token },
          submit: say("confirm.submit"),
        },
      },
      { kind: "text", text: say("confirm.notice") },
    ],
  });
}
