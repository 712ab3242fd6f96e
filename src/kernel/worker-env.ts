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

/**
 * Loads the variables of a Cloudflare Worker, and returns what reads them: `undefined` elsewhere, and before they are
 * loaded, which is before the first request where an Auth is created beside the handler.
 */
export function loadWorkerEnv(): () => Env | undefined {
  let env: Env | undefined;
  const load = async (): Promise<void> => {
    const module = (await import(/* @vite-ignore */ MODULE)) as { env?: object };
    env = module.env && toVariables(module.env);
  };
  if (isWorker()) load().catch(() => undefined);
  return () => env;
}
