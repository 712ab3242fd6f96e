import type { Kernel } from "./kernel.ts";
import type { Awaitable } from "./models.ts";

/**
 * A unit of registration: `setup` receives the kernel at boot and adds taps, listeners, providers, flows,
 * strategies, routes, cookies, texts or a store. It is synchronous and has no other effect.
 */
export interface Plugin<Extension extends object = {}> {
  /** Unique among the plugins. */
  readonly name: string;
  /** Names or capabilities of plugins that must be present; those are set up earlier. */
  readonly requires?: readonly string[];
  /** Capabilities that the plugin provides. Two plugins must not provide the same. */
  readonly provides?: readonly string[];
  /** Names or capabilities of plugins that must not be present. */
  readonly conflicts?: readonly string[];
  /**
   * Plugins that this one adds. Each is set up before it, and is left out where the application, a preset or
   * an earlier plugin has one of the same name or provides all its capabilities.
   */
  readonly plugins?: readonly Plugin[];
  /** Registers on the kernel, synchronously: a promise is a fault. */
  setup(kernel: Kernel): void;
  /**
   * Prepares what takes time, such as keys or a connection; nothing can be registered here. It is awaited once
   * for each configuration, before the first request or server-side call, in the order of the plugins, for 10 s
   * at most. When it fails, what waited for it fails with `InitError` (status 503), and the next request runs
   * it again, even if an earlier call never settled. `auth.inspect()` does not run it.
   */
  init?(kernel: Kernel): Awaitable<void>;
  /**
   * Returns the server functions that `auth.use` adds to the Auth; a plugin that is listed in `plugins` adds none. It is
   * called by `use`, before there is a kernel.
   */
  extend?(enter: EnterCall): Extension;
}

/**
 * Boots for a call of the application's server code (a `RequestSource`), and resolves as the work does that it hands the
 * kernel's entry to.
 */
export type EnterCall = <T>(call: object, work: (entry: object) => Promise<T>) => Promise<T>;
