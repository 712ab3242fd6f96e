import type { Mutants } from "../_mutant.ts";

export const STORES: readonly Mutants[] = [
  {
    file: "plugins/stores/_packed.ts",
    tests: ["test/stores/fs.test.ts"],
    edits: [["an expired record is returned", ` || (end !== "" && Number(end) <= Date.now())`, ""]],
  },
  {
    file: "plugins/stores/memory.ts",
    tests: ["test/stores/memory.test.ts"],
    edits: [
      [
        "an expired record is returned",
        "return entry && entry.expires > Date.now() ? entry : undefined;",
        "return entry;",
      ],
      [
        "a record is taken twice",
        "      const found = live(key);\n      remove(key);\n      return found?.value ?? null;",
        "      const found = live(key);\n      return found?.value ?? null;",
      ],
      [
        "a record that another request has changed is overwritten",
        "if (live(key)?.value !== expected) return false;",
        "",
      ],
      ["an existing record is overwritten", "if (live(key)) return false;", ""],
    ],
  },
  {
    file: "plugins/stores/fs.ts",
    tests: ["test/stores/fs.test.ts"],
    edits: [
      [
        "every user of the host can read the records",
        `flag: "wx", mode: 0o600`,
        `flag: "wx", mode: 0o644`,
      ],
    ],
  },
  {
    file: "plugins/stores/_change.ts",
    tests: ["test/stores/fs.test.ts"],
    edits: [
      [
        "a record that another process has changed is overwritten",
        "current === expected ? pack(value, expires) : undefined",
        "pack(value, expires)",
      ],
    ],
  },
  {
    file: "plugins/stores/fs/lock.ts",
    tests: ["test/stores/fs.test.ts"],
    edits: [
      [
        "a process writes after its lease has expired",
        "        if (!isLeased())\n          throw",
        "        if (!step)\n          throw",
      ],
      [
        "the lock of a living process is taken over",
        "if (isAbandoned || isDead(holder)) {",
        "if (holder) {",
      ],
    ],
  },
  {
    file: "plugins/stores/_sql/runner.ts",
    tests: ["test/stores/sqlite.test.ts"],
    edits: [
      ["the name of the table may be an SQL statement", "if (!NAME.test(table))", "if (!table)"],
    ],
  },
  {
    file: "plugins/stores/_sql/returning-backend.ts",
    tests: ["test/stores/sqlite.test.ts"],
    edits: [
      [
        "an expired record is returned",
        "`(${plain}.e IS NULL OR ${plain}.e > ?)`",
        "`(${plain}.e IS NULL OR ? > 0)`",
      ],
      [
        "a record that another process has changed is overwritten",
        "WHERE k = ? AND v = ? AND",
        "WHERE k = ? AND v >= ? AND",
      ],
    ],
  },
  {
    file: "plugins/stores/sqlite.ts",
    tests: ["test/stores/sqlite.test.ts"],
    edits: [
      ["every user of the host can open the folder of a database", "mode: 0o700", "mode: 0o755"],
      ["every user of the host can read the database", `"wx", 0o600`, `"wx", 0o644`],
    ],
  },
  {
    file: "plugins/stores/unstorage/drivers.ts",
    tests: ["test/stores/unstorage.test.ts", "test/stores/refusal.test.ts"],
    edits: [
      ["a cache that evicts is accepted as a store", "if (EVICTING.has(name)) {", "if (!name) {"],
    ],
  },
];
