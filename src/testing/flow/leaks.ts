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

// Codes, tokens, passwords and addresses; names of actions and URLs are none.
function isSecret(text: string): boolean {
  return text.length >= MIN_LENGTH && /[\d@]/.test(text) && !URL.canParse(decode(text));
}

/** Returns what a callback and the cookies of its browser contain that no one else may know. */
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

// All texts of a value: an error has some that are not enumerable.
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

/** Returns where a secret appears: in the log, a redirect within the application, or an error response. */
export function findLeaks(
  secrets: Iterable<string>,
  { origin, log, responses }: { origin: string; log: TestLog } & Pick<FlowProbe, "responses">,
): string[] {
  const { errors, warnings, debug } = log;
  const places: [place: string, text: string][] = [
    ...[...listTexts([errors, warnings, debug])].map((text) => ["the log", text] as const),
    ...responses.flatMap(({ status, location, text }) => [
      ["a redirect", location.startsWith(origin) ? location : ""] as const,
      ["an error response", status >= 400 ? text : ""] as const,
    ]),
  ].map(([place, text]) => [place, text]);
  return [...secrets].flatMap((secret) =>
    places
      .filter(([, text]) => contains(text, secret))
      .map(([place, text]) => `${place} contains "${secret}": ${text.slice(0, 200)}`),
  );
}
