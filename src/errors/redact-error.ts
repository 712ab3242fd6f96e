import { redact, SECRET_NAME } from "../platform/redact.ts";
import { AuthError, ConfigError } from "./errors.ts";

type Secrets = readonly string[];

// Names of facts whose values must never be logged, whatever their spelling (SECURITY.md R16).
const isSecretName = (name: string): boolean => SECRET_NAME.test(name) || /code|key/i.test(name);

const MAX_MESSAGE_LENGTH = 500;
const MAX_STACK_LENGTH = 8000;
const MAX_FRAMES = 10;
const MAX_DEPTH = 5;
const MAX_ERRORS = 5;
// Fields that libraries set on their errors to classify them. Other fields may quote parameters, queries and rows.
const CLASSIFIERS: ReadonlySet<string> = new Set([
  ...["name", "code", "errno", "syscall", "severity", "status", "statusCode", "type", "kind"],
  ...["table", "column", "constraint", "schema", "routine", "sqlState", "errorLabels"],
]);
// Fields that are handled separately, and the kernel's own, which are kept as they are.
const OWN: ReadonlySet<string> = new Set(["message", "stack", "cause", "errors", "id", "tap"]);

function isAuthError(error: Error): error is AuthError {
  return error instanceof AuthError;
}

/**
 * Returns the frames of a stack without the message at its beginning, which may be long and contain lines that look
 * like frames.
 */
export function listFrames({ stack = "", message }: Error, max: number = MAX_FRAMES): string[] {
  const at = stack.indexOf(message);
  // The message was changed later, so its end in the stack is unknown.
  if (at < 0) return [];
  const begin = at + message.length;
  const lines = stack.slice(begin, begin + MAX_STACK_LENGTH).split("\n");
  return lines.filter((line) => /^\s{1,8}at /.test(line)).slice(0, max);
}

/** Returns a fact's value for the log: texts are redacted, values of secret names left out, errors turned into text. */
export function redactFact(value: unknown, secrets: Secrets = [], depth = 0): unknown {
  if (typeof value === "string") return redact(value, secrets, { max: MAX_MESSAGE_LENGTH });
  if (typeof value === "bigint") return String(value);
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Error) {
    return redact(`${value.name}: ${value.message}`, secrets, { max: MAX_MESSAGE_LENGTH });
  }
  if (depth > 2) return "...";
  if (Array.isArray(value))
    return value.slice(0, 20).map((one) => redactFact(one, secrets, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      isSecretName(name) && typeof inner !== "number"
        ? "[redacted]"
        : redactFact(inner, secrets, depth + 1),
    ]),
  );
}

/**
 * Returns whether the text of an error comes from other code. The text of an `AuthError` is written for the log and may
 * name the error code that a provider sent, unless it repeats the text of its cause.
 */
export function isForeign(error: Error): boolean {
  if (!isAuthError(error)) return true;
  const { err } = error.cause ?? {};
  return err instanceof Error && err.message !== "" && error.message.includes(err.message);
}

function isClassifier(name: string, value: unknown): boolean {
  return CLASSIFIERS.has(name) && (typeof value !== "object" || value === null);
}

// Returns the fields of an error that may be logged.
function listFields(error: Error, secrets: Secrets): [name: string, value: unknown][] {
  return Object.entries(error)
    .filter(([name]) => !OWN.has(name))
    .filter(([name, value]) => isAuthError(error) || isClassifier(name, value))
    .map(([name, value]) => [name, redactText(value, secrets)]);
}

function redactText(value: unknown, secrets: Secrets): unknown {
  return typeof value === "string" ? redact(value, secrets) : value;
}

function redactCause(error: Error, secrets: Secrets, depth: number): unknown {
  const { cause } = error;
  if (cause instanceof Error) return redactError(cause, secrets, depth + 1);
  if (!isAuthError(error) || !cause) return redactFact(cause, secrets);
  const { err, ...facts } = cause as Record<string, unknown>;
  const redacted = redactFact(facts, isForeign(error) ? secrets : []) as Record<string, unknown>;
  if (err === undefined) return redacted;
  return {
    // A thrown value that is not an error is from other code.
    err: err instanceof Error ? redactError(err, secrets, depth + 1) : redactFact(err, secrets),
    ...redacted,
  };
}

function isSame(one: unknown, other: unknown): boolean {
  if (Object.is(one, other)) return true;
  if (typeof one !== "object" || typeof other !== "object" || !one || !other) return false;
  if (one instanceof Error || other instanceof Error) return false;
  const [fields, others] = [Object.entries(one), Object.entries(other)];
  // Redacted values are at most four objects deep, so this ends.
  return (
    fields.length === others.length &&
    others.every(([name, value]) => isSame((one as Record<string, unknown>)[name], value))
  );
}

function redactAll(error: Error, secrets: Secrets, depth: number): readonly unknown[] | undefined {
  const { errors } = error as { errors?: unknown };
  if (!Array.isArray(errors)) return undefined;
  const listed: unknown[] = errors.slice(0, MAX_ERRORS);
  return listed.map((one) =>
    one instanceof Error ? redactError(one, secrets, depth + 1) : redactFact(one, secrets),
  );
}

// Fields that distinguish kinds of calls and contain nothing personal.
const COMMON: ReadonlySet<string> = new Set(["provider", "type", "token_type", "scope"]);
const MIN_ARGUMENT_LENGTH = 6;

// Lists the texts in the arguments of a call.
function listTexts(value: unknown, name = "", depth = 0): string[] {
  if (typeof value === "string") {
    return value.length >= MIN_ARGUMENT_LENGTH && !COMMON.has(name) ? [value] : [];
  }
  if (typeof value !== "object" || value === null || depth > 4) return [];
  return Object.entries(value).flatMap(([key, inner]) => listTexts(inner, key, depth + 1));
}

/** Returns the error of a call to other code without the call's arguments, which the error's text may quote. */
export function withoutArguments(thrown: unknown, args: readonly unknown[]): Error {
  if (!(thrown instanceof Error)) return new Error("The thrown value is not an Error.");
  return redactError(thrown, listTexts(args));
}

/**
 * Returns an error for the log. Its class, code and facts are kept. Its text and the texts of its causes are redacted,
 * and anything else that a library set on it (the query, its parameters, the request) is left out. An error with
 * nothing to hide is returned as it is; any other error as a copy of the same class.
 * @param secrets Texts that the request sent.
 */
export function redactError(error: Error, secrets: Secrets = [], depth = 0): Error {
  // A boot error's text about the configuration has several lines and names options that look secret.
  const quoted = isForeign(error) ? secrets : [];
  const message =
    error instanceof ConfigError
      ? error.message
      : redact(String(error.message), quoted, { max: MAX_MESSAGE_LENGTH });
  const isDeep = depth >= MAX_DEPTH;
  const parts = {
    message,
    ...Object.fromEntries(listFields(error, quoted)),
    cause: isDeep ? undefined : redactCause(error, secrets, depth),
    errors: isDeep ? undefined : redactAll(error, secrets, depth),
  };
  const kept = error as unknown as Record<string, unknown>;
  const isClean =
    Object.entries(parts).every(([name, value]) => isSame(kept[name], value)) &&
    Object.keys(error).every((name) => OWN.has(name) || name in parts);
  if (isClean) return error;

  const copy = Object.setPrototypeOf(new Error(message), Object.getPrototypeOf(error)) as Error;
  const stack = [`${error.name}: ${message}`, ...listFrames(error)].join("\n");
  const { id, tap } = kept;
  for (const [name, value] of Object.entries({ ...parts, stack, id, tap })) {
    if (value === undefined) continue;
    const enumerable = !OWN.has(name);
    Object.defineProperty(copy, name, { value, enumerable, writable: true, configurable: true });
  }
  return copy;
}
