import { rm } from "node:fs/promises";
import { fsBackend } from "../../plugins/stores/fs.ts";
import { memoryBackend } from "../../plugins/stores/memory.ts";
import { mysqlBackend } from "../../plugins/stores/mysql.ts";
import { postgresBackend } from "../../plugins/stores/postgres.ts";
import { redisBackend } from "../../plugins/stores/redis.ts";
import { sqliteBackend } from "../../plugins/stores/sqlite.ts";
import type { StoreBackend } from "../../src/kernel.ts";
import type { Setting } from "./_history.ts";
import { MYSQL, POSTGRES, SERVERS } from "./_servers-at.ts";

/** A backend with its own connections. */
export interface Opened {
  backend: StoreBackend;
  close(): Promise<unknown>;
  /** Removes all records. The owner of the folder removes the file of a database. */
  wipe(): Promise<unknown>;
}

const nothing = async () => {};

/** Opens the place that processes share. Drivers are imported lazily, because they load slowly. */
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
