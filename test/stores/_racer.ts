import { Redis } from "ioredis";
import pg from "pg";
import { fsBackend } from "../../plugins/stores/fs/fs.ts";
import { redisBackend } from "../../plugins/stores/redis/redis.ts";
import { postgresBackend } from "../../plugins/stores/sql/postgres.ts";
import { sqliteBackend } from "../../plugins/stores/sql/sqlite.ts";
import type { StoreBackend } from "../../src/index.ts";
import type { Answer, Command, Setting } from "./_history.ts";
import { POSTGRES, SERVERS } from "./_servers-at.ts";

// One of several processes that race for the same records. It does what it is sent, and tells when each
// operation began and ended by a clock that all processes of this host share.
function open({ backend, place }: Setting): [StoreBackend, () => Promise<unknown>] {
  if (backend === "redis") {
    const client = new Redis(SERVERS.redis);
    return [redisBackend(client, { base: place }), () => client.quit()];
  }
  if (backend === "postgres") {
    const pool = new pg.Pool({ ...POSTGRES, max: 8 });
    return [postgresBackend(pool, { table: place }), () => pool.end()];
  }
  if (backend === "sqlite") {
    const made = sqliteBackend(place);
    return [made, async () => made.close?.()];
  }
  return [fsBackend(place), async () => {}];
}

const [backend, close] = open(JSON.parse(process.argv[2] ?? "{}") as Setting);
const clock = () => process.hrtime.bigint().toString();

async function run({ operation, key, value = "", expected = "" }: Command): Promise<unknown> {
  if (operation === "put") return backend.put(key, value);
  if (operation === "putIfAbsent") return backend.putIfAbsent(key, value);
  if (operation === "take") return backend.take?.(key);
  if (operation === "compareAndSet") return backend.compareAndSet(key, expected, value);
  if (operation === "increment") return backend.increment(key, 1);
  if (operation === "delete") return backend.delete(key);
  return backend.get(key);
}

process.on("message", (commands: Command[] | "end") => {
  if (commands === "end") {
    void close().then(() => process.disconnect());
    return;
  }
  const work = commands.map(async (command): Promise<Answer> => {
    if (command.delay) await new Promise((resolve) => setTimeout(resolve, command.delay));
    const began = clock();
    try {
      const result = await run(command);
      return { ...command, began, ended: clock(), result: result ?? null };
    } catch (error) {
      return { ...command, began, ended: clock(), error: String(error) };
    }
  });
  void Promise.all(work).then((answers) => process.send?.(answers));
});
process.send?.("ready");
