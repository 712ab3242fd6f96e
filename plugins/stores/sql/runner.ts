import { once } from "../../../src/index.ts";

/** A row as drivers give it. */
export type Row = Record<string, unknown>;

/** What a SQL database is asked, whatever its driver. Parameters stand as `?`. */
export interface SqlRunner {
  /** Name of the driver, for messages. */
  readonly name: string;
  /** The rows that a statement answers. */
  rows(sql: string, parameters: readonly unknown[]): Promise<Row[]>;
  /** Rows changed; asked of MySQL alone, where no statement answers what it changed. */
  run?(sql: string, parameters: readonly unknown[]): Promise<{ changes: number; id: number }>;
}

/** Options of the SQL stores. */
export interface SqlStoreOptions {
  /** The table, made when it is not there. Default `keyhook_records`. */
  table?: string;
}

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,40}$/;
// Another process is writing: SQLite's BUSY and LOCKED, a deadlock or a conflict elsewhere.
const CONFLICT = /SQLITE_BUSY|SQLITE_LOCKED|database (?:table )?is locked|deadlock/i;
const CODES = new Set<unknown>(["40001", "40P01", "ER_LOCK_DEADLOCK", "ER_LOCK_WAIT_TIMEOUT"]);
const PATIENCE = 2000;

/** The name of a table that may stand in a statement as it is. */
export function tableName({ table = "keyhook_records" }: SqlStoreOptions): string {
  if (!NAME.test(table)) throw new Error(`"${table}" is no plain name of a table.`);
  return table;
}

/** Does it again when another process was in the way. */
export async function retrying<T>(work: () => Promise<T>): Promise<T> {
  const began = performance.now();
  for (let wait = 1; ; wait = Math.min(wait * 2, 50)) {
    try {
      return await work();
    } catch (error) {
      const { message, code } = error as { message?: unknown; code?: unknown };
      const again = CODES.has(code) || CONFLICT.test(String(message));
      if (!again || performance.now() - began > PATIENCE) throw error;
      await new Promise((done) => setTimeout(done, wait * (0.5 + Math.random())));
    }
  }
}

/** Makes the table when it is not there, once; a failure is not remembered. */
export function createSchema(
  { rows }: SqlRunner,
  table: string,
  statements: readonly string[],
): () => Promise<void> {
  return once(async () => {
    // Looked for first: who may use a table may not always make one.
    const there = await rows(`SELECT k FROM ${table} WHERE k = ''`, []).then(
      () => true,
      () => false,
    );
    if (there) return;
    for (const statement of statements) {
      // Two processes at once: the one that comes second may fail, though it says IF NOT EXISTS.
      await rows(statement, []).catch(() => rows(statement, []));
    }
  });
}

/** The keys after which and before which those lie that start with the prefix, which ends in a dot. */
export function rangeOf(prefix: string, cursor?: string): [after: string, before: string] {
  return [cursor ?? prefix, `${prefix.slice(0, -1)}/`];
}

/** A page of a listing that was asked for one key too many. */
export function pageOf(rows: readonly Row[], limit: number) {
  const keys = rows.slice(0, limit).map(({ k }) => String(k));
  const last = keys.at(-1);
  return { keys, ...(last !== undefined && rows.length > limit && { cursor: last }) };
}
