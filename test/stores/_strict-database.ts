import { DatabaseSync } from "node:sqlite";
import type { SqliteDatabase } from "../../plugins/stores/sqlite.ts";

/**
 * Opens a database whose `all()` refuses a statement that returns no rows. better-sqlite3 does the same, but it
 * contains a binary, so these tests do not install it.
 */
export function createStrictDatabase(
  file: string,
): SqliteDatabase & { close(): void; exec(sql: string): void } {
  const database = new DatabaseSync(file);
  database.exec("PRAGMA synchronous = OFF");
  return {
    prepare(sql) {
      const statement = database.prepare(sql);
      return {
        all(...parameters) {
          if (!/^SELECT|\bRETURNING\b/.test(sql))
            throw new TypeError("This statement does not return data. Use run() instead");
          return statement.all(...parameters);
        },
        run: (...parameters) => statement.run(...parameters),
      };
    },
    exec: (sql) => database.exec(sql),
    close: () => database.close(),
  };
}
