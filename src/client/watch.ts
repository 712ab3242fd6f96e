import type { Session } from "../types/models.ts";
import { type News, sessionIn } from "./broadcast.ts";
import { ClientError } from "./error.ts";
import { isPage } from "./navigation.ts";
import { readSession, type Connection } from "./session.ts";
import type { SessionState, SessionWatch, WatchOptions } from "./types.ts";

/** Maximum age in milliseconds at which a session is not read again when the page gets the focus. */
const FRESH_MS = 5_000;
const SECOND_MS = 1_000;
const MINUTE_MS = 60_000;

const LOADING: SessionState = { status: "loading", data: null, error: null };

function toState(session: Session | null): SessionState {
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

// Returns the milliseconds until the session's expiry by this computer's clock. If that has passed, the clocks differ,
// and the session is read once a minute.
function getExpiry({ expires }: Session): number {
  const rest = Date.parse(expires) - Date.now();
  if (Number.isNaN(rest)) return Infinity;
  return rest > 0 ? rest + SECOND_MS : MINUTE_MS;
}

/** Returns the milliseconds until the session is to be read again. */
function getDelay(state: SessionState, failures: number, interval: number): number {
  // Random, so that not all clients send requests at once when a server is available again.
  if (failures) return Math.min(MINUTE_MS, SECOND_MS * 2 ** failures) * (0.5 + Math.random() / 2);
  if (!state.data) return Infinity;
  return Math.min(getExpiry(state.data), interval > 0 ? interval * SECOND_MS : Infinity);
}

/** Creates a watch of the session. */
export function watchSession(wire: Connection, options: WatchOptions = {}): SessionWatch {
  const { session, refetchInterval = 0, refetchOnWindowFocus = true } = options;
  const listeners = new Set<() => void>();
  let state = session === undefined ? LOADING : toState(session);
  // When the read of the state began, and the number of failed reads since.
  let readAt = session === undefined ? 0 : Date.now();
  let failures = 0;
  let pending: Promise<Session | null> | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined;
  let stop: (() => void) | undefined;

  // Waits in steps of a minute: timers stop while the computer sleeps, and fire immediately if their delay is too long.
  const wait = (delay: number, due: number) => {
    timer = setTimeout(
      () => {
        if (delay > MINUTE_MS && Date.now() < due) wait(delay - MINUTE_MS, due);
        else poll();
      },
      Math.min(delay, MINUTE_MS),
    );
  };
  const plan = () => {
    clearTimeout(timer);
    const delay = getDelay(state, failures, refetchInterval);
    if (!stop || delay === Infinity || navigator.onLine === false) return;
    wait(delay, Date.now() + delay);
  };

  const show = (next: SessionState) => {
    if (isSame(state, next)) return;
    state = next;
    for (const listener of [...listeners]) listener();
  };

  const receive = (news: News) => {
    // The result of an older read is ignored, unless the clock was set back since.
    if (news.at < readAt && readAt <= Date.now()) return;
    readAt = news.at;
    try {
      const next = toState(sessionIn(news));
      failures = 0;
      show(next);
    } catch (error) {
      // A page that does not show `error` would load forever, silently. Browsers themselves log requests without a
      // response, and outages end.
      const { status } = error as ClientError;
      if (state === LOADING && !failures && status > 0 && status < 500) console.error(error);
      // A failed read signs no one out (SECURITY.md I6).
      failures++;
      show({ ...state, error: error as ClientError });
    }
    plan();
  };

  // Shares a read that is pending here or in another tab.
  const refresh = () => {
    pending ??= readSession(wire, 0).finally(() => (pending = undefined));
    return pending;
  };
  // `receive` gets the result, or the failure, from the bus.
  const poll = () => void refresh().catch(() => {});
  const pollIfStale = () => {
    const age = Date.now() - readAt;
    if (age < 0 || age >= FRESH_MS) poll();
  };

  const start = (): (() => void) => {
    const events = new AbortController();
    const on = { signal: events.signal };
    const focus = () => {
      if (refetchOnWindowFocus && document.visibilityState === "visible") pollIfStale();
    };
    const end = wire.subscribe(receive);
    document.addEventListener("visibilitychange", focus, on);
    addEventListener("focus", focus, on);
    addEventListener(
      "online",
      () => {
        plan();
        if (failures) poll();
        else pollIfStale();
      },
      on,
    );
    addEventListener("offline", () => clearTimeout(timer), on);
    // A page from the back/forward cache may show a session that has since ended.
    addEventListener("pageshow", ({ persisted }) => persisted && poll(), on);
    pollIfStale();
    return () => {
      end();
      events.abort();
      clearTimeout(timer);
    };
  };

  return {
    read: () => state,
    refresh,
    set: (given) => receive({ at: Date.now(), session: given }),
    subscribe(listener) {
      // Each call is a separate subscription, even with the same function.
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
