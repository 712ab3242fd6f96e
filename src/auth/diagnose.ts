import { randomHex } from "../crypto/crypto.ts";
import type { BootError } from "../errors/errors.ts";
import { type Decide, explainBoot, explainEnvironment } from "../kernel/decisions.ts";
import { processEnv } from "../kernel/env.ts";
import { findEnvironment } from "../kernel/environment.ts";
import { merge } from "../platform/merge.ts";
import { findSimilar } from "../platform/spelling.ts";
import type { Auth, Decision, Diagnosis } from "../types/auth.ts";
import type { AuthConfig } from "../types/config.ts";
import type { Env } from "../types/options.ts";
import { listNeededPackages } from "./needed-packages.ts";
import { type Bootable, type Parts, PARTS } from "./parts.ts";

// Faults are read by their fields, because the application may have loaded another copy of this package.
function listFaults(error: unknown): Diagnosis["faults"] {
  const { faults = [error as Error] } = error as Partial<BootError>;
  return faults.map((fault) => {
    const { name, message, type = name } = fault as Error & { type?: string };
    return { type, message };
  });
}

// Records which variables are read.
function watchReads(env: Env) {
  const read = new Set<string>();
  const get = (target: Env, name: string): string | undefined => {
    read.add(name);
    return target[name];
  };
  const isOurs = (name: string) => /^(?:NEXT)?AUTH_/.test(name) && !read.has(name);
  return {
    env: new Proxy(env, { get }),
    listUnread: (): Pick<Diagnosis, "unread" | "misspelled"> => {
      const unread = Object.keys(env).filter(isOurs).toSorted();
      const unset = [...read].filter((name) => !env[name]);
      const misspelled = unread.flatMap((name) => {
        const meant = findSimilar(name, unset);
        return meant === undefined ? [] : [[name, meant] as const];
      });
      return { unread, misspelled: Object.fromEntries(misspelled) };
    },
  };
}

function bootApart(
  { isDevelopmentServer, readEnv, boot }: Parts,
  config: AuthConfig,
  changes: AuthConfig,
): Diagnosis {
  const warnings: Diagnosis["warnings"] = [];
  const { env, listUnread } = watchReads({
    ...(config.env ?? readEnv() ?? processEnv()),
    ...changes.env,
  });
  const { name = "development", reason } = findEnvironment(env, isDevelopmentServer());
  let isRandomSecret = false;
  const decisions: Decision[] = [{ name: "environment", value: name, reason }];
  const decide: Decide = (name, value, reason) => void decisions.push({ name, value, reason });
  let packages: readonly string[] = [];
  const logger = {
    error() {},
    warn: (code: string, detail = "") => void warnings.push({ code, detail }),
    debug() {},
  };
  try {
    const { kernel } = boot({
      config: { ...merge(config, changes, { logger }), env },
      environment: { name, reason },
      devSecret() {
        isRandomSecret = true;
        return randomHex(32);
      },
      registered(parts) {
        explainEnvironment(parts, { env, isRandomSecret }, decide);
        explainBoot(parts, decide);
        packages = listNeededPackages(parts);
      },
    });
    const inspection = kernel.inspect();
    return {
      decisions,
      warnings,
      faults: [],
      inspection,
      packages,
      ...listUnread(),
    };
  } catch (error) {
    // Plugins that were not set up yet may read the other variables.
    const { misspelled } = listUnread();
    return {
      decisions,
      warnings,
      faults: listFaults(error),
      inspection: null,
      packages,
      unread: Object.keys(misspelled),
      misspelled,
    };
  }
}

const getParts = (auth: Auth): Parts => (auth as Auth & Bootable)[PARTS]();

/**
 * Boots an Auth apart from its running kernel, with `changes` merged over the configuration. Returns the decisions with
 * their reasons, the warnings and all faults. Runs each plugin's `setup`, but logs and keeps nothing.
 * @throws MissingRequest when the configuration is a function: use `diagnoseRequest`.
 * @example
 * expect(diagnose(auth, { env: { NODE_ENV: "production" } }).faults).toEqual([]);
 */
export function diagnose(auth: Auth, changes: AuthConfig = {}): Diagnosis {
  const parts = getParts(auth);
  return bootApart(parts, parts.getConfig(), changes);
}

/**
 * Does what `diagnose` does for a configuration function, with the configuration that it returns for the request.
 * @throws InvalidConfig when that is not a configuration; also whatever the function throws.
 * @example
 * const request = new Request("https://acme.example.com");
 * expect((await diagnoseRequest(auth, request)).faults).toEqual([]);
 */
export async function diagnoseRequest(
  auth: Auth,
  request: Request,
  changes: AuthConfig = {},
): Promise<Diagnosis> {
  const parts = getParts(auth);
  return bootApart(parts, await parts.loadConfig(request), changes);
}
