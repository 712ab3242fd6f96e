import { isObject, parseJson } from "../../src/_kit.ts";
import { AuthError } from "../../src/errors.ts";

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Reads a provider's response that must be a JSON object. `what` names the response in errors, which never quote it.
 * `fix` says what to do about a response that is not JSON.
 * @throws AuthError when the response is not a JSON object.
 */
export async function readObject(
  response: Response,
  what: string,
  fix?: string,
): Promise<Record<string, unknown>> {
  return expectObject(await readJson(response, what, fix), what);
}

/** Returns the value at a path such as `data.0` within a response, or `undefined`. */
export function valueAt(value: unknown, path: string): unknown {
  let found = value;
  for (const name of path.split(".")) {
    const isThere = Object(found) === found && Object.hasOwn(found as object, name);
    found = isThere ? (found as Record<string, unknown>)[name] : undefined;
  }
  return found;
}

/**
 * Returns a value that is an object.
 * @throws AuthError for any other value, with its path.
 */
export function expectObject(value: unknown, what: string, path?: string): Record<string, unknown> {
  if (isObject(value)) return value;
  throw new AuthError(
    path === undefined ? `${what} is not a JSON object.` : `${what} has no object at "${path}".`,
  );
}

/**
 * Reads a provider's response that must be JSON. `fix` says what to do about any other response.
 * @throws AuthError when the response is not JSON.
 */
export async function readJson(
  response: Response,
  what: string,
  fix: string = "",
): Promise<unknown> {
  // Some providers label JSON as plain text. HTML is always an error page.
  const type = response.headers.get("content-type") ?? "";
  if (/html|xml/i.test(type)) throw new AuthError(`${what} is a web page, not JSON.`);
  const bytes = await response.arrayBuffer();
  try {
    return parseJson(decoder.decode(bytes), { exact: true });
  } catch {
    // Only letters, `/`, `+` and `-`: a server may put any text into the header.
    const [named] = /^[a-z/+-]{0,60}/i.exec(type) as RegExpExecArray;
    throw new AuthError(
      `${what} is not JSON (status ${response.status}, ${bytes.byteLength} bytes, type "${named}").${fix}`,
    );
  }
}
