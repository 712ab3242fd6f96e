import type { Report } from "../errors/report.ts";
import type { Env, Logger } from "../types/options.ts";
import type { DecidedEnvironment } from "./environment.ts";

/** Inputs of `resolveConfig` besides the configuration. */
export interface ResolveOptions {
  env: Env;
  environment: DecidedEnvironment;
  production: boolean;
  logger: Required<Logger>;
  report: Report;
  /** Returns the secret to use in development when none is set. */
  devSecret(): string;
  /** The same, kept by the development server between its reloads. */
  keptSecret: string | undefined;
  /** `jwt.encode` and `jwt.decode` get a secret of the environment as text, where it is the only one. */
  textSecret: boolean;
  /** Base path to use when neither the configuration nor `AUTH_URL` has one. */
  basePath: string;
}

/** Returns the end of a message that depends on the environment. */
export function stateEnvironment({ name, reason }: DecidedEnvironment): string {
  return ` This is ${name} (${reason}).`;
}
