import { ClientError } from "./error.ts";
import { type News, sessionIn } from "./news.ts";
import { isPage } from "./place.ts";
import { readSession, type Wire } from "./session.ts";
import type { Session } from "../types/models.ts";
import type { SessionState, SessionWatch, WatchOptions } from "./types.ts";

/** Milliseconds that an answer stays good enough for a page that gets the focus. */
const FRESH = 5_000;
const SECOND = 1_000;
const MINUTE = 60_000;
/** Longest time of a timer; a longer one would end at once. */
const MAX_TIMER = 2 ** 31 - 1;

const LOADING: SessionState = { status: "loading", data: null, error: null };

function stateOf(session: Session | null): SessionState {
  return session
    ? { status: "authenticated", data: session, error: null }
    : { status: "unauthenticated", data: null, error: null };
}

function isSame(one: SessionState, other: SessionState): boolean {
  return (
    one.status === other.status &&
    one.error === other.error &&
    JSON.stringify(one.data) === JSON.stringify(other.data)
  );
}

// Its end by this computer's clock. Where that is past, the clocks differ: no reason to hurry.
function endOf({ expires }: Session): number {
  const rest = Date.parse(expires) - Date.now();
  if (Number.isNaN(rest)) return Infinity;
  return rest > 0 ? rest + SECOND : MINUTE;
}

/** Milliseconds until the session is to be looked at again. */
function pauseAfter(state: SessionState, failures: number, interval: number): number {
  // Not all at once when a server comes back.
  if (failures) return Math.min(MINUTE, SECOND * 2 ** failures) * (0.5 + Math.random() / 2);
  if (!state.data) return Infinity;
  return Math.min(endOf(state.data), interval > 0 ? interval * SECOND : Infinity);
}

/** A session that is kept up to date. */
export function watchSession(wire: Wire, options: WatchOptions = {}): SessionWatch {
  const { session, refetchInterval = 0, refetchOnWindowFocus = true } = options;
  const listeners = new Set<() => void>();
  let state = session === undefined ? LOADING : stateOf(session);
  // When what is known was asked for; and how often it could not be learned since.
  let known = session === undefined ? 0 : Date.now();
  let failures = 0;
  let asking: Promise<Session | null> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stop: (() => void) | undefined;

  const plan = () => {
    clearTimeout(timer);
    const pause = pauseAfter(state, failures, refetchInterval);
    if (!stop || pause === Infinity || navigator.onLine === false) return;
    timer = setTimeout(look, Math.min(pause, MAX_TIMER));
  };

  const show = (next: SessionState) => {
    if (isSame(state, next)) return;
    state = next;
    for (const listener of [...listeners]) listener();
  };

  const hear = (news: News) => {
    // An answer to an older question, unless the clock was set back meanwhile.
    if (news.at < known && known <= Date.now()) return;
    known = news.at;
    try {
      const next = stateOf(sessionIn(news));
      failures = 0;
      show(next);
    } catch (error) {
      // A fault signs nobody out (SECURITY.md I6).
      failures++;
      show({ ...state, error: error as ClientError });
    }
    plan();
  };

  // Takes what another tab is just learning.
  const refresh = () => {
    asking ??= readSession(wire, 0).finally(() => (asking = undefined));
    return asking;
  };
  // What came of it was heard.
  const look = () => void refresh().catch(() => {});
  const lookWhenOld = () => {
    const age = Date.now() - known;
    if (age < 0 || age >= FRESH) look();
  };

  const start = (): (() => void) => {
    const events = new AbortController();
    const on = { signal: events.signal };
    const focus = () => {
      if (refetchOnWindowFocus && document.visibilityState === "visible") lookWhenOld();
    };
    const end = wire.listen(hear);
    document.addEventListener("visibilitychange", focus, on);
    addEventListener("focus", focus, on);
    addEventListener("online", () => (failures ? look() : lookWhenOld()), on);
    addEventListener("offline", () => clearTimeout(timer), on);
    // A page that was kept aside may show somebody who has left since.
    addEventListener("pageshow", ({ persisted }) => persisted && look(), on);
    lookWhenOld();
    return () => {
      end();
      events.abort();
      clearTimeout(timer);
    };
  };

  return {
    read: () => state,
    refresh,
    take: (given) => hear({ at: Date.now(), session: given }),
    subscribe(listener) {
      // Each call is an own subscription, also of the same function.
      const own = () => listener();
      listeners.add(own);
      if (!stop && isPage()) {
        stop = start();
        plan();
      }
      return () => {
        listeners.delete(own);
        if (listeners.size) return;
        stop?.();
        stop = undefined;
      };
    },
  };
}
