type Row = Record<string, unknown>;

/** Rows of an in-memory adapter. */
export interface Rows {
  users: Row[];
  accounts: Row[];
  sessions: Row[];
  tokens: Row[];
  authenticators: Row[];
}

/** Creates empty tables. */
export function createRows(): Rows {
  return { users: [], accounts: [], sessions: [], tokens: [], authenticators: [] };
}

const copy = <T>(row: T): T => (row ? { ...row } : row);

/** Creates an adapter with only the methods of Auth.js. Its ids are numbered. */
export function createMapAdapter(rows: Rows): Record<string, (...args: never[]) => unknown> {
  const find = (table: keyof Rows, match: Row) =>
    copy(
      rows[table].find((row) => Object.entries(match).every(([key, value]) => row[key] === value)),
    ) ?? null;
  const change = (table: keyof Rows, key: string, fields: Row) => {
    const row = rows[table].find((one) => one[key] === fields[key]);
    return row ? copy(Object.assign(row, fields)) : null;
  };
  const remove = (table: keyof Rows, match: Row) => {
    const found = rows[table].findIndex((row) =>
      Object.entries(match).every(([key, value]) => row[key] === value),
    );
    return found < 0 ? null : (rows[table].splice(found, 1)[0] ?? null);
  };
  const add = (table: keyof Rows, row: Row) => {
    rows[table].push({ ...row });
    return copy(row);
  };
  return {
    createUser: (user: Row) => add("users", { ...user, id: `user-${rows.users.length + 1}` }),
    getUser: (id: string) => find("users", { id }),
    getUserByEmail: (email: string) => find("users", { email }),
    getUserByAccount: ({ provider, providerAccountId }: Row) => {
      const account = find("accounts", { provider, providerAccountId });
      return account && find("users", { id: account.userId });
    },
    updateUser: (fields: Row) => change("users", "id", fields),
    deleteUser: (id: string) => void remove("users", { id }),
    linkAccount: (account: Row) => add("accounts", account),
    unlinkAccount: ({ provider, providerAccountId }: Row) =>
      remove("accounts", { provider, providerAccountId }),
    getAccount: (providerAccountId: string, provider: string) =>
      find("accounts", { provider, providerAccountId }),
    createSession: (session: Row) => add("sessions", session),
    getSessionAndUser: (sessionToken: string) => {
      const session = find("sessions", { sessionToken });
      const user = session && find("users", { id: session.userId });
      return session && user ? { session, user } : null;
    },
    updateSession: (fields: Row) => change("sessions", "sessionToken", fields),
    deleteSession: (sessionToken: string) => remove("sessions", { sessionToken }),
    createVerificationToken: (token: Row) => add("tokens", token),
    useVerificationToken: ({ identifier, token }: Row) => remove("tokens", { identifier, token }),
    createAuthenticator: (authenticator: Row) => add("authenticators", authenticator),
    getAuthenticator: (credentialID: string) => find("authenticators", { credentialID }),
    listAuthenticatorsByUserId: (userId: string) =>
      rows.authenticators.filter((row) => row.userId === userId).map(copy),
    updateAuthenticatorCounter: (credentialID: string, counter: number) =>
      change("authenticators", "credentialID", { credentialID, counter }),
  };
}
