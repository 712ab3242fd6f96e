import { defineStore, type StoreBackend, type StorePlugin } from "../../../src/index.ts";
import { affectedRecords } from "./affected.ts";
import type { Row, SqlStoreOptions } from "./runner.ts";

/** What is used of a connection or pool of mysql2/promise. */
export interface MysqlClient {
  query(sql: string, values: unknown[]): Promise<[unknown, unknown]>;
}

/** Records in a table of MySQL or MariaDB. */
export function mysqlBackend(client: MysqlClient, options?: SqlStoreOptions): StoreBackend {
  const runner = {
    name: "mysql",
    rows: async (sql: string, parameters: readonly unknown[]) =>
      (await client.query(sql, [...parameters]))[0] as Row[],
    async run(sql: string, parameters: readonly unknown[]) {
      const [header] = await client.query(sql, [...parameters]);
      const { affectedRows, insertId } = header as { affectedRows: number; insertId: number };
      return { changes: affectedRows, id: insertId };
    },
  };
  const guarantees = {
    scope: "global",
    consistency: "strong",
    ttl: "sweep",
    durable: true,
  } as const;
  return affectedRecords(runner, guarantees, options);
}

/**
 * Keeps records in MySQL or MariaDB, in a table of their own that is made when it is not there.
 * @example createAuth().use(mysqlStore(mysql.createPool(process.env.DATABASE_URL)))
 */
export default function mysqlStore(client: MysqlClient, options?: SqlStoreOptions): StorePlugin {
  return defineStore(mysqlBackend(client, options));
}
