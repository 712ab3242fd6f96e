import { retryOnConflict } from "../../../src/_kit.ts";
import type { StoreBackend, StoreGuarantees } from "../../../src/kernel.ts";
import { parseCounter } from "../_packed.ts";
import {
  createSchema,
  toPage,
  getRange,
  retryWhenBusy,
  type SqlRunner,
  type SqlStoreOptions,
  tableName,
} from "./runner.ts";

const schema = (table: string, plain: string) => [
  `CREATE TABLE IF NOT EXISTS ${table} (
    k VARCHAR(400) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL PRIMARY KEY,
    v LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    e BIGINT NULL,
    KEY ${plain}_e (e)
  ) ENGINE=InnoDB`,
];

/** Added to a sum, which may be negative, so that it fits MySQL's unsigned insert id. */
const OFFSET = 2 ** 52;

/**
 * Creates a backend in a table of MySQL or MariaDB, where a write returns only the number of changed rows (MySQL has no
 * `RETURNING`). One statement decides each write. Operations of two statements are repeated when another process wrote
 * in between.
 *
 * Values are sent and read as hexadecimal. Some drivers interpolate them into the SQL text, where the escaping of a
 * quote depends on the server's SQL mode, and a connection's charset may lack some of their characters.
 */
export function createMysqlBackend(
  runner: SqlRunner & Required<Pick<SqlRunner, "run">>,
  guarantees: StoreGuarantees,
  options: SqlStoreOptions = {},
): StoreBackend {
  const { table, plain } = tableName(options);
  const ready = createSchema(runner, table, schema(table, plain));
  const live = "(e IS NULL OR e > ?)";
  const text = "CONVERT(UNHEX(?) USING utf8mb4)";
  const insert = `INSERT IGNORE INTO ${table} (k, v, e) VALUES (?, ${text}, ?)`;
  const equals = "CAST(v AS BINARY) = UNHEX(?)";

  const read = async (key: string): Promise<string | null> => {
    await ready();
    const sql = `SELECT HEX(v) AS v FROM ${table} WHERE k = ? AND ${live}`;
    const [row] = await retryWhenBusy(() => runner.rows(sql, [key, Date.now()]));
    return row ? fromHex(String(row.v)) : null;
  };
  const change = async (sql: string, ...parameters: readonly unknown[]) => {
    await ready();
    return retryWhenBusy(() => runner.run(sql, parameters));
  };
  const changed = async (sql: string, ...parameters: readonly unknown[]) =>
    (await change(sql, ...parameters)).changes > 0;

  const insertIfAbsent = async (key: string, value: string, expires?: number): Promise<boolean> => {
    const end = expires ?? null;
    if (await changed(insert, key, hex(value), end)) return true;
    const replaceExpired = `UPDATE ${table} SET v = ${text}, e = ? WHERE k = ? AND e <= ?`;
    return changed(replaceExpired, hex(value), end, key, Date.now());
  };

  return {
    name: runner.name,
    guarantees,
    atomic: true,
    get: read,
    async put(key, value, expires) {
      const sql = `INSERT INTO ${table} (k, v, e) VALUES (?, ${text}, ?)
        ON DUPLICATE KEY UPDATE v = VALUES(v), e = VALUES(e)`;
      await change(sql, key, hex(value), expires ?? null);
    },
    putIfAbsent: (key, value, expires) =>
      retryOnConflict(async () => {
        if (await insertIfAbsent(key, value, expires)) return true;
        return (await read(key)) === null ? undefined : false;
      }),
    take: (key) =>
      retryOnConflict(async () => {
        const found = await read(key);
        if (found === null) return null;
        const sql = `DELETE FROM ${table} WHERE k = ? AND ${equals}`;
        return (await changed(sql, key, hex(found))) ? found : undefined;
      }),
    async compareAndSet(key, expected, value, expires) {
      const sql = `UPDATE ${table} SET v = ${text}, e = ? WHERE k = ? AND ${equals} AND ${live}`;
      return changed(sql, hex(value), expires ?? null, key, hex(expected), Date.now());
    },
    increment: (key, by, expires) =>
      retryOnConflict(async () => {
        const sum = `LAST_INSERT_ID(CAST(v AS SIGNED) + ? + ${OFFSET})`;
        const sql = `UPDATE ${table} SET v = CAST(${sum} AS SIGNED) - ${OFFSET}
          WHERE k = ? AND ${live} AND v REGEXP '^-{0,1}[0-9]{1,16}$'`;
        const { changes, id } = await change(sql, by, key, Date.now());
        if (changes) return id - OFFSET;
        if (await insertIfAbsent(key, String(by), expires)) return by;
        parseCounter(await read(key));
        return undefined;
      }),
    delete: (key) => changed(`DELETE FROM ${table} WHERE k = ? AND ${live}`, key, Date.now()),
    async scan(prefix, { limit, cursor }) {
      await ready();
      const sql = `SELECT k FROM ${table} WHERE k > ? AND k < ? AND ${live}
        ORDER BY k LIMIT ${Math.trunc(limit) + 1}`;
      const parameters = [...getRange(prefix, cursor), Date.now()];
      return toPage(await retryWhenBusy(() => runner.rows(sql, parameters)), limit);
    },
    async sweep(limit) {
      const sql = `DELETE FROM ${table} WHERE e <= ? ORDER BY e LIMIT ${Math.trunc(limit)}`;
      return (await change(sql, Date.now())).changes;
    },
  };
}

function hex(text: string): string {
  let digits = "";
  for (const byte of new TextEncoder().encode(text)) digits += byte.toString(16).padStart(2, "0");
  return digits;
}

function fromHex(digits: string): string {
  const bytes = new Uint8Array(digits.length / 2);
  for (let at = 0; at < bytes.length; at++) {
    bytes[at] = Number.parseInt(digits.slice(at * 2, at * 2 + 2), 16);
  }
  return new TextDecoder("utf-8", { ignoreBOM: true }).decode(bytes);
}
