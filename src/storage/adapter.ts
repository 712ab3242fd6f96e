import { AdapterError, BadRequest, MissingAdapterMethods } from "../errors/errors.ts";
import { withoutArguments } from "../errors/redact-error.ts";
import { andThen, isPromise, orElse } from "../platform/awaitable.ts";
import { quoteNames } from "../platform/quote-names.ts";
import { isStorable } from "../platform/storable.ts";
import { withTimeout } from "../platform/timeout.ts";
import { wrapMethods } from "../platform/wrap-methods.ts";
import type { Adapter, AdapterAccount, AdapterUser } from "../types/adapter.ts";
import type { Kernel } from "../types/kernel.ts";
import type { Awaitable } from "../types/models.ts";
import { hasKey } from "./returned-row.ts";

const TIMEOUT_MS = 2000;
const TIMEOUT = Symbol("timeout");

/** An adapter with the time limit of its calls in milliseconds. */
interface LimitedAdapter extends Adapter {
  readonly [TIMEOUT]?: number;
}

/** Name of an adapter method. */
export type AdapterMethod = keyof Adapter;

// A record, so that the compiler reports a missing name.
const METHODS: Readonly<Record<AdapterMethod, true>> = {
  createAuthenticator: true,
  createSession: true,
  createUser: true,
  createUserWithAccount: true,
  createVerificationToken: true,
  deleteAuthenticator: true,
  deleteOtherSessions: true,
  deleteSession: true,
  deleteSessionById: true,
  deleteSessionsByUserId: true,
  deleteUser: true,
  extendSession: true,
  getAccount: true,
  getAuthenticator: true,
  getSessionAndUser: true,
  getSessionStart: true,
  getUser: true,
  getUserByAccount: true,
  getUserByEmail: true,
  limitSessions: true,
  linkAccount: true,
  listAccountsByUserId: true,
  listAuthenticatorsByUserId: true,
  listSessionsByUserId: true,
  removeSignInMethod: true,
  revokeUserAccess: true,
  unlinkAccount: true,
  updateAccount: true,
  updateAuthenticatorCounter: true,
  updateSession: true,
  updateUser: true,
  recordAuthenticatorUse: true,
  useVerificationToken: true,
};

/** Returns the names of the methods that an adapter has, inherited ones included. */
export function listAdapterMethods(adapter: Adapter): AdapterMethod[] {
  const names = Object.keys(METHODS) as AdapterMethod[];
  return names.filter((name) => typeof adapter[name] === "function");
}

/**
 * Returns the adapter, with all its members, and with a time limit in milliseconds for each call by `callAdapterDirect`. The
 * given adapter is unchanged.
 */
export function limitCalls(adapter: Adapter, milliseconds: number): Adapter {
  if (milliseconds === TIMEOUT_MS) return adapter;
  const limited = wrapMethods(adapter, (_name, _args, call) => call(), listAdapterMethods(adapter));
  return Object.assign(limited, { [TIMEOUT]: milliseconds });
}

type AdapterFunction<M extends AdapterMethod> = NonNullable<Adapter[M]>;

type Returned<M extends AdapterMethod> = Awaited<ReturnType<AdapterFunction<M>>>;

/**
 * Calls a method of an adapter like `callAdapter`, but returns a value if the adapter is synchronous. A method that
 * throws results in a rejection.
 * @throws as `callAdapter`.
 */
export function callAdapterDirect<M extends AdapterMethod>(
  adapter: Adapter,
  method: M,
  ...args: Parameters<AdapterFunction<M>>
): Awaitable<Returned<M>> {
  const fn = adapter[method] as ((...args: unknown[]) => Awaitable<Returned<M>>) | undefined;
  if (typeof fn !== "function") {
    throw new MissingAdapterMethods(
      `The adapter has no method \`${method}\`, which this operation requires. Use an adapter that has it.`,
    );
  }
  if (!args.every((value) => isStorable(value))) {
    throw new BadRequest(
      `A string for the adapter's \`${method}\` contains NUL or a lone surrogate.`,
    );
  }
  const { [TIMEOUT]: timeout = TIMEOUT_MS } = adapter as LimitedAdapter;
  const explain = () => new Error(`No result within ${timeout} ms (\`storageTimeout\`).`);
  const returned = orElse(
    () => {
      const result = fn.apply(adapter, args);
      return isPromise(result) ? withTimeout(result, timeout, explain) : result;
    },
    async (error) => {
      throw new AdapterError(`The adapter's \`${method}\` failed.`, {
        cause: { err: withoutArguments(error, args), method },
      });
    },
  );
  return andThen(returned, (row) => {
    if (hasKey(method, row, args)) return row;
    throw new AdapterError(
      `The adapter's \`${method}\` returned a row with a different key than requested: the database compares ` +
        "loosely (case, accents, width or trailing spaces). Give the columns of addresses, ids and tokens a binary " +
        "collation.",
      { cause: { method } },
    );
  });
}

/**
 * Calls a method of an adapter with `this` bound, so that class instances work like plain objects, and resolves to what
 * the method returns.
 * @throws MissingAdapterMethods when the adapter does not have the method; BadRequest for a text that no database can
 * store, which would otherwise look like a database failure; AdapterError when the method throws, takes longer than
 * `storageTimeout`, or returns a row with another key than it was called with.
 * @example const user = await callAdapter(adapter, "getUserByEmail", email);
 */
export async function callAdapter<M extends AdapterMethod>(
  adapter: Adapter,
  method: M,
  ...args: Parameters<AdapterFunction<M>>
): Promise<Returned<M>> {
  return callAdapterDirect(adapter, method, ...args);
}

/**
 * Resolves to the user who owns an account, or to `null`. A user's row does not contain the account, so if the adapter
 * can also return that (`getAccount`), the two are compared. Both look-ups run concurrently.
 * @throws as `callAdapter`.
 */
export async function findUserByAccount(
  adapter: Adapter,
  { provider, providerAccountId }: Pick<AdapterAccount, "provider" | "providerAccountId">,
): Promise<AdapterUser | null> {
  const key = { provider, providerAccountId };
  if (!adapter.getAccount) return (await callAdapter(adapter, "getUserByAccount", key)) ?? null;
  const [user, account] = await Promise.all([
    callAdapter(adapter, "getUserByAccount", key),
    callAdapter(adapter, "getAccount", providerAccountId, provider),
  ]);
  return user && account && String(account.userId) === String(user.id) ? user : null;
}

/**
 * Checks in a tap of `ready` that the adapter, if there is one, has the methods that `what` requires.
 * @throws MissingAdapterMethods that names all missing methods.
 */
export function requireMethods(
  { adapter }: Pick<Kernel, "adapter">,
  what: string,
  methods: readonly AdapterMethod[],
): void {
  if (!adapter) return;
  const missing = methods.filter((method) => typeof adapter[method] !== "function");
  if (!missing.length) return;
  throw new MissingAdapterMethods(
    `The adapter has no ${quoteNames(missing)}, required for ${what}. Use an adapter that has it, or drop the feature.`,
  );
}
