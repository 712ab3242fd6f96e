import { all, andThen, retryOnConflict } from "../../../src/_kit.ts";
import type {
  Adapter,
  AdapterSession,
  AdapterUser,
  CreateCache,
  ListedSession,
} from "../../../src/kernel.ts";
import { mergePacked, pack, unpack } from "./dated-json.ts";
import {
  hashToken,
  isLive,
  isSessionValid,
  type ListedEntry,
  type SessionRecord,
  type AdapterStores,
} from "./records.ts";
import { addEntry, countOthers, limitEntries, listEntries, removeEntry } from "./session-list.ts";

type Sessions = Pick<
  Required<Adapter>,
  | "createSession"
  | "getSessionAndUser"
  | "getSessionStart"
  | "updateSession"
  | "extendSession"
  | "deleteSession"
  | "listSessionsByUserId"
  | "deleteSessionById"
  | "deleteOtherSessions"
  | "limitSessions"
>;

/** Number of sessions that are listed if no limit is given. */
const DEFAULT_LIMIT = 100;
const MAX_LIMIT = 500;
/** Number of sessions whose user id a process caches. */
const MAX_KNOWN_SESSIONS = 10_000;

const getExpiry = ({ what }: SessionRecord) => Date.parse(String(what.data.expires));

/** Creates the adapter's session methods. Tokens are stored only as hashes. */
export function createSessions(stores: AdapterStores, createCache: CreateCache): Sessions {
  const { users } = stores;
  const { records } = stores.sessions;
  const owners = createCache<string>("adapters/store owners of sessions", {
    max: MAX_KNOWN_SESSIONS,
  });

  const toSession = (record: SessionRecord, sessionToken: string): AdapterSession => ({
    ...unpack<Omit<AdapterSession, "sessionToken">>(record.what),
    sessionToken,
  });

  // Adds a session to its user's list. This comes before its record, so that every record is found when its user is
  // deleted.
  const list = async (
    hash: string,
    began: number,
    what: Pick<AdapterSession, "userId" | "expires">,
    max?: number,
  ) => addEntry(stores, what.userId, [hash, began, what.expires.getTime()], max);

  // Builds the changed record of a session. If the session moves to another user, lists it there.
  const changeRecord = async (
    hash: string,
    session: Pick<AdapterSession, "userId" | "expires">,
    known: SessionRecord,
  ): Promise<SessionRecord> => {
    const what = mergePacked(known.what, session);
    if (known.userId === session.userId) return { ...known, what };
    const { epoch } = await list(hash, known.began ?? Date.now(), session);
    return { ...known, userId: session.userId, epoch, what };
  };

  // A user who was deleted concurrently must not leave a session behind.
  const expectOwner = async (hash: string, { userId }: SessionRecord) => {
    if (isLive(await users.get(userId))) return;
    await records.delete(hash);
    await removeEntry(stores, userId, hash);
    throw new Error("The user does not exist.");
  };

  const toListed = async (
    userId: string,
    [hash]: ListedEntry,
    current: string | undefined,
  ): Promise<ListedSession | undefined> => {
    const record = await records.get(hash);
    if (record?.userId !== userId) return undefined;
    const { began, description } = record;
    return {
      id: hash,
      expires: new Date(getExpiry(record)),
      ...(began !== undefined && { created: new Date(began) }),
      ...(description !== undefined && { description }),
      isCurrent: hash === current,
    };
  };

  const rewrite = (
    sessionToken: string,
    hash: string,
    next: (session: AdapterSession) => Partial<AdapterSession> | undefined,
  ) =>
    retryOnConflict(async () => {
      const entry = await records.read(hash);
      if (!entry) return null;
      const session = toSession(entry.value, sessionToken);
      const changes = next(session);
      if (!changes) return session;
      const { sessionToken: _, ...changed } = { ...session, ...changes };
      const record = await changeRecord(hash, changed, entry.value);
      const ttl = getExpiry(record) - Date.now();
      if (!(await records.compareAndSet(hash, entry, record, { ttl }))) return undefined;
      const { userId } = entry.value;
      if (userId !== record.userId) await removeEntry(stores, userId, hash);
      return toSession(record, sessionToken);
    });

  return {
    async createSession({ sessionToken, ...session }, { maxPerUser, description } = {}) {
      const hash = await hashToken(sessionToken);
      const { userId, expires } = session;
      const began = Date.now();
      const { epoch, count, ended } = await list(hash, began, session, maxPerUser);
      const record: SessionRecord = {
        ...{ userId, epoch, began, what: pack(session) },
        ...(description !== undefined && { description }),
      };
      const ttl = expires.getTime() - Date.now();
      if (!(await records.putIfAbsent(hash, record, { ttl }))) {
        throw new Error("The session token is already in use.");
      }
      await expectOwner(hash, record);
      return { ...toSession(record, sessionToken), sessionCount: count, endedCount: ended };
    },
    getSessionAndUser: (sessionToken) =>
      andThen(hashToken(sessionToken), (hash) => {
        // If the user id is cached, both records are read concurrently, which is one round trip in the common case.
        const known = owners.get(hash);
        const asked = all([records.get(hash), known === undefined ? undefined : users.get(known)]);
        return andThen(asked, ([record, cached]) => {
          if (!record) return null;
          const owner = record.userId === known ? cached : users.get(record.userId);
          return andThen(owner, (user) => {
            if (record.userId !== known) owners.set(hash, record.userId);
            if (!isLive(user) || !isSessionValid(user, hash, record.epoch)) return null;
            return {
              session: toSession(record, sessionToken),
              user: unpack<AdapterUser>(user.user),
            };
          });
        });
      }),
    async getSessionStart(sessionToken) {
      const record = await records.get(await hashToken(sessionToken));
      return record?.began === undefined ? null : new Date(record.began);
    },
    async updateSession({ sessionToken, ...changes }) {
      const hash = await hashToken(sessionToken);
      const given = Object.entries(changes).filter(([, value]) => value !== undefined);
      return rewrite(sessionToken, hash, () => Object.fromEntries(given));
    },
    async extendSession(sessionToken, from, to) {
      const hash = await hashToken(sessionToken);
      return rewrite(sessionToken, hash, ({ expires }) =>
        expires.getTime() === from.getTime() ? { expires: to } : undefined,
      );
    },
    async deleteSession(sessionToken) {
      const hash = await hashToken(sessionToken);
      const record = await records.take(hash);
      if (!record) return null;
      await removeEntry(stores, record.userId, hash);
      return toSession(record, sessionToken);
    },
    async listSessionsByUserId(userId, sessionToken, { limit = DEFAULT_LIMIT, after } = {}) {
      const current = sessionToken && (await hashToken(sessionToken));
      const entries = await listEntries(stores, userId);
      const isCurrent = ([hash]: ListedEntry) => hash === current;
      const sorted = [
        ...entries.filter(isCurrent),
        ...entries.filter((entry) => !isCurrent(entry)),
      ];
      const start = sorted.findIndex(([hash]) => hash === after) + 1;
      const found: ListedSession[] = [];
      const wanted = Math.min(Math.max(limit, 0), MAX_LIMIT);
      // Entries of sessions that have ended do not make a page shorter.
      for (let at = start; at < sorted.length && found.length < wanted;) {
        const next = sorted.slice(at, at + wanted - found.length);
        at += next.length;
        const sessions = await Promise.all(next.map((entry) => toListed(userId, entry, current)));
        found.push(...sessions.filter((session) => session !== undefined));
      }
      return found;
    },
    async deleteSessionById(userId, id) {
      const entry = await records.read(id);
      if (entry?.value.userId !== userId) return false;
      await records.delete(id);
      await removeEntry(stores, userId, id);
      return true;
    },
    async deleteOtherSessions(userId, sessionToken) {
      const hash = sessionToken && (await hashToken(sessionToken));
      const [count, record] = await Promise.all([
        countOthers(stores, userId, hash),
        hash ? records.get(hash) : undefined,
      ]);
      return retryOnConflict(async () => {
        const entry = await users.read(userId);
        if (!isLive(entry?.value)) return 0;
        const { rev, epoch } = entry.value;
        const isSpared =
          hash && record?.userId === userId && isSessionValid(entry.value, hash, record.epoch);
        const spared = isSpared ? hash : undefined;
        const value = { ...entry.value, rev: rev + 1, epoch: epoch + 1, spared };
        return (await users.compareAndSet(userId, entry, value)) ? count : undefined;
      });
    },
    limitSessions: (userId, max) => limitEntries(stores, userId, max),
  };
}
