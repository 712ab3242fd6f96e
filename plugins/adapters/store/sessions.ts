import { createCache } from "../../../src/_kit.ts";
import type { Adapter, AdapterSession, AdapterUser, ListedSession } from "../../../src/kernel.ts";
import { mergePacked, pack, unpack } from "./dated-json.ts";
import {
  collect,
  hashToken,
  isLive,
  retryOnConflict,
  type SessionRecord,
  type AdapterStores,
} from "./records.ts";

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
>;

/**
 * Lifetimes of a session for which its index entry is written, so that few extensions have to write
 * it again.
 */
const INDEX_TTL_FACTOR = 4;
/** Sessions whose user id a process caches. */
const MAX_KNOWN_SESSIONS = 10_000;

const getExpiry = ({ what }: SessionRecord) => Date.parse(String(what.data.expires));

/** Creates the adapter's session methods. Tokens are stored as hashes only. */
export function createSessions(stores: AdapterStores): Sessions {
  const { users } = stores;
  const { records, index } = stores.sessions;
  const owners = createCache<string>({ max: MAX_KNOWN_SESSIONS });

  const toSession = (record: SessionRecord, sessionToken: string): AdapterSession => ({
    ...unpack<Omit<AdapterSession, "sessionToken">>(record.what),
    sessionToken,
  });

  // Builds the record of a session, and writes its index entry unless that outlives the session.
  const prepareRecord = async (
    hash: string,
    session: Pick<AdapterSession, "userId" | "expires">,
    known?: SessionRecord,
  ): Promise<SessionRecord> => {
    const { userId, expires } = session;
    const what = known ? mergePacked(known.what, session) : pack(session);
    if (known?.userId === userId && known.listed >= expires.getTime()) return { ...known, what };
    const ttl = INDEX_TTL_FACTOR * (expires.getTime() - Date.now());
    const [owner] = await Promise.all([
      users.get(userId),
      index.put([userId, hash], [hash], { ttl }),
    ]);
    if (!isLive(owner)) {
      await index.delete([userId, hash]);
      throw new Error("The user does not exist.");
    }
    const epoch = known?.userId === userId ? known.epoch : owner.epoch;
    const began = known ? known.began : Date.now();
    const listed = Date.now() + ttl;
    return { userId, epoch, ...(began !== undefined && { began }), listed, what };
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
      const record = await prepareRecord(hash, changed, entry.value);
      const ttl = getExpiry(record) - Date.now();
      if (await records.compareAndSet(hash, entry, record, { ttl }))
        return toSession(record, sessionToken);
      return undefined;
    });

  return {
    async createSession({ sessionToken, ...session }) {
      const hash = await hashToken(sessionToken);
      const record = await prepareRecord(hash, session);
      const ttl = session.expires.getTime() - Date.now();
      if (await records.putIfAbsent(hash, record, { ttl })) return toSession(record, sessionToken);
      throw new Error("The session token is already in use.");
    },
    async getSessionAndUser(sessionToken) {
      const hash = await hashToken(sessionToken);
      // Reads both records in parallel if the user id is cached: one round trip in the common case.
      const known = owners.get(hash);
      const [record, cachedOwner] = await Promise.all([
        records.get(hash),
        known === undefined ? undefined : users.get(known),
      ]);
      if (!record) return null;
      const owner = record.userId === known ? cachedOwner : await users.get(record.userId);
      owners.set(hash, record.userId);
      if (!isLive(owner) || owner.epoch !== record.epoch) return null;
      return { session: toSession(record, sessionToken), user: unpack<AdapterUser>(owner.user) };
    },
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
      await index.delete([record.userId, hash]);
      return toSession(record, sessionToken);
    },
    async listSessionsByUserId(userId, sessionToken) {
      const owner = await users.get(userId);
      if (!isLive(owner)) return [];
      const current = sessionToken && (await hashToken(sessionToken));
      const listed = await collect(index.scan(userId));
      const found = await Promise.all(
        listed.map(async ([hash]): Promise<ListedSession | undefined> => {
          const record = await records.get(hash);
          if (record?.userId !== userId || record.epoch !== owner.epoch) return undefined;
          const { began } = record;
          return {
            id: hash,
            expires: new Date(getExpiry(record)),
            ...(began !== undefined && { created: new Date(began) }),
            isCurrent: hash === current,
          };
        }),
      );
      return found.filter((session) => session !== undefined);
    },
    async deleteSessionById(userId, id) {
      const entry = await records.read(id);
      if (entry?.value.userId !== userId) return;
      await records.delete(id);
      await index.delete([userId, id]);
    },
  };
}
