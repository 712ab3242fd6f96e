import type { Session } from "../types/models.ts";
import { ClientError } from "./error.ts";
import { isPage } from "./navigation.ts";

/** The result of a read or a change of the session, in any tab. */
export interface News {
  /** When the read began or the change ended, in milliseconds since the epoch. */
  at: number;
  session?: Session | null;
  /** Set if the session could not be read. */
  failure?: { message: string; status: number };
}

/** Publishes news to the listeners of this page and of the other tabs. */
export interface Bus {
  /** `here` is `false` if this page is about to be left: its own listeners are then not called. Default `true`. */
  publish(news: News, here?: boolean): void;
  /** Adds a listener; returns the function that removes it. */
  subscribe(listener: (news: News) => void): () => void;
}

/**
 * Returns the session in the news.
 * @throws ClientError if the session could not be read.
 */
export function sessionIn({ session = null, failure }: News): Session | null {
  if (failure) throw new ClientError(failure.message, failure.status);
  return session;
}

/**
 * Returns the session in a server's response; `null` when no one is signed in.
 * @throws ClientError when the body is not a session.
 */
export function parseSession(body: unknown): Session | null {
  if (body === null) return null;
  if (typeof body !== "object" || Array.isArray(body)) {
    throw new ClientError("The response of /session is not a session.", 200);
  }
  // Some servers return `{}` when no one is signed in.
  return Object.keys(body).length ? (body as Session) : null;
}

// A tab with another version of this code, or any script of the origin, may post other messages.
function isNews(data: unknown): data is News {
  const { at, session, failure } = (data ?? {}) as Partial<Record<keyof News, unknown>>;
  if (!Number.isFinite(at)) return false;
  if (failure) return typeof (failure as { message?: unknown }).message === "string";
  return typeof session === "object" && !Array.isArray(session);
}

/** Creates the bus of a page, over a `BroadcastChannel` of that name. */
export function createBus(name: string): Bus {
  // A server also has channels, and listeners of many requests, but a session must not reach another visitor.
  if (!isPage()) return { publish() {}, subscribe: () => () => {} };
  const listeners = new Set<(news: News) => void>();
  // Open while there are listeners. A channel does not receive its own messages.
  let channel: BroadcastChannel | undefined;
  const notify = (news: News) => {
    for (const listener of [...listeners]) listener(news);
  };
  const open = () => {
    try {
      return new BroadcastChannel(name);
    } catch {
      // Old browsers have no channels, and some refuse them to pages whose storage is blocked.
    }
  };
  return {
    publish(news, here = true) {
      if (here) notify(news);
      const out = channel ?? open();
      out?.postMessage(news);
      if (!channel) out?.close();
    },
    subscribe(listener) {
      listeners.add(listener);
      if (!channel) {
        channel = open();
        channel?.addEventListener("message", ({ data }) => {
          if (isNews(data)) notify(data);
        });
      }
      return () => {
        listeners.delete(listener);
        if (listeners.size) return;
        channel?.close();
        channel = undefined;
      };
    },
  };
}
