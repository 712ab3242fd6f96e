import { sha256Base64url } from "../../../src/index.ts";
import type { Kernel, Store, StoreEntry, StoreKey } from "../../../src/index.ts";
import type { Packed } from "./packed.ts";

/**
 * A person. The record decides what counts: addresses, accounts, passkeys and sessions point to it,
 * and are nothing without it. Written last, removed first.
 */
export interface UserRecord {
  /** Grows with every write, so that no two texts of a person's record are equal. */
  readonly rev: number;
  /** Sessions of another epoch have ended. */
  readonly epoch: number;
  /** Accounts and passkeys of another generation are not theirs any more. */
  readonly generation: number;
  /** Being deleted; or, without `user`, never to be. */
  readonly gone?: true;
  /** Accounts and passkeys that are being removed. */
  readonly leaving?: readonly Leaving[];
  readonly user?: Packed;
}

/** A possession on its way out. */
export interface Leaving {
  readonly place: "accounts" | "passkeys";
  readonly key: Listing;
  /** When it was claimed: what has been claimed since is another one. */
  readonly at: number;
}

/** Anything that is somebody's. */
export interface Owned {
  readonly userId: string;
}

/** Somebody's hold on what only one person can have. */
export interface Claim extends Owned {
  /** When it was made: a young one may belong to a write that is still under way. */
  readonly at: number;
}

/** An address. `nonce` makes each hold another one, also of the same person. */
export interface EmailClaim extends Claim {
  readonly nonce: string;
}

/** An account or a passkey. */
export interface Possession extends Claim {
  readonly generation: number;
  readonly what: Packed;
}

/** A session under the hash of its token. */
export interface SessionRecord extends Owned {
  readonly epoch: number;
  /** When it began, in milliseconds since the epoch; not known of those kept before it was noted. */
  readonly began?: number;
  /** Until when the person's list of sessions knows it. */
  readonly listed: number;
  readonly what: Packed;
}

/** A pending one-time token, under address and hash. */
export interface TokenRecord {
  readonly hash: string;
  readonly what: Packed;
}

/** Parts of a possession's key, or the hash of a session's token: what a person has. */
export type Listing = readonly [string] | readonly [string, string];

/** Where things lie, and the lists of who has which. */
export interface Place<T extends Owned> {
  readonly shelf: Store<T>;
  readonly list: Store<Listing>;
}

/** The shelves of the adapter. */
export interface Shelves {
  readonly users: Store<UserRecord>;
  readonly emails: Store<EmailClaim>;
  readonly tokens: Store<TokenRecord>;
  readonly accounts: Place<Possession>;
  readonly passkeys: Place<Possession>;
  readonly sessions: Place<SessionRecord>;
}

/** What a record is made of: enough that nothing else is taken for one. */
type Shape = Readonly<Record<string, "string" | "number" | "object">>;

const USER: Shape = { rev: "number", epoch: "number", generation: "number" };
const EMAIL: Shape = { userId: "string", at: "number" };
const TOKEN: Shape = { hash: "string", what: "object" };
const POSSESSION: Shape = { userId: "string", generation: "number", what: "object" };
const SESSION: Shape = { userId: "string", epoch: "number", what: "object" };
const LISTING: Shape = { 0: "string" };

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

function fits(value: unknown, shape: Shape): boolean {
  if (!isObject(value)) return false;
  const packed = [value.what, value.user].filter((one) => one !== undefined);
  return (
    Object.entries(shape).every(([name, type]) => typeof value[name] === type) &&
    packed.every((one) => isObject(one) && isObject(one.data))
  );
}

/** Takes the shelves. */
export function takeShelves(kernel: Pick<Kernel, "store">): Shelves {
  const shelf = <T>(name: string, shape: Shape) =>
    kernel.store<T>(`adapter-${name}`, {
      atomic: true,
      durable: true,
      isSound: (value) => fits(value, shape),
    });
  const place = <T extends Owned>(name: string, shape: Shape): Place<T> => ({
    shelf: shelf(name, shape),
    list: shelf(`${name}s-of`, LISTING),
  });
  return {
    users: shelf("user", USER),
    emails: shelf("email", EMAIL),
    tokens: shelf("token", TOKEN),
    accounts: place("account", POSSESSION),
    passkeys: place("passkey", POSSESSION),
    sessions: place("session", SESSION),
  };
}

/** A person's record as it can be used: neither absent nor on its way out. */
export function isLive(
  record: UserRecord | undefined,
): record is UserRecord & { readonly user: Packed } {
  return record?.user !== undefined && !record.gone;
}

/** A bearer value as it is kept. In quotes, since halves of surrogate pairs are all one in UTF-8. */
export async function hashOf(token: string): Promise<string> {
  return sha256Base64url(JSON.stringify(token));
}

/** All of a scan. */
export async function collect<T>(found: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of found) all.push(one);
  return all;
}

/** Removes the very record that was read, and its text: whoever has written since keeps theirs. */
export async function vacate<T>(
  shelf: Store<T>,
  key: StoreKey,
  entry: StoreEntry<T>,
): Promise<boolean> {
  // It is over at once: nobody reads what stands there.
  return shelf.compareAndSet(key, entry, null as T, { ttl: 0 });
}

const ATTEMPTS = 50;

/** Tries until the answer is something; each failure means that somebody else got on meanwhile. */
export async function persist<T>(attempt: () => Promise<T | undefined>): Promise<T> {
  for (let count = 0; count < ATTEMPTS; count++) {
    const answer = await attempt();
    if (answer !== undefined) return answer;
  }
  throw new Error("Others kept changing the record.");
}
