/** The options of a ceremony as the server sends them (WebAuthn level 3, section 5.10). Bytes are base64url. */
export interface CeremonyOptions extends Record<string, unknown> {
  challenge: string;
  /** Set for a registration. */
  user?: { id: string } & Record<string, unknown>;
  excludeCredentials?: readonly CredentialId[];
  allowCredentials?: readonly CredentialId[];
}

interface CredentialId extends Record<string, unknown> {
  id: string;
}

/** The response fields that an authenticator returns as bytes. */
const FIELDS = [
  "clientDataJSON",
  "attestationObject",
  "authenticatorData",
  "signature",
  "userHandle",
] as const;

/** The last attempt of the page, because browsers perform one ceremony at a time. */
const LAST = new WeakMap<object, AbortController>();

const toBytes = (text: string) =>
  Uint8Array.from(atob(text.replaceAll("-", "+").replaceAll("_", "/")), (one) => one.charCodeAt(0));

const toText = (bytes: ArrayBuffer) =>
  btoa(String.fromCharCode(...new Uint8Array(bytes)))
    .replaceAll("+", "-")
    .replaceAll("/", "_")
    .replaceAll("=", "");

const withBytes = (ids: readonly CredentialId[] | undefined) =>
  ids?.map((one) => ({ ...one, id: toBytes(one.id) }));

/** Returns whether this browser supports passkeys (WebAuthn). */
export function supportsPasskeys(): boolean {
  return typeof PublicKeyCredential === "function";
}

/** Resolves to whether this browser offers passkeys in the autofill of inputs (conditional UI). */
export async function supportsPasskeyAutofill(): Promise<boolean> {
  return (
    supportsPasskeys() && ((await PublicKeyCredential.isConditionalMediationAvailable?.()) ?? false)
  );
}

// Does not use the credential's `toJSON()`: some browsers lack it, and extensions that replace an authenticator
// implement only parts of it.
function toJson(credential: PublicKeyCredential): object {
  const { id, rawId, type, authenticatorAttachment } = credential;
  const response = credential.response as Partial<
    AuthenticatorAttestationResponse & AuthenticatorAssertionResponse
  >;
  const texts = FIELDS.flatMap((name) => {
    const bytes = response[name];
    return bytes ? [[name, toText(bytes)]] : [];
  });
  return {
    id,
    rawId: toText(rawId),
    type,
    response: { ...Object.fromEntries(texts), transports: response.getTransports?.() },
    clientExtensionResults: credential.getClientExtensionResults(),
    authenticatorAttachment: authenticatorAttachment ?? undefined,
  };
}

/**
 * Starts an attempt and aborts the previous one, even one that still waits for its options, which would abort this one
 * later.
 */
export function startAttempt(): AbortController {
  LAST.get(globalThis)?.abort();
  const attempt = new AbortController();
  LAST.set(globalThis, attempt);
  return attempt;
}

/**
 * Performs a ceremony with an authenticator and resolves to the credential as JSON. A pending ceremony is aborted.
 * @throws the browser's error, such as `NotAllowedError` when the user declines or the time limit is exceeded.
 */
export async function performCeremony(
  action: "authenticate" | "register",
  { challenge, user, excludeCredentials, allowCredentials, ...rest }: CeremonyOptions,
  autofill: boolean,
  { signal }: AbortController = startAttempt(),
): Promise<object> {
  if (!(await (autofill ? supportsPasskeyAutofill() : supportsPasskeys()))) {
    throw new Error(`This browser supports no passkeys${autofill ? " in autofill" : ""}.`);
  }
  if (autofill && !document.querySelector("input[autocomplete$=webauthn]")) {
    throw new Error('No input of the page has `autocomplete="username webauthn"`.');
  }
  const { credentials } = navigator;
  const given = { ...rest, challenge: toBytes(challenge) };
  const credential =
    action === "register"
      ? await credentials.create({
          signal,
          publicKey: {
            ...given,
            user: user && { ...user, id: toBytes(user.id) },
            excludeCredentials: withBytes(excludeCredentials),
          } as never,
        })
      : await credentials.get({
          signal,
          ...(autofill && { mediation: "conditional" }),
          publicKey: {
            ...given,
            // In autofill, the user selects among all passkeys of the site. Otherwise, an empty list means the same.
            ...(!autofill &&
              allowCredentials?.length && { allowCredentials: withBytes(allowCredentials) }),
          } as never,
        });
  if (!credential) throw new Error("The browser returned no credential.");
  return toJson(credential as PublicKeyCredential);
}
