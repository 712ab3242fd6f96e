import { createKeyedQueue, sha256Base64url, toDirect } from "../../../src/_kit.ts";
import type { Awaitable, DirectStore, Kernel } from "../../../src/kernel.ts";
import { isPacked, type Packed } from "./dated-json.ts";

/**
 * A user record. It alone decides which of the user's other records count: addresses, accounts, passkeys and sessions
 * refer to it and are void without it. It is written last, and deleted first (as a tombstone).
 */
export interface UserRecord {
  /** Incremented by every write, so that no two versions of a user record have the same text. */
  readonly rev: number;
  /** Sessions of another epoch are revoked. */
  readonly epoch: number;
  /** Hash of the token of a session that counts whatever its epoch, because it ended all others. */
  readonly spared?: string | undefined;
  /** Accounts and passkeys of another generation are revoked. */
  readonly generation: number;
  /** Tombstone. The user is being deleted or, without `user`, must never be created. */
  readonly gone?: true;
  /** Accounts and passkeys whose removal this record has decided and which are not yet removed. */
  readonly pendingRemovals?: readonly PendingRemoval[];
  readonly user?: Packed;
}

/** An account or passkey that is being removed. */
export interface PendingRemoval {
  readonly place: "accounts" | "passkeys";
  readonly key: IndexKey;
  /** `at` of its claim. A record that was claimed later is a different one and stays. */
  readonly at: number;
}

/** A record that belongs to a user. */
export interface Owned {
  readonly userId: string;
}

/** A user's claim of something that only one user can have. */
export interface Claim extends Owned {
  /** When the claim was made, in milliseconds since the epoch. A recent claim may belong to a write in progress. */
  readonly at: number;
}

/** The claim of an address. `nonce` distinguishes two claims of the same user. */
export interface EmailClaim extends Claim {
  readonly nonce: string;
}

/** An account or a passkey. */
export interface OwnedRecord extends Claim {
  readonly generation: number;
  readonly what: Packed;
  /** The tokens of an account, sealed. */
  readonly sealed?: string;
}

/** A session, stored under the hash of its token. */
export interface SessionRecord extends Owned {
  readonly epoch: number;
  /** When the session began, in milliseconds since the epoch. Absent in records of older versions. */
  readonly began?: number;
  /** The description by which its user recognizes the session. Absent if unknown, and in records of older versions. */
  readonly description?: string;
  readonly what: Packed;
}

/**
 * A session in its user's list: hash of the token; when it began; until when it lasts at least; epoch. Times are in
 * milliseconds since the epoch. An extension changes only the session's own record, so the session may last longer.
 */
export type ListedEntry = readonly [hash: string, began: number, until: number, epoch: number];

/**
 * The sessions of a user, newest last. They are in one record, because reading and writing a list of bounded length is
 * faster than collecting it.
 */
export interface SessionList {
  readonly sessions: readonly ListedEntry[];
}

/** A pending one-time token, stored under its address and its hash. */
export interface TokenRecord {
  readonly hash: string;
  readonly what: Packed;
}

/** An index entry: the key of an account or passkey. */
export type IndexKey = readonly [string] | readonly [string, string];

/** Records of one kind, with an index of them by user. */
export interface OwnedStore<T extends Owned> {
  readonly records: DirectStore<T>;
  readonly index: DirectStore<IndexKey>;
}

/** The stores of the adapter, each with its own namespace. */
export interface AdapterStores {
  readonly users: DirectStore<UserRecord>;
  readonly emails: DirectStore<EmailClaim>;
  readonly tokens: DirectStore<TokenRecord>;
  readonly accounts: OwnedStore<OwnedRecord>;
  readonly passkeys: OwnedStore<OwnedRecord>;
  readonly sessions: {
    readonly records: DirectStore<SessionRecord>;
    readonly lists: DirectStore<SessionList>;
    /** Runs changes of a user's list, one at a time in this process, so that they never conflict. */
    inTurn<T>(userId: string, work: () => Promise<T>): Promise<T>;
  };
}

/** Members and types that a record must have, so that no unrelated value is read as a record. */
type Shape = Readonly<Record<string, "string" | "number" | "object">>;

const USER: Shape = { rev: "number", epoch: "number", generation: "number" };
const EMAIL: Shape = { userId: "string", at: "number" };
const TOKEN: Shape = { hash: "string", what: "object" };
const OWNED_RECORD: Shape = { userId: "string", generation: "number", what: "object" };
const SESSION: Shape = { userId: "string", epoch: "number", what: "object" };
const INDEX_ENTRY: Shape = { 0: "string" };

// An index entry is a list.
const isObjectOrList = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null;

const isListedEntry = (value: unknown): boolean =>
  Array.isArray(value) &&
  typeof value[0] === "string" &&
  typeof value[1] === "number" &&
  typeof value[2] === "number" &&
  typeof value[3] === "number";

const isSessionList = (value: unknown): boolean =>
  isObjectOrList(value) && Array.isArray(value.sessions) && value.sessions.every(isListedEntry);

function fits(value: unknown, shape: Shape): boolean {
  if (!isObjectOrList(value)) return false;
  const { what, user, description = "" } = value;
  return (
    Object.keys(shape).every((name) => typeof value[name] === shape[name]) &&
    typeof description === "string" &&
    (what === undefined || isPacked(what)) &&
    (user === undefined || isPacked(user))
  );
}

/** Opens the adapter's stores. */
export function openStores(kernel: Pick<Kernel, "store">): AdapterStores {
  const openStore = <T>(name: string, validate: (value: unknown) => boolean) =>
    toDirect(kernel.store<T>(`adapter-${name}`, { atomic: true, durable: true, validate }));
  const store = <T>(name: string, shape: Shape) =>
    openStore<T>(name, (value) => fits(value, shape));
  const openOwned = <T extends Owned>(name: string, shape: Shape): OwnedStore<T> => ({
    records: store(name, shape),
    index: store(`${name}s-of`, INDEX_ENTRY),
  });
  return {
    users: store("user", USER),
    emails: store("email", EMAIL),
    tokens: store("token", TOKEN),
    accounts: openOwned("account", OWNED_RECORD),
    passkeys: openOwned("passkey", OWNED_RECORD),
    sessions: {
      records: store("session", SESSION),
      lists: openStore("sessions-of", isSessionList),
      inTurn: createKeyedQueue(),
    },
  };
}

/** Returns whether a user record is present and not a tombstone. */
export function isLive(
  record: UserRecord | undefined,
): record is UserRecord & { readonly user: Packed } {
  return record?.user !== undefined && !record.gone;
}

/** Returns whether a session of an epoch still counts for its user. */
export function isSessionValid(
  owner: Pick<UserRecord, "epoch" | "spared">,
  hash: string,
  epoch: number,
): boolean {
  return owner.epoch === epoch || owner.spared === hash;
}

/**
 * Hashes a bearer token (SHA-256, base64url) for storage. It hashes the JSON text, which escapes lone surrogates. UTF-8
 * would encode all of them alike.
 */
export function hashToken(token: string): Awaitable<string> {
  return sha256Base64url(JSON.stringify(token));
}

/** Collects all values of a scan. */
export async function collect<T>(found: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = [];
  for await (const one of found) all.push(one);
  return all;
}
