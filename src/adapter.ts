import { AdapterError, MissingAdapterMethods } from "./errors.ts";
import { within } from "./time.ts";
import type { Adapter } from "./types/adapter.ts";
import type { Kernel, LinkRule } from "./types/kernel.ts";

/** Milliseconds that a call of an adapter may take. */
export const ADAPTER_TIMEOUT = 2000;

/** Name of an adapter's method. */
export type AdapterMethod = keyof Adapter;

// A record, so that the compiler sees when one is missing.
const METHODS: Readonly<Record<AdapterMethod, true>> = {
  createAuthenticator: true,
  createSession: true,
  createUser: true,
  createUserWithAccount: true,
  createVerificationToken: true,
  deleteAuthenticator: true,
  deleteSession: true,
  deleteSessionById: true,
  deleteSessionsByUserId: true,
  deleteUser: true,
  extendSession: true,
  getAccount: true,
  getAuthenticator: true,
  getSessionAndUser: true,
  getUser: true,
  getUserByAccount: true,
  getUserByEmail: true,
  linkAccount: true,
  listAccountsByUserId: true,
  listAuthenticatorsByUserId: true,
  listSessionsByUserId: true,
  removeWay: true,
  resetUser: true,
  unlinkAccount: true,
  updateAccount: true,
  updateAuthenticatorCounter: true,
  updateSession: true,
  updateUser: true,
  useAuthenticator: true,
  useVerificationToken: true,
};

/** Names of the methods an adapter has, those it inherits too. */
export function methodsOf(adapter: Adapter): AdapterMethod[] {
  const names = Object.keys(METHODS) as AdapterMethod[];
  return names.filter((name) => typeof adapter[name] === "function");
}

type Call<M extends AdapterMethod> = NonNullable<Adapter[M]>;

/**
 * Calls an adapter's method, bound, so that class instances work as plain objects do.
 * @throws MissingAdapterMethods when the adapter does not have it; AdapterError when it throws, or
 * does not answer in time.
 */
export async function callAdapter<M extends AdapterMethod>(
  adapter: Adapter,
  method: M,
  ...args: Parameters<Call<M>>
): Promise<Awaited<ReturnType<Call<M>>>> {
  const fn = adapter[method] as ((...args: unknown[]) => unknown) | undefined;
  if (typeof fn !== "function") {
    throw new MissingAdapterMethods(`The adapter lacks \`${method}\`, which this needs.`);
  }
  try {
    return (await within(fn.apply(adapter, args), ADAPTER_TIMEOUT)) as Awaited<ReturnType<Call<M>>>;
  } catch (error) {
    throw new AdapterError(`The adapter's \`${method}\` failed.`, {
      cause: { err: error as Error, method },
    });
  }
}

/**
 * For a `ready` tap: makes a fault of what the adapter lacks, if there is an adapter.
 * @throws MissingAdapterMethods naming all of it.
 */
export function needMethods(
  { adapter }: Pick<Kernel, "adapter">,
  what: string,
  methods: readonly AdapterMethod[],
): void {
  if (!adapter) return;
  const missing = methods.filter((method) => typeof adapter[method] !== "function");
  if (!missing.length) return;
  const list = missing.map((method) => `\`${method}\``).join(", ");
  throw new MissingAdapterMethods(
    `The adapter lacks ${list}, needed for ${what}. Take an adapter that has it, or drop what needs it.`,
  );
}

/** What an adapter must have for each way to find a stored user. */
const NEEDS: Readonly<Record<LinkRule, readonly AdapterMethod[]>> = {
  none: [],
  email: ["getUserByEmail", "createUser", "updateUser"],
  account: ["getUserByAccount", "getUserByEmail", "createUser", "linkAccount"],
};

/**
 * For a `ready` tap of a flow: makes a fault of what the adapter lacks for its providers.
 * @throws MissingAdapterMethods
 */
export function needLinking(kernel: Kernel, types: readonly string[]): void {
  for (const { id, type } of kernel.providers.values()) {
    if (!types.includes(type)) continue;
    needMethods(kernel, `signing in with "${id}"`, NEEDS[kernel.flow(type).links ?? "account"]);
  }
}
