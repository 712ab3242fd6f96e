/** The paths for which a rule such as `auth` holds: patterns of Nitro's `routeRules` with the rule's value. */
export type PathRules = Readonly<Record<string, boolean>>;

// Normalizes like the most lenient router: decodes, ignores case, empty segments and a trailing slash. Otherwise
// `/ADMIN`, `//admin` or `/%61dmin` could bypass a rule.
function toSegments(path: string): string[] {
  return path
    .split(/[/\\]/)
    .map((segment) => {
      try {
        return decodeURIComponent(segment).toLowerCase();
      } catch {
        return segment.toLowerCase();
      }
    })
    .flatMap((segment) => segment.split(/[/\\]/))
    .filter((segment) => segment !== "" && segment !== ".");
}

// The literal segments, without a trailing slash.
function toWritten(path: string): string[] {
  return path.replace(/^\//, "").replace(/\/$/, "").split("/");
}

/** A path, both as a router may read it and literally. */
interface Path {
  readonly segments: readonly string[];
  readonly written: readonly string[];
}

interface Rule extends Path {
  readonly isRequired: boolean;
}

const isAny = (segment: string) => segment === "*" || segment.startsWith(":");

const isSame = (pattern: string, written: string | undefined): boolean =>
  pattern === written || encodeURI(pattern) === written;

// A rule that needs no session holds only for its literal path. To a stricter router, `/admin/LOGIN` is the page of an
// `/admin/[name]`.
function matchesAsWritten(rule: Rule, path: Path, length: number): boolean {
  if (path.segments.includes("..")) return false;
  return rule.written
    .slice(0, length)
    .every((pattern, at) => isAny(pattern) || isSame(pattern, path.written[at]));
}

function matches(rule: Rule, path: Path): boolean {
  const { segments, isRequired } = rule;
  const rest = segments.findIndex((segment) => segment.startsWith("**"));
  const { length } = path.segments;
  if (rest === -1 && segments.length !== length) return false;
  const fixed = rest === -1 ? segments : segments.slice(0, rest);
  if (length < fixed.length) return false;
  if (!fixed.every((segment, at) => isAny(segment) || segment === path.segments[at])) return false;
  if (isRequired) return true;
  const isWhole = rest !== -1 || !length || path.written.length === length;
  return isWhole && matchesAsWritten(rule, path, fixed.length);
}

// A longer pattern is more specific, and text is more specific than a placeholder.
function compare(one: Rule, other: Rule): number {
  const weigh = ({ segments }: Rule) =>
    segments.map((segment) => (segment.startsWith("**") ? 0 : isAny(segment) ? 1 : 2));
  const [left, right] = [weigh(one), weigh(other)];
  for (let at = 0; at < Math.max(left.length, right.length); at++) {
    const difference = (left[at] ?? 0.5) - (right[at] ?? 0.5);
    if (difference !== 0) return difference;
  }
  return 0;
}

/** Nuxt's data of a page, which is as private as the page. */
const PAYLOAD = /\/_payload\.(?:json|js)$/;

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
    .sort(compare);
  const prefix = toSegments(base);
  return (path) => {
    const page = path.replace(PAYLOAD, "");
    const segments = toSegments(page);
    const isBelow = prefix.every((segment, at) => segments[at] === segment);
    const start = isBelow ? prefix.length : 0;
    const below = { segments: segments.slice(start), written: toWritten(page).slice(start) };
    return sorted.findLast((rule) => matches(rule, below))?.isRequired ?? false;
  };
}

/** Lists the patterns whose responses the platform caches for all visitors without Nitro's knowledge. */
export function listPlatformCached(routeRules: Record<string, object>): PathRules {
  const found = Object.entries(routeRules).flatMap(([pattern, rule]) =>
    "isr" in rule ? [[pattern, Boolean(rule.isr)]] : [],
  );
  return Object.fromEntries(found) as PathRules;
}

// Rules whose responses are shared between visitors, also by caches in front of the server.
const SHARED = ["cache", "swr", "isr", "static", "prerender"];

// Nitro merges the rules of a path. If a rule does not set a value, it inherits the value of the rule above it.
function listShared(routeRules: Record<string, object>): PathRules {
  const deciding = Object.entries(routeRules).filter(([, rule]) =>
    SHARED.some((name) => name in rule),
  );
  const isShared = (rule: object) =>
    SHARED.some((name) => Boolean((rule as Record<string, unknown>)[name]));
  return Object.fromEntries(deciding.map(([pattern, rule]) => [pattern, isShared(rule)]));
}

/**
 * Excludes the routes of Keyhook from cache rules for broader paths, such as `isr` for all paths. Otherwise a platform
 * would send one response to all visitors, including its CSRF token and cookies.
 */
export function excludeRoutes(
  routeRules: Record<string, object>,
  basePath: string,
  base: string,
): void {
  const isCached = createRuleMatcher(listShared(routeRules), base);
  if (!isCached(`${basePath}/session`)) return;
  const pattern = `${basePath.slice(base.replace(/\/$/, "").length)}/**`;
  routeRules[pattern] = { ...routeRules[pattern], isr: false, cache: false };
}

// Returns the most general pattern that two patterns have in common: `/a/x` for `/a/**` and `/*/x`.
function intersect(one: string, other: string): string | undefined {
  const found: string[] = [];
  const [left, right] = [toWritten(one), toWritten(other)];
  for (let at = 0; ; at++) {
    const [a, b] = [left[at], right[at]];
    if (a === undefined && b === undefined) return `/${found.join("/")}`;
    if (a?.startsWith("**")) return `/${[...found, ...right.slice(at)].join("/")}`;
    if (b?.startsWith("**")) return `/${[...found, ...left.slice(at)].join("/")}`;
    if (a === undefined || b === undefined) return undefined;
    if (a !== b && !isAny(a) && !isAny(b)) return undefined;
    found.push(isAny(a) ? b : a);
  }
}

/**
 * Lists the `auth` of route rules.
 * @throws Error when a path that requires a session has a cached or prerendered response.
 */
export function listAuthRules(routeRules: Record<string, object>): PathRules {
  const rules: Record<string, boolean> = {};
  for (const [pattern, rule] of Object.entries(routeRules)) {
    const { auth } = rule as { auth?: unknown };
    if (typeof auth === "boolean") rules[pattern] = auth;
    else if (auth !== undefined) {
      throw new TypeError(`\`routeRules["${pattern}"].auth\` must be true or false.`);
    }
  }
  const shared = listShared(routeRules);
  const [isRequired, isShared] = [createRuleMatcher(rules), createRuleMatcher(shared)];
  const found = Object.keys(shared)
    .flatMap((pattern) => Object.keys(rules).map((other) => intersect(pattern, other)))
    .find((path) => path !== undefined && isRequired(path) && isShared(path));
  if (found === undefined) return rules;
  throw new Error(
    `routeRules: "${found}" requires a session (\`auth\`), but its response is cached or prerendered for all visitors. ` +
      "Remove `swr`, `isr`, `cache` or `prerender` there, or `auth`.",
  );
}
