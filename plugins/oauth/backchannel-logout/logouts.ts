import type { Kernel } from "../../../src/kernel.ts";

/** A session at a provider, as a session of the application remembers it. */
export interface ProviderLogin {
  readonly provider: string;
  /** The user's id at the provider. */
  readonly sub: string;
  /** The session's id at the provider, if that states one. */
  readonly sid?: string;
  /** `at` of the user's last logout before the sign-in, as the store had it. */
  readonly after?: number;
}

/** What a provider has ended: a session, or all sessions of a user. */
export type Ended = Pick<ProviderLogin, "provider"> & {
  readonly sub?: string;
  readonly sid?: string;
};

interface Logout {
  /** Milliseconds since the epoch, and later than that of the user's logout before. */
  readonly at: number;
}

/** What providers have ended: for sessions in cookies, and for sign-ins that are under way. */
export interface Logouts {
  /** Records what a provider has ended. */
  add(ended: Ended): Promise<void>;
  /** Resolves to `at` of the user's last logout, which does not end a session that begins now. */
  findLast(login: Pick<ProviderLogin, "provider" | "sub">): Promise<number | undefined>;
  /** Resolves to whether the provider has ended the session of a sign-in. It may be late by `checkAge`. */
  isEnded(login: ProviderLogin): Promise<boolean>;
  /** Does what `isEnded` does, and is not late. */
  isEndedByNow(login: ProviderLogin): Promise<boolean>;
}

const MAX_IN_PROCESS = 50_000;
/** Seconds for which a sign-in may be under way: longer than one waits that is paused. */
const UNDER_WAY_S = 20 * 60;

const toKey = (provider: string, kind: "sid" | "sub", id: string) => [provider, kind, id] as const;

/**
 * Opens the logouts. They last as long as a token that is not used, where nothing else ends sessions; one that is used is ended
 * by them. What a process has read it does not read again for `checkAge` seconds.
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

  // What has ended stays so; a later logout of the same user ends more than the one that was read.
  const isRecorded = async (
    key: ReturnType<typeof toKey>,
    includes: (logout: Logout) => boolean,
    maxReadAge: number,
  ): Promise<boolean> => {
    const name = JSON.stringify(key);
    const known = read.get(name);
    if (known?.logout && includes(known.logout)) return true;
    // Lower bound: a clock that was set back must not delay the next look.
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
      // `sid` names one session of the user; `sub` alone names all of them.
      const key =
        sid === undefined ? toKey(provider, "sub", sub ?? "") : toKey(provider, "sid", sid);
      const last = (await store.get(key))?.at ?? 0;
      const logout = { at: Math.max(Date.now(), last + 1) };
      const { strategy, maxAge } = kernel.config.session;
      const seconds = strategy === "jwt" ? maxAge : UNDER_WAY_S;
      await store.put(key, logout, { ttl: seconds * 1000 });
      read.set(JSON.stringify(key), { logout, at: Date.now() });
    },
    // Not by time: the logout may have been received by a process whose clock is another one.
    findLast: async ({ provider, sub }) => (await store.get(toKey(provider, "sub", sub)))?.at,
    isEnded: (login) => isEndedWithin(login, checkAge),
    isEndedByNow: (login) => isEndedWithin(login, 0),
  };
}
