import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { db0Backend } from "../../plugins/stores/db0.ts";
import { mysqlBackend } from "../../plugins/stores/mysql.ts";
import { postgresBackend } from "../../plugins/stores/postgres.ts";
import { sqliteBackend } from "../../plugins/stores/sqlite.ts";
import type { StoreBackend } from "../../src/types.ts";

const readme = readFileSync(new URL("../../plugins/stores/README.md", import.meta.url), "utf8");
const toLine = (sql: string): string =>
  sql.replace(/\s+/g, " ").replaceAll("( ", "(").replaceAll(" )", ")").trim();

/** Runs no SQL: the table is missing until it is created. */
function createRecorder() {
  const created: string[] = [];
  const run = (sql: string): never[] => {
    if (sql.startsWith("CREATE")) created.push(`${toLine(sql)};`);
    else if (!created.length) throw new Error("no such table");
    return [];
  };
  return { created, run };
}

const MAKE: Record<string, (run: (sql: string) => never[]) => StoreBackend> = {
  PostgreSQL: (run) =>
    postgresBackend({ query: async (sql: unknown) => ({ rows: run(sql as string) }) }),
  "MySQL, MariaDB": (run) => mysqlBackend({ query: async (sql) => [run(sql), undefined] }),
  "SQLite, D1, libSQL": (run) =>
    sqliteBackend({ prepare: (sql) => ({ all: () => run(sql), run: () => run(sql) }) }),
};

const documented = new Map(
  [...readme.matchAll(/^-- (.+)\n([^]*?)(?=^--|^```)/gm)].map(([, name, sql = ""]) => [
    name,
    toLine(sql),
  ]),
);

it.each(Object.entries(MAKE))(
  "the README of the stores has the SQL that creates the table in %s",
  async (name, make) => {
    const { created, run } = createRecorder();
    await make(run).get("a.b");
    expect(created.length).toBeGreaterThan(0);
    expect(documented.get(name)).toBe(created.join(" "));
  },
);

it("the table that db0Backend creates is that of the database's own store", async () => {
  for (const [dialect, name] of [
    ["postgresql", "PostgreSQL"],
    ["sqlite", "SQLite, D1, libSQL"],
    ["mysql", "MySQL, MariaDB"],
  ] as const) {
    const { created, run } = createRecorder();
    const prepare = (sql: string) => ({ all: async () => run(sql), run: async () => run(sql) });
    await db0Backend({ dialect, prepare }).get("a.b");
    expect(documented.get(name)).toBe(created.join(" "));
  }
});
