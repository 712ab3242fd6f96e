/**
 * The paths for which a rule such as `auth` holds: patterns with the rule's value. In a pattern, `*` or `:name` is one
 * segment, and `**` is any number of segments, at most once.
 */
export type PathRules = Readonly<Record<string, boolean>>;

/** Maximum number of times that a path is decoded. Further escapes are compared as they are written. */
const MAX_DECODINGS = 4;

/** Maximum number of malformed segments of a path, since each takes microseconds. Other paths require a session. */
const MAX_MALFORMED = 64;

// Decodes segments in lower case. Returns `undefined` if too many are malformed.
function toFolded(segments: readonly string[]): string[] | undefined {
  let malformed = 0;
  const folded: string[] = [];
  for (const segment of segments) {
    let decoded = segment;
    try {
      decoded = decodeURIComponent(segment);
    } catch {
      malformed += 1;
      if (malformed > MAX_MALFORMED) return undefined;
    }
    folded.push(decoded.toLowerCase());
  }
  return folded;
}

// The literal segments, without a trailing slash.
function toWritten(path: string): string[] {
  const text = path.replace(/^\//, "").replace(/\/$/, "");
  return text === "" ? [] : text.split("/");
}

// A lenient router splits a path at decoded slashes and backslashes.
const split = (segments: readonly string[]): string[] =>
  segments.flatMap((segment) => segment.split(/[/\\]/));

const isNamed = (segment: string) => segment !== "" && segment !== ".";

// Normalizes like the most lenient router, which also ignores empty segments. Otherwise `//admin` or `/admin%2fx` could
// bypass a rule.
const toSegments = (path: string): string[] =>
  split(toFolded(toWritten(path)) ?? []).filter(isNamed);

function withoutDots(segments: readonly string[]): string[] {
  const kept: string[] = [];
  for (const segment of segments) {
    if (segment === "..") kept.pop();
    else kept.push(segment);
  }
  return kept;
}

// Lists what routers may read a path as: decoded, or decoded again, each leniently, with dot segments resolved or not,
// and strictly, in which `x%2fy` is one segment. Returns `undefined` for a path with too many malformed segments.
function listReadings(path: string): (readonly string[])[] | undefined {
  const readings: (readonly string[])[] = [];
  let strict = toFolded(toWritten(path));
  for (let count = 0; count < MAX_DECODINGS; count++) {
    if (!strict) return undefined;
    const parts = split(strict);
    const named = parts.filter(isNamed);
    readings.push(named);
    if (named.length !== strict.length) readings.push(strict);
    if (parts.includes("..")) readings.push(withoutDots(named), withoutDots(parts));
    const before = strict;
    strict = toFolded(before);
    if (strict?.every((segment, at) => segment === before[at])) break;
  }
  return readings;
}

/** Nuxt's data of a page, which is as private as the page. */
const PAYLOAD = /^_payload\.js(?:on)?$/;

const toPage = (segments: readonly string[]): readonly string[] =>
  PAYLOAD.test(segments.at(-1) ?? "") ? segments.slice(0, -1) : segments;

/** A path, both as routers may read it and literally. */
interface Path {
  readonly readings: readonly (readonly string[])[];
  readonly written: readonly string[];
}

interface Rule {
  readonly segments: readonly string[];
  readonly written: readonly string[];
  readonly isRequired: boolean;
}

const isAny = (segment: string) => segment === "*" || segment.startsWith(":");
const isRest = (segment: string) => segment.startsWith("**");

const isSame = (pattern: string, segment: string | undefined): boolean =>
  pattern === segment || encodeURI(pattern) === segment;

// Compares the segments before `**` with the start of a path, and those after it with its end.
function fits(pattern: readonly string[], segments: readonly string[]): boolean {
  const rest = pattern.findIndex(isRest);
  const { length } = segments;
  const isLong = rest === -1 ? pattern.length === length : pattern.length - 1 <= length;
  return (
    isLong &&
    pattern.every((segment, at) => {
      if (at === rest) return true;
      const place = rest === -1 || at < rest ? at : at + length - pattern.length;
      return isAny(segment) || isSame(segment, segments[place]);
    })
  );
}

// A rule that needs no session holds only for its literal path, and only if no router may read that as another one. To a
// stricter router, `/admin/LOGIN` is the page of an `/admin/[name]`.
function matches({ segments, written, isRequired }: Rule, path: Path): boolean {
  const { readings, written: literal } = path;
  if (isRequired) return readings.some((one) => fits(segments, one) || fits(segments, toPage(one)));
  if (literal.includes("")) return false;
  return readings.every((one) => fits(segments, toPage(one))) && fits(written, toPage(literal));
}

// Compares the segments of two patterns for `sort`: the more specific one comes last. A longer pattern is more specific,
// and text is more specific than a placeholder.
function comparePatterns(one: readonly string[], other: readonly string[]): number {
  const weigh = (segment: string) => (isRest(segment) ? 0 : isAny(segment) ? 1 : 2);
  const [left, right] = [one.map(weigh), other.map(weigh)];
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const difference = (left[at] ?? 0.5) - (right[at] ?? 0.5);
    if (difference !== 0) return difference;
  }
  return 0;
}

/**
 * Returns the function that tells whether a path requires a session. The most specific rule decides, as with Nitro's
 * other rules. Paths are compared as routers may read them: decoded and ignoring case. A rule that needs no session is
 * compared with the literal path.
 */
export function createRuleMatcher(rules: PathRules, base = "/"): (path: string) => boolean {
  const sorted = Object.entries(rules)
    .map(([pattern, isRequired]): Rule => {
      return { segments: toSegments(pattern), written: toWritten(pattern), isRequired };
    })
    .sort((one, other) => comparePatterns(one.segments, other.segments));
  const prefix = toSegments(base);
  const countAbove = (segments: readonly string[]): number =>
    prefix.every((segment, at) => segments[at] === segment) ? prefix.length : 0;
  return (path) => {
    const all = listReadings(path);
    if (!all) return sorted.some(({ isRequired }) => isRequired);
    const readings = all.map((segments) => segments.slice(countAbove(segments)));
    const written = toWritten(path).slice(countAbove(all[0] ?? []));
    return sorted.findLast((rule) => matches(rule, { readings, written }))?.isRequired ?? false;
  };
}
