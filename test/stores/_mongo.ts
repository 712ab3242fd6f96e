import type { MongoCollection } from "../../plugins/stores/mongodb.ts";

type Document = Record<string, unknown>;

function matches(value: unknown, condition: unknown): boolean {
  if (condition instanceof RegExp) return typeof value === "string" && condition.test(value);
  if (typeof condition !== "object" || condition === null) return (value ?? null) === condition;
  return Object.entries(condition).every(([operator, operand]) => {
    // MongoDB compares within one type only.
    if (typeof value !== typeof operand) return false;
    const left = value as number;
    const right = operand as number;
    if (operator === "$gt") return left > right;
    if (operator === "$lt") return left < right;
    if (operator === "$lte") return left <= right;
    throw new Error(`${operator} is not supported by this model`);
  });
}

function fits(document: Document, filter: object): boolean {
  return Object.entries(filter).every(([name, condition]) =>
    name === "$or"
      ? (condition as object[]).some((one) => fits(document, one))
      : matches(document[name], condition),
  );
}

/**
 * Creates an in-memory model of a MongoDB collection. No server is available here: the model tests the
 * code against Keyhook's understanding of MongoDB, and shows nothing about MongoDB itself.
 */
export function modelCollection(): MongoCollection {
  const documents = new Map<unknown, Document>();
  const turn = () => new Promise<void>((resolve) => setTimeout(resolve, Math.random() * 2));
  const first = (filter: object) => [...documents.values()].find((one) => fits(one, filter));
  const row = (document: Document | undefined) =>
    document ? ({ ...document } as { _id: unknown }) : null;

  return {
    async createIndex() {
      await turn();
    },
    async findOne(filter) {
      await turn();
      return row(first(filter));
    },
    find: (filter) => ({
      sort: () => ({
        limit: (count) => ({
          async toArray() {
            await turn();
            return [...documents.values()]
              .filter((one) => fits(one, filter))
              .sort((a, b) => (String(a._id) < String(b._id) ? -1 : 1))
              .slice(0, count) as { _id: unknown }[];
          },
        }),
      }),
    }),
    async updateOne(filter, update, options) {
      await turn();
      const found = first(filter);
      const { $set } = update as { $set: Document };
      if (found) Object.assign(found, $set);
      else if ((options as { upsert?: boolean } | undefined)?.upsert) {
        const { _id } = filter as { _id: unknown };
        if (documents.has(_id)) throw Object.assign(new Error("E11000"), { code: 11_000 });
        documents.set(_id, { _id, ...$set });
        return { matchedCount: 0, upsertedCount: 1 };
      }
      return { matchedCount: found ? 1 : 0, upsertedCount: 0 };
    },
    async findOneAndUpdate(filter, update) {
      await turn();
      const found = first(filter);
      if (!found) return null;
      const [{ $set }] = update as [{ $set: { v: { $toString: { $add: [object, number] } } } }];
      found.v = String(Number(found.v) + $set.v.$toString.$add[1]);
      return row(found);
    },
    async findOneAndDelete(filter) {
      await turn();
      const found = first(filter);
      if (found) documents.delete(found._id);
      return row(found);
    },
  };
}
