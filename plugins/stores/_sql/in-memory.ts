import type { StoreGuarantees } from "../../../src/kernel.ts";

/** The part of a database of node:sqlite or better-sqlite3 that says where it is. */
interface PlacedDatabase {
  /** Of better-sqlite3. */
  readonly memory?: unknown;
  /** Of node:sqlite, from Node 22.16 on: `null` in memory. */
  location?(): string | null;
}

/** Returns whether an open database of SQLite is known to lie in memory. */
export function isInMemory(database: unknown): boolean {
  const placed = database as PlacedDatabase | null | undefined;
  return placed?.memory === true || placed?.location?.() === null;
}

/** Returns what a database of SQLite guarantees for its records. */
export function sqliteGuarantees(inMemory: boolean): StoreGuarantees {
  return {
    scope: inMemory ? "process" : "host",
    consistency: "strong",
    ttl: "sweep",
    durable: !inMemory,
  };
}
