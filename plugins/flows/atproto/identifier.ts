import { parseOrigin } from "./network.ts";

/** What a visitor typed: a handle, a DID, or the origin of a server. */
export type Identifier =
  | { readonly handle: string }
  | { readonly did: string }
  | { readonly server: string };

/** A handle is a domain name (RFC 1035). */
const MAX_HANDLE_LENGTH = 253;
const MAX_TYPED_LENGTH = 2048;

/** Top-level domains that are not allowed in handles. */
const RESERVED = [
  "alt",
  "arpa",
  "example",
  "internal",
  "invalid",
  "local",
  "localhost",
  "onion",
  "test",
];

const LABEL = /^[a-z\d](?:[a-z\d-]{0,61}[a-z\d])?$/;

function isName(text: string): boolean {
  if (text.length > MAX_HANDLE_LENGTH) return false;
  const labels = text.split(".");
  const last = labels.at(-1) ?? "";
  return (
    labels.length > 1 &&
    labels.every((label) => LABEL.test(label)) &&
    /^[a-z]/.test(last) &&
    !RESERVED.includes(last)
  );
}

/** Parses a handle. Returns it in lower case, or `undefined` for anything else. */
export function parseHandle(text: unknown): string | undefined {
  if (typeof text !== "string" || text.length > MAX_HANDLE_LENGTH) return undefined;
  const handle = text.toLowerCase();
  return isName(handle) ? handle : undefined;
}

/**
 * Parses a DID of one of the protocol's two methods: `did:plc`, or `did:web` with a host. Returns `undefined` for
 * anything else.
 */
export function parseDid(text: unknown): string | undefined {
  if (typeof text !== "string" || text.length > MAX_TYPED_LENGTH) return undefined;
  if (/^did:plc:[a-z2-7]{24}$/.test(text)) return text;
  const [, host = ""] = /^did:web:([a-z\d.-]+)$/.exec(text) ?? [];
  return isName(host) ? text : undefined;
}

/**
 * Parses what a visitor typed. Returns `undefined` if it is not an identifier. Blanks at both ends, invisible
 * characters (which are often copied with a handle) and a leading `@` or `at://` are removed.
 */
export function parseIdentifier(typed: unknown): Identifier | undefined {
  if (typeof typed !== "string" || typed.length > MAX_TYPED_LENGTH) return undefined;
  const text = typed
    .replaceAll(/\p{C}/gu, "")
    .trim()
    .replace(/^(?:@|at:\/\/)/, "");
  if (/^https?:/i.test(text)) {
    const server = parseOrigin(text);
    return server === undefined ? undefined : { server };
  }
  const did = parseDid(text);
  if (did !== undefined) return { did };
  const handle = parseHandle(text);
  return handle === undefined ? undefined : { handle };
}
