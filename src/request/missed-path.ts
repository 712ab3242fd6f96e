import type { Kernel } from "../types/kernel.ts";

/** The routes whose last segment is the id of a provider. */
const PROVIDER_ROUTES = ["signin", "callback"];

// The base path that a path would have if it was one of the routes; empty where it is none, or one at the root.
function findBasePath(pathname: string, { providers, routes }: Kernel): string {
  const segments = pathname.split("/");
  const [parent = "", last = ""] = segments.slice(-2);
  if (PROVIDER_ROUTES.includes(parent) && providers.has(last)) {
    return segments.slice(0, -2).join("/");
  }
  const isRoute = parent === "auth" && [...routes.values()].some(({ path }) => path === `/${last}`);
  return isRoute ? segments.slice(0, -1).join("/") : "";
}

// Of the Auths of a process, copies of this module among them, which have the global object in common and nothing else.
const BASE_PATHS = Symbol.for("keyhook.base-paths");

function listBasePaths(): Set<string> {
  const scope = globalThis as { [BASE_PATHS]?: Set<string> };
  return (scope[BASE_PATHS] ??= new Set());
}

/**
 * Returns a function that warns in development, once, of a request for a route below another base path than the
 * configured one: a callback URL or a client that was written for `/api/auth`, or a handler that is mounted there. The
 * second such request tells: another Auth may respond to the first one, and boots with it.
 */
export function createMissedPathCheck(kernel: Kernel): (pathname: string) => void {
  const { config, logger } = kernel;
  // In production a visitor would write what is logged.
  let isDone = config.production;
  if (!isDone) listBasePaths().add(config.basePath);
  let missed = "";
  return (pathname) => {
    if (isDone) return;
    const basePath = findBasePath(pathname, kernel);
    if (basePath === "" || listBasePaths().has(basePath)) return;
    if (missed !== basePath) {
      missed = basePath;
      return;
    }
    isDone = true;
    logger.warn(
      "base-path-missed",
      `Keyhook does not respond to ${JSON.stringify(pathname.slice(0, 100))}, which is not below the base path ` +
        `"${config.basePath}". Correct the URL, or set \`basePath\`.`,
    );
  };
}
