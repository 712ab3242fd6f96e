import { markup, textOf, unescaped } from "./html.ts";
import type { Html } from "./html.ts";
import type { Theme } from "./types/options.ts";
import type { Block, Field, Form, Message, Page } from "./types/page.ts";

/** What a page needs to know beside its content. */
export interface RenderOptions {
  theme: Theme;
  /** The one of the content security policy. */
  nonce: string;
  /** Origin and base path of the routes; its host is shown where there is no logo. */
  base: string;
}

/** What the headers of a page depend on. */
export interface PageHeadersOptions {
  theme: Theme;
  /** The one printed into the page. */
  nonce: string;
  /** Public origin of the page. */
  origin: string;
  /** `no-referrer` for a page whose URL holds a token and that posts nothing. Default `same-origin`. */
  referrerPolicy?: "same-origin" | "no-referrer";
}

// --- look --------------------------------------------------------------------------------------

const LIGHT =
  ":root{color-scheme:light;--page:#f3f4f7;--card:#fff;--text:#15181e;--muted:#565d6b;" +
  "--line:#d5d9e0;--edge:#7e8694;--field:#fff;--hover:#f3f5f9;--accent:#2353d9;--on:#fff;" +
  "--link:#2353d9;--ring:#2353d9;--bad:#9b1c1c;--bad-bg:#fdeeee;--note:#1e4795;" +
  "--note-bg:#edf3fe;--shadow:0 1px 2px rgb(20 24 32/.05),0 12px 32px rgb(20 24 32/.07)}";

const DARK =
  ":root{color-scheme:dark;--page:#0e1014;--card:#181b21;--text:#eef0f4;--muted:#a4abb8;" +
  "--line:#343a45;--edge:#7b8494;--field:#101318;--hover:#232832;--accent:#86abff;--on:#0a1226;" +
  "--link:#9dbbff;--ring:#9dbbff;--bad:#ffb4b0;--bad-bg:#351a1c;--note:#b9d0ff;" +
  "--note-bg:#18243d;--shadow:none}";

const LAYOUT = [
  "*,::before,::after{box-sizing:border-box}",
  "html{-webkit-text-size-adjust:100%;text-size-adjust:100%}",
  "body{margin:0;min-height:100vh;min-height:100dvh;padding:32px 16px;display:flex;" +
    "background:var(--page);color:var(--text);overflow-wrap:break-word;font:16px/1.5 system-ui," +
    '-apple-system,"Segoe UI",Roboto,"Helvetica Neue","Noto Sans",Arial,sans-serif}',
  // Auto margins centre, yet leave the top reachable when the card is taller than the screen.
  "main{display:flex;flex-direction:column;gap:12px;width:100%;max-width:408px;margin:auto;" +
    "padding:40px 36px;background:var(--card);border:1px solid var(--line);border-radius:18px;" +
    "box-shadow:var(--shadow)}",
  ".site{margin:0 0 -10px;color:var(--muted);font-size:14px;text-align:center}",
  ".logo{margin:0 auto 8px;max-width:180px;max-height:64px}",
  "h1{margin:0 0 14px;text-align:center;font-size:25px;line-height:1.25;font-weight:650;" +
    "letter-spacing:-.015em;text-wrap:balance}",
  "p{margin:0;text-wrap:pretty}",
  ".text{margin:0 0 10px;color:var(--muted);text-align:center;text-wrap:balance}",
  ".message{margin:0 0 10px;padding:12px 16px;border:1px solid transparent;" +
    "border-inline-start:4px solid;border-radius:10px;font-size:15px}",
  ".error.message{color:var(--bad);background:var(--bad-bg)}",
  ".info.message{color:var(--note);background:var(--note-bg)}",
  "label{display:block;margin:0 0 6px;font-size:15px;font-weight:550}",
  "input{display:block;width:100%;min-height:46px;margin:0 0 18px;padding:9px 13px;font:inherit;" +
    "color:inherit;background:var(--field);border:1px solid var(--edge);border-radius:10px}",
  "input::placeholder{color:var(--muted);opacity:1}",
  "input[type=color]{padding:5px}",
  "label.check{display:flex;align-items:center;gap:12px;min-height:44px;margin-bottom:10px}",
  "label.check input{width:22px;min-height:22px;flex:none;margin:0;padding:0;" +
    "accent-color:var(--accent)}",
  ".button{display:flex;align-items:center;justify-content:center;gap:12px;width:100%;" +
    "min-height:48px;padding:10px 16px;font:inherit;font-weight:600;line-height:1.3;" +
    "text-align:center;text-decoration:none;cursor:pointer;border-radius:10px;" +
    "border:1px solid transparent;transition:box-shadow .15s,background-color .15s}",
  ".primary{color:var(--on);background:var(--accent);border-color:rgb(128 128 128/.35)}",
  ".primary:hover{box-shadow:0 3px 10px rgb(0 0 0/.28)}",
  ".plain{color:var(--text);background:var(--card);border-color:var(--line)}",
  ".plain:hover{background:var(--hover);border-color:var(--edge)}",
  // The label is centred on the button, not on what the mark leaves of it.
  ".mark{display:grid;place-items:center;flex:none;width:28px;height:28px;margin-inline-end:auto;" +
    "border-radius:7px;font-size:15px;font-weight:700;line-height:1;color:var(--card);" +
    "background:var(--muted);box-shadow:inset 0 0 0 1px rgb(128 128 128/.4)}",
  ".mark+span{margin-inline-end:auto}",
  // It gives way before the label is wrapped.
  ".plain::after{content:'';flex:0 99999 28px}",
  "a{color:var(--link);text-underline-offset:3px}",
  ".link{text-align:center}",
  ".link:last-child{margin-bottom:-10px}",
  ".link a{display:inline-block;padding:10px 12px;font-weight:550}",
  ".divider{display:flex;align-items:center;gap:14px;margin:10px 0;color:var(--muted);" +
    "font-size:14px}",
  ".divider::before,.divider::after{content:'';flex:1;border-top:1px solid var(--line)}",
  "hr{width:100%;margin:10px 0;border:0;border-top:1px solid var(--line)}",
  ":focus-visible{outline:3px solid var(--ring);outline-offset:2px}",
  "input:focus-visible{outline-offset:0;border-color:transparent}",
  "@media(max-width:479px){body{padding:0;background:var(--card)}main{max-width:440px;" +
    "margin:0 auto;padding:48px 20px 32px;border:0;border-radius:0;box-shadow:none}}",
  "@media(prefers-reduced-motion:reduce){*{transition:none!important}}",
  "@media(forced-colors:active){.button,.message,main{border-color:CanvasText}}",
].join("");

const STYLE: Readonly<Record<string, string>> = {
  auto: `${LIGHT}@media(prefers-color-scheme:dark){${DARK}}${LAYOUT}`,
  light: LIGHT + LAYOUT,
  dark: DARK + LAYOUT,
};

const SCHEMES: Readonly<Record<string, string>> = {
  auto: "light dark",
  light: "light",
  dark: "dark",
};

const HEX = /^#(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})$/i;
const COLOR = /^(?:(?:rgb|hsl)a?\([\d\s.,%/+-]{1,60}\)|[a-z]{3,30})$/i;

// No word of a colour may close the style element or the rule it stands in.
function cssColor(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  const color = value.trim();
  return HEX.test(color) || COLOR.test(color) ? color : undefined;
}

/** Relative luminance (WCAG 2.2); `undefined` for what only the browser can compute. */
function luminance(color: string): number | undefined {
  if (!HEX.test(color)) return undefined;
  const digits = color.length < 6 ? color.slice(1).replace(/./g, "$&$&") : color.slice(1);
  const [red = 0, green = 0, blue = 0] = [0, 2, 4].map((at) => {
    const part = Number.parseInt(digits.slice(at, at + 2), 16) / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}

// The luminance up to which white text has a contrast of 4.5:1, and a white sign one of 3:1.
const TEXT_LIMIT = 0.183;
const SIGN_LIMIT = 0.3;

/** Rules that paint `selector`; the text is readable on the colour unless one is asked for. */
function paint(selector: string, color: string, text: string | undefined, limit: number): string {
  const light = luminance(color);
  const ink = text ?? (light === undefined || light <= limit ? "#fff" : "#000");
  const rules = `${selector}{background:${color};color:${ink}}`;
  if (light !== undefined) return rules;
  // Without `@supports`, a word that is no colour would leave the text on another ground.
  const known = `@supports(color:${color}){${rules}}`;
  if (text !== undefined) return known;
  const part = (white: number) => `clamp(0,(${limit} - y)*9999,${white})`;
  const computed = `color(from ${color} xyz-d65 ${part(0.9505)} ${part(1)} ${part(1.0891)})`;
  return `${known}@supports(color:${computed}){${selector}{color:${computed}}}`;
}

// --- checks ------------------------------------------------------------------------------------

const PLAIN_URL = /^(?:https?:\/\/|\/|#)[^\s\\\p{Cc}]*$/iu;
const IMAGE_URL = /^data:image\/(?:png|jpeg|gif|webp|avif|svg\+xml)[;,]/i;

// Browsers drop tabs and line ends inside a scheme, so what looks odd is left to the URL parser.
function safeUrl(value: unknown): string | undefined {
  if (typeof value !== "string") return undefined;
  if (PLAIN_URL.test(value)) return value;
  try {
    return /^https?:$/.test(new URL(value, "https://relative.invalid").protocol)
      ? value
      : undefined;
  } catch {
    return undefined;
  }
}

function logoUrl({ logo }: Theme): string | undefined {
  return typeof logo === "string" && IMAGE_URL.test(logo) ? logo : safeUrl(logo);
}

const INPUT_TYPES = new Set(
  (
    "text email password tel url search number date time month week datetime-local " +
    "color range checkbox radio hidden"
  ).split(" "),
);

const ATTRIBUTES = new Set(
  (
    "autocapitalize autocomplete autocorrect autofocus checked dir disabled enterkeyhint id " +
    "inputmode lang max maxlength min minlength multiple pattern placeholder readonly required " +
    "size spellcheck step title"
  ).split(" "),
);

const ATTRIBUTE_FAMILY = /^(?:aria-[a-z]+|data-[a-z0-9-]+)$/;

function isAttribute(name: string): boolean {
  return ATTRIBUTES.has(name) || ATTRIBUTE_FAMILY.test(name);
}

// Attributes whose `false` and `true` are words.
const ENUMERATED = /^(?:aria-|data-|spellcheck$)/;

type Attributes = Map<string, string | number | boolean>;

function checkedAttributes(given: Field["attributes"]): Attributes {
  const checked: Attributes = new Map();
  if (!given) return checked;
  for (const key of Object.keys(given)) {
    const name = key.toLowerCase();
    const value = given[key];
    if (value == null || !isAttribute(name)) continue;
    if (typeof value !== "boolean") checked.set(name, value);
    else if (ENUMERATED.test(name)) checked.set(name, String(value));
    else if (value) checked.set(name, true);
  }
  return checked;
}

// --- parts -------------------------------------------------------------------------------------

/** What the parts of one document share. */
interface Drawing {
  ids: Set<string>;
  /** Classes for this document's colours. */
  colors: Map<string, { name: string; rules: string }>;
  focused: boolean;
  hasMessage: boolean;
}

interface Colors {
  ground: string | undefined;
  text?: string | undefined;
}

function uniqueId(drawing: Drawing, wanted: string): string {
  const stem = wanted.replace(/\s+/g, "-");
  let id = stem;
  for (let at = 2; drawing.ids.has(id); at++) id = `${stem}-${at}`;
  drawing.ids.add(id);
  return id;
}

function colorClasses(drawing: Drawing, kind: "primary" | "mark", given: Colors): string {
  const ground = cssColor(given.ground);
  const text = cssColor(given.text);
  if (ground === undefined && text === undefined) return kind;
  const key = `${kind} ${ground} ${text}`;
  let drawn = drawing.colors.get(key);
  if (!drawn) {
    const name = `c${drawing.colors.size}`;
    // A mark is a sign, not text to read: white as far as it can be made out.
    const limit = kind === "mark" ? SIGN_LIMIT : TEXT_LIMIT;
    const rules = ground ? paint(`.${name}`, ground, text, limit) : `.${name}{color:${text}}`;
    drawn = { name, rules };
    drawing.colors.set(key, drawn);
  }
  return `${kind} ${drawn.name}`;
}

function autocompleteOf(field: Field, isWithPassword: boolean): string | undefined {
  if (field.type === "password") return "current-password";
  if (/^(user|login|user[-_]?name)$/i.test(field.name)) return "username";
  if (field.type === "email" || /^e-?mail$/i.test(field.name)) {
    return isWithPassword ? "username" : "email";
  }
  if (/^(otp|totp|code|one-?time-?code)$/i.test(field.name)) return "one-time-code";
  return field.type === "tel" ? "tel" : undefined;
}

function inputOf(
  field: Field,
  form: Form,
  provider: string | undefined,
  isFirst: boolean,
  drawing: Drawing,
): Html {
  const type = INPUT_TYPES.has(field.type ?? "") ? (field.type as string) : "text";
  if (type === "hidden") return hiddenInput(field.name, field.value);

  const attributes = checkedAttributes(field.attributes);
  const named = `input-${field.name}${provider === undefined ? "" : `-for-${provider}-provider`}`;
  const id = uniqueId(drawing, String(attributes.get("id") ?? named));
  attributes.delete("id");

  if (!attributes.has("autocomplete")) {
    const isWithPassword = form.fields?.some((other) => other.type === "password") ?? false;
    const token = autocompleteOf(field, isWithPassword);
    if (token) attributes.set("autocomplete", token);
  }
  if (type === "email" || attributes.get("autocomplete")?.toString().startsWith("username")) {
    if (!attributes.has("autocapitalize")) attributes.set("autocapitalize", "none");
    if (!attributes.has("spellcheck")) attributes.set("spellcheck", "false");
  }

  const isChoice = type === "checkbox" || type === "radio";
  const wantsFocus = attributes.delete("autofocus") || (isFirst && !isChoice && !field.value);
  if (wantsFocus && !drawing.focused) {
    drawing.focused = true;
    attributes.set("autofocus", true);
    // With the focus moved on, a screen reader may pass over the alert.
    if (drawing.hasMessage && !attributes.has("aria-describedby")) {
      attributes.set("aria-describedby", "message");
    }
  }

  const printed: Html[] = [];
  for (const [name, value] of attributes) {
    printed.push(value === true ? markup` ${name}` : markup` ${name}="${value}"`);
  }
  const value = field.value === undefined ? undefined : markup` value="${field.value}"`;
  const label = field.label ?? field.name;
  const input = markup`<input id="${id}" name="${field.name}" type="${type}"${value}${printed}>`;
  return isChoice
    ? markup`<label class="check" for="${id}">${input}<span>${label}</span></label>`
    : markup`<label for="${id}">${label}</label>${input}`;
}

function hiddenInput(name: string, value: string | undefined): Html {
  return markup`<input type="hidden" name="${name}" value="${value}">`;
}

function formOf(
  { form, provider }: Extract<Block, { kind: "form" }>,
  isFirst: boolean,
  theme: Theme,
  drawing: Drawing,
): Html | undefined {
  const action = safeUrl(form.action);
  // Without an action it would post to the page's own address: such a form is not shown.
  if (action === undefined) return undefined;
  const id = form.id === undefined ? undefined : markup` id="${uniqueId(drawing, form.id)}"`;

  const parts: Html[] = [];
  for (const [name, value] of Object.entries(form.hidden ?? {})) {
    if (value !== undefined) parts.push(hiddenInput(name, value));
  }
  let isFilledIn = false;
  for (const field of form.fields ?? []) {
    parts.push(inputOf(field, form, provider, isFirst && !isFilledIn, drawing));
    isFilledIn ||= field.type !== "hidden";
  }
  parts.push(
    provider !== undefined && !isFilledIn
      ? providerButton(form, provider, drawing)
      : submitButton(form, provider, theme, drawing),
  );
  return markup`<form${id} action="${action}" method="post">${parts}</form>`;
}

function providerButton(form: Form, provider: string, drawing: Drawing): Html {
  const mark = colorClasses(drawing, "mark", { ground: form.color });
  const initial = String.fromCodePoint(provider.codePointAt(0) ?? 0x2022).toUpperCase();
  const sign = markup`<span class="${mark}" aria-hidden="true">${initial}</span>`;
  const label = markup`<span>${form.submit}</span>`;
  return markup`<button class="button plain" type="submit">${sign}${label}</button>`;
}

function submitButton(
  form: Form,
  provider: string | undefined,
  theme: Theme,
  drawing: Drawing,
): Html {
  // The first is found under the plain id, as in Auth.js; ids stay unique all the same.
  const isPlain = provider === undefined || !drawing.ids.has("submitButton");
  const id = uniqueId(drawing, isPlain ? "submitButton" : `submitButton-${provider}`);
  const look = colorClasses(drawing, "primary", {
    ground: cssColor(form.color) ?? theme.brandColor,
    text: theme.buttonText,
  });
  return markup`<button id="${id}" class="button ${look}" type="submit">${form.submit}</button>`;
}

function linkOf(block: Extract<Block, { kind: "link" }>, theme: Theme, drawing: Drawing): Html {
  const href = safeUrl(block.href);
  if (href === undefined) return markup`<p class="text">${block.text}</p>`;
  if (!block.button) return markup`<p class="link"><a href="${href}">${block.text}</a></p>`;
  const colors = { ground: theme.brandColor, text: theme.buttonText };
  const look = colorClasses(drawing, "primary", colors);
  return markup`<a class="button ${look}" href="${href}">${block.text}</a>`;
}

function blockOf(block: Block, isFirst: boolean, theme: Theme, drawing: Drawing): Html | undefined {
  switch (block.kind) {
    case "form":
      return formOf(block, isFirst, theme, drawing);
    case "text":
      return markup`<p class="text">${block.text}</p>`;
    case "link":
      return linkOf(block, theme, drawing);
    case "divider":
      return block.text ? markup`<p class="divider">${block.text}</p>` : markup`<hr>`;
    default:
      return undefined;
  }
}

function messageOf({ tone, text }: Message): Html {
  return tone === "error"
    ? markup`<p class="error message" id="message" role="alert">${text}</p>`
    : markup`<p class="info message" id="message" role="status">${text}</p>`;
}

// --- the document ------------------------------------------------------------------------------

/**
 * Renders a page as a complete HTML document without script or remote asset. Every value is
 * escaped once, addresses, attribute names and colours are checked; what fails is left out.
 */
export function renderPage(page: Page, { theme, nonce, base }: RenderOptions): string {
  const drawing: Drawing = {
    ids: new Set(["message"]),
    colors: new Map(),
    focused: false,
    hasMessage: page.message !== undefined,
  };
  const body = page.blocks.map((block, at) => blockOf(block, at === 0, theme, drawing));

  const scheme =
    theme.colorScheme && Object.hasOwn(STYLE, theme.colorScheme) ? theme.colorScheme : "auto";
  let style = STYLE[scheme] ?? "";
  for (const { rules } of drawing.colors.values()) style += rules;

  const host = /^https?:\/\/([^/]+)/.exec(base)?.[1];
  const logo = logoUrl(theme);
  const site = logo
    ? markup`<img class="logo" src="${logo}" alt="${host ?? "Logo"}">`
    : host && markup`<p class="site">${host}</p>`;

  return textOf(markup`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="${SCHEMES[scheme]}">
<meta name="robots" content="noindex">
<title>${page.title}</title>
<style nonce="${nonce}">${unescaped(style)}</style>
</head>
<body>
<main data-page="${page.name}">
${site}
<h1>${page.heading ?? page.title}</h1>
${page.message && messageOf(page.message)}
${body}
</main>
</body>
</html>
`);
}

// --- headers -----------------------------------------------------------------------------------

function originOf(url: string | undefined): string | undefined {
  return url === undefined ? undefined : /^https?:\/\/[^/?#\s;,'"]+/i.exec(url)?.[0];
}

/** The headers of every page that `renderPage` made. */
export function pageHeaders(options: PageHeadersOptions): Record<string, string> {
  const { theme, nonce, origin, referrerPolicy = "same-origin" } = options;
  if (!/^[\w+/=-]+$/.test(nonce)) throw new TypeError("nonce must be base64");
  const isSecure = origin.startsWith("https:");
  const policy = [
    "default-src 'none'",
    `style-src 'nonce-${nonce}'`,
    ["img-src 'self' data:", originOf(logoUrl(theme))].filter(Boolean).join(" "),
    // Chrome applies it to the redirects after a post too, and those lead to identity providers.
    `form-action 'self' https:${isSecure ? "" : " http:"}`,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ];
  return {
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "private, no-store",
    "Content-Security-Policy": policy.join("; "),
    "X-Frame-Options": "DENY",
    "X-Content-Type-Options": "nosniff",
    // `no-referrer` would turn the `Origin` of our own forms' posts into `null`, and the check of
    // the origin would refuse them.
    "Referrer-Policy": referrerPolicy,
    "Permissions-Policy": "camera=(), geolocation=(), microphone=()",
    // No Cross-Origin-Opener-Policy: it would cut a sign-in popup off from the page that waits.
  };
}
