import type { StoreGuarantees } from "../../../src/kernel.ts";

/** The part of a node:sqlite or better-sqlite3 database that tells its location. */
interface PlacedDatabase {
  /** Only in better-sqlite3. */
  readonly memory?: unknown;
  /** Only in node:sqlite from Node 22.16. Returns `null` for a database in memory. */
  location?(): string | null;
}

/** Returns whether an open SQLite database is known to be in memory. */
export function isInMemory(database: unknown): boolean {
  const placed = database as PlacedDatabase | null | undefined;
  return placed?.memory === true || placed?.location?.() === null;
}

/** Returns the guarantees of an SQLite database for its records. */
export function sqliteGuarantees(inMemory: boolean): StoreGuarantees {
  return {
    scope: inMemory ? "process" : "host",
    consistency: "strong",
    ttl: "sweep",
    durable: !inMemory,
  };
}
