import { Query } from "mingo";
import { ObjectId } from "mongodb";

const turn = () => new Promise((resolve) => setTimeout(resolve, Math.random() * 2));

const OID = "ObjectId:";

// As the driver sends it: `undefined` becomes null. Ids are compared by value.
const toBson = (value) => {
  if (value === undefined) return null;
  if (value?._bsontype === "ObjectId") return `${OID}${value.toHexString()}`;
  return value;
};
const encode = (row) =>
  Object.fromEntries(Object.entries(row).map(([key, value]) => [key, toBson(value)]));
const decode = (row) =>
  row &&
  Object.fromEntries(
    Object.entries(row).map(([key, value]) => [
      key,
      String(value).startsWith(OID) ? new ObjectId(value.slice(OID.length)) : value,
    ]),
  );

/** A model of a MongoDB collection, which compares as MongoDB does: within one type. */
function createCollection() {
  const rows = [];
  const find = (filter) => {
    const query = new Query(encode(filter));
    return rows.findIndex((row) => query.test(row));
  };
  return {
    async insertOne(row) {
      await turn();
      rows.push(encode(row));
    },
    async findOne(filter) {
      await turn();
      return decode(rows[find(filter)]) ?? null;
    },
    async findOneAndUpdate(filter, { $set }) {
      await turn();
      const row = rows[find(filter)];
      if (!row) return null;
      return decode(Object.assign(row, encode($set)));
    },
    async updateOne(filter, update) {
      await this.findOneAndUpdate(filter, update);
    },
    async findOneAndDelete(filter) {
      await turn();
      const at = find(filter);
      return at < 0 ? null : decode(rows.splice(at, 1)[0]);
    },
    async deleteOne(filter) {
      await this.findOneAndDelete(filter);
    },
    async deleteMany(filter) {
      await turn();
      for (let at = find(filter); at >= 0; at = find(filter)) rows.splice(at, 1);
    },
  };
}

/** A model of a MongoDB client, because no server is available here. */
export function createMongoClient() {
  const collections = new Map();
  const collection = (name) => {
    if (!collections.has(name)) collections.set(name, createCollection());
    return collections.get(name);
  };
  return { db: () => ({ collection }) };
}
