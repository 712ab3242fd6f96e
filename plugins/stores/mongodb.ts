import { defineStore, type StoreBackend, type StorePlugin } from "../../src/index.ts";
import { counted } from "./packed.ts";

interface Row {
  readonly _id: unknown;
  readonly v?: unknown;
}

/** What is used of a collection of the mongodb driver, version 6 or later. */
export interface MongoCollection {
  createIndex(keys: Record<string, 1>, options: object): Promise<unknown>;
  findOne(filter: object): Promise<Row | null>;
  find(filter: object): {
    sort(order: Record<string, 1>): { limit(count: number): { toArray(): Promise<Row[]> } };
  };
  updateOne(
    filter: object,
    update: object,
    options?: object,
  ): Promise<{ matchedCount: number; upsertedCount: number }>;
  findOneAndUpdate(filter: object, update: object[], options: object): Promise<Row | null>;
  findOneAndDelete(filter: object): Promise<Row | null>;
}

const DUPLICATE = 11_000;
/** The server clears away by its own clock, which may be ahead of ours. */
const LATE = 600_000;
const ATTEMPTS = 100;

/**
 * Records in a collection of MongoDB: the key is `_id`, so that the server itself keeps it unique. Each
 * operation is one document's, hence atomic.
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
  // `key` too, since that is what unstorage looks for, and may be unique in its collection.
  const fields = (key: string, value: string, expires: number | undefined) => ({
    $set: {
      ...{ key, v: value, e: expires ?? null },
      x: expires === undefined ? null : new Date(expires + LATE),
    },
  });
  const textOf = (row: Row | null) => (row ? String(row.v) : null);

  const get = async (key: string) => textOf(await collection.findOne({ _id: key, ...live() }));

  const putIfAbsent = async (key: string, value: string, expires?: number): Promise<boolean> => {
    await index();
    try {
      // A record that is over is replaced; one that is not does not match, and cannot be inserted.
      const over = { _id: key, e: { $lte: Date.now() } };
      await collection.updateOne(over, fields(key, value, expires), { upsert: true });
      return true;
    } catch (error) {
      if ((error as { code?: unknown }).code === DUPLICATE) return false;
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
        // Two upserts at once: the one that comes second finds the document now.
        if ((error as { code?: unknown }).code === DUPLICATE) return put();
        throw error;
      });
    },
    putIfAbsent,
    take: async (key) => textOf(await collection.findOneAndDelete({ _id: key, ...live() })),
    async compareAndSet(key, expected, value, expires) {
      const filter = { _id: key, v: expected, ...live() };
      return (await collection.updateOne(filter, fields(key, value, expires))).matchedCount > 0;
    },
    async increment(key, by, expires) {
      const sum = { $toString: { $add: [{ $toLong: "$v" }, by] } };
      for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
        const row = await collection.findOneAndUpdate(
          { _id: key, v: /^-?\d{1,16}$/, ...live() },
          [{ $set: { v: sum } }],
          { returnDocument: "after" },
        );
        if (row) return counted(textOf(row));
        if (await putIfAbsent(key, String(by), expires)) return by;
        counted(await get(key));
      }
      throw new Error("A record changes too often.");
    },
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
 * Keeps records in a collection of MongoDB. Of a replica set, read and write the majority
 * (`readConcern` and `writeConcern`), or a failover forgets what was acknowledged.
 * @example createAuth().use(mongodbStore(client.db("app").collection("auth")))
 */
export default function mongodbStore(collection: MongoCollection): StorePlugin {
  return defineStore(mongodbBackend(collection));
}
