/** Which paths require a session: patterns of Nitro's `routeRules` with the value of `auth`. */
export type AuthRules = Readonly<Record<string, boolean>>;

// What a router may take for a path: it decodes, ignores the case, empty segments and a slash at the end. A rule that
// compared less would be passed by `/ADMIN`, `//admin` or `/%61dmin`.
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

interface Rule {
  readonly segments: readonly string[];
  readonly isRequired: boolean;
}

const isAny = (segment: string) => segment === "*" || segment.startsWith(":");

function matches({ segments }: Rule, path: readonly string[]): boolean {
  const rest = segments.findIndex((segment) => segment.startsWith("**"));
  if (rest === -1 && segments.length !== path.length) return false;
  const fixed = rest === -1 ? segments : segments.slice(0, rest);
  if (path.length < fixed.length) return false;
  return fixed.every((segment, at) => isAny(segment) || segment === path[at]);
}

// A longer pattern is more specific, and so is a text than a placeholder.
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
 * other rules. Paths are compared as routers may read them: decoded, and whatever their case.
 */
export function createRuleMatcher(rules: AuthRules, base = "/"): (path: string) => boolean {
  const sorted = Object.entries(rules)
    .map(([pattern, isRequired]): Rule => ({ segments: toSegments(pattern), isRequired }))
    .sort(compare);
  const prefix = toSegments(base);
  return (path) => {
    const segments = toSegments(path.replace(PAYLOAD, ""));
    const isBelow = prefix.every((segment, at) => segments[at] === segment);
    const below = isBelow ? segments.slice(prefix.length) : segments;
    return sorted.findLast((rule) => matches(rule, below))?.isRequired ?? false;
  };
}

/** Lists the patterns whose responses the platform keeps for all visitors, and Nitro does not know. */
export function listPlatformCached(routeRules: Record<string, object>): AuthRules {
  const found = Object.entries(routeRules).flatMap(([pattern, rule]) =>
    "isr" in rule ? [[pattern, Boolean(rule.isr)]] : [],
  );
  return Object.fromEntries(found) as AuthRules;
}

// What makes a response one that other visitors receive, also from caches in front of the server.
const SHARED = ["cache", "swr", "isr", "static", "prerender"];

const isShared = (rule: object): boolean =>
  SHARED.some((name) => Boolean((rule as Record<string, unknown>)[name]));

/**
 * Lists the `auth` of route rules.
 * @throws Error when a path that requires a session has a cached or prerendered response.
 */
export function listAuthRules(routeRules: Record<string, object>): AuthRules {
  const rules: Record<string, boolean> = {};
  for (const [pattern, rule] of Object.entries(routeRules)) {
    const { auth } = rule as { auth?: unknown };
    if (typeof auth === "boolean") rules[pattern] = auth;
    else if (auth !== undefined) {
      throw new TypeError(`\`routeRules["${pattern}"].auth\` must be true or false.`);
    }
  }
  const isRequired = createRuleMatcher(rules);
  const shared: Record<string, boolean> = {};
  for (const [pattern, rule] of Object.entries(routeRules)) {
    // Nitro merges the rules of a path: one that does not say is as the rule above it.
    if (SHARED.some((name) => name in rule)) shared[pattern] = isShared(rule);
  }
  const guarded = Object.keys(rules).filter((pattern) => rules[pattern]);
  const found =
    Object.keys(shared).find((pattern) => shared[pattern] && isRequired(pattern)) ??
    guarded.find((pattern) => createRuleMatcher(shared)(pattern));
  if (found === undefined) return rules;
  throw new Error(
    `routeRules: "${found}" requires a session (\`auth\`), and its response is cached or prerendered for all visitors. ` +
      "Remove `swr`, `isr`, `cache` or `prerender` there, or `auth`.",
  );
}
