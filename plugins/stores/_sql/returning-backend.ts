import { andThen } from "../../../src/_kit.ts";
import type { Awaitable, StoreBackend, StoreGuarantees } from "../../../src/kernel.ts";
import {
  createSchema,
  toPage,
  getRange,
  retryWhenBusy,
  type SqlRow,
  type SqlRunner,
  type SqlStoreOptions,
  tableName,
} from "./runner.ts";

/** The differences between SQLite and PostgreSQL. Both have `ON CONFLICT` and `RETURNING`. */
interface Dialect {
  schema(table: string, plain: string): readonly string[];
  /** Builds the condition that a column's text is a counter. */
  isCounter(column: string): string;
  /** Lets concurrent sweeps skip each other's rows instead of waiting. */
  skipLocked: string;
}

const DIALECTS: Record<"sqlite" | "postgresql", Dialect> = {
  sqlite: {
    // SQLite puts the schema before the name of an index. PostgreSQL puts an index into the schema of its table.
    schema: (table, plain) => [
      `CREATE TABLE IF NOT EXISTS ${table} (k TEXT NOT NULL PRIMARY KEY, v TEXT NOT NULL, e INTEGER)`,
      `CREATE INDEX IF NOT EXISTS ${table}_e ON ${plain} (e) WHERE e IS NOT NULL`,
    ],
    isCounter: (column) => `CAST(CAST(${column} AS INTEGER) AS TEXT) = ${column}`,
    skipLocked: "",
  },
  postgresql: {
    // Collation "C" compares bytes, so equality and order do not depend on the server's locale.
    schema: (table, plain) => [
      `CREATE TABLE IF NOT EXISTS ${table}
        (k text COLLATE "C" PRIMARY KEY, v text COLLATE "C" NOT NULL, e bigint)`,
      `CREATE INDEX IF NOT EXISTS ${plain}_e ON ${table} (e) WHERE e IS NOT NULL`,
    ],
    isCounter: (column) => `${column} ~ '^[-]{0,1}[0-9]{1,16}$'`,
    skipLocked: "FOR UPDATE SKIP LOCKED",
  },
};

const getValue = ([row]: SqlRow[]) => (row ? String(row.v) : null);

/** Creates a backend in a table of SQLite or PostgreSQL. Every operation is one statement. */
export function createReturningBackend(
  dialect: keyof typeof DIALECTS,
  runner: SqlRunner,
  guarantees: StoreGuarantees,
  options: SqlStoreOptions = {},
): StoreBackend {
  const { schema, isCounter, skipLocked } = DIALECTS[dialect];
  const { table, plain } = tableName(options);
  const ready = createSchema(runner, table, schema(table, plain));
  const live = `(${plain}.e IS NULL OR ${plain}.e > ?)`;
  const expired = `${plain}.e <= ?`;
  const insert = `INSERT INTO ${table} (k, v, e) VALUES (?, ?, ?)`;

  const query = (sql: string, ...parameters: readonly unknown[]): Awaitable<SqlRow[]> =>
    andThen(ready(), () => retryWhenBusy(() => runner.rows(sql, parameters)));
  const queryValue = (sql: string, ...parameters: readonly unknown[]): Awaitable<string | null> =>
    andThen(query(sql, ...parameters), getValue);
  const change = (sql: string, ...parameters: readonly unknown[]): Awaitable<boolean> =>
    andThen(query(sql, ...parameters), (rows) => rows.length > 0);

  return {
    name: runner.name,
    guarantees,
    atomic: true,
    get: (key) => queryValue(`SELECT v FROM ${table} WHERE k = ? AND ${live}`, key, Date.now()),
    put(key, value, expires) {
      const replace = "ON CONFLICT (k) DO UPDATE SET v = excluded.v, e = excluded.e";
      const written = query(`${insert} ${replace} RETURNING k`, key, value, expires ?? null);
      return andThen(written, () => {});
    },
    putIfAbsent(key, value, expires) {
      const replace = `ON CONFLICT (k) DO UPDATE SET v = excluded.v, e = excluded.e WHERE ${expired}`;
      const sql = `${insert} ${replace} RETURNING k`;
      return change(sql, key, value, expires ?? null, Date.now());
    },
    take: (key) =>
      queryValue(`DELETE FROM ${table} WHERE k = ? AND ${live} RETURNING v`, key, Date.now()),
    compareAndSet(key, expected, value, expires) {
      const sql = `UPDATE ${table} SET v = ?, e = ? WHERE k = ? AND v = ? AND ${live} RETURNING k`;
      return change(sql, value, expires ?? null, key, expected, Date.now());
    },
    async increment(key, by, expires) {
      const now = Date.now();
      const sum = `CAST(CAST(${plain}.v AS BIGINT) + CAST(excluded.v AS BIGINT) AS TEXT)`;
      const rows = await query(
        `${insert} ON CONFLICT (k) DO UPDATE SET
          v = CASE WHEN ${expired} THEN excluded.v ELSE ${sum} END,
          e = CASE WHEN ${expired} THEN excluded.e ELSE ${plain}.e END
          WHERE ${expired} OR ${isCounter(`${plain}.v`)} RETURNING v`,
        ...[key, String(by), expires ?? null, now, now, now],
      );
      if (!rows.length) throw new Error("Record is not a counter.");
      return Number(getValue(rows));
    },
    delete: (key) =>
      change(`DELETE FROM ${table} WHERE k = ? AND ${live} RETURNING k`, key, Date.now()),
    async scan(prefix, { limit, cursor }) {
      const sql = `SELECT k FROM ${table} WHERE k > ? AND k < ? AND ${live}
        ORDER BY k LIMIT ?`;
      const size = Math.trunc(limit) + 1;
      return toPage(await query(sql, ...getRange(prefix, cursor), Date.now(), size), limit);
    },
    async sweep(limit) {
      const now = Date.now();
      const some = `SELECT k FROM ${table} WHERE ${expired} ORDER BY e LIMIT ? ${skipLocked}`;
      const sql = `DELETE FROM ${table} WHERE k IN (${some}) AND ${expired} RETURNING k`;
      return (await query(sql, now, Math.trunc(limit), now)).length;
    },
  };
}
