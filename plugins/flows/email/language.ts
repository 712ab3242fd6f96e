import type { MailMessages } from "../../../src/index.ts";
import { FALLBACK, MESSAGES } from "./messages.ts";

/** The texts of one language. */
export interface Reading {
  /** Tag of the language. */
  language: string;
  messages: MailMessages;
}

type Given = Readonly<Record<string, Partial<MailMessages>>>;

const MOST_TAGS = 20;

// The tags that a reader can read, best first (RFC 9110, section 12.5.4).
function wanted(header: string | null): string[] {
  return (header ?? "")
    .slice(0, 1000)
    .split(",", MOST_TAGS)
    .map((part) => {
      const [tag = "", ...parameters] = part
        .trim()
        .toLowerCase()
        .split(/\s*;\s*/);
      const q = parameters.find((parameter) => parameter.startsWith("q="))?.slice(2);
      return { tag, q: q === undefined ? 1 : Number(q) };
    })
    .filter(({ tag, q }) => /^[a-z]{2,8}(?:-[a-z0-9]{1,8})*$/.test(tag) && q > 0)
    .sort((one, other) => other.q - one.q)
    .map(({ tag }) => tag);
}

// `de-CH-1996` is also read as `de-CH` and as `de` (RFC 4647, section 3.4).
function lookUp(tag: string, known: ReadonlyMap<string, string>): string | undefined {
  for (let range = tag; range; range = range.slice(0, Math.max(range.lastIndexOf("-"), 0))) {
    const found = known.get(range);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The texts in the best language that there is for an `Accept-Language` header. */
export function readingFor(header: string | null, given: Given = {}): Reading {
  const tags = [...Object.keys(MESSAGES), ...Object.keys(given)];
  const known = new Map(tags.map((tag) => [tag.toLowerCase(), tag]));
  const language =
    wanted(header)
      .map((tag) => lookUp(tag, known))
      .find((tag) => tag !== undefined) ?? FALLBACK;
  const ground = { ...(MESSAGES[FALLBACK] as MailMessages), ...given[FALLBACK] };
  return { language, messages: { ...ground, ...MESSAGES[language], ...given[language] } };
}

/** A lifetime in words, in a language. */
export function durationIn(language: string, seconds: number): string {
  const [unit, size] =
    seconds >= 172_800 && seconds % 86_400 === 0
      ? (["day", 86_400] as const)
      : seconds >= 3600 && seconds % 3600 === 0
        ? (["hour", 3600] as const)
        : seconds >= 60
          ? (["minute", 60] as const)
          : (["second", 1] as const);
  const format = { style: "unit", unit, unitDisplay: "long" } as const;
  return new Intl.NumberFormat(language, format).format(Math.floor(seconds / size));
}
