import { isWorker } from "../platform/worker.ts";
import type { Env } from "../types/options.ts";

// Not a literal, because bundlers would try to resolve the module.
const MODULE: string = "cloudflare:workers";

const PLAIN = ["string", "number", "boolean"];

// Other bindings are databases, queues and the like.
function toVariables(bindings: object): Env {
  return Object.fromEntries(
    Object.entries(bindings)
      .filter(([, value]) => PLAIN.includes(typeof value))
      .map(([name, value]) => [name, String(value)]),
  );
}

/** The variables of a Cloudflare Worker. */
export interface WorkerEnv {
  /** Resolves when the variables are loaded. `undefined` afterwards, and on other platforms. */
  readonly loading: Promise<void> | undefined;
  /** Returns the variables; `undefined` before they are loaded, and on other platforms. */
  read(): Env | undefined;
}

/**
 * Loads the variables of a Cloudflare Worker. If an Auth is created when the Worker's module is loaded, they are loaded
 * before the first request. An Auth that is created during a request waits for them.
 */
export function loadWorkerEnv(): WorkerEnv {
  let env: Env | undefined;
  let loading: Promise<void> | undefined;
  const load = async (): Promise<void> => {
    try {
      const module = (await import(/* @vite-ignore */ MODULE)) as { env?: object };
      env = module.env && toVariables(module.env);
    } catch {
      // Old runtimes have no such module; the variables are then passed as `env`.
    }
    loading = undefined;
  };
  if (isWorker()) loading = load();
  return {
    get loading() {
      return loading;
    },
    read: () => env,
  };
}
