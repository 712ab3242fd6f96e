import { defineStore, type StoreBackend, type StorePlugin } from "../../../src/index.ts";
import { returningRecords } from "./returning.ts";
import type { Row, SqlStoreOptions } from "./runner.ts";

/** What is used of a client or pool of pg; PGlite and Neon have the same. */
export interface PostgresClient {
  query(text: string, values: unknown[]): Promise<{ rows: unknown[] }>;
}

/** Records in a table of PostgreSQL. */
export function postgresBackend(client: PostgresClient, options?: SqlStoreOptions): StoreBackend {
  const rows = async (sql: string, parameters: readonly unknown[]): Promise<Row[]> => {
    let at = 0;
    const numbered = sql.replace(/\?/g, () => `$${++at}`);
    return (await client.query(numbered, [...parameters])).rows as Row[];
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
 * Keeps records in PostgreSQL, in a table of their own that is made when it is not there. Give it the
 * primary: a replica may not know yet what was just written.
 * @example createAuth().use(postgresStore(new Pool()))
 */
export default function postgresStore(
  client: PostgresClient,
  options?: SqlStoreOptions,
): StorePlugin {
  return defineStore(postgresBackend(client, options));
}
