import type { Kernel } from "../types/kernel.ts";

/** The routes whose last segment is the id of a provider. */
const PROVIDER_ROUTES = ["signin", "callback"];

// Whether a path would be that of a route below another base path. One at the root may be the application's own.
function isMissed(pathname: string, { providers, routes }: Kernel): boolean {
  const segments = pathname.split("/");
  const [parent = "", last = ""] = segments.slice(-2);
  if (PROVIDER_ROUTES.includes(parent) && providers.has(last)) return segments.length > 3;
  return parent === "auth" && [...routes.values()].some(({ path }) => path === `/${last}`);
}

/**
 * Returns a function that warns in development, once, of a request for a route below another base path than the
 * configured one: a callback URL or a client that was written for `/api/auth`, or a handler that is mounted there.
 */
export function createMissedPathCheck(kernel: Kernel): (pathname: string) => void {
  const { config, logger } = kernel;
  // In production a visitor would write what is logged.
  let isDone = config.production;
  return (pathname) => {
    if (isDone || !isMissed(pathname, kernel)) return;
    isDone = true;
    logger.warn(
      "base-path-missed",
      `Keyhook does not respond to ${JSON.stringify(pathname.slice(0, 100))}, which is not below the base path ` +
        `"${config.basePath}". Correct the URL, or set \`basePath\`, unless another Auth responds there.`,
    );
  };
}
