import { openEphemeralRecords, randomUUID, sha256Base64url } from "../../../src/_kit.ts";
import type { Kernel, StoreEntry } from "../../../src/kernel.ts";
import { hasSameAccessToken, pickTokens } from "./kept-tokens.ts";
import type { KeptAccount, KeptTokens } from "./types.ts";

/** The outcome of a refresh: the new tokens, a refusal by the provider, or a failure to reach it. */
export type Outcome =
  | {
      readonly tokens: KeptTokens;
      /** When the outcome was received, in milliseconds since the epoch. */
      readonly at: number;
    }
  | { readonly failure: "rejected" | "failed"; readonly reason: string };

/**
 * What processes know about each other's refreshes. It is in the store, or without a store only in this process, and is
 * sealed for its account.
 */
export interface Outcomes {
  /** Resolves to the outcome of a refresh with the account's refresh token within the grace period. */
  find(account: KeptAccount): Promise<Outcome | undefined>;
  /** Keeps an outcome. It is available when the promise resolves. */
  keep(account: KeptAccount, outcome: Outcome): Promise<void>;
  /** Acquires the lock of the account's refresh token. Resolves to `undefined` while another process holds it. */
  lock(account: KeptAccount): Promise<RefreshLock | undefined>;
}

/** The right to use a refresh token. */
export interface RefreshLock {
  /** Resolves to whether the lock is still held. A process that was suspended may have lost it. */
  isHeld(): Promise<boolean>;
  release(): Promise<void>;
}

interface OutcomeRecord {
  readonly sealed: string;
}

interface LockRecord {
  readonly owner: string;
}

/** Longer than anything that a process does with the lock: discovery, the request, and three writes. */
const LOCK_TTL_MS = 30_000;
/** Seconds for which a failure applies to other callers, so that not each of them asks a provider that is down. */
const FAILURE_TTL_S = 5;
const SALT = "keyhook.refreshed-tokens";
const MAX_IN_PROCESS = 10_000;
const HELD: RefreshLock = { isHeld: () => Promise.resolve(true), release: () => Promise.resolve() };

/**
 * Returns whether an outcome has an access token with a lifetime of at most that many seconds, which is in the first
 * half of its life. If it is the token that was kept, the kept expiry counts, because the application may have changed
 * it.
 */
export function isInFirstHalf(outcome: Outcome, kept: KeptTokens, seconds: number): boolean {
  if (!("tokens" in outcome)) return false;
  const { tokens, at } = outcome;
  const { expires_at: end = Infinity } = hasSameAccessToken(tokens, kept) ? kept : tokens;
  const life = end * 1000 - at;
  return life <= seconds * 1000 && Date.now() < at + life / 2;
}

/** Returns a key that identifies a use of a refresh token without revealing it. */
export async function toRefreshKey({ provider, tokens }: KeptAccount): Promise<string> {
  return sha256Base64url(JSON.stringify([provider, tokens.refresh_token]));
}

// An outcome that was copied to the record of another account is ignored.
const toSubject = ({ userId, provider, providerAccountId }: KeptAccount): string =>
  JSON.stringify([userId, provider, providerAccountId]);

/** Opens the records. `grace` is in seconds. */
export function openOutcomes(kernel: Kernel, grace: number): Outcomes {
  const locks = kernel.store<LockRecord>("refresh-locks", { atomic: true, optional: true });
  const records = openEphemeralRecords<OutcomeRecord>(kernel, {
    namespace: "refreshed-tokens",
    cache: "oauth/access-tokens outcomes",
    atomic: true,
    max: MAX_IN_PROCESS,
    ttl: Math.max(grace, FAILURE_TTL_S) * 1000,
  });

  return {
    async find(account) {
      const key = await toRefreshKey(account);
      const record = await records.get(key);
      if (!record) return undefined;
      try {
        const { secret } = kernel.config;
        const claims = await kernel.tokens.decode({ token: record.sealed, secret, salt: SALT });
        if (claims?.sub !== toSubject(account) || Number(claims.until) < Date.now()) {
          return undefined;
        }
        const outcome = claims.outcome as Outcome;
        return "tokens" in outcome ? { ...outcome, tokens: pickTokens(outcome.tokens) } : outcome;
      } catch {
        // Its grace period is over, or it was sealed with a secret that is no longer configured.
        return undefined;
      }
    },
    async keep(account, outcome) {
      const isTransient = "failure" in outcome && outcome.failure === "failed";
      const maxAge = isTransient ? FAILURE_TTL_S : grace;
      const { secret } = kernel.config;
      // `until` is exact, whereas the expiry of a sealed text has a tolerance.
      const token = { sub: toSubject(account), outcome, until: Date.now() + maxAge * 1000 };
      const record = { sealed: await kernel.tokens.encode({ token, secret, salt: SALT, maxAge }) };
      const ttl = maxAge * 1000;
      await records.put(await toRefreshKey(account), record, ttl);
      if (!("tokens" in outcome)) return;
      // Also kept under the new refresh token, where it records when the tokens were received until they are refreshed
      // themselves.
      const next = await toRefreshKey({ ...account, tokens: outcome.tokens });
      await records.putIfAbsent(next, record, ttl);
    },
    async lock(account) {
      // Within one process, callers share one refresh.
      if (!locks.isAvailable) return HELD;
      const key = await toRefreshKey(account);
      const owner = randomUUID();
      if (!(await locks.putIfAbsent(key, { owner }, { ttl: LOCK_TTL_MS }))) return undefined;
      const readOwn = async (): Promise<StoreEntry<LockRecord> | undefined> => {
        const entry = await locks.read(key);
        return entry?.value.owner === owner ? entry : undefined;
      };
      return {
        isHeld: async () => (await readOwn()) !== undefined,
        async release() {
          const entry = await readOwn();
          if (entry) await locks.compareAndDelete(key, entry);
        },
      };
    },
  };
}
