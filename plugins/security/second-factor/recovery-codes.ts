import { sha256Hex } from "../../../src/_kit.ts";

/** Crockford's base32: no letters that are read as digits. */
const ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz";
/**
 * Characters of a code: 120 random bits. From 112 bits on, NIST SP 800-63B (look-up secrets) and OWASP ASVS 6.5.2 accept a
 * hash without a salt, because a reader of the store cannot try all codes.
 */
const LENGTH = 24;
/** Longest text that is read as a code: it may be typed with spaces and hyphens. */
const MAX_TYPED_LENGTH = 100;
const CODE = new RegExp(`^[${ALPHABET}]{${LENGTH}}$`);

function createRecoveryCode(): string {
  const bytes = crypto.getRandomValues(new Uint8Array(LENGTH));
  return Array.from(bytes, (byte) => ALPHABET[byte % ALPHABET.length]).join("");
}

/** Creates recovery codes. */
export function createRecoveryCodes(count: number): string[] {
  return Array.from({ length: count }, createRecoveryCode);
}

/** Returns a recovery code as it is shown: in groups of four characters. */
export function formatRecoveryCode(code: string): string {
  return code.replaceAll(/.{4}(?=.)/g, "$&-");
}

/** Returns the recovery code that was typed; `undefined` if the text is not one. */
export function parseRecoveryCode(text: string): string | undefined {
  if (text.length > MAX_TYPED_LENGTH) return undefined;
  const code = text
    .normalize("NFKC")
    .toLowerCase()
    .replaceAll(/[\s\p{Pd}]/gu, "")
    .replaceAll("o", "0")
    .replaceAll(/[il]/g, "1");
  return CODE.test(code) ? code : undefined;
}

/** Returns the hash under which a code is stored. It needs no salt: a code is as random as a key. */
export async function hashRecoveryCode(code: string): Promise<string> {
  return sha256Hex(`keyhook recovery code ${code}`);
}
