import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterAll, describe, expect, it } from "vitest";
import { sqliteBackend } from "../../plugins/stores/sql/sqlite.ts";
import { testBackend } from "./_backend.ts";

const folder = mkdtempSync(join(tmpdir(), "keyhook-sqlite-"));
const file = join(folder, "deep", "records.sqlite");
const database = new DatabaseSync(join(folder, "own.sqlite"));

afterAll(() => {
  database.close();
  rmSync(folder, { recursive: true, force: true });
});

describe("sqlite in a file", () => {
  testBackend(() => sqliteBackend(file), { describe, expect, it });
});

describe("sqlite in a database of the application's", () => {
  testBackend(() => sqliteBackend(database, { table: "auth_records" }), { describe, expect, it });
});

describe("sqlite in memory", () => {
  testBackend(() => sqliteBackend(":memory:"), { describe, expect, it });
});

it("says that memory does not last", () => {
  expect(sqliteBackend(":memory:").guarantees).toMatchObject({ scope: "process", durable: false });
  expect(sqliteBackend("a.sqlite").guarantees).toMatchObject({ scope: "host", durable: true });
});

it("takes no table that is not a plain name", () => {
  expect(() => sqliteBackend(":memory:", { table: "a; drop table b" })).toThrow("plain name");
});
