import { Hookable } from "hookable";
import { EventError } from "../errors/errors.ts";
import { withTimeout } from "../platform/timeout.ts";
import type { AuthEvents, EventMessages, EventName } from "../types/events.ts";
import type { Awaitable } from "../types/models.ts";
import type { Logger } from "../types/options.ts";
import type { Registrar } from "./hooks.ts";

/** Time limit of a listener in milliseconds; after it, `emit` no longer waits for the listener. */
export const LISTENER_TIMEOUT_MS = 5000;

type Listener = (message: unknown) => Awaitable<void>;

/** The events with the operations that only the kernel has. */
export interface EventTable {
  readonly events: AuthEvents;
  /** Calls all listeners in parallel and waits for them until the time limit. Never rejects. */
  emit<N extends EventName>(name: N, message: EventMessages[N]): Awaitable<void>;
  /** Returns the names of the plugins that listen, by event. */
  list(): Record<string, string[]>;
}

/** Creates the events of a kernel. A listener that fails or hangs is logged and affects nothing else. */
export function createEvents(
  registrar: Registrar,
  logger: Required<Logger>,
  timeout: number = LISTENER_TIMEOUT_MS,
): EventTable {
  const hookable = new Hookable<Record<string, Listener>>();
  const owners = new Map<string, string[]>();

  const run = async (listener: Listener, plugin: string, name: string, message: unknown) => {
    try {
      await withTimeout(listener(message), timeout);
    } catch (error) {
      const text = `A listener of the event "${name}" (plugin ${plugin}) failed. The operation itself succeeded.`;
      logger.error(new EventError(text, { cause: { err: error as Error, plugin, event: name } }));
    }
  };

  return {
    events: {
      hook(name, listener) {
        const { plugin } = registrar;
        const undo = hookable.hook(name, (message) =>
          run(listener as Listener, plugin, name, message),
        );
        const listening = owners.get(name) ?? [];
        owners.set(name, [...listening, plugin]);
        let isRegistered = true;
        return () => {
          undo();
          const left = owners.get(name) ?? [];
          if (isRegistered) owners.set(name, left.toSpliced(left.indexOf(plugin), 1));
          isRegistered = false;
        };
      },
    },
    emit(name, message) {
      if (!owners.get(name)?.length) return;
      return hookable.callHookWith(
        async (listeners) => {
          await Promise.all(listeners.map((listener) => listener(message)));
        },
        name,
        [message],
      );
    },
    list: () => Object.fromEntries([...owners].filter(([, plugins]) => plugins.length)),
  };
}
