import { isAbandoned } from "../../../src/_kit.ts";
import { AuthError } from "../../../src/errors.ts";
import type { AuthContext } from "../../../src/kernel.ts";
import type { AuditDetails, AuditEntry } from "./types.ts";

/** Maximum length of a field. An id of a provider or of an adapter may be any text. */
const MAX_LENGTH = 200;

/** Returns the parts of an error that may be recorded. These include its type, but never its message. */
export function describeError(error: Error, ctx: AuthContext | undefined): AuditDetails {
  const isOwn = error instanceof AuthError;
  const outcome = isOwn && error.status < 500 ? "refused" : "failure";
  const { id } = error as { id?: unknown };
  return {
    outcome: ctx && isAbandoned(ctx, error) ? "aborted" : outcome,
    reason: isOwn ? error.type : error.name,
    ...(typeof id === "string" && { id }),
  };
}

/** Returns a value as text. Numbers are included, because a database may have them as ids, whatever the types say. */
export function toText(value: unknown): string | undefined {
  if (typeof value === "number" || typeof value === "bigint") return String(value);
  return typeof value === "string" ? value : undefined;
}

/** Builds an entry. Texts are shortened, and addresses are left out unless the option is set. */
export function buildEntry(
  event: string,
  details: AuditDetails,
  ctx: AuthContext | undefined,
  addresses: boolean,
): AuditEntry {
  const { outcome = "success", email, ...given } = details;
  const { ip, operation, route } = ctx ?? {};
  const fields: [keyof AuditEntry, string | null | undefined][] = [
    ["who", toText(given.who)],
    ["email", addresses ? email : undefined],
    ["provider", given.provider],
    ["from", ip],
    ["operation", operation],
    ["route", route && `${route.method} ${route.path}`],
    ["reason", given.reason],
    ["id", given.id],
  ];
  // The id of a user may be the address.
  const isWanted = (value: string) => addresses || !value.includes("@");
  return {
    at: new Date().toISOString(),
    event,
    outcome,
    ...Object.fromEntries(
      fields.flatMap(([name, value]) =>
        typeof value === "string" && value !== "" && isWanted(value)
          ? [[name, value.slice(0, MAX_LENGTH)]]
          : [],
      ),
    ),
  };
}

/**
 * Returns an entry as one line of JSON, without the line break. Control characters are escaped, and so are Unicode
 * characters that separate lines or change the display order (UAX 9). No value can thus look like another or begin its
 * own line.
 */
export function toLine(entry: AuditEntry): string {
  return JSON.stringify(entry).replace(
    /[\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}
