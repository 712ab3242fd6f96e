import { ClientError } from "./error.ts";
import { isPage } from "./place.ts";
import type { Session } from "../types/models.ts";

/** What was learned about the session, by whichever tab. */
export interface News {
  /** When it was asked for or done, in milliseconds since the epoch. */
  at: number;
  session?: Session | null;
  /** It could not be learned. */
  failure?: { message: string; status: number };
}

/** Carries news to the listeners here and to the other tabs. */
export interface Bus {
  /** `here` is false when this page is about to be left. */
  tell(news: News, here?: boolean): void;
  listen(hear: (news: News) => void): () => void;
}

/** The session that is in the news. */
export function sessionIn({ session = null, failure }: News): Session | null {
  if (failure) throw new ClientError(failure.message, failure.status);
  return session;
}

/** What the server's answer says about the session. */
export function sessionOf(body: unknown): Session | null {
  if (body === null) return null;
  if (typeof body !== "object" || Array.isArray(body)) {
    throw new ClientError("/session answered something else than a session.", 200);
  }
  // Some servers say `{}` for nobody.
  return Object.keys(body).length ? (body as Session) : null;
}

// A tab with another version of this code, or any script of the origin, may say something else there.
function isNews(data: unknown): data is News {
  const { at, session, failure } = (data ?? {}) as Partial<Record<keyof News, unknown>>;
  if (!Number.isFinite(at)) return false;
  if (failure) return typeof (failure as { message?: unknown }).message === "string";
  return typeof session === "object" && !Array.isArray(session);
}

export function createBus(name: string): Bus {
  // A server has channels too, and listeners of many requests: one visitor's session is not another's.
  if (!isPage()) return { tell() {}, listen: () => () => {} };
  const hearers = new Set<(news: News) => void>();
  // Open while somebody listens. What is posted to it comes back to all others, never to itself.
  let channel: BroadcastChannel | undefined;
  const spread = (news: News) => {
    for (const hear of [...hearers]) hear(news);
  };
  const open = () =>
    typeof BroadcastChannel === "undefined" ? undefined : new BroadcastChannel(name);
  return {
    tell(news, here = true) {
      if (here) spread(news);
      const out = channel ?? open();
      out?.postMessage(news);
      if (!channel) out?.close();
    },
    listen(hear) {
      hearers.add(hear);
      if (!channel) {
        channel = open();
        channel?.addEventListener("message", ({ data }) => {
          if (isNews(data)) spread(data);
        });
      }
      return () => {
        hearers.delete(hear);
        if (hearers.size) return;
        channel?.close();
        channel = undefined;
      };
    },
  };
}
