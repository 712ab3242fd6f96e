import type { User } from "../../../src/kernel.ts";

/** Users as whom a developer may sign in. */
export interface Users {
  /** Newest first, by the keys that forms post. */
  list(): readonly (readonly [key: string, user: User])[];
  find(key: unknown): User | undefined;
  /** Adds a user who has signed in. */
  add(user: User): void;
}

const MAX_USERS = 20;

/** Creates the list of at most 20 users. The given ones count as the oldest. */
export function createUsers(given: readonly User[]): Users {
  let last = 0;
  let users: (readonly [string, User])[] = [];
  const add = ({ id, name, email, image }: User): void => {
    const isSame = ([, other]: readonly [string, User]) => String(other.id) === String(id);
    const [key] = users.find(isSame) ?? [String(++last)];
    const others = users.filter((one) => !isSame(one));
    users = [[key, { id, name, email, image } as User] as const, ...others].slice(0, MAX_USERS);
  };
  for (const user of given.toReversed()) add(user);
  return {
    list: () => users,
    find: (key) => users.find(([one]) => one === key)?.[1],
    add,
  };
}
