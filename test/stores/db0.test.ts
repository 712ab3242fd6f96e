import { createDatabase } from "db0";
import nodeSqlite from "db0/connectors/node-sqlite";
import { expect, it } from "vitest";
import { storeAdapter } from "../../plugins/adapters/store.ts";
import { db0Store } from "../../plugins/stores/db0.ts";
import { createAuth } from "../../presets/index.ts";

it("db0Store() is used by an application, which names it by its connector", () => {
  const database = createDatabase(nodeSqlite({ name: ":memory:" }));
  const auth = createAuth({ env: { NODE_ENV: "test" } })
    .use(db0Store(database))
    .use(storeAdapter());
  expect(auth.inspect().store.backend).toMatchObject({ name: "db0-node-sqlite", atomic: true });
});
