import { ClientError } from "./error.ts";
import { type Bus, type News, sessionIn, sessionOf } from "./news.ts";
import { inTurn } from "./turn.ts";
import type { Transport } from "./request.ts";
import type { Session } from "../types/models.ts";

/** What the verbs share. */
export interface Wire extends Transport, Bus {}

/** Milliseconds in which another tab's news arrives after its turn has ended. */
const LATE = 100;

const pause = (time: number) => new Promise((resolve) => setTimeout(resolve, time));

/** Asks the server, in whoever's turn it is, and tells everybody. */
export async function askSession(wire: Wire, here = true): Promise<Session | null> {
  const at = Date.now();
  try {
    const session = sessionOf(await wire.read("/session"));
    wire.tell({ at, session }, here);
    return session;
  } catch (error) {
    const { message, status } = error as ClientError;
    // A page that is being left has its requests broken off. It is gone before it could tell of that.
    if (!status) await pause(LATE);
    wire.tell({ at, failure: { message, status } }, here);
    throw error;
  }
}

/**
 * The session as the server says it. Whoever has to wait for another tab takes what that one learned,
 * if it was asked at `since` or later.
 */
export async function readSession(wire: Wire, since: number): Promise<Session | null> {
  let heard: News | undefined;
  const stop = wire.listen((news) => {
    if (news.at >= since) heard = news;
  });
  try {
    return await inTurn(wire.base, async (waited) => {
      if (waited && !heard) await pause(LATE);
      return heard ? sessionIn(heard) : askSession(wire);
    });
  } finally {
    stop();
  }
}

/** The CSRF token, empty where the server has none. */
export async function csrfTokenOf(wire: Wire): Promise<string> {
  const { ok, status, body } = await wire.send("/csrf");
  // `skipCSRFCheck`
  if (status === 404) return "";
  const { csrfToken } = (body ?? {}) as { csrfToken?: unknown };
  if (ok && typeof csrfToken === "string") return csrfToken;
  throw new ClientError("/csrf gave no token.", status);
}

/** Posts a change to the session. */
export function updateSession(wire: Wire, data: unknown): Promise<Session | null> {
  return inTurn(wire.base, async () => {
    const csrfToken = await csrfTokenOf(wire);
    const session = sessionOf(await wire.read("/session", { csrfToken, data }));
    // Whatever was asked before this moment is older.
    wire.tell({ at: Date.now(), session });
    return session;
  });
}
