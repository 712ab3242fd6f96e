import { cssColor } from "./color.ts";
import { colorClasses, type Drawing, initialOf, markOf, pictureOf, uniqueId } from "./drawing.ts";
import { type Html, markup } from "./html.ts";
import { checkedAttributes, INPUT_TYPES, safeUrl } from "./safe.ts";
import type { Block, Field, Form } from "../types/page.ts";

/** A block with a form. */
export type FormBlock = Extract<Block, { kind: "form" }>;

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
  const isName = attributes.get("autocomplete")?.toString().startsWith("username");
  if (type === "email" || isName) {
    if (!attributes.has("autocapitalize")) attributes.set("autocapitalize", "none");
    if (!attributes.has("spellcheck")) attributes.set("spellcheck", "false");
  }
  // An address is written from left to right in every language.
  if ((type === "email" || type === "url" || type === "tel") && !attributes.has("dir")) {
    attributes.set("dir", "ltr");
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

function hiddenInputs(hidden: Form["hidden"] = {}): Html[] {
  return Object.entries(hidden)
    .filter(([, value]) => value !== undefined)
    .map(([name, value]) => hiddenInput(name, value));
}

/** The sign of a provider's button: its picture, its mark, or its initial. */
function signOf({ logo, mark, color }: Form, provider: string, drawing: Drawing): Html {
  const picture = pictureOf(logo, "sign");
  return picture ?? (mark ? markOf(mark) : initialOf(drawing, provider, color));
}

function providerButton(form: Form, provider: string, drawing: Drawing): Html {
  const sign = signOf(form, provider, drawing);
  return markup`<button class="button plain way" type="submit">${sign}<span>${form.submit}</span></button>`;
}

function submitButton(form: Form, provider: string | undefined, drawing: Drawing): Html {
  const { theme } = drawing;
  // The first is found under the plain id, as in Auth.js; ids stay unique all the same.
  const isPlain = provider === undefined || !drawing.ids.has("submitButton");
  const id = uniqueId(drawing, isPlain ? "submitButton" : `submitButton-${provider}`);
  const look =
    form.look && form.look !== "primary"
      ? form.look
      : colorClasses(drawing, "primary", {
          ground: cssColor(form.color) ?? theme.brandColor,
          text: theme.buttonText,
        });
  const sign = form.mark && markOf(form.mark);
  return markup`<button id="${id}" class="button ${look}" type="submit">${sign}${form.submit}</button>`;
}

function otherButton({ submit, name, value }: NonNullable<Form["other"]>): Html {
  return markup`<button class="button plain second" type="submit" name="${name}" value="${value}">${submit}</button>`;
}

/** Whether a form is nothing but a provider's button. */
export function isButton({ form, provider }: FormBlock): boolean {
  const isBare = form.fields?.every(({ type }) => type === "hidden") ?? true;
  return provider !== undefined && isBare && !form.live && !form.other;
}

/** A form; nothing without a good action, for it would post to the page's own address. */
export function formOf(block: FormBlock, isFirst: boolean, drawing: Drawing): Html | undefined {
  const { form, provider } = block;
  const action = safeUrl(form.action);
  if (action === undefined) return undefined;
  const id = form.id === undefined ? undefined : markup` id="${uniqueId(drawing, form.id)}"`;

  const parts = hiddenInputs(form.hidden);
  let isFilledIn = false;
  for (const field of form.fields ?? []) {
    parts.push(inputOf(field, form, provider, isFirst && !isFilledIn, drawing));
    isFilledIn ||= field.type !== "hidden";
  }
  parts.push(
    provider !== undefined && !isFilledIn
      ? providerButton(form, provider, drawing)
      : submitButton(form, provider, drawing),
  );
  if (form.other) parts.push(otherButton(form.other));
  if (!form.live) return markup`<form${id} action="${action}" method="post">${parts}</form>`;
  const { instead, failed } = form.live;
  return markup`<form${id} action="${action}" method="post" hidden data-live>${parts}</form>
<p class="text" role="status" data-failed="${failed}">${instead}</p>`;
}

/**
 * The buttons of many providers, small and side by side. They are one form, since all post the same:
 * a hundred copies of it would be most of the page.
 */
export function buttonsOf(blocks: readonly FormBlock[], drawing: Drawing): Html | undefined {
  const buttons: Html[] = [];
  for (const { form, provider = "" } of blocks) {
    const action = safeUrl(form.action);
    if (action === undefined) continue;
    const sign = signOf(form, provider, drawing);
    const { short, submit } = form;
    buttons.push(
      short === undefined
        ? markup`<button formaction="${action}">${sign}<span>${submit}</span></button>`
        : markup`<button formaction="${action}" aria-label="${submit}">${sign}<span>${short}</span></button>`,
    );
  }
  const [first] = blocks;
  const action = safeUrl(first?.form.action);
  if (!first || action === undefined || !buttons.length) return undefined;
  return markup`<form class="grid" action="${action}" method="post">${hiddenInputs(first.form.hidden)}${buttons}</form>`;
}

/** A form that is one small button. */
export function smallFormOf(form: Form): Html | undefined {
  const action = safeUrl(form.action);
  if (action === undefined) return undefined;
  const hidden = hiddenInputs(form.hidden);
  const look = form.look === "danger" ? "danger" : "plain";
  const label = form.short !== undefined && markup` aria-label="${form.submit}"`;
  return markup`<form action="${action}" method="post">${hidden}<button class="button small ${look}" type="submit"${label}>${form.short ?? form.submit}</button></form>`;
}
