import { getParameter, ROUTE_METHODS } from "../kernel/route.ts";
import type { RegisteredRoute } from "../types/kernel.ts";

/** The route of a request, with the values in its path. */
export interface Target {
  /** First segment of the path. */
  action: string;
  route?: RegisteredRoute | undefined;
  /** The value of the path's parameter `:provider`. */
  providerId?: string | undefined;
  /** The other parameters of the path by name. */
  params?: Readonly<Record<string, string>>;
  /** Set if the percent-encoding of a parameter is not valid. */
  isMalformed?: true;
}

/** Finds the routes of requests. */
export interface Router {
  /**
   * Returns the segments of a path below the base path, as the client encoded them; `undefined` for any other path:
   * `/authority` is not below `/auth`. Empty segments are kept.
   */
  parse(pathname: string): string[] | undefined;
  /**
   * Returns the target of a method and segments. Every route has exactly one path, since a second spelling would bypass
   * limits and rules of servers in front. Empty segments and encoded slashes therefore match no route.
   */
  find(method: string, segments: readonly string[]): Target;
  /** Returns the methods of the routes that match the segments. */
  methods(segments: readonly string[]): string[];
}

/** A route whose path has parameters. */
interface Pattern {
  route: RegisteredRoute;
  segments: readonly string[];
  /** Names of the parameters by position; `undefined` for static segments. */
  names: readonly (string | undefined)[];
  /** Position of `:provider`; -1 without it. */
  provider: number;
}

function toPattern(route: RegisteredRoute): Pattern {
  const segments = route.path.split("/").slice(1);
  const names = segments.map(getParameter);
  return { route, segments, names, provider: names.indexOf("provider") };
}

// Static segments come first, compared from the left.
function compare(one: Pattern, other: Pattern): number {
  const at = one.names.findIndex((name, place) => !name !== !other.names[place]);
  if (at < 0) return 0;
  return one.names[at] === undefined ? -1 : 1;
}

function matches({ segments, names }: Pattern, given: readonly string[]): boolean {
  return segments.every((segment, at) => names[at] !== undefined || segment === given[at]);
}

function readParams(
  { names, provider }: Pattern,
  given: readonly string[],
): Record<string, string> {
  const params: Record<string, string> = {};
  for (const [at, name] of names.entries()) {
    if (name !== undefined && at !== provider) params[name] = decodeURIComponent(given[at] ?? "");
  }
  return params;
}

// Matches a second spelling of a path: an empty segment, such as from a trailing slash, or one that contains a slash.
const OTHER_SPELLING = /^$|%2f|%5c/i;

// Clients without a provider put "undefined" into the path.
const isUndefined = (segment: string | undefined): boolean => segment === "undefined";

/** Creates the router of the registered routes, which are below the base path. */
export function createRouter(routes: Iterable<RegisteredRoute>, basePath: string): Router {
  // Most requests are for static paths, which one look-up finds.
  const fixed = new Map<string, RegisteredRoute>();
  const patterns = new Map<string, Pattern[]>();
  for (const route of routes) {
    const pattern = toPattern(route);
    if (pattern.names.every((name) => name === undefined)) {
      fixed.set(`${route.method} ${route.path}`, route);
      continue;
    }
    const key = `${route.method} ${pattern.segments.length}`;
    patterns.set(key, [...(patterns.get(key) ?? []), pattern].sort(compare));
  }

  const findPattern = (method: string, segments: readonly string[]): Pattern | undefined =>
    patterns
      .get(`${method} ${segments.length}`)
      ?.find((one) => matches(one, segments) && !isUndefined(segments[one.provider]));

  const find = (method: string, segments: readonly string[]): Target => {
    const verb = method === "HEAD" ? "GET" : method;
    const [action = ""] = segments;
    const exact = fixed.get(`${verb} /${segments.join("/")}`);
    if (exact || segments.length === 0) return { action, route: exact };
    if (segments.some((segment) => OTHER_SPELLING.test(segment))) return { action };
    const pattern = findPattern(verb, segments);
    if (!pattern) {
      if (!isUndefined(segments.at(-1))) return { action };
      return { action, route: fixed.get(`${verb} /${segments.slice(0, -1).join("/")}`) };
    }
    const { route, provider } = pattern;
    const target: Target = { action, route, providerId: segments[provider] };
    try {
      return { ...target, params: readParams(pattern, segments) };
    } catch {
      return { ...target, isMalformed: true };
    }
  };

  return {
    parse(pathname) {
      const rest = pathname.slice(basePath.length);
      if (!pathname.startsWith(basePath) || !rest.startsWith("/")) return undefined;
      return rest === "/" ? [] : rest.slice(1).split("/");
    },
    find,
    methods: (segments) => ROUTE_METHODS.filter((method) => find(method, segments).route),
  };
}
