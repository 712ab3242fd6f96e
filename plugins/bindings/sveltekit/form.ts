import { parseUrl } from "../../../src/_kit.ts";
import type { KitEvent } from "./visit.ts";

const PARAMS = "authorizationParams-";

/** What a form of the application posts to an action. */
export interface FormFields {
  readonly provider: string | undefined;
  readonly options: Record<string, unknown>;
  readonly params: Record<string, string>;
}

// `resolve` of `$app/paths` is relative to the page that the server renders, but the page's form may be posted to
// another one.
const isRelative = (path: string | undefined): path is string => /^\.\.?(?:\/|$)/.test(path ?? "");

function resolvePath(path: string, { request, url }: KitEvent): string {
  const resolved = parseUrl(path, request.headers.get("referer") ?? "") ?? new URL(path, url);
  const { pathname, search, hash } = resolved;
  return pathname + search + hash;
}

/** Reads the fields of `SignIn` and `SignOut` of keyhook/svelte. They have the names of Auth.js. */
export async function readForm(event: KitEvent): Promise<FormFields> {
  const { request } = event;
  const isForm = /^(?:application\/x-www-form-urlencoded|multipart\/form-data)\b/i.test(
    request.headers.get("content-type") ?? "",
  );
  const entries = isForm && !request.bodyUsed ? [...(await request.formData())] : [];
  // A sign-in does not accept files.
  const texts = entries.filter((entry): entry is [string, string] => typeof entry[1] === "string");
  const { providerId, redirect, ...fields } = Object.fromEntries(texts);
  const given = Object.entries(fields);
  const { redirectTo: target } = fields;
  const isParam = ([name]: [string, string]) => name.startsWith(PARAMS);
  const params = given.filter(isParam).map(([name, value]) => [name.slice(PARAMS.length), value]);
  return {
    provider: providerId || undefined,
    options: {
      ...Object.fromEntries(given.filter((entry) => !isParam(entry))),
      ...(isRelative(target) && { redirectTo: resolvePath(target, event) }),
      ...((redirect === "" || redirect === "false") && { redirect: false }),
    },
    params: Object.fromEntries(params) as Record<string, string>,
  };
}
