import type { AuthConfig } from "../types/config.ts";
import type { Kernel } from "../types/kernel.ts";

/** A configuration with which one kernel serves all requests whose configurations are equal. */
export interface SharedConfig {
  /** What the kernel is booted with. */
  readonly config: AuthConfig;
  /**
   * Returns whether the kernel serves a configuration: its data is equal by value, and so are its functions where
   * the kernel calls those of each request by their place.
   */
  matches(config: AuthConfig): boolean;
  /**
   * Returns the shared form of a configuration that differs from this one in functions alone: a kernel that is
   * booted with it serves both. `undefined` for any other configuration.
   */
  widen(config: AuthConfig): SharedConfig | undefined;
  /** Runs the work of a request with the functions of its configuration. */
  run<T>(config: AuthConfig, work: () => T): T;
  /** Runs what boots. Functions that it calls must be the same ones from then on. */
  boot<T>(work: () => T): T;
}

/** Finds the shared form of the configurations that a function returns: equal ones have one. */
export interface Sharing {
  find(config: AuthConfig): SharedConfig;
  /**
   * Checks that the kernel of one configuration agrees with those of the others.
   * @param adapter The one that the configuration states.
   * @throws InvalidConfig
   */
  check(kernel: Kernel, adapter: object | undefined): void;
  /** Notes on the fault of a boot the host of the request that needed it: whose configuration it was. */
  locate(fault: unknown, request: Pick<Request, "url"> | undefined): void;
}
