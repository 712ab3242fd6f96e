import { AuthError } from "../../../src/errors.ts";
import type { TapInfo } from "../../../src/kernel.ts";
import type { ErrorReport } from "./log.ts";
import { MASK, type Masker, SECRET_NAME } from "./mask.ts";

const MAX_CAUSES = 5;
const MAX_FACTS = 20;

type Level = Omit<ErrorReport, "causes">;

function getFacts(error: Error, mask: Masker): Record<string, string> {
  if (!(error instanceof AuthError) || !error.cause) return {};
  const { err: _, ...facts } = error.cause;
  const shown = Object.entries(facts)
    .slice(0, MAX_FACTS)
    .filter(([, value]) => ["string", "number", "boolean"].includes(typeof value))
    .map(([name, value]) => [mask(name), SECRET_NAME.test(name) ? MASK : mask(String(value))]);
  return Object.fromEntries(shown);
}

// The first sentence of a message says what failed, the others what to do.
function getFix(message: string): string | undefined {
  return /^[^]+?[.!?]\s+(?=[A-Z`"])([^]+)$/.exec(message)?.[1];
}

function describeLevel(error: Error, mask: Masker): Level {
  const { id, tap } = error as { id?: unknown; tap?: TapInfo & { hook: string } };
  const message = mask(error.message);
  const fix = getFix(message);
  return {
    type: mask(error instanceof AuthError ? error.type : error.name),
    message,
    ...(fix !== undefined && { fix }),
    ...(typeof id === "string" && { id }),
    ...(tap && { tap: `"${tap.name}" of the hook ${tap.hook} (plugin ${tap.plugin})` }),
    facts: getFacts(error, mask),
  };
}

function getCause(error: Error): Error | undefined {
  const cause: unknown = error instanceof AuthError ? error.cause?.err : error.cause;
  return cause instanceof Error ? cause : undefined;
}

// At most 5, because a chain may be circular.
function listCauses(error: Error): Error[] {
  const causes: Error[] = [];
  let cause = getCause(error);
  while (cause && cause !== error && causes.length < MAX_CAUSES) {
    causes.push(cause);
    cause = getCause(cause);
  }
  return causes;
}

/**
 * Describes errors and their causes, in masked texts. An error that is the cause of another one is left out, because a
 * failed sign-in is reported as an event before its error is wrapped.
 */
export function describeErrors(errors: Iterable<Error>, mask: Masker): ErrorReport[] {
  const all = [...errors];
  const causes = new Set(all.flatMap(listCauses));
  return all
    .filter((error) => !causes.has(error))
    .map((error) => ({
      ...describeLevel(error, mask),
      causes: listCauses(error).map((cause) => describeLevel(cause, mask)),
    }));
}
