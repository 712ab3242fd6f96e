import type { CacheListing } from "./cache.ts";
import type { CookieAttributes } from "./cookie.ts";
import type { TapInfo } from "./hook.ts";
import type { PagesOptions } from "./options.ts";
import type { StoreBackend, StoreRequirements } from "./store.ts";

/** Everything that is registered, as `auth.inspect()` and `kernel.inspect()` return it: JSON without secrets. */
export interface Inspection {
  basePath: string;
  strategy: string;
  /** Seconds after which a session that the server ended is rejected everywhere; `null`: not before it expires. */
  endsWithin: number | null;
  /** In the order of their setup; `plugins` names the plugins that a plugin brings. */
  plugins: {
    name: string;
    provides: readonly string[];
    requires: readonly string[];
    plugins: readonly string[];
  }[];
  /**
   * `taps` in the order in which they run; `interceptors`: names of the plugins that intercept the hook; `plugin`: the
   * one that added it, absent for the kernel's own.
   */
  hooks: Record<
    string,
    { kind: string; plugin?: string; taps: TapInfo[]; interceptors: readonly string[] }
  >;
  /** Names of the plugins that listen, by event. */
  events: Record<string, readonly string[]>;
  providers: { id: string; name: string; type: string }[];
  /** `csrf`: whether the route needs a CSRF token: `yes`, `no`, `flow` (the provider's flow decides), or `-` for a GET. */
  routes: { method: string; path: string; auth: boolean | "fresh"; csrf: string; plugin: string }[];
  cookies: Record<string, { name: string; attributes: CookieAttributes }>;
  pages: PagesOptions;
  /** The store in use, and the plugins that keep records in it; `backend` is `null` without a store. */
  store: {
    backend: Pick<StoreBackend, "name" | "guarantees" | "atomic"> | null;
    namespaces: {
      namespace: string;
      plugin: string;
      requirements: Omit<StoreRequirements, "validate">;
    }[];
  };
  /** Names of the plugins that wrap the adapter, the store and `fetch`, innermost first. */
  wraps: Record<"adapter" | "store" | "fetch", readonly string[]>;
  /** Names of the methods that the adapter has; `null` without an adapter. */
  adapter: { methods: string[] } | null;
  /** The services that plugins provide to others. */
  services: { name: string; plugin: string }[];
  /** The caches created so far, by name: some are created by the first request that needs them. */
  caches: CacheListing[];
}
