import { defineStore, type StoreBackend, type StorePlugin } from "../../src/kernel.ts";
import { returningRecords } from "./_sql/returning-records.ts";
import type { SqlRow, SqlStoreOptions } from "./_sql/runner.ts";

/** The part of a client or pool of pg that the store uses; PGlite and Neon have it too. */
export interface PostgresClient {
  query(text: string, values: unknown[]): Promise<{ rows: unknown[] }>;
}

/**
 * Creates a backend in a table of PostgreSQL.
 * @throws Error when `table` is not a plain name.
 */
export function postgresBackend(client: PostgresClient, options?: SqlStoreOptions): StoreBackend {
  const rows = async (sql: string, parameters: readonly unknown[]): Promise<SqlRow[]> => {
    let at = 0;
    const numbered = sql.replace(/\?/g, () => `$${++at}`);
    return (await client.query(numbered, [...parameters])).rows as SqlRow[];
  };
  const guarantees = {
    scope: "global",
    consistency: "strong",
    ttl: "sweep",
    durable: true,
  } as const;
  return returningRecords("postgresql", { name: "postgresql", rows }, guarantees, options);
}

/**
 * Stores records in PostgreSQL, in a table of their own that is created if it does not exist.
 * Connect to the primary: a replica may lag behind the last write.
 * @example createAuth().use(postgresStore(new Pool()))
 */
export function postgresStore(client: PostgresClient, options?: SqlStoreOptions): StorePlugin {
  return defineStore(postgresBackend(client, options), [postgresStore, client, options]);
}

export default postgresStore;
