import { fork } from "node:child_process";
import { fileURLToPath } from "node:url";
import type { Setting } from "./_history.ts";

/**
 * Seconds within which a store must respond to an application of several processes: the maximum.
 * These tests check the order of operations, and on a busy machine an operation may wait longer
 * than the default.
 */
export const STORAGE_TIMEOUT = 8;

/** A process that runs tasks. */
export interface Racer<Task, Outcome> {
  readonly child: ReturnType<typeof fork>;
  run(tasks: Task[]): Promise<Outcome[]>;
  end(): Promise<void>;
}

/**
 * Starts a process that runs a script. It reports that it is ready, then returns the outcomes of each list of tasks.
 */
export async function startRacer<Task, Outcome>(
  script: URL,
  setting: Setting,
): Promise<Racer<Task, Outcome>> {
  const child = fork(fileURLToPath(script), [JSON.stringify(setting)], {
    stdio: ["ignore", "ignore", "pipe", "ipc"],
  });
  let complaints = "";
  child.stderr?.on("data", (chunk: Buffer) => (complaints += chunk.toString()));
  const next = <T>() =>
    new Promise<T>((resolve, reject) => {
      const fail = () => reject(new Error(`A racer ended: ${complaints}`));
      child.once("exit", fail);
      child.once("message", (message) => {
        child.off("exit", fail);
        resolve(message as T);
      });
    });
  await next();
  return {
    child,
    run(tasks) {
      const answers = next<Outcome[]>();
      child.send(tasks as object[]);
      return answers;
    },
    async end() {
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = new Promise((resolve) => child.once("exit", resolve));
      child.send("end");
      await gone;
    },
  };
}

/** Starts `count` processes. */
export function startRacers<Task, Outcome>(
  script: URL,
  setting: Setting,
  count: number,
): Promise<Racer<Task, Outcome>[]> {
  return Promise.all(
    Array.from({ length: count }, () => startRacer<Task, Outcome>(script, setting)),
  );
}

/** Runs `body` with `count` processes, and ends them. */
export async function withRacers<Task, Outcome>(
  script: URL,
  setting: Setting,
  count: number,
  body: (racers: Racer<Task, Outcome>[]) => Promise<void>,
): Promise<void> {
  const racers = await startRacers<Task, Outcome>(script, setting, count);
  try {
    await body(racers);
  } finally {
    await Promise.all(racers.map((racer) => racer.end()));
  }
}

/** Runs in a child process: runs the lists of tasks it receives until it receives `end`. */
export function runTasks<Task, Outcome>(
  work: (task: Task) => Promise<Outcome>,
  close: () => Promise<unknown>,
): void {
  process.on("message", (tasks: Task[] | "end") => {
    if (tasks === "end") void close().then(() => process.disconnect());
    else void Promise.all(tasks.map(work)).then((outcomes) => process.send?.(outcomes));
  });
  process.send?.("ready");
}

/** Returns nanoseconds by a clock that all processes of this host share. */
export const clock = () => process.hrtime.bigint().toString();
