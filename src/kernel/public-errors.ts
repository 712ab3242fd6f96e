import {
  AccessDenied,
  AmbiguousSession,
  BadRequest,
  EmailNotVerified,
  FreshSessionRequired,
  InvalidCheck,
  MissingCSRF,
  OAuthAccountNotLinked,
  SessionRequired,
  SessionTooLarge,
} from "../errors/errors.ts";
import type { ErrorFacts, ErrorPageOptions, PublicError } from "../types/public-error.ts";
import { checkFields } from "./check-parts.ts";
import type { Owners } from "./owners.ts";

/** The public errors of the kernel itself: part of their texts' ids, and the message of JSON responses. */
const KERNEL_ERRORS: readonly [error: ErrorFacts, text: string, message?: string][] = [
  [AccessDenied, "denied"],
  [
    AmbiguousSession,
    "ambiguous",
    "The browser sent sessions of different users. Delete the cookies of this site.",
  ],
  [BadRequest, "request"],
  [{ type: "Configuration", status: 500 }, "broken"],
  [EmailNotVerified, "unverified", "The provider has not verified the e-mail address."],
  [FreshSessionRequired, "fresh", "Sign in again before you make this change."],
  [InvalidCheck, "check", "The attempt has expired, or belongs to another browser."],
  [MissingCSRF, "csrf", "The CSRF token is missing, or belongs to another browser."],
  [OAuthAccountNotLinked, "taken", "The account, or its address, belongs to another user."],
  [SessionTooLarge, "large", "The session is too large for cookies."],
  [SessionRequired, "required", "Sign in first."],
];

/** The public errors of a kernel, with the operations that only the kernel has. */
export interface PublicErrors {
  /** The registered errors by `type`. */
  readonly errors: ReadonlyMap<string, PublicError>;
  /**
   * Registers an error and returns it.
   * @throws PluginError when another plugin, or the kernel, has registered the type.
   */
  add(error: string | ErrorFacts, options: ErrorPageOptions): PublicError;
}

const nameError = (type: string): string => `the public error "${type}"`;

/** Creates the public errors of a kernel. */
export function createPublicErrors(owners: Owners): PublicErrors {
  const errors = new Map<string, PublicError>();
  for (const [{ type, status }, text, message] of KERNEL_ERRORS) {
    errors.set(type, { text, status, ...(message !== undefined && { message }) });
    owners.give(nameError(type), "kernel");
  }
  return {
    errors,
    add(error, options) {
      const type = typeof error === "string" ? error : error.type;
      // The same plugin may register an error twice: a flow for two provider types adds its errors with each.
      const plugin = owners.claim("add", nameError(type), "Rename one.", { again: true });
      const name = `The public error "${type}"`;
      checkFields(options, { kind: "error", name, plugin }, "its texts: { messages, status }");
      const { text = type, messages, message = messages?.en } = options;
      const { status = typeof error === "string" ? 400 : error.status } = options;
      const added: PublicError = { text, status, ...(message !== undefined && { message }) };
      errors.set(type, added);
      return added;
    },
  };
}
