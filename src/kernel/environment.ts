import { isLoopback } from "../http/origin.ts";
import { parseUrl } from "../platform/parse-url.ts";
import type { Env } from "../types/options.ts";

/**
 * The environment that a kernel is booted for. Production is strict: nothing in it is random, assumed or trusted by
 * default.
 */
export type Environment = "development" | "production";

/** An environment, and what decided it. */
export interface DecidedEnvironment<Name = Environment> {
  readonly name: Name;
  readonly reason: string;
}

const DEVELOPMENT: ReadonlySet<string> = new Set(["development", "test"]);

function isPublicUrl(text: string | undefined): boolean {
  const url = parseUrl(text ?? "");
  return url !== undefined && !isLoopback(url);
}

/**
 * Returns the environment that `NODE_ENV`, the framework's development flag or a public `AUTH_URL` indicates. Only
 * `development` and `test` are development: any other value (`staging`, `Production`) is production, and so is an empty
 * environment (edge runtimes). Without any indication, a request that did not leave the machine is development
 * (`isLocalRequest`), and every other request is production.
 */
export function findEnvironment(
  env: Env,
  isDevelopmentServer = false,
): DecidedEnvironment<Environment | undefined> {
  const { NODE_ENV } = env;
  if (NODE_ENV) {
    const name = DEVELOPMENT.has(NODE_ENV) ? "development" : "production";
    return { name, reason: `NODE_ENV=${NODE_ENV}` };
  }
  if (isDevelopmentServer) {
    return { name: "development", reason: "the framework's development server" };
  }
  if (!Object.keys(env).length) {
    const unless = "Deno" in globalThis ? ", or Deno denies access to them: --allow-env" : "";
    return { name: "production", reason: `there are no environment variables${unless}` };
  }
  const reason = "NODE_ENV is not set";
  if (isPublicUrl(env.AUTH_URL || env.NEXTAUTH_URL)) {
    return { name: "production", reason: `${reason}, and AUTH_URL is public` };
  }
  return { name: undefined, reason };
}
