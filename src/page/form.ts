import type { Block, Field, Form } from "../types/page.ts";
import {
  actionUrl,
  checkedColor,
  colorClasses,
  type Drawing,
  renderInitial,
  renderIcon,
  renderPicture,
  uniqueId,
} from "./drawing.ts";
import { type Html, html } from "./html.ts";
import { checkedAttributes, INPUT_TYPES } from "./safe.ts";

/** A block with a form. */
export type FormBlock = Extract<Block, { kind: "form" }>;

function getAutocomplete(field: Field, isWithPassword: boolean): string | undefined {
  if (field.type === "password") return "current-password";
  if (/^(user|login|user[-_]?name)$/i.test(field.name)) return "username";
  if (field.type === "email" || /^e-?mail$/i.test(field.name)) {
    return isWithPassword ? "username" : "email";
  }
  if (/^(otp|totp|code|one-?time-?code)$/i.test(field.name)) return "one-time-code";
  return field.type === "tel" ? "tel" : undefined;
}

function renderInput(
  field: Field,
  { form, provider }: FormBlock,
  drawing: Drawing,
  { isFirst }: { isFirst: boolean },
): Html {
  const type = INPUT_TYPES.has(field.type ?? "") ? (field.type as string) : "text";
  if (type === "hidden") return hiddenInput(field.name, field.value);

  const attributes = checkedAttributes(field.attributes, (name) =>
    drawing.dropped(`the attribute "${name}" of an input: it is not on the list of safe ones`),
  );
  const named = `input-${field.name}${provider === undefined ? "" : `-for-${provider}-provider`}`;
  const id = uniqueId(drawing, String(attributes.get("id") ?? named));
  attributes.delete("id");

  if (!attributes.has("autocomplete")) {
    const isWithPassword = form.fields?.some((other) => other.type === "password") ?? false;
    const token = getAutocomplete(field, isWithPassword);
    if (token) attributes.set("autocomplete", token);
  }
  const isName = attributes.get("autocomplete")?.toString().startsWith("username");
  if (type === "email" || isName) {
    if (!attributes.has("autocapitalize")) attributes.set("autocapitalize", "none");
    if (!attributes.has("spellcheck")) attributes.set("spellcheck", "false");
  }
  // Addresses are written from left to right in every language.
  if ((type === "email" || type === "url" || type === "tel") && !attributes.has("dir")) {
    attributes.set("dir", "ltr");
  }

  const isChoice = type === "checkbox" || type === "radio";
  const wantsFocus = attributes.delete("autofocus") || (isFirst && !isChoice && !field.value);
  if (wantsFocus && !drawing.focused) {
    drawing.focused = true;
    attributes.set("autofocus", true);
    // When the focus moves to a field, a screen reader may skip the alert.
    if (drawing.hasMessage && !attributes.has("aria-describedby")) {
      attributes.set("aria-describedby", "message");
    }
  }

  const printed: Html[] = [];
  for (const [name, value] of attributes) {
    printed.push(value === true ? html` ${name}` : html` ${name}="${value}"`);
  }
  const value = field.value === undefined ? undefined : html` value="${field.value}"`;
  const label = field.label ?? field.name;
  const input = html`<input id="${id}" name="${field.name}" type="${type}"${value}${printed}>`;
  return isChoice
    ? html`<label class="check" for="${id}">${input}<span>${label}</span></label>`
    : html`<label for="${id}">${label}</label>${input}`;
}

function hiddenInput(name: string, value: string | undefined): Html {
  return html`<input type="hidden" name="${name}" value="${value}">`;
}

function hiddenInputs(hidden: Form["hidden"] = {}): Html[] {
  return Object.entries(hidden)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => hiddenInput(name, value));
}

/** Renders the image, the icon or the initial of a provider's button. */
function renderButtonIcon(form: Form, provider: string, drawing: Drawing): Html {
  const { logo, icon, color, short = provider } = form;
  const image = renderPicture(logo, "icon");
  if (logo && !image) {
    drawing.dropped(`the logo of "${provider}": use a data: URL or a path of this origin`);
  }
  return image ?? (icon ? renderIcon(icon) : renderInitial(drawing, short, color));
}

// Returns the classes for the brand's color on the button itself: its border, and its background on hover.
function tintClasses({ color }: Form, drawing: Drawing): string {
  return checkedColor(drawing, color) === undefined
    ? ""
    : ` ${colorClasses(drawing, "tint", { ground: color })}`;
}

function providerButton(form: Form, provider: string, drawing: Drawing): Html {
  const icon = renderButtonIcon(form, provider, drawing);
  const look = tintClasses(form, drawing);
  return html`<button class="button plain provider${look}" type="submit">${icon}<span>${form.submit}</span></button>`;
}

function submitButton(form: Form, provider: string | undefined, drawing: Drawing): Html {
  const { theme } = drawing;
  // The first button has the plain id, as in Auth.js. Ids remain unique.
  const isPlain = provider === undefined || !drawing.ids.has("submitButton");
  const id = uniqueId(drawing, isPlain ? "submitButton" : `submitButton-${provider}`);
  const look =
    form.look && form.look !== "primary"
      ? form.look
      : colorClasses(drawing, "primary", {
          ground: checkedColor(drawing, form.color) ?? theme.brandColor,
          text: theme.buttonText,
        });
  const icon = form.icon && renderIcon(form.icon);
  return html`<button id="${id}" class="button ${look}" type="submit">${icon}${form.submit}</button>`;
}

function otherButton({ submit, name, value }: NonNullable<Form["other"]>): Html {
  return html`<button class="button plain second" type="submit" name="${name}" value="${value}">${submit}</button>`;
}

/** Returns whether a form consists only of a provider's button. */
export function isButton({ form, provider }: FormBlock): boolean {
  const isBare = form.fields?.every(({ type }) => type === "hidden") ?? true;
  return provider !== undefined && isBare && !form.script && !form.other;
}

const slowClass = ({ deliberate }: Form): Html | false | undefined =>
  deliberate && html` class="slow"`;

/** Renders a form; returns `undefined` without a valid action, since the form would post to the page's own URL. */
export function renderForm(block: FormBlock, isFirst: boolean, drawing: Drawing): Html | undefined {
  const { form, provider } = block;
  const action = actionUrl(form, drawing);
  if (action === undefined) return undefined;
  const id = form.id === undefined ? undefined : html` id="${uniqueId(drawing, form.id)}"`;

  const parts = hiddenInputs(form.hidden);
  let isFilledIn = false;
  for (const field of form.fields ?? []) {
    parts.push(renderInput(field, block, drawing, { isFirst: isFirst && !isFilledIn }));
    isFilledIn ||= field.type !== "hidden";
  }
  parts.push(
    provider !== undefined && isButton(block)
      ? providerButton(form, provider, drawing)
      : submitButton(form, provider, drawing),
  );
  for (const field of form.other?.fields ?? []) {
    parts.push(renderInput(field, block, drawing, { isFirst: false }));
  }
  if (form.other) parts.push(otherButton(form.other));
  const slow = slowClass(form);
  if (!form.script) {
    return html`<form${id}${slow} action="${action}" method="post">${parts}</form>`;
  }
  const { src, fallback, failure } = form.script;
  return html`<form${id}${slow} action="${action}" method="post" hidden data-live="${src}">${parts}</form>
<p class="text" role="status" data-failed="${failure}">${fallback}</p>`;
}

/**
 * Renders the buttons of many providers in columns. They are one form, since all post the same hidden fields, and a
 * hundred copies of these would be most of the page.
 */
export function renderButtons(blocks: readonly FormBlock[], drawing: Drawing): Html | undefined {
  const buttons: Html[] = [];
  let first: string | undefined;
  for (const { form, provider = "" } of blocks) {
    const action = actionUrl(form, drawing);
    if (action === undefined) continue;
    first ??= action;
    const icon = renderButtonIcon(form, provider, drawing);
    const { short, submit } = form;
    const look = tintClasses(form, drawing).trim();
    const label = short !== undefined && html` aria-label="${submit}"`;
    buttons.push(
      html`<button${look && html` class="${look}"`} formaction="${action}"${label}>${icon}<span>${short ?? submit}</span></button>`,
    );
  }
  if (first === undefined) return undefined;
  const slow = blocks.some(({ form }) => form.deliberate) && " slow";
  return html`<form class="grid${slow}" action="${first}" method="post">${hiddenInputs(blocks[0]?.form.hidden)}${buttons}</form>`;
}

/** Renders a form as one small button; returns `undefined` without a valid action. */
export function renderSmallForm(form: Form, drawing: Drawing): Html | undefined {
  const action = actionUrl(form, drawing);
  if (action === undefined) return undefined;
  const hidden = hiddenInputs(form.hidden);
  const look = form.look === "danger" ? "danger" : "plain";
  const label = form.short !== undefined && html` aria-label="${form.submit}"`;
  return html`<form${slowClass(form)} action="${action}" method="post">${hidden}<button class="button small ${look}" type="submit"${label}>${form.short ?? form.submit}</button></form>`;
}
