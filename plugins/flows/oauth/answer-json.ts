import { AuthError, parseJson } from "../../../src/index.ts";

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Reads an answer of the provider that must be a JSON object. `what` names it in the fault, which
 * never quotes it.
 */
export async function readObject(
  response: Response,
  what: string,
): Promise<Record<string, unknown>> {
  const value = await readJson(response, what);
  if (typeof value === "object" && value !== null && !Array.isArray(value)) {
    return value as Record<string, unknown>;
  }
  throw new AuthError(`${what} is no JSON object.`);
}

/** Reads an answer of the provider that must be JSON. */
export async function readJson(response: Response, what: string): Promise<unknown> {
  // Providers mislabel JSON as text; a web page is an error page, though.
  const type = response.headers.get("content-type") ?? "";
  if (/html|xml/i.test(type)) throw new AuthError(`${what} is a web page, not JSON.`);
  const bytes = await response.arrayBuffer();
  try {
    return parseJson(decoder.decode(bytes));
  } catch {
    throw new AuthError(
      `${what} is no JSON (status ${response.status}, ${bytes.byteLength} bytes).`,
    );
  }
}
