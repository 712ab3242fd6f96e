import type { Browser } from "../browser.ts";
import type { AuthorizationResponse } from "../identity-provider/types.ts";
import type { TestLog } from "../log.ts";
import type { FlowProbe } from "./probe.ts";

const MIN_LENGTH = 6;
const MAX_DEPTH = 6;

function decode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

// Codes, tokens, passwords and addresses are secrets; names of actions and URLs are not.
function isSecret(text: string): boolean {
  return text.length >= MIN_LENGTH && /[\d@]/.test(text) && !URL.canParse(decode(text));
}

/** Returns the values in a callback and in its browser's cookies that no one else may know. */
export function listSecrets(
  { url, fields = {} }: AuthorizationResponse,
  { cookies }: Browser,
): string[] {
  const values = [
    ...new URL(url).searchParams.values(),
    ...Object.values(fields),
    ...cookies.values(),
  ];
  return values.filter(isSecret);
}

// Lists all texts in a value. Errors have some that are not enumerable.
function* listTexts(value: unknown, depth = 0): Generator<string> {
  if (typeof value === "string") yield value;
  if (typeof value !== "object" || value === null || depth > MAX_DEPTH) return;
  if (value instanceof Error) yield `${value.message}\n${value.stack}`;
  for (const name of Object.getOwnPropertyNames(value)) {
    yield* listTexts(Reflect.get(value, name), depth + 1);
  }
}

const contains = (text: string, secret: string): boolean =>
  text.includes(secret) || text.includes(encodeURIComponent(secret));

/**
 * Returns where a secret appears: in the log, an error response, or a redirect within the application. A redirect to a
 * callback is allowed to repeat what another site has posted there.
 */
export function findLeaks(
  secrets: Iterable<string>,
  { origin, log, responses }: { origin: string; log: TestLog } & Pick<FlowProbe, "responses">,
): string[] {
  const { errors, warnings, debug } = log;
  const targets = responses
    .map(({ location }) => location)
    .filter((target) => target.startsWith(origin) && !target.includes("/callback/"));
  const errorTexts = responses.flatMap(({ status, text }) => (status >= 400 ? text : []));
  const texts: Record<string, readonly string[]> = {
    "the log": [...listTexts([errors, warnings, debug])],
    "a redirect": targets,
    "an error response": errorTexts,
  };
  return [...secrets].flatMap((secret) =>
    Object.entries(texts).flatMap(([place, all]) => {
      const found = all.find((text) => contains(text, secret));
      return found === undefined ? [] : `${place} contains "${secret}": ${found.slice(0, 200)}`;
    }),
  );
}
