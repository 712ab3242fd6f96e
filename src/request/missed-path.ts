import type { Kernel } from "../types/kernel.ts";

/** The routes whose last segment is the id of a provider. */
const PROVIDER_ROUTES = ["signin", "callback"];

// Tests whether a path would be a route's path below another base path. A path at the root may be the application's
// own.
function isMissed(pathname: string, { providers, routes }: Kernel): boolean {
  const segments = pathname.split("/");
  const [parent = "", last = ""] = segments.slice(-2);
  if (PROVIDER_ROUTES.includes(parent) && providers.has(last)) return segments.length > 3;
  return parent === "auth" && [...routes.values()].some(({ path }) => path === `/${last}`);
}

/**
 * Returns a function that warns, once and in development only, about a request for a route below a base path other than
 * the configured one. Typical causes are a callback URL or a client written for `/api/auth`, or a handler that is
 * mounted there.
 */
export function createMissedPathCheck(kernel: Kernel): (pathname: string) => void {
  const { config, logger } = kernel;
  // In production, a visitor would control what is logged.
  let isDone = config.production;
  return (pathname) => {
    if (isDone || !isMissed(pathname, kernel)) return;
    isDone = true;
    logger.warn(
      "base-path-missed",
      `Keyhook does not respond to ${JSON.stringify(pathname.slice(0, 100))}, which is not below the base path ` +
        `"${config.basePath}". Correct the URL, or set \`basePath\`, unless another Auth handles it.`,
    );
  };
}
