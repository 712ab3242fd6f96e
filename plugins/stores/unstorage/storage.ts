/** What is used of a driver of unstorage, of either major. */
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

/** What is used of a storage of unstorage: a root, or one made by `prefixStorage`. */
export interface Storage {
  getMount(key?: string): { base: string; driver: Driver };
  getMounts(base?: string): { base: string; driver: Driver }[];
  mount(base: string, driver: Driver): unknown;
  unmount(base: string, dispose?: boolean): Promise<void>;
}

/** A driver, and where in it records shall lie. */
export interface Place {
  readonly driver: Driver;
  /** Keys start with it: words, each with a colon behind it, or nothing. */
  readonly prefix: string;
}

const PROBE = "keyhook-probe";

/**
 * The prefix of a storage that `prefixStorage` made. It hides it, and its `getMount` looks from the root
 * all the same, so that it answers a driver which is not the storage's. What it does translate is where
 * something is mounted.
 */
function prefixOf(storage: Storage): string {
  const probe: Driver = { hasItem: () => false, getItem: () => null, getKeys: () => [] };
  storage.mount(PROBE, probe);
  const found = storage.getMounts("").find(({ driver }) => driver === probe);
  // Undone before anybody else can see it: without a driver to dispose of, nothing is waited for.
  void storage.unmount(PROBE, false);
  return found?.base.slice(0, -`${PROBE}:`.length) ?? "";
}

/** Finds the driver that holds what lies under `base` in a storage. */
export function placeOf(storage: Storage, base: string): Place {
  const full =
    prefixOf(storage) +
    base
      .split(/[:/\\]+/)
      .filter(Boolean)
      .map((word) => `${word}:`)
      .join("");
  const { driver, base: mounted } = storage.getMount(full);
  return { driver, prefix: full.slice(mounted.length) };
}
