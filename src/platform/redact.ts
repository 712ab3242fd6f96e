const MAX_READ = 3000;
const MAX_OUTPUT = 300;
// RFC 5321, section 4.5.3.1.
const MAX_ADDRESS_LENGTH = 254;
const WORD = /[^\s<>"',;:()[\]]+/g;

function isAddress(word: string): boolean {
  const at = word.indexOf("@", 1);
  return at > 0 && at < word.length - 1;
}

/**
 * Returns a foreign text without e-mail addresses and without `secrets`, for the log: at most 300 characters,
 * of which the first 3000 are read (SECURITY.md R16).
 */
export function redact(text: string, secrets: readonly (string | null | undefined)[]): string {
  const known = secrets.filter((secret) => typeof secret === "string").filter(Boolean);
  let redacted = text.slice(0, MAX_READ);
  for (const secret of known) redacted = redacted.replaceAll(secret, "...");
  redacted = redacted.replace(WORD, (word) => (isAddress(word) ? "..." : word));
  if (text.length > MAX_READ) {
    // The cut may have left the beginning of a secret or of an address.
    const longest = Math.max(MAX_ADDRESS_LENGTH, ...known.map(({ length }) => length));
    redacted = redacted.slice(0, -longest);
  }
  return redacted.slice(0, MAX_OUTPUT);
}
