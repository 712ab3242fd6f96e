import { Hookable } from "hookable";
import { EventError, PluginError } from "../errors/errors.ts";
import { isPromise } from "../platform/awaitable.ts";
import { withTimeout } from "../platform/timeout.ts";
import type { ListenerOptions } from "../types/events.ts";
import type { AuthEvents, EventInfo, Kernel } from "../types/kernel.ts";
import type { Awaitable } from "../types/models.ts";
import type { Logger } from "../types/options.ts";
import type { Registrar } from "./hooks.ts";

/** Time limit of a listener in milliseconds; after it, `emit` no longer waits for the listener. */
export const LISTENER_TIMEOUT_MS = 5000;

type Listener = (message: unknown, info: EventInfo) => Awaitable<void>;

/** The events with the operations that only the kernel has. */
export interface EventTable extends Pick<Kernel, "emit"> {
  readonly events: AuthEvents;
  /** Returns the names of the plugins that listen, by event. */
  list(): Record<string, string[]>;
}

// Calls listeners; returns a promise only if one of them did.
function callAll(listeners: readonly Listener[], [message, info]: [unknown, EventInfo]) {
  let pending: Promise<void>[] | undefined;
  for (const listener of listeners) {
    const result = listener(message, info);
    if (isPromise(result)) (pending ??= []).push(result);
  }
  return pending && Promise.all(pending);
}

/** Creates the events of a kernel. A listener that fails or hangs is logged and affects nothing else. */
export function createEvents(
  registrar: Registrar,
  logger: Required<Logger>,
  timeout: number = LISTENER_TIMEOUT_MS,
): EventTable {
  const hookable = new Hookable<Record<string, Listener>>();
  const owners = new Map<string, string[]>();

  const toSafe = (
    listener: Listener,
    plugin: string,
    { background }: ListenerOptions,
  ): Listener => {
    const report = (error: unknown, { name: event, ctx }: EventInfo) => {
      const text = `A listener of the event "${event}" (plugin ${plugin}) failed. The operation itself succeeded.`;
      (ctx?.log ?? logger).error(
        new EventError(text, { cause: { err: error as Error, plugin, event } }),
      );
    };
    return (message, info) => {
      try {
        const result = listener(message, info);
        // Most listeners are synchronous: they must not cost a promise.
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
    if (typeof listener !== "function") {
      throw new PluginError(
        `The listener of the event "${name}" (plugin ${plugin}) is not a function. Pass one as the second argument.`,
      );
    }
    const undo = hookable.hook(name, toSafe(listener, plugin, options));
    owners.set(name, [...(owners.get(name) ?? []), plugin]);
    let isRegistered = true;
    return () => {
      undo();
      const left = owners.get(name) ?? [];
      if (isRegistered) owners.set(name, left.toSpliced(left.indexOf(plugin), 1));
      isRegistered = false;
    };
  };

  return {
    events: { hook: hook as AuthEvents["hook"] },
    emit(name, message, ctx) {
      let pending: Promise<unknown>[] | undefined;
      for (const listened of [name, "*"]) {
        if (!owners.get(listened)?.length) continue;
        const result = hookable.callHookWith(callAll, listened, [message, { name, ctx }]);
        if (result) (pending ??= []).push(result);
      }
      return pending && Promise.all(pending).then(() => {});
    },
    list: () => Object.fromEntries([...owners].filter(([, plugins]) => plugins.length)),
  };
}
