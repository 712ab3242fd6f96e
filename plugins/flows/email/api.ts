import { encodeText } from "../../../src/_kit.ts";
import { AuthError } from "../../../src/errors.ts";
import { boundedFetch, customFetch } from "../../../src/kernel.ts";
import { type Values, apiValues, fillText } from "./placeholders.ts";
import type { Mail, MailApi } from "./provider.ts";
import type { AnyEmailProvider } from "./types.ts";

// Responses of e-mail services are short.
const MAX_RESPONSE_BYTES = 65_536;

function authorization(auth: string, values: Values): string {
  const filled = fillText(auth, values);
  const credentials = /^Basic (.*)$/s.exec(filled)?.[1];
  if (credentials === undefined) return filled;
  return `Basic ${btoa(String.fromCharCode(...encodeText(credentials)))}`;
}

function buildBody({ as }: MailApi, fields: object): FormData | string {
  if (as !== "form") return JSON.stringify(fields);
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) {
    if (value !== undefined) form.append(name, String(value));
  }
  return form;
}

/**
 * Sends an e-mail through an HTTP API.
 * @throws AuthError with the response's text when the status is not 2xx.
 */
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
  const fetchBounded = boundedFetch(provider[customFetch], {
    ...bounds,
    maxBytes: MAX_RESPONSE_BYTES,
  });
  const response = await fetchBounded(url, {
    method: "POST",
    headers,
    body: buildBody(api, api.body(mail)),
  });
  if (response.ok) return;
  const text = await response.text();
  throw new AuthError(`${url.host} responded with status ${response.status}: ${text}`);
}
