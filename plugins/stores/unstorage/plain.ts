import type { StoreBackend } from "../../../src/kernel.ts";
import { parseCounter, getExpiry, pack, unpack } from "../_packed.ts";
import type { StorageMount } from "./storage.ts";

/** Drivers that pass a TTL on to their service. */
const NATIVE_TTL = /^(cloudflare-kv-|http$|vercel-kv$)/;

/**
 * Creates a backend that uses a driver's own methods, for drivers without atomic operations. It is suitable for records
 * that are mostly read, and is refused if a value must be unique or used only once.
 * @throws Error when the driver is read-only.
 */
export function createPlainBackend(name: string, { driver, prefix }: StorageMount): StoreBackend {
  const { setItem, removeItem } = driver;
  if (!setItem || !removeItem)
    throw new Error(`The driver "${name}" can only be read: mount one that can write.`);

  const read = async (key: string): Promise<string | null> => {
    const text = await driver.getItem(prefix + key, {});
    if (text === null || text === undefined) return null;
    if (typeof text !== "string")
      throw new Error(`The driver "${name}" returned a record that is not the text written to it.`);
    return text;
  };
  const write = async (key: string, value: string, expires?: number): Promise<void> => {
    const seconds = expires === undefined ? undefined : Math.ceil((expires - Date.now()) / 1000);
    // Cloudflare rejects a TTL under 60 seconds. The TTL only frees space; the expiry in the record decides.
    const ttl = seconds === undefined ? {} : { ttl: Math.max(60, seconds) };
    await setItem.call(driver, prefix + key, pack(value, expires), ttl);
  };
  const remove = async (key: string): Promise<string | null> => {
    const found = unpack(await read(key));
    await removeItem.call(driver, prefix + key, {});
    return found;
  };
  const list = async (start: string): Promise<string[]> =>
    ((await driver.getKeys(prefix, {})) as string[])
      .filter((key) => key.startsWith(prefix + start))
      .map((key) => key.slice(prefix.length))
      .sort();

  const ttl = NATIVE_TTL.test(name) ? "native" : "sweep";
  let rest: string[] = [];
  const sweep = async (limit: number): Promise<number> => {
    if (!rest.length) rest = await list("");
    let removed = 0;
    for (const key of rest.splice(0, limit)) {
      const text = await read(key);
      if (text === null || unpack(text) !== null) continue;
      await removeItem.call(driver, prefix + key, {});
      removed++;
    }
    return removed;
  };

  return {
    name,
    guarantees: { scope: "global", consistency: "eventual", ttl, durable: true },
    atomic: false,
    get: async (key) => unpack(await read(key)),
    put: write,
    async putIfAbsent(key, value, expires) {
      if (unpack(await read(key)) !== null) return false;
      await write(key, value, expires);
      return true;
    },
    take: remove,
    async compareAndSet(key, expected, value, expires) {
      if (unpack(await read(key)) !== expected) return false;
      await write(key, value, expires);
      return true;
    },
    async increment(key, by, expires) {
      const text = await read(key);
      const found = unpack(text);
      const sum = parseCounter(found) + by;
      await write(key, String(sum), found === null || text === null ? expires : getExpiry(text));
      return sum;
    },
    delete: async (key) => (await remove(key)) !== null,
    async scan(start, { limit, cursor = "" }) {
      const names = (await list(start)).filter((key) => key > cursor);
      const page = names.slice(0, limit);
      const texts = await Promise.all(page.map(read));
      const last = page.at(-1);
      return {
        keys: page.filter((_, at) => unpack(texts[at]) !== null),
        ...(last !== undefined && names.length > limit && { cursor: last }),
      };
    },
    ...(ttl === "sweep" && { sweep }),
  };
}
