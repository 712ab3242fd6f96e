import { defineStore, randomHex, type StoreBackend, type StorePlugin } from "../../../src/index.ts";
import { createLine } from "../line.ts";
import { counted, endOf, pack, unpack } from "../packed.ts";
import { codeOf, createLocks, type Lock, node } from "./lock.ts";

const TEMPORARY = ".tmp";
const LOCKS = ".locks";
const HOUR = 3_600_000;
/** Records that a sweep or a page looks at for each one it may remove or tell. */
const EFFORT = 10;

/**
 * Records as files, one each, under a folder of a local disk: shared by all processes of this host, not
 * for network file systems. A file is replaced as a whole, a change holds the record's lock, and a
 * process that dies leaves a record as it was before or after.
 */
export function fsBackend(directory: string): StoreBackend {
  // Opened at the first use: where there is no file system, nothing is lost by having been made.
  let opened: ReturnType<typeof openFolder> | undefined;
  const use = () => (opened ??= openFolder(directory));

  return {
    name: "fs",
    guarantees: { scope: "host", consistency: "strong", ttl: "sweep", durable: true },
    atomic: true,
    async get(key) {
      return unpack(await use().read(key));
    },
    async put(key, value, expires) {
      await use().change(key, () => pack(value, expires));
    },
    async putIfAbsent(key, value, expires) {
      const { found } = await use().change(key, (current) =>
        current === null ? pack(value, expires) : undefined,
      );
      return found === null;
    },
    async take(key) {
      return (await use().change(key, () => null)).found;
    },
    async compareAndSet(key, expected, value, expires) {
      const { found } = await use().change(key, (current) =>
        current === expected ? pack(value, expires) : undefined,
      );
      return found === expected;
    },
    async increment(key, by, expires) {
      let sum = 0;
      await use().change(key, (current, end) => {
        sum = counted(current) + by;
        return pack(String(sum), current === null ? expires : end);
      });
      return sum;
    },
    async delete(key) {
      return (await use().change(key, () => null)).found !== null;
    },
    async scan(prefix, { limit, cursor = "" }) {
      const { list, read } = use();
      const [namespace = ""] = prefix.split(".", 1);
      const names = (await list(namespace))
        .map((name) => `${namespace}.${name}`)
        .filter((key) => key.startsWith(prefix) && key > cursor)
        .sort();
      const keys: string[] = [];
      let last: string | undefined;
      for (const key of names.slice(0, limit * EFFORT)) {
        if (keys.length === limit) break;
        if (unpack(await read(key)) !== null) keys.push(key);
        last = key;
      }
      return { keys, ...(last !== undefined && last !== names.at(-1) && { cursor: last }) };
    },
    async sweep(limit) {
      return use().sweep(limit);
    },
  };
}

function openFolder(directory: string) {
  const { fs, path } = node();
  const files = fs.promises;
  const root = path.resolve(directory);
  const locks = createLocks(path.join(root, LOCKS), temporary);
  const fileOf = (key: string) => {
    const dot = key.indexOf(".");
    return path.join(root, key.slice(0, dot), key.slice(dot + 1));
  };

  // The folder may not be there yet, or be removed while the application runs.
  async function prepare(): Promise<void> {
    const made = await files.mkdir(root, { recursive: true, mode: 0o700 });
    if (made !== undefined) await files.writeFile(path.join(root, ".gitignore"), "*\n");
    await files.mkdir(path.join(root, LOCKS), { recursive: true, mode: 0o700 });
    // Last: whoever can write here takes it that the rest is there.
    await files.mkdir(path.join(root, TEMPORARY), { recursive: true, mode: 0o700 });
  }

  async function temporary(text: string, retry = true): Promise<string> {
    const file = path.join(root, TEMPORARY, randomHex(16));
    try {
      await files.writeFile(file, text, { flag: "wx", mode: 0o600 });
    } catch (error) {
      if (codeOf(error) !== "ENOENT" || !retry) throw error;
      await prepare();
      return temporary(text, false);
    }
    return file;
  }

  async function read(key: string): Promise<string | null> {
    try {
      return await files.readFile(fileOf(key), "utf8");
    } catch (error) {
      if (codeOf(error) === "ENOENT") return null;
      throw error;
    }
  }

  async function list(namespace: string): Promise<string[]> {
    try {
      return await files.readdir(path.join(root, namespace));
    } catch (error) {
      if (codeOf(error) === "ENOENT" || codeOf(error) === "ENOTDIR") return [];
      throw error;
    }
  }

  async function write(key: string, text: string, lock: Lock): Promise<void> {
    const source = await temporary(text);
    const target = fileOf(key);
    try {
      await files.mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
      lock.commit(() => fs.renameSync(source, target));
    } catch (error) {
      await files.rm(source, { force: true });
      throw error;
    }
  }

  // Callers of this process stand in line, so that they need not wait for one another by the clock.
  const inLine = createLine();

  /** Changes a record under its lock: a text replaces it, `null` removes it, `undefined` lets it be. */
  function change(
    key: string,
    decide: (current: string | null, end: number | undefined) => string | null | undefined,
  ): Promise<{ found: string | null }> {
    return inLine(key, async () => {
      const lock = await locks.acquire(key);
      try {
        const text = await read(key);
        const found = unpack(text);
        const next = decide(found, text === null ? undefined : endOf(text));
        if (typeof next === "string") await write(key, next, lock);
        else if (next === null && text !== null) {
          lock.commit(() => fs.rmSync(fileOf(key), { force: true }));
        }
        return { found };
      } finally {
        lock.release();
      }
    });
  }

  // Where the last sweep stopped; what dead processes left behind is looked for at the beginning.
  let position = "";

  async function sweep(limit: number): Promise<number> {
    if (position === "") await removeLeftovers();
    const folders = (await list("")).filter((name) => !name.startsWith(".")).sort();
    let removed = 0;
    let looked = 0;
    for (const folder of folders) {
      if (folder < position.slice(0, position.indexOf("."))) continue;
      for (const name of (await list(folder)).sort()) {
        const key = `${folder}.${name}`;
        if (key <= position) continue;
        if (removed === limit || looked++ === limit * EFFORT) return removed;
        position = key;
        const text = await read(key);
        if (text === null || unpack(text) !== null) continue;
        await change(key, (current) => (current === null ? null : undefined));
        removed++;
      }
    }
    position = "";
    return removed;
  }

  async function removeLeftovers(): Promise<void> {
    for (const name of await list(TEMPORARY)) {
      const file = path.join(root, TEMPORARY, name);
      const { mtimeMs } = await files.stat(file).catch(() => ({ mtimeMs: Infinity }));
      if (mtimeMs < Date.now() - HOUR) await files.rm(file, { force: true });
    }
  }

  return { read, list, change, sweep };
}

/**
 * Keeps records in a folder of this host, which is made when it is first needed, hidden from git.
 * @example createAuth().use(fsStore("/var/lib/my-app/auth"))
 */
export default function fsStore(directory: string): StorePlugin {
  return defineStore(fsBackend(directory));
}
