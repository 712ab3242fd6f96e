import type { StoreBackend } from "../../../src/index.ts";
import { counted, endOf, pack, unpack } from "../packed.ts";
import type { Place } from "./storage.ts";

/** Drivers that hand a TTL on to what is behind them. */
const NATIVE = /^(cloudflare-kv-|http$|vercel-kv$)/;

/**
 * Records by a driver's own methods, for drivers without an operation that is atomic: good for what is
 * mostly read, and refused where a value must be used once or be unique.
 */
export function plainRecords(name: string, { driver, prefix }: Place): StoreBackend {
  const { setItem, removeItem } = driver;
  if (!setItem || !removeItem) throw new Error(`The driver "${name}" can only be read.`);

  const read = async (key: string): Promise<string | null> => {
    const text = await driver.getItem(prefix + key, {});
    if (text === null || text === undefined) return null;
    if (typeof text !== "string") throw new Error(`The driver "${name}" changed a record.`);
    return text;
  };
  const write = async (key: string, value: string, expires?: number): Promise<void> => {
    const seconds = expires === undefined ? undefined : Math.ceil((expires - Date.now()) / 1000);
    // Cloudflare refuses less than a minute; the end in the record itself is what counts.
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

  const ttl = NATIVE.test(name) ? "native" : "sweep";
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
      const sum = counted(found) + by;
      await write(key, String(sum), found === null || text === null ? expires : endOf(text));
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
