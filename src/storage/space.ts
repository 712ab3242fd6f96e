import { createHmac, hkdfSha256, toHex } from "../crypto/crypto.ts";
import { CENTURY_S } from "../crypto/sealed.ts";
import { StoreError } from "../errors/errors.ts";
import { andThen } from "../platform/awaitable.ts";
import type { BoundedCache } from "../types/cache.ts";
import type { Logger } from "../types/options.ts";
import type { StoreBackend } from "../types/store.ts";
import type { Tokens } from "../types/token.ts";
import { KEYRING } from "./namespace.ts";
import { openRecord, sealRecord, type StoreSpace, toHashed } from "./record.ts";

/** Returns the space of an application in a backend. */
export type FindSpace = (backend: StoreBackend) => Promise<StoreSpace>;

/** The spaces of an application. */
export interface Spaces {
  readonly find: FindSpace;
  /**
   * Finds the space for records whose absence grants access (`unreadable: "error"`), such as second factors. It does
   * not depend on the secrets, because replacing a secret must not make the records absent. `undefined`: these records
   * are in no space.
   */
  readonly findLasting: FindSpace | undefined;
}

/** The options that decide the space. */
export interface SpaceOptions {
  /** The secrets, the newest first. */
  readonly secret: readonly string[];
  /** Whether the secret is random. The space must then not depend on it, since the records outlive it. */
  readonly randomSecret: boolean;
  /** `storeNamespace` of the configuration. */
  readonly storeNamespace?: string;
  readonly production: boolean;
  readonly tokens: Pick<Tokens, "encode" | "decode">;
  readonly logger: Pick<Required<Logger>, "error" | "warn">;
  /** The most recently used hashes of key parts. */
  readonly hashes?: BoundedCache<string>;
}

const SALT = "keyhook.keyring";
const SPACE_BYTES = 32;
const TAG_LENGTH = 8;
/** Maximum number of pages to search for the keyring of another secret. */
const MAX_PAGES = 20;

/** A space as its keyring contains it. */
interface Root {
  /** The text that the space is derived from. */
  readonly root: string;
  /** When the space was created, in milliseconds since the epoch. Of several spaces, the oldest has the records. */
  readonly at: number;
}

async function derive(text: string, purpose: string): Promise<string> {
  return toHex(await hkdfSha256(text, "keyhook store", purpose, SPACE_BYTES));
}

async function toSpace(root: string, hashes?: BoundedCache<string>): Promise<StoreSpace> {
  const mac = createHmac(await hkdfSha256(root, "keyhook store", "records", SPACE_BYTES));
  const digest = await mac("tag");
  // 41 bits are enough: the parts of a key are hashed in full, and two spaces with the same tag would only be listed
  // together.
  const number = BigInt(`0x${digest}`) % 36n ** BigInt(TAG_LENGTH);
  const tag = number.toString(36).padStart(TAG_LENGTH, "0");
  return {
    tag,
    hash(namespace, at, part) {
      const name = `${tag} ${namespace} ${at} ${part}`;
      const known = hashes?.get(name);
      if (known !== undefined) return known;
      return andThen(mac(toHashed(namespace, at, part)), (hash) => {
        hashes?.set(name, hash);
        return hash;
      });
    },
  };
}

/**
 * Creates the functions that find the spaces of an application: by its `storeNamespace`, or by the keyring with any of
 * its secrets, so that the space stays the same while secrets rotate. It is looked up once per backend. Each listed
 * secret without a record gets one. A new application's space is derived from its last secret.
 */
export function createSpaces(options: SpaceOptions): Spaces {
  const { secret: secrets, tokens, production, logger, hashes } = options;

  const getKeyringKey = async (secret: string) => `${KEYRING}.${await derive(secret, "keyring")}`;

  const seal = async (secret: string, { root, at }: Root) => {
    const token = { root, at };
    const sealed = await tokens.encode({ token, secret, salt: SALT, maxAge: CENTURY_S });
    return sealRecord({ sealed });
  };

  // If an unreadable record counted as absent, the application would start empty.
  const open = async (secret: string, raw: string | null): Promise<Root | undefined> => {
    if (raw === null) return undefined;
    const opened = openRecord(raw);
    const { sealed } = (opened.kind === "value" ? opened.value : {}) as { sealed?: string };
    try {
      const claims = await tokens.decode({ token: sealed, secret, salt: SALT });
      const { root, at } = claims ?? {};
      if (typeof root === "string" && typeof at === "number") return { root, at };
    } catch {
      // Reported below.
    }
    throw new StoreError(
      "The record of a secret in the keyring of the store cannot be read. Restore it from a backup, or set " +
        "`storeNamespace`.",
    );
  };

  const readAll = async (backend: StoreBackend) =>
    Promise.all(
      secrets.map(async (secret) => {
        const key = await getKeyringKey(secret);
        return { secret, key, found: await open(secret, await backend.get(key)) };
      }),
    );

  const hasOthers = async (backend: StoreBackend): Promise<boolean> => {
    let cursor: string | undefined;
    for (let count = 0; count < MAX_PAGES; count++) {
      const page = { limit: 1, ...(cursor !== undefined && { cursor }) };
      const { keys, cursor: next } = await backend.scan(`${KEYRING}.`, page);
      if (keys.length) return true;
      if (next === undefined) return false;
      cursor = next;
    }
    return false;
  };

  const warnIfReplaced = async (backend: StoreBackend): Promise<void> => {
    // A backend that cannot list reports that where it matters.
    if (!production || !(await hasOthers(backend).catch(() => false))) return;
    logger.warn(
      "store-empty",
      "The store has records, but none under this application's secret: it starts without users. If the secret was " +
        "replaced, add the old one after it in `secret`. Applications with the same `storeNamespace` share records.",
    );
  };

  // If several processes begin concurrently, one of them decides. A store with eventual consistency may not show the
  // record yet, but all processes derive the same space.
  const create = async (backend: StoreBackend): Promise<Root> => {
    const secret = secrets.at(-1) ?? "";
    const root = { root: await derive(secret, "root"), at: Date.now() };
    await warnIfReplaced(backend);
    await backend.putIfAbsent(await getKeyringKey(secret), await seal(secret, root));
    return root;
  };

  // Makes every secret lead to the oldest of their spaces, which has the records.
  const complete = async (backend: StoreBackend, entries: Awaited<ReturnType<typeof readAll>>) => {
    const known = entries.flatMap(({ found }) => found ?? []);
    const [oldest] = known.toSorted((one, other) => one.at - other.at);
    if (!oldest) return undefined;
    const missing = entries.filter(({ found }) => found?.root !== oldest.root);
    try {
      for (const { secret, key } of missing) await backend.put(key, await seal(secret, oldest));
    } catch (error) {
      // The space is known, and a store that refuses writes must not end sessions. The next look-up tries again.
      logger.error(new StoreError("The keyring of the store is incomplete.", { cause: error }));
      spaces.delete(backend);
    }
    return oldest;
  };

  const find = async (backend: StoreBackend): Promise<StoreSpace> => {
    const { storeNamespace, randomSecret } = options;
    if (storeNamespace !== undefined)
      return toSpace(await derive(storeNamespace, "namespace"), hashes);
    if (randomSecret) return toSpace(await derive("development", "development"), hashes);
    const found = await complete(backend, await readAll(backend));
    if (found) return toSpace(found.root, hashes);
    const created = await create(backend);
    const kept = await complete(backend, await readAll(backend));
    return toSpace((kept ?? created).root, hashes);
  };

  const spaces = new WeakMap<StoreBackend, Promise<StoreSpace>>();
  const findOnce: FindSpace = (backend) => {
    const known = spaces.get(backend);
    if (known) return known;
    const space = find(backend);
    spaces.set(backend, space);
    space.catch(() => spaces.delete(backend));
    return space;
  };
  return {
    find: findOnce,
    findLasting: options.storeNamespace === undefined ? undefined : findOnce,
  };
}
