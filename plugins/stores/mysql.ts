import {
  definePlugin,
  defineStore,
  type StoreBackend,
  type StorePlugin,
} from "../../src/kernel.ts";
import { expectClient, type ClientRequirement } from "./_client.ts";
import { createMysqlBackend } from "./_sql/mysql-backend.ts";
import type { SqlRow, SqlStoreOptions } from "./_sql/runner.ts";

/** The part of a connection or pool of mysql2/promise that the store uses. */
export interface MysqlClient {
  query(sql: string, values: unknown[]): Promise<[unknown, unknown]>;
}

const REQUIREMENT: ClientRequirement = {
  store: "mysqlStore",
  fix: "a pool of mysql2/promise: mysqlStore(mysql.createPool(url))",
};

/**
 * Creates a backend in a table of MySQL or MariaDB.
 * @throws Error when `table` is not a plain name, or two names with a dot.
 */
export function mysqlBackend(client: MysqlClient, options?: SqlStoreOptions): StoreBackend {
  const runner = {
    name: "mysql",
    rows: async (sql: string, parameters: readonly unknown[]) =>
      (await client.query(sql, [...parameters]))[0] as SqlRow[],
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
  return createMysqlBackend(runner, guarantees, options);
}

/**
 * Stores records in MySQL or MariaDB, in a separate table that is created if it does not exist.
 * @throws InvalidConfig for a value that is not such a client.
 * @example createAuth().use(mysqlStore(mysql.createPool(process.env.DATABASE_URL)))
 */
export const mysqlStore: (client: MysqlClient, options?: SqlStoreOptions) => StorePlugin =
  definePlugin(function mysqlStore(client, options): StorePlugin {
    const backend = mysqlBackend(expectClient(client, ["query"], REQUIREMENT), options);
    return defineStore(backend);
  });

export default mysqlStore;
