import { isObject, parseJson } from "../../src/_kit.ts";
import { AuthError } from "../../src/errors.ts";

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

/**
 * Reads a provider's response that must be a JSON object. `what` names the response in errors,
 * which never quote it; `fix` says what to do about one that is not JSON.
 * @throws AuthError when it is not a JSON object.
 */
export async function readObject(
  response: Response,
  what: string,
  fix?: string,
): Promise<Record<string, unknown>> {
  return expectObject(await readJson(response, what, fix), what);
}

/** Returns the value at a path such as `data.0` within a response; `undefined` if there is none. */
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
 * @throws AuthError for any other, with the path that it was at.
 */
export function expectObject(value: unknown, what: string, path?: string): Record<string, unknown> {
  if (isObject(value)) return value;
  throw new AuthError(
    path === undefined ? `${what} is not a JSON object.` : `${what} has no object at "${path}".`,
  );
}

/**
 * Reads a provider's response that must be JSON. `fix` says what to do about another one.
 * @throws AuthError when it is not JSON.
 */
export async function readJson(
  response: Response,
  what: string,
  fix: string = "",
): Promise<unknown> {
  // Some providers label JSON as text, but a web page is an error page.
  const type = response.headers.get("content-type") ?? "";
  if (/html|xml/i.test(type)) throw new AuthError(`${what} is a web page, not JSON.`);
  const bytes = await response.arrayBuffer();
  try {
    return parseJson(decoder.decode(bytes), { exact: true });
  } catch {
    // Letters alone: a server may put anything there.
    const [named] = /^[a-z/+-]{0,60}/i.exec(type) as RegExpExecArray;
    throw new AuthError(
      `${what} is not JSON (status ${response.status}, ${bytes.byteLength} bytes, type "${named}").${fix}`,
    );
  }
}
