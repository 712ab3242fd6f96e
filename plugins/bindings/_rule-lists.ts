import { createRuleMatcher, type PathRules } from "./_route-rules.ts";

function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** The route rules of a Nitro application by pattern. */
export type RouteRules = Record<string, object>;

/** How the Nitro of a build reads patterns: version 2 with radix3, version 3 with rou3. */
export type NitroVersion = 2 | 3;

/** Returns the version of a Nitro. Version 2 may not name its own. */
export function getNitroVersion(meta: { readonly majorVersion: number } | undefined): NitroVersion {
  return (meta?.majorVersion ?? 2) < 3 ? 2 : 3;
}

// Nitro 3 accepts a method before the path, which then applies only to that method.
const METHOD = /^[a-z]+\s+(?=\/)/i;
const NAME = /^:[a-z_]\w*$/i;
/** Characters with a meaning in patterns of Nitro 2 or 3. */
const SPECIAL = /[*:(){}\\?#]/;

const toPath = (segments: readonly string[]): string => `/${segments.join("/")}`;

// In Nitro 3, `*` is the rest of the path.
const toSegment = (segment: string, version: NitroVersion): string =>
  segment === "*" && version === 3 ? "**" : segment;

const listSegments = (pattern: string, version: NitroVersion): string[] =>
  pattern
    .replace(METHOD, "")
    .split("/")
    .filter((segment) => segment !== "")
    .map((segment) => toSegment(segment, version));

const isPlain = (segment: string): boolean =>
  !SPECIAL.test(segment) || segment === "*" || segment === "**" || NAME.test(segment);

const isDots = (segment: string): boolean => /^(?:\.|%2e){1,2}$/i.test(segment);

// Returns the pattern in the form that `createRuleMatcher` compares; `undefined` if it cannot say the same.
function toExact(pattern: string, version: NitroVersion): string | undefined {
  const segments = listSegments(pattern, version);
  const rests = segments.flatMap((segment, at) => (segment === "**" ? [at] : []));
  const isEnd = (at: number) => at === segments.length - 1;
  const isExact =
    !METHOD.test(pattern) &&
    segments.every((segment) => isPlain(segment) && !isDots(segment)) &&
    rests.length < 2 &&
    // For Nitro 3, a `*` before the end is at least one segment, and may be more.
    (version === 2 || !pattern.split("/").includes("*") || rests.every(isEnd));
  return isExact ? toPath(segments) : undefined;
}

// Returns a pattern for at least all paths of another one.
function widen(pattern: string, version: NitroVersion): string {
  const segments = listSegments(pattern, version);
  const at = segments.findIndex((segment) => !isPlain(segment) || segment === "**");
  if (at === -1) return toPath(segments);
  // The segments after the first `**` are compared too, if they are plain.
  const rest = segments.slice(at + 1);
  const isSimple = segments[at] === "**" && rest.every((one) => isPlain(one) && one !== "**");
  return toPath([...segments.slice(0, at), "**", ...(isSimple ? rest : [])]);
}

// Returns which patterns set one of the names, and whether to a value. Nitro merges the rules of a path: a rule without a
// value inherits that of the rule above it. Several patterns may become one.
function listRules(
  routeRules: RouteRules,
  names: readonly string[],
  version: NitroVersion,
): PathRules {
  const found: Record<string, boolean> = {};
  for (const [pattern, rule] of Object.entries(routeRules)) {
    const given = names.filter((name) => name in rule);
    if (!given.length) continue;
    const isSet = given.some((name) => Boolean((rule as Record<string, unknown>)[name]));
    const wide = widen(pattern, version);
    // A pattern that is wider than the rule's own must not revoke another rule.
    if (isSet || toExact(pattern, version) !== undefined) found[wide] ||= isSet;
  }
  return found;
}

/** Lists the patterns whose responses the platform caches for all visitors without Nitro's knowledge. */
export function listPlatformCached(routeRules: RouteRules, version: NitroVersion = 2): PathRules {
  return listRules(routeRules, ["isr"], version);
}

// Rules whose responses are shared between visitors, also by caches in front of the server.
const SHARED = ["cache", "swr", "isr", "static", "prerender"];

/**
 * Excludes the routes of Keyhook from cache rules for broader paths, such as `isr` for all paths. Otherwise a platform
 * would send one response to all visitors, including its CSRF token and cookies.
 */
export function excludeRoutes(
  routeRules: RouteRules,
  basePath: string,
  base: string,
  version: NitroVersion = 2,
): void {
  const isCached = createRuleMatcher(listRules(routeRules, SHARED, version), base);
  if (!isCached(`${basePath}/session`)) return;
  const pattern = `${basePath.slice(base.replace(/\/$/, "").length)}/**`;
  routeRules[pattern] = { ...routeRules[pattern], isr: false, cache: false };
}

type Segments = readonly string[];

/** A segment that no pattern contains as text. */
const OTHER = "\u0001";

const isAny = (segment: string): boolean => segment === "*" || segment.startsWith(":");

const toText = (segment: string): string => (isAny(segment) ? OTHER : segment);

// Lists paths that have both patterns. Where the patterns have placeholders, the paths have text that no pattern has.
// Such a path has all rules that apply to every other path in its place, and no others.
function listCommon(one: Segments, other: Segments, length: number): Segments[] {
  const [first, ...rest] = one;
  const [second, ...more] = other;
  const isEnd = first === undefined && second === undefined;
  if (isEnd || length < 0) return isEnd ? [[]] : [];
  const prepend = (segment: string, paths: readonly Segments[]): Segments[] =>
    paths.map((path) => [segment, ...path]);
  if (first === "**") {
    const taken = second === "**" || second === undefined ? OTHER : toText(second);
    const remaining = second === undefined || second === "**" ? other : more;
    const isOver = second === undefined;
    return [
      ...listCommon(rest, other, length),
      ...(isOver ? [] : prepend(taken, listCommon(one, remaining, length - 1))),
    ];
  }
  if (second === "**") return listCommon(other, one, length);
  if (first === undefined || second === undefined) return [];
  const isSame = decode(first).toLowerCase() === decode(second).toLowerCase();
  if (!isAny(first) && !isAny(second) && !isSame) return [];
  return prepend(toText(isAny(second) ? first : second), listCommon(rest, more, length - 1));
}

const toSegments = (pattern: string): Segments =>
  pattern.split("/").filter((segment) => segment !== "");

// Returns a pattern that requires a session and has a path to which another rule applies too.
function findConflict(auth: PathRules, others: PathRules): string | undefined {
  const [isRequired, isSet] = [createRuleMatcher(auth), createRuleMatcher(others)];
  const list = (rules: PathRules) => Object.keys(rules).filter((pattern) => rules[pattern]);
  // Longer than all patterns, so that `**` also stands for more segments than any of them.
  const all = [...Object.keys(auth), ...Object.keys(others)].map(toSegments);
  const length = 1 + Math.max(0, ...all.map((segments) => segments.length));
  return list(auth).find((pattern) =>
    list(others).some((other) =>
      listCommon(toSegments(pattern), toSegments(other), length)
        .map((segments) => toPath(segments))
        .some((path) => isRequired(path) && isSet(path)),
    ),
  );
}

/**
 * Lists the `auth` of route rules, with patterns as `createRuleMatcher` compares them.
 * @throws Error for a pattern that cannot be compared so, and when a path that requires a session has a cached or
 * prerendered response, or is proxied.
 */
export function listAuthRules(routeRules: RouteRules, version: NitroVersion = 2): PathRules {
  const rules: Record<string, boolean> = {};
  for (const [pattern, rule] of Object.entries(routeRules)) {
    const { auth } = rule as { auth?: unknown };
    if (auth === undefined) continue;
    if (typeof auth !== "boolean") {
      throw new TypeError(`\`routeRules["${pattern}"].auth\` must be true or false.`);
    }
    const exact = toExact(pattern, version);
    if (exact === undefined) {
      throw new Error(
        `routeRules: "${pattern}" is not a pattern for \`auth\`, which applies to all methods and to whole segments: ` +
          "write text, `:name` for one segment, and once `**` for any number of segments.",
      );
    }
    // Two patterns may be the same, such as `/a/*` and `/a/**` in Nitro 3.
    rules[exact] = auth || rules[exact] === true;
  }
  const cached = findConflict(rules, listRules(routeRules, SHARED, version));
  if (cached !== undefined) {
    throw new Error(
      `routeRules: "${cached}" requires a session (\`auth\`), but its response is cached or prerendered for all visitors. ` +
        "Remove `swr`, `isr`, `cache` or `prerender` there, or `auth`.",
    );
  }
  const proxied = findConflict(rules, listRules(routeRules, ["proxy"], version));
  if (proxied === undefined) return rules;
  throw new Error(
    `routeRules: "${proxied}" requires a session (\`auth\`), but Nitro proxies requests there before any middleware ` +
      "runs. Remove `proxy`, and call `proxyRequest` in a handler, which runs only for requests with a session.",
  );
}
