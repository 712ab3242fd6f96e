import { once } from "node:events";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { postgresBackend } from "../../plugins/stores/postgres.ts";
import { IS_QUICK } from "../_scale.ts";
import { testBackend } from "./_backend.ts";
import { describeWith, POSTGRES } from "./_servers.ts";

await describeWith("postgres", "postgresBackend", () => {
  const pool = new pg.Pool({ ...POSTGRES, max: 10 });
  const lost = new pg.Pool({ ...POSTGRES, port: 1 });
  const table = `records_${process.pid}`;
  const fresh = `fresh_${process.pid}`;
  const prepared = `prepared_${process.pid}`;

  afterAll(async () => {
    await pool.query(`DROP TABLE IF EXISTS ${table}, ${fresh}, ${prepared}`);
    await Promise.all([pool.end(), lost.end()]);
  });

  describe("postgresBackend on a pool", () => {
    const broken = () => postgresBackend(lost);
    testBackend(() => postgresBackend(pool, { table }), { describe, expect, it }, { broken });
  });

  describe.skipIf(IS_QUICK)("postgresBackend with named statements", () => {
    const broken = () => postgresBackend(lost, { prepare: true });
    const make = () => postgresBackend(pool, { table: prepared, prepare: true });
    testBackend(make, { describe, expect, it }, { broken, isAdapterLate: true, rounds: 5 });

    it("a connection prepares each statement once, also for two stores of one pool", async () => {
      const client = new pg.Client(POSTGRES);
      await client.connect();
      try {
        for (const table of [prepared, fresh, prepared]) {
          const backend = postgresBackend(client, { table, prepare: true });
          await backend.put("a.once", "1");
          expect(await backend.get("a.once")).toBe("1");
          await backend.scan("a.", { limit: 2 });
          await backend.scan("a.", { limit: 3 });
        }
        const { rows } = await client.query(
          "SELECT statement FROM pg_prepared_statements WHERE name LIKE 'keyhook_%' AND statement LIKE $1",
          [`%${prepared}%`],
        );
        const texts = rows.map(({ statement }: { statement: string }) => statement);
        expect(new Set(texts).size).toBe(texts.length);
        expect(texts.filter((text) => text.startsWith("SELECT v"))).toHaveLength(1);
        expect(texts.filter((text) => text.includes("ORDER BY k"))).toHaveLength(1);
      } finally {
        await client.end();
      }
    });
  });

  describe("postgresBackend in a schema", () => {
    const schema = `auth_${process.pid}`;
    const role = `${schema}_user`;
    beforeAll(async () => {
      await pool.query(`CREATE SCHEMA ${schema}`);
      await pool.query(`CREATE ROLE ${role}; GRANT USAGE ON SCHEMA ${schema} TO ${role}`);
    });
    afterAll(() => pool.query(`DROP SCHEMA ${schema} CASCADE; DROP ROLE ${role}`));

    testBackend(
      () => postgresBackend(pool, { table: `${schema}.records` }),
      { describe, expect, it },
      { isAdapterLate: true, rounds: 5 },
    );

    it("postgresBackend says to create the table beforehand if its role may not", async () => {
      const client = new pg.Client(POSTGRES);
      await client.connect();
      try {
        await client.query(`SET ROLE ${role}`);
        const backend = postgresBackend(client, { table: `${schema}.denied` });
        const error = await Promise.resolve(backend.get("a.b")).catch((error: unknown) => error);
        expect(error).toMatchObject({
          code: "42501",
          message: expect.stringMatching(
            /^permission denied for schema auth_\d+: create the table auth_\d+\.denied beforehand, with the SQL/,
          ),
        });
      } finally {
        await client.end();
      }
    });
  });

  it("postgresBackend survives the end of all connections of a pool without an error listener", async () => {
    const name = `keyhook_idle_${process.pid}`;
    const idle = new pg.Pool({ ...POSTGRES, application_name: name });
    const backends = [postgresBackend(idle, { table }), postgresBackend(idle, { table })];
    expect(idle.listenerCount("error")).toBe(1);
    await backends[0]?.put("a.idle", "1");
    const ended = once(idle, "error");
    await pool.query(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = $1",
      [name],
    );
    await ended;
    expect(await backends[1]?.get("a.idle")).toBe("1");
    await idle.end();
  });

  it.each([false, true])(
    "postgresBackend sends a single client one query at a time, also after a failed one (prepare: %s)",
    async (prepare) => {
      const client = new pg.Client(POSTGRES);
      await client.connect();
      const query = client.query.bind(client) as (...args: unknown[]) => Promise<unknown>;
      let running = 0;
      let most = 0;
      let failing = false;
      client.query = (async (...args: unknown[]) => {
        most = Math.max(most, ++running);
        try {
          return await (failing ? query("SELECT nothing") : query(...args));
        } finally {
          running--;
        }
      }) as never;
      try {
        const backend = postgresBackend(client, { table, prepare });
        await backend.put("a.turn", "1");
        failing = true;
        await expect(backend.get("a.turn")).rejects.toThrow('column "nothing" does not exist');
        failing = false;
        const found = await Promise.all(Array.from({ length: 20 }, () => backend.get("a.turn")));
        expect(found).toEqual(Array.from({ length: 20 }, () => "1"));
        expect(most).toBe(1);
      } finally {
        await client.end();
      }
    },
  );

  it("postgresBackend creates its table once under concurrent first writes", async () => {
    const made = await Promise.all(
      Array.from({ length: 8 }, (_, at) =>
        postgresBackend(pool, { table: fresh }).putIfAbsent("a.b", String(at)),
      ),
    );
    expect(made.filter(Boolean).length).toBe(1);
  });
});
