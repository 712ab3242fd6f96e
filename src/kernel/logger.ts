import { AuthError, ConfigError } from "../errors/errors.ts";
import { listFrames, redactError, redactFact } from "../errors/redact-error.ts";
import { redact } from "../platform/redact.ts";
import { toError } from "../platform/to-error.ts";
import type { TapInfo } from "../types/hook.ts";
import type { Logger } from "../types/options.ts";

const MAX_LINE_LENGTH = 500;
const MAX_CAUSES = 5;
const MAX_ERRORS = 2;
const MAX_FRAMES = 7;

// What begins a line, drives a terminal, or changes the order in which a line is shown (UAX 9).
// oxlint-disable-next-line no-control-regex -- control characters are the attack
const CONTROLS = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]+/g;

/** Returns a text as one line of at most 500 characters, without control characters that could forge a log line. */
export function oneLine(text: string): string {
  return text.slice(0, MAX_LINE_LENGTH).replace(CONTROLS, " ");
}

/** Returns an error as text for the log: type, message, id, tap, facts, stack and causes. Secrets are redacted. */
export function describe(error: Error): string {
  return describeRedacted(redactError(error));
}

function toLines(value: unknown): unknown {
  if (typeof value === "string") return oneLine(value);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map(toLines);
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, toLines(inner)]));
}

interface Noted {
  readonly id?: unknown;
  readonly code?: unknown;
  readonly tap?: TapInfo & { hook: string };
}

// Lists the causes of an error, each with its depth. Errors of other libraries often say little themselves, such as
// `Failed query` with the driver's error as its cause. A host with several addresses has one error for each, whose own
// causes are left out.
function listCauses(error: Error, depth: number): (readonly [cause: Error, depth: number])[] {
  if (depth >= MAX_CAUSES) return [];
  const { cause, errors } = error as Error & { errors?: unknown };
  const { err = cause } = (cause ?? {}) as { err?: unknown };
  const several: unknown[] = Array.isArray(errors) ? errors.slice(0, MAX_ERRORS) : [];
  return [
    ...(err instanceof Error ? [[err, depth + 1] as const] : []),
    ...several.filter((one) => one instanceof Error).map((one) => [one, MAX_CAUSES] as const),
  ];
}

function describeRedacted(error: Error, depth = 0): string {
  const name = error instanceof AuthError ? error.type : oneLine(error.name);
  // Only a boot error's list of faults has several lines.
  const message = error instanceof ConfigError ? error.message : oneLine(error.message);
  const { id, tap, code } = error as Noted;
  // The default code of `CredentialsSignin` says no more than its type.
  const isClassified = ["string", "number"].includes(typeof code) && code !== "credentials";
  const notes = [
    isClassified && ` [${oneLine(String(code))}]`,
    typeof id === "string" && ` (${oneLine(id)})`,
  ];
  const lines = [`${name}${message && `: ${message}`}${notes.filter(Boolean).join("")}`];
  if (tap) lines.push(`  in tap "${tap.name}" of hook "${tap.hook}" (plugin ${tap.plugin})`);
  if (error instanceof AuthError && error.cause) {
    const { err: _, ...facts } = error.cause;
    if (Object.keys(facts).length) lines.push(`  ${JSON.stringify(toLines(redactFact(facts)))}`);
  } else if (!(error instanceof AuthError && error.status < 500)) {
    // An error that the visitor's request caused (status below 500) needs no stack.
    lines.push(...listFrames(error, MAX_FRAMES));
  }
  for (const [cause, level] of listCauses(error, depth)) {
    lines.push(`  caused by ${describeRedacted(cause, level).replace(/\n/g, "\n  ")}`);
  }
  return lines.join("\n");
}

const redactLine = (text: string) => oneLine(redact(text, [], { max: MAX_LINE_LENGTH }));

/** The `debug` of a logger that writes no debug messages. */
export const silent = (): void => {};

/**
 * Completes a logger: missing levels go to the console, `debug` only if `debug` is set. Errors and facts are redacted
 * before the logger receives them. Whatever the logger throws is ignored, because it must not affect a request
 * (SECURITY.md F28).
 */
export function createLogger(given: Logger = {}, debug = false): Required<Logger> {
  const ignoreErrors =
    <Args extends unknown[]>(log: (...args: Args) => void) =>
    (...args: Args) => {
      try {
        log(...args);
      } catch {
        // There is no other logger to report it to.
      }
    };
  const writeDebug =
    given.debug?.bind(given) ??
    (debug
      ? (message: string, metadata?: unknown) =>
          console.debug(`[keyhook] ${message}`, toLines(metadata) ?? "")
      : undefined);
  return {
    error: ignoreErrors((error: Error) => {
      const redacted = redactError(toError(error));
      if (given.error) given.error(redacted);
      else console.error(`[keyhook] ${describeRedacted(redacted)}`);
    }),
    warn: ignoreErrors(
      given.warn?.bind(given) ??
        ((code, text) => console.warn(`[keyhook] ${code}${text ? `: ${text}` : ""}`)),
    ),
    debug: writeDebug
      ? ignoreErrors((message: string, metadata?: unknown) =>
          writeDebug(redactLine(message), redactFact(metadata)),
        )
      : silent,
  };
}
