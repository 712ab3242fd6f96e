import type { Answer, Command, Setting } from "./_history.ts";
import { openBackend } from "./_open.ts";
import { runTasks, clock } from "./_racers.ts";

// One of several processes that race for the same records. It runs the commands it receives and
// reports when each began and ended.
const { backend, close } = await openBackend(JSON.parse(process.argv[2] ?? "{}") as Setting);

async function run({ operation, key, value = "", expected = "" }: Command): Promise<unknown> {
  if (operation === "put") return backend.put(key, value);
  if (operation === "putIfAbsent") return backend.putIfAbsent(key, value);
  if (operation === "take") return backend.take?.(key);
  if (operation === "compareAndSet") return backend.compareAndSet(key, expected, value);
  if (operation === "increment") return backend.increment(key, 1);
  if (operation === "delete") return backend.delete(key);
  return backend.get(key);
}

runTasks(async (command: Command): Promise<Answer> => {
  if (command.delay) await new Promise((resolve) => setTimeout(resolve, command.delay));
  const began = clock();
  try {
    const result = await run(command);
    return { ...command, began, ended: clock(), result: result ?? null };
  } catch (error) {
    return { ...command, began, ended: clock(), error: String(error) };
  }
}, close);
