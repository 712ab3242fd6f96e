import type { Session } from "../types/models.ts";
import { type Bus, type News, sessionIn, parseSession } from "./broadcast.ts";
import { ClientError } from "./error.ts";
import { withLock } from "./lock.ts";
import type { Transport } from "./request.ts";

/** The transport and the bus, which the methods of a client share. */
export interface Connection extends Transport, Bus {}

/**
 * Milliseconds after which a page that is being left is gone, and news from another tab that released the lock has
 * arrived.
 */
const PAUSE_MS = 100;

const pause = (time: number) => new Promise((resolve) => setTimeout(resolve, time));

// Browsers abort the requests of a page that is being left. After this pause, the page is gone. In Firefox, it lives
// until the next page responds, and its further requests succeed.
async function readTwice(wire: Connection): Promise<unknown> {
  try {
    return await wire.read("/session");
  } catch (error) {
    const { status, cause } = error as ClientError;
    if (status || !cause || (cause as Error).name === "TimeoutError") throw error;
    await pause(PAUSE_MS);
    return wire.read("/session");
  }
}

/** Reads the session from the server and publishes it. The caller must have the lock. */
async function fetchSession(wire: Connection, here = true): Promise<Session | null> {
  const at = Date.now();
  try {
    const session = parseSession(await readTwice(wire));
    wire.publish({ at, session }, here);
    return session;
  } catch (error) {
    const { message, status } = error as ClientError;
    wire.publish({ at, failure: { message, status } }, here);
    throw error;
  }
}

/** Reads the session after a response that may have changed it. A failed read does not count as a failure. */
export const readAgain = (wire: Connection, here?: boolean): Promise<unknown> =>
  fetchSession(wire, here).catch(() => {});

/**
 * Resolves to the session from the server. A call that waits for another tab uses that tab's result, if it was
 * requested at `since` or later.
 */
export async function readSession(wire: Connection, since: number): Promise<Session | null> {
  let received: News | undefined;
  const stop = wire.subscribe((news) => {
    if (news.at >= since) received = news;
  });
  try {
    return await withLock(wire.base, async (waited) => {
      if (waited && !received) await pause(PAUSE_MS);
      return received ? sessionIn(received) : fetchSession(wire);
    });
  } finally {
    stop();
  }
}

/** Resolves to the CSRF token; empty if the server has none (`skipCSRFCheck`). */
export async function fetchCsrfToken(wire: Connection): Promise<string> {
  const { ok, status, body } = await wire.send("/csrf");
  if (status === 404) return "";
  const { csrfToken } = (body ?? {}) as { csrfToken?: unknown };
  if (ok && typeof csrfToken === "string") return csrfToken;
  throw new ClientError("The response of /csrf contains no token.", status);
}

/**
 * Calls a route of a plugin. The caller waits for other tabs, because the response may renew the session and must not
 * undo another tab's sign-out.
 */
export function callRoute(wire: Connection, path: string, body?: object): Promise<unknown> {
  const target = path.startsWith("/") ? path : `/${path}`;
  return withLock(wire.base, async () => {
    const result = await wire.read(target, body, body && (await fetchCsrfToken(wire)));
    if (body && (result as { url?: unknown } | null | undefined)?.url) await readAgain(wire);
    return result;
  });
}

/** Posts a change of the session, resolves to the changed session and publishes it. */
export function updateSession(wire: Connection, data: unknown): Promise<Session | null> {
  return withLock(wire.base, async () => {
    const csrfToken = await fetchCsrfToken(wire);
    const session = parseSession(await wire.read("/session", { csrfToken, data }));
    // Every read that began before this moment is older.
    wire.publish({ at: Date.now(), session });
    return session;
  });
}
