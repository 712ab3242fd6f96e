import { rm } from "node:fs/promises";
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
  /** Removes everything that lies there; a database's file is left to whoever made its folder. */
  wipe(): Promise<unknown>;
}

const nothing = async () => {};

/** Opens the place where processes meet. Drivers are loaded where they are needed: it takes its time. */
export async function openBackend({ backend, place }: Setting): Promise<Opened> {
  switch (backend) {
    case "redis": {
      const { Redis } = await import("ioredis");
      const client = new Redis(SERVERS.redis);
      const wipe = async () => {
        const keys = await client.keys(`${place}*`);
        while (keys.length) await client.unlink(...keys.splice(0, 1000));
      };
      return { backend: redisBackend(client, { base: place }), close: () => client.quit(), wipe };
    }
    case "postgres": {
      const { default: pg } = await import("pg");
      const pool = new pg.Pool({ ...POSTGRES, max: 8 });
      const wipe = () => pool.query(`DROP TABLE IF EXISTS ${place}`);
      return { backend: postgresBackend(pool, { table: place }), close: () => pool.end(), wipe };
    }
    case "mysql": {
      const mysql = await import("mysql2/promise");
      const pool = mysql.createPool({ ...MYSQL, connectionLimit: 8 });
      const wipe = () => pool.query(`DROP TABLE IF EXISTS ${place}`);
      return { backend: mysqlBackend(pool, { table: place }), close: () => pool.end(), wipe };
    }
    case "sqlite": {
      const made = sqliteBackend(place);
      return { backend: made, close: async () => made.close?.(), wipe: nothing };
    }
    case "fs": {
      const wipe = () => rm(place, { recursive: true, force: true });
      return { backend: fsBackend(place), close: nothing, wipe };
    }
    case "memory":
      return { backend: memoryBackend(), close: nothing, wipe: nothing };
  }
}
