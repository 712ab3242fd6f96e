import { type CeremonyOptions, performCeremony } from "./ceremony.ts";

export { supportsPasskeyAutofill, supportsPasskeys } from "./ceremony.ts";

/** Parameters of `askPasskey`. */
export interface PasskeyCall {
  /** Base of the routes: a path of this origin (`/auth`), or a full URL, without a trailing slash. */
  base: string;
  /** Id of the provider, such as `passkey`. */
  provider: string;
  /**
   * `authenticate` signs in with an existing passkey; `register` creates one, for the signed-in user, else
   * for the new user that `fields` describe. Default `authenticate`.
   */
  action?: "authenticate" | "register";
  /** Fields of the provider's form, such as `email`. */
  fields?: Readonly<Record<string, string>>;
  /**
   * Waits until the user selects a passkey in the autofill of an input, instead of showing a dialog. Default
   * `false`.
   */
  autofill?: boolean;
  /** Sends the request. Default: the global `fetch`. */
  fetch?: typeof fetch;
}

/** The response of an authenticator, to be posted to the provider's callback with the CSRF token. */
export interface PasskeyAnswer {
  action: "authenticate" | "register";
  /** The credential as JSON. */
  data: string;
}

/** The error of a server that returns no options, such as when registration is not allowed. */
export interface PasskeyRefused extends Error {
  readonly name: "PasskeyRefused";
  /** HTTP status of the response. */
  readonly status: number;
  /** The `type` of the server's error, such as `FreshSessionRequired`, if it states a page for it. */
  readonly type?: string;
  /** URL of that page: where to sign in, to come back here afterwards. */
  readonly url?: string;
}

async function toRefusal(response: Response): Promise<PasskeyRefused> {
  const { status } = response;
  const { error: type, url = "" } = await (
    response.json() as Promise<{ error?: string; url?: string }>
  ).catch(() => ({}) as { error?: string; url?: string });
  const text = `The server returned no options for a passkey (status ${status}).`;
  const page = /^https?:/.test(url) && { type, url };
  return Object.assign(new Error(text), { name: "PasskeyRefused" as const, status, ...page });
}

/**
 * Fetches the options of a ceremony from the server and performs it with an authenticator. A later call
 * aborts one that is pending.
 * @throws PasskeyRefused when the server returns no options; the browser's error, such as `NotAllowedError`,
 * when the user declines or the time limit is exceeded.
 */
export async function askPasskey(call: PasskeyCall): Promise<PasskeyAnswer> {
  const { base, provider, action = "authenticate", fields, autofill = false } = call;
  const send = call.fetch ?? fetch;
  const query = new URLSearchParams({ ...fields, action });
  const url = `${base}/webauthn-options/${encodeURIComponent(provider)}?${query}`;
  const response = await send(url, { headers: { accept: "application/json" }, cache: "no-store" });
  if (!response.ok) throw await toRefusal(response);
  const given = (await response.json()) as {
    action: PasskeyAnswer["action"];
    options: CeremonyOptions;
  };
  const credential = await performCeremony(given.action, given.options, autofill);
  return { action: given.action, data: JSON.stringify(credential) };
}
