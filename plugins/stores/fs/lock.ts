import { getBuiltin, randomHex } from "../../../src/_kit.ts";

/** A lock held by this process. */
export interface Lock {
  /**
   * Runs the write that the lock protects.
   * @throws Error when the lease is over, since another process may hold the lock by now.
   */
  commit(step: () => void): void;
  /** Deletes the lock's file, unless the lease is over. */
  release(): void;
}

/** Milliseconds within which a holder may commit. Afterwards, another process may take the lock over. */
const LEASE_MS = 10_000;
/**
 * Age in milliseconds at which a lock is taken over although its holder may be alive. Its lease has ended by then. The
 * process that takes it over must have waited for it.
 */
const ABANDONED_MS = 30_000;
/** Milliseconds for which that process must have waited. */
const WATCH_INTERVAL_MS = 1000;
const MAX_WAIT_MS = 5000;

/** Locks between the processes of this host, by name. */
export interface Locks {
  /**
   * Waits for a lock.
   * @throws Error when another process still holds it after 5000 ms.
   */
  acquire(name: string): Promise<Lock>;
}

/** Node's built-in modules that the file store uses. */
export interface NodeModules {
  fs: typeof import("node:fs");
  path: typeof import("node:path");
  process: NodeJS.Process;
}

/**
 * Returns Node's built-in modules without an import, which would fail on runtimes that lack them.
 * @throws Error when the runtime has no file system.
 */
export function node(): NodeModules {
  const { process } = globalThis;
  const fs = getBuiltin("node:fs");
  const path = getBuiltin("node:path");
  if (!fs?.linkSync || !path)
    throw new Error("This runtime has no file system: use another store than stores/fs.");
  return { fs, path, process } as NodeModules;
}

/** Returns the code of a system error, such as `ENOENT`. */
export function getErrorCode(error: unknown): string | undefined {
  return (error as { code?: string } | null)?.code;
}

// Identifies a process by the boot id and the PID namespace (a PID is unique only within both), its PID, and its start
// time, since PIDs are reused.
function processes() {
  const { fs, process } = node();
  const read = (work: () => string): string => {
    try {
      return work();
    } catch {
      return "-";
    }
  };
  const started = (pid: number | string) =>
    read(() => {
      const line = fs.readFileSync(`/proc/${pid}/stat`, "utf8");
      return line.slice(line.lastIndexOf(")") + 2).split(" ")[19] ?? "-";
    });
  const boot = read(() => fs.readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim());
  const host = boot === "-" ? (process.env.HOSTNAME ?? "-") : boot;
  const namespace = `${host}/${read(() => fs.readlinkSync("/proc/self/ns/pid"))}`;
  const self = `${namespace} ${process.pid} ${started("self")}`;
  return {
    self,
    isDead(holder: string): boolean {
      const [owner, pid = "", start] = holder.split(" ");
      if (owner !== namespace) return false;
      try {
        process.kill(Number(pid), 0);
      } catch (error) {
        return getErrorCode(error) === "ESRCH";
      }
      return start !== started(pid);
    },
  };
}

/**
 * Creates locks that are files. `link` is atomic: of N concurrent processes exactly one creates the file with its
 * content. The lock of a dead process is taken over at once. Any other lock, such as one of another host or PID namespace
 * whose holder cannot be checked, is taken over after 30 seconds.
 * @param writeTemporary Writes a text to a new file of the same file system; resolves to its path.
 */
export function createLocks(
  folder: string,
  writeTemporary: (text: string) => Promise<string>,
): Locks {
  const { fs, path } = node();
  const { self, isDead } = processes();

  const readHolder = (file: string): string | undefined => {
    try {
      return fs.readFileSync(file, "utf8");
    } catch (error) {
      if (getErrorCode(error) === "ENOENT") return undefined;
      throw error;
    }
  };

  const getAge = (file: string, now: number): number => {
    try {
      return now - fs.statSync(file).mtimeMs;
    } catch {
      return 0;
    }
  };

  const link = (from: string, to: string): boolean => {
    try {
      fs.linkSync(from, to);
      return true;
    } catch (error) {
      if (getErrorCode(error) === "EEXIST") return false;
      throw error;
    }
  };

  const acquire = async (name: string): Promise<Lock> => {
    const file = path.join(folder, name);
    const id = randomHex(16);
    const ownFile = await writeTemporary(`${self} ${id}`);
    const began = performance.now();
    // Ages are measured with the file system's clock, because this process's clock may be changed and another host's
    // may differ.
    const written = fs.statSync(ownFile).mtimeMs;
    try {
      for (let wait = 1; !link(ownFile, file); wait = Math.min(wait * 2, 4)) {
        const passed = performance.now() - began;
        const holder = readHolder(file);
        if (holder === undefined) continue;
        const isAbandoned =
          passed > WATCH_INTERVAL_MS && getAge(file, written + passed) > ABANDONED_MS;
        if (isAbandoned || isDead(holder)) {
          await takeOver(file, holder);
          continue;
        }
        if (passed > MAX_WAIT_MS)
          throw new Error(
            `Lock of a record is still held by another process after ${MAX_WAIT_MS} ms.`,
          );
        await new Promise((done) => setTimeout(done, wait * (0.5 + Math.random())));
      }
    } finally {
      fs.rmSync(ownFile, { force: true });
    }
    const acquired = performance.now();
    const isLeased = () => performance.now() - acquired < LEASE_MS;
    return {
      // No `await` between the check of the lease and the step.
      commit(step) {
        if (!isLeased())
          throw new Error(
            `Lock of a record expired: the process paused for over ${LEASE_MS} ms while it held it.`,
          );
        step();
      },
      release() {
        if (isLeased()) fs.rmSync(file, { force: true });
      },
    };
  };

  // Two processes that find the same dead lock must not both remove it. The second one could remove the lock of a
  // process that acquired it in between. The removal itself therefore needs a lock, which is named after the dead
  // lock's id.
  const takeOver = async (file: string, holder: string): Promise<void> => {
    const removalLock = await acquire(holder.slice(holder.lastIndexOf(" ") + 1));
    try {
      if (readHolder(file) === holder) removalLock.commit(() => fs.rmSync(file, { force: true }));
    } finally {
      removalLock.release();
    }
  };

  return { acquire };
}
