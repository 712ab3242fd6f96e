import { type AuthError, defineError, EmailSignInError } from "../../../src/errors.ts";
import { normalizeEmail } from "../../../src/kernel.ts";
import type { EmailProvider, MailSender } from "./provider.ts";

// Mistyped addresses are not a fault of the application, and visitors must not be able to fill its production log.
const InvalidAddress = defineError("EmailSignInError", EmailSignInError, 400, "public", "debug");

function refuse({ id }: EmailProvider, reason: string): AuthError {
  return Object.assign(new InvalidAddress(`"${id}": ${reason}.`), { code: "invalid_address" });
}

// RFC 5321, section 4.5.3.1.
const MAX_ADDRESS_LENGTH = 254;
// Text that a mail server may rewrite to another mailbox: old-style routes, which Postfix follows by default
// (`user%host`, `host!user`), and encoded words (RFC 2047). Another person could then verify the address.
const REWRITABLE = /[%!]|=\?/;
const PLAIN_NAME = /^[\w !#$%&'*+/=?^`{|}~-]+$/;

// In functions, because parsing these character classes takes a millisecond in every process that starts.
function isLabel(text: string): boolean {
  return /^[\p{L}\p{N}](?:[\p{L}\p{M}\p{N}-]{0,61}[\p{L}\p{M}\p{N}])?$/u.test(text);
}

// Prevents address injection: no part of an address may end it, begin another one, or be read as markup, a header or an
// option of a program. Characters that RFC 5322 allows only in quotes are refused.
function isLocalPart(text: string): boolean {
  return /^(?!-)[^\s\p{C}()<>[\]:;@\\,"]{1,64}$/u.test(text);
}

/** Returns whether a text is a single address that e-mails may come from. The host may have no dot. */
export function isAddress(text: string): boolean {
  if (text.length > MAX_ADDRESS_LENGTH) return false;
  const [local = "", domain = "", ...rest] = text.split("@");
  return !rest.length && isLocalPart(local) && domain.split(".").every(isLabel);
}

export function getDomain(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1);
}

// As in Auth.js, a comma in the domain and what follows it are dropped.
function normalizeAddress(text: string): string | null {
  const comma = text.indexOf(",", text.indexOf("@"));
  const isList = comma >= 0 && !text.includes("@", comma);
  return normalizeEmail(isList ? text.slice(0, comma) : text);
}

/**
 * Returns the canonical spelling of an address from a form or a link.
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
  // A provider with its own `normalizeIdentifier` and `sendVerificationRequest` may use identifiers other than e-mail
  // addresses.
  const isOwn = normalizeIdentifier !== undefined && sendVerificationRequest !== undefined;
  const isUsable = isOwn
    ? (given: string) => /^[^\p{C}]{1,254}$/u.test(given)
    : (given: string) => normalizeEmail(given) !== null && !REWRITABLE.test(given);
  // Compatibility characters (full-width letters, the long s) form another mailbox, whose link would sign in as the
  // user whose address it resembles.
  const isPlain = (given: string) => given === given.normalize("NFKC");
  if (typeof address === "string" && isUsable(address) && isPlain(address)) return address;
  throw refuse(provider, "the input is not an e-mail address");
}

/**
 * Checks that the address in a link is still the address that received it. The link has the result of
 * `normalizeIdentifier`, which is then normalized again.
 * @throws EmailSignInError when the second result differs.
 */
export function expectStable({ normalizeIdentifier, id }: EmailProvider, address: string): void {
  if (!normalizeIdentifier) return;
  let again: unknown;
  try {
    again = normalizeIdentifier(address);
  } catch {
    // An error counts as a different result.
  }
  if (again === address) return;
  throw new EmailSignInError(
    `"${id}": \`normalizeIdentifier\` changes its own result, so no link would be accepted. Make it idempotent.`,
  );
}

/** Parses a sender: `Name <address>` or only an address. Returns `undefined` when it is neither. */
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
