import { isOnVercel } from "../../src/_kit.ts";
import type { Kernel } from "../../src/kernel.ts";

/**
 * Returns whether the configuration decides the public origin. On Vercel, the platform itself sets the request's host.
 */
export function isOriginConfigured({ config, env }: Kernel): boolean {
  return config.origin !== undefined || Array.isArray(config.trustHost) || isOnVercel(env);
}
