import { nameType } from "../../src/_kit.ts";
import { InvalidConfig } from "../../src/errors.ts";

/** What a store requires as its argument. */
export interface ClientRequirement {
  /** The function that creates the store. */
  readonly store: string;
  /** What the function accepts, and the code that passes it. */
  readonly fix: string;
}

/** Returns the error for a value that a store does not accept. */
export function refuseClient(
  given: unknown,
  { store, fix }: ClientRequirement,
  lacks?: string,
): InvalidConfig {
  const type = nameType(given);
  const without = type === "an object" && lacks !== undefined ? ` without \`${lacks}\`` : "";
  return new InvalidConfig(`${store}() received ${type}${without}. Pass ${fix}.`);
}

/**
 * Returns a client that has the methods which a store calls.
 * @throws InvalidConfig for another value. Otherwise only the first request would fail.
 */
export function expectClient<T extends object>(
  given: T,
  methods: readonly (keyof T & string)[],
  requirement: ClientRequirement,
): T {
  const client = (given ?? {}) as Record<string, unknown>;
  // Every function has inherited methods such as `call`, which are not a client's.
  const inherited = Function.prototype as unknown as Record<string, unknown>;
  const missing = methods.find(
    (name) => typeof client[name] !== "function" || client[name] === inherited[name],
  );
  if (missing === undefined) return given;
  throw refuseClient(given, requirement, missing);
}
