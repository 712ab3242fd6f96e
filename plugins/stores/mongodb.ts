import { retryOnConflict } from "../../src/_kit.ts";
import {
  definePlugin,
  defineStore,
  type StoreBackend,
  type StorePlugin,
} from "../../src/kernel.ts";
import { expectClient, type ClientRequirement } from "./_client.ts";
import { parseCounter } from "./_packed.ts";

interface MongoRow {
  readonly _id: unknown;
  readonly v?: unknown;
}

/** The part of a `Collection` of the mongodb driver (version 6 or later) that the store uses. */
export interface MongoCollection {
  createIndex(keys: Record<string, 1>, options: object): Promise<unknown>;
  findOne(filter: object): Promise<MongoRow | null>;
  find(filter: object): {
    sort(order: Record<string, 1>): { limit(count: number): { toArray(): Promise<MongoRow[]> } };
  };
  updateOne(
    filter: object,
    update: object,
    options?: object,
  ): Promise<{ matchedCount: number; upsertedCount: number }>;
  findOneAndUpdate(filter: object, update: object[], options: object): Promise<MongoRow | null>;
  findOneAndDelete(filter: object): Promise<MongoRow | null>;
}

const REQUIREMENT: ClientRequirement = {
  store: "mongodbStore",
  fix: 'a collection: mongodbStore(client.db("app").collection("auth"))',
};

const DUPLICATE_KEY_CODE = 11_000;
/** The TTL index deletes documents by the server's clock, which may be ahead of this process's. */
const TTL_MARGIN_MS = 600_000;

/**
 * Creates a backend in a MongoDB collection. The key is `_id`, which the server keeps unique. Each write changes one
 * document and is therefore atomic.
 */
export function mongodbBackend(collection: MongoCollection): StoreBackend {
  let ready: Promise<unknown> | undefined;
  const index = () =>
    (ready ??= collection
      .createIndex({ x: 1 }, { expireAfterSeconds: 0, name: "keyhook_expiry" })
      .catch((error: unknown) => {
        ready = undefined;
        throw error;
      }));
  const live = () => ({ $or: [{ e: null }, { e: { $gt: Date.now() } }] });
  // `key` is written too, because unstorage looks records up by it, and its collection may have a unique index on it.
  const fields = (key: string, value: string, expires: number | undefined) => ({
    $set: {
      ...{ key, v: value, e: expires ?? null },
      x: expires === undefined ? null : new Date(expires + TTL_MARGIN_MS),
    },
  });
  const toText = (row: MongoRow | null) => (row ? String(row.v) : null);

  const get = async (key: string) => toText(await collection.findOne({ _id: key, ...live() }));

  const putIfAbsent = async (key: string, value: string, expires?: number): Promise<boolean> => {
    await index();
    try {
      // An expired record is replaced. A live one does not match, and inserting its `_id` again
      // fails.
      const expired = { _id: key, e: { $lte: Date.now() } };
      await collection.updateOne(expired, fields(key, value, expires), { upsert: true });
      return true;
    } catch (error) {
      if ((error as { code?: unknown }).code === DUPLICATE_KEY_CODE) return false;
      throw error;
    }
  };

  return {
    name: "mongodb",
    guarantees: { scope: "global", consistency: "strong", ttl: "native", durable: true },
    atomic: true,
    get,
    async put(key, value, expires) {
      await index();
      const put = () =>
        collection.updateOne({ _id: key }, fields(key, value, expires), { upsert: true });
      await put().catch((error: unknown) => {
        // The second of two concurrent upserts has failed. When it is repeated, it finds the document.
        if ((error as { code?: unknown }).code === DUPLICATE_KEY_CODE) return put();
        throw error;
      });
    },
    putIfAbsent,
    take: async (key) => toText(await collection.findOneAndDelete({ _id: key, ...live() })),
    async compareAndSet(key, expected, value, expires) {
      const filter = { _id: key, v: expected, ...live() };
      return (await collection.updateOne(filter, fields(key, value, expires))).matchedCount > 0;
    },
    increment: (key, by, expires) =>
      retryOnConflict(async () => {
        const sum = { $toString: { $add: [{ $toLong: "$v" }, by] } };
        const row = await collection.findOneAndUpdate(
          { _id: key, v: /^-?\d{1,16}$/, ...live() },
          [{ $set: { v: sum } }],
          { returnDocument: "after" },
        );
        if (row) return parseCounter(toText(row));
        if (await putIfAbsent(key, String(by), expires)) return by;
        parseCounter(await get(key));
        return undefined;
      }),
    async delete(key) {
      return (await collection.findOneAndDelete({ _id: key, ...live() })) !== null;
    },
    async scan(prefix, { limit, cursor = prefix }) {
      const range = { $gt: cursor, $lt: `${prefix.slice(0, -1)}/` };
      const rows = await collection
        .find({ _id: range, ...live() })
        .sort({ _id: 1 })
        .limit(limit + 1)
        .toArray();
      const keys = rows.slice(0, limit).map(({ _id }) => String(_id));
      const last = keys.at(-1);
      return { keys, ...(last !== undefined && rows.length > limit && { cursor: last }) };
    },
  };
}

/**
 * Stores records in a MongoDB collection. With a replica set, use `readConcern` and `writeConcern` `majority`:
 * otherwise a failover loses acknowledged writes.
 * @throws InvalidConfig for a value that is not a collection, such as a client or a database.
 * @example createAuth().use(mongodbStore(client.db("app").collection("auth")))
 */
export const mongodbStore: (collection: MongoCollection) => StorePlugin = definePlugin(
  function mongodbStore(collection): StorePlugin {
    const backend = mongodbBackend(expectClient(collection, ["findOneAndDelete"], REQUIREMENT));
    return defineStore(backend);
  },
);

export default mongodbStore;
