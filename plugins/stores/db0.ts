import { isPromise } from "../../src/_kit.ts";
import {
  definePlugin,
  defineStore,
  type StoreBackend,
  type StorePlugin,
} from "../../src/kernel.ts";
import { expectClient, refuseClient, type ClientRequirement } from "./_client.ts";
import { isInMemory, sqliteGuarantees } from "./_sql/in-memory.ts";
import { createMysqlBackend } from "./_sql/mysql-backend.ts";
import { createReturningBackend } from "./_sql/returning-backend.ts";
import type { SqlRow, SqlStoreOptions } from "./_sql/runner.ts";

/** The part of a db0 `Database` that the store uses. */
export interface Db0Database {
  readonly dialect: string;
  /** Name of the connector, in versions of db0 that have it. */
  readonly connector?: string;
  /** Returns the connector's own database, or a promise of it. */
  getInstance?(): unknown;
  prepare(sql: string): {
    all(...parameters: never[]): Promise<unknown>;
    run(...parameters: never[]): Promise<unknown>;
  };
}

const REQUIREMENT: ClientRequirement = {
  store: "db0Store",
  fix: 'a database of db0: db0Store(useDatabase()); a D1 is wrapped first: createDatabase(cloudflareD1({ bindingName: "DB" }))',
};

const REMOTE = /d1|libsql|turso/;

// Returns the connector's own database if it is available synchronously. A database that cannot be opened fails on
// first use.
function findInstance(database: Db0Database): unknown {
  try {
    const instance = database.getInstance?.();
    if (!isPromise(instance)) return instance;
    instance.then(undefined, () => {});
  } catch {}
  return undefined;
}

/** Returns the name and the guarantees of the backend in a db0 database. */
export function db0Facts(
  database: Db0Database,
): Pick<StoreBackend, "name" | "guarantees" | "atomic"> {
  const { dialect, connector = "" } = database;
  const isLocal = dialect === "sqlite" && !REMOTE.test(connector);
  return {
    name: `db0-${connector || dialect}`,
    guarantees: isLocal
      ? sqliteGuarantees(isInMemory(findInstance(database)))
      : { scope: "global", consistency: "strong", ttl: "sweep", durable: true },
    atomic: true,
  };
}

/**
 * Creates a backend in a table of a db0 database.
 * @throws Error when `table` is not a plain name, or two names with a dot.
 */
export function db0Backend(database: Db0Database, options?: SqlStoreOptions): StoreBackend {
  const { name, guarantees } = db0Facts(database);
  const runner = {
    name,
    rows: async (sql: string, parameters: readonly unknown[]) =>
      ((await database.prepare(sql).all(...(parameters as never[]))) ?? []) as SqlRow[],
    // Some connectors, such as the one for better-sqlite3, throw if `all` has no rows to return.
    define: (sql: string) => database.prepare(sql).run(),
    async run(sql: string, parameters: readonly unknown[]) {
      const header = (await database.prepare(sql).run(...(parameters as never[]))) as SqlRow;
      const changes = header.affectedRows ?? header.rowsAffected;
      return { changes: Number(changes), id: Number(header.insertId) };
    },
  };
  const { dialect } = database;
  if (dialect === "mysql") return createMysqlBackend(runner, guarantees, options);
  const variant = dialect === "postgresql" ? "postgresql" : "sqlite";
  return createReturningBackend(variant, runner, guarantees, options);
}

/**
 * Stores records in a db0 database (SQLite, libSQL, D1, PostgreSQL, MySQL, ...), in a separate table that is created if
 * it does not exist.
 * @throws InvalidConfig for a value that is not a db0 database.
 * @example createAuth().use(db0Store(useDatabase()))
 */
export const db0Store: (database: Db0Database, options?: SqlStoreOptions) => StorePlugin =
  definePlugin(function db0Store(database, options): StorePlugin {
    expectClient(database, ["prepare"], REQUIREMENT);
    // A D1 and every SQLite database also have `prepare`.
    if (typeof database.dialect !== "string") throw refuseClient(database, REQUIREMENT, "dialect");
    const backend = db0Backend(database, options);
    return defineStore(backend);
  });

export default db0Store;
