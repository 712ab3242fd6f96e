import { chain } from "./awaitable.ts";
import { ask } from "./hooks.ts";
import type { AuthContext } from "./types/kernel.ts";
import type { Awaitable } from "./types/models.ts";

// oxlint-disable-next-line no-control-regex -- browsers drop some of them and read on
const CONTROL = /[\u0000-\u001f\u007f\\]/;

/** The URL itself when it leads to the own origin, else the origin. Relative paths are resolved. */
export function sameOrigin(url: string, origin: string): string {
  if (CONTROL.test(url)) return origin;
  // `//evil.example` is a path to us: it must not become a host.
  const text = url.startsWith("/") ? origin + url : url;
  if (!URL.canParse(text)) return origin;
  const target = new URL(text);
  // The origin of `blob:http://here/1` is here too, so the text itself must begin with it.
  if (!target.href.startsWith(`${origin}/`)) return origin;
  return url === origin ? url : target.href;
}

// Clients assign the target to `location`, where these run or show what the visitor did not ask for.
const ACTIVE = /^(?:javascript|data|vbscript|blob|file|about):$/;

// What a tap may answer: a path here, or a URL that leads somewhere.
function checked(target: string, origin: string): string {
  if (target.startsWith("/") || target.startsWith("\\")) return sameOrigin(target, origin);
  return URL.canParse(target) && !ACTIVE.test(new URL(target).protocol) ? target : origin;
}

/** Where to, as the `redirect` hook says; when nobody answers, the own origin only. */
export function safeRedirect(ctx: AuthContext, url: string): Awaitable<string> {
  const answer = ask(ctx.kernel.hooks.redirect, { url, baseUrl: ctx.origin }, ctx);
  return chain(answer, (target) =>
    typeof target === "string" && target !== ""
      ? checked(target, ctx.origin)
      : sameOrigin(url, ctx.origin),
  );
}

/** A page of the application, relative or absolute, with query values added. */
export function pageUrl(
  page: string,
  origin: string,
  query: Record<string, string | undefined>,
): string {
  const url = new URL(page, origin);
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, value);
  }
  return url.href;
}
