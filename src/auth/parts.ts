import type { Booted, KernelOptions } from "../kernel/kernel.ts";
import type { AuthConfig } from "../types/config.ts";
import type { KernelsOptions } from "./kernels.ts";

/** The parts of an Auth, for tools that boot it separately. */
export interface Parts extends Pick<KernelsOptions, "isDevelopmentServer" | "readEnv"> {
  /**
   * Returns the configuration.
   * @throws MissingRequest when it is a function.
   */
  getConfig(): AuthConfig;
  /**
   * Resolves to the configuration of a request.
   * @throws InvalidConfig for a value that is not a configuration; also whatever the function throws.
   */
  loadConfig(request: Request): Promise<AuthConfig>;
  /** Boots a kernel with the plugins of the Auth. */
  boot(options: Omit<KernelOptions, "presets" | "plugins">): Booted;
}

/**
 * The key of an Auth's parts. It is in the global symbol registry, because the command line may load another copy of
 * this package.
 */
export const PARTS: unique symbol = Symbol.for("keyhook.parts");

/** An Auth whose parts can be read. */
export interface Bootable {
  [PARTS](): Parts;
}

/** The key under which an export that is not an Auth, such as the handler of `ExpressAuth`, holds its Auth. */
export const AUTH: unique symbol = Symbol.for("keyhook.auth");
