import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Redis } from "ioredis";
import { fsBackend } from "../../../plugins/stores/fs.ts";
import { memoryBackend } from "../../../plugins/stores/memory.ts";
import { redisBackend } from "../../../plugins/stores/redis.ts";
import { sqliteBackend } from "../../../plugins/stores/sqlite.ts";
import type { StoreBackend } from "../../../src/types.ts";
import { SERVERS } from "../../stores/_servers-at.ts";

// A separate database: listing all users of an application scans all keys.
const REDIS = { ...SERVERS.redis, db: 9 };

/** The settings by which another process finds the same records. */
export interface Setting {
  backend: "fs" | "sqlite" | "redis";
  place: string;
}

/** A backend of this process. */
export interface Opened {
  backend: StoreBackend;
  close(): Promise<void>;
}

/**
 * Opens existing records. Imports few packages, because a process that is killed early should start
 * fast.
 */
export function openBackend({ backend: name, place }: Setting): Opened {
  if (name === "fs") return { backend: fsBackend(place), close: async () => {} };
  if (name === "sqlite") {
    const backend = sqliteBackend(place);
    return { backend, close: async () => backend.close?.() };
  }
  const client = new Redis(REDIS);
  return { backend: redisBackend(client, { base: place }), close: async () => client.disconnect() };
}

/** An empty storage. */
export interface Place {
  setting?: Setting;
  /** Opens the records as a new process does. */
  open(): StoreBackend;
  /** Returns every stored byte. */
  dump(): Promise<string>;
  remove(): Promise<void>;
}

/** Creates empty storages of one kind. */
export interface Quarter {
  place(): Place;
  /** Removes everything. */
  close(): Promise<void>;
}

function memory(without: readonly "take"[]): Quarter {
  return {
    place() {
      const entries = new Map<string, unknown>();
      return {
        open() {
          const backend = memoryBackend(entries);
          for (const name of without) delete backend[name];
          return backend;
        },
        dump: async () => JSON.stringify([...entries]),
        remove: async () => entries.clear(),
      };
    },
    close: async () => {},
  };
}

function onDisk(backend: "fs" | "sqlite"): Quarter {
  const root = mkdtempSync(join(tmpdir(), `keyhook-kills-${backend}-`));
  let made = 0;
  return {
    place() {
      const folder = join(root, String(made++));
      mkdirSync(folder);
      const setting: Setting = { backend, place: join(folder, "records") };
      const opened: Opened[] = [];
      return {
        setting,
        open() {
          const one = openBackend(setting);
          opened.push(one);
          return one.backend;
        },
        async dump() {
          const all = readdirSync(folder, { recursive: true, withFileTypes: true });
          const files = all.filter((entry) => entry.isFile());
          const read = files.map(({ parentPath, name }) => readFileSync(join(parentPath, name)));
          return Buffer.concat(read).toString("latin1");
        },
        async remove() {
          for (const one of opened) await one.close();
          rmSync(folder, { recursive: true, force: true });
        },
      };
    },
    close: async () => rmSync(root, { recursive: true, force: true }),
  };
}

function redis(): Quarter {
  const client = new Redis({ ...REDIS, lazyConnect: true });
  const root = `kills-${process.pid}-${process.hrtime.bigint()}:`;
  let made = 0;
  const listKeys = async (base: string): Promise<string[]> => {
    const found: string[] = [];
    for await (const keys of client.scanStream({ match: `${base}*`, count: 1000 })) {
      found.push(...(keys as string[]));
    }
    return found;
  };
  return {
    place() {
      const setting: Setting = { backend: "redis", place: `${root}${made++}:` };
      return {
        setting,
        open: () => redisBackend(client, { base: setting.place }),
        async dump() {
          const keys = await listKeys(setting.place);
          const texts = keys.map((key) =>
            key.endsWith("#") ? client.zrange(key, 0, -1) : client.get(key),
          );
          return JSON.stringify([keys, await Promise.all(texts)]);
        },
        async remove() {
          const keys = await listKeys(setting.place);
          if (keys.length) await client.unlink(...keys);
        },
      };
    },
    close: async () => client.disconnect(),
  };
}

/** The kinds of storage. */
export const QUARTERS = {
  memory: () => memory([]),
  "memory without take": () => memory(["take"]),
  fs: () => onDisk("fs"),
  sqlite: () => onDisk("sqlite"),
  redis,
} as const satisfies Record<string, () => Quarter>;
