import type { Report } from "../errors/report.ts";
import type { Env, Logger } from "../types/options.ts";
import type { DecidedEnvironment } from "./environment.ts";

/** Inputs of `resolveConfig` besides the configuration. */
export interface ResolveOptions {
  env: Env;
  environment: DecidedEnvironment;
  production: boolean;
  /** Whether the configuration or a plugin sets an adapter. */
  hasAdapter: boolean;
  logger: Required<Logger>;
  report: Report;
  /** Returns the secret to use in development when none is set. */
  devSecret(): string;
  /** The secret that the development server keeps between its reloads, for the same use. */
  keptSecret: string | undefined;
  /** Whether `jwt.encode` and `jwt.decode` receive the environment's secret as text if there is only one. */
  textSecret: boolean;
  /** Base path to use if neither the configuration nor `AUTH_URL` sets one. */
  basePath: string;
}

/** Returns the end of a message that depends on the environment. */
export function stateEnvironment({ name, reason }: DecidedEnvironment): string {
  return ` This is ${name} (${reason}).`;
}
