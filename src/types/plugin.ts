import type { AuthContext, Kernel } from "./kernel.ts";
import type { Awaitable } from "./models.ts";
import type { AnyRequestSource } from "./request-source.ts";

/**
 * A unit of registration: `setup` receives the kernel at boot and registers taps, listeners, providers, flows,
 * strategies, routes, cookies, texts or a store. It is synchronous and has no other effect.
 */
export interface Plugin<Extension extends object = {}> {
  /** Unique among the plugins. */
  readonly name: string;
  /** Names or capabilities of plugins that must be present; they are set up earlier. */
  readonly requires?: readonly string[];
  /** Capabilities that the plugin provides. No two plugins may provide the same one. */
  readonly provides?: readonly string[];
  /** Names or capabilities of plugins that must not be present. */
  readonly conflicts?: readonly string[];
  /**
   * Plugins that this one brings. Each is set up before it, and is skipped if the application, a preset or an earlier
   * plugin has one of the same name or provides all its capabilities.
   */
  readonly plugins?: readonly Plugin[];
  /** Registers on the kernel, synchronously: returning a promise is a fault. */
  setup(kernel: Kernel): void;
  /**
   * Prepares what takes time, such as keys or a connection; nothing can be registered here. It is awaited once per
   * configuration, before the first request or server-side call, in the order of the plugins, for at most 10 s. If it
   * fails, what waited for it fails with `InitError` (status 503), and the next request runs it again, even if an
   * earlier call never settled. `auth.inspect()` does not run it.
   */
  init?(kernel: Kernel): Awaitable<void>;
  /**
   * Returns server functions, such as `getTeam(call)`, which `auth.use` adds to the Auth: each takes an
   * `AnyRequestSource` and does its work through `run`. Called by `use`, before there is a kernel. Plugins listed in
   * `plugins` of another one add none.
   */
  extend?(run: RunCall): Extension;
}

/**
 * Boots, and runs work as a call of the application's server code: with a context, inside the taps of `around`, as the
 * operation `call`. Settles as the work does. Cookies that the work sets go out with the response of the event, even
 * if the work fails; with a plain Request they are lost.
 */
export type RunCall = <T>(
  call: AnyRequestSource,
  work: (ctx: AuthContext) => Promise<T>,
) => Promise<T>;
