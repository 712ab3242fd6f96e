import { AuthError } from "../../../src/errors.ts";

/** Seconds for which a code is shown. */
const PERIOD_S = 30;
/** Maximum length of a name in an authenticator app. A longer name makes the QR code too fine to read. */
const MAX_NAME_LENGTH = 64;
/** Maximum length of text that is read as a code or a name. */
const MAX_TYPED_LENGTH = 256;

// Imported with the first code. An application whose users have no second factor never loads it.
async function loadLibrary(): Promise<typeof import("otpauth")> {
  try {
    return await import("otpauth");
  } catch (error) {
    throw new AuthError('A second factor needs version 9 of the package "otpauth". Install it.', {
      cause: error,
    });
  }
}

/** Creates a key: 160 random bits as base32. */
export async function createKey(): Promise<string> {
  const { Secret } = await loadLibrary();
  return new Secret({ size: 20 }).base32;
}

// A code may be typed with spaces, and with the digits of Arabic, Persian or Japanese keyboards.
function parseCode(text: string): string | undefined {
  if (text.length > MAX_TYPED_LENGTH) return undefined;
  const code = text
    .replaceAll(/[\s\p{Pd}]/gu, "")
    .replaceAll(/[\u0660-\u0669\u06F0-\u06F9\uFF10-\uFF19]/g, (digit) =>
      String(digit.charCodeAt(0) % 16),
    );
  return /^\d{6}$/.test(code) ? code : undefined;
}

/** Returns the time step of a code (RFC 6238 section 4.2), or `undefined` if the code is not valid now. */
export async function findStep(
  key: string,
  text: string,
  window: number,
): Promise<number | undefined> {
  const { Secret, TOTP } = await loadLibrary();
  const token = parseCode(text);
  if (token === undefined) return undefined;
  const time = { timestamp: Date.now(), period: PERIOD_S };
  const delta = TOTP.validate({ token, secret: Secret.fromBase32(key), window, ...time });
  return delta === null ? undefined : TOTP.counter(time) + delta;
}

// A lone surrogate has no UTF-8 encoding, and a colon would end the issuer.
function toName(text: string): string {
  const name = text
    .slice(0, MAX_TYPED_LENGTH)
    .replaceAll(/[\p{C}:]/gu, " ")
    .trim();
  return [...name].slice(0, MAX_NAME_LENGTH).join("");
}

/** Builds the URI that authenticator apps read (key URI format). */
export async function buildKeyUri(key: string, issuer: string, account: string): Promise<string> {
  const { Secret, TOTP } = await loadLibrary();
  return new TOTP({
    issuer: toName(issuer),
    label: toName(account) || toName(issuer),
    secret: Secret.fromBase32(key),
    period: PERIOD_S,
  }).toString();
}
