import { contrastColor, html, toHtml, unsafeHtml, type Html } from "../../../src/_kit.ts";
import type { Theme } from "../../../src/kernel.ts";
import { spaceCode } from "./code.ts";
import { formatDuration, type MailTranslation } from "./language.ts";
import { fillText, type Values } from "./placeholders.ts";
import type { Mail, MailMessages, MailSender } from "./provider.ts";

/** The content of an e-mail. */
export interface MailContent {
  to: string;
  from: MailSender | undefined;
  url: string;
  theme: Theme;
  /** Lifetime of the link in seconds. */
  maxAge: number;
  /** The code, and its lifetime in seconds. */
  code?: { digits: string; maxAge: number };
  translation: MailTranslation;
}

interface Palette {
  page: string;
  card: string;
  line: string;
  text: string;
  muted: string;
  link: string;
}

const LIGHT: Palette = {
  page: "#f3f4f7",
  card: "#ffffff",
  line: "#d5d9e0",
  text: "#15181e",
  muted: "#565d6b",
  link: "#2353d9",
};
const DARK: Palette = {
  page: "#0e1014",
  card: "#181b21",
  line: "#343a45",
  text: "#eef0f4",
  muted: "#a4abb8",
  link: "#9dbbff",
};
const ACCENT = "#2353d9";
const FONT = "system-ui,-apple-system,'Segoe UI',Roboto,'Helvetica Neue',Arial,sans-serif";
// The color formats that mail programs support.
const COLOR = /^#(?:[\da-f]{3}|[\da-f]{6})$/i;

function parseColor(given: unknown): string | undefined {
  return typeof given === "string" && COLOR.test(given.trim()) ? given.trim() : undefined;
}

function buildRules(colors: Palette): string {
  return (
    `.page{background:${colors.page}!important}` +
    `.card{background:${colors.card}!important;border-color:${colors.line}!important}` +
    `.text{color:${colors.text}!important}.muted{color:${colors.muted}!important}` +
    `.link{color:${colors.link}!important}`
  );
}

// As on the pages, Japanese breaks between phrases and Korean between words.
const WORD_BREAKS: Readonly<Record<string, string>> = {
  ja: ";word-break:auto-phrase",
  ko: ";word-break:keep-all",
};

// Mail programs turn text that looks like a host into a link. This host must stay text.
function plainHost(host: string): string {
  return host.replaceAll(".", "\u200b.");
}

function fillMessages(messages: Required<MailMessages>, values: Values): Required<MailMessages> {
  const entries = Object.entries(messages).map(([name, text]) => [
    name,
    fillText(String(text), values),
  ]);
  return Object.fromEntries(entries) as Required<MailMessages>;
}

function buildHtml(
  { url, theme, translation, code }: MailContent,
  texts: Required<MailMessages>,
): Html {
  const { colorScheme = "auto" } = theme;
  const colors = colorScheme === "dark" ? DARK : LIGHT;
  const schemes = colorScheme === "auto" ? "light dark" : `${colorScheme} only`;
  const ground = parseColor(theme.brandColor) ?? ACCENT;
  const ink = parseColor(theme.buttonText) ?? contrastColor(ground) ?? "#fff";
  const both = `:root{color-scheme:${schemes};supported-color-schemes:${schemes}}`;
  const dark = colorScheme === "auto" && `@media(prefers-color-scheme:dark){${buildRules(DARK)}}`;
  const small = `margin:0 0 12px;font:14px/1.5 ${FONT};color:${colors.muted}`;
  // Tables and inline styles render in all mail programs. Some, such as Gmail, drop `html` and `body` with their
  // attributes, so the tables set language and direction too.
  const table = unsafeHtml('role="presentation" cellpadding="0" cellspacing="0" border="0"');
  const { direction } = texts;
  const start = direction === "rtl" ? "right" : "left";
  const breaks = WORD_BREAKS[translation.language] ?? "";
  const codeBlock =
    code &&
    html`<p class="muted" style="${small}">${texts.code}</p>
<p class="text" style="margin:0 0 28px;font:600 26px/1.3 ui-monospace,Menlo,Consolas,monospace;color:${colors.text}"><span dir="ltr">${spaceCode(code.digits)}</span></p>
`;
  return html`<!DOCTYPE html>
<html lang="${translation.language}" dir="${direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${schemes}">
<meta name="supported-color-schemes" content="${schemes}">
<title>${texts.subject}</title>
<style>${unsafeHtml(both + (dark || ""))}</style>
</head>
<body class="page" style="margin:0;padding:0;background:${colors.page}">
<table ${table} width="100%" class="page" lang="${translation.language}" dir="${direction}" style="background:${colors.page}"><tr><td align="center" style="padding:32px 16px">
<table ${table} width="100%" class="card" style="max-width:480px;background:${colors.card};border:1px solid ${colors.line};border-radius:14px"><tr><td align="${start}" dir="${direction}" style="padding:36px 32px 24px;text-align:${start}${breaks}">
<h1 class="text" style="margin:0 0 24px;font:600 22px/1.3 ${FONT};color:${colors.text}">${texts.heading}</h1>
<table ${table} style="margin:0 0 28px"><tr><td bgcolor="${ground}" style="background:${ground};border-radius:10px"><a href="${url}" style="display:inline-block;padding:13px 28px;font:600 16px/1.3 ${FONT};color:${ink};text-decoration:none;border-radius:10px">${texts.button}</a></td></tr></table>
${codeBlock}<p class="muted" style="${small}">${texts.validity}</p>
<p class="muted" style="${small}">${texts.notice}</p>
<p class="muted" style="${small}">${texts.fallback}<br><a class="link" href="${url}" dir="ltr" style="color:${colors.link};word-break:break-all">${url}</a></p>
</td></tr></table>
</td></tr></table>
</body>
</html>
`;
}

/**
 * Returns the e-mail as text and as HTML, for light and dark color schemes, without remote content.
 */
export function writeMail(content: MailContent): Mail {
  const { to, from, url, maxAge, code, translation } = content;
  const { host } = new URL(url);
  const duration = formatDuration(translation.language, maxAge);
  const codeText = fillText(translation.messages.code, {
    duration: formatDuration(translation.language, code?.maxAge ?? 0),
  });
  const messages = { ...translation.messages, code: codeText };
  const texts = fillMessages(messages, { host, duration });
  // In right-to-left text, the full stop would otherwise move to the wrong side of the host (UAX 9).
  const name = messages.direction === "rtl" ? `\u2068${host}\u2069` : host;
  const shown = fillMessages(messages, { host: plainHost(name), duration });
  return {
    to,
    ...(from && { from }),
    // A line break in the application's text would begin another header (header injection).
    subject: texts.subject.replace(/[\s\p{Cc}\p{Cs}]+/gu, " ").trim(),
    text: [
      ...[texts.heading, "", texts.invitation, url, ""],
      ...(code ? [texts.code, spaceCode(code.digits), ""] : []),
      ...[texts.validity, "", texts.notice, ""],
    ].join("\n"),
    html: toHtml(buildHtml(content, { ...shown, subject: texts.subject })),
    url,
  };
}
