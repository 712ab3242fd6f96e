import { type AuthError, defineError, EmailSignInError } from "../../../src/errors.ts";
import { normalizeEmail } from "../../../src/kernel.ts";
import type { EmailProvider, MailSender } from "./provider.ts";

// What visitors type is no fault of the application: the log of production is not theirs to fill.
const InvalidAddress = defineError("EmailSignInError", EmailSignInError, 400, "public", "debug");

function refuse({ id }: EmailProvider, reason: string): AuthError {
  return Object.assign(new InvalidAddress(`"${id}": ${reason}.`), { code: "invalid_address" });
}

// RFC 5321, section 4.5.3.1.
const MAX_ADDRESS_LENGTH = 254;
// What a mail server on the way may turn into another mailbox: routes of older mail, which Postfix follows by default
// (`user%host`, `host!user`), and encoded words (RFC 2047). The address would be verified by someone else.
const REWRITABLE = /[%!]|=\?/;
const PLAIN_NAME = /^[\w !#$%&'*+/=?^`{|}~-]+$/;

// In functions: to parse these classes takes a millisecond, of every process that starts.
function isLabel(text: string): boolean {
  return /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?$/u.test(text);
}

// Address injection: no part of an address may end it, begin another one, or be taken for markup, a
// header or an option of a program. Characters that RFC 5322 allows only in quotes are refused.
function isLocalPart(text: string): boolean {
  return /^(?!-)[^\s\p{C}()<>[\]:;@\\,"]{1,64}$/u.test(text);
}

/** Returns whether a text is a single address that e-mails may come from, of a host without a dot too. */
export function isAddress(text: string): boolean {
  if (text.length > MAX_ADDRESS_LENGTH) return false;
  const [local = "", domain = "", ...rest] = text.split("@");
  return !rest.length && isLocalPart(local) && domain.split(".").every(isLabel);
}

/** Returns the domain of an address. */
export function getDomain(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1);
}

// As in Auth.js, what follows a comma in the domain is dropped.
function normalizeAddress(text: string): string | null {
  const comma = text.indexOf(",", text.indexOf("@"));
  const isList = comma >= 0 && !text.includes("@", comma);
  return normalizeEmail(isList ? text.slice(0, comma) : text);
}

/**
 * Returns the canonical spelling of an address that a visitor entered or that is in a link.
 * @throws EmailSignInError when it is not a valid address.
 */
export function parseAddress(provider: EmailProvider, given: unknown): string {
  const { normalizeIdentifier, sendVerificationRequest } = provider;
  const text = typeof given === "string" && given.length <= 4 * MAX_ADDRESS_LENGTH ? given : "";
  let address: unknown;
  try {
    address = normalizeIdentifier ? normalizeIdentifier(text) : normalizeAddress(text);
  } catch {
    // The error's message may quote the input.
    throw refuse(provider, "`normalizeIdentifier` rejected the input");
  }
  // A provider with its own `normalizeIdentifier` and `sendVerificationRequest` may use other
  // identifiers than e-mail addresses.
  const isOwn = normalizeIdentifier !== undefined && sendVerificationRequest !== undefined;
  const isUsable = isOwn
    ? (given: string) => /^[^\p{C}]{1,254}$/u.test(given)
    : (given: string) => normalizeEmail(given) !== null && !REWRITABLE.test(given);
  // Compatible characters (letters of full width, the long s) make another mailbox, whose link would sign in as the user
  // whose address it resembles.
  const isPlain = (given: string) => given === given.normalize("NFKC");
  if (typeof address === "string" && isUsable(address) && isPlain(address)) return address;
  throw refuse(provider, "the input is not an e-mail address");
}

/**
 * Checks that the address of a link is read as it was mailed: the link has what `normalizeIdentifier` has returned, which
 * is normalized again.
 * @throws EmailSignInError when that is another text.
 */
export function expectStable({ normalizeIdentifier, id }: EmailProvider, address: string): void {
  if (!normalizeIdentifier) return;
  let again: unknown;
  try {
    again = normalizeIdentifier(address);
  } catch {
    // As another text.
  }
  if (again === address) return;
  throw new EmailSignInError(
    `"${id}": \`normalizeIdentifier\` changes what it has returned, so no link would be accepted. Let it return that as it is.`,
  );
}

/**
 * Parses a sender, `Name <address>` or an address alone; returns `undefined` when it is neither.
 */
export function parseSender(text: string): MailSender | undefined {
  const [, given = "", within, alone] = /^(?:([^<>]*)<([^<>]+)>|([^<>]+))$/.exec(text.trim()) ?? [];
  const address = (within ?? alone ?? "").trim();
  const name = given
    .trim()
    .replace(/^"(.*)"$/, "$1")
    .replace(/\\(.)/g, "$1");
  if (!isAddress(address) || /[\p{Cc}\p{Cs}]/u.test(text)) return undefined;
  if (name === "") return { address, text: address };
  const shown = PLAIN_NAME.test(name) ? name : `"${name.replace(/["\\]/g, "\\$&")}"`;
  return { name, address, text: `${shown} <${address}>` };
}
