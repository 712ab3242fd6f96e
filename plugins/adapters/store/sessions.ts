import { createCache } from "../../../src/index.ts";
import type { Adapter, AdapterSession, AdapterUser, ListedSession } from "../../../src/index.ts";
import { lay, pack, unpack } from "./packed.ts";
import { collect, hashOf, isLive, persist, type SessionRecord, type Shelves } from "./records.ts";

type Sessions = Pick<
  Required<Adapter>,
  | "createSession"
  | "getSessionAndUser"
  | "updateSession"
  | "extendSession"
  | "deleteSession"
  | "listSessionsByUserId"
  | "deleteSessionById"
>;

/** A person's list knows a session for as many lifetimes, so that few extensions write it. */
const LISTED = 4;
/** Sessions of which a process remembers whose they were. */
const KNOWN = 10_000;

const endOf = ({ what }: SessionRecord) => Date.parse(String(what.data.expires));

/** The methods that deal with sessions. Tokens are kept as hashes alone. */
export function createSessions(shelves: Shelves): Sessions {
  const { users } = shelves;
  const { shelf, list } = shelves.sessions;
  const owners = createCache<string>({ max: KNOWN });

  const open = (record: SessionRecord, sessionToken: string): AdapterSession => ({
    ...unpack<Omit<AdapterSession, "sessionToken">>(record.what),
    sessionToken,
  });

  // The record of a session that ends then, listed long enough.
  const place = async (
    hash: string,
    session: Pick<AdapterSession, "userId" | "expires">,
    known?: SessionRecord,
  ): Promise<SessionRecord> => {
    const { userId, expires } = session;
    const what = known ? lay(known.what, session) : pack(session);
    if (known?.userId === userId && known.listed >= expires.getTime()) return { ...known, what };
    const ttl = LISTED * (expires.getTime() - Date.now());
    const [owner] = await Promise.all([
      users.get(userId),
      list.put([userId, hash], [hash], { ttl }),
    ]);
    if (!isLive(owner)) {
      await list.delete([userId, hash]);
      throw new Error("There is no such user.");
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
    persist(async () => {
      const entry = await shelf.read(hash);
      if (!entry) return null;
      const session = open(entry.value, sessionToken);
      const changes = next(session);
      if (!changes) return session;
      const { sessionToken: _, ...changed } = { ...session, ...changes };
      const record = await place(hash, changed, entry.value);
      const ttl = endOf(record) - Date.now();
      if (await shelf.compareAndSet(hash, entry, record, { ttl }))
        return open(record, sessionToken);
      return undefined;
    });

  return {
    async createSession({ sessionToken, ...session }) {
      const hash = await hashOf(sessionToken);
      const record = await place(hash, session);
      const ttl = session.expires.getTime() - Date.now();
      if (await shelf.putIfAbsent(hash, record, { ttl })) return open(record, sessionToken);
      throw new Error("The session's token is in use.");
    },
    async getSessionAndUser(sessionToken) {
      const hash = await hashOf(sessionToken);
      // Both at once where it is known who it will be: the common read waits for the store once.
      const known = owners.get(hash);
      const [record, likely] = await Promise.all([
        shelf.get(hash),
        known === undefined ? undefined : users.get(known),
      ]);
      if (!record) return null;
      const owner = record.userId === known ? likely : await users.get(record.userId);
      owners.set(hash, record.userId);
      if (!isLive(owner) || owner.epoch !== record.epoch) return null;
      return { session: open(record, sessionToken), user: unpack<AdapterUser>(owner.user) };
    },
    async updateSession({ sessionToken, ...changes }) {
      const hash = await hashOf(sessionToken);
      const given = Object.entries(changes).filter(([, value]) => value !== undefined);
      return rewrite(sessionToken, hash, () => Object.fromEntries(given));
    },
    async extendSession(sessionToken, from, to) {
      const hash = await hashOf(sessionToken);
      return rewrite(sessionToken, hash, ({ expires }) =>
        expires.getTime() === from.getTime() ? { expires: to } : undefined,
      );
    },
    async deleteSession(sessionToken) {
      const hash = await hashOf(sessionToken);
      const record = await shelf.take(hash);
      if (!record) return null;
      await list.delete([record.userId, hash]);
      return open(record, sessionToken);
    },
    async listSessionsByUserId(userId, sessionToken) {
      const owner = await users.get(userId);
      if (!isLive(owner)) return [];
      const current = sessionToken && (await hashOf(sessionToken));
      const listed = await collect(list.scan(userId));
      const found = await Promise.all(
        listed.map(async ([hash]): Promise<ListedSession | undefined> => {
          const record = await shelf.get(hash);
          if (record?.userId !== userId || record.epoch !== owner.epoch) return undefined;
          const { began } = record;
          return {
            id: hash,
            expires: new Date(endOf(record)),
            ...(began !== undefined && { created: new Date(began) }),
            isCurrent: hash === current,
          };
        }),
      );
      return found.filter((session) => session !== undefined);
    },
    async deleteSessionById(userId, id) {
      const entry = await shelf.read(id);
      if (entry?.value.userId !== userId) return;
      await shelf.delete(id);
      await list.delete([userId, id]);
    },
  };
}
