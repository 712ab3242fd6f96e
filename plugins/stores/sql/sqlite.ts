import { defineStore, type StoreBackend, type StorePlugin } from "../../../src/index.ts";
import { returningRecords } from "./returning.ts";
import type { Row, SqlStoreOptions } from "./runner.ts";

/** What is used of a database of node:sqlite; that of better-sqlite3 has the same. */
export interface SqliteDatabase {
  prepare(sql: string): { all(...parameters: never[]): unknown[] };
}

interface Opened {
  readonly database: SqliteDatabase;
  close?(): void;
}

function open(file: string): Opened {
  const { process } = globalThis;
  const sqlite = process?.getBuiltinModule?.("node:sqlite");
  if (!sqlite) throw new Error("node:sqlite is not there: it needs Node 22.13 or later.");
  if (file !== ":memory:") {
    const folder = process.getBuiltinModule("node:path").dirname(file);
    process.getBuiltinModule("node:fs").mkdirSync(folder, { recursive: true, mode: 0o700 });
  }
  const database = new sqlite.DatabaseSync(file);
  // Changing the journal needs the file alone, once: several processes may be at it.
  database.exec("PRAGMA busy_timeout = 2000");
  database.exec("PRAGMA journal_mode = WAL");
  // Waiting here stands in everybody's way, so it is short; the rest is waited for elsewhere.
  database.exec("PRAGMA busy_timeout = 20");
  database.exec("PRAGMA synchronous = NORMAL");
  return { database, close: () => database.close() };
}

/** Records in a table of SQLite: in a file, or in a database that is open already. */
export function sqliteBackend(
  given: string | SqliteDatabase,
  options?: SqlStoreOptions,
): StoreBackend {
  let opened: Opened | undefined;
  const use = () => (opened ??= typeof given === "string" ? open(given) : { database: given });
  const statements = new Map<string, ReturnType<SqliteDatabase["prepare"]>>();

  const rows = async (sql: string, parameters: readonly unknown[]): Promise<Row[]> => {
    let statement = statements.get(sql);
    if (!statement) statements.set(sql, (statement = use().database.prepare(sql)));
    return statement.all(...(parameters as never[])) as Row[];
  };

  const memory = given === ":memory:";
  const guarantees = {
    ...({ scope: memory ? "process" : "host", consistency: "strong" } as const),
    ...({ ttl: "sweep", durable: !memory } as const),
  };
  return {
    ...returningRecords("sqlite", { name: "sqlite", rows }, guarantees, options),
    async close() {
      opened?.close?.();
      opened = undefined;
      statements.clear();
    },
  };
}

/**
 * Keeps records in SQLite, by node:sqlite: in a file that is made when it is not there, or in a
 * database that is open already, in a table of their own.
 * @example createAuth().use(sqliteStore("/var/lib/my-app/auth.sqlite"))
 */
export default function sqliteStore(
  given: string | SqliteDatabase,
  options?: SqlStoreOptions,
): StorePlugin {
  return defineStore(sqliteBackend(given, options));
}
