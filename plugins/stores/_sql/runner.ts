import { loadOnce, orElse } from "../../../src/_kit.ts";
import type { Awaitable, StorePage } from "../../../src/kernel.ts";

/** A row as the driver returns it. */
export type SqlRow = Record<string, unknown>;

/** The calls that the SQL stores make, independent of the driver. Placeholders are `?`. */
export interface SqlRunner {
  /** Name of the driver, for messages. */
  readonly name: string;
  /** Runs a statement and returns its rows: at once where the driver does. */
  rows(sql: string, parameters: readonly unknown[]): Awaitable<SqlRow[]>;
  /** Runs a statement that creates something, where `rows` of the driver refuses one that returns none. Default `rows`. */
  define?(sql: string): Awaitable<unknown>;
  /** Runs a write; resolves to the changed rows and the insert id. Called for MySQL only. */
  run?(sql: string, parameters: readonly unknown[]): Promise<{ changes: number; id: number }>;
}

/** Options of the SQL stores. */
export interface SqlStoreOptions {
  /**
   * Name of the table, which is created if it does not exist: up to 41 letters, digits and
   * underscores, not starting with a digit. After a schema (MySQL: a database; SQLite: an attached database), which exists,
   * and a dot: `auth.keyhook_records`. Default `keyhook_records`.
   */
  table?: string;
}

const NAME = /^(?:[A-Za-z_]\w{0,62}\.)?[A-Za-z_]\w{0,40}$/;
// Another process is writing: SQLite's BUSY and LOCKED; a deadlock or a serialization failure in
// the other databases.
const CONFLICT = /SQLITE_BUSY|SQLITE_LOCKED|database (?:table )?is locked|deadlock/i;
const CODES = new Set<unknown>(["40001", "40P01", "ER_LOCK_DEADLOCK", "ER_LOCK_WAIT_TIMEOUT"]);
const BUSY_TIMEOUT_MS = 2000;

/**
 * Returns the name of the table, safe to interpolate into SQL, and the part of it behind the schema.
 * @throws Error when it contains anything but letters, digits and underscores, and one dot.
 */
export function tableName({ table = "keyhook_records" }: SqlStoreOptions): {
  table: string;
  plain: string;
} {
  if (!NAME.test(table))
    throw new Error(
      `Table "${table}" is not a plain name: use up to 41 letters, digits and underscores, ` +
        "not starting with a digit, after a schema and a dot where one is meant.",
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

// The database user may lack the right to create tables, as PostgreSQL 15 wants it for the schema `public`.
function explainDenied(error: unknown, table: string): unknown {
  const { message, code } = error as { message?: unknown; code?: unknown };
  if (!DENIED.test(String(message))) return error;
  const fix = `create the table ${table} beforehand, with the SQL of the section "Tables" in plugins/stores/README.md`;
  return Object.assign(new Error(`${String(message)}: ${fix}.`, { cause: error }), { code });
}

/**
 * Returns a function that creates the table once, if it does not exist, also while other processes
 * do the same. A failure is not cached: the next call tries again.
 */
export function createSchema(
  { rows, define = (sql) => rows(sql, []) }: SqlRunner,
  table: string,
  statements: readonly string[],
): () => Awaitable<void> {
  const run = async (sql: string) => define(sql);
  const find = async (sql: string) => rows(sql, []);
  const create = async (): Promise<void> => {
    // Checks first: the database user may lack the right to create tables.
    const exists = await find(`SELECT k FROM ${table} WHERE k = ''`).then(
      () => true,
      () => false,
    );
    if (exists) return;
    for (const statement of statements) {
      // Of two concurrent processes the second may fail despite IF NOT EXISTS.
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

/**
 * Builds a page from the rows of a query for `limit + 1` keys: the extra row shows that there is
 * more.
 */
export function toPage(rows: readonly SqlRow[], limit: number): StorePage {
  const keys = rows.slice(0, limit).map(({ k }) => String(k));
  const last = keys.at(-1);
  return { keys, ...(last !== undefined && rows.length > limit && { cursor: last }) };
}
