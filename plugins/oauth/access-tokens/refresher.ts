import { memoizeAsync, raceSignal } from "../../../src/_kit.ts";
import type { AuthError } from "../../../src/errors.ts";
import type { AuthContext, Kernel } from "../../../src/kernel.ts";
import {
  type AnyOAuthProvider,
  loadProviderClient,
  type ProviderClient,
} from "../../flows/oauth.ts";
import { readSubject } from "../_id-token.ts";
import { mergeTokens } from "./kept-tokens.ts";
import { type Outcome, type Outcomes, toRefreshKey } from "./outcomes.ts";
import type { KeptAccount } from "./types.ts";

/** A requested refresh. */
export interface WantedRefresh {
  readonly account: KeptAccount;
  /** Returns whether the outcome of an earlier refresh is acceptable. */
  isUsable(outcome: Outcome): boolean;
  /**
   * Called once in each process, before its callers get the outcome: by the process that sent the request (`isOwn`),
   * while no other process can send one, and by a process that found the outcome.
   */
  settle(outcome: Outcome, isOwn: boolean): Promise<void>;
}

/** Requests new tokens, one request at a time for each refresh token. */
export interface Refresher {
  /**
   * Resolves to the outcome of another caller's refresh if it is usable, else to the outcome of a request to the
   * provider.
   */
  refresh(ctx: AuthContext, wanted: WantedRefresh): Promise<Outcome>;
}

/** Time limit of a request to the provider, including discovery and client authentication, in milliseconds. */
const SEND_TIMEOUT_MS = 12_000;
/** Milliseconds for which a caller waits for another process. It is less than the time limit of a request. */
const WAIT_MS = 8000;
/** Mean interval between two polls for the outcome of another process, in milliseconds. */
const PAUSE_MS = 60;

const pause = (): Promise<void> =>
  new Promise((resolve) => {
    setTimeout(resolve, PAUSE_MS * (0.5 + Math.random()));
  });

async function send(
  client: ProviderClient,
  provider: AnyOAuthProvider,
  { base, origin }: AuthContext,
  { tokens, subject }: KeptAccount,
): Promise<Outcome> {
  // Not aborted with the visitor's request: the provider may already have used up the refresh token.
  const controller = new AbortController();
  const timer = setTimeout(
    () => controller.abort(new Error(`no response within ${SEND_TIMEOUT_MS} ms`)),
    SEND_TIMEOUT_MS,
  );
  const { signal } = controller;
  try {
    const refreshed = client.refresh(provider, tokens.refresh_token ?? "", {
      base,
      origin,
      signal,
    });
    const fresh = await raceSignal(refreshed, signal);
    if (!fresh)
      return { failure: "rejected", reason: "the provider has refused the refresh token" };
    // OpenID Connect Core, section 12.2: `iss` and `sub` must be those of the sign-in.
    const { id_token: idToken } = fresh;
    if (subject !== undefined && idToken !== undefined && readSubject(idToken) !== subject) {
      return {
        failure: "failed",
        reason: "the provider has returned an ID token for another user",
      };
    }
    return { tokens: mergeTokens(tokens, fresh), at: Date.now() };
  } catch (error) {
    return { failure: "failed", reason: (error as AuthError).message };
  } finally {
    clearTimeout(timer);
  }
}

export function createRefresher(kernel: Kernel, outcomes: Outcomes): Refresher {
  const loadClient = memoizeAsync(() => loadProviderClient(kernel));
  // Each refresh ends within the time limits above.
  const { byKey: running } = kernel.remember(
    "oauth/access-tokens refreshes",
    () => ({ byKey: new Map<string, Promise<Outcome>>() }),
    { perApplication: true },
  );

  const run: Refresher["refresh"] = async (ctx, { account, isUsable, settle }) => {
    const provider = kernel.providers.get(account.provider) as AnyOAuthProvider;
    const end = Date.now() + WAIT_MS;
    const find = async (): Promise<Outcome | undefined> => {
      const known = await outcomes.find(account);
      if (!known || !isUsable(known)) return undefined;
      await settle(known, false);
      return known;
    };
    for (;;) {
      const known = await find();
      if (known) return known;
      const lock = await outcomes.lock(account);
      if (!lock) {
        if (Date.now() > end) {
          return { failure: "failed", reason: "another process has not finished its refresh" };
        }
        await pause();
        continue;
      }
      try {
        // The process that held the lock before may have kept its outcome since.
        const found = await find();
        if (found) return found;
        const outcome = await send(await loadClient(), provider, ctx, account);
        // A process that was suspended for longer than its lock must not replace what another process has kept since.
        const later = (await lock.isHeld()) ? undefined : await find();
        if (later) return later;
        await outcomes.keep(account, outcome);
        await settle(outcome, true);
        return outcome;
      } finally {
        await lock.release();
      }
    }
  };

  return {
    async refresh(ctx, wanted) {
      const key = await toRefreshKey(wanted.account);
      let work = running.get(key);
      if (!work) {
        work = run(ctx, wanted).finally(() => running.delete(key));
        running.set(key, work);
        ctx.waitUntil(work);
      }
      return raceSignal(work, ctx.signal);
    },
  };
}
