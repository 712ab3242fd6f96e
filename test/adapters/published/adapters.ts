import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { DrizzleAdapter } from "@auth/drizzle-adapter";
import { KyselyAdapter } from "@auth/kysely-adapter";
import { defaultEntities, MikroOrmAdapter } from "@auth/mikro-orm-adapter";
import { MongoDBAdapter } from "@auth/mongodb-adapter";
import PostgresAdapter from "@auth/pg-adapter";
import { createIndexes, PouchDBAdapter } from "@auth/pouchdb-adapter";
import { PrismaAdapter } from "@auth/prisma-adapter";
import SequelizeAdapter from "@auth/sequelize-adapter";
import { TypeORMAdapter } from "@auth/typeorm-adapter";
import { UnstorageAdapter } from "@auth/unstorage-adapter";
import { UpstashRedisAdapter } from "@auth/upstash-redis-adapter";
import { MikroORM } from "@mikro-orm/core";
import { PostgreSqlDriver } from "@mikro-orm/postgresql";
import { PrismaPg } from "@prisma/adapter-pg";
import { Redis as UpstashRedis } from "@upstash/redis";
import { drizzle as drizzleMysql } from "drizzle-orm/mysql2";
import { drizzle as drizzlePg } from "drizzle-orm/node-postgres";
import { drizzle as drizzleSqlite } from "drizzle-orm/sqlite-proxy";
import { Redis } from "ioredis";
import { Kysely, MysqlDialect, PostgresDialect } from "kysely";
import { createConnection, createPool } from "mysql2";
import pg from "pg";
import PouchDB from "pouchdb";
import pouchFind from "pouchdb-find";
import { Sequelize } from "sequelize";
import { createStorage } from "unstorage";
import redisDriver from "unstorage/drivers/redis";
import { startBridge } from "../../stores/_bridge.ts";
import {
  MYSQL as MYSQL_SERVER,
  POSTGRES as POSTGRES_SERVER,
  SERVERS,
} from "../../stores/_servers-at.ts";
import { createDrizzleAdapter } from "./drizzle-methods.ts";
import { createMongoClient } from "./mongo.ts";
import { PrismaClient } from "./prisma/dist/client.ts";

// Each run has its own schema, database or prefix, which is removed afterwards.
const run = `keyhook_${process.pid}_${Math.random().toString(36).slice(2, 8)}`;

const { host, port, user, database } = POSTGRES_SERVER;
const POSTGRES = `postgres://${user}@${host}:${port}/${database}`;
const MYSQL = {
  ...SERVERS.mysql,
  user: MYSQL_SERVER.user,
  password: MYSQL_SERVER.password,
  timezone: "Z",
};
const REDIS = `redis://${SERVERS.redis.host}:${SERVERS.redis.port}`;

// The tables, as each adapter's documentation defines them.
const PG_TABLES = `
  CREATE TABLE verification_token (identifier TEXT NOT NULL, expires TIMESTAMPTZ NOT NULL,
    token TEXT NOT NULL, PRIMARY KEY (identifier, token));
  CREATE TABLE accounts (id SERIAL, "userId" INTEGER NOT NULL, type VARCHAR(255) NOT NULL,
    provider VARCHAR(255) NOT NULL, "providerAccountId" VARCHAR(255) NOT NULL, refresh_token TEXT,
    access_token TEXT, expires_at BIGINT, id_token TEXT, scope TEXT, session_state TEXT,
    token_type TEXT, PRIMARY KEY (id));
  CREATE TABLE sessions (id SERIAL, "userId" INTEGER NOT NULL, expires TIMESTAMPTZ NOT NULL,
    "sessionToken" VARCHAR(255) NOT NULL, PRIMARY KEY (id));
  CREATE TABLE users (id SERIAL, name VARCHAR(255), email VARCHAR(255),
    "emailVerified" TIMESTAMPTZ, image TEXT, PRIMARY KEY (id));`;

const DRIZZLE_TABLES = ({ text, time, int, bool }) => `
  CREATE TABLE "user" (id ${text} PRIMARY KEY, name ${text}, email ${text} UNIQUE,
    "emailVerified" ${time}, image ${text});
  CREATE TABLE account ("userId" ${text} NOT NULL REFERENCES "user" (id) ON DELETE CASCADE,
    type ${text} NOT NULL, provider ${text} NOT NULL, "providerAccountId" ${text} NOT NULL,
    refresh_token ${text}, access_token ${text}, expires_at ${int}, token_type ${text},
    scope ${text}, id_token ${text}, session_state ${text},
    PRIMARY KEY (provider, "providerAccountId"));
  CREATE TABLE session ("sessionToken" ${text} PRIMARY KEY,
    "userId" ${text} NOT NULL REFERENCES "user" (id) ON DELETE CASCADE, expires ${time} NOT NULL);
  CREATE TABLE "verificationToken" (identifier ${text} NOT NULL, token ${text} NOT NULL,
    expires ${time} NOT NULL, PRIMARY KEY (identifier, token));
  CREATE TABLE authenticator ("credentialID" ${text} NOT NULL UNIQUE,
    "userId" ${text} NOT NULL REFERENCES "user" (id) ON DELETE CASCADE,
    "providerAccountId" ${text} NOT NULL, "credentialPublicKey" ${text} NOT NULL,
    counter ${int} NOT NULL, "credentialDeviceType" ${text} NOT NULL,
    "credentialBackedUp" ${bool} NOT NULL, transports ${text},
    PRIMARY KEY ("userId", "credentialID"));`;

const KYSELY_TABLES = ({ q, text, long, time }) =>
  `
  CREATE TABLE ${q("User")} (id ${text} PRIMARY KEY, name ${text}, email ${text} UNIQUE,
    ${q("emailVerified")} ${time}, image ${long});
  CREATE TABLE ${q("Account")} (id INT, ${q("userId")} ${text} NOT NULL, type ${text} NOT NULL,
    provider ${text} NOT NULL, ${q("providerAccountId")} ${text} NOT NULL, refresh_token ${long},
    access_token ${long}, expires_at BIGINT, token_type ${long}, scope ${long}, id_token ${long},
    session_state ${long}, PRIMARY KEY (provider, ${q("providerAccountId")}),
    FOREIGN KEY (${q("userId")}) REFERENCES ${q("User")} (id) ON DELETE CASCADE);
  CREATE TABLE ${q("Session")} (${q("sessionToken")} ${text} PRIMARY KEY,
    ${q("userId")} ${text} NOT NULL, expires ${time} NOT NULL,
    FOREIGN KEY (${q("userId")}) REFERENCES ${q("User")} (id) ON DELETE CASCADE);
  CREATE TABLE ${q("VerificationToken")} (identifier ${text} NOT NULL, token ${text} NOT NULL,
    expires ${time} NOT NULL, PRIMARY KEY (identifier, token));`;

const PRISMA_TABLES = `
  CREATE TABLE "User" (id TEXT PRIMARY KEY, name TEXT, email TEXT UNIQUE,
    "emailVerified" TIMESTAMP(3), image TEXT);
  CREATE TABLE "Account" (
    "userId" TEXT NOT NULL REFERENCES "User" (id) ON DELETE CASCADE, type TEXT NOT NULL,
    provider TEXT NOT NULL, "providerAccountId" TEXT NOT NULL, refresh_token TEXT,
    access_token TEXT, expires_at INTEGER, token_type TEXT, scope TEXT, id_token TEXT,
    session_state TEXT, PRIMARY KEY (provider, "providerAccountId"));
  CREATE TABLE "Session" ("sessionToken" TEXT PRIMARY KEY,
    "userId" TEXT NOT NULL REFERENCES "User" (id) ON DELETE CASCADE, expires TIMESTAMP(3) NOT NULL);
  CREATE TABLE "VerificationToken" (identifier TEXT NOT NULL, token TEXT NOT NULL,
    expires TIMESTAMP(3) NOT NULL, PRIMARY KEY (identifier, token));
  CREATE TABLE "Authenticator" ("credentialID" TEXT NOT NULL UNIQUE,
    "userId" TEXT NOT NULL REFERENCES "User" (id) ON DELETE CASCADE,
    "providerAccountId" TEXT NOT NULL, "credentialPublicKey" TEXT NOT NULL,
    counter INTEGER NOT NULL, "credentialDeviceType" TEXT NOT NULL,
    "credentialBackedUp" BOOLEAN NOT NULL, transports TEXT, PRIMARY KEY ("userId", "credentialID"));`;

async function postgres(name) {
  const schema = `${run}_${name}`;
  const admin = new pg.Client(POSTGRES);
  await admin.connect();
  await admin.query(`CREATE SCHEMA ${schema}`);
  await admin.end();
  const pool = new pg.Pool({ connectionString: POSTGRES, options: `-c search_path=${schema}` });
  const close = async () => {
    await pool.query(`DROP SCHEMA ${schema} CASCADE`);
    await pool.end();
  };
  return { pool, schema, close };
}

const mysqlQuery = (connection, sql) =>
  new Promise((resolve, reject) => {
    connection.query(sql, (error, rows) => (error ? reject(error) : resolve(rows)));
  });

async function mysql(name) {
  const database = `${run}_${name}`;
  const admin = createConnection({ ...MYSQL, multipleStatements: true });
  await mysqlQuery(admin, `CREATE DATABASE ${database}; USE ${database};`);
  const close = async () => {
    await mysqlQuery(admin, `DROP DATABASE ${database}`);
    admin.end();
  };
  return { database, query: (sql) => mysqlQuery(admin, sql), close };
}

const MYSQL_DRIZZLE_TABLES = `
  CREATE TABLE user (id VARCHAR(255) PRIMARY KEY, name VARCHAR(255), email VARCHAR(255) UNIQUE,
    emailVerified TIMESTAMP(3) NULL, image VARCHAR(255));
  CREATE TABLE account (userId VARCHAR(255) NOT NULL, type VARCHAR(255) NOT NULL, provider VARCHAR(255) NOT NULL,
    providerAccountId VARCHAR(255) NOT NULL, refresh_token VARCHAR(255), access_token VARCHAR(255), expires_at INT,
    token_type VARCHAR(255), scope VARCHAR(255), id_token VARCHAR(2048), session_state VARCHAR(255),
    PRIMARY KEY (provider, providerAccountId), FOREIGN KEY (userId) REFERENCES user (id) ON DELETE CASCADE);
  CREATE TABLE session (sessionToken VARCHAR(255) PRIMARY KEY, userId VARCHAR(255) NOT NULL, expires TIMESTAMP NOT NULL,
    FOREIGN KEY (userId) REFERENCES user (id) ON DELETE CASCADE);
  CREATE TABLE verificationToken (identifier VARCHAR(255) NOT NULL, token VARCHAR(255) NOT NULL,
    expires TIMESTAMP NOT NULL, PRIMARY KEY (identifier, token));
  CREATE TABLE authenticator (credentialID VARCHAR(255) NOT NULL UNIQUE, userId VARCHAR(255) NOT NULL,
    providerAccountId VARCHAR(255) NOT NULL, credentialPublicKey VARCHAR(255) NOT NULL, counter INT NOT NULL,
    credentialDeviceType VARCHAR(255) NOT NULL, credentialBackedUp BOOLEAN NOT NULL, transports VARCHAR(255),
    PRIMARY KEY (userId, credentialID), FOREIGN KEY (userId) REFERENCES user (id) ON DELETE CASCADE);`;

/** Each entry lists the traits that its tables or its code lack. */
export const published = [
  {
    name: "@auth/pg-adapter on PostgreSQL",
    // Its documented tables have no unique column.
    without: ["unique-email", "unique-account", "odd-text"],
    async open() {
      const { pool, close } = await postgres("pg");
      await pool.query(PG_TABLES);
      return { adapter: PostgresAdapter(pool), close };
    },
  },
  {
    name: "@auth/drizzle-adapter on PostgreSQL",
    // PostgreSQL stores no NUL character.
    without: ["odd-text"],
    async open() {
      const { pool, close } = await postgres("drizzle");
      await pool.query(
        DRIZZLE_TABLES({ text: "TEXT", time: "TIMESTAMP", int: "INTEGER", bool: "BOOLEAN" }),
      );
      return { adapter: DrizzleAdapter(drizzlePg(pool)), close };
    },
  },
  {
    name: "the methods of the README over @auth/drizzle-adapter on PostgreSQL",
    without: ["odd-text"],
    isExtended: true,
    async open() {
      const { pool, close } = await postgres("drizzle_methods");
      await pool.query(
        DRIZZLE_TABLES({ text: "TEXT", time: "TIMESTAMP", int: "INTEGER", bool: "BOOLEAN" }),
      );
      return { adapter: await createDrizzleAdapter(pool), close };
    },
  },
  {
    name: "@auth/drizzle-adapter on SQLite",
    without: ["odd-text"],
    async open() {
      const file = new DatabaseSync(":memory:");
      file.exec("PRAGMA foreign_keys = ON");
      file.exec(DRIZZLE_TABLES({ text: "TEXT", time: "INTEGER", int: "INTEGER", bool: "INTEGER" }));
      const db = drizzleSqlite(async (sql, params, method) => {
        const statement = file.prepare(sql);
        statement.setReturnArrays(true);
        if (method === "run") {
          statement.run(...params);
          return { rows: [] };
        }
        const rows = statement.all(...params);
        return { rows: method === "get" ? rows[0] : rows };
      });
      return { adapter: DrizzleAdapter(db), close: () => file.close() };
    },
  },
  {
    name: "@auth/kysely-adapter on PostgreSQL",
    without: ["odd-text"],
    async open() {
      const { pool, close } = await postgres("kysely");
      const q = (name) => `"${name}"`;
      await pool.query(KYSELY_TABLES({ q, text: "TEXT", long: "TEXT", time: "TIMESTAMPTZ" }));
      const db = new Kysely({ dialect: new PostgresDialect({ pool }) });
      return { adapter: KyselyAdapter(db), close };
    },
  },
  {
    name: "@auth/kysely-adapter on MariaDB",
    // Without RETURNING, it reads a token and then deletes it. MySQL ignores case and accents.
    without: ["odd-text", "one-time"],
    async open() {
      const admin = createConnection({ ...MYSQL, multipleStatements: true });
      const q = (name) => `\`${name}\``;
      await mysqlQuery(admin, `CREATE DATABASE ${run}; USE ${run};`);
      const tables = KYSELY_TABLES({ q, text: "VARCHAR(190)", long: "TEXT", time: "DATETIME(3)" });
      await mysqlQuery(admin, tables);
      const pool = createPool({ ...MYSQL, database: run });
      const db = new Kysely({ dialect: new MysqlDialect({ pool }) });
      const close = async () => {
        await db.destroy();
        await mysqlQuery(admin, `DROP DATABASE ${run}`);
        admin.end();
      };
      return { adapter: KyselyAdapter(db), close };
    },
  },
  {
    name: "@auth/prisma-adapter on PostgreSQL",
    without: ["odd-text"],
    async open() {
      const { pool, schema, close } = await postgres("prisma");
      await pool.query(PRISMA_TABLES);
      const client = new PrismaClient({
        adapter: new PrismaPg({ connectionString: POSTGRES }, { schema }),
      });
      const closeAll = async () => {
        await client.$disconnect();
        await close();
      };
      return { adapter: PrismaAdapter(client), close: closeAll };
    },
  },
  {
    name: "@auth/drizzle-adapter on MariaDB",
    // It reads a token and then deletes it. MySQL ignores case and accents.
    without: ["odd-text", "one-time"],
    async open() {
      const { database, query, close } = await mysql("drizzle");
      await query(MYSQL_DRIZZLE_TABLES);
      const pool = createPool({ ...MYSQL, database });
      const closeAll = async () => {
        await new Promise((resolve) => pool.end(resolve));
        await close();
      };
      return { adapter: DrizzleAdapter(drizzleMysql(pool)), close: closeAll };
    },
  },
  {
    name: "@auth/typeorm-adapter on PostgreSQL",
    // Its entities have no unique account. It reads a token and then deletes it.
    without: ["unique-account", "odd-text", "one-time", "lenient-ids"],
    // Its `updateUser` returns null for fields that it did not receive.
    conform: (adapter) => ({
      ...adapter,
      async updateUser(user) {
        await adapter.updateUser({ ...user });
        return adapter.getUser(user.id);
      },
    }),
    async open() {
      const { schema, close } = await postgres("typeorm");
      const adapter = TypeORMAdapter({
        type: "postgres",
        url: POSTGRES,
        schema,
        synchronize: true,
      });
      const closeAll = async () => {
        await adapter.__disconnect();
        await close();
      };
      return { adapter, close: closeAll };
    },
  },
  {
    name: "@auth/sequelize-adapter on PostgreSQL",
    // Its models have no unique account. It reads a token and then deletes it.
    without: ["unique-account", "odd-text", "one-time", "lenient-ids"],
    // It returns instances of its models, and `useVerificationToken` deletes all tokens of an
    // address.
    conform: ({ createVerificationToken: _, useVerificationToken: __, ...adapter }) =>
      Object.fromEntries(
        Object.entries(adapter).map(([name, method]) => [
          name,
          async (...args) => {
            const row = await method(...args);
            return row?.get?.({ plain: true }) ?? row;
          },
        ]),
      ),
    async open() {
      const { schema, close } = await postgres("sequelize");
      const client = new Sequelize(POSTGRES, {
        logging: false,
        dialectOptions: { options: `-c search_path=${schema}` },
      });
      const adapter = SequelizeAdapter(client);
      // Its accounts and sessions refer to users. It lists the tables of all schemas, which other
      // runs drop.
      for (const name of ["user", "account", "session", "verificationToken"]) {
        const sync = () => client.models[name].sync();
        await sync().catch(sync).catch(sync);
      }
      const closeAll = async () => {
        await client.close();
        await close();
      };
      return { adapter, close: closeAll };
    },
  },
  {
    name: "@auth/mikro-orm-adapter on PostgreSQL",
    without: ["odd-text", "one-time"],
    async open() {
      const { schema, close } = await postgres("mikro");
      const options = {
        driver: PostgreSqlDriver,
        clientUrl: `${POSTGRES}?options=-c%20search_path%3D${schema}`,
        schema,
        entities: Object.values(defaultEntities),
        debug: false,
      };
      const orm = await MikroORM.init(options);
      await orm.getSchemaGenerator().createSchema();
      await orm.close();
      const adapter = MikroOrmAdapter(options);
      const closeAll = async () => {
        await adapter.__disconnect();
        await close();
      };
      return { adapter, close: closeAll };
    },
  },
  {
    name: "@auth/mongodb-adapter on a model of MongoDB",
    // It creates no indexes.
    without: ["unique-email", "unique-account", "odd-text"],
    async open() {
      return { adapter: MongoDBAdapter(createMongoClient()), close() {} };
    },
  },
  {
    name: "@auth/upstash-redis-adapter on Redis",
    // Keys are overwritten, and only the last session of a user is listed.
    without: ["unique-email", "unique-account", "one-time", "moves", "cascade", "odd-text"],
    async open() {
      const bridge = await startBridge();
      const client = new UpstashRedis({ url: bridge.url, token: "any" });
      const adapter = UpstashRedisAdapter(client, { baseKeyPrefix: run });
      const close = async () => {
        const keys = await client.keys(`${run}*`);
        if (keys.length) await client.del(...keys);
        await bridge.stop();
      };
      return { adapter, close };
    },
  },
  {
    name: "@auth/pouchdb-adapter on LevelDB",
    // Only a document's id is unique, and its `deleteUser` does nothing.
    without: ["unique-email", "unique-account", "odd-text", "cascade"],
    async open() {
      PouchDB.plugin(pouchFind);
      const folder = mkdtempSync(join(tmpdir(), "keyhook-pouchdb-"));
      const pouchdb = new PouchDB(join(folder, "auth"));
      await createIndexes(pouchdb);
      const close = async () => {
        await pouchdb.close();
        rmSync(folder, { recursive: true });
      };
      return { adapter: PouchDBAdapter({ pouchdb }), close };
    },
  },
  {
    name: "@auth/unstorage-adapter on Redis",
    // unstorage has no atomic operations, normalizes keys and converts values.
    without: ["unique-email", "unique-account", "one-time", "odd-text", "moves", "cascade"],
    async open() {
      const storage = createStorage({ driver: redisDriver({ base: run, url: REDIS }) });
      const close = async () => {
        await storage.dispose();
        const client = new Redis(REDIS);
        const keys = await client.keys(`${run}*`);
        if (keys.length) await client.del(...keys);
        client.disconnect();
      };
      return { adapter: UnstorageAdapter(storage), close };
    },
  },
];
