import { AuthError, boundedFetch, customFetch, encodeText } from "../../../src/index.ts";
import type { Mail, MailApi } from "../../../src/index.ts";
import { type ApiValues, apiValues, fillText } from "./placeholders.ts";
import type { AnyEmailProvider } from "./types.ts";

// What a service has to say about a mail is short.
const MAX_ANSWER = 65_536;

function authorization(auth: string, values: ApiValues): string {
  const filled = fillText(auth, values);
  const credentials = /^Basic (.*)$/s.exec(filled)?.[1];
  if (credentials === undefined) return filled;
  return `Basic ${btoa(String.fromCharCode(...encodeText(credentials)))}`;
}

function bodyOf({ as }: MailApi, fields: object): FormData | string {
  if (as !== "form") return JSON.stringify(fields);
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) form.append(name, String(value));
  }
  return form;
}

/** Hands a mail to an HTTP API. */
export async function sendByApi(
  provider: AnyEmailProvider & { api: MailApi },
  mail: Mail,
  bounds: { timeout: number; signal: AbortSignal },
): Promise<void> {
  const { api } = provider;
  const values = apiValues(provider, mail.from?.address);
  const headers = new Headers({ accept: "application/json", "user-agent": "keyhook" });
  if (api.as !== "form") headers.set("content-type", "application/json");
  for (const [name, text] of Object.entries(api.headers ?? {})) {
    headers.set(name, fillText(text, values));
  }
  if (api.auth !== undefined) headers.set("authorization", authorization(api.auth, values));
  const url = new URL(fillText(api.url, values));
  const ask = boundedFetch(provider[customFetch], { ...bounds, maxBytes: MAX_ANSWER });
  const response = await ask(url, { method: "POST", headers, body: bodyOf(api, api.body(mail)) });
  if (response.ok) return;
  const said = await response.text();
  throw new AuthError(`${url.host} answered with status ${response.status}: ${said}`);
}
