import { comparePatterns, createRuleMatcher, type PathRules } from "./_route-rules.ts";

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

const toText = (segments: readonly string[]): string => `/${segments.join("/")}`;

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
  return isExact ? toText(segments) : undefined;
}

// Returns a pattern for at least all paths of another one.
function widen(pattern: string, version: NitroVersion): string {
  const segments = listSegments(pattern, version);
  const at = segments.findIndex((segment) => !isPlain(segment) || segment === "**");
  if (at === -1) return toText(segments);
  // The segments after the first `**` are compared too, if they are plain.
  const rest = segments.slice(at + 1);
  const isSimple = segments[at] === "**" && rest.every((one) => isPlain(one) && one !== "**");
  return toText([...segments.slice(0, at), "**", ...(isSimple ? rest : [])]);
}

// Nitro merges the rules of a path. If a rule does not set a value, it inherits the value of the rule above it. Several
// patterns may become one.
function listStated(
  routeRules: RouteRules,
  names: readonly string[],
  version: NitroVersion,
): PathRules {
  const found: Record<string, boolean> = {};
  for (const [pattern, rule] of Object.entries(routeRules)) {
    const stated = names.filter((name) => name in rule);
    if (!stated.length) continue;
    const isSet = stated.some((name) => Boolean((rule as Record<string, unknown>)[name]));
    const wide = widen(pattern, version);
    // A pattern that is wider than the rule's own must not revoke another rule.
    if (isSet || toExact(pattern, version) !== undefined) found[wide] ||= isSet;
  }
  return found;
}

/** Lists the patterns whose responses the platform caches for all visitors without Nitro's knowledge. */
export function listPlatformCached(routeRules: RouteRules, version: NitroVersion = 2): PathRules {
  return listStated(routeRules, ["isr"], version);
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
  const isCached = createRuleMatcher(listStated(routeRules, SHARED, version), base);
  if (!isCached(`${basePath}/session`)) return;
  const pattern = `${basePath.slice(base.replace(/\/$/, "").length)}/**`;
  routeRules[pattern] = { ...routeRules[pattern], isr: false, cache: false };
}

type Segments = readonly string[];

const isAny = (segment: string | undefined): boolean =>
  segment === "*" || segment?.startsWith(":") === true;

// Returns whether some path has both patterns.
function overlaps(one: Segments, other: Segments): boolean {
  const [first, ...rest] = one;
  const [second, ...more] = other;
  if (first === "**") return overlaps(rest, other) || (other.length > 0 && overlaps(one, more));
  if (second === "**") return overlaps(other, one);
  if (first === undefined || second === undefined) return first === second;
  return (isAny(first) || isAny(second) || first === second) && overlaps(rest, more);
}

// Returns whether every path of the second pattern has the first one.
function covers(wide: Segments, narrow: Segments): boolean {
  const [first, ...rest] = wide;
  const [second, ...more] = narrow;
  if (first === "**") return covers(rest, narrow) || (narrow.length > 0 && covers(wide, more));
  if (first === undefined || second === undefined) return first === second;
  return second !== "**" && (isAny(first) || first === second) && covers(rest, more);
}

const fold = (pattern: string): Segments =>
  pattern
    .toLowerCase()
    .split("/")
    .filter((segment) => segment !== "");

/**
 * Returns a pattern that requires a session and for which another rule is set too. An exception from either rule counts
 * if it is more specific and applies to all of these paths.
 */
function findConflict(auth: PathRules, others: PathRules): string | undefined {
  const list = (rules: PathRules, value: boolean) =>
    Object.keys(rules)
      .filter((pattern) => rules[pattern] === value)
      .map((pattern) => [pattern, fold(pattern)] as const);
  const isExcepted = (rules: PathRules, from: Segments, paths: Segments) =>
    list(rules, false).some(
      ([, exception]) => covers(exception, paths) && comparePatterns(exception, from) > 0,
    );
  for (const [pattern, guarded] of list(auth, true)) {
    for (const [, set] of list(others, true)) {
      if (!overlaps(guarded, set)) continue;
      if (isExcepted(auth, guarded, set) || isExcepted(others, set, guarded)) continue;
      return pattern;
    }
  }
  return undefined;
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
  const cached = findConflict(rules, listStated(routeRules, SHARED, version));
  if (cached !== undefined) {
    throw new Error(
      `routeRules: "${cached}" requires a session (\`auth\`), but its response is cached or prerendered for all visitors. ` +
        "Remove `swr`, `isr`, `cache` or `prerender` there, or `auth`.",
    );
  }
  const proxied = findConflict(rules, listStated(routeRules, ["proxy"], version));
  if (proxied === undefined) return rules;
  throw new Error(
    `routeRules: "${proxied}" requires a session (\`auth\`), but Nitro proxies requests there before any middleware ` +
      "runs. Remove `proxy`, and call `proxyRequest` in a handler, which runs only for requests with a session.",
  );
}
