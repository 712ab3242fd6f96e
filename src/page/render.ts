import type { Translator } from "../types/message.ts";
import type { Theme } from "../types/options.ts";
import type { Page } from "../types/page.ts";
import { renderBlocks } from "./block.ts";
import { themeRules } from "./color.ts";
import { checkedColor, type Drawing, renderIcon } from "./drawing.ts";
import { type Html, html, toHtml, unsafeHtml } from "./html.ts";
import { PAGE_ICONS } from "./icons.ts";
import { logoUrl, nameScheme } from "./safe.ts";
import { getPageScripts } from "./scripts.ts";
import { SCHEMES, SECTION_STYLE, STYLE } from "./style.ts";

/** Inputs of `renderPage` besides the page. */
export interface RenderOptions {
  theme: Theme;
  /** The nonce of the content security policy. */
  nonce: string;
  /** Origin and base path of the routes. Its host is shown if there is no logo. */
  base: string;
  /** The language of the texts. */
  translator: Pick<Translator, "language" | "direction">;
  /** Receives a description of what is left out because it is unsafe or unknown. */
  dropped?(what: string): void;
}

// Such a page has the header `no-referrer`, which also removes the origin from the post of its own form. Frameworks
// refuse that as cross-site. This element restores the origin, but never the path.
const ORIGIN_ONLY = html`<meta name="referrer" content="strict-origin">
`;

function renderMessage({ message, icon, blocks }: Page, drawing: Drawing): Html | undefined {
  if (!message) return undefined;
  const { tone, text } = message;
  // If no field gets the focus, the error message does, so that a screen reader reads it first.
  const isFirst =
    tone === "error" && !blocks.some((block) => block.kind === "form" && block.form.fields);
  const focus = isFirst && html` tabindex="-1" autofocus`;
  if (isFirst) drawing.focused = true;
  const role = tone === "error" ? "alert" : "status";
  const look = icon ? "text" : `${tone} message`;
  return html`<p class="${look}" id="message" role="${role}"${focus}>${text}</p>`;
}

function renderSite({ theme, dropped }: Drawing, base: string): Html | undefined {
  const host = /^https?:\/\/([^/]+)/.exec(base)?.[1];
  const logo = logoUrl(theme);
  if (theme.logo && logo === undefined) {
    const wanted = "use http(s), a relative URL or data:image";
    dropped(`the logo of the theme, which has ${nameScheme(theme.logo)}: ${wanted}`);
  }
  if (logo) return html`<img class="logo" src="${logo}" alt="${host ?? "Logo"}">`;
  return host === undefined ? undefined : html`<p class="site"><bdi>${host}</bdi></p>`;
}

/**
 * Renders a page as a complete HTML document, without remote assets except the theme's logo, and without scripts except
 * the modules of its forms. Every value is escaped once. URLs, attribute names and colors are checked, and invalid ones
 * are left out (SECURITY.md R18).
 */
export function renderPage(page: Page, options: RenderOptions): string {
  const { theme, nonce, base, translator, dropped = () => {} } = options;
  const { message, icon, blocks } = page;
  const drawing: Drawing = {
    theme,
    ids: new Map(),
    colors: new Map(),
    focused: false,
    hasMessage: message !== undefined,
    dropped,
  };
  const announced = renderMessage(page, drawing);
  const body = renderBlocks(blocks, drawing);

  const scheme =
    theme.colorScheme && Object.hasOwn(STYLE, theme.colorScheme) ? theme.colorScheme : "auto";
  const isWide = blocks.some(({ kind }) => kind === "section");
  let style = (STYLE[scheme] ?? "") + themeRules(checkedColor(drawing, theme.brandColor), scheme);
  if (isWide) style += SECTION_STYLE;
  for (const { rules } of drawing.colors.values()) style += rules;

  const { language, direction } = translator;
  const dir = direction === "rtl" && html` dir="rtl"`;
  const drawn = icon && PAGE_ICONS[icon];
  const tone = message?.tone === "error" ? "emblem bad" : "emblem";
  const emblem = drawn && html`<div class="${tone}">${renderIcon(drawn)}</div>`;
  const scripts = getPageScripts(page, base, dropped).map(
    ({ src, integrity }) =>
      html`<script type="module" nonce="${nonce}" src="${src}" integrity="${integrity}"></script>
`,
  );

  return toHtml(
    html`<!DOCTYPE html>
<html lang="${language}"${dir}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${SCHEMES[scheme]}">
<meta name="robots" content="noindex">
${page.secretUrl && ORIGIN_ONLY}<title>${page.title}</title>
<style nonce="${nonce}">${unsafeHtml(style)}</style>
${scripts}</head>
<body>
<main data-page="${page.name}"${isWide && html` class="wide"`}>
${renderSite(drawing, base)}
${emblem}
<h1>${page.heading ?? page.title}</h1>
${announced}
${body}
</main>
</body>
</html>
`,
  );
}
