import { AuthError, ConfigError } from "./errors.ts";
import type { TapInfo } from "./types/kernel.ts";
import type { Logger } from "./types/options.ts";

// What must never be printed, whatever its spelling (R16).
const SECRET = /secret|token|password|code|verifier|cookie|authorization|credential|private|key/i;
const LINE = 500;
const MAX_CAUSES = 5;

/** One line of plain text: no control characters that could forge a line of the log. */
export function oneLine(text: string): string {
  // oxlint-disable-next-line no-control-regex -- that is the attack
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, " ").slice(0, LINE);
}

// A stack begins with the message, which may have lines that somebody else wrote.
function isPlace(line: string): boolean {
  return /^\s+at /.test(line);
}

function detail(value: unknown, depth = 0): unknown {
  if (typeof value === "string") return oneLine(value);
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Error) return `${value.name}: ${oneLine(value.message)}`;
  if (depth > 2) return "...";
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      SECRET.test(name) && typeof inner !== "number" ? "[redacted]" : detail(inner, depth + 1),
    ]),
  );
}

/** An error as text for the log: type, message, where it was thrown, causes; nothing secret. */
export function describe(error: Error, depth = 0): string {
  const name = error instanceof AuthError ? error.type : error.name;
  // Only our own lists of faults have lines of their own.
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
  } else if (error.stack && !(error instanceof AuthError && error.status < 500)) {
    // What a visitor did wrong has no place in our code.
    lines.push(...error.stack.split("\n").filter(isPlace).slice(0, 7));
  }
  return lines.join("\n");
}

/**
 * Completes a logger: missing levels go to the console, `debug` only when asked for. A logger that
 * throws is forgiven: it must not harm a request.
 */
export function createLogger(given: Logger = {}, debug = false): Required<Logger> {
  const forgiving =
    <Args extends unknown[]>(log: (...args: Args) => void) =>
    (...args: Args) => {
      try {
        log(...args);
      } catch {
        // Nothing is left to tell it to.
      }
    };
  const silent = () => {};
  return {
    error: forgiving(
      given.error?.bind(given) ?? ((error) => console.error(`[keyhook] ${describe(error)}`)),
    ),
    warn: forgiving(
      given.warn?.bind(given) ??
        ((code, text) => console.warn(`[keyhook] ${code}${text ? `: ${text}` : ""}`)),
    ),
    debug: forgiving(
      given.debug?.bind(given) ??
        (debug
          ? (message, metadata) => console.debug(`[keyhook] ${message}`, detail(metadata) ?? "")
          : silent),
    ),
  };
}
