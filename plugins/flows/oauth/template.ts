import { parseUrl } from "../../../src/_kit.ts";
import { AuthError } from "../../../src/errors.ts";
import { valueAt } from "../_response-json.ts";
import type { Params } from "./provider.ts";

/** The values of placeholders: `{clientId}`, `{tokens.openid}`, `{callback.x}`, ... */
export interface Values {
  clientId?: string | undefined;
  clientSecret?: string | undefined;
  issuer?: string | undefined;
  access_token?: string | undefined;
  tokens?: object;
  callback?: object;
  profile?: object;
}

const PLACEHOLDER =
  /\{(clientId|clientSecret|issuer|access_token|(?:tokens|callback|profile)\.[\w.-]+)\}/g;

/** Replaces the placeholders of a text, so that the rest can be checked. */
export function withoutPlaceholders(text: string, replacement = "x"): string {
  return text.replace(PLACEHOLDER, replacement);
}

function fillText(
  text: string,
  values: Values,
  encode: (value: string) => string,
): string | undefined {
  let isComplete = true;
  const filled = text.replace(PLACEHOLDER, (_, path: string) => {
    const value = valueAt(values, path);
    if (typeof value === "string" || typeof value === "number") return encode(`${value}`);
    isComplete = false;
    return "";
  });
  return isComplete ? filled : undefined;
}

// A value must stay one path segment: "." and ".." would refer to a parent path.
function encodeSegment(value: string): string {
  return /^\.+$/.test(value) ? value.replaceAll(".", "%252E") : encodeURIComponent(value);
}

/**
 * Fills a URL's placeholders, each value encoded as one path segment.
 * @throws AuthError when a placeholder has no value.
 */
export function fillUrl(text: string, values: Values): URL {
  const url = parseUrl(fillText(text, values, encodeSegment) ?? "");
  if (url) return url;
  throw new AuthError(
    `A placeholder of the URL ${withoutPlaceholders(text, "{...}")} has no value.`,
  );
}

/**
 * Fills the placeholders of parameters or headers. Objects become JSON. Entries that are empty, or whose placeholder
 * has no value, are left out.
 */
export function fillParams(params: Params | undefined, values: Values): Record<string, string> {
  const filled: Record<string, string> = {};
  for (const [name, given] of Object.entries(params ?? {})) {
    if (given === undefined || given === null || given === "") continue;
    const text = typeof given === "object" ? JSON.stringify(given) : `${given}`;
    const value = fillText(text, values, (one) => one);
    if (value) filled[name] = value;
  }
  return filled;
}
