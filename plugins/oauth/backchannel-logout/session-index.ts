import { randomUUID } from "../../../src/_kit.ts";
import type { Kernel } from "../../../src/kernel.ts";
import type { Ended, ProviderLogin } from "./logouts.ts";

/** A stored session that began with a session at a provider. */
export interface IndexedSession {
  /** The token of the session, where sessions are stored. */
  readonly token?: string;
}

/** The sessions by the sessions at providers that they began with. */
export interface SessionIndex {
  add(login: ProviderLogin, session: IndexedSession): Promise<void>;
  /** Resolves to the sessions that began with what has ended, and removes them from the index. */
  take(ended: Ended): Promise<IndexedSession[]>;
  /** Resolves to whether a session at the provider is known. */
  has(provider: string, sid: string): Promise<boolean>;
}

interface IndexRecord {
  readonly id: string;
  /** The session, sealed: a copy of the store must not contain the session's token. */
  readonly sealed: string;
}

const SALT = "keyhook.provider-sessions";
/** Seconds: longer than providers keep their sessions. A session that is used may last for ever. */
const MIN_AGE_S = 90 * 86_400;

/** Opens the index. */
export function openSessionIndex(kernel: Kernel): SessionIndex {
  const store = kernel.store<IndexRecord>("provider-sessions", { durable: true });
  const maxAge = Math.max(kernel.config.session.maxAge, MIN_AGE_S);

  const toGroups = ({ provider, sub, sid }: Ended): (readonly [string, string])[] => [
    ...(sid === undefined ? [] : [[provider, `sid ${sid}`] as const]),
    ...(sub === undefined ? [] : [[provider, `sub ${sub}`] as const]),
  ];

  const collect = async (group: readonly [string, string]): Promise<IndexRecord[]> => {
    const found: IndexRecord[] = [];
    for await (const record of store.scan(group)) found.push(record);
    return found;
  };

  return {
    async add(login, session) {
      const { secret } = kernel.config;
      const id = randomUUID();
      const sealed = await kernel.tokens.encode({
        token: { ...session },
        secret,
        salt: SALT,
        maxAge,
      });
      for (const group of toGroups(login)) {
        await store.put([...group, id], { id, sealed }, { ttl: maxAge * 1000 });
      }
    },
    async take(ended) {
      const { secret } = kernel.config;
      // `sid` names one session of the user; `sub` alone names all of them.
      const [group] = toGroups(ended);
      const records = group ? await collect(group) : [];
      const sessions: IndexedSession[] = [];
      for (const { id, sealed } of records) {
        if (group) await store.delete([...group, id]);
        try {
          const token = await kernel.tokens.decode({ token: sealed, secret, salt: SALT });
          if (token) sessions.push(token as IndexedSession);
        } catch {
          // It was sealed under a secret that is no longer configured, as the session was whose token it has.
        }
      }
      return sessions;
    },
    async has(provider, sid) {
      for await (const _ of store.scan([provider, `sid ${sid}`])) return true;
      return false;
    },
  };
}
