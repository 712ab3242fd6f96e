import { EmailSignInError } from "../../../src/index.ts";
import type { EmailProvider, MailSender } from "../../../src/index.ts";

// RFC 5321, section 4.5.3.1.
const LONGEST = 254;
// No part of an address may end it, begin another one, or be taken for markup, a header or an option
// of a program: of what RFC 5322 lets stand in quotes only, nothing is allowed.
const LOCAL = /^(?!-)[^\s\p{C}()<>[\]:;@\\,"]{1,64}$/u;
const LABEL = "[\\p{L}\\p{N}](?:[\\p{L}\\p{M}\\p{N}-]{0,61}[\\p{L}\\p{M}\\p{N}])?";
const DOMAIN = new RegExp(`^(?:${LABEL}\\.)*${LABEL}$`, "u");
const PLAIN_NAME = /^[\w !#$%&'*+/=?^`{|}~-]+$/;

/** Whether a text is one address and nothing else. */
export function isAddress(text: string): boolean {
  const [local = "", domain = "", ...rest] = text.split("@");
  return text.length <= LONGEST && !rest.length && LOCAL.test(local) && DOMAIN.test(domain);
}

/** The domain of an address. */
export function domainOf(address: string): string {
  return address.slice(address.lastIndexOf("@") + 1);
}

// As Auth.js does it, whose rows are looked up by the outcome.
function normalise(text: string): string {
  const [local, domain, ...rest] = text.normalize("NFKC").toLowerCase().trim().split("@");
  if (local === undefined || domain === undefined || rest.length) return "";
  return `${local}@${domain.split(",", 1)[0]}`;
}

/**
 * The one spelling of an address that somebody entered or that stands in a link.
 * @throws EmailSignInError when it is none.
 */
export function addressOf(provider: EmailProvider, given: unknown): string {
  const { normalizeIdentifier, sendVerificationRequest, id } = provider;
  const text = typeof given === "string" && given.length <= 4 * LONGEST ? given : "";
  let address: unknown;
  try {
    address = normalizeIdentifier ? normalizeIdentifier(text) : normalise(text);
  } catch {
    // Its message may quote what was entered.
    throw new EmailSignInError(`"${id}": \`normalizeIdentifier\` refused what was entered.`);
  }
  // Who says both what an address is and how it is reached may mean something else than mail.
  const isOwn = normalizeIdentifier !== undefined && sendVerificationRequest !== undefined;
  const isUsable = isOwn ? (text: string) => /^[^\p{C}]{1,254}$/u.test(text) : isAddress;
  if (typeof address === "string" && isUsable(address)) return address;
  throw new EmailSignInError(`"${id}": what was entered is no e-mail address.`);
}

/** A sender, `Name <address>` or an address alone; `undefined` when it is neither. */
export function senderOf(text: string): MailSender | undefined {
  const [, given = "", within, alone] = /^(?:([^<>]*)<([^<>]+)>|([^<>]+))$/.exec(text.trim()) ?? [];
  const address = (within ?? alone ?? "").trim();
  const name = given
    .trim()
    .replace(/^"(.*)"$/, "$1")
    .replace(/\\(.)/g, "$1");
  if (!isAddress(address) || /\p{C}/u.test(text)) return undefined;
  if (name === "") return { address, text: address };
  const shown = PLAIN_NAME.test(name) ? name : `"${name.replace(/["\\]/g, "\\$&")}"`;
  return { name, address, text: `${shown} <${address}>` };
}
