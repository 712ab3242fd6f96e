import { Redis } from "ioredis";
import mysql from "mysql2/promise";
import pg from "pg";
import { fsBackend } from "../../plugins/stores/fs/fs.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { redisBackend } from "../../plugins/stores/redis/redis.ts";
import { mysqlBackend } from "../../plugins/stores/sql/mysql.ts";
import { postgresBackend } from "../../plugins/stores/sql/postgres.ts";
import { sqliteBackend } from "../../plugins/stores/sql/sqlite.ts";
import type { StoreBackend } from "../../src/index.ts";
import type { Setting } from "./_history.ts";
import { MYSQL, POSTGRES, SERVERS } from "./_servers-at.ts";

/** A backend with connections of its own. */
export interface Opened {
  backend: StoreBackend;
  close(): Promise<unknown>;
  /** Removes everything that lies there. */
  wipe(): Promise<unknown>;
}

const nothing = async () => {};

/** Opens the place where processes meet; files are for whoever made their folder to remove. */
export function openBackend({ backend, place }: Setting): Opened {
  switch (backend) {
    case "redis": {
      const client = new Redis(SERVERS.redis);
      const wipe = async () => {
        const keys = await client.keys(`${place}*`);
        while (keys.length) await client.unlink(...keys.splice(0, 1000));
      };
      return { backend: redisBackend(client, { base: place }), close: () => client.quit(), wipe };
    }
    case "postgres": {
      const pool = new pg.Pool({ ...POSTGRES, max: 8 });
      const wipe = () => pool.query(`DROP TABLE IF EXISTS ${place}`);
      return { backend: postgresBackend(pool, { table: place }), close: () => pool.end(), wipe };
    }
    case "mysql": {
      const pool = mysql.createPool({ ...MYSQL, connectionLimit: 8 });
      const wipe = () => pool.query(`DROP TABLE IF EXISTS ${place}`);
      return { backend: mysqlBackend(pool, { table: place }), close: () => pool.end(), wipe };
    }
    case "sqlite": {
      const made = sqliteBackend(place);
      return { backend: made, close: async () => made.close?.(), wipe: nothing };
    }
    case "fs":
      return { backend: fsBackend(place), close: nothing, wipe: nothing };
    case "memory":
      return { backend: memoryBackend(), close: nothing, wipe: nothing };
  }
}
