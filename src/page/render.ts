import { markup, textOf, unescaped } from "./html.ts";
import { checkedAttributes, INPUT_TYPES, logoUrl, safeUrl } from "./safe.ts";
import { cssColor, paint, SIGN_LIMIT, TEXT_LIMIT } from "./color.ts";
import { SCHEMES, STYLE } from "./style.ts";
import type { Html } from "./html.ts";
import type { Theme } from "../types/options.ts";
import type { Block, Field, Form, LiveForm, Message, Page } from "../types/page.ts";

/** What a page needs to know beside its content. */
export interface RenderOptions {
  theme: Theme;
  /** The one of the content security policy. */
  nonce: string;
  /** Origin and base path of the routes; its host is shown where there is no logo. */
  base: string;
}

/** What the parts of one document share. */
interface Drawing {
  /** The ids given, each with the last number that was put after it. */
  ids: Map<string, number>;
  /** Classes for this document's colours. */
  colors: Map<string, { name: string; rules: string }>;
  focused: boolean;
  hasMessage: boolean;
}

interface Colors {
  ground: string | undefined;
  text?: string | undefined;
}

// The header of such a page says `no-referrer`, which would also take the origin from its own form's
// post: frameworks refuse that as another site's. This gives back the origin, never the path.
const ORIGIN_ONLY = markup`<meta name="referrer" content="strict-origin">
`;

function uniqueId(drawing: Drawing, wanted: string): string {
  const stem = wanted.replace(/\s+/g, "-");
  let last = drawing.ids.get(stem) ?? 1;
  let id = stem;
  while (drawing.ids.has(id)) id = `${stem}-${++last}`;
  drawing.ids.set(id, 1).set(stem, last);
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
  if (form.other) {
    const { submit, name, value } = form.other;
    parts.push(
      markup`<button class="button second" type="submit" name="${name}" value="${value}">${submit}</button>`,
    );
  }
  if (!form.live) return markup`<form${id} action="${action}" method="post">${parts}</form>`;
  const { instead, failed } = form.live;
  return markup`<form${id} action="${action}" method="post" hidden data-live>${parts}</form>
<p class="text" role="status" data-failed="${failed}">${instead}</p>`;
}

/** The scripts of a page's forms, each once; those of other origins are left out. */
export function scriptsOf({ blocks }: Page, base: string): LiveForm[] {
  const live = blocks.flatMap((block) => (block.kind === "form" ? (block.form.live ?? []) : []));
  const own = live.filter(({ script }) => script.startsWith(`${base}/`));
  return [...new Map(own.map((one) => [one.script, one])).values()];
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

/**
 * Renders a page as a complete HTML document without remote asset, and without script but for the
 * modules of its live forms. Every value is
 * escaped once, addresses, attribute names and colours are checked; what fails is left out.
 */
export function renderPage(page: Page, { theme, nonce, base }: RenderOptions): string {
  const drawing: Drawing = {
    ids: new Map([["message", 1]]),
    colors: new Map(),
    focused: false,
    hasMessage: page.message !== undefined,
  };
  const body = page.blocks.map((block, at) => blockOf(block, at === 0, theme, drawing));

  const scheme =
    theme.colorScheme && Object.hasOwn(STYLE, theme.colorScheme) ? theme.colorScheme : "auto";
  let style = STYLE[scheme] ?? "";
  for (const { rules } of drawing.colors.values()) style += rules;

  const scripts = scriptsOf(page, base).map(
    ({ script, integrity }) =>
      markup`<script type="module" nonce="${nonce}" src="${script}" integrity="${integrity}"></script>
`,
  );

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
${page.secretUrl && ORIGIN_ONLY}<title>${page.title}</title>
<style nonce="${nonce}">${unescaped(style)}</style>
${scripts}</head>
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
