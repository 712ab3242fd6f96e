import { createKeyedQueue, randomHex } from "../../src/_kit.ts";
import {
  definePlugin,
  defineStore,
  type StoreBackend,
  type StorePlugin,
} from "../../src/kernel.ts";
import { type ChangeRecord, createChangeOperations } from "./_change.ts";
import { refuseClient, type ClientRequirement } from "./_client.ts";
import { getExpiry, pack, unpack } from "./_packed.ts";
import { getErrorCode, createLocks, type Lock, node } from "./fs/lock.ts";

const REQUIREMENT: ClientRequirement = {
  store: "fsStore",
  fix: 'the path of a folder: fsStore("/var/lib/my-app/auth")',
};

const TEMPORARY_SUFFIX = ".tmp";
const LOCK_FOLDER = ".locks";
const HOUR_MS = 3_600_000;
/** Maximum number of records that a sweep or a page reads for each record that it may remove or list. */
const READS_PER_RECORD = 10;

/**
 * Creates a backend of files, one for each record, in a folder on a local disk. All processes of this host may share
 * it; network file systems are not supported. A write replaces the whole file by `rename` while it holds the record's
 * lock, so a crash leaves the record as it was before or after the write.
 */
export function fsBackend(directory: string): StoreBackend {
  // Opened on first use, so that the backend can be created without a file system.
  let opened: ReturnType<typeof openFolder> | undefined;
  const getFolder = () => (opened ??= openFolder(directory));

  return {
    name: "fs",
    guarantees: { scope: "host", consistency: "strong", ttl: "sweep", durable: true },
    atomic: true,
    async get(key) {
      return unpack(await getFolder().read(key));
    },
    async put(key, value, expires) {
      await getFolder().change(key, () => pack(value, expires));
    },
    ...createChangeOperations(async (key, decide) => getFolder().change(key, decide)),
    async scan(prefix, { limit, cursor = "" }) {
      const { list, read } = getFolder();
      const [namespace = ""] = prefix.split(".", 1);
      const names = (await list(namespace))
        .map((name) => `${namespace}.${name}`)
        .filter((key) => key.startsWith(prefix) && key > cursor)
        .sort();
      const keys: string[] = [];
      let last: string | undefined;
      for (const key of names.slice(0, limit * READS_PER_RECORD)) {
        if (keys.length === limit) break;
        if (unpack(await read(key)) !== null) keys.push(key);
        last = key;
      }
      return { keys, ...(last !== undefined && last !== names.at(-1) && { cursor: last }) };
    },
    async sweep(limit) {
      return getFolder().sweep(limit);
    },
  };
}

function openFolder(directory: string) {
  const { fs, path } = node();
  const files = fs.promises;
  const root = path.resolve(directory);
  const locks = createLocks(path.join(root, LOCK_FOLDER), writeTemporary);
  const toFile = (key: string) => {
    const dot = key.indexOf(".");
    return path.join(root, key.slice(0, dot), key.slice(dot + 1));
  };

  // Creates the folders, also if they were removed while the application runs.
  async function prepare(): Promise<void> {
    const created = await files.mkdir(root, { recursive: true, mode: 0o700 });
    if (created !== undefined) await files.writeFile(path.join(root, ".gitignore"), "*\n");
    await files.mkdir(path.join(root, LOCK_FOLDER), { recursive: true, mode: 0o700 });
    // Created last: if this folder exists, writers assume that the others exist.
    await files.mkdir(path.join(root, TEMPORARY_SUFFIX), { recursive: true, mode: 0o700 });
  }

  async function writeTemporary(text: string, retry = true): Promise<string> {
    const file = path.join(root, TEMPORARY_SUFFIX, randomHex(16));
    try {
      await files.writeFile(file, text, { flag: "wx", mode: 0o600 });
    } catch (error) {
      if (getErrorCode(error) !== "ENOENT" || !retry) throw error;
      await prepare();
      return writeTemporary(text, false);
    }
    return file;
  }

  async function read(key: string): Promise<string | null> {
    try {
      return await files.readFile(toFile(key), "utf8");
    } catch (error) {
      if (getErrorCode(error) === "ENOENT") return null;
      throw error;
    }
  }

  async function list(namespace: string): Promise<string[]> {
    try {
      return await files.readdir(path.join(root, namespace));
    } catch (error) {
      if (getErrorCode(error) === "ENOENT" || getErrorCode(error) === "ENOTDIR") return [];
      throw error;
    }
  }

  async function write(key: string, text: string, lock: Lock): Promise<void> {
    const source = await writeTemporary(text);
    const target = toFile(key);
    try {
      await files.mkdir(path.dirname(target), { recursive: true, mode: 0o700 });
      lock.commit(() => fs.renameSync(source, target));
    } catch (error) {
      await files.rm(source, { force: true });
      throw error;
    }
  }

  // Callers in this process are queued in memory, so they need not poll for each other's locks.
  const enqueue = createKeyedQueue();

  // Changes a record under its lock.
  const change: ChangeRecord = (key, decide) =>
    enqueue(key, async () => {
      const lock = await locks.acquire(key);
      try {
        const text = await read(key);
        const found = unpack(text);
        const next = decide(found, text === null ? undefined : getExpiry(text));
        if (typeof next === "string") await write(key, next, lock);
        else if (next === null && text !== null) {
          lock.commit(() => fs.rmSync(toFile(key), { force: true }));
        }
        return found;
      } finally {
        lock.release();
      }
    });

  // The key at which the last sweep stopped. A new round first removes what crashed processes left behind.
  let position = "";

  async function sweep(limit: number): Promise<number> {
    if (position === "") await removeLeftovers();
    const folders = (await list("")).filter((name) => !name.startsWith(".")).sort();
    let removed = 0;
    let reads = 0;
    for (const folder of folders) {
      if (folder < position.slice(0, position.indexOf("."))) continue;
      for (const name of (await list(folder)).sort()) {
        const key = `${folder}.${name}`;
        if (key <= position) continue;
        if (removed === limit || reads++ === limit * READS_PER_RECORD) return removed;
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
    for (const name of await list(TEMPORARY_SUFFIX)) {
      const file = path.join(root, TEMPORARY_SUFFIX, name);
      const { mtimeMs } = await files.stat(file).catch(() => ({ mtimeMs: Infinity }));
      if (mtimeMs < Date.now() - HOUR_MS) await files.rm(file, { force: true });
    }
  }

  return { read, list, change, sweep };
}

/**
 * Stores records as files in a folder on this host's local disk, for all processes of the host. The folder is created
 * with the first write, with a `.gitignore` for its content.
 * @throws InvalidConfig for a value that is not a path.
 * @example createAuth().use(fsStore("/var/lib/my-app/auth"))
 */
export const fsStore: (directory: string) => StorePlugin = definePlugin(
  function fsStore(directory): StorePlugin {
    if (typeof directory !== "string") throw refuseClient(directory, REQUIREMENT);
    return defineStore(fsBackend(directory));
  },
);

export default fsStore;
