import { randomHex } from "../../../src/index.ts";

/** A lock that is held. */
export interface Lock {
  /** Runs the one step that changes something, if the lock is still surely ours. */
  commit(step: () => void): void;
  release(): void;
}

/** A holder commits before this, in milliseconds; afterwards its lock may be somebody else's. */
const LEASE = 10_000;
/** A lock of a holder that cannot be judged is taken over at this age, by one who saw it stand still. */
const ABANDONED = 30_000;
const WATCH = 1000;
const PATIENCE = 5000;

/** Node's own modules, without an import that would break where there are none. */
export function node() {
  const { process } = globalThis;
  const fs = process?.getBuiltinModule?.("node:fs");
  const path = process?.getBuiltinModule?.("node:path");
  if (!fs?.linkSync || !path) throw new Error("There is no file system here.");
  return { fs, path, process };
}

/** The code of a system error. */
export function codeOf(error: unknown): string | undefined {
  return (error as { code?: string } | null)?.code;
}

// What tells processes apart: the boot and the process namespace in which a number means one of them,
// the number, and when it was started, since numbers are used again.
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
  const world = `${host}/${read(() => fs.readlinkSync("/proc/self/ns/pid"))}`;
  const self = `${world} ${process.pid} ${started("self")}`;
  return {
    self,
    isDead(holder: string): boolean {
      const [where, pid = "", start] = holder.split(" ");
      if (where !== world) return false;
      try {
        process.kill(Number(pid), 0);
      } catch (error) {
        return codeOf(error) === "ESRCH";
      }
      return start !== started(pid);
    },
  };
}

/**
 * Makes locks that are files: `link` gives each to one process, whole from the first moment. The lock
 * of a dead process is taken over at once, one that cannot be judged after half a minute.
 */
export function createLocks(folder: string, temporary: (text: string) => Promise<string>) {
  const { fs, path } = node();
  const { self, isDead } = processes();

  const holderOf = (file: string): string | undefined => {
    try {
      return fs.readFileSync(file, "utf8");
    } catch (error) {
      if (codeOf(error) === "ENOENT") return undefined;
      throw error;
    }
  };

  const ageOf = (file: string, now: number): number => {
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
      if (codeOf(error) === "EEXIST") return false;
      throw error;
    }
  };

  const acquire = async (name: string): Promise<Lock> => {
    const file = path.join(folder, name);
    const id = randomHex(16);
    const mine = await temporary(`${self} ${id}`);
    const began = performance.now();
    // The file system's own clock: an application's may be moved, or be another host's.
    const written = fs.statSync(mine).mtimeMs;
    try {
      for (let wait = 1; !link(mine, file); wait = Math.min(wait * 2, 4)) {
        const passed = performance.now() - began;
        const holder = holderOf(file);
        if (holder === undefined) continue;
        const stands = passed > WATCH && ageOf(file, written + passed) > ABANDONED;
        if (stands || isDead(holder)) {
          await takeOver(file, holder);
          continue;
        }
        if (passed > PATIENCE) throw new Error("Another process does not let go of a record.");
        await new Promise((done) => setTimeout(done, wait * (0.5 + Math.random())));
      }
    } finally {
      fs.rmSync(mine, { force: true });
    }
    const held = performance.now();
    const surely = () => performance.now() - held < LEASE;
    return {
      // Nothing waits between the look at the clock and the step.
      commit(step) {
        if (!surely()) throw new Error("The process stood still while it held a record.");
        step();
      },
      release() {
        if (surely()) fs.rmSync(file, { force: true });
      },
    };
  };

  // Two who find the same dead lock must not both remove it: the second would remove the lock of
  // whoever came in between. So the right to remove it is a lock in turn, named after its holder.
  const takeOver = async (file: string, holder: string): Promise<void> => {
    const heir = await acquire(holder.slice(holder.lastIndexOf(" ") + 1));
    try {
      if (holderOf(file) === holder) heir.commit(() => fs.rmSync(file, { force: true }));
    } finally {
      heir.release();
    }
  };

  return { acquire };
}
