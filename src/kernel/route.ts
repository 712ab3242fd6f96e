import { PluginError } from "../errors/errors.ts";
import { isSafeMethod } from "../http/method.ts";
import type { RegisteredRoute, Route, RouteMethod } from "../types/kernel.ts";
import type { Logger, ResolvedConfig } from "../types/options.ts";
import { checkFields } from "./check-parts.ts";
import { nameOwner } from "./owners.ts";

/** The methods that routes may have, in the order of the `Allow` header. */
export const ROUTE_METHODS: readonly RouteMethod[] = ["GET", "POST", "PUT", "PATCH", "DELETE"];

const STATIC_SEGMENT = /^[A-Za-z0-9._~-]+$/;
const PARAMETER = /^:([A-Za-z][A-Za-z0-9_]*)$/;

/** Returns the parameter name in a segment of a route's path; `undefined` for a static segment. */
export function getParameter(segment: string): string | undefined {
  return PARAMETER.exec(segment)?.[1];
}

/**
 * Returns the key of a route. Paths that differ only in their parameter names match the same requests, so they have the
 * same key.
 */
export function toRouteKey(method: string, path: string): string {
  return `${method} ${path.replace(/\/:[^/]+/g, "/:")}`;
}

function findFault({ method, path, handler, auth, csrf, cookies }: Route): string | undefined {
  if (typeof handler !== "function") {
    return "has no `handler`. Give it a function that returns a Response.";
  }
  if (!ROUTE_METHODS.includes(method)) {
    return `has the method "${method}". Use one of ${ROUTE_METHODS.join(", ")}; GET handles HEAD too.`;
  }
  if (auth !== undefined && auth !== true && auth !== "fresh") {
    return 'has an unknown `auth`. Set it to true, or to "fresh".';
  }
  if (cookies === false && csrf === undefined && !isSafeMethod(method)) {
    return "needs a CSRF token, but sees no cookies (`cookies: false`) to verify it with. Set `csrf: false` too.";
  }
  if (typeof path !== "string" || !path.startsWith("/") || path === "/") {
    return 'must have a path that begins with "/" and names a segment, such as "/org/:id".';
  }
  const segments = path.split("/").slice(1);
  const names: string[] = [];
  for (const segment of segments) {
    const name = getParameter(segment);
    if (name === undefined && !STATIC_SEGMENT.test(segment)) {
      return (
        `has the segment "${segment}", which is not valid. Use letters, digits and . _ ~ -, or a ` +
        'parameter: ":" and a name of letters, digits and _, such as ":id".'
      );
    }
    if (name !== undefined && names.includes(name)) {
      return `has two parameters ":${name}". Rename one.`;
    }
    if (name !== undefined) names.push(name);
  }
  return undefined;
}

/** Returns the name of a route in messages: `The route GET /org/:id`. */
function nameRoute(route: Partial<Route> | null | undefined): string {
  return ["The route", route?.method, route?.path].filter((part) => part !== undefined).join(" ");
}

/**
 * Checks the fields, the method and the path of a route.
 * @throws PluginError that names the plugin and the fix.
 */
export function checkRoute(route: Route, plugin: string): void {
  const name = nameRoute(route);
  const example = "one object: addRoute({ method, path, handler })";
  checkFields(route, { kind: "route", name, plugin }, example);
  const fault = findFault(route);
  if (fault !== undefined) throw new PluginError(`${name} of ${nameOwner(plugin)} ${fault}`);
}

/** Warns about routes that repeat the base path, below which every route is mounted. */
export function checkRoutePaths(
  routes: Iterable<RegisteredRoute>,
  { basePath }: Pick<ResolvedConfig, "basePath">,
  logger: Required<Logger>,
): void {
  for (const route of routes) {
    if (!basePath || !route.path.startsWith(`${basePath}/`)) continue;
    logger.warn(
      "route-base-path",
      `${nameRoute(route)} of ${nameOwner(route.plugin)} is at ${basePath}${route.path}. Remove the base path.`,
    );
  }
}
