import { BadRequest } from "../errors/errors.ts";

/** Bounds of `parseJson`. */
export interface JsonBounds {
  /** Maximum nesting of objects and arrays. Default 32. */
  depth?: number;
  /**
   * Whether an integer that a number would round becomes its text, since rounding could make two ids equal. Default
   * `false`.
   */
  exact?: boolean;
}

const QUOTE = 0x22;
const BACKSLASH = 0x5c;

// Counts brackets before parsing, so that no deeply nested value is ever built.
function nests(text: string, depth: number): boolean {
  let open = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (quoted) {
      if (code === BACKSLASH) at++;
      else if (code === QUOTE) quoted = false;
    } else if (code === QUOTE) {
      quoted = true;
    } else if (code === 0x7b || code === 0x5b) {
      if (++open > depth) return true;
    } else if (code === 0x7d || code === 0x5d) {
      open--;
    }
  }
  return false;
}

// Returns the source text of an integer that a number would round. If the runtime does not provide the text, the member
// is left out.
function toExact(value: unknown, { source }: { source?: string } = {}): unknown {
  return Number.isInteger(value) && !Number.isSafeInteger(value) ? source : value;
}

/**
 * Parses untrusted JSON. A member named `__proto__` is left out, because assigning it to another object would change
 * that object's prototype.
 * @throws BadRequest when it is malformed or nested too deep.
 */
export function parseJson(text: string, { depth = 32, exact = false }: JsonBounds = {}): unknown {
  if (nests(text, depth)) throw new BadRequest(`The JSON is nested deeper than ${depth} levels.`);
  try {
    if (!exact && !text.includes("__proto__") && !text.includes("\\u")) return JSON.parse(text);
    return JSON.parse(text, (name, value: unknown, ...context: { source?: string }[]) => {
      if (name === "__proto__") return undefined;
      return exact ? toExact(value, ...context) : value;
    });
  } catch {
    // The parser's own message quotes the text, which may contain secrets.
    throw new BadRequest("The JSON is malformed.");
  }
}
