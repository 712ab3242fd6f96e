import { Hookable } from "hookable";
import { EventError } from "./errors.ts";
import { within } from "./time.ts";
import type { Registrar } from "./hooks.ts";
import type { AuthEvents, EventMessages, EventName } from "./types/events.ts";
import type { Awaitable } from "./types/models.ts";
import type { Logger } from "./types/options.ts";

/** Milliseconds after which a listener is no longer waited for. */
export const LISTENER_TIMEOUT = 5000;

type Listener = (message: unknown) => Awaitable<void>;

/** The announcements with what the kernel alone may do. */
export interface EventTable {
  readonly events: AuthEvents;
  /** Tells all listeners side by side and waits for them, within bounds. Never rejects. */
  emit<N extends EventName>(name: N, message: EventMessages[N]): Awaitable<void>;
  /** The plugins that listen, by event. */
  list(): Record<string, string[]>;
}

/** Makes the announcements. A listener that fails or hangs is logged and harms nobody. */
export function createEvents(
  registrar: Registrar,
  logger: Required<Logger>,
  timeout = LISTENER_TIMEOUT,
): EventTable {
  const hookable = new Hookable<Record<string, Listener>>();
  const owners = new Map<string, string[]>();

  const settle = async (listener: Listener, plugin: string, name: string, message: unknown) => {
    try {
      await within(listener(message), timeout);
    } catch (error) {
      const text = `A listener of "${name}" (${plugin}) failed; what it listened to is done.`;
      logger.error(new EventError(text, { cause: { err: error as Error, plugin, event: name } }));
    }
  };

  return {
    events: {
      hook(name, listener) {
        const { plugin } = registrar;
        const undo = hookable.hook(name, (message) =>
          settle(listener as Listener, plugin, name, message),
        );
        const listening = owners.get(name) ?? [];
        owners.set(name, [...listening, plugin]);
        let heard = true;
        return () => {
          undo();
          const left = owners.get(name) ?? [];
          if (heard) owners.set(name, left.toSpliced(left.indexOf(plugin), 1));
          heard = false;
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
