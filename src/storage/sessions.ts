import { inBatches } from "../platform/in-batches.ts";
import type { Adapter, ListedSession, SessionPageOptions } from "../types/adapter.ts";
import { callAdapter } from "./adapter.ts";

/** The user who owns the sessions, and the current one of them. */
export interface SessionOwner {
  userId: string;
  /** Token of the current session. */
  token?: string | undefined;
}

/** Maximum number of excess sessions that a sign-in ends if the adapter cannot. Later sign-ins end the rest. */
const MAX_EXCESS = 20;

const getStart = ({ created, expires }: ListedSession): number =>
  new Date(created ?? expires).getTime();

const sort = (listed: readonly ListedSession[]): ListedSession[] =>
  listed.toSorted(
    (one, other) =>
      Number(other.isCurrent) - Number(one.isCurrent) || getStart(other) - getStart(one),
  );

/** A page of a list of sessions. */
export interface SessionPage {
  readonly sessions: readonly ListedSession[];
  /** The `after` of the next page; absent on the last page. */
  readonly next?: string;
}

/**
 * Lists a page of a user's sessions, the current one first, then the newest; `undefined` if the adapter cannot list
 * sessions. The results of adapters that return all sessions, in any order, are paged here.
 */
export async function listSessionPage(
  adapter: Adapter,
  { userId, token }: SessionOwner,
  { limit, after }: SessionPageOptions & { limit: number },
): Promise<SessionPage | undefined> {
  if (!adapter.listSessionsByUserId) return undefined;
  const options = { limit: limit + 1, ...(after !== undefined && { after }) };
  const listed = await callAdapter(adapter, "listSessionsByUserId", userId, token, options);
  const isWhole = listed.length > limit + 1 || listed.some(({ id }) => id === after);
  const sorted = sort(listed);
  const start = isWhole ? sorted.findIndex(({ id }) => id === after) + 1 : 0;
  const sessions = sorted.slice(start, start + limit);
  const last = sessions.at(-1);
  const hasMore = last && sorted.length > start + limit;
  return { sessions, ...(hasMore && { next: last.id }) };
}

async function endEach(adapter: Adapter, userId: string, ids: readonly string[]): Promise<void> {
  await inBatches(ids, async (id) => callAdapter(adapter, "deleteSessionById", userId, id));
}

/**
 * Ends all sessions of a user except the current one, or all if there is none. Resolves to their number, to `undefined`
 * if the adapter does not return it, and to `false` if the adapter cannot end sessions.
 */
export async function endOtherSessions(
  adapter: Adapter,
  { userId, token }: SessionOwner,
): Promise<number | undefined | false> {
  if (adapter.deleteOtherSessions) {
    return (await callAdapter(adapter, "deleteOtherSessions", userId, token)) ?? undefined;
  }
  if (!adapter.listSessionsByUserId || !adapter.deleteSessionById) return false;
  // Repeated until no session is left, because an adapter may return pages. Ended ids are recorded so that an adapter
  // that still returns them does not cause an endless loop.
  const ended = new Set<string>();
  for (;;) {
    const listed = await callAdapter(adapter, "listSessionsByUserId", userId, token);
    const others = listed.filter(({ id, isCurrent }) => !isCurrent && !ended.has(id));
    if (!others.length) return ended.size;
    const ids = others.map(({ id }) => id);
    await endEach(adapter, userId, ids);
    for (const id of ids) ended.add(id);
  }
}

/**
 * Ends the oldest sessions of a user beyond `max` and resolves to their number; `undefined` if the adapter does not
 * return it, 0 if it cannot list and end sessions.
 */
export async function limitSessions(
  adapter: Adapter,
  { userId, token }: SessionOwner,
  max: number,
): Promise<number | undefined> {
  if (adapter.limitSessions) {
    return (await callAdapter(adapter, "limitSessions", userId, max)) ?? undefined;
  }
  if (!adapter.listSessionsByUserId || !adapter.deleteSessionById) return 0;
  const page = await listSessionPage(adapter, { userId, token }, { limit: max });
  if (page?.next === undefined) return 0;
  const options = { limit: MAX_EXCESS, after: page.next };
  const rest = await listSessionPage(adapter, { userId, token }, options);
  const excess = rest?.sessions.filter(({ isCurrent }) => !isCurrent) ?? [];
  await endEach(
    adapter,
    userId,
    excess.map(({ id }) => id),
  );
  return excess.length;
}
