import type { AuthConfig } from "@auth/core";

type AdapterUser = Parameters<Adapter["createUser"]>[0];
type Adapter = Required<NonNullable<AuthConfig["adapter"]>>;
type Methods =
  | "createUser"
  | "getUser"
  | "getUserByEmail"
  | "getUserByAccount"
  | "updateUser"
  | "linkAccount"
  | "createSession"
  | "getSessionAndUser"
  | "updateSession"
  | "deleteSession";

/** Creates the smallest adapter that keeps sessions in memory, to measure only @auth/core. */
export function mapAdapter(): Pick<Adapter, Methods> {
  const users = new Map<string, AdapterUser>();
  const accounts = new Map<string, string>();
  const sessions = new Map<string, Parameters<Adapter["createSession"]>[0]>();
  const getUser = (id: string | undefined) => users.get(id ?? "") ?? null;
  const toKey = (account: { provider: string; providerAccountId: string }) =>
    `${account.provider} ${account.providerAccountId}`;
  return {
    async createUser(user) {
      users.set(user.id, user);
      return user;
    },
    getUser: async (id) => getUser(id),
    getUserByEmail: async (email) => users.values().find((user) => user.email === email) ?? null,
    getUserByAccount: async (account) => getUser(accounts.get(toKey(account))),
    async updateUser(changes) {
      const user = { ...getUser(changes.id), ...changes } as AdapterUser;
      users.set(user.id, user);
      return user;
    },
    async linkAccount(account) {
      accounts.set(toKey(account), account.userId);
      return account;
    },
    async createSession(session) {
      sessions.set(session.sessionToken, session);
      return session;
    },
    async getSessionAndUser(token) {
      const session = sessions.get(token);
      const user = getUser(session?.userId);
      return session && user ? { session, user } : null;
    },
    async updateSession({ sessionToken, ...changes }) {
      const session = sessions.get(sessionToken);
      return session && Object.assign(session, changes);
    },
    async deleteSession(token) {
      sessions.delete(token);
    },
  };
}
