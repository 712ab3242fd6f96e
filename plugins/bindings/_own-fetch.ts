import { getBuiltin } from "../../src/_kit.ts";
import { type H3Event, isWebEvent } from "./_event.ts";

type Listener = () => void;

/** The events whose code sends requests, tracked through asynchronous operations. */
interface Senders {
  getStore(): H3Event | undefined;
  run<T>(event: H3Event, handle: () => T): T;
}

interface FetchInit {
  readonly onResponse?: unknown;
}

/** The fetch of each event in Nitro 2, which sends requests to the application itself as the event's visitor. */
interface FetchingEvent {
  fetch?: (request: unknown, init?: object) => Promise<Response>;
  $fetch?: (request: unknown, init?: FetchInit) => Promise<unknown>;
}

/** Tells an event when its code fetches a private response from the application itself, in process. */
export interface OwnFetch {
  /**
   * Calls the listener for each such response. If the event that sent a request cannot be determined, the listener is
   * called at once, because the response of the event must then be private.
   */
  follow(event: H3Event, listener: Listener): void;
  /**
   * Handles an h3 2 event by `handle`, and tells the event whose code sent the request. The client address is also that
   * event's.
   */
  run(event: H3Event, handle: () => Promise<unknown>): Promise<unknown>;
}

const isPrivate = (headers: Headers): boolean =>
  /\bprivate\b/.test(headers.get("cache-control") ?? "");

function followFetch(event: FetchingEvent, listener: Listener): void {
  const { fetch, $fetch } = event;
  const check = ({ headers }: Response) => {
    if (isPrivate(headers)) listener();
  };
  if (fetch) {
    event.fetch = async (request, init) => {
      const response = await fetch(request, init);
      check(response);
      return response;
    };
  }
  if ($fetch) {
    event.$fetch = async (request, init) => {
      const onReceived = ({ response }: { response: Response }) => check(response);
      const onResponse = [onReceived, init?.onResponse ?? []].flat();
      return $fetch(request, { ...init, onResponse });
    };
  }
}

export function createOwnFetch(): OwnFetch {
  // Nitro 3 does not say which event has sent a request, but the asynchronous context does. On edge runtimes it is a
  // global, if it exists.
  const scope = globalThis as { AsyncLocalStorage?: new () => Senders };
  const Storage = getBuiltin("node:async_hooks")?.AsyncLocalStorage ?? scope.AsyncLocalStorage;
  const senders = Storage && (new Storage() as Senders);
  const listeners = new WeakMap<H3Event, Listener>();
  return {
    follow(event, listener) {
      if (!isWebEvent(event)) followFetch(event as FetchingEvent, listener);
      else if (senders) listeners.set(event, listener);
      else listener();
    },
    async run(event, handle) {
      if (!senders || !isWebEvent(event)) return handle();
      const sender = senders.getStore();
      const ip = sender && isWebEvent(sender) ? sender.req.ip : undefined;
      // The request has no connection, so its client is that of the event that sent it.
      if (ip && !event.req.ip)
        Object.defineProperty(event.req, "ip", { value: ip, configurable: true, writable: true });
      // h3 merges the headers of the event into a returned Response or a thrown error afterwards.
      const check = (outcome: unknown) => {
        if (!sender) return;
        const { headers: own } = (outcome ?? {}) as { readonly headers?: unknown };
        const sent = [own, event.res.headers, event.res.errHeaders];
        if (sent.some((headers) => headers instanceof Headers && isPrivate(headers)))
          listeners.get(sender)?.();
      };
      try {
        const result = await senders.run(event, handle);
        check(result);
        return result;
      } catch (error) {
        check(error);
        throw error;
      }
    },
  };
}
