import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync, type SQLInputValue } from "node:sqlite";
import type { AuthConfig } from "@auth/core";
import { KyselyAdapter } from "@auth/kysely-adapter";
import PostgresAdapter from "@auth/pg-adapter";
import { UnstorageAdapter } from "@auth/unstorage-adapter";
import type { BetterAuthOptions } from "better-auth";
import { memoryAdapter } from "better-auth/adapters/memory";
import { Redis } from "ioredis";
import { defineStore, type StorePlugin } from "keyhook/kernel";
import { memoryStore } from "keyhook/stores/memory";
import { postgresStore } from "keyhook/stores/postgres";
import { redisStore } from "keyhook/stores/redis";
import { sqliteStore } from "keyhook/stores/sqlite";
import { Kysely, SqliteDialect } from "kysely";
import pg from "pg";
import { createStorage } from "unstorage";
import redisDriver from "unstorage/drivers/redis";
import { mapAdapter } from "./map-adapter.ts";

type CoreAdapter = NonNullable<AuthConfig["adapter"]>;

/** A record as Keyhook writes it to a backend. */
export type Row = readonly [key: string, value: string, expires: number | undefined];

/** An open, empty backend. */
export interface Backend {
  store: StorePlugin;
  /** The adapters for @auth/core, the fastest first. */
  core: { "@auth/core": () => CoreAdapter } & Record<string, () => CoreAdapter>;
  better: () => BetterAuthOptions;
  /** Writes many of Keyhook's records at once. */
  fill(rows: readonly Row[]): Promise<unknown>;
  close(): unknown;
}

const POSTGRES = process.env.POSTGRES_URL ?? "postgres://postgres@127.0.0.1:5432/postgres";
const REDIS = process.env.REDIS_URL ?? "redis://127.0.0.1:6379";

const unique = () => `keyhook_bench_${process.pid}_${Math.random().toString(36).slice(2, 8)}`;

function memory(): Backend {
  const { backend } = memoryStore();
  // Production rejects its real guarantees.
  const guarantees = { ...backend.guarantees, scope: "host", durable: true } as const;
  const store = defineStore({ ...backend, guarantees });
  const tables = ["user", "session", "account", "verification"];
  return {
    store,
    core: {
      "@auth/core": mapAdapter,
      "@auth/core with unstorage": () => UnstorageAdapter(createStorage()),
    },
    better: () => ({
      database: memoryAdapter(Object.fromEntries(tables.map((name) => [name, []]))),
    }),
    async fill(rows) {
      for (const row of rows) await store.backend.put(...row);
    },
    close() {},
  };
}

const SQLITE_TABLES = `
  CREATE TABLE "User" (id TEXT PRIMARY KEY, name TEXT, email TEXT UNIQUE, "emailVerified" TEXT,
    image TEXT);
  CREATE TABLE "Account" (id TEXT, "userId" TEXT NOT NULL, type TEXT NOT NULL,
    provider TEXT NOT NULL, "providerAccountId" TEXT NOT NULL, refresh_token TEXT,
    access_token TEXT, expires_at INTEGER, token_type TEXT, scope TEXT, id_token TEXT,
    session_state TEXT, PRIMARY KEY (provider, "providerAccountId"));
  CREATE TABLE "Session" ("sessionToken" TEXT PRIMARY KEY, "userId" TEXT NOT NULL,
    expires TEXT NOT NULL);`;

// With the interface of better-sqlite3, which kysely expects.
function forKysely(database: DatabaseSync) {
  return {
    close: () => database.close(),
    prepare(sql: string) {
      const statement = database.prepare(sql);
      return {
        reader: /^select|returning/i.test(sql),
        all: (parameters: SQLInputValue[]) => statement.all(...parameters),
        run: (parameters: SQLInputValue[]) => statement.run(...parameters),
      };
    },
  };
}

function sqlite(): Backend {
  const folder = mkdtempSync(join(tmpdir(), "keyhook-bench-"));
  const opened: DatabaseSync[] = [];
  const open = () => {
    const database = new DatabaseSync(join(folder, `${unique()}.sqlite`));
    database.exec("PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL");
    opened.push(database);
    return database;
  };
  const own = open();
  const store = sqliteStore(own);
  return {
    store,
    core: {
      "@auth/core": () => {
        const database = open();
        database.exec(SQLITE_TABLES);
        const dialect = new SqliteDialect({ database: forKysely(database) as never });
        return KyselyAdapter(new Kysely<never>({ dialect }));
      },
    },
    better: () => ({ database: open() }),
    async fill(rows) {
      await store.backend.get("none");
      const insert = own.prepare("INSERT INTO keyhook_records (k, v, e) VALUES (?, ?, ?)");
      own.exec("BEGIN");
      for (const [key, value, expires] of rows) insert.run(key, value, expires ?? null);
      own.exec("COMMIT");
    },
    close() {
      for (const database of opened) database.close();
      rmSync(folder, { recursive: true });
    },
  };
}

async function redis(): Promise<Backend> {
  const base = unique();
  const connect = (options = {}) =>
    new Redis(REDIS, { lazyConnect: true, retryStrategy: () => null, ...options });
  const client = connect();
  client.on("error", () => {});
  await client.connect();
  const storage = createStorage({ driver: redisDriver({ base, url: REDIS }) });
  const pipelining = connect({ enableAutoPipelining: true });
  const filling = redisStore(pipelining, { base: `${base}:` });
  return {
    store: redisStore(client, { base: `${base}:` }),
    core: {
      "@auth/core": () => UnstorageAdapter(storage),
    },
    better: () => ({
      ...memory().better(),
      secondaryStorage: {
        get: (key) => client.get(base + key),
        getAndDelete: (key) => client.getdel(base + key),
        increment: async (key, ttl) => {
          const count = await client.incr(base + key);
          if (count === 1) await client.expire(base + key, ttl);
          return count;
        },
        set: async (key, value, ttl) => {
          await (ttl ? client.set(base + key, value, "EX", ttl) : client.set(base + key, value));
        },
        delete: async (key) => {
          await client.del(base + key);
        },
      },
    }),
    fill: (rows) => Promise.all(rows.map((row) => filling.backend.put(...row))),
    async close() {
      for await (const keys of client.scanStream({ match: `${base}*`, count: 10_000 })) {
        if (keys.length) await client.unlink(...keys);
      }
      client.disconnect();
      pipelining.disconnect();
      await storage.dispose();
    },
  };
}

// The tables of the adapter's documentation, with the indexes that it leaves to the reader.
const POSTGRES_TABLES = `
  CREATE TABLE accounts (id SERIAL PRIMARY KEY, "userId" INTEGER NOT NULL,
    type VARCHAR(255) NOT NULL, provider VARCHAR(255) NOT NULL,
    "providerAccountId" VARCHAR(255) NOT NULL, refresh_token TEXT, access_token TEXT,
    expires_at BIGINT, id_token TEXT, scope TEXT, session_state TEXT, token_type TEXT,
    UNIQUE (provider, "providerAccountId"));
  CREATE TABLE sessions (id SERIAL PRIMARY KEY, "userId" INTEGER NOT NULL,
    expires TIMESTAMPTZ NOT NULL, "sessionToken" VARCHAR(255) NOT NULL UNIQUE);
  CREATE TABLE users (id SERIAL PRIMARY KEY, name VARCHAR(255), email VARCHAR(255) UNIQUE,
    "emailVerified" TIMESTAMPTZ, image TEXT);`;

async function postgres(): Promise<Backend> {
  const schema = unique();
  const client = new pg.Client(POSTGRES);
  await client.connect();
  await client.query(`CREATE SCHEMA ${schema}; SET search_path TO ${schema}; ${POSTGRES_TABLES}`);
  await client.end();
  const pool = new pg.Pool({ connectionString: POSTGRES, options: `-c search_path=${schema}` });
  const store = postgresStore(pool);
  return {
    store,
    core: { "@auth/core": () => PostgresAdapter(pool) },
    better: () => ({ database: pool }),
    async fill(rows) {
      await store.backend.get("none");
      const columns = [0, 1, 2].map((at) => rows.map((row) => row[at] ?? null));
      await pool.query(
        "INSERT INTO keyhook_records SELECT * FROM unnest($1::text[], $2::text[], $3::bigint[])",
        columns,
      );
    },
    async close() {
      await pool.query(`DROP SCHEMA ${schema} CASCADE`);
      await pool.end();
    },
  };
}

/** The backends by name. Each call opens a new, empty place, and fails if there is no server. */
export const backends: Record<string, () => Backend | Promise<Backend>> = {
  memory,
  SQLite: sqlite,
  Redis: redis,
  PostgreSQL: postgres,
};
