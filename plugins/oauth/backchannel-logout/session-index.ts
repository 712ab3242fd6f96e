import { inBatches, randomUUID } from "../../../src/_kit.ts";
import type { JWT, Kernel } from "../../../src/kernel.ts";
import type { Ended, ProviderLogin } from "./logouts.ts";

/** A stored session that began with a session at a provider. */
export interface IndexedSession {
  /** The token of the session, if sessions are stored. */
  readonly token?: string;
}

/** The application's sessions, by the provider sessions with which they began. */
export interface SessionIndex {
  /** Adds a session under the provider sessions with which it began. */
  add(logins: readonly ProviderLogin[], session: IndexedSession): Promise<void>;
  /** Resolves to the provider sessions with which a token's session began, in the order in which they were added. */
  list(token: string): Promise<ProviderLogin[]>;
  /**
   * Resolves to the sessions that began with an ended provider session. `forget` removes them from the index, once they
   * have ended.
   */
  find(ended: Ended): Promise<{ sessions: readonly IndexedSession[]; forget(): Promise<void> }>;
  /** Resolves to whether a session at the provider is known. */
  has(provider: string, sid: string): Promise<boolean>;
}

interface IndexRecord {
  readonly id: string;
  /** A session, or the logins with which it began, sealed: a copy of the store must not contain the session's token. */
  readonly sealed: string;
}

const SALT = "keyhook.provider-sessions";
/** The group of the logins of a stored session. No provider has an id with a blank. */
const LOGINS = "logins of";
/** In seconds, longer than providers keep their sessions. A session in use may last forever. */
const MIN_AGE_S = 90 * 86_400;

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

  const put = async (group: readonly [string, string], id: string, content: JWT) => {
    const { secret } = kernel.config;
    const sealed = await kernel.tokens.encode({ token: content, secret, salt: SALT, maxAge });
    await store.put([...group, id], { id, sealed }, { ttl: maxAge * 1000 });
  };

  // Records that were sealed with a secret which is no longer configured are left out, like the session whose token
  // they contain.
  const open = async (records: readonly IndexRecord[]): Promise<object[]> => {
    const { secret } = kernel.config;
    const opened: object[] = [];
    for (const { sealed } of records) {
      try {
        const content = await kernel.tokens.decode({ token: sealed, secret, salt: SALT });
        if (content) opened.push(content);
      } catch {
        continue;
      }
    }
    return opened;
  };

  return {
    async add(logins, session) {
      for (const login of logins) {
        const id = randomUUID();
        for (const group of toGroups(login)) await put(group, id, { ...session });
      }
      // In one record, because a scan keeps no order.
      if (logins.length && session.token !== undefined) {
        await put([LOGINS, session.token], randomUUID(), { logins });
      }
    },
    async list(token) {
      const opened = await open(await collect([LOGINS, token]));
      return opened.flatMap((one) => (one as { logins: ProviderLogin[] }).logins);
    },
    async find(ended) {
      // `sid` means one session of the user; `sub` alone means all of them.
      const [group] = toGroups(ended);
      const records = group ? await collect(group) : [];
      return {
        sessions: await open(records),
        async forget() {
          if (group) await inBatches(records, ({ id }) => store.delete([...group, id]));
        },
      };
    },
    async has(provider, sid) {
      for await (const _ of store.scan([provider, `sid ${sid}`])) return true;
      return false;
    },
  };
}
