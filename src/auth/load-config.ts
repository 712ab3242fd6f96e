import { InitError } from "../errors/errors.ts";
import { createLogger } from "../kernel/logger.ts";
import { expectConfig } from "../kernel/option-names.ts";
import { isObject } from "../platform/is-object.ts";
import { withTimeout } from "../platform/timeout.ts";
import type { AuthConfig, ConfigSource } from "../types/config.ts";

/** A configuration that depends on the request. */
export type ConfigFunction = Extract<ConfigSource, (...args: never) => unknown>;

/** Time limit of a configuration function in milliseconds. */
const CONFIG_TIMEOUT_MS = 10_000;

/** Loads the configurations of an Auth from its configuration function. */
export interface ConfigLoader {
  /**
   * Returns the configuration of a request, for which the function is called once. After a failure, the next call of
   * the same request calls it again.
   */
  load(request: Request): Promise<AuthConfig>;
  /** Returns whether the function failed with this error, as opposed to having returned something invalid. */
  isFailure(error: unknown): boolean;
}

/** @throws InvalidConfig when the value is not a configuration. */
export function expectReturned(config: unknown): AuthConfig {
  return expectConfig(config, "The return value of the configuration function");
}

const explainTimeout = (): Error =>
  new InitError(
    "The configuration function returned nothing within 10 seconds. The next request calls it again.",
  );

/** Creates the loader of an Auth. */
export function createConfigLoader(source: ConfigFunction): ConfigLoader {
  const configs = new WeakMap<Request, Promise<AuthConfig>>();
  const failures = new WeakSet<object>();

  const call = async (request: Request): Promise<unknown> => {
    try {
      return await withTimeout(source(request), CONFIG_TIMEOUT_MS, explainTimeout);
    } catch (error) {
      if (isObject(error)) failures.add(error);
      throw error;
    }
  };

  const load = async (request: Request): Promise<AuthConfig> => {
    try {
      return expectReturned(await call(request));
    } catch (error) {
      configs.delete(request);
      // Without a configuration, the application's logger is unknown.
      createLogger().error(error as Error);
      throw error;
    }
  };

  return {
    load(request) {
      const known = configs.get(request);
      if (known) return known;
      const loading = load(request);
      configs.set(request, loading);
      return loading;
    },
    isFailure: (error) => isObject(error) && failures.has(error),
  };
}
