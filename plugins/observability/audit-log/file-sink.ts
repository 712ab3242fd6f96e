import { getBuiltin } from "../../../src/_kit.ts";
import { PluginError } from "../../../src/errors.ts";
import { toLine } from "./entry.ts";
import type { AuditEntry, AuditSink } from "./types.ts";

/** Options of `fileSink`. */
export interface FileSinkOptions {
  /** Size in bytes at which the file is renamed and a new one begins. Default 10485760. */
  maxBytes?: number;
  /** Number of renamed files to keep. Older ones are deleted. Default: all are kept. */
  maxFiles?: number;
}

/** Suffix of a renamed file: the time and a random part, so that no process overwrites another's file. */
const RENAMED = /\.\d{4}-\d\d-\d\dT\d\d-\d\d-\d\d\.\d{3}Z-[0-9a-f]{8}$/;

interface FileModules {
  readonly fs: typeof import("node:fs/promises");
  readonly paths: typeof import("node:path");
}

// Not imported, because bundlers for edge runtimes fail on these modules even if another sink is used.
function loadModules(): FileModules {
  const fs = getBuiltin("node:fs/promises");
  const paths = getBuiltin("node:path");
  if (!fs?.open || !paths) {
    throw new PluginError("This runtime has no file system: use another sink than `fileSink`.");
  }
  return { fs, paths } as FileModules;
}

function check(path: string, { maxBytes, maxFiles }: FileSinkOptions): void {
  if (typeof path !== "string" || path === "") {
    throw new PluginError("`fileSink` needs the path of a file as its first argument.");
  }
  for (const [name, value] of Object.entries({ maxBytes, maxFiles })) {
    if (value === undefined || (Number.isSafeInteger(value) && value > 0)) continue;
    throw new PluginError(`\`${name}\` of \`fileSink\` must be a whole number above 0.`);
  }
}

async function append(
  { fs }: FileModules,
  path: string,
  entries: readonly AuditEntry[],
): Promise<{ size: number; inode: number }> {
  // Appending is atomic among the processes of a host (O_APPEND).
  const file = await fs.open(path, "a+", 0o600);
  try {
    const { size } = await file.stat();
    const { buffer } = await file.read({
      buffer: new Uint8Array(1),
      position: Math.max(size - 1, 0),
    });
    // A process that was killed may have left an incomplete line.
    const isTorn = size > 0 && buffer[0] !== 10;
    const text = entries.map((entry) => `${toLine(entry)}\n`).join("");
    await file.appendFile(isTorn ? `\n${text}` : text);
    await file.datasync();
    const { size: written, ino } = await file.stat();
    return { size: written, inode: ino };
  } finally {
    await file.close();
  }
}

// Another process may have renamed the file already. Then the path leads to another inode, or to none.
async function rename({ fs }: FileModules, path: string, inode: number): Promise<void> {
  try {
    if ((await fs.stat(path)).ino !== inode) return;
    const time = new Date().toISOString().replaceAll(":", "-");
    await fs.rename(path, `${path}.${time}-${crypto.randomUUID().slice(0, 8)}`);
  } catch (error) {
    if ((error as { code?: unknown }).code !== "ENOENT") throw error;
  }
}

async function deleteOldest(
  { fs, paths: { basename, dirname, join } }: FileModules,
  path: string,
  maxFiles: number,
): Promise<void> {
  const [folder, name] = [dirname(path), basename(path)];
  const renamed = (await fs.readdir(folder))
    .filter((file) => file.startsWith(name) && RENAMED.test(file.slice(name.length)))
    .sort();
  const oldest = renamed.slice(0, Math.max(renamed.length - maxFiles, 0));
  await Promise.all(oldest.map((file) => fs.rm(join(folder, file), { force: true })));
}

/**
 * Appends each entry as one line of JSON to a file that only its owner can read, and waits until it is on the disk.
 * Several processes of a host may write to one file. Requires Node, or a runtime with `node:fs`.
 */
export function fileSink(path: string, options: FileSinkOptions = {}): AuditSink {
  const { maxBytes = 10_485_760, maxFiles } = options;
  return {
    name: "file",
    open() {
      check(path, options);
      const modules = loadModules();
      return async (entries) => {
        const { fs, paths } = modules;
        await fs.mkdir(paths.dirname(path), { recursive: true });
        const { size, inode } = await append(modules, path, entries);
        if (size < maxBytes) return;
        await rename(modules, path, inode);
        if (maxFiles !== undefined) await deleteOldest(modules, path, maxFiles);
      };
    },
  };
}
