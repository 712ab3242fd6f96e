import { isWorker } from "../platform/worker.ts";
import type { Env } from "../types/options.ts";

// Not a literal: bundlers look for the module of an import that they can read.
const MODULE: string = "cloudflare:workers";

const PLAIN = ["string", "number", "boolean"];

// Others are databases, queues and the like.
function toVariables(bindings: object): Env {
  return Object.fromEntries(
    Object.entries(bindings)
      .filter(([, value]) => PLAIN.includes(typeof value))
      .map(([name, value]) => [name, String(value)]),
  );
}

/** The variables of a Cloudflare Worker. */
export interface WorkerEnv {
  /** Ends when the variables are loaded; `undefined` from then on, and elsewhere. */
  readonly loading: Promise<void> | undefined;
  /** Returns the variables; `undefined` elsewhere, and before they are loaded. */
  read(): Env | undefined;
}

/**
 * Loads the variables of a Cloudflare Worker. They are there before the first request where an Auth is created beside the
 * handler; one that a request creates waits for them.
 */
export function loadWorkerEnv(): WorkerEnv {
  let env: Env | undefined;
  let loading: Promise<void> | undefined;
  const load = async (): Promise<void> => {
    try {
      const module = (await import(/* @vite-ignore */ MODULE)) as { env?: object };
      env = module.env && toVariables(module.env);
    } catch {
      // An old runtime has no such module: the variables are passed as `env`.
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
