import { type AuthError, InvalidConfig, PluginError } from "../errors/errors.ts";
import type { Report } from "../errors/report.ts";
import { isLanguageTag } from "../i18n/messages.ts";
import { nameOwner } from "../kernel/owners.ts";
import { nameType } from "../platform/type-name.ts";
import type { AddedTexts } from "../types/message.ts";

// `Intl` formats dates by the tag, and rejects some well-formed tags.
function isSupportedByIntl(tag: string): boolean {
  try {
    return Intl.getCanonicalLocales(tag).length === 1;
  } catch {
    return false;
  }
}

// Tests for the forms of a text by plural category. Every language has "other".
function isPlural(text: unknown): boolean {
  const forms = text as Record<string, unknown> | null;
  return (
    nameType(text) === "an object" &&
    forms?.other !== undefined &&
    Object.values(forms).every((form) => typeof form === "string")
  );
}

function findFault({ tag, messages, plugin }: AddedTexts): AuthError | undefined {
  if (!isLanguageTag(tag) || !isSupportedByIntl(tag)) {
    return new InvalidConfig(
      `"${tag}" is not a valid language tag (BCP 47), such as "de" or "pt-BR".`,
    );
  }
  const type = nameType(messages);
  const owner = nameOwner(plugin);
  if (type !== "an object") {
    return new PluginError(`The texts (${tag}) of ${owner} are ${type}. Pass { id: "text" }.`);
  }
  for (const [id, text] of Object.entries(messages) as [string, unknown][]) {
    if (typeof text === "string" || isPlural(text)) continue;
    return new PluginError(
      `The text "${id}" (${tag}) of ${owner} is ${nameType(text)}. It must be a string, or { other: "text" }.`,
    );
  }
  return undefined;
}

/** Reports values that are not texts, and tags that name no language. */
export function checkTexts(texts: readonly AddedTexts[], report: Report): void {
  for (const added of texts) {
    const fault = findFault(added);
    if (fault) report(fault);
  }
}
