import { fork } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, describe, expect, it } from "vitest";
import {
  type AuditEntry,
  auditLog,
  fileSink,
  type FileSinkOptions,
} from "../../plugins/observability/audit-log.ts";
import { createTestAuth, LOVELACE } from "../_app.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true });
});

function createFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "keyhook-audit-"));
  folders.push(folder);
  return folder;
}

const entry = (who: string): AuditEntry => ({
  at: "2026-05-01T09:00:00.000Z",
  event: "signIn",
  outcome: "success",
  who,
});

/** Reads all files of a folder, and parses their lines. */
function readEntries(folder: string): AuditEntry[] {
  return readdirSync(folder)
    .sort()
    .flatMap((file) => readFileSync(join(folder, file), "utf8").split("\n"))
    .filter(Boolean)
    .map((line) => JSON.parse(line) as AuditEntry);
}

function open(path: string, options?: FileSinkOptions) {
  return fileSink(path, options).open({} as never);
}

describe("fileSink()", () => {
  it("appends a line for each entry to a file that only its owner can read", async () => {
    const path = join(createFolder(), "logs/audit.log");
    const plugin = auditLog(fileSink(path));
    const { browser } = createTestAuth({ use: [plugin] });
    await browser.signInWith("credentials", LOVELACE);
    await browser.signOut();
    await plugin.flush();
    const lines = readFileSync(path, "utf8").trimEnd().split("\n");
    expect(lines.map((line) => (JSON.parse(line) as AuditEntry).event)).toEqual([
      "signIn",
      "signOut",
    ]);
    expect(statSync(path).mode & 0o777).toBe(0o600);
  });

  it("renames the file at `maxBytes`, and keeps every line", async () => {
    const folder = createFolder();
    const write = open(join(folder, "audit.log"), { maxBytes: 500 });
    for (let at = 0; at < 50; at++) {
      // oxlint-disable-next-line no-await-in-loop -- one batch after another
      await write([entry(String(at))]);
    }
    expect(readdirSync(folder).length).toBeGreaterThan(5);
    for (const file of readdirSync(folder)) {
      expect(statSync(join(folder, file)).size).toBeLessThan(600);
    }
    const ids = readEntries(folder).map(({ who }) => Number(who));
    expect(ids.sort((one, other) => one - other)).toEqual([...Array(50).keys()]);
  });

  it("keeps `maxFiles` renamed files, and deletes no other file of the folder", async () => {
    const folder = createFolder();
    appendFileSync(join(folder, "audit.log.bak"), "{}\n");
    const write = open(join(folder, "audit.log"), { maxBytes: 1, maxFiles: 2 });
    for (let at = 0; at < 6; at++) {
      // oxlint-disable-next-line no-await-in-loop -- one batch after another
      await write([entry(String(at))]);
    }
    expect(readdirSync(folder)).toHaveLength(3);
    expect(readdirSync(folder)).toContain("audit.log.bak");
  });

  it("begins a new line after a partial line of a killed process", async () => {
    const folder = createFolder();
    const path = join(folder, "audit.log");
    appendFileSync(path, '{"at":"2026');
    await open(path)([entry("1")]);
    expect(readFileSync(path, "utf8").split("\n")[1]).toBe(JSON.stringify(entry("1")));
  });

  it("loses no line when several processes write to one file and rename it", async () => {
    const folder = createFolder();
    const script = fileURLToPath(new URL("_write-entries.ts", import.meta.url));
    const writers = ["a", "b", "c"].map((name) =>
      fork(script, [join(folder, "audit.log"), name, "100"]),
    );
    const codes = await Promise.all(writers.map(async (writer) => (await once(writer, "exit"))[0]));
    expect(codes).toEqual([0, 0, 0]);
    const ids = readEntries(folder).map(({ who }) => who);
    expect(new Set(ids).size).toBe(300);
    expect(ids).toHaveLength(300);
    expect(readdirSync(folder).length).toBeGreaterThan(3);
  });

  it.each([
    [() => fileSink(""), "`fileSink` needs the path of a file as its first argument."],
    [
      () => fileSink("x", { maxBytes: 0 }),
      "`maxBytes` of `fileSink` must be a whole number above 0.",
    ],
    [
      () => fileSink("x", { maxFiles: 1.5 }),
      "`maxFiles` of `fileSink` must be a whole number above 0.",
    ],
  ])("boot reports invalid arguments (%#)", (make, message) => {
    const { auth, log } = createTestAuth({ use: [auditLog(make())] });
    expect(() => auth.inspect()).toThrow(message);
    log.expectErrors("PluginError");
  });

  it("a folder that is not writable is logged, and no response is affected", async () => {
    const file = join(createFolder(), "file");
    appendFileSync(file, "");
    const plugin = auditLog(fileSink(join(file, "audit.log")));
    const { browser, log } = createTestAuth({ use: [plugin] });
    await browser.signInWith("credentials", LOVELACE);
    expect(await browser.session()).not.toBeNull();
    await plugin.flush();
    log.expectErrors("EventError");
  });
});
