import type { StoreBackend, StoreGuarantees } from "../../../src/index.ts";
import { counted } from "../packed.ts";
import {
  createSchema,
  pageOf,
  rangeOf,
  retrying,
  type SqlRunner,
  type SqlStoreOptions,
  tableName,
} from "./runner.ts";

const schema = (table: string) => [
  `CREATE TABLE IF NOT EXISTS ${table} (
    k VARCHAR(400) CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL PRIMARY KEY,
    v LONGTEXT CHARACTER SET utf8mb4 COLLATE utf8mb4_bin NOT NULL,
    e BIGINT NULL,
    KEY ${table}_e (e)
  ) ENGINE=InnoDB`,
];

/** Carries a sum through MySQL's unsigned insert id, whatever its sign. */
const MIDDLE = 2 ** 52;
const ATTEMPTS = 100;

/**
 * Records in a table of MySQL or MariaDB, where a statement answers only how many rows it changed. Each
 * write is decided by one statement; those that need two try again when somebody came in between.
 *
 * Values travel in hexadecimal: some drivers put them into the text of a statement, and how a quote is
 * written there depends on the server's mode.
 */
export function affectedRecords(
  runner: SqlRunner & Required<Pick<SqlRunner, "run">>,
  guarantees: StoreGuarantees,
  options: SqlStoreOptions = {},
): StoreBackend {
  const table = tableName(options);
  const ready = createSchema(runner, table, schema(table));
  const live = "(e IS NULL OR e > ?)";
  const text = "CONVERT(UNHEX(?) USING utf8mb4)";
  const insert = `INSERT IGNORE INTO ${table} (k, v, e) VALUES (?, ${text}, ?)`;
  const is = "CAST(v AS BINARY) = UNHEX(?)";

  const read = async (key: string): Promise<string | null> => {
    await ready();
    const sql = `SELECT v FROM ${table} WHERE k = ? AND ${live}`;
    const [row] = await retrying(() => runner.rows(sql, [key, Date.now()]));
    return row ? String(row.v) : null;
  };
  const change = async (sql: string, ...parameters: readonly unknown[]) => {
    await ready();
    return retrying(() => runner.run(sql, parameters));
  };
  const changed = async (sql: string, ...parameters: readonly unknown[]) =>
    (await change(sql, ...parameters)).changes > 0;

  // Until the record stands still long enough for an answer.
  const settle = async <T>(attempt: () => Promise<T | undefined>): Promise<T> => {
    for (let count = 0; count < ATTEMPTS; count++) {
      const answer = await attempt();
      if (answer !== undefined) return answer;
    }
    throw new Error("A record changes too often.");
  };

  const place = async (key: string, value: string, expires?: number): Promise<boolean> => {
    const end = expires ?? null;
    if (await changed(insert, key, hex(value), end)) return true;
    const over = `UPDATE ${table} SET v = ${text}, e = ? WHERE k = ? AND e <= ?`;
    return changed(over, hex(value), end, key, Date.now());
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
      settle(async () => {
        if (await place(key, value, expires)) return true;
        return (await read(key)) === null ? undefined : false;
      }),
    take: (key) =>
      settle(async () => {
        const found = await read(key);
        if (found === null) return null;
        const sql = `DELETE FROM ${table} WHERE k = ? AND ${is}`;
        return (await changed(sql, key, hex(found))) ? found : undefined;
      }),
    async compareAndSet(key, expected, value, expires) {
      const sql = `UPDATE ${table} SET v = ${text}, e = ? WHERE k = ? AND ${is} AND ${live}`;
      return changed(sql, hex(value), expires ?? null, key, hex(expected), Date.now());
    },
    increment: (key, by, expires) =>
      settle(async () => {
        const sum = `LAST_INSERT_ID(CAST(v AS SIGNED) + ? + ${MIDDLE})`;
        const sql = `UPDATE ${table} SET v = CAST(${sum} AS SIGNED) - ${MIDDLE}
          WHERE k = ? AND ${live} AND v REGEXP '^-{0,1}[0-9]{1,16}$'`;
        const { changes, id } = await change(sql, by, key, Date.now());
        if (changes) return id - MIDDLE;
        if (await place(key, String(by), expires)) return by;
        counted(await read(key));
        return undefined;
      }),
    delete: (key) => changed(`DELETE FROM ${table} WHERE k = ? AND ${live}`, key, Date.now()),
    async scan(prefix, { limit, cursor }) {
      await ready();
      const sql = `SELECT k FROM ${table} WHERE k > ? AND k < ? AND ${live}
        ORDER BY k LIMIT ${Math.trunc(limit) + 1}`;
      const parameters = [...rangeOf(prefix, cursor), Date.now()];
      return pageOf(await retrying(() => runner.rows(sql, parameters)), limit);
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
