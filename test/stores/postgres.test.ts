import pg from "pg";
import { afterAll, describe, expect, it } from "vitest";
import { postgresBackend } from "../../plugins/stores/postgres.ts";
import { testBackend } from "./_backend.ts";
import { describeWith, POSTGRES } from "./_servers.ts";

await describeWith("postgres", "postgresBackend", () => {
  const pool = new pg.Pool({ ...POSTGRES, max: 10 });
  const lost = new pg.Pool({ ...POSTGRES, port: 1 });
  const table = `records_${process.pid}`;
  const fresh = `fresh_${process.pid}`;

  afterAll(async () => {
    await pool.query(`DROP TABLE IF EXISTS ${table}, ${fresh}`);
    await Promise.all([pool.end(), lost.end()]);
  });

  describe("postgresBackend on a pool", () => {
    const broken = () => postgresBackend(lost);
    testBackend(() => postgresBackend(pool, { table }), { describe, expect, it }, { broken });
  });

  it("postgresBackend creates its table once under concurrent first writes", async () => {
    const made = await Promise.all(
      Array.from({ length: 8 }, (_, at) =>
        postgresBackend(pool, { table: fresh }).putIfAbsent("a.b", String(at)),
      ),
    );
    expect(made.filter(Boolean).length).toBe(1);
  });
});
