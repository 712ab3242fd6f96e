import { loadOnce, orElse } from "../../../src/_kit.ts";
import type { Awaitable, StorePage } from "../../../src/kernel.ts";

/** A row as the driver returns it. */
export type SqlRow = Record<string, unknown>;

/** The calls of the SQL stores, independent of the driver. Placeholders are `?`. */
export interface SqlRunner {
  /** Name of the driver, for messages. */
  readonly name: string;
  /** Runs a statement and returns its rows. Synchronous if the driver is. */
  rows(sql: string, parameters: readonly unknown[]): Awaitable<SqlRow[]>;
  /** Runs a DDL statement, for drivers whose `rows` refuses a statement without rows. Default `rows`. */
  define?(sql: string): Awaitable<unknown>;
  /** Runs a write. Resolves to the number of changed rows and the insert id. Called only for MySQL. */
  run?(sql: string, parameters: readonly unknown[]): Promise<{ changes: number; id: number }>;
}

/** Options of the SQL stores. */
export interface SqlStoreOptions {
  /**
   * Name of the table, which is created if it does not exist: up to 41 letters, digits and underscores, not starting
   * with a digit. An existing schema (MySQL: a database; SQLite: an attached database) may precede it with a dot:
   * `auth.keyhook_records`. Default `keyhook_records`.
   */
  table?: string;
}

const NAME = /^(?:[A-Za-z_]\w{0,62}\.)?[A-Za-z_]\w{0,40}$/;
// Another process is writing: BUSY and LOCKED in SQLite, a deadlock or a serialization failure in other databases.
const CONFLICT = /SQLITE_BUSY|SQLITE_LOCKED|database (?:table )?is locked|deadlock/i;
const CODES = new Set<unknown>(["40001", "40P01", "ER_LOCK_DEADLOCK", "ER_LOCK_WAIT_TIMEOUT"]);
const BUSY_TIMEOUT_MS = 2000;

/**
 * Returns the table's name, safe to interpolate into SQL, and the part of it after the schema.
 * @throws Error when the name does not have the form that `SqlStoreOptions.table` describes.
 */
export function tableName({ table = "keyhook_records" }: SqlStoreOptions): {
  table: string;
  plain: string;
} {
  if (!NAME.test(table))
    throw new Error(
      `Table "${table}" is not a plain name: use up to 41 letters, digits and underscores, ` +
        "not starting with a digit, optionally after a schema and a dot.",
    );
  return { table, plain: table.slice(table.indexOf(".") + 1) };
}

function isBusy(error: unknown): boolean {
  const { message, code } = error as { message?: unknown; code?: unknown };
  return CODES.has(code) || CONFLICT.test(String(message));
}

/** Retries work for up to two seconds while another process holds a lock. */
export function retryWhenBusy<T>(work: () => Awaitable<T>): Awaitable<T> {
  const began = performance.now();
  const attempt = (wait: number): Awaitable<T> =>
    orElse(work, async (error) => {
      if (!isBusy(error) || performance.now() - began > BUSY_TIMEOUT_MS) throw error;
      await new Promise((done) => setTimeout(done, wait * (0.5 + Math.random())));
      return attempt(Math.min(wait * 2, 50));
    });
  return attempt(1);
}

const DENIED = /(?:permission|command) denied/i;

// The database user may lack the right to create tables. By default, PostgreSQL 15 and later do not grant it for
// the schema `public`.
function explainDenied(error: unknown, table: string): unknown {
  const { message, code } = error as { message?: unknown; code?: unknown };
  if (!DENIED.test(String(message))) return error;
  const fix = `create the table ${table} beforehand, with the SQL of the section "Tables" in plugins/stores/README.md`;
  return Object.assign(new Error(`${String(message)}: ${fix}.`, { cause: error }), { code });
}

/**
 * Returns a function that creates the table once, if it does not exist. Other processes may do the same concurrently. A
 * failure is not cached, so the next call tries again.
 */
export function createSchema(
  { rows, define = (sql) => rows(sql, []) }: SqlRunner,
  table: string,
  statements: readonly string[],
): () => Awaitable<void> {
  const run = async (sql: string) => define(sql);
  const find = async (sql: string) => rows(sql, []);
  const create = async (): Promise<void> => {
    // Checks first, because the database user may lack the right to create tables.
    const exists = await find(`SELECT k FROM ${table} WHERE k = ''`).then(
      () => true,
      () => false,
    );
    if (exists) return;
    for (const statement of statements) {
      // Of two concurrent processes, the second may fail despite IF NOT EXISTS.
      await run(statement)
        .catch(() => run(statement))
        .catch((error: unknown) => {
          throw explainDenied(error, table);
        });
    }
  };
  return loadOnce(async () => retryWhenBusy(create));
}

/** Returns the exclusive bounds of the keys that start with `prefix`, which ends in a dot. */
export function getRange(prefix: string, cursor?: string): [after: string, before: string] {
  return [cursor ?? prefix, `${prefix.slice(0, -1)}/`];
}

/** Builds a page from the rows of a query for `limit + 1` keys. An extra row shows that there are more. */
export function toPage(rows: readonly SqlRow[], limit: number): StorePage {
  const keys = rows.slice(0, limit).map(({ k }) => String(k));
  const last = keys.at(-1);
  return { keys, ...(last !== undefined && rows.length > limit && { cursor: last }) };
}
