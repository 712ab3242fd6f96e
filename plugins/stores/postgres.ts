import { sha256Hex } from "../../src/_kit.ts";
import {
  definePlugin,
  defineStore,
  type StoreBackend,
  type StorePlugin,
} from "../../src/kernel.ts";
import { expectClient, type ClientRequirement } from "./_client.ts";
import { createReturningBackend } from "./_sql/returning-backend.ts";
import type { SqlRow, SqlRunner, SqlStoreOptions } from "./_sql/runner.ts";

/** The part of a pg client or pool that the store uses. PGlite and Neon have it too. */
export interface PostgresClient {
  query(text: string, values: unknown[]): Promise<{ rows: unknown[] }>;
}

/** The part of a pg client or pool that named statements need. Neon has it too. */
export interface PreparingClient {
  query(statement: { name: string; text: string; values: unknown[] }): Promise<{ rows: unknown[] }>;
}

/** Options of `postgresStore`. */
export interface PostgresStoreOptions extends SqlStoreOptions {
  /**
   * Whether each connection prepares a statement once, under a name, so that the server does not parse it again. Do not
   * use it behind a pooler that gives each transaction another connection, unless the pooler supports named statements
   * (PgBouncer from 1.21). Default `false`.
   */
  prepare?: boolean;
}

const REQUIREMENT: ClientRequirement = {
  store: "postgresStore",
  fix: "a pool or a client of pg: postgresStore(new Pool())",
};

type Query = (statement: string | object, values?: unknown[]) => Promise<{ rows: unknown[] }>;

interface Statement {
  readonly name: string;
  readonly text: string;
}

function toNumbered(sql: string): string {
  let at = 0;
  return sql.replace(/\?/g, () => `$${++at}`);
}

// Stores that share a client must not use one name for two statements.
async function toStatement(sql: string): Promise<Statement> {
  const text = toNumbered(sql);
  return { text, name: `keyhook_${await sha256Hex(text)}`.slice(0, 40) };
}

/** Returns the function that runs statements which each connection prepares once. */
function createPrepared(query: Query): SqlRunner["rows"] {
  // There is one statement for each operation of the store, because values are parameters.
  const statements = new Map<string, Promise<Statement>>();
  return async (sql, parameters) => {
    const statement = statements.get(sql) ?? toStatement(sql);
    statements.set(sql, statement);
    const { rows } = await query({ ...(await statement), values: [...parameters] });
    return rows as SqlRow[];
  };
}

interface Pool {
  /** Only on pools. */
  readonly idleCount?: number;
  connect?(): unknown;
  listenerCount?(event: "error"): number;
  on?(event: "error", listener: () => void): unknown;
}

// A pool emits an error for each idle connection that ends, such as when the server restarts, and opens a new one for
// the next query. Without a listener, Node ends the process. A single client gets no listener, since it could no longer
// be used.
function survive(pool: Pool): void {
  if (pool.idleCount === undefined || pool.listenerCount?.("error") !== 0) return;
  pool.on?.("error", () => {});
}

/**
 * Returns the function that runs queries. On a single client of pg it runs them one after another, as pg 9 will
 * require.
 */
function toQuery(client: Pool & { query: Query }): Query {
  const isPool = client.idleCount !== undefined;
  // PGlite and Neon's queries over HTTP need no connection, and keep the order themselves.
  if (isPool || !client.connect) return (...args) => client.query(...args);
  let last: Promise<unknown> = Promise.resolve();
  return (...args) => {
    const result = last.then(() => client.query(...args));
    last = result.catch(() => {});
    return result;
  };
}

/**
 * Creates a backend in a table of PostgreSQL.
 * @throws Error when `table` is not a plain name, or two names with a dot.
 */
export function postgresBackend(
  client: PostgresClient | PreparingClient,
  options: PostgresStoreOptions = {},
): StoreBackend {
  survive(client as Pool);
  const query = toQuery(client as { query: Query });
  const plain: SqlRunner["rows"] = async (sql, parameters) => {
    const { rows } = await query(toNumbered(sql), [...parameters]);
    return rows as SqlRow[];
  };
  const rows = options.prepare ? createPrepared(query) : plain;
  const guarantees = {
    scope: "global",
    consistency: "strong",
    ttl: "sweep",
    durable: true,
  } as const;
  return createReturningBackend("postgresql", { name: "postgresql", rows }, guarantees, options);
}

/**
 * Stores records in PostgreSQL, in a separate table that is created if it does not exist. Connect to the primary,
 * because a replica may lag behind the last write.
 * @throws InvalidConfig for a value that is not such a client.
 * @example createAuth().use(postgresStore(new Pool()))
 */
export const postgresStore: (
  client: PostgresClient | PreparingClient,
  options?: PostgresStoreOptions,
) => StorePlugin = definePlugin(function postgresStore(client, options): StorePlugin {
  const backend = postgresBackend(expectClient(client, ["query"], REQUIREMENT), options);
  return defineStore(backend);
});

export default postgresStore;
