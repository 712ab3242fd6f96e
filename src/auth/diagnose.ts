import { randomHex } from "../crypto/crypto.ts";
import { AuthError, BootError } from "../errors/errors.ts";
import { processEnv } from "../kernel/env.ts";
import { findEnvironment } from "../kernel/environment.ts";
import { createKernel, type KernelOptions } from "../kernel/kernel.ts";
import { merge } from "../platform/merge.ts";
import type { Decision, Diagnosis } from "../types/auth.ts";
import type { AuthConfig } from "../types/config.ts";
import type { KernelsOptions } from "./kernels.ts";

function listFaults(error: unknown): Diagnosis["faults"] {
  const faults = error instanceof BootError ? error.faults : [error as Error];
  return faults.map((fault) => ({
    type: fault instanceof AuthError ? fault.type : fault.name,
    message: fault.message,
  }));
}

/** Boots a configuration with changes, and returns what was decided, warned about and refused. */
export function diagnose(
  {
    config,
    presets,
    plugins,
    isDevelopmentServer,
    readEnv,
  }: Pick<KernelOptions, "config"> & Omit<KernelsOptions, "sharing">,
  changes: AuthConfig = {},
): Diagnosis {
  const decisions: Decision[] = [];
  const warnings: Diagnosis["warnings"] = [];
  const env = { ...(config.env ?? readEnv() ?? processEnv()), ...changes.env };
  const { name = "development", reason } = findEnvironment(env, isDevelopmentServer());
  const changed = merge(config, changes, {
    env,
    logger: {
      error() {},
      warn: (code: string, detail = "") => void warnings.push({ code, detail }),
      debug() {},
    },
  });
  try {
    const { kernel } = createKernel({
      config: changed,
      presets,
      plugins,
      environment: { name, reason },
      devSecret: randomHex(32),
      decide: (name, value, reason) => void decisions.push({ name, value, reason }),
    });
    return { decisions, warnings, faults: [], inspection: kernel.inspect() };
  } catch (error) {
    return { decisions, warnings, faults: listFaults(error), inspection: null };
  }
}
