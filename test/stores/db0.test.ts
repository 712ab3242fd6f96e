import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDatabase } from "db0";
import nodeSqlite from "db0/connectors/node-sqlite";
import { afterAll, expect, it } from "vitest";
import { storeAdapter } from "../../plugins/adapters/store.ts";
import { db0Store } from "../../plugins/stores/db0.ts";
import { createAuth } from "../../presets/index.ts";
import { createStrictDatabase } from "./_strict-database.ts";

const folder = mkdtempSync(join(tmpdir(), "keyhook-db0-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("an application that uses db0Store() names the backend after its connector", () => {
  const database = createDatabase(nodeSqlite({ name: ":memory:" }));
  const auth = createAuth({ env: { NODE_ENV: "test" } })
    .use(db0Store(database))
    .use(storeAdapter());
  expect(auth.inspect().store.backend).toMatchObject({ name: "db0-node-sqlite", atomic: true });
});

it("db0Store() declares a database in memory as not durable, and production refuses it for users", () => {
  const guarantees = (name: string) =>
    db0Store(createDatabase(nodeSqlite({ name, path: name }))).backend.guarantees;
  expect(guarantees(":memory:")).toMatchObject({ scope: "process", durable: false });
  expect(guarantees(join(folder, "a.sqlite"))).toMatchObject({ scope: "host", durable: true });
  const auth = createAuth({
    secret: "keyhook-test-secret-0123456789abcdef",
    env: { NODE_ENV: "production", AUTH_URL: "https://app.example" },
    logger: { error() {}, warn() {} },
  })
    .use(db0Store(createDatabase(nodeSqlite({ name: ":memory:" }))))
    .use(storeAdapter());
  expect(() => auth.inspect()).toThrow("db0-node-sqlite");
});

it.each([
  [
    "throws",
    () => {
      throw new Error("no such folder");
    },
  ],
  ["rejects", () => Promise.reject(new Error("no such package"))],
])("db0Store() accepts a database whose connector %s until its first use", (_, getInstance) => {
  const database = {
    ...createDatabase(nodeSqlite({ name: ":memory:" })),
    dialect: "sqlite",
    getInstance,
  };
  const { guarantees } = db0Store(database as never).backend;
  expect(guarantees).toMatchObject({ scope: "host", durable: true });
});

it("db0Store() creates its table with the connector of better-sqlite3, which Nitro treats as SQLite", async () => {
  const own = createStrictDatabase(join(folder, "better.sqlite"));
  const prepare = (sql: string) => {
    const { all, run } = own.prepare(sql);
    return {
      all: async (...parameters: never[]) => all(...parameters),
      run: async (...parameters: never[]) => run(...parameters),
    };
  };
  const { backend } = db0Store({ dialect: "sqlite", connector: "sqlite", prepare });
  await backend.put("ns.key", "value");
  expect(await backend.get("ns.key")).toBe("value");
  own.close();
});
