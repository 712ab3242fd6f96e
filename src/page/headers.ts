import { isLoopbackHost } from "../platform/loopback.ts";
import type { Theme } from "../types/options.ts";
import { logoUrl } from "./safe.ts";

/** Inputs of `pageHeaders`. */
export interface PageHeadersOptions {
  theme: Theme;
  /** The nonce that the page was rendered with. */
  nonce: string;
  /** Sources to add to the content security policy, by directive. */
  policy?: Readonly<Record<string, string>>;
  /** Public origin of the page. */
  origin: string;
  /** `no-referrer` for a page whose URL contains a token (SECURITY.md R18). Default `same-origin`. */
  referrerPolicy?: "same-origin" | "no-referrer";
  /** Whether the responses to the page's forms may redirect to another origin. */
  leavesOrigin?: boolean;
  /** Whether the page has scripts of its own. */
  hasScripts?: boolean;
  /** Whether the page has images that are `data:` URLs. */
  hasDataImages?: boolean;
}

const DIRECTIVE = /^[a-z]+(?:-[a-z]+)*$/;
// Allows no character that ends the directive or the header.
const SOURCES = /^[\w\-.:/*'+=?&%~@!$()[\] ]+$/;

function getOrigin(url: string | undefined): string | undefined {
  return url === undefined ? undefined : /^https?:\/\/[^/?#\s;,'"]+/i.exec(url)?.[0];
}

/** @throws TypeError when a nonce is not base64. */
export function checkNonce(nonce: string): void {
  if (!/^[\w+/=-]+$/.test(nonce)) throw new TypeError("The `nonce` of a page must be base64.");
}

/**
 * Returns the headers of a rendered page.
 * @throws TypeError when the nonce is not base64, or `policy` contains an invalid directive or source.
 */
export function pageHeaders(options: PageHeadersOptions): Record<string, string> {
  const { theme, nonce, origin, policy = {}, referrerPolicy = "same-origin" } = options;
  checkNonce(nonce);
  const { protocol, hostname } = new URL(origin);
  // In development, an application with https may use an identity provider without, on the same machine.
  const isHttpsOnly = protocol === "https:" && !isLoopbackHost(hostname);
  const directives: Record<string, string> = {
    "default-src": "'none'",
    "style-src": `'nonce-${nonce}'`,
    "img-src": ["'self'", options.hasDataImages && "data:", getOrigin(logoUrl(theme))]
      .filter(Boolean)
      .join(" "),
    // Chrome also applies this directive to redirects after a POST, such as those to identity providers.
    "form-action": options.leavesOrigin ? `'self' https:${isHttpsOnly ? "" : " http:"}` : "'self'",
    ...(options.hasScripts && {
      "script-src": `'nonce-${nonce}'`,
      "connect-src": "'self'",
    }),
    "base-uri": "'none'",
    "frame-ancestors": "'none'",
  };
  for (const [name, sources] of Object.entries(policy)) {
    if (!DIRECTIVE.test(name) || !SOURCES.test(sources)) {
      throw new TypeError(
        `"${name}" in the \`policy\` of a page is not a valid directive with valid sources, such as ` +
          '{ "img-src": "https://cdn.example" }.',
      );
    }
    const own = Object.hasOwn(directives, name) ? directives[name] : undefined;
    // 'none' is ignored next to other sources, so it is replaced.
    directives[name] = own === undefined || own === "'none'" ? sources : `${own} ${sources}`;
  }
  return {
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "private, no-store",
    "Content-Security-Policy": Object.entries(directives)
      .map((pair) => pair.join(" "))
      .join("; "),
    // X-Frame-Options cannot list origins. Browsers that support `frame-ancestors` ignore it (CSP Level 2, section
    // 7.7.1).
    ...(directives["frame-ancestors"] === "'none'" && { "X-Frame-Options": "DENY" }),
    "X-Content-Type-Options": "nosniff",
    // `no-referrer` turns the `Origin` of the page's own form posts into `null`, which many origin checks refuse. A
    // page with this policy restores the origin with a meta element (`renderPage`).
    "Referrer-Policy": referrerPolicy,
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    // No Cross-Origin-Opener-Policy: it would separate a sign-in popup from the page that opened it.
  };
}
