import {
  browserSupportsWebAuthn,
  browserSupportsWebAuthnAutofill,
  startAuthentication,
  startRegistration,
} from "@simplewebauthn/browser";

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

type Options<Start extends (options: never) => unknown> = Parameters<Start>[0] extends {
  optionsJSON: infer Json;
}
  ? Json
  : never;

type Given =
  | { action: "authenticate"; options: Options<typeof startAuthentication> }
  | { action: "register"; options: Options<typeof startRegistration> };

/** The error of a server that returns no options, such as when registration is not allowed. */
export class PasskeyRefused extends Error {
  override readonly name = "PasskeyRefused";
  /** HTTP status of the response. */
  readonly status: number;
  /** The `type` of the server's error, such as `FreshSessionRequired`, if it states a page for it. */
  readonly type: string | undefined;
  /** URL of that page: where to sign in, to come back here afterwards. */
  readonly url: string | undefined;

  constructor(status: number, { error, url }: { error?: string; url?: string } = {}) {
    super(`The server returned no options for a passkey (status ${status}).`);
    this.status = status;
    this.url = /^https?:/.test(url ?? "") ? url : undefined;
    this.type = this.url && error;
  }
}

/** Returns whether this browser supports passkeys (WebAuthn). */
export function supportsPasskeys(): boolean {
  return browserSupportsWebAuthn();
}

/** Resolves to whether this browser offers passkeys in the autofill of inputs (conditional UI). */
export function supportsPasskeyAutofill(): Promise<boolean> {
  return browserSupportsWebAuthnAutofill();
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
  if (!response.ok) {
    const stated = response.json().catch(() => ({})) as Promise<{ error?: string; url?: string }>;
    throw new PasskeyRefused(response.status, await stated);
  }
  const given = (await response.json()) as Given;
  const credential =
    given.action === "register"
      ? await startRegistration({ optionsJSON: given.options })
      : await startAuthentication({ optionsJSON: given.options, useBrowserAutofill: autofill });
  return { action: given.action, data: JSON.stringify(credential) };
}
