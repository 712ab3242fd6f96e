import mysql from "mysql2/promise";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mysqlBackend } from "../../plugins/stores/mysql.ts";
import { IS_QUICK } from "../_scale.ts";
import { testBackend } from "./_backend.ts";
import { describeWith, MYSQL } from "./_servers.ts";

await describeWith("mysql", "mysqlBackend", () => {
  const pool = mysql.createPool({ ...MYSQL, connectionLimit: 10 });
  const literal = mysql.createPool({ ...MYSQL, connectionLimit: 2 });
  const lost = mysql.createPool({ ...MYSQL, port: 1 });
  const table = `records_${process.pid}`;

  beforeAll(() => {
    literal.on("connection", (connection) => {
      void connection.query("SET SESSION sql_mode = 'NO_BACKSLASH_ESCAPES,ANSI_QUOTES'");
    });
  });
  afterAll(async () => {
    await pool.query(`DROP TABLE IF EXISTS ${table}, named_${table}`);
    await Promise.all([pool.end(), literal.end(), lost.end()]);
  });

  describe("mysqlBackend on a pool", () => {
    const broken = () => mysqlBackend(lost);
    testBackend(() => mysqlBackend(pool, { table }), { describe, expect, it }, { broken });
  });

  describe("mysqlBackend in a named database", () => {
    testBackend(
      () => mysqlBackend(pool, { table: `${MYSQL.database}.named_${table}` }),
      { describe, expect, it },
      { isAdapterLate: true, rounds: 5 },
    );
  });

  describe.skipIf(IS_QUICK)("mysqlBackend with NO_BACKSLASH_ESCAPES", () => {
    testBackend(
      () => mysqlBackend(literal, { table }),
      { describe, expect, it },
      { isAdapterLate: true, rounds: 5 },
    );

    it("the server treats a backslash as an ordinary character", async () => {
      const [rows] = await literal.query("SELECT '\\\\' AS text, @@sql_mode AS mode");
      expect(rows).toMatchObject([{ mode: expect.stringContaining("NO_BACKSLASH_ESCAPES") }]);
    });
  });

  it.each(["utf8", "latin1"])(
    "mysqlBackend keeps every character over a connection whose charset is %s",
    async (charset) => {
      const narrow = mysql.createPool({ ...MYSQL, charset });
      const backend = mysqlBackend(narrow, { table });
      const key = `charset.${charset}`;
      const text = "Zoë 😀 日本 '\\\"?";
      try {
        await backend.put(key, text);
        expect(await backend.get(key)).toBe(text);
        expect(await backend.compareAndSet(key, text, `${text}!`)).toBe(true);
        expect(await backend.take?.(key)).toBe(`${text}!`);
      } finally {
        await narrow.end();
      }
    },
  );
});
