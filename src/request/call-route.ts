import { PluginError } from "../errors/errors.ts";
import { isPromise } from "../platform/awaitable.ts";
import { withTimeout } from "../platform/timeout.ts";
import type { AuthContext, RegisteredRoute } from "../types/kernel.ts";
import type { Awaitable } from "../types/models.ts";
import { REQUEST_TIMEOUT_MS } from "./context.ts";

/** Milliseconds after a request's time limit in which code that the signal aborted can still report its error. */
const GRACE_MS = 1000;

function expectResponse(response: unknown, route: RegisteredRoute): Response {
  if (response instanceof Response) return response;
  throw new PluginError(
    `The route ${route.method} ${route.path} (plugin "${route.plugin}") returned no Response. Return one, ` +
      "such as `ctx.json(value)`.",
  );
}

async function awaitRoute(
  pending: PromiseLike<Response>,
  route: RegisteredRoute,
): Promise<Response> {
  const seconds = (REQUEST_TIMEOUT_MS + GRACE_MS) / 1000;
  const response: unknown = await withTimeout(pending, seconds * 1000, () => {
    const text = `The route ${route.method} ${route.path} (plugin "${route.plugin}") took more than ${seconds} s.`;
    return new PluginError(`${text} End its work when \`ctx.signal\` is aborted.`);
  });
  return expectResponse(response, route);
}

/**
 * Calls the handler of a route. A handler that returns its response synchronously needs no time limit.
 * @throws whatever the handler throws, and PluginError when it takes too long or returns no Response.
 */
export function callRoute(ctx: AuthContext, route: RegisteredRoute): Awaitable<Response> {
  const response = route.handler(ctx);
  return isPromise(response) ? awaitRoute(response, route) : expectResponse(response, route);
}
