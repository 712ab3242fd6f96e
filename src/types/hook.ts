import type { Awaitable } from "./models.ts";

/**
 * How the values of the taps are combined. `series` ignores them; `bail` returns the first one; `waterfall` passes
 * each on to the next tap and stops at `null`; `verdict` returns `false` if any tap refuses, else the first redirect.
 */
export type HookKind = "series" | "bail" | "waterfall" | "verdict";

/** The position of a tap in its hook: lower numbers run earlier (-100, -10, 0, 10 and 100 by name). */
export type Stage = "first" | "early" | "normal" | "late" | "last" | number;

/**
 * Options of a tap. Boot refuses an unknown stage, a second tap of the same name in the hook, a target that does not
 * exist, and an order that contradicts the stages or itself.
 */
export interface TapOptions {
  name: string;
  /** Default `normal` (0). Taps of one stage run in the order of their registration. */
  stage?: Stage;
  /** Names of taps that must run after this one; a trailing `?` marks one that may be missing: `"totp?"`. */
  before?: string | readonly string[];
  /** Names of taps that must run before this one; a trailing `?` marks one that may be missing. */
  after?: string | readonly string[];
}

/** A registered tap, as interceptors and `inspect()` receive it. */
export interface TapInfo {
  readonly name: string;
  readonly stage: number;
  /** Name of the plugin that registered the tap; `application` outside of plugins. */
  readonly plugin: string;
}

/** Observes one run of a hook; concurrent requests have separate runs. */
export interface HookRun {
  /** Called before each tap. A function that it returns is called when that tap has settled. */
  tap?(tap: TapInfo): (() => void) | void;
  /** Called when a tap threw, rejected, or returned what the hook does not accept. */
  error?(error: Error, tap: TapInfo): void;
  /** Called once, when the run has ended: with its outcome, or with `undefined` and the error that ended it. */
  done?(outcome: unknown, error?: Error): void;
}

/**
 * An observer of a hook. It is synchronous and cannot change the outcome: errors that it throws are logged, and it
 * must not modify the arguments.
 */
export interface HookInterceptor<Args extends unknown[] = unknown[]> {
  /** Called before the taps run. The object that it returns observes this run only. */
  run(...args: Args): HookRun | undefined | void;
}

/** What the taps of a hook may return besides `undefined`. */
export interface HookResult {
  /** Completes the sentence "Return ...", such as `a Response`. */
  readonly expected: string;
  accepts(value: unknown): boolean;
}

/**
 * A decision point (tapable). Taps may be synchronous or asynchronous. A tap that returns `undefined` leaves the
 * decision to the others; one that returns a value that the hook does not accept fails with `PluginError`. So does the
 * run if its asynchronous taps take more than 10 seconds together.
 */
export interface Hook<Args extends unknown[], Result> {
  /**
   * Registers a tap.
   * @throws PluginError after `setup`.
   */
  tap(
    options: string | TapOptions,
    fn: (...args: Args) => Awaitable<Result | undefined | void>,
  ): void;
  /**
   * Registers an observer of every run.
   * @throws PluginError after `setup`.
   */
  intercept(interceptor: HookInterceptor<Args>): void;
  /** Returns whether the hook has taps or interceptors. */
  isUsed(): boolean;
}

/** Hooks by key; each is created on first use. */
export interface HookMap<Args extends unknown[], Result> {
  for(key: string): Hook<Args, Result>;
}

/** A hook whose taps run around an operation, the first one outermost. */
export interface AroundHook<Args extends unknown[]> {
  /**
   * Registers a tap. Within 5 seconds it must call `next` exactly once, which runs the inner taps and the operation, and
   * settles as the operation does. The tap cannot change the outcome: its return value is ignored.
   * @throws PluginError after `setup`.
   */
  tap(
    options: string | TapOptions,
    fn: (...args: [...Args, next: () => Promise<unknown>]) => Awaitable<void>,
  ): void;
  /** Returns whether the hook has taps. */
  isUsed(): boolean;
}
