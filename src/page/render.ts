import { blocksOf } from "./block.ts";
import { themeRules } from "./color.ts";
import { type Drawing, markOf } from "./drawing.ts";
import { type Html, markup, textOf, unescaped } from "./html.ts";
import { logoUrl } from "./safe.ts";
import { scriptsOf } from "./scripts.ts";
import { SIGNS } from "./signs.ts";
import { SCHEMES, SECTION_STYLE, STYLE } from "./style.ts";
import type { Reading } from "../types/message.ts";
import type { Theme } from "../types/options.ts";
import type { Page } from "../types/page.ts";

/** What a page needs to know beside its content. */
export interface RenderOptions {
  theme: Theme;
  /** The one of the content security policy. */
  nonce: string;
  /** Origin and base path of the routes; its host is shown where there is no logo. */
  base: string;
  /** The language of the texts. */
  reading: Pick<Reading, "language" | "direction">;
}

// The header of such a page says `no-referrer`, which would also take the origin from its own form's
// post: frameworks refuse that as another site's. This gives back the origin, never the path.
const ORIGIN_ONLY = markup`<meta name="referrer" content="strict-origin">
`;

function messageOf({ message, sign, blocks }: Page, drawing: Drawing): Html | undefined {
  if (!message) return undefined;
  const { tone, text } = message;
  // Where no field takes the focus, the message does: it is what has to be heard first.
  const isFirst =
    tone === "error" && !blocks.some((block) => block.kind === "form" && block.form.fields);
  const focus = isFirst && markup` tabindex="-1" autofocus`;
  if (isFirst) drawing.focused = true;
  const role = tone === "error" ? "alert" : "status";
  const look = sign ? "text" : `${tone} message`;
  return markup`<p class="${look}" id="message" role="${role}"${focus}>${text}</p>`;
}

function siteOf(theme: Theme, base: string): Html | undefined {
  const host = /^https?:\/\/([^/]+)/.exec(base)?.[1];
  const logo = logoUrl(theme);
  if (logo) return markup`<img class="logo" src="${logo}" alt="${host ?? "Logo"}">`;
  return host === undefined ? undefined : markup`<p class="site"><bdi>${host}</bdi></p>`;
}

/**
 * Renders a page as a complete HTML document without remote asset, and without script but for the
 * modules of its live forms. Every value is
 * escaped once, addresses, attribute names and colours are checked; what fails is left out.
 */
export function renderPage(page: Page, { theme, nonce, base, reading }: RenderOptions): string {
  const { message, sign, blocks } = page;
  const drawing: Drawing = {
    theme,
    ids: new Map(),
    colors: new Map(),
    focused: false,
    hasMessage: message !== undefined,
  };
  const announced = messageOf(page, drawing);
  const body = blocksOf(blocks, drawing);

  const scheme =
    theme.colorScheme && Object.hasOwn(STYLE, theme.colorScheme) ? theme.colorScheme : "auto";
  const isWide = blocks.some(({ kind }) => kind === "section");
  let style = (STYLE[scheme] ?? "") + themeRules(theme, scheme);
  if (isWide) style += SECTION_STYLE;
  for (const { rules } of drawing.colors.values()) style += rules;

  const { language, direction } = reading;
  const dir = direction === "rtl" && markup` dir="rtl"`;
  const drawn = sign && SIGNS[sign];
  const tone = message?.tone === "error" ? "emblem bad" : "emblem";
  const emblem = drawn && markup`<div class="${tone}">${markOf(drawn)}</div>`;
  const scripts = scriptsOf(page, base).map(
    ({ script, integrity }) =>
      markup`<script type="module" nonce="${nonce}" src="${script}" integrity="${integrity}"></script>
`,
  );

  return textOf(markup`<!DOCTYPE html>
<html lang="${language}"${dir}>
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${SCHEMES[scheme]}">
<meta name="robots" content="noindex">
${page.secretUrl && ORIGIN_ONLY}<title>${page.title}</title>
<style nonce="${nonce}">${unescaped(style)}</style>
${scripts}</head>
<body>
<main data-page="${page.name}"${isWide && markup` class="wide"`}>
${siteOf(theme, base)}
${emblem}
<h1>${page.heading ?? page.title}</h1>
${announced}
${body}
</main>
</body>
</html>
`);
}
