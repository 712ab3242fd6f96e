import { parseUrl } from "./parse-url.ts";
import { decodePunycode } from "./punycode.ts";

// RFC 5321 section 4.5.3.1.
const MAX_ADDRESS_LENGTH = 254;
/** Maximum length of a text that may be an address: normalizing takes quadratic time on combining marks. */
const MAX_TEXT_LENGTH = 4 * MAX_ADDRESS_LENGTH;

const LABEL = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";
// The last label begins with a letter, since a number would make the host an IPv4 address.
const HOST = new RegExp(`^(?:${LABEL}\\.)+(?=[a-z])${LABEL}$`);
const PREFIX = "xn--";
const HAS_PUNYCODE = /(?:^|\.)xn--/;

// Applies UTS 46 as browsers do: the URL parser is the only implementation that every runtime has.
const parseHost = (name: string): string | undefined => parseUrl(`http://${name}`)?.hostname;

function toUnicodeHost(host: string): string | undefined {
  const labels = host
    .split(".")
    .map((label) =>
      label.startsWith(PREFIX) ? decodePunycode(label.slice(PREFIX.length)) : label,
    );
  return labels.includes(undefined) ? undefined : labels.join(".");
}

// The parser accepts some punycode unchecked, so the host must equal the encoding of its decoded name.
function isPunycode(host: string): boolean {
  const name = toUnicodeHost(host);
  return name !== undefined && parseHost(name) === host;
}

// The `\p` sets are written where they are used: engines take long to build them, and startup needs none.
function toAsciiHost(name: string): string | undefined {
  // Excludes combining and invisible characters, and anything that the URL parser decodes or cuts off.
  const isName = /^(?:(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{N}.-])+$/u.test(name);
  const host = isName ? parseHost(name) : undefined;
  if (host === undefined || !HOST.test(host)) return undefined;
  return !HAS_PUNYCODE.test(host) || isPunycode(host) ? host : undefined;
}

/**
 * Returns the canonical form of an e-mail address, in which addresses are stored, compared, counted and mailed: without
 * surrounding white space, in NFKC and lower case, with an internationalized host in punycode. Returns `null` for
 * anything other than one address whose host has a dot and is not a number.
 */
export function normalizeEmail(given: unknown): string | null {
  if (typeof given !== "string" || given.length > MAX_TEXT_LENGTH) return null;
  const text = given.normalize("NFKC").toLowerCase().normalize("NFKC").trim();
  const [local = "", name = "", ...rest] = text.split("@");
  const host = toAsciiHost(name);
  // Prevents address injection: no part of an address may end it, begin another one, or be taken for markup, a header
  // or a program option. Characters that RFC 5322 allows only in quotes are refused, and so are invisible ones.
  const isLocalPart =
    /^(?!-)(?:(?!\p{Default_Ignorable_Code_Point})[^\s\p{C}()<>[\]:;@\\,"]){1,64}$/u.test(local);
  if (rest.length || host === undefined || !isLocalPart) return null;
  const email = `${local}@${host}`;
  return email.length <= MAX_ADDRESS_LENGTH ? email : null;
}

// oxlint-disable-next-line no-control-regex -- ASCII
const countAscii = (text: string) => text.replace(/[^\x00-\x7f]/g, "").length;

/**
 * Returns the canonical form of an address that another server states. Returns `null` also for a text that only
 * resembles an address: compatibility characters in the local part (the Kelvin sign, full-width letters) make it
 * another mailbox there, about which that server knows nothing.
 */
export function normalizeStatedEmail(given: unknown): string | null {
  const email = normalizeEmail(given);
  if (email === null) return null;
  const [local = ""] = (given as string).trim().split("@");
  const [canonical = ""] = email.split("@");
  const isSame = local.normalize("NFC").toLowerCase().normalize("NFC") === canonical;
  return isSame && countAscii(canonical) <= countAscii(local) ? email : null;
}

/**
 * Returns the spellings under which an address may be stored, the given one first. Auth.js, and versions without
 * `normalizeEmail`, stored internationalized hosts in Unicode.
 */
export function listEmailSpellings(email: string): readonly string[] {
  const at = email.lastIndexOf("@") + 1;
  const name = email.slice(at);
  const host = toAsciiHost(name);
  if (at === 0 || host === undefined || (host === name && !HAS_PUNYCODE.test(host))) return [email];
  const names = [name, host, toUnicodeHost(host) ?? name];
  return [...new Set(names)].map((one) => email.slice(0, at) + one);
}
