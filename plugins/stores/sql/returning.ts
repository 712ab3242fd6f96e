import type { StoreBackend, StoreGuarantees } from "../../../src/index.ts";
import {
  createSchema,
  pageOf,
  rangeOf,
  retrying,
  type Row,
  type SqlRunner,
  type SqlStoreOptions,
  tableName,
} from "./runner.ts";

/** What SQLite and PostgreSQL, which both know `ON CONFLICT` and `RETURNING`, do not have in common. */
interface Dialect {
  schema(table: string): readonly string[];
  /** Whether the column's text is a counter. */
  counts(column: string): string;
  /** Lets two sweeps at once not wait for one another. */
  skip: string;
}

const DIALECTS: Record<"sqlite" | "postgresql", Dialect> = {
  sqlite: {
    schema: (table) => [
      `CREATE TABLE IF NOT EXISTS ${table} (k TEXT NOT NULL PRIMARY KEY, v TEXT NOT NULL, e INTEGER)`,
      `CREATE INDEX IF NOT EXISTS ${table}_e ON ${table} (e) WHERE e IS NOT NULL`,
    ],
    counts: (column) => `CAST(CAST(${column} AS INTEGER) AS TEXT) = ${column}`,
    skip: "",
  },
  postgresql: {
    // "C" compares bytes: no language decides what is equal, or what comes next.
    schema: (table) => [
      `CREATE TABLE IF NOT EXISTS ${table}
        (k text COLLATE "C" PRIMARY KEY, v text COLLATE "C" NOT NULL, e bigint)`,
      `CREATE INDEX IF NOT EXISTS ${table}_e ON ${table} (e) WHERE e IS NOT NULL`,
    ],
    counts: (column) => `${column} ~ '^[-]{0,1}[0-9]{1,16}$'`,
    skip: "FOR UPDATE SKIP LOCKED",
  },
};

/** Records in a table of SQLite or PostgreSQL; every operation is one statement. */
export function returningRecords(
  dialect: keyof typeof DIALECTS,
  runner: SqlRunner,
  guarantees: StoreGuarantees,
  options: SqlStoreOptions = {},
): StoreBackend {
  const { schema, counts, skip } = DIALECTS[dialect];
  const table = tableName(options);
  const ready = createSchema(runner, table, schema(table));
  const live = `(${table}.e IS NULL OR ${table}.e > ?)`;
  const over = `${table}.e <= ?`;
  const insert = `INSERT INTO ${table} (k, v, e) VALUES (?, ?, ?)`;

  const ask = async (sql: string, ...parameters: readonly unknown[]): Promise<Row[]> => {
    await ready();
    return retrying(() => runner.rows(sql, parameters));
  };
  const valueOf = ([row]: Row[]) => (row ? String(row.v) : null);

  return {
    name: runner.name,
    guarantees,
    atomic: true,
    async get(key) {
      return valueOf(await ask(`SELECT v FROM ${table} WHERE k = ? AND ${live}`, key, Date.now()));
    },
    async put(key, value, expires) {
      const replace = "ON CONFLICT (k) DO UPDATE SET v = excluded.v, e = excluded.e";
      await ask(`${insert} ${replace} RETURNING k`, key, value, expires ?? null);
    },
    async putIfAbsent(key, value, expires) {
      const replace = `ON CONFLICT (k) DO UPDATE SET v = excluded.v, e = excluded.e WHERE ${over}`;
      const sql = `${insert} ${replace} RETURNING k`;
      return (await ask(sql, key, value, expires ?? null, Date.now())).length > 0;
    },
    async take(key) {
      const sql = `DELETE FROM ${table} WHERE k = ? AND ${live} RETURNING v`;
      return valueOf(await ask(sql, key, Date.now()));
    },
    async compareAndSet(key, expected, value, expires) {
      const sql = `UPDATE ${table} SET v = ?, e = ? WHERE k = ? AND v = ? AND ${live} RETURNING k`;
      return (await ask(sql, value, expires ?? null, key, expected, Date.now())).length > 0;
    },
    async increment(key, by, expires) {
      const now = Date.now();
      const sum = `CAST(CAST(${table}.v AS BIGINT) + CAST(excluded.v AS BIGINT) AS TEXT)`;
      const rows = await ask(
        `${insert} ON CONFLICT (k) DO UPDATE SET
          v = CASE WHEN ${over} THEN excluded.v ELSE ${sum} END,
          e = CASE WHEN ${over} THEN excluded.e ELSE ${table}.e END
          WHERE ${over} OR ${counts(`${table}.v`)} RETURNING v`,
        ...[key, String(by), expires ?? null, now, now, now],
      );
      if (!rows.length) throw new Error("The record is no counter.");
      return Number(valueOf(rows));
    },
    async delete(key) {
      const sql = `DELETE FROM ${table} WHERE k = ? AND ${live} RETURNING k`;
      return (await ask(sql, key, Date.now())).length > 0;
    },
    async scan(prefix, { limit, cursor }) {
      const sql = `SELECT k FROM ${table} WHERE k > ? AND k < ? AND ${live}
        ORDER BY k LIMIT ${Math.trunc(limit) + 1}`;
      return pageOf(await ask(sql, ...rangeOf(prefix, cursor), Date.now()), limit);
    },
    async sweep(limit) {
      const now = Date.now();
      const some = `SELECT k FROM ${table} WHERE ${over} ORDER BY e LIMIT ${Math.trunc(limit)} ${skip}`;
      const sql = `DELETE FROM ${table} WHERE k IN (${some}) AND ${over} RETURNING k`;
      return (await ask(sql, now, now)).length;
    },
  };
}
