import type { Booted, KernelOptions } from "../kernel/kernel.ts";
import type { AuthConfig } from "../types/config.ts";
import type { KernelsOptions } from "./kernels.ts";

/** What an Auth is made of, for tools that boot it apart. */
export interface Parts extends Pick<KernelsOptions, "isDevelopmentServer" | "readEnv"> {
  /**
   * Returns the configuration.
   * @throws MissingRequest when it is a function.
   */
  getConfig(): AuthConfig;
  /**
   * Resolves to the configuration of a request.
   * @throws InvalidConfig for one that is none; what the function throws.
   */
  loadConfig(request: Request): Promise<AuthConfig>;
  /** Boots a kernel with the plugins of the Auth. */
  boot(options: Omit<KernelOptions, "presets" | "plugins">): Booted;
}

/** The key under which an Auth has its parts. Registered: the command line may have another copy of this package. */
export const PARTS: unique symbol = Symbol.for("keyhook.parts");

/** An Auth whose parts can be read. */
export interface Bootable {
  [PARTS](): Parts;
}

/** The key under which what an application exports in place of its Auth has that, such as the handler of `ExpressAuth`. */
export const AUTH: unique symbol = Symbol.for("keyhook.auth");
