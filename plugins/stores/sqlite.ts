import { getBuiltin } from "../../src/_kit.ts";
import {
  definePlugin,
  defineStore,
  type StoreBackend,
  type StorePlugin,
} from "../../src/kernel.ts";
import { expectClient, type ClientRequirement } from "./_client.ts";
import { isInMemory, sqliteGuarantees } from "./_sql/in-memory.ts";
import { createReturningBackend } from "./_sql/returning-backend.ts";
import type { SqlRow, SqlStoreOptions } from "./_sql/runner.ts";

/** The part of a node:sqlite database that the store uses. A better-sqlite3 database has it too. */
export interface SqliteDatabase {
  prepare(sql: string): {
    all(...parameters: never[]): unknown[];
    run(...parameters: never[]): unknown;
  };
}

const REQUIREMENT: ClientRequirement = {
  store: "sqliteStore",
  fix: 'the path of a file, or an open database: sqliteStore("data/auth.sqlite")',
};

interface OpenDatabase {
  readonly database: SqliteDatabase;
  close?(): void;
}

// SQLite removes a temporary database when it is closed: one without a name, or in memory, also in the form of a URI.
function isTemporary(path: string): boolean {
  const isUri = path.startsWith("file:");
  const [name = "", query] = isUri ? path.slice("file:".length).split("?", 2) : [path];
  return ["", ":memory:"].includes(name) || new URLSearchParams(query).get("mode") === "memory";
}

// Created here, because SQLite would let every user of the host read the file. Its log gets the mode of the file.
function createFile(file: string, fs: typeof import("node:fs"), folder: string): void {
  // Neither in memory nor a URI, which only SQLite reads.
  if (/^(?::memory:$|file:|$)/.test(file)) return;
  fs.mkdirSync(folder, { recursive: true, mode: 0o700 });
  try {
    fs.closeSync(fs.openSync(file, "wx", 0o600));
  } catch {
    // The file exists, or SQLite reports why it cannot exist.
  }
}

function open(file: string): OpenDatabase {
  const { DatabaseSync } = getBuiltin("node:sqlite") ?? {};
  const { dirname } = getBuiltin("node:path") ?? {};
  const fs = getBuiltin("node:fs");
  if (!DatabaseSync || !dirname || !fs)
    throw new Error(
      "This runtime has no node:sqlite to open the file: use Node 22.13 or later. On Cloudflare, use " +
        "db0Store() with D1; on other edge runtimes, a database over the network.",
    );
  createFile(file, fs, dirname(file));
  const database = new DatabaseSync(file);
  // Changing the journal mode needs an exclusive lock, which other processes may hold. If waiting could be a deadlock,
  // SQLite refuses at once, and `createSchema` opens the file again.
  database.exec("PRAGMA busy_timeout = 2000");
  try {
    database.exec("PRAGMA journal_mode = WAL");
  } catch (error) {
    database.close();
    throw error;
  }
  // SQLite waits synchronously and blocks the event loop, so it waits only briefly. `retryWhenBusy` waits for the rest.
  database.exec("PRAGMA busy_timeout = 20");
  database.exec("PRAGMA synchronous = NORMAL");
  return { database, close: () => database.close() };
}

/**
 * Creates a backend in a table of SQLite.
 * @param given The path of a file, which is created with access only for its owner if it does not exist, `:memory:`, or
 * an open database.
 * @throws Error when `table` is not a plain name, or two names with a dot.
 */
export function sqliteBackend(
  given: string | SqliteDatabase,
  options?: SqlStoreOptions,
): StoreBackend {
  let opened: OpenDatabase | undefined;
  const getDatabase = () =>
    (opened ??= typeof given === "string" ? open(given) : { database: given });
  const statements = new Map<string, ReturnType<SqliteDatabase["prepare"]>>();

  const rows = (sql: string, parameters: readonly unknown[]): SqlRow[] => {
    let statement = statements.get(sql);
    if (!statement) statements.set(sql, (statement = getDatabase().database.prepare(sql)));
    return statement.all(...(parameters as never[])) as SqlRow[];
  };

  // `all` of better-sqlite3 throws if a statement has no rows to return.
  const define = (sql: string) => getDatabase().database.prepare(sql).run();
  const isLost = typeof given === "string" ? isTemporary(given) : isInMemory(given);
  const guarantees = sqliteGuarantees(isLost);
  return {
    ...createReturningBackend("sqlite", { name: "sqlite", rows, define }, guarantees, options),
    async close() {
      opened?.close?.();
      opened = undefined;
      statements.clear();
    },
  };
}

/**
 * Stores records in SQLite, in a separate table. The database is an open one, or a file that node:sqlite (Node 22.13 or
 * later) opens and creates if it does not exist.
 * @throws InvalidConfig for a value that is neither.
 * @example createAuth().use(sqliteStore("/var/lib/my-app/auth.sqlite"))
 */
export const sqliteStore: (
  given: string | SqliteDatabase,
  options?: SqlStoreOptions,
) => StorePlugin = definePlugin(function sqliteStore(given, options): StorePlugin {
  if (typeof given !== "string") expectClient(given, ["prepare"], REQUIREMENT);
  return defineStore(sqliteBackend(given, options));
});

export default sqliteStore;
