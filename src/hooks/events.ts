import { HookableCore } from "hookable";
import { EventError } from "../errors/errors.ts";
import { isPromise } from "../platform/awaitable.ts";
import { copyFrozen } from "../platform/frozen-copy.ts";
import { withTimeout } from "../platform/timeout.ts";
import type { ListenerOptions } from "../types/events.ts";
import type { AuthContext, AuthEvents, EventInfo, Kernel } from "../types/kernel.ts";
import type { Awaitable } from "../types/models.ts";
import type { Logger } from "../types/options.ts";
import { expectFunction } from "./expect.ts";
import type { Registrar } from "./hooks.ts";

/** Time limit of a listener in milliseconds, after which it counts as failed. */
export const LISTENER_TIMEOUT_MS = 5000;
/** Total milliseconds that a request waits for the listeners of all its events. They then continue on their own. */
const REQUEST_WAIT_MS = 1000;

type Listener = (message: unknown, info: EventInfo) => Awaitable<void>;

/** A listener that neither throws nor rejects, and settles in time. */
type SafeListener = (message: unknown, info: EventInfo) => Promise<void> | void;

/** The events with the operations that only the kernel has. */
export interface EventTable extends Pick<Kernel, "emit"> {
  readonly events: AuthEvents;
  /** Returns the names of the listening plugins by event. */
  list(): Record<string, string[]>;
}

class Listeners extends HookableCore<Record<string, SafeListener>> {
  // Calls in parallel, unlike hookable's own call. Returns a promise only if a listener did.
  callAll(name: string, message: unknown, info: EventInfo): Promise<unknown> | undefined {
    let pending: Promise<void>[] | undefined;
    for (const listener of (this._hooks[name] ?? []).slice() as SafeListener[]) {
      const result = listener(message, info);
      if (isPromise(result)) (pending ??= []).push(result);
    }
    return pending && Promise.all(pending);
  }
}

/** Creates the events of a kernel. A listener that fails or hangs is logged and affects nothing else. */
export function createEvents(
  registrar: Registrar,
  logger: Required<Logger>,
  timeout: number = LISTENER_TIMEOUT_MS,
): EventTable {
  // Milliseconds that each current request may still wait for listeners.
  const left = new WeakMap<AuthContext, number>();

  const waitFor = async (pending: Promise<unknown>, ctx: AuthContext): Promise<void> => {
    const wait = left.get(ctx) ?? REQUEST_WAIT_MS;
    const start = performance.now();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const isOver = await Promise.race([
      pending.then(() => false),
      new Promise<true>((resolve) => {
        timer = setTimeout(() => resolve(true), wait);
      }),
    ]);
    clearTimeout(timer);
    left.set(ctx, Math.max(0, wait - (performance.now() - start)));
    if (isOver) ctx.waitUntil(pending);
  };

  const listeners = new Listeners();
  const owners = new Map<string, string[]>();

  const toSafe = (
    listener: Listener,
    plugin: string,
    { background }: ListenerOptions,
  ): SafeListener => {
    const report = (error: unknown, { name: event, ctx }: EventInfo) => {
      const text = `A listener of the event "${event}" (plugin ${plugin}) failed. The operation itself is not affected.`;
      (ctx?.log ?? logger).error(
        new EventError(text, { cause: { err: error as Error, plugin, event } }),
      );
    };
    return (message, info) => {
      try {
        const result = listener(message, info);
        // Most listeners are synchronous and must not cost a promise.
        if (!isPromise(result)) return;
        const limited = background ? Promise.resolve(result) : withTimeout(result, timeout);
        const settled = limited.catch((error: unknown) => report(error, info));
        if (!background) return settled;
        info.ctx?.waitUntil(settled);
      } catch (error) {
        report(error, info);
      }
      return undefined;
    };
  };

  const hook = (name: string, listener: Listener, options: ListenerOptions = {}): (() => void) => {
    const { plugin } = registrar;
    expectFunction(listener, `The listener of the event "${name}" (plugin ${plugin})`);
    const undo = listeners.hook(name, toSafe(listener, plugin, options));
    owners.set(name, [...(owners.get(name) ?? []), plugin]);
    let isRegistered = true;
    return () => {
      undo();
      const plugins = owners.get(name) ?? [];
      if (isRegistered) owners.set(name, plugins.toSpliced(plugins.indexOf(plugin), 1));
      isRegistered = false;
    };
  };

  return {
    events: { hook: hook as AuthEvents["hook"] },
    emit(name, message, ctx) {
      let pending: Promise<unknown>[] | undefined;
      let copy: typeof message | undefined;
      for (const listened of [name, "*"]) {
        if (!owners.get(listened)?.length) continue;
        // What a listener receives is stored, and may be sent to the browser, so no listener may change it.
        copy ??= copyFrozen(message);
        const result = listeners.callAll(listened, copy, { name, ctx });
        if (result) (pending ??= []).push(result);
      }
      if (!pending) return undefined;
      const all = Promise.all(pending).then(() => {});
      return ctx ? waitFor(all, ctx) : all;
    },
    list: () => Object.fromEntries([...owners].filter(([, plugins]) => plugins.length)),
  };
}
