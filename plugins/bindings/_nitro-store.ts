import { HANDLER, type NitroStore } from "./_nitro-handler.ts";

/** Where a Nitro application keeps records: options of the modules for Nitro and Nuxt. */
export interface NitroStoreOptions {
  /**
   * The mount that keeps the records: a name of `storage` in Nitro's configuration. Boot reports a missing mount, and a
   * driver without the guarantees that a plugin needs.
   */
  storage?: string;
  /** The database that keeps the records: a name of `database` in Nitro's configuration. */
  database?: string;
  /**
   * When the task `keyhook:cleanup` removes expired records, as a cron pattern such as `0 3 * * *`. Default: never by
   * itself. The application can list the task in `scheduledTasks` or run it.
   */
  cleanup?: string;
}

/** The parts of Nitro's (2 or 3) options that stores need. */
export interface NitroStoreTarget {
  readonly meta?: { readonly majorVersion: number };
  readonly options: {
    readonly dev: boolean;
    readonly database?: Record<string, unknown> | undefined;
    readonly devDatabase?: Record<string, unknown> | undefined;
    readonly experimental: { database?: boolean; tasks?: boolean };
    readonly virtual: Record<string, unknown>;
    readonly tasks: Record<string, { handler?: string; description?: string }>;
    scheduledTasks?: Record<string, string | string[]>;
  };
}

/** The name of the task that removes expired records. */
const CLEANUP_TASK = "keyhook:cleanup";
const CLEANUP = "#keyhook/cleanup";

const RUNTIME: Readonly<Record<number, string>> = { 2: "nitropack/runtime", 3: "nitro" };

// The runtime of the Nitro version that builds the application: each version resolves only its own name.
function importRuntime({ meta }: NitroStoreTarget, part: "storage" | "database"): string {
  const name = part === "storage" ? "useStorage" : "useDatabase";
  return `import { ${name} } from "${RUNTIME[meta?.majorVersion ?? 2]}/${part}";`;
}

function describeMissing(name: string, names: readonly string[]): string {
  const list = names.map((one) => `"${one}"`).join(", ") || "none";
  return (
    `Keyhook's option \`database\` names "${name}", but the databases of the application are: ${list}. Add it to ` +
    `Nitro's configuration (in Nuxt under \`nitro\`): \`database: { ${name}: { connector: "node-sqlite" } }\`.`
  );
}

/**
 * Returns the store for the generated handler, if the options name one.
 * @throws Error for a database that is not configured, and for two stores.
 */
export function findNitroStore(
  nitro: NitroStoreTarget,
  { storage, database }: NitroStoreOptions,
): NitroStore | undefined {
  if (storage !== undefined && database !== undefined) {
    throw new Error("Keyhook's options `storage` and `database` both name a store. Drop one.");
  }
  if (storage !== undefined) {
    return {
      imports: [
        importRuntime(nitro, "storage"),
        'import { unstorageStore } from "keyhook/stores/unstorage";',
      ],
      expression: `unstorageStore(useStorage(), ${JSON.stringify({ mount: storage })})`,
    };
  }
  if (database === undefined) return undefined;
  const { options } = nitro;
  const names = Object.keys((options.dev && options.devDatabase) || options.database || {});
  if (!names.includes(database)) throw new Error(describeMissing(database, names));
  // Without this option, Nitro leaves out the configured databases.
  options.experimental.database = true;
  return {
    imports: [importRuntime(nitro, "database"), 'import { db0Store } from "keyhook/stores/db0";'],
    expression: `db0Store(useDatabase(${JSON.stringify(database)}))`,
  };
}

/** Adds the task that removes expired records. With a cron pattern it runs by itself. */
export function addCleanupTask({ options }: NitroStoreTarget, cleanup?: string): void {
  const description = "Removes expired records of Keyhook's store.";
  options.virtual[CLEANUP] = () =>
    [
      `import handler from "${HANDLER}";`,
      "export default {",
      `  meta: { name: "${CLEANUP_TASK}", description: "${description}" },`,
      "  run: async () => ({ result: { removed: await handler.sweep() } }),",
      "};",
    ].join("\n");
  options.tasks[CLEANUP_TASK] = { handler: CLEANUP, description };
  if (cleanup === undefined) return;
  options.experimental.tasks = true;
  const scheduled = (options.scheduledTasks ??= {});
  const others = scheduled[cleanup] ?? [];
  scheduled[cleanup] = [...new Set([others, CLEANUP_TASK].flat())];
}
