import { inkOn, markup, textOf, unescaped } from "../../../src/index.ts";
import type { Html, Mail, MailMessages, MailSender, Theme } from "../../../src/index.ts";
import { durationIn, type MailReading } from "./language.ts";

/** What a mail depends on. */
export interface MailContent {
  to: string;
  from: MailSender | undefined;
  url: string;
  theme: Theme;
  /** Lifetime of the link in seconds. */
  maxAge: number;
  reading: MailReading;
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
// What mail programs know of colours.
const COLOR = /^#(?:[\da-f]{3}|[\da-f]{6})$/i;

function colorOf(given: unknown): string | undefined {
  return typeof given === "string" && COLOR.test(given.trim()) ? given.trim() : undefined;
}

function rulesOf(colors: Palette): string {
  return (
    `.page{background:${colors.page}!important}` +
    `.card{background:${colors.card}!important;border-color:${colors.line}!important}` +
    `.text{color:${colors.text}!important}.muted{color:${colors.muted}!important}` +
    `.link{color:${colors.link}!important}`
  );
}

// Mail programs make a link of whatever looks like a host; this one shall be text.
function plainHost(host: string): string {
  return host.replaceAll(".", "\u200b.");
}

function filled(
  messages: Required<MailMessages>,
  values: Record<string, string>,
): Required<MailMessages> {
  const fill = (text: string) =>
    text.replace(/\{(\w+)\}/g, (whole, name: string) => values[name] ?? whole);
  const entries = Object.entries(messages).map(([name, text]) => [name, fill(String(text))]);
  return Object.fromEntries(entries) as Required<MailMessages>;
}

function htmlOf({ url, theme, reading }: MailContent, texts: Required<MailMessages>): Html {
  const { colorScheme = "auto" } = theme;
  const colors = colorScheme === "dark" ? DARK : LIGHT;
  const schemes = colorScheme === "auto" ? "light dark" : `${colorScheme} only`;
  const ground = colorOf(theme.brandColor) ?? ACCENT;
  const ink = colorOf(theme.buttonText) ?? inkOn(ground) ?? "#fff";
  const both = `:root{color-scheme:${schemes};supported-color-schemes:${schemes}}`;
  const dark = colorScheme === "auto" && `@media(prefers-color-scheme:dark){${rulesOf(DARK)}}`;
  const small = `margin:0 0 12px;font:14px/1.5 ${FONT};color:${colors.muted}`;
  // Tables and styles on the elements: what every mail program has been drawing for twenty years.
  const table = unescaped('role="presentation" cellpadding="0" cellspacing="0" border="0"');
  return markup`<!DOCTYPE html>
<html lang="${reading.language}" dir="${texts.direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${schemes}">
<meta name="supported-color-schemes" content="${schemes}">
<title>${texts.subject}</title>
<style>${unescaped(both + (dark || ""))}</style>
</head>
<body class="page" style="margin:0;padding:0;background:${colors.page}">
<table ${table} width="100%" class="page" style="background:${colors.page}"><tr><td align="center" style="padding:32px 16px">
<table ${table} width="100%" class="card" style="max-width:480px;background:${colors.card};border:1px solid ${colors.line};border-radius:14px"><tr><td align="start" style="padding:36px 32px 24px">
<h1 class="text" style="margin:0 0 24px;font:600 22px/1.3 ${FONT};color:${colors.text}">${texts.heading}</h1>
<table ${table} style="margin:0 0 28px"><tr><td bgcolor="${ground}" style="background:${ground};border-radius:10px"><a href="${url}" style="display:inline-block;padding:13px 28px;font:600 16px/1.3 ${FONT};color:${ink};text-decoration:none;border-radius:10px">${texts.button}</a></td></tr></table>
<p class="muted" style="${small}">${texts.validity}</p>
<p class="muted" style="${small}">${texts.notice}</p>
<p class="muted" style="${small}">${texts.fallback}<br><a class="link" href="${url}" style="color:${colors.link};word-break:break-all">${url}</a></p>
</td></tr></table>
</td></tr></table>
</body>
</html>
`;
}

/** Writes the mail: good to read as text and as HTML, light and dark, with nothing from elsewhere. */
export function writeMail(content: MailContent): Mail {
  const { to, from, url, maxAge, reading } = content;
  const { host } = new URL(url);
  const duration = durationIn(reading.language, maxAge);
  const { messages } = reading;
  const texts = filled(messages, { host, duration });
  // Otherwise a host takes the full stop after it to its own side (UAX 9).
  const name = messages.direction === "rtl" ? `\u2068${host}\u2069` : host;
  const shown = filled(messages, { host: plainHost(name), duration });
  return {
    to,
    ...(from && { from }),
    // A line end in a text of the application's would begin another header.
    subject: texts.subject.replace(/[\s\p{C}]+/gu, " ").trim(),
    text: [texts.heading, "", texts.invitation, url, "", texts.validity, "", texts.notice, ""].join(
      "\n",
    ),
    html: textOf(htmlOf(content, { ...shown, subject: texts.subject })),
    url,
  };
}
