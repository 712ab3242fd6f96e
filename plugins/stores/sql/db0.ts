import { defineStore, type StoreBackend, type StorePlugin } from "../../../src/index.ts";
import { affectedRecords } from "./affected.ts";
import { returningRecords } from "./returning.ts";
import type { Row, SqlStoreOptions } from "./runner.ts";

/** What is used of a database of db0. */
export interface Db0Database {
  readonly dialect: string;
  /** Name of the connector, where it is told. */
  readonly connector?: string;
  prepare(sql: string): {
    all(...parameters: never[]): Promise<unknown>;
    run(...parameters: never[]): Promise<unknown>;
  };
}

const REMOTE = /d1|libsql|turso/;

/** What a database of db0 promises. */
export function db0Facts({ dialect, connector = "" }: Db0Database) {
  const local = dialect === "sqlite" && !REMOTE.test(connector);
  return {
    name: `db0 ${connector || dialect}`,
    guarantees: {
      scope: local ? "host" : "global",
      consistency: "strong",
      ttl: "sweep",
      durable: true,
    },
    atomic: true,
  } as const;
}

/** Records in a table of whatever db0 is connected to. */
export function db0Backend(database: Db0Database, options?: SqlStoreOptions): StoreBackend {
  const { name, guarantees } = db0Facts(database);
  const runner = {
    name,
    rows: async (sql: string, parameters: readonly unknown[]) =>
      ((await database.prepare(sql).all(...(parameters as never[]))) ?? []) as Row[],
    async run(sql: string, parameters: readonly unknown[]) {
      const header = (await database.prepare(sql).run(...(parameters as never[]))) as Row;
      const changes = header.affectedRows ?? header.rowsAffected;
      return { changes: Number(changes), id: Number(header.insertId) };
    },
  };
  const { dialect } = database;
  if (dialect === "mysql") return affectedRecords(runner, guarantees, options);
  const known = dialect === "postgresql" ? "postgresql" : "sqlite";
  return returningRecords(known, runner, guarantees, options);
}

/**
 * Keeps records in a database of db0 (SQLite, libSQL, D1, PostgreSQL, MySQL, ...), in a table of their
 * own that is made when it is not there.
 * @example createAuth().use(db0Store(useDatabase()))
 */
export default function db0Store(database: Db0Database, options?: SqlStoreOptions): StorePlugin {
  return defineStore(db0Backend(database, options));
}
