/** The part of an unstorage driver (version 1 or 2) that the store uses. */
export interface Driver {
  readonly name?: string;
  readonly options?: unknown;
  getInstance?: () => unknown;
  hasItem(key: string, options: object): unknown;
  getItem(key: string, options?: object): unknown;
  setItem?: (key: string, value: string, options: object) => unknown;
  removeItem?: (key: string, options: object) => unknown;
  getKeys(base: string, options: object): unknown;
}

/** The part of an unstorage `Storage` that the store uses: a root storage, or one of `prefixStorage`. */
export interface Storage {
  getMount(key?: string): { base: string; driver: Driver };
  getMounts(base?: string): { base: string; driver: Driver }[];
  mount(base: string, driver: Driver): unknown;
  unmount(base: string, dispose?: boolean): Promise<void>;
}

/** A mounted driver, and the prefix of the records' keys in it. */
export interface StorageMount {
  readonly driver: Driver;
  /** Prefix of the keys. It is empty or consists of words that each end in a colon. */
  readonly prefix: string;
}

const PROBE_KEY = "keyhook-probe";

/**
 * Finds the prefix of a storage created by `prefixStorage`, which does not expose it. Its `getMount` ignores the prefix
 * and may return a driver of another part of the root storage, but `mount` and `getMounts` do not. This function
 * therefore mounts a probe driver, reads where it was mounted, and unmounts it.
 */
function getPrefix(storage: Storage): string {
  const probe: Driver = { hasItem: () => false, getItem: () => null, getKeys: () => [] };
  storage.mount(PROBE_KEY, probe);
  const found = storage.getMounts("").find(({ driver }) => driver === probe);
  // Unmounted synchronously, before other code can see it. With `dispose` false, nothing is awaited.
  void storage.unmount(PROBE_KEY, false);
  return found?.base.slice(0, -`${PROBE_KEY}:`.length) ?? "";
}

const toPrefix = (text: string): string =>
  text
    .split(/[:/\\]+/)
    .filter(Boolean)
    .map((word) => `${word}:`)
    .join("");

function describeMissing(mount: string, storage: Storage): string {
  const mounts = storage.getMounts("").map(({ base }) => base.slice(0, -1));
  const known = mounts.filter(Boolean).sort();
  const list = known.map((name) => `"${name}"`).join(", ");
  return (
    `The storage has no mount "${mount}" (${known.length ? `it has ${list}` : "it has none"}). Mount a driver there: ` +
    `\`storage.mount("${mount}", driver)\`, in Nitro's configuration \`storage: { "${mount}": { driver: "redis" } }\`, ` +
    "in Nuxt's the same under `nitro`."
  );
}

/**
 * Finds the driver that stores the keys under `base` in a storage, or in one of its mounts.
 * @throws Error when there is no such mount. Otherwise another driver would be used instead.
 */
export function getMount(storage: Storage, base: string, mount?: string): StorageMount {
  const prefix = getPrefix(storage);
  const full = prefix + toPrefix(mount ?? "") + toPrefix(base);
  const { driver, base: mounted } = storage.getMount(full);
  if (mount !== undefined && !mounted.startsWith(prefix + toPrefix(mount))) {
    throw new Error(describeMissing(mount, storage));
  }
  return { driver, prefix: full.slice(mounted.length) };
}
