import type { RequestSource } from "../../src/kernel.ts";

/** A server function of an Auth that takes a framework's own source as its first argument. */
export type VerbFor<Source, F> = F extends (
  source: RequestSource,
  ...rest: infer Rest
) => infer Result
  ? (source: Source, ...rest: Rest) => Result
  : never;
