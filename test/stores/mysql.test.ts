import mysql from "mysql2/promise";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { mysqlBackend } from "../../plugins/stores/mysql.ts";
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
    await pool.query(`DROP TABLE IF EXISTS ${table}`);
    await Promise.all([pool.end(), literal.end(), lost.end()]);
  });

  describe("mysqlBackend on a pool", () => {
    const broken = () => mysqlBackend(lost);
    testBackend(() => mysqlBackend(pool, { table }), { describe, expect, it }, { broken });
  });

  describe("mysqlBackend with NO_BACKSLASH_ESCAPES", () => {
    testBackend(() => mysqlBackend(literal, { table }), { describe, expect, it });

    it("the server treats a backslash as an ordinary character", async () => {
      const [rows] = await literal.query("SELECT '\\\\' AS text, @@sql_mode AS mode");
      expect(rows).toMatchObject([{ mode: expect.stringContaining("NO_BACKSLASH_ESCAPES") }]);
    });
  });
});
