import type { AuthConfig } from "../types/config.ts";
import type { Kernel } from "../types/kernel.ts";
import type { ConfigFunction, ConfigLoader } from "./load-config.ts";

/** A configuration that boots one kernel for all requests with equal configurations. */
export interface SharedConfig {
  /** The configuration that the kernel boots with. */
  readonly config: AuthConfig;
  /**
   * Returns whether the kernel serves a configuration. Its data must be equal by value, and its functions the same,
   * except those that the kernel calls by their path in each request's configuration.
   */
  matches(config: AuthConfig): boolean;
  /**
   * Returns the shared form of a configuration that differs from this one in functions only. A kernel booted with it
   * serves both. `undefined` for any other configuration.
   */
  widen(config: AuthConfig): SharedConfig | undefined;
  /** Runs the work of a request with the functions of the request's configuration. */
  run<T>(config: AuthConfig, work: () => T): T;
  /** Runs the boot. Functions that it calls must stay the same from then on. */
  boot<T>(work: () => T): T;
}

/** Loads the configurations that a function returns, and finds their shared form: equal ones share one. */
export interface Sharing {
  createLoader(source: ConfigFunction): ConfigLoader;
  find(config: AuthConfig): SharedConfig;
  /**
   * Checks that the kernel of one configuration agrees with those of the others.
   * @param adapter The adapter that the configuration sets.
   * @throws InvalidConfig
   */
  check(kernel: Kernel, adapter: object | undefined): void;
  /** Adds to a boot fault the host of the request that needed the boot, to show whose configuration it is. */
  locate(fault: unknown, request: Pick<Request, "url"> | undefined): void;
}
