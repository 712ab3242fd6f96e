import { logoUrl } from "./safe.ts";
import type { Theme } from "../types/options.ts";

/** What the headers of a page depend on. */
export interface PageHeadersOptions {
  theme: Theme;
  /** The one printed into the page. */
  nonce: string;
  /** Sources besides the page's own, by directive. */
  policy?: Readonly<Record<string, string>>;
  /** Public origin of the page. */
  origin: string;
  /** `no-referrer` for a page whose URL holds a token. Default `same-origin`. */
  referrerPolicy?: "same-origin" | "no-referrer";
  /** Whether the page has scripts of its own. */
  hasScripts?: boolean;
}

const DIRECTIVE = /^[a-z]+(?:-[a-z]+)*$/;
// Nothing that ends the directive or the header.
const SOURCES = /^[\w\-.:/*'+=?&%~@!$()[\] ]+$/;

function originOf(url: string | undefined): string | undefined {
  return url === undefined ? undefined : /^https?:\/\/[^/?#\s;,'"]+/i.exec(url)?.[0];
}

/** The headers of every page that `renderPage` made. */
export function pageHeaders(options: PageHeadersOptions): Record<string, string> {
  const { theme, nonce, origin, policy = {}, referrerPolicy = "same-origin" } = options;
  if (!/^[\w+/=-]+$/.test(nonce)) throw new TypeError("nonce must be base64");
  const isSecure = origin.startsWith("https:");
  const directives: Record<string, string> = {
    "default-src": "'none'",
    "style-src": `'nonce-${nonce}'`,
    "img-src": ["'self' data:", originOf(logoUrl(theme))].filter(Boolean).join(" "),
    // Chrome applies it to the redirects after a post too, and those lead to identity providers.
    "form-action": `'self' https:${isSecure ? "" : " http:"}`,
    ...(options.hasScripts && {
      "script-src": `'nonce-${nonce}'`,
      "connect-src": "'self'",
    }),
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
  };
  for (const [name, sources] of Object.entries(policy)) {
    if (!DIRECTIVE.test(name) || !SOURCES.test(sources)) {
      throw new TypeError(`"${name}" of a page's \`policy\` is no directive with sources.`);
    }
    const own = Object.hasOwn(directives, name) ? directives[name] : undefined;
    // Beside other sources, 'none' means nothing.
    directives[name] = own === undefined || own === "'none'" ? sources : `${own} ${sources}`;
  }
  return {
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "private, no-store",
    "Content-Security-Policy": Object.entries(directives)
      .map((pair) => pair.join(" "))
      .join("; "),
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    // `no-referrer` turns the `Origin` of our own forms' posts into `null`, which many a check of the
    // origin refuses; the page that needs it gives the origin back (`renderPage`).
    "Referrer-Policy": referrerPolicy,
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    // No Cross-Origin-Opener-Policy: it would cut a sign-in popup off from the page that waits.
  };
}
