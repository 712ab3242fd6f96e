// A stand-in until the ceremonies are there: it holds the place and the types.

/** Where to ask, and for what. */
export interface PasskeyCall {
  base: string;
  provider: string;
  action?: "authenticate" | "register";
  fields?: Readonly<Record<string, string>>;
  autofill?: boolean;
  fetch?: typeof fetch;
}

/** What an authenticator answered: to be posted to the provider's callback, with the CSRF token. */
export interface PasskeyAnswer {
  action: "authenticate" | "register";
  /** JSON. */
  data: string;
}

/** Asks the server what to ask for, and the authenticator to answer it. */
export async function askPasskey(_: PasskeyCall): Promise<PasskeyAnswer> {
  throw new DOMException("Passkeys are not there yet.", "NotSupportedError");
}
