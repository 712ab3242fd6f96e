import { expect } from "vitest";
import { AuthError } from "../../src/errors.ts";
import type { TestAuth } from "../_app.ts";
import { expectSafe, type AskOptions } from "../attack/_attack.ts";

/** Code that parses foreign input. */
export interface Target {
  /** The kind of input, which is also the file's name in `corpus/`. */
  readonly name: string;
  /** Valid inputs, which are then changed. Bytes are represented as text with one character per byte. */
  seeds(): Promise<readonly string[]> | readonly string[];
  /** Parts of the grammar, which are inserted. */
  readonly words?: readonly string[];
  /** Rejects if the code breaks its contract for this input. */
  run(input: string): Promise<void> | void;
}

/** Types of errors that a visitor's input may cause. */
export const REFUSALS: readonly string[] = [
  "AccessDenied",
  "AccountNotLinked",
  "BadRequest",
  "CredentialsSignin",
  "EmailSignInError",
  "InvalidCheck",
  "InvalidProvider",
  "MissingCSRF",
  "OAuthCallbackError",
  "SessionRequired",
  "SignOutError",
  "TooManyAttempts",
  "UntrustedHost",
  "Verification",
  "WebAuthnVerificationError",
];

/** Milliseconds of CPU time per input. */
const LIMIT_MS = 500;
/** Bytes of a response. */
const MAX_RESPONSE_BYTES = 256 * 1024;

/** Runs work, and checks its duration. */
export async function within<T>(work: () => Promise<T> | T): Promise<T> {
  const start = process.threadCpuUsage();
  const result = await work();
  const { user, system } = process.threadCpuUsage(start);
  expect((user + system) / 1000, "milliseconds of CPU").toBeLessThan(LIMIT_MS);
  return result;
}

/**
 * Sends a request, and checks invariants of every response: the log contains only errors of the
 * allowed types, and no error was caused by a defect.
 */
export async function ask(
  { auth, log }: Pick<TestAuth, "auth" | "log">,
  request: Request,
  { allowed = REFUSALS, ...options }: AskOptions & { allowed?: readonly string[] } = {},
): Promise<Response> {
  log.errors.length = 0;
  const response = await within(() => auth.fetch(request));
  const text = await expectSafe(response, options);
  expect(text.length).toBeLessThan(MAX_RESPONSE_BYTES);
  for (const error of log.errors.splice(0)) {
    expect(error).toBeInstanceOf(AuthError);
    expect(allowed, error.stack).toContain(error.type);
    const { err } = (error.cause ?? {}) as { err?: unknown };
    const isDefect = err instanceof RangeError || err instanceof ReferenceError;
    expect(isDefect, String((err as Error)?.stack)).toBe(false);
  }
  return response;
}

/** Returns the bytes of a text with one character per byte. */
export const toBytes = (text: string): Uint8Array<ArrayBuffer> =>
  new Uint8Array(Buffer.from(text, "latin1"));

/** Returns bytes as a text with one character per byte. */
export const fromBytes = (bytes: Uint8Array): string => Buffer.from(bytes).toString("latin1");

/** Returns the text without the characters that `Headers` refuses and no server accepts. */
export const toHeader = (text: string): string =>
  text.replace(/[^\t\u0020-\u007e\u0080-\u00ff]/g, "?").trim();
