import { AdapterError, MissingAdapterMethods } from "./errors.ts";
import { within } from "./time.ts";
import type { Adapter } from "./types/adapter.ts";

type Method = keyof Adapter;
type Call<M extends Method> = NonNullable<Adapter[M]>;

/** Milliseconds that a storage call may take. */
const TIMEOUT = 2000;

/**
 * Calls an adapter's method, bound, so that class instances work as plain objects do.
 * @throws MissingAdapterMethods when the adapter does not have it; AdapterError when it throws, or takes
 * more than two seconds.
 */
export async function callAdapter<M extends Method>(
  adapter: Adapter,
  method: M,
  ...args: Parameters<Call<M>>
): Promise<Awaited<ReturnType<Call<M>>>> {
  const fn = adapter[method] as ((...args: unknown[]) => unknown) | undefined;
  if (typeof fn !== "function") {
    throw new MissingAdapterMethods(`The adapter lacks \`${method}\`, which this sign-in needs.`);
  }
  try {
    return (await within(fn.apply(adapter, args), TIMEOUT)) as Awaited<ReturnType<Call<M>>>;
  } catch (error) {
    throw new AdapterError(`The adapter's \`${method}\` failed.`, {
      cause: { err: error as Error, method },
    });
  }
}
