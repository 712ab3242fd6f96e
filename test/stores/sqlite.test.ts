import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, it } from "vitest";
import { sqliteBackend, type SqliteDatabase } from "../../plugins/stores/sqlite.ts";
import { testBackend } from "./_backend.ts";
import { createStrictDatabase } from "./_strict-database.ts";

const folder = mkdtempSync(join(tmpdir(), "keyhook-sqlite-"));
const file = join(folder, "deep", "records.sqlite");
const database = new DatabaseSync(join(folder, "own.sqlite"));
// The application decides how safely it writes. Waiting for the disk after each record would take
// most of the time.
database.exec("PRAGMA synchronous = OFF");

afterAll(() => {
  database.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("sqliteBackend on a file", () => {
  testBackend(() => sqliteBackend(file), { describe, expect, it });
});

describe("sqliteBackend on a DatabaseSync of the application", () => {
  testBackend(() => sqliteBackend(database, { table: "auth_records" }), { describe, expect, it });
});

describe("sqliteBackend in an attached database", () => {
  database.exec(`ATTACH '${join(folder, "attached.sqlite")}' AS auth`);
  const make = () => sqliteBackend(database, { table: "auth.records" });
  testBackend(make, { describe, expect, it }, { isAdapterLate: true });

  it("sqliteBackend creates its table and its index only in the attached database", async () => {
    await make().put("a.b", "1");
    const names = database.prepare("SELECT name FROM auth.sqlite_master WHERE sql IS NOT NULL");
    expect(names.all().map(({ name }) => name)).toEqual(["records", "records_e"]);
    const own = database.prepare("SELECT name FROM main.sqlite_master WHERE name LIKE 'records%'");
    expect(own.all()).toEqual([]);
  });
});

describe("sqliteBackend on a database of better-sqlite3", () => {
  const own = createStrictDatabase(join(folder, "better.sqlite"));
  testBackend(() => sqliteBackend(own), { describe, expect, it });
  afterAll(() => own.close());
});

describe("sqliteBackend in memory", () => {
  testBackend(() => sqliteBackend(":memory:"), { describe, expect, it });
});

it("sqliteBackend declares a database in memory as not durable", () => {
  expect(sqliteBackend(":memory:").guarantees).toMatchObject({ scope: "process", durable: false });
  expect(sqliteBackend("a.sqlite").guarantees).toMatchObject({ scope: "host", durable: true });
  // A temporary database, and the URIs of databases in memory (https://www.sqlite.org/inmemorydb.html).
  const temporary = ["", "file:", "file::memory:", "file::memory:?cache=shared"];
  for (const path of [...temporary, "file:a?mode=memory", "file:a?cache=shared&mode=memory"]) {
    expect(sqliteBackend(path).guarantees, path).toMatchObject({
      scope: "process",
      durable: false,
    });
  }
  for (const path of ["file:a.sqlite", "file:a.sqlite?mode=rwc"]) {
    expect(sqliteBackend(path).guarantees, path).toMatchObject({ scope: "host", durable: true });
  }
  const own = new DatabaseSync(":memory:");
  expect(sqliteBackend(own).guarantees).toMatchObject({ scope: "process", durable: false });
  expect(sqliteBackend(database).guarantees).toMatchObject({ scope: "host", durable: true });
  own.close();
});

it("sqliteBackend creates a folder that no other user of the host can open", async () => {
  const own = join(folder, "private", "records.sqlite");
  await sqliteBackend(own).put("ns.key", "value");
  expect(statSync(join(folder, "private")).mode & 0o777).toBe(0o700);
});

it("sqliteBackend creates a file that no other user of the host can read, with its log, in a folder with any mode", async () => {
  const shared = join(folder, "shared");
  mkdirSync(shared, { mode: 0o755 });
  const backend = sqliteBackend(join(shared, "records.sqlite"));
  await backend.put("ns.key", "value");
  const modes = readdirSync(shared).map((name) => [
    name,
    statSync(join(shared, name)).mode & 0o777,
  ]);
  expect(Object.fromEntries(modes)).toEqual({
    "records.sqlite": 0o600,
    "records.sqlite-shm": 0o600,
    "records.sqlite-wal": 0o600,
  });
  await backend.close?.();
});

it("sqliteBackend keeps the mode of an existing file", async () => {
  const own = join(folder, "group.sqlite");
  writeFileSync(own, "", { mode: 0o640 });
  await sqliteBackend(own).put("ns.key", "value");
  expect(statSync(own).mode & 0o777).toBe(0o640);
});

it("sqliteBackend rejects a table name that is not a plain identifier", () => {
  for (const table of [
    "a; drop table b",
    "a.b.c",
    ".b",
    "a.",
    "a.1",
    "1.a",
    "a.b\n",
    `a.${"b".repeat(42)}`,
  ]) {
    expect(() => sqliteBackend(":memory:", { table })).toThrow("plain name");
  }
});

it("sqliteBackend waits while other processes lock a new database", async () => {
  const own = new DatabaseSync(":memory:");
  let refusals = 6;
  const locked = {
    prepare(sql: string) {
      if (refusals-- > 0) throw new Error("database is locked");
      return own.prepare(sql) as unknown as ReturnType<SqliteDatabase["prepare"]>;
    },
  };
  const backend = sqliteBackend(locked);
  expect(await backend.putIfAbsent?.("a.b", "1")).toBe(true);
  expect(await backend.get("a.b")).toBe("1");
  own.close();
});
