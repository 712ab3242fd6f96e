import { AuthError, ConfigError } from "../errors/errors.ts";
import type { TapInfo } from "../types/hook.ts";
import type { Logger } from "../types/options.ts";

// Names of facts whose values must never be logged, whatever their spelling (SECURITY.md R16).
const SECRET = /secret|token|password|code|verifier|cookie|authorization|credential|private|key/i;
const MAX_LINE_LENGTH = 500;
const MAX_CAUSES = 5;
const MAX_FRAMES = 7;
const MAX_STACK_LENGTH = 8000;

/**
 * Returns a text as one line of at most 500 characters, without control characters that could forge a log
 * line.
 */
export function oneLine(text: string): string {
  // oxlint-disable-next-line no-control-regex -- control characters are the attack
  return text.slice(0, MAX_LINE_LENGTH).replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ");
}

// A stack begins with the message, which may be long, and contain lines that look like frames.
function listFrames({ stack = "", message }: Error): string[] {
  const at = stack.indexOf(message.slice(0, MAX_LINE_LENGTH));
  const begin = at < 0 ? 0 : at + message.length;
  const lines = stack.slice(begin, begin + MAX_STACK_LENGTH).split("\n");
  return lines.filter((line) => /^\s{1,8}at /.test(line)).slice(0, MAX_FRAMES);
}

function detail(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return oneLine(value);
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Error) return oneLine(`${value.name}: ${value.message}`);
  if (depth > 2) return "...";
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      SECRET.test(name) && typeof inner !== "number" ? "[redacted]" : detail(inner, depth + 1),
    ]),
  );
}

/**
 * Returns an error as text for the log: type, message, id, tap, facts, stack and causes. Secrets are
 * redacted.
 */
export function describe(error: Error, depth = 0): string {
  const name = error instanceof AuthError ? error.type : oneLine(error.name);
  // Only the list of faults of a boot error has several lines.
  const message = error instanceof ConfigError ? error.message : oneLine(error.message);
  const { id, tap } = error as { id?: unknown; tap?: TapInfo & { hook: string } };
  const lines = [`${name}: ${message}${typeof id === "string" ? ` (${oneLine(id)})` : ""}`];
  if (tap) lines.push(`  in tap "${tap.name}" of hook "${tap.hook}" (plugin ${tap.plugin})`);
  if (error instanceof AuthError && error.cause) {
    const { err, ...facts } = error.cause;
    if (Object.keys(facts).length) lines.push(`  ${JSON.stringify(detail(facts))}`);
    if (err instanceof Error && depth < MAX_CAUSES) {
      lines.push(`  caused by ${describe(err, depth + 1).replace(/\n/g, "\n  ")}`);
    }
  } else if (!(error instanceof AuthError && error.status < 500)) {
    // An error that the visitor's request caused (status below 500) needs no stack.
    lines.push(...listFrames(error));
  }
  return lines.join("\n");
}

/**
 * Completes a logger: missing levels go to the console, `debug` only if `debug` is set. What the logger
 * throws is ignored: it must not affect a request (SECURITY.md F28).
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
  const silent = () => {};
  return {
    error: ignoreErrors(
      given.error?.bind(given) ?? ((error) => console.error(`[keyhook] ${describe(error)}`)),
    ),
    warn: ignoreErrors(
      given.warn?.bind(given) ??
        ((code, text) => console.warn(`[keyhook] ${code}${text ? `: ${text}` : ""}`)),
    ),
    debug: ignoreErrors(
      given.debug?.bind(given) ??
        (debug
          ? (message, metadata) => console.debug(`[keyhook] ${message}`, detail(metadata) ?? "")
          : silent),
    ),
  };
}
