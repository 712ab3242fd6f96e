import {
  AccessDenied,
  AmbiguousSession,
  BadRequest,
  EmailNotVerified,
  FreshSessionRequired,
  InvalidCheck,
  MissingCSRF,
  OAuthAccountNotLinked,
  PluginError,
  SessionRequired,
  SessionTooLarge,
} from "../errors/errors.ts";
import type { Registrar } from "../hooks/hooks.ts";
import type { ErrorFacts, ErrorPageOptions, PublicError } from "../types/public-error.ts";
import { checkFields } from "./check-parts.ts";
import { describeRivals } from "./owners.ts";

/** The public errors of the kernel itself: part of the ids of their texts, and the message of JSON responses. */
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
  /** The registered ones by `type`. */
  readonly errors: ReadonlyMap<string, PublicError>;
  /**
   * Registers an error, and returns it.
   * @throws PluginError when another plugin, or the kernel, has registered the type.
   */
  add(error: string | ErrorFacts, options: ErrorPageOptions): PublicError;
}

/** Returns the `type` of an error that is registered by its class or its type. */
export function toErrorType(error: string | ErrorFacts): string {
  return typeof error === "string" ? error : error.type;
}

/** Creates the public errors of a kernel. */
export function createPublicErrors(registrar: Registrar): PublicErrors {
  const errors = new Map<string, PublicError>();
  const owners = new Map<string, string>();
  for (const [{ type, status }, text, message] of KERNEL_ERRORS) {
    errors.set(type, { text, status, ...(message !== undefined && { message }) });
    owners.set(type, "kernel");
  }
  return {
    errors,
    add(error, options) {
      const { plugin } = registrar;
      const type = toErrorType(error);
      const name = `The public error "${type}"`;
      checkFields(options, { kind: "error", name, plugin }, "its texts: { messages, status }");
      // A plugin may be the same one twice: a flow of two provider types adds its errors with each.
      const owner = owners.get(type) ?? plugin;
      if (owner !== plugin) {
        const what = `the public error "${type}"`;
        throw new PluginError(describeRivals([owner, plugin], "add", what, "Rename one."));
      }
      const { text = type, messages, message = messages?.en } = options;
      const { status = typeof error === "string" ? 400 : error.status } = options;
      const added: PublicError = { text, status, ...(message !== undefined && { message }) };
      errors.set(type, added);
      owners.set(type, plugin);
      return added;
    },
  };
}
