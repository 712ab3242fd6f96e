import type { Awaitable } from "./models.ts";

/** The position of a tap in its hook: lower numbers run earlier (-100, -10, 0, 10 and 100 by name). */
export type Stage = "first" | "early" | "normal" | "late" | "last" | number;

/** Options of a tap. */
export interface TapOptions {
  name: string;
  /** Default `normal` (0). Taps of one stage run in the order of their registration. */
  stage?: Stage;
  /** Names of taps that must run after this one; boot reports names that do not exist. */
  before?: string | readonly string[];
}

/** A registered tap, as interceptors and `inspect()` receive it. */
export interface TapInfo {
  readonly name: string;
  readonly stage: number;
  /** Name of the plugin that registered the tap; `application` outside of plugins. */
  readonly plugin: string;
}

/** An observer of a hook; it cannot change the outcome. */
export interface HookInterceptor<Args extends unknown[]> {
  /** Called before the taps run. */
  call?(...args: Args): void;
  /** Called before each tap. */
  tap?(tap: TapInfo): void;
  /** Called when a tap threw. */
  error?(error: Error): void;
}

/**
 * A decision point (tapable). Taps may be synchronous or asynchronous; a tap that returns `undefined` leaves
 * the decision to the others.
 */
export interface Hook<Args extends unknown[], Result> {
  tap(
    options: string | TapOptions,
    fn: (...args: Args) => Awaitable<Result | undefined | void>,
  ): void;
  intercept(interceptor: HookInterceptor<Args>): void;
  isUsed(): boolean;
}

/** Hooks by key; each is created on first use. */
export interface HookMap<Args extends unknown[], Result> {
  for(key: string): Hook<Args, Result>;
}
