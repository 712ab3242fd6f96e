import { sha256Base64url } from "../../../src/_kit.ts";
import type { Kernel, Store } from "../../../src/kernel.ts";
import type { EmailContext } from "./types.ts";

/** The outcome of a request for a link: an e-mail, or a URL to redirect to instead. */
export interface Sent {
  redirectUrl?: string;
  /** Hash of the token in the e-mail. */
  token?: string;
}

/** The recent requests for links. */
export interface Requests {
  /** Runs `work` for a request. If the same request was already delivered, resolves to its outcome instead. */
  once(ctx: EmailContext, address: string, work: () => Promise<Sent>): Promise<Sent>;
  /** Forgets a request whose link was used, so that the next request from this browser sends an e-mail again. */
  forget(ctx: EmailContext, address: string): Promise<void>;
}

/** Milliseconds within which a proxy, a browser or a second click may repeat a request. */
const WINDOW_MS = 30_000;
/** Milliseconds between polls for the outcome in another process. */
const POLL_DELAYS_MS = [50, 100, 200, 400, 800];
const MAX_REQUESTS = 10_000;

// Each response sets a new check cookie, so a deliberate second request differs from a repeated one.
function getCheck({ cookies }: EmailContext): string {
  return cookies.get(cookies.spec("emailCheck").name) ?? "";
}

async function deriveName(
  { cookies, provider }: EmailContext,
  check: string,
  address: string,
): Promise<string | undefined> {
  const csrf = cookies.get(cookies.spec("csrfToken").name);
  return csrf && sha256Base64url(JSON.stringify([provider.id, csrf, check, address]));
}

/**
 * Creates the memory of requests, in this process and in the store if there is one. In the store, `false` marks a
 * request that a process works on, which may crash. The hash of a token marks a request whose e-mail was sent.
 */
export function createRequests(kernel: Kernel, store: Store<string | false>): Requests {
  const known = kernel.remember(
    "flows/email requests",
    (createCache) =>
      createCache<Promise<Sent>>("flows/email requests", { max: MAX_REQUESTS, ttl: WINDOW_MS }),
    { perApplication: true },
  );

  // A store that is down must not prevent sign-ins.
  const tolerant = async <T>(call: () => Promise<T>): Promise<T | undefined> => {
    try {
      return store.isAvailable ? await call() : undefined;
    } catch (error) {
      kernel.logger.error(error as Error);
      return undefined;
    }
  };

  // Waits for the process that was first. If it takes too long, it has crashed or is so slow that a second e-mail does
  // less harm: both links work.
  const findSent = async (name: string): Promise<Sent | undefined> => {
    for (const pause of POLL_DELAYS_MS) {
      const value = await tolerant(() => store.get(name));
      if (typeof value === "string") return value ? { token: value } : {};
      if (value !== false) return undefined;
      await new Promise((resolve) => setTimeout(resolve, pause));
    }
    return undefined;
  };

  const attempt = async (name: string, work: () => Promise<Sent>): Promise<Sent> => {
    let isSent = true;
    try {
      const isFirst = await tolerant(() => store.putIfAbsent(name, false, { ttl: WINDOW_MS }));
      const before = isFirst === false ? await findSent(name) : undefined;
      if (before) return before;
      isSent = false;
      const sent = await work();
      isSent = sent.redirectUrl === undefined;
      if (isSent) await tolerant(() => store.put(name, sent.token ?? "", { ttl: WINDOW_MS }));
      return sent;
    } finally {
      // A failed request may be repeated at once.
      if (!isSent) {
        known.delete(name);
        await tolerant(() => store.delete(name));
      }
    }
  };

  return {
    async once(ctx, address, work) {
      const name = await deriveName(ctx, getCheck(ctx), address);
      if (name === undefined) return work();
      const before = known.get(name);
      if (before) return before;
      const outcome = attempt(name, work);
      known.set(name, outcome);
      return outcome;
    },
    async forget(ctx, address) {
      // The check cookie is empty, as before the first request: the browser loses it when its link is used.
      const name = await deriveName(ctx, "", address);
      if (name === undefined) return;
      known.delete(name);
      await tolerant(() => store.delete(name));
    },
  };
}
