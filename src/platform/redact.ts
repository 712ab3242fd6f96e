const MAX_READ = 3000;
const MAX_OUTPUT = 300;
// RFC 5321, section 4.5.3.1.
const MAX_ADDRESS_LENGTH = 254;
// Random text has at least this many characters, whether hexadecimal, base64url or a UUID.
const MIN_TOKEN_LENGTH = 16;
// No identifier in a program is this long.
const MAX_NAME_LENGTH = 48;
const WORD = /[^\s<>"'`,;:()[\]{}=&|\\]+/g;
// The query or fragment of a URL. In a sentence, a question mark is followed by a blank.
const QUERY = /[?#][^\s"'`<>)]+/g;
/** The name of a field whose value is secret. */
export const SECRET_NAME: RegExp =
  /secret|token|passw(?:or)?d|passphrase|verifier|cookie|authorization|credential|private|(?:api|access)[-_]?key/i;
// The scheme in a header, and the mechanism of a mail server: `Authorization: Basic dTpw`, `AUTH PLAIN AHUAcA==`.
const SCHEME = /^(?:basic|bearer|digest|plain|login|xoauth2)$/i;
const HEADER = /^(?:(?:proxy-)?authorization|auth)$/i;
// The text between a field's name and its value: `"name": 1`, `name=value`, `name: 'value'`, `(name)=(value)`. In a
// sentence, the text after a colon and a blank is not quoted.
const ASSIGNED =
  /^(?:["'`)\]]{1,2}\s?[:=]\s?["'`(]{0,2}|\s?=>?\s?["'`(]{0,2}|:["'`(]{0,2}|:\s["'`(]{1,2})$/;

function isAddress(word: string): boolean {
  const at = word.search(/@|%40/i);
  return at > 0 && at < word.length - 1;
}

// Words, class names and constants have no digits between letters. A version or a port has few letters.
function isToken(word: string): boolean {
  if (word.length < MIN_TOKEN_LENGTH) return false;
  if (word.length > MAX_NAME_LENGTH) return true;
  const letters = word.replace(/[^a-z]/gi, "").length;
  const digits = word.replace(/\D/g, "").length;
  return digits > 2 && letters + digits >= MIN_TOKEN_LENGTH - 2;
}

function isSecret(word: string): boolean {
  return isAddress(word) || word.split(/[/.]/).some(isToken);
}

function redactWords(text: string): string {
  let end = 0;
  let before = "";
  let beforeThat = "";
  return text.replace(WORD, (word, at: number) => {
    const isValue =
      SECRET_NAME.test(before) && ASSIGNED.test(text.slice(end, at).replaceAll("\\", ""));
    const isCredential = SCHEME.test(before) && HEADER.test(beforeThat);
    end = at + word.length;
    [beforeThat, before] = [before, word];
    return isValue || isCredential || isSecret(word) ? "..." : word;
  });
}

// Returns a secret as texts quote it: unchanged, as JSON, and like `util.inspect`, in quotes that it does not contain.
function listForms(secret: string): string[] {
  const json = JSON.stringify(secret).slice(1, -1);
  return [secret, json, json.replaceAll('\\"', '"')];
}

/** Bounds of `redact`. */
export interface RedactOptions {
  /** Maximum length of the result in characters. Default 300. */
  max?: number;
}

/**
 * Returns a text from other code for the log, without `secrets`. E-mail addresses, tokens, values of secret fields and
 * the queries of URLs are also left out, as far as they can be recognized. Returns at most `max` characters, and reads
 * only the first 3000 (SECURITY.md R16).
 */
export function redact(
  text: string,
  secrets: readonly (string | null | undefined)[] = [],
  { max = MAX_OUTPUT }: RedactOptions = {},
): string {
  const known = secrets
    .flatMap((secret) => (typeof secret === "string" && secret ? listForms(secret) : []))
    // A secret may begin with a shorter one.
    .sort((one, other) => other.length - one.length);
  let redacted = text.slice(0, MAX_READ);
  for (const secret of known) redacted = redacted.replaceAll(secret, "...");
  redacted = redactWords(
    redacted.replace(QUERY, (query, at: number) => {
      const previous = redacted[at - 1];
      return previous === undefined || /\s/.test(previous) ? query : `${query.charAt(0)}...`;
    }),
  );
  if (text.length > MAX_READ) {
    // The cut may have left the beginning of a secret or an address.
    const longest = Math.max(MAX_ADDRESS_LENGTH, ...known.map(({ length }) => length));
    redacted = redacted.slice(0, -longest);
  }
  return redacted.slice(0, max);
}
