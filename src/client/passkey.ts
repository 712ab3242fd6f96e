import {
  browserSupportsWebAuthn,
  browserSupportsWebAuthnAutofill,
  startAuthentication,
  startRegistration,
} from "@simplewebauthn/browser";

/** Where to ask, and for what. */
export interface PasskeyCall {
  /** Where the routes are: a path here (`/auth`), or a full URL. No slash at its end. */
  base: string;
  /** Id of the provider, such as `passkey`. */
  provider: string;
  /**
   * `authenticate` signs in with a passkey that is there, `register` makes one: for whoever is signed in,
   * else for somebody new, whom `fields` name. Default `authenticate`.
   */
  action?: "authenticate" | "register";
  /** What the provider's form asks for, such as `email`. */
  fields?: Readonly<Record<string, string>>;
  /** Waits until a passkey is chosen where a name is filled in, instead of asking for one at once. */
  autofill?: boolean;
  /** Default: the browser's. */
  fetch?: typeof fetch;
}

/** What an authenticator answered: to be posted to the provider's callback, with the CSRF token. */
export interface PasskeyAnswer {
  action: "authenticate" | "register";
  /** JSON. */
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

/** The server gives no options: nobody may register, or the fields name nobody. */
export class PasskeyRefused extends Error {
  override readonly name = "PasskeyRefused";
  /** HTTP status of the answer. */
  readonly status: number;

  constructor(status: number) {
    super(`The server gave no options for a passkey (status ${status}).`);
    this.status = status;
  }
}

/** Whether this browser knows passkeys. */
export function supportsPasskeys(): boolean {
  return browserSupportsWebAuthn();
}

/** Whether this browser offers passkeys where a name is filled in. */
export function supportsPasskeyAutofill(): Promise<boolean> {
  return browserSupportsWebAuthnAutofill();
}

/**
 * Asks the server what to ask for, and the authenticator to answer it. A second call ends one that
 * waits.
 * @throws PasskeyRefused; what the browser throws when the visitor declines, or is too late
 */
export async function askPasskey(call: PasskeyCall): Promise<PasskeyAnswer> {
  const { base, provider, action = "authenticate", fields, autofill = false } = call;
  const ask = call.fetch ?? fetch;
  const query = new URLSearchParams({ ...fields, action });
  const url = `${base}/webauthn-options/${encodeURIComponent(provider)}?${query}`;
  const response = await ask(url, { headers: { accept: "application/json" }, cache: "no-store" });
  if (!response.ok) throw new PasskeyRefused(response.status);
  const given = (await response.json()) as Given;
  const credential =
    given.action === "register"
      ? await startRegistration({ optionsJSON: given.options })
      : await startAuthentication({ optionsJSON: given.options, useBrowserAutofill: autofill });
  return { action: given.action, data: JSON.stringify(credential) };
}
