import type { AuthContext } from "../../../src/kernel.ts";
import type { Limiter } from "../rate-limit.ts";
import type { Apps } from "./apps.ts";
import type { Grants } from "./grants.ts";

/** What the handlers of one kernel share. */
export interface Parts {
  readonly apps: Apps;
  readonly grants: Grants;
  readonly limiter: Limiter;
  /** Warnings that were already logged. */
  readonly warned: Set<string>;
}

/** The handler of a route. */
export type Run = (parts: Parts, ctx: AuthContext) => Promise<Response>;
