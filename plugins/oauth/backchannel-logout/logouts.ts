import type { Kernel } from "../../../src/kernel.ts";

/** A session at a provider, as recorded by a session of the application. */
export interface ProviderLogin {
  readonly provider: string;
  /** The user's id at the provider. */
  readonly sub: string;
  /** The session's id at the provider, if the provider sends one. */
  readonly sid?: string;
  /** `at` of the user's last logout before the sign-in, as read from the store. */
  readonly after?: number;
}

/** What a provider has ended: a session, or all sessions of a user. */
export type Ended = Pick<ProviderLogin, "provider"> & {
  readonly sub?: string;
  readonly sid?: string;
};

interface Logout {
  /** In milliseconds since the epoch, and later than the user's previous logout. */
  readonly at: number;
}

/** The sessions that providers have ended, for sessions in cookies and for sign-ins in progress. */
export interface Logouts {
  /** Records what a provider has ended. */
  add(ended: Ended): Promise<void>;
  /** Resolves to `at` of the user's last logout, which does not end a session that begins now. */
  findLast(login: Pick<ProviderLogin, "provider" | "sub">): Promise<number | undefined>;
  /** Resolves to whether the provider has ended the session of a sign-in. The result may be outdated by `checkAge`. */
  isEnded(login: ProviderLogin): Promise<boolean>;
  /** Like `isEnded`, but never outdated. */
  isEndedByNow(login: ProviderLogin): Promise<boolean>;
}

const MAX_IN_PROCESS = 50_000;
/** Maximum duration of a sign-in in seconds, which is longer than a paused sign-in waits. */
const MAX_SIGN_IN_S = 20 * 60;

const toKey = (provider: string, kind: "sid" | "sub", id: string) => [provider, kind, id] as const;

/**
 * Opens the logouts. If nothing else ends sessions, a logout lasts as long as an unused token; a token in use is ended
 * by the logout. A process does not repeat a read for `checkAge` seconds.
 */
export function openLogouts(kernel: Kernel, checkAge: number): Logouts {
  const store = kernel.store<Logout>("provider-logouts", { durable: true });
  const read = kernel.remember(
    "oauth/backchannel-logout read",
    (createCache) =>
      createCache<{ logout: Logout | undefined; at: number }>("oauth/backchannel-logout read", {
        max: MAX_IN_PROCESS,
      }),
    { perApplication: true },
  );

  // A session that has ended stays ended. A later logout of the same user ends more than the one that was read.
  const isRecorded = async (
    key: ReturnType<typeof toKey>,
    includes: (logout: Logout) => boolean,
    maxReadAge: number,
  ): Promise<boolean> => {
    const name = JSON.stringify(key);
    const known = read.get(name);
    if (known?.logout && includes(known.logout)) return true;
    // The lower bound ensures that a clock that was set back does not delay the next read.
    const age = known ? Date.now() - known.at : -1;
    if (age >= 0 && age < maxReadAge * 1000) return false;
    const at = Date.now();
    const logout = await store.get(key);
    read.set(name, { logout, at });
    return logout !== undefined && includes(logout);
  };

  const isEndedWithin = async (
    { provider, sub, sid, after = 0 }: ProviderLogin,
    maxReadAge: number,
  ): Promise<boolean> => {
    const found = await Promise.all([
      sid !== undefined && isRecorded(toKey(provider, "sid", sid), () => true, maxReadAge),
      isRecorded(toKey(provider, "sub", sub), ({ at }) => at > after, maxReadAge),
    ]);
    return found.includes(true);
  };

  return {
    async add({ provider, sub, sid }) {
      // `sid` means one session of the user; `sub` alone means all of them.
      const key =
        sid === undefined ? toKey(provider, "sub", sub ?? "") : toKey(provider, "sid", sid);
      const last = (await store.get(key))?.at ?? 0;
      const logout = { at: Math.max(Date.now(), last + 1) };
      const { strategy, maxAge } = kernel.config.session;
      const seconds = strategy === "jwt" ? maxAge : MAX_SIGN_IN_S;
      await store.put(key, logout, { ttl: seconds * 1000 });
      read.set(JSON.stringify(key), { logout, at: Date.now() });
    },
    // Not compared with the clock, because a process with another clock may have received the logout.
    findLast: async ({ provider, sub }) => (await store.get(toKey(provider, "sub", sub)))?.at,
    isEnded: (login) => isEndedWithin(login, checkAge),
    isEndedByNow: (login) => isEndedWithin(login, 0),
  };
}
